"""LiveFrame: keeps rail, top bar and status line up to date while somebody sees the window."""

from collections.abc import Sequence

from PySide6.QtCore import QObject

from gpuexplorer.core.metrics import Cadence
from gpuexplorer.core.units import USUAL, Units, memory
from gpuexplorer.core.words import Message, tr, trn
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.bare_host import BareHost
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.bars.source_badge import SIMULATED
from gpuexplorer.gui.widgets.bars.status_line import StatusLine
from gpuexplorer.gui.widgets.bars.top_bar import TopBar, host_name
from gpuexplorer.gui.widgets.rail.rail import Rail
from gpuexplorer.gui.wording.cards.device_face import host_device
from gpuexplorer.gui.wording.cards.missing_figures import missing_figures
from gpuexplorer.gui.wording.processes.process_words import pids
from gpuexplorer.telemetry.looked_for import Looked, Thing
from gpuexplorer.telemetry.sampler import Want
from gpuexplorer.telemetry.session import Session

# Dear questions are asked only by a view that shows their answers.
_READ_ALWAYS = (Cadence.FAST, Cadence.SLOW)
# Seconds without an answer are counted even where no reading comes.
_AT_LEAST_EVERY = 1.0
_MISSING_EVERY = 2.0
_PROCESSES = "processes"


def window_title(session: Session | None) -> str:
    parts = [host_name(), "GPU Explorer"]
    if session is not None and session.simulated:
        parts.insert(0, tr(SIMULATED))
    return " – ".join(parts)


class LiveFrame(QObject):
    """Also says what is read all the time: a past to be looked at later is kept now."""

    def __init__(
        self,
        rail: Rail,
        top: TopBar,
        status: StatusLine,
        frame_clock: FrameClock,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._rail, self._top, self._status = rail, top, status
        self._frame_clock = frame_clock
        self._machine: MachineState | None = None
        self._host = BareHost()
        self.units = USUAL
        self._absent = ""
        self._always: Want | None = None
        self._processes: Want | None = None
        self._drawn = (-1, -1)
        self._pulled_at = self._missing_at = float("-inf")
        frame_clock.ticked.connect(self._on_ticked)
        frame_clock.paused.connect(self._on_clock_paused)

    def show_machine(self, machine: MachineState | None) -> None:
        self.stop()
        self._machine = machine
        self._drawn = (-1, -1)
        self._pulled_at = self._missing_at = float("-inf")
        if machine is not None:
            self._always = machine.session.want(_READ_ALWAYS, processes=False)
            self._ask()
        self.pull()

    def show_looked_for(self, looked_for: Sequence[Looked]) -> None:
        """Among which may be cards that are plugged in and cannot be read."""
        count = sum(each.found and each.what is Thing.NVIDIA_CARDS for each in looked_for)
        self._absent = ""
        if count:
            self._absent = trn("{count} card, no driver", "{count} cards, no driver", count)
        if self._machine is None:
            self._rail.devices.show_absent(self._absent)

    def host_looked_for(self) -> Looked:
        """The computer itself, which is there in any case."""
        card, cores = self._host.card, self._host.cores
        where = trn("{count} core", "{count} cores", cores)
        if card.memory_bytes is not None:
            where = f"{where}, {memory(card.memory_bytes, self.units)}"
        sentence = Message("Read, and listed at the left as the host.")
        return Looked(Thing.HOST, where, found=True, sentence=sentence)

    def show_units(self, units: Units) -> None:
        """Where no session shows the computer in the units of its own settings."""
        self.units = units
        if self._machine is None:
            self.pull()

    def pull(self) -> None:
        """Bring everything up to date now."""
        machine = self._machine
        if machine is None:
            self._top.show_source(None)
            self._status.show_source(None)
            self._status.show_words(tr("Only the computer itself is read, every 1 s"))
            self._rail.devices.show_faces({})
            self._rail.devices.show_host(host_device(self._host.face(self.units)))
            self._rail.devices.show_absent(self._absent)
            self._rail.show_count(_PROCESSES, None)
            return
        session = machine.session
        cards = machine.cards()
        # The driver may have gone or come back since.
        self._top.show_source(session.source)
        self._status.show_source(session.source)
        self._status.show_beat(session.sampler.interval, session.beats())
        self._rail.devices.show_absent("")
        self._rail.devices.show_faces({each.card.id: machine.face(each) for each in cards})
        self._rail.devices.show_host(host_device(machine.host_face()))
        count = len(pids(session.named_processes()))
        self._rail.show_count(_PROCESSES, count or None)
        now = session.clock.now()
        if now - self._missing_at >= _MISSING_EVERY:
            self._missing_at = now
            known = {each.card.id: machine.known(each.card.id) for each in cards}
            self._status.show_missing(*missing_figures(cards, known))

    def stop(self) -> None:
        """Nothing is asked for after this. Harmless when called twice."""
        self._release()
        if self._machine is not None and self._always is not None:
            self._machine.session.sampler.release(self._always)
        self._always = None

    def _ask(self) -> None:
        if self._machine is not None and self._processes is None and self._frame_clock.running:
            self._processes = self._machine.session.want((), processes=True)

    def _release(self) -> None:
        if self._machine is not None and self._processes is not None:
            self._machine.session.sampler.release(self._processes)
        self._processes = None

    def _on_ticked(self) -> None:
        machine = self._machine
        if machine is None:
            self._rail.devices.show_host(host_device(self._host.face(self.units)))
            return
        now = machine.session.clock.now()
        beats = machine.session.beats()
        stamp = (beats.taken, beats.missed)
        if stamp != self._drawn or now - self._pulled_at >= _AT_LEAST_EVERY:
            self._drawn = stamp
            self._pulled_at = now
            self.pull()

    def _on_clock_paused(self, paused: bool) -> None:
        """Nobody counts the processes in a minimised window."""
        if paused or self._always is None:
            self._release()
        else:
            self._ask()
