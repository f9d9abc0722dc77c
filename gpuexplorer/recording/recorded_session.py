"""RecordedSession: an opened recording as the session that screens show."""

import math
import threading
from bisect import bisect_right
from collections.abc import Collection, Sequence

from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.metrics import Cadence, metrics_of
from gpuexplorer.core.words import Message
from gpuexplorer.recording.course import MOST_HAPPENINGS
from gpuexplorer.recording.playhead import Playhead
from gpuexplorer.recording.recorded_backend import RecordedBackend, card_process, named_process
from gpuexplorer.recording.recorded_past import RecordedPast
from gpuexplorer.recording.recording import Recording
from gpuexplorer.recording.schema import CPU, HOST_MEMORY
from gpuexplorer.recording.told import ProgramSeen
from gpuexplorer.telemetry.beat import LONGEST, SHORTEST, BeatCount
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.process_book import BookRow, ProcessBook, ProcessPast, Standing
from gpuexplorer.telemetry.process_names import NamedProcess
from gpuexplorer.telemetry.processes import ProcessFigure
from gpuexplorer.telemetry.remembering import RememberingSession
from gpuexplorer.telemetry.sampling import Want
from gpuexplorer.telemetry.session import as_reading

# Seconds between two looks while it plays, whatever the speed.
_EVERY = 0.2
# Of a process, as the live window keeps them.
_MINUTES = 240.0


class RecordedSession(RememberingSession):
    """Its clock is the playhead. Where that stands is read in a thread of its own, when it was
    moved or something else is wanted, and a few times a second while it plays; else never.
    """

    def __init__(self, recording: Recording, playhead: Playhead | None = None) -> None:
        """Reads from the file: not for the window's thread."""
        self.recording = recording
        self.playhead = playhead or Playhead(recording.began, recording.ended, recording.wall)
        machine = recording.run(recording.ended).machine
        interval = min(max(machine.interval, SHORTEST), LONGEST)
        backend = RecordedBackend(recording, self.playhead)
        super().__init__(backend, (), interval, self.playhead)
        self.desk = SystemClock()
        self.past = RecordedPast(recording)
        self.process_book = self._programs = RecordedProcesses(recording, self.playhead)
        self._happenings = recording.happenings()
        self._happened_at = [each.at for each in self._happenings]
        self.older_unread = len(self._happenings) >= MOST_HAPPENINGS
        self._ending = threading.Event()
        self._wake = threading.Event()
        self._looks = 0
        self._reader: threading.Thread | None = None
        self.playhead.listen(self._wake.set)

    @property
    def computer(self) -> str:
        return self.recording.run(self.playhead.now()).machine.name

    @property
    def host(self) -> Card:
        return self.recording.run(self.playhead.now()).machine.host

    def happenings(self) -> Sequence[Happening]:
        """What the file tells up to the playhead; nothing is compared anew."""
        return self._happenings[: bisect_right(self._happened_at, self.playhead.now())]

    def notes(self) -> Sequence[Message]:
        return self.backend.notes()

    def beats(self) -> BeatCount:
        """Looks into the file; of those none is missed."""
        return BeatCount(self._looks)

    def want(
        self, cadences: Collection[Cadence] = tuple(Cadence), processes: bool = True
    ) -> Want:
        want = super().want(cadences, processes)
        self._wake.set()
        return want

    def start(self) -> None:
        self._reader = threading.Thread(target=self._run, name="playhead", daemon=True)
        self._reader.start()

    def stop(self, seconds: float = 0.3) -> bool:
        self._ending.set()
        self._wake.set()
        if self._reader is not None:
            self._reader.join(seconds)
        self.backend.close()
        return self._reader is None or not self._reader.is_alive()

    def look(self) -> None:
        """Read what is wanted where the playhead stands, in this very thread."""
        at, asks = self.playhead.now(), self.sampler
        for card in self.cards():
            for cadence in Cadence:
                metrics = metrics_of(card, (cadence,))
                if metrics and asks.asked(cadence):
                    self._latest.put(self.recording.sample(card.id, metrics, at))
            if asks.asks_for_processes:
                seen = self.recording.processes(card.id, at)
                self._processes[card.id] = (
                    None if seen is None else [card_process(each) for each in seen]
                )
                self._programs.show(card.id, seen)
        host = self.recording.sample(HOST_ID, metrics_of(self.host), at)
        self._host_reading = as_reading(host)
        self._looks += 1

    def _run(self) -> None:
        last: object = None
        while not self._ending.is_set():
            self._wake.clear()
            # Asked before where it stands: what ends right now is looked at once more.
            playing = self.playhead.playing
            asked = [self.sampler.asked(cadence) for cadence in Cadence]
            stand = (self.playhead.now(), asked, self.sampler.asks_for_processes)
            if stand != last:
                last = stand
                self.look()
            self._wake.wait(_EVERY if playing else None)


class RecordedProcesses(ProcessBook):
    """Who used which card where the playhead stands. Nothing is looked up on this computer."""

    def __init__(self, recording: Recording, playhead: Playhead) -> None:
        super().__init__(playhead)
        self._recording, self._playhead = recording, playhead
        self._told: dict[CardId, Sequence[BookRow] | None] = {}
        self._subjects: dict[tuple[CardId, int], int] = {}

    def show(self, card: CardId, seen: Sequence[ProgramSeen] | None) -> None:
        """What was known of this card; None where nobody could tell."""
        told = None if seen is None else [_row(each) for each in seen]
        self._subjects.update({(card, each.facts.pid): each.subject for each in seen or ()})
        if told != self._told.get(card):
            self._told = {**self._told, card: told}
            self._rows = tuple(row for rows in self._told.values() for row in rows or ())
            self._living = tuple(row.named for row in self._rows)

    def rows(self) -> Sequence[BookRow]:
        return self._rows

    def living(self) -> Sequence[NamedProcess]:
        return self._living

    def past(self, card: CardId, pid: int) -> ProcessPast:
        end, subject = self._playhead.now(), self._subjects.get((card, pid))
        if subject is None:
            return ProcessPast()
        asked = (ProcessFigure.SM, ProcessFigure.MEMORY, CPU, HOST_MEMORY)
        told = [
            self._recording.program_readings(subject, each, end - _MINUTES, end)
            for each in asked
        ]
        times = told[0].times
        unknown = [math.nan] * len(times)
        # What is read together has the same times, unless a piece is damaged.
        figures = [each.values if len(each.times) == len(times) else unknown for each in told]
        return ProcessPast(times, *figures)

    @property
    def elsewhere(self) -> bool:
        return any(row.named.elsewhere for row in self._rows)

    def looked_at(self, card: CardId) -> float | None:
        return None if self._told.get(card) is None else self._playhead.now()


def _row(seen: ProgramSeen) -> BookRow:
    named = named_process(seen)
    return BookRow(named, Standing.THERE, seen.since, named.process)
