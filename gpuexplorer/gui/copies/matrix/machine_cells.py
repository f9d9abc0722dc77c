"""What is told of rates between machines: cells of the matrix, and figures with their names."""

from collections.abc import Mapping, Sequence
from enum import Enum

from gpuexplorer.core.units import Quantity, bytes_words, duration, gigabytes_per_second, rate
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.copies.matrix.pair_cells import EMPTY, FAILED, wrong_cell
from gpuexplorer.gui.copies.matrix.pair_details import PairDetails, PairFact
from gpuexplorer.gui.copies.matrix.pair_question import Head
from gpuexplorer.gui.state.copies.between_machines import (
    LATENCY_BYTES,
    BetweenMachines,
    RankHost,
)
from gpuexplorer.gui.widgets.pair_grid import CellState, Pair, PairCell
from gpuexplorer.ranks.measuring import RankResult
from gpuexplorer.ranks.wire import Way

_WRONG = mark("What arrived is not what was sent. A wrong copy has no rate.")
_BACKENDS = {"gloo": "gloo (TCP)", "nccl": "NCCL"}


class RankFigure(Enum):
    """What stands in the cells."""

    RATE = mark("Rate")
    LATENCY = mark("Latency")


def heads_of(hosts: Sequence[RankHost]) -> Sequence[Head]:
    """Numbers: a name has no room at the head of a column."""
    return [
        Head(
            *(each.name, str(number), None, each.name),
            words=each.name,
            gone=paragraph((each.why_not, each.hint)),
        )
        for number, each in enumerate(hosts, 1)
    ]


def not_asked(head: Head) -> str:
    return tr("{machine} is not asked: {why}", machine=head.titled, why=head.gone)


class Between:
    """What was measured, as it stands just now, by the pairs it was measured between."""

    def __init__(self, state: BetweenMachines, heads: Sequence[Head]) -> None:
        self._state, self._heads = state, {each.name: each for each in heads}
        self._found = {
            (each.source, each.target, each.bytes == LATENCY_BYTES): each
            for each in state.results
            if each.way is Way.ONE_WAY
        }

    def cells(self, figure: RankFigure) -> Mapping[Pair, PairCell]:
        return {
            (one, other): self._cell((one, other), figure is RankFigure.LATENCY)
            for one in self._heads
            for other in self._heads
            if one != other
        }

    def words(self, pair: Pair) -> str:
        """What one is told of a cell by pointing at it."""
        details = self.details(pair)
        facts = [each.said for each in details.rows]
        return "\n".join(filter(None, (details.bad, *facts, *details.sentences)))

    def details(self, pair: Pair) -> PairDetails:
        large, small = (self._found.get((*pair, each)) for each in (False, True))
        rows = [] if large is None else _of_pair(large)
        if small is not None:
            rows.insert(2, _fact(tr("Latency of 8 bytes"), duration(small.quartiles[1])))
        trouble = self._state.trouble
        if trouble is not None and large is None and pair == self._state.failed_pair:
            return PairDetails(rows, (), tr(trouble.sentence), tr(trouble.hint))
        one = large or small
        if one is None:
            return PairDetails((), [self._why_not(pair)])
        by = PairFact(tr("Moved by"), words=_BACKENDS.get(one.backend, one.backend))
        rows += [by, PairFact(tr("Interface"), words=tr(one.path))]
        if large is None or not large.intact:
            return PairDetails(rows, (), "" if large is None else tr(_WRONG))
        samples = [large.bytes / each / 1e9 for each in large.seconds]
        limit = None if large.promised is None else large.promised / 1e9
        return PairDetails(rows, (), samples=samples, limit=limit)

    def _why_not(self, pair: Pair) -> str:
        if pair[0] == pair[1]:
            return tr("Only from one machine to another.")
        if gone := [self._heads[each] for each in pair if self._heads[each].gone]:
            return paragraph([not_asked(each) for each in gone])
        if (trouble := self._state.trouble) is not None:
            return tr("Not measured, since it ended before: {why}", why=trouble.told)
        return tr("It was stopped before.") if self._state.stopped else tr("Not measured yet.")

    def _cell(self, pair: Pair, latency: bool) -> PairCell:
        result = self._found.get((*pair, latency))
        if result is None:
            gone = any(self._heads[each].gone for each in pair)
            return FAILED if gone or pair == self._state.failed_pair else EMPTY
        if result.rate is None:
            return wrong_cell()
        if latency:
            value = result.quartiles[1] * 1e6
            told = f"{value:.0f}" if value >= 100 else f"{value:.1f}"
            return PairCell(CellState.FIGURE, told, value)
        below = "" if result.share is None else _percent(result.share)
        told = gigabytes_per_second(result.rate)
        return PairCell(CellState.FIGURE, told, result.rate / 1e9, below)


def together_facts(results: Sequence[RankResult]) -> Sequence[PairFact]:
    """Of all-reduce, by nccl-tests' definitions."""
    facts: list[PairFact] = []
    for each in results:
        size = bytes_words(each.bytes)
        facts.append(_fact(tr("{size}, time", size=size), duration(each.quartiles[1])))
        if each.rate is None or each.bus_rate is None:
            facts.append(PairFact("algbw, busbw", words=tr(_WRONG)))
        elif each.bytes != LATENCY_BYTES:
            facts += [_fact("algbw", rate(each.rate)), _fact("busbw", rate(each.bus_rate))]
            facts += [_share(each), _intact(each)]
    return facts


def _of_pair(result: RankResult) -> list[PairFact]:
    low, middle, high = map(duration, result.quartiles)
    label = tr("Promised")
    rows = [PairFact(label, words=_unknown())]
    if result.promised is not None:
        rows = [_fact(label, rate(result.promised)), _share(result)]
    if result.rate is not None:
        rows.insert(0, _fact(tr("Rate, one way"), rate(result.rate)))
    return [
        *rows,
        _fact(tr("Time, median"), middle),
        PairFact(tr("Quartiles"), words=tr("{low} to {high}", low=low, high=high)),
        PairFact(tr("Size"), words=bytes_words(result.bytes)),
        _intact(result),
    ]


def _share(result: RankResult) -> PairFact:
    share = result.share
    words = _unknown() if share is None else _percent(share)
    return PairFact(tr("Share"), words=words)


def _unknown() -> str:
    return tr("not known")


def _intact(result: RankResult) -> PairFact:
    return PairFact(tr("Arrived"), words=tr("intact") if result.intact else tr("WRONG"))


def _fact(label: str, told: Quantity) -> PairFact:
    return PairFact(label, told.number, told.unit)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
