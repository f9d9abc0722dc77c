"""What is told of rates between machines: cells of the matrix, and figures with their names."""

from collections.abc import Iterable, Mapping, Sequence
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
from gpuexplorer.gui.widgets.pairs.pairs_shown import CellState, Pair, PairCell
from gpuexplorer.ranks.result import RankResult
from gpuexplorer.ranks.wire import Way


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


class Between:
    """What was measured, as it stands just now, by the pairs it was measured between."""

    def __init__(self, state: BetweenMachines) -> None:
        self._state = state
        self.gone = {each.titled: each.gone for each in heads_of(state.hosts) if each.gone}
        self._by_pair: dict[Pair, dict[bool, RankResult]] = {}
        for each in state.results:
            if each.way is Way.ONE_WAY:
                found = self._by_pair.setdefault((each.source, each.target), {})
                found[each.bytes == LATENCY_BYTES] = each
        self.together = [each for each in state.results if each.way is Way.ALL_REDUCE]

    def result(self, pair: Pair, figure: RankFigure) -> RankResult | None:
        return self._by_pair.get(pair, {}).get(figure is RankFigure.LATENCY)

    def cells(self, heads: Sequence[Head], figure: RankFigure) -> Mapping[Pair, PairCell]:
        names = [each.name for each in heads]
        return {
            (one, other): self._cell((one, other), figure)
            for one in names
            for other in names
            if one != other
        }

    def why_not(self, pair: Pair) -> str:
        """Why there is no figure; empty where there is one."""
        if pair[0] == pair[1]:
            return tr("Only from one machine to another.")
        gone = [each for each in dict.fromkeys(pair) if each in self.gone]
        if gone:
            return paragraph(
                [
                    tr("{machine} is not asked: {why}", machine=each, why=self.gone[each])
                    for each in gone
                ]
            )
        if pair in self._by_pair:
            return ""
        trouble = self._state.trouble
        if trouble is None:
            return tr(self._state.stopped) or tr("Not measured yet.")
        why = paragraph((trouble.sentence, trouble.hint))
        if pair == self._state.failed_pair:
            return why
        return tr("Not measured, since it ended before: {why}", why=why)

    def words(self, pair: Pair) -> str:
        """What one is told of a cell by pointing at it."""
        details = self.details(pair)
        facts = [each.said for each in details.rows]
        return "\n".join(filter(None, (details.bad, *facts, *details.sentences)))

    def details(self, pair: Pair) -> PairDetails:
        why = self.why_not(pair)
        large, small = (self.result(pair, each) for each in RankFigure)
        if pair == self._state.failed_pair and large is None:
            rows = [_latency(small)] if small is not None else []
            trouble = self._state.trouble
            if trouble is not None:
                return PairDetails(rows, (), tr(trouble.sentence), tr(trouble.hint))
        if why:
            return PairDetails((), [why])
        bad, rows = "", []
        if large is not None:
            rows = _of_pair(large)
            bad = "" if large.intact else tr(_WRONG)
        if small is not None:
            rows.insert(min(2, len(rows)), _latency(small))
        met = self._state.met
        way = (
            []
            if met is None
            else [PairFact(tr("Moved by"), words=_BACKENDS.get(met.backend, met.backend))]
        )
        path = next((each.path for each in (large, small) if each is not None), "")
        samples = [] if large is None else [large.bytes / each / 1e9 for each in large.seconds]
        promised = None if large is None else large.promised
        return PairDetails(
            [*rows, *way, PairFact(tr("Interface"), words=tr(path))],
            [],
            bad,
            samples=samples if large is not None and large.intact else (),
            limit=None if promised is None else promised / 1e9,
        )

    def _cell(self, pair: Pair, figure: RankFigure) -> PairCell:
        result = self.result(pair, figure)
        if result is None:
            failed = pair == self._state.failed_pair or {*pair} & {*self.gone}
            return FAILED if failed else EMPTY
        if result.rate is None:
            return wrong_cell()
        if figure is RankFigure.LATENCY:
            value = result.quartiles[1] * 1e6
            told = f"{value:.0f}" if value >= 100 else f"{value:.1f}"
            return PairCell(CellState.FIGURE, told, value)
        below = "" if result.share is None else _percent(result.share)
        told = gigabytes_per_second(result.rate)
        return PairCell(CellState.FIGURE, told, result.rate / 1e9, below)


_WRONG = mark("What arrived is not what was sent. A wrong copy has no rate.")
_BACKENDS = {"gloo": "gloo (TCP)", "nccl": "NCCL"}


def together_facts(results: Iterable[RankResult]) -> Sequence[PairFact]:
    """All-reduce, by nccl-tests' definitions."""
    facts: list[PairFact] = []
    for each in results:
        size = bytes_words(each.bytes)
        facts.append(_fact(tr("{size}, time", size=size), duration(each.quartiles[1])))
        if each.rate is None or each.bus_rate is None:
            facts.append(PairFact("algbw, busbw", words=tr(_WRONG)))
        elif each.bytes != LATENCY_BYTES:
            share = each.share
            facts += [
                _fact("algbw", rate(each.rate)),
                _fact("busbw", rate(each.bus_rate)),
                PairFact(tr("Share"), words=_unknown())
                if share is None
                else PairFact(tr("Share"), _percent(share)),
            ]
            facts.append(_intact(each))
    return facts


def _of_pair(result: RankResult) -> list[PairFact]:
    low, middle, high = map(duration, result.quartiles)
    promised, share = result.promised, result.share
    rows = []
    if result.rate is not None:
        rows.append(_fact(tr("Rate, one way"), rate(result.rate)))
    rows += [
        PairFact(tr("Promised"), words=_unknown())
        if promised is None
        else _fact(tr("Promised"), rate(promised)),
    ]
    if share is not None:
        rows.append(PairFact(tr("Share"), _percent(share)))
    return [
        *rows,
        _fact(tr("Time, median"), middle),
        PairFact(tr("Quartiles"), words=tr("{low} to {high}", low=low, high=high)),
        PairFact(tr("Size"), words=bytes_words(result.bytes)),
        _intact(result),
    ]


def _unknown() -> str:
    return tr("not known")


def _intact(result: RankResult) -> PairFact:
    return PairFact(tr("Arrived"), words=tr("intact") if result.intact else tr("WRONG"))


def _latency(result: RankResult) -> PairFact:
    return _fact(tr("Latency of 8 bytes"), duration(result.quartiles[1]))


def _fact(label: str, told: Quantity) -> PairFact:
    return PairFact(label, told.number, told.unit)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
