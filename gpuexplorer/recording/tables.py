"""Tables: the file of a recording from the side that writes, and what goes where in it."""

import json
import sqlite3
import time
from array import array
from collections.abc import Collection, Sequence
from contextlib import suppress

import gpuexplorer
from gpuexplorer.core.cards import HOST_ID, Card, CardId, Sample
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.records import from_text, text_of
from gpuexplorer.recording.columns import NANS, REASONS, STATES, from_raw, raw
from gpuexplorer.recording.folding import FULL, Strand, fold
from gpuexplorer.recording.schema import (
    APPLICATION,
    CPU,
    HOST_MEMORY,
    HOST_RHYTHM,
    PROCESSES_RHYTHM,
    STATE,
    TABLES,
    TIMES,
    VERSION,
)
from gpuexplorer.recording.told import (
    Machine,
    ProgramFacts,
    SubjectKind,
    Topic,
    Turn,
    Writer,
)
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure
from gpuexplorer.telemetry.topology import Topology

_STATE_NUMBERS = {state: float(number) for number, state in enumerate(STATES, 1)}
_NO_REASON = float("nan")
_PROCESS_METRICS = (*(figure.value for figure in ProcessFigure), CPU, HOST_MEMORY)
# Folded in one batch, so that none takes long.
_AT_ONCE = 4
_LAST_FOLDING = 1.0  # seconds


def lay_out(database: sqlite3.Connection, *, anonymous: bool) -> None:
    """The tables of a new file."""
    database.executescript(
        "BEGIN;"
        f" PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {TABLES}"
    )
    facts = {
        "anonymous": anonymous,
        "reasons": REASONS,
        "states": STATES,
        "program": f"GPU Explorer {gpuexplorer.__version__}",
    }
    database.executemany(
        "INSERT INTO fact VALUES (?, ?)",
        [(name, json.dumps(value)) for name, value in facts.items()],
    )
    database.commit()


