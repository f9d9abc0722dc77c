"""MatrixNow: the cells of both maps and what follows from them, from what is known now."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from gpuexplorer.copies.findings import Finding, findings, the_rest
from gpuexplorer.copies.kin import Kin
from gpuexplorer.copies.plan import Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import direct_of
from gpuexplorer.copies.route import Route
from gpuexplorer.core.words import tr
from gpuexplorer.gui.copies.matrix.overlay_values import Overlay
from gpuexplorer.gui.copies.matrix.pair_cells import (
    EMPTY,
    FAILED,
    figure_words,
    measured_cell,
    promised_cell,
    share_cell,
)
from gpuexplorer.gui.copies.matrix.pair_details import PairDetails, details_of
from gpuexplorer.gui.copies.matrix.pair_question import (
    AskedPath,
    Head,
    MatrixQuestion,
    heads_of,
    staged_of,
)
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.widgets.pair_grid import MOST_CHIPS, NONE, Pair, PairCell
from gpuexplorer.lab.wire import LATENCY_BYTES, CopyJob


class MatrixNow:
    """Asks the state when `look` is called; what has not changed stays as it was made."""

    def __init__(self, copies: CopiesState) -> None:
        self._copies = copies
        self.question = MatrixQuestion()
        self.overlay: Overlay | None = None
        self.heads: tuple[Head, ...] = ()
        self.by_name: Mapping[str, Head] = {}
        self._gone_names: frozenset[str] = frozenset()
        self.jobs: Mapping[Pair, CopyJob] = {}
        self.cells: Mapping[Pair, PairCell] = {}
        self._made_for: tuple[tuple[Head, ...], MatrixQuestion, Overlay | None] | None = None
        self._results: dict[Pair, CopyResult] = {}
        self._below: Mapping[Pair, float] = {}
        self._promised: tuple[object, Mapping[Pair, PairCell], Sequence[Route]] | None = None

    def forget_promises(self) -> None:
        """The driver told other wires."""
        self._promised = None

    @property
    def crowded(self) -> bool:
        """So many that looking through all of them takes its time."""
        return len(self.heads) > MOST_CHIPS + 1

    def look(self) -> None:
        self.heads = heads_of(self._copies.known_devices())
        made_for = self.heads, self.question, self.overlay
        if made_for != self._made_for or len(self._copies.results) < len(self._results):
            self._made_for = made_for
            self.by_name = {head.name: head for head in self.heads}
            self._gone_names = frozenset(head.name for head in self.heads if head.gone)
            self.jobs = self.question.jobs(list(self.by_name))
            self._below = {} if self.overlay is None else self.overlay.cells(self.question)
            self._results = {}
            self.cells = {pair: self._cell(pair, None) for pair in self._pairs()}
        fresh = self._fresh()
        if fresh:
            self._results |= fresh
            cells = {pair: self._cell(pair, result) for pair, result in fresh.items()}
            self.cells = {**self.cells, **cells}

    def result(self, pair: Pair) -> CopyResult | None:
        return self._results.get(pair)

    def route(self, pair: Pair) -> Route | None:
        result = self.result(pair)
        if result is not None and result.route is not None:
            return result.route
        if self._staged and pair in self.jobs:
            return self._copies.ways.staged(*pair)
        return self._copies.ways.route(*pair)

    def theirs(self, pair: Pair) -> float | None:
        """nvbandwidth's figure."""
        return self._below.get(pair)

    def why_not(self, pair: Pair) -> str:
        """Why nothing stands in its cell; empty where something does."""
        if pair not in self.jobs:
            return self.question.why_not(*pair)
        result = self.result(pair)
        if result is None:
            return self._gone(pair) or tr("Not measured yet.")
        return self.question.hides(direct_of(result), result.route)

    def able(self, pair: Pair | None) -> bool:
        """Whether it can be measured just now."""
        return pair in self.jobs and pair is not None and not self._gone(pair)

    def details(self, pair: Pair) -> PairDetails:
        job, theirs = self.jobs.get(pair), self.theirs(pair)
        route, result = self.route(pair), self.result(pair)
        told = details_of(self.question, job, result, route, theirs, self.why_not(pair))
        gone = self._gone(pair)
        return replace(told, hint=gone) if result is not None and gone else told

    def promised(self, *, ratio: bool) -> tuple[Mapping[Pair, PairCell], Sequence[Route]]:
        """The cells, and the ways they are told of."""
        # While many are measured, what is promised stays as it was before.
        news = None if self.crowded and self._copies.running and not ratio else self.cells
        key = (self._made_for, ratio, id(news))
        if self._promised is None or self._promised[0] != key:
            routes = {pair: self.route(pair) for pair in self.jobs}
            cells = {pair: self._promised_cell(pair, routes, ratio) for pair in self._pairs()}
            told = [each for each in routes.values() if each is not None]
            self._promised = (key, cells, told)
        return self._promised[1:]

    def shown(self) -> list[CopyResult]:
        """What stands in the cells."""
        cells = self.cells
        return [each for pair, each in self._results.items() if cells[pair] is not NONE]

    def grave(self) -> list[Finding]:
        """What arrived wrong, whatever is shown."""
        return findings(each for each in self.all() if each.wrong)

    def telling(self) -> Callable[[], tuple[list[Finding], list[Kin]]]:
        """What finds all that stands out, and sums up the rest; in any thread."""
        shown = self.shown()
        known = {each.job: each for each in shown}
        if self.question.kind is Kind.ONE_WAY:
            known |= {each.job: each for each in self.staged()}
        if not self.question.pinned:
            known |= {each.job: each for each in self._pinned_too()}
        known |= {each.job: each for each in self.all() if each.wrong}
        return partial(_told, list(known.values()), shown)

    def staged(self) -> list[CopyResult]:
        """The same bytes between the same cards on purpose through the host."""
        # To name thousands of them takes longer than to see that there are none.
        if not any(job.mode == "staged" for job in self._copies.results):
            return []
        jobs = (
            staged_of(self.jobs.values()) if self.question.way is not AskedPath.STAGED else ()
        )
        results = (self._copies.result(job) for job in jobs)
        return [each for each in results if each is not None]

    def wrong(self, pair: Pair) -> list[CopyResult]:
        """What arrived wrong between the two, in the order in which it was measured."""
        return [
            each
            for each in self.all()
            if each.wrong and (each.job.source, each.job.target) == pair
        ]

    def all(self) -> list[CopyResult]:
        """Whatever was measured that this page can ask for."""
        size = self.question.bytes
        return [
            each
            for each in self._copies.results.values()
            if each.job.pieces == 1
            and not each.job.beside
            and each.job.bytes == (LATENCY_BYTES if each.job.mode == "latency" else size)
        ]

    def to_measure(self) -> list[CopyJob]:
        """All that is shown; and staged beside it what goes directly, to be compared."""
        jobs = [job for pair, job in self.jobs.items() if self.able(pair)]
        plain = self.question.kind is Kind.ONE_WAY and self.question.way is AskedPath.PYTORCH
        if plain and not self.crowded:
            jobs += staged_of(
                job for pair, job in self.jobs.items() if self.able(pair) and self._direct(pair)
            )
        return jobs

    def pair_of(self, job: CopyJob | None) -> Pair | None:
        """The cell that is shown and stands for this job."""
        if job is None:
            return None
        pair = job.source, job.target
        return pair if self.jobs.get(pair) == job else None

    def _gone(self, pair: Pair) -> str:
        """Why nothing can be measured between the two just now."""
        if self._gone_names.isdisjoint(pair):
            return ""
        return " ".join(dict.fromkeys(self._said_gone(each) for each in pair)).strip()

    def _said_gone(self, name: str) -> str:
        head = self.by_name.get(name)
        if head is None or not head.gone:
            return ""
        return tr("{device}: {why}", device=head.titled, why=head.gone)

    def _direct(self, pair: Pair) -> bool:
        route = self.route(pair)
        return route is None or route.direct is not False

    @property
    def _staged(self) -> bool:
        return self.question.chooses_way and self.question.way is AskedPath.STAGED

    def _pairs(self) -> list[Pair]:
        names = list(self.by_name)
        return [(one, other) for one in names for other in names]

    def _fresh(self) -> dict[Pair, CopyResult]:
        """What came since, and belongs to what is asked."""
        found = {}
        for result in self._copies.results.values():
            pair = result.job.source, result.job.target
            if self._results.get(pair) is not result and self.jobs.get(pair) == result.job:
                found[pair] = result
        return found

    def _cell(self, pair: Pair, result: CopyResult | None) -> PairCell:
        theirs = self._below.get(pair)
        if pair not in self.jobs:
            return NONE
        if theirs is None and result is None:
            return FAILED if self._gone(pair) else EMPTY
        below = "" if theirs is None else figure_words(self.question, theirs)
        return measured_cell(self.question, result, below)

    def _promised_cell(
        self, pair: Pair, routes: Mapping[Pair, Route | None], ratio: bool
    ) -> PairCell:
        if pair not in self.jobs or (ratio and self.question.latency):
            return NONE
        route = routes[pair]
        limit = None if route is None else route.limit
        return share_cell(self.result(pair), limit) if ratio else promised_cell(route, limit)

    def _pinned_too(self) -> list[CopyResult]:
        """What memory that is not pinned is compared with."""
        jobs = replace(self.question, pinned=True).jobs(list(self.by_name)).values()
        results = (self._copies.result(job) for job in jobs)
        return [each for each in results if each is not None]


def _told(
    known: Sequence[CopyResult], shown: Sequence[CopyResult]
) -> tuple[list[Finding], list[Kin]]:
    found = findings(known)
    return found, the_rest(shown, found)
