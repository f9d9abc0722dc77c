"""A recording as a trace for Perfetto and Chrome: curves, processes, what happened, the lab."""

import math
from collections.abc import Generator, Iterator, Mapping
from itertools import chain

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.trace_format import (
    FreeRows,
    counter_text,
    end,
    head,
    instant_text,
    named_process,
    named_thread,
    nanoseconds,
    slice_text,
)
from gpuexplorer.recording.export.choosing import Choice, iso
from gpuexplorer.recording.export.lab_stretches import CELLS, COPIES, MEASURED, lab_stretches
from gpuexplorer.recording.export.looks import uses
from gpuexplorer.recording.export.rounds import Round

_MOST_ROWS = 1000  # of one kind
_UNREAD = 3  # a curve is broken where a card was not read for so many periods
_LONGEST = 200  # letters of a name
_KINDS = ("events", "not read", "processes", CELLS, COPIES, MEASURED)
_LAB, _DRIVER = "lab", "driver"
_HOLDS = "A curve holds its last value where nothing was read; the row 'not read' shows where."


def perfetto_lines(choice: Choice, rounds: Iterator[Round]) -> Iterator[str]:
    """A file, whole when joined."""
    recording = choice.recording
    about = {
        "program": "GPU Explorer",
        "recording": recording.path.name,
        "machines": [*dict.fromkeys(run.machine.name for run in recording.runs)],
        "simulated": choice.simulated,
        "from": iso(recording, choice.start),
        "to": iso(recording, choice.end),
        "began_unix_s": recording.wall(choice.start),
        "note": _HOLDS,
    }
    if choice.simulated:
        about["figures"] = "Simulated: no real card was read, all figures of cards are made up."
    yield head(about)
    trace = _Trace(choice)
    events = chain(trace.programs(), trace.happenings(), trace.lab(), trace.curves(rounds))
    yield next(events, "")
    for event in events:
        yield f",\n{event}"
    yield end()


class _Trace:
    """Names each process and row before its first event."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        numbers = choice.numbers
        self._names = {card.id: f"{numbers[card.id]} {card.name}" for card in choice.cards}
        self._order: list[str] = [*self._names, _LAB, _DRIVER]
        self._named: set[str] = set()
        self._rows: dict[tuple[str, str], FreeRows] = {}

    def curves(self, rounds: Iterator[Round]) -> Iterator[str]:
        """Only what changes, since a curve holds."""
        newest: dict[tuple[CardId, MetricId], float] = {}
        read: dict[CardId, tuple[float, float]] = {}  # when last, and its period
        for each in rounds:
            known = {
                metric: value
                for metric, value in zip(each.metrics, each.values, strict=True)
                if math.isfinite(value)
            }
            if not known:
                continue
            before, usual = read.get(each.card, (self._choice.start, math.inf))
            period = each.until - each.at
            yield from self._unread(each.card, before, each.at, min(usual, period))
            read[each.card] = each.at, period if math.isfinite(period) else usual
            process = yield from self._process(each.card)
            at = self._nanoseconds(each.at)
            for metric, value in known.items():
                if newest.get((each.card, metric)) != value:
                    newest[each.card, metric] = value
                    about = METRICS[metric]
                    yield counter_text(about.label, about.unit, process, at, value)
        for (card, metric), value in newest.items():
            # Chrome's viewer draws no further than to the last value.
            process = yield from self._process(card)
            at, about = self._nanoseconds(read[card][0]), METRICS[metric]
            yield counter_text(about.label, about.unit, process, at, value)
        for card in self._choice.metrics:
            before, period = read.get(card, (self._choice.start, 0.0))
            yield from self._unread(card, before, self._choice.end, period)

    def _unread(self, card: CardId, begin: float, until: float, period: float) -> Iterator[str]:
        if until - begin > _UNREAD * period:
            yield from self._slice(card, "not read", "not read", begin, until, {})

    def programs(self) -> Iterator[str]:
        for use in uses(self._choice):
            facts = use.facts
            name = facts.command or f"pid {facts.pid}"
            about = {"pid": facts.pid, "user": facts.user, "type": facts.use}
            yield from self._slice(facts.card, "processes", name, use.begin, use.until, about)

    def happenings(self) -> Iterator[str]:
        for each in self._choice.happenings():
            about = {"sentence": each.sentence, "lasted_s": each.lasted}
            whose = each.card or _DRIVER
            yield from self._slice(whose, "events", each.kind, each.at, each.at, about)

    def lab(self) -> Iterator[str]:
        for each in lab_stretches(self._choice.recording):
            if each.begin <= self._choice.end and each.end >= self._choice.start:
                yield from self._slice(
                    _LAB, each.kind, each.name, each.begin, each.end, each.args
                )

    def _slice(
        self,
        whose: str,
        kind: str,
        name: str,
        begin: float,
        until: float,
        args: Mapping[str, object],
    ) -> Iterator[str]:
        """A moment, where it has no length."""
        first = self._nanoseconds(begin)
        last = max(first, self._nanoseconds(until))
        process = yield from self._process(whose)
        rows = self._rows.setdefault((whose, kind), FreeRows())
        before, row = len(rows), rows.row(first, last)
        thread = _KINDS.index(kind) * _MOST_ROWS + row + 1
        if row == before:
            named = kind if row == 0 else f"{kind} ({row + 1})"
            yield from named_thread(process, thread, named)
        if first == last:
            yield instant_text(name[:_LONGEST], kind, (process, thread), first, args)
        else:
            yield slice_text(name[:_LONGEST], kind, (process, thread), first, last, args)

    def _process(self, whose: str) -> Generator[str, None, int]:
        number = self._order.index(whose) + 1
        if whose not in self._named:
            self._named.add(whose)
            yield from named_process(number, self._names.get(CardId(whose), whose))
        return number

    def _nanoseconds(self, at: float) -> int:
        """Since the beginning of what was chosen."""
        return nanoseconds(
            min(max(at, self._choice.start), self._choice.end) - self._choice.start
        )
