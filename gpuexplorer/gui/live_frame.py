"""LiveFrame: keeps rail, top bar and status line up to date while somebody sees the window."""

from collections.abc import Sequence

from PySide6.QtCore import QObject

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import plain
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.programs import pids
from gpuexplorer.gui.cards.reasons import short_reasons, state_mark
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.rail.rail import Rail
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.bars.status_line import StatusLine, StatusPart
from gpuexplorer.gui.widgets.bars.top_bar import SIMULATED, TopBar, host_name
from gpuexplorer.telemetry.looked_for import Looked, Thing
from gpuexplorer.telemetry.session import Want

# Seconds without an answer are counted even where no reading comes.
_AT_LEAST_EVERY = 1.5
_MISSING_EVERY = 2.0
_PROCESSES = "processes"
_WATCHED = (
    *(m.GPU_UTILIZATION, m.MEMORY_USED, m.POWER_DRAW),
    *(m.TEMPERATURE, m.FAN_SPEED, m.CLOCK_SM),
)
_MOST_NAMED = 4
_PASSING = frozenset({Absence.NOT_YET, Absence.NEEDS_TWO, Absence.TOO_SOON, Absence.NOT_ASKED})


def window_title(machine: MachineState, *which: str) -> str:
    """`which` of the windows: nothing for the main one."""
    parts = [*which, machine.name or host_name(machine.session), "GPU Explorer"]
    if machine.session.simulated:
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
        self._absent = ""
        self._always: Want | None = None
        self._processes: Want | None = None
        self._drawn = (-1, -1)
        self._pulled_at = self._missing_at = float("-inf")
        self._answering: list[bool] = []  # when it was last said what is missing
        frame_clock.ticked.connect(self._on_ticked)
        frame_clock.paused.connect(self._on_clock_paused)

    def show_machine(self, machine: MachineState) -> None:
        self.stop()
        self._machine = machine
        self._drawn = (-1, -1)
        self._pulled_at = self._missing_at = float("-inf")
        self._status.say(StatusPart.MISSING, "")
        self._always = machine.session.want_always()
        self._ask()
        self.pull()

    def show_looked_for(self, looked_for: Sequence[Looked]) -> None:
        """Among which may be cards that are plugged in and cannot be read."""
        count = sum(each.found and each.what is Thing.NVIDIA_CARDS for each in looked_for)
        self._absent = ""
        if count:
            self._absent = trn("{count} card, no driver", "{count} cards, no driver", count)
        self.pull()

    def pull(self) -> None:
        """Bring everything up to date now."""
        machine = self._machine
        if machine is None:
            return
        session = machine.session
        cards = machine.cards()
        # The driver may have gone or come back since.
        self._top.host.show_text(machine.name or host_name(session))
        self._top.show_source(session.source)
        where = tr("On {machine}", machine=machine.name) if machine.name else ""
        self._status.say(StatusPart.MACHINE, where)
        self._status.show_source(session.source)
        interval = session.interval
        if session.past.ended is not None:
            words = tr("Recorded every {seconds} s", seconds=plain(interval))
            self._status.say(StatusPart.BEAT, words)
        elif session.bare:
            every = plain(session.host_period)
            words = tr("Only the computer itself is read, every {seconds} s", seconds=every)
            self._status.say(StatusPart.BEAT, words)
        else:
            self._status.show_beat(interval, session.beats())
        self._rail.devices.show_absent(self._absent if session.bare else "")
        faces = [machine.face(each) for each in cards]
        self._rail.devices.show_faces(faces, machine.host_face())
        count = len(pids(session.process_book.living()))
        self._rail.show_count(_PROCESSES, count or None)
        # At once where a tile says that its card does not answer, or does again.
        now, answering = session.desk.now(), [face.answers for face in faces]
        if cards and (now - self._missing_at >= _MISSING_EVERY or answering != self._answering):
            self._missing_at, self._answering = now, answering
            self._status.say(StatusPart.MISSING, *missing_figures(faces))

    def stop(self) -> None:
        """Nothing is asked for after this. Harmless when called twice."""
        self._release()
        if self._machine is not None and self._always is not None:
            self._machine.session.release(self._always)
        self._always = None

    def _ask(self) -> None:
        if self._machine is not None and self._processes is None and self._frame_clock.running:
            self._processes = self._machine.session.want((), processes=True)

    def _release(self) -> None:
        if self._machine is not None and self._processes is not None:
            self._machine.session.release(self._processes)
        self._processes = None

    def _on_ticked(self) -> None:
        machine = self._machine
        if machine is None:
            return
        now = machine.session.desk.now()
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


def missing_figures(cards: Sequence[CardFace]) -> tuple[str, str]:
    """What no card, or not every card, reports: in a few words, and in full."""
    answering = [each for each in cards if each.answers]
    silent: dict[str, list[str]] = {}
    for each in cards:
        if not each.answers:
            mark = state_mark(each.state)
            word = tr("Not read yet") if mark is None else mark.word
            silent.setdefault(word, []).append(each.number)
    said = [
        tr("{state}: {cards}", state=word, cards=_these(numbers))
        for word, numbers in silent.items()
    ]
    lines = ["; ".join(said)] if said else []
    for metric in _WATCHED:
        reasons: dict[Absence, list[str]] = {}
        for each in answering:
            absence = each.reading.missing.get(metric)
            if absence is not None and absence not in _PASSING:
                reasons.setdefault(absence, []).append(each.number)
        label = tr(METRICS[metric].label)
        lines += (_line(label, *reason, len(answering)) for reason in reasons.items())
    if not lines:
        return tr("Nothing missing"), tr("Every card answers with every figure shown.")
    if len(lines) == 1:
        return lines[0], lines[0]
    few = trn("{count} thing missing", "{count} things missing", len(lines))
    return few, "\n".join(lines)


def _line(label: str, absence: Absence, numbers: Sequence[str], total: int) -> str:
    cards = _these(numbers)
    if len(numbers) == total:
        cards = trn("this card", "these cards", total)
    if absence is Absence.NO_PART:
        return tr("{label}: none on {cards}", label=label, cards=cards)
    reason = short_reasons(absence)[0]
    return tr("{label}: {reason} ({cards})", label=label, reason=reason, cards=cards)


def _these(numbers: Sequence[str]) -> str:
    if len(numbers) > _MOST_NAMED:
        return trn("{count} card", "{count} cards", len(numbers))
    return trn("card {numbers}", "cards {numbers}", len(numbers), numbers=", ".join(numbers))