class Tables:
    """One run that is written. Every time is of the axis. For one thread, which commits."""

    def __init__(
        self, database: sqlite3.Connection, began: float, writer: Writer, machine: Machine
    ) -> None:
        self._database = database
        self._subjects: dict[CardId, int] = {}
        self._strands: dict[tuple[int, str], Strand] = {}
        self._programs: dict[CardId, dict[int, tuple[int, ProgramFacts]]] = {}
        self._users: dict[CardId, list[int] | None] = {}
        self._listed: list[Card] | None = None
        self._tail: list[tuple[int, int, float, bytes]] = []
        self._fold_what_was_left()
        self._row = 0
        self._run = self._insert(
            "run (began, writer, machine)", began, text_of(writer), text_of(machine)
        )

    def sample(self, at: float, sample: Sample) -> None:
        values, missing = sample.values, sample.missing
        some = next(iter(values), None) or next(iter(missing), None)
        if some is None:
            return
        subject = self._subjects.get(sample.card) or self._subject_of_card(at, sample.card)
        rhythm = HOST_RHYTHM if sample.card == HOST_ID else METRICS[some].cadence.value
        strand = self._strands.get((subject, rhythm))
        if strand is None or not _fits(strand.metrics, values.keys(), missing.keys()):
            asked = [metric for metric in METRICS if metric in values or metric in missing]
            strand = self._new_strand(subject, rhythm, (*asked, STATE))
        row = [
            values[metric] if metric in values else NANS[missing[metric]]
            for metric in map(MetricId, strand.metrics[:-1])
        ]
        self._add(strand, at, array("d", (*row, _STATE_NUMBERS[sample.state])))

    def processes(self, at: float, card: CardId, named: Sequence[NamedProcess] | None) -> None:
        known = self._programs.setdefault(card, {})
        users: list[int] | None = None
        if named is not None:
            users = [self._program(at, known, each) for each in named]
            for pid in known.keys() - {each.process.pid for each in named}:
                gone, _ = known.pop(pid)
                self._fold(self._strand_of(gone))
                del self._strands[gone, PROCESSES_RHYTHM]
        if self._users.get(card, ()) != users:
            self._users[card] = users
            self.turn(at, Turn.PROCESSES, self._users)

    def happening(self, at: float, happening: Happening) -> None:
        self._insert(
            "happening (at, wall, kind, card, sentence, about, lasted)",
            *(at, happening.wall, happening.kind.value, happening.card),
            *(text_of(happening.sentence), str(happening.about), happening.lasted),
        )

    def cards(self, at: float, cards: Sequence[Card]) -> None:
        if list(cards) != self._listed:
            self._listed = list(cards)
            self.turn(at, Turn.CARDS, self._listed)

    def topology(self, at: float, topology: Topology) -> None:
        self.turn(at, Turn.TOPOLOGY, topology)

    def turn(self, at: float, kind: Turn, value: object) -> None:
        self._insert("turn (at, kind, value)", at, kind.value, text_of(value))

    def said(self, at: float, what: Topic, text: str) -> None:
        self._insert("said (at, what, text)", at, what.value, text)

    def commit(self) -> None:
        """What was told since the last time stands in the file for good."""
        full = [strand for strand in self._strands.values() if len(strand) >= FULL]
        # Those of many cards are full at the same time.
        for strand in full[: _AT_ONCE + len(full) // 4]:
            self._fold(strand)
        self._write_tail()
        self._database.commit()

    def end(self, at: float) -> None:
        """Folds what can be folded in a second. The rest is no worse where it stands."""
        self._write_tail()
        self.say_ended(at)
        until = time.monotonic() + _LAST_FOLDING
        for strand in self._strands.values():
            self._fold(strand)
            if time.monotonic() > until:
                break
        self._database.commit()

    def say_ended(self, at: float) -> None:
        self._database.execute("UPDATE run SET ended = ? WHERE id = ?", (at, self._run))
        self._database.commit()

    def _write_tail(self) -> None:
        self._database.executemany("INSERT INTO tail VALUES (?, ?, ?, ?)", self._tail)
        self._tail.clear()

    def _fold(self, strand: Strand) -> None:
        self._write_tail()
        # Nobody plots a process over the hours.
        fold(self._database, strand, with_buckets=strand.metrics is not _PROCESS_METRICS)

    def _subject_of_card(self, at: float, card: CardId) -> int:
        kind = SubjectKind.HOST if card == HOST_ID else SubjectKind.CARD
        found = self._database.execute(
            "SELECT id FROM subject WHERE kind = ? AND name = ?", (kind.value, card)
        ).fetchone()
        self._subjects[card] = subject = (
            self._new_subject(at, kind, card, "{}") if found is None else found[0]
        )
        return subject

    def _new_subject(self, at: float, kind: SubjectKind, name: str, facts: str) -> int:
        return self._insert(
            "subject (kind, name, first, last, facts)", kind.value, name, at, at, facts
        )

    def _program(
        self, at: float, known: dict[int, tuple[int, ProgramFacts]], named: NamedProcess
    ) -> int:
        facts, pid = facts_of(named), named.process.pid
        subject, before = known.get(pid, (0, facts))
        if not subject or _another(before, facts):
            subject = self._new_subject(at, SubjectKind.PROCESS, str(pid), text_of(facts))
            known[pid] = subject, facts
        elif facts != before and (facts.resolved or not before.resolved):
            self._database.execute(
                "UPDATE subject SET facts = ? WHERE id = ?", (text_of(facts), subject)
            )
            known[pid] = subject, facts
        told, missing = named.process.values, named.process.missing
        row = [
            told[figure]
            if figure in told
            else NANS[missing[figure]]
            if figure in missing
            else _NO_REASON
            for figure in ProcessFigure
        ]
        of_host = (named.cpu, named.memory_bytes)
        row += [_NO_REASON if value is None else value for value in of_host]
        self._add(self._strand_of(subject), at, array("d", row))
        return subject

    def _strand_of(self, program: int) -> Strand:
        strand = self._strands.get((program, PROCESSES_RHYTHM))
        return strand or self._new_strand(program, PROCESSES_RHYTHM, _PROCESS_METRICS)

    def _new_strand(self, subject: int, rhythm: str, metrics: Sequence[str]) -> Strand:
        before = self._strands.get((subject, rhythm))
        if before is not None:
            self._fold(before)
        strand = self._strands[subject, rhythm] = Strand(
            self._insert(
                "layout (subject, rhythm, metrics)", subject, rhythm, json.dumps(metrics)
            ),
            *(subject, metrics, self._series(subject, rhythm, metrics)),
        )
        return strand

    def _series(self, subject: int, rhythm: str, metrics: Sequence[str]) -> list[int]:
        known: dict[str, int] = dict(
            self._database.execute(
                "SELECT metric, id FROM series WHERE subject = ? AND rhythm = ?",
                (subject, rhythm),
            )
        )
        return [
            known.get(metric)
            or self._insert("series (subject, rhythm, metric)", subject, rhythm, metric)
            for metric in (TIMES, *metrics)
        ]

    def _add(self, strand: Strand, at: float, row: "array[float]") -> None:
        # An answer that came late is no older than the one before.
        at = max(at, strand.times[-1]) if strand.times else at
        self._row += 1
        strand.add(self._row, at, row)
        self._tail.append((self._row, strand.layout, at, raw(row)))

    def _insert(self, table: str, *values: object) -> int:
        marks = ", ".join("?" * len(values))
        done = self._database.execute(f"INSERT INTO {table} VALUES ({marks})", values)
        assert done.lastrowid is not None
        return done.lastrowid

    def _fold_what_was_left(self) -> None:
        """By a run that was killed."""
        layouts = self._database.execute("SELECT id, subject, rhythm, metrics FROM layout")
        for layout, subject, rhythm, metrics in layouts.fetchall():
            # What is damaged is left out, and the rest goes on.
            with suppress(ValueError):
                names: Sequence[str] = from_text(tuple[str, ...], metrics)
                strand = Strand(layout, subject, names, self._series(subject, rhythm, names))
                for row, at, data in self._database.execute(
                    "SELECT id, at, data FROM tail WHERE layout = ? ORDER BY id", (layout,)
                ):
                    strand.add(row, at, from_raw(data, len(names)))
                fold(self._database, strand, with_buckets=rhythm != PROCESSES_RHYTHM)
        for table in ("tail", "layout"):
            self._database.execute(f"DELETE FROM {table}")


def facts_of(named: NamedProcess) -> ProgramFacts:
    return ProgramFacts(
        card=named.process.card,
        pid=named.process.pid,
        use=named.process.use,
        resolved=named.resolved,
        reason=named.reason,
        user=named.user,
        command=named.command,
        started_at=named.started_at,
        container=named.container,
        ours=named.ours,
        of_this_user=named.of_this_user,
        elsewhere=named.elsewhere,
        simulated=named.simulated,
        ancestors=tuple((each.pid, each.command) for each in named.ancestors),
    )


def _another(before: ProgramFacts, now: ProgramFacts) -> bool:
    """Whether the same number is somebody else by now."""
    known = before.started_at is not None and now.started_at is not None
    return known and before.started_at != now.started_at


def _fits(
    metrics: Sequence[str], values: Collection[MetricId], missing: Collection[MetricId]
) -> bool:
    return len(values) + len(missing) == len(metrics) - 1 and all(
        metric in values or metric in missing for metric in metrics[:-1]
    )
