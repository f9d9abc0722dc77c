"""RecordedBackend: the cards of a recording as a vendor, read where the playhead stands."""

from collections.abc import Collection, Sequence

from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.recording.playhead import Playhead
from gpuexplorer.recording.recording import Recording
from gpuexplorer.recording.told import ProgramSeen
from gpuexplorer.telemetry.backend import MADE_UP, HardwareFault, Source
from gpuexplorer.telemetry.process_names import Ancestor, NamedProcess
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.topology import Topology

RECORDED = "recording"  # the name of a source that is read from a file


class RecordedBackend:
    """Asks the file alone; what is true of this computer is nothing to it."""

    def __init__(self, recording: Recording, playhead: Playhead) -> None:
        self._recording = recording
        self._playhead = playhead

    def open(self) -> None:
        """It is."""

    def close(self) -> None:
        self._recording.close()

    @property
    def source(self) -> Source:
        """As it was then, but for its name; and cards are shown even where none answered."""
        then = self._recording.run(self._playhead.now()).machine.source
        return then._replace(name=RECORDED, cards=True)

    def cards(self) -> Sequence[Card]:
        return self._recording.cards(self._playhead.now())

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        return self._recording.sample(card, metrics, self._playhead.now())

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        seen = self._recording.processes(card, self._playhead.now())
        return None if seen is None else [card_process(each) for each in seen]

    def topology(self) -> Topology:
        told = self._recording.topology(self._playhead.now())
        return Topology((), (), {}) if told is None else told

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        """What the driver reported is among the happenings."""
        return ()

    def notes(self) -> Sequence[Message]:
        machine = self._recording.run(self._playhead.now()).machine
        what = Message("This is a recording: {file}.", file=self._recording.path.name)
        made_up = (
            (MADE_UP,) if machine.source.simulated and MADE_UP not in machine.notes else ()
        )
        return (what, *self._recording.notes(), *made_up, *machine.notes)


def card_process(seen: ProgramSeen) -> CardProcess:
    facts = seen.facts
    return CardProcess(
        facts.card,
        facts.pid,
        facts.use,
        seen.values,
        seen.missing,
        simulated_command=(facts.command or "") if facts.simulated else None,
        simulated_user=facts.user if facts.simulated else None,
    )


def named_process(seen: ProgramSeen) -> NamedProcess:
    """As it was told then; nobody asks this computer who has that number now."""
    facts = seen.facts
    return NamedProcess(
        card_process(seen),
        facts.resolved,
        facts.reason,
        facts.user,
        facts.command,
        seen.cpu,
        seen.memory_bytes,
        facts.started_at,
        facts.container,
        facts.ours,
        facts.of_this_user,
        tuple(Ancestor(pid, command) for pid, command in facts.ancestors),
        elsewhere=facts.elsewhere,
    )
