"""NothingFoundView: why no card is read, what would stand on this screen, and the ways on."""

import sys
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QProcess, QSize, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from gpuexplorer.core.axes import moment_word
from gpuexplorer.core.cards import HOST_ID, Card
from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.units import memory, plain
from gpuexplorer.core.words import Message, mark, tr, trn
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    Grow,
    Space,
    add,
    column,
    label,
    row,
    say,
    wrapped_label,
)
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Page
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.gui.widgets.sheets.sheet import Sheet, line_between
from gpuexplorer.gui.window_commands import Do, WindowCommands
from gpuexplorer.lab.packaged import folder
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.looked_for import Looked, Place, Thing, looked_for

# What stands on each screen as soon as a card answers.
STANDS_HERE = {
    "overview": mark(
        "Every card gets a tile here: how busy and how full it is, its power, its "
        "temperature and its links, over time."
    ),
    "processes": mark(
        "Programs that use a card are listed here: who runs each, how much of the card's "
        "memory it holds, and how busy it keeps the card."
    ),
    "topology": mark(
        "The machine is drawn here as soon as a card answers: cards, processors, switches "
        "and the links between them, each with what it can carry and what it carries now."
    ),
    "events": mark(
        "What happens to a card is listed here: throttling, errors, a card that is lost or "
        "comes back, and every alert, each with its beginning and its end."
    ),
}
_WIDTH, _SKETCH, _DRAWN_FROM = 640, QSize(200, 106), 780  # pixels of a window's height
_DOCTOR_HEIGHT = 480


class NothingFoundView(Page):
    """The one button goes on to simulated cards, or back to them where they run already. A look
    that finds the same changes only its time, so that whoever reads it, or goes through it with
    the keys, is not disturbed.
    """

    def __init__(
        self, host: Card, settings: Settings, navigation: Navigation, commands: WindowCommands
    ) -> None:
        super().__init__()
        self._host, self._settings, self._navigation = host, settings, navigation
        self._found: tuple[Sequence[Attempt], Sequence[Looked]] = (), ()
        self._every: float | None = None
        self._back = self._asked_by_key = False
        self._simulate = commands[Do.SIMULATE]
        self.setAccessibleName(tr("No graphics card answers"))
        self._sketch = Sign(Icon.CARD, Tone.FAINT, _SKETCH)
        heading = _centred(tr("No graphics card answers on this computer"), Tone.TEXT)
        heading.setFont(look().letters.number.font)
        self._why, self._hints = _centred("", Tone.TEXT), _centred("", Tone.QUIET)
        self._stands_here = _centred("", Tone.TEXT)
        self._button, self._again = QPushButton(), QPushButton(tr("Look again"))
        self._button.setProperty("kind", "primary")
        self._button.setDefault(True)
        self._button.clicked.connect(self._on_way_on_chosen)
        self._again.setToolTip(tr("For real cards: a driver may have been loaded since."))
        self._again.clicked.connect(commands[Do.LOOK_AGAIN].trigger)
        self._promise = _centred("", Tone.FAINT)
        self._promise.setFont(look().letters.caption.font)
        computer = _way(
            *(Icon.CARDS, tr("See the computer's processor and memory")),
            tr("How busy and how full they are, read since the start."),
            partial(navigation.open_card, HOST_ID),
        )
        alone = _way(
            *(Icon.LAB, tr("Open the lab on the processor alone")),
            tr("PyTorch computes there with real values; nothing is made up."),
            partial(navigation.open_screen, "lab"),
        )
        idle = _way(
            *(Icon.LAB, tr("Lab on two idle simulated cards")),
            tr("Nobody else uses these cards. Values are real, times are modelled."),
            commands[Do.PRACTISE].trigger,
        )
        self._without_cards = alone, idle, self._stands_here
        self._panel = self._looked_panel()
        content = QWidget()
        content.setMaximumWidth(_WIDTH)
        # In the middle and as wide as allowed; an alignment would make it narrow.
        column(
            row(FREE, self._sketch, FREE),
            *(heading, self._why, self._hints, self._stands_here, Space(4)),
            *(row(FREE, self._button, self._again, FREE, gap=12), self._promise),
            *(row(FREE, e, FREE) for e in (computer, alone, idle)),
            *(Space(8), self._panel, Space(8)),
            within=content,
        )
        add(self.body, Space(stretch=2), row(FREE, content, Grow(1000), FREE), Space(stretch=3))
        self.setFocusProxy(self._button)
        settings.changed.connect(self._show_found)

    @property
    def plugged_in(self) -> int:
        """Cards that are there and cannot be read."""
        return sum(each.found and each.what is Thing.NVIDIA_CARDS for each in self._found[1])

    def show_screen(self, name: str) -> None:
        """It stands in the place of this one."""
        self._stands_here.setText(tr(STANDS_HERE.get(name, "")))

    def show_search(self, attempts: Sequence[Attempt]) -> None:
        """What the newest look came to."""
        looked = looked_for(Place()) if attempts else ()
        before, self._found = self._found, ([*attempts], [*looked])
        if self._found != before:
            self._show_found()
        self.show_rhythm(self._every)

    def show_rhythm(self, every: float | None) -> None:
        """So many seconds after each look comes another by itself; None where none comes."""
        self._every, now = every, SystemClock().wall()
        time, words = moment_word(now, now), mark("at {time}")
        if every is not None:
            words = mark("at {time}, and again every {seconds} s")
        self._time.setText(tr(words, time=time, seconds=plain(every or 0.0)))
        if not self._again.isEnabled():
            self._again.setEnabled(True)
            self._again.setText(tr("Look again"))
            if self._asked_by_key:
                self._again.setFocus()

    def show_way_on(self, *, back: bool) -> None:
        """`back`: the simulated cards are there already, and only covered by this screen."""
        self._back = back
        for widget in self._without_cards:
            widget.setHidden(back)
        words = tr("Look around on simulated cards")
        promise = tr(
            "The figures are then made up; every screen says SIMULATED while it lasts."
        )
        if back:
            words = tr("Back to the simulated cards")
            promise = tr("The figures are made up; every screen says SIMULATED.")
        self._button.setText(words)
        self._promise.setText(promise)

    def show_looking(self) -> None:
        """Until the answer is there, which may take seconds."""
        self._asked_by_key = self._again.hasFocus()
        self._again.setEnabled(False)
        self._again.setText(tr("Looking…"))

    def _looked_panel(self) -> QFrame:
        """Each thing that was looked for, and what the doctor says of the rest."""
        panel, letters = QFrame(), look().letters.caption
        panel.setProperty("panel", "card")
        panel.setAccessibleName(tr("What was looked for"))
        heading, self._time = (
            label(words, letters, Tone.QUIET) for words in (tr("What was looked for"), "")
        )
        self._rows = column(gap=0)
        closer = tr(
            "`gpuexplorer doctor` looks closer: driver, PyTorch, permissions and display, each "
            "with what to do about it."
        )
        ask = QPushButton(tr("Ask the doctor"))
        ask.clicked.connect(lambda: DoctorSheet(self.window()).open())
        column(
            *(row(heading, FREE, self._time), Space(10)),
            *(self._rows, line_between(), Space(12)),
            row(wrapped_label(closer, Tone.QUIET), ask, gap=12),
            within=panel,
            gap=0,
            margins=(16, 12, 16, 12),
        )
        return panel

    def _show_found(self) -> None:
        attempts, looked = self._found
        say(self._why, "\n".join(tr(each.sentence) for each in attempts))
        say(self._hints, "\n".join(tr(each.hint) for each in attempts if each.hint))
        if looked:  # the computer itself is there in any case
            where = trn("{count} core", "{count} cores", self._host.cores or 1)
            if self._host.memory_bytes is not None:
                units = self._settings.choices.units
                where = f"{where}, {memory(self._host.memory_bytes, units)}"
            read = Message("Read, and listed at the left as the host.")
            looked = [*looked, Looked(Thing.HOST, where, found=True, sentence=read)]
        while (gone := self._rows.takeAt(0)) is not None:
            if (widget := gone.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for each in looked:
            add(self._rows, line_between(), looked_row(each))

    def _on_way_on_chosen(self) -> None:
        if self._back:
            self._navigation.asked.emit()  # the screen below
        else:
            self._simulate.trigger()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # In a low window nothing is drawn above the words.
        self._sketch.setVisible(self.height() >= _DRAWN_FROM)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._back and event.key() == Qt.Key.Key_Escape:
            self._navigation.asked.emit()
        else:
            super().keyPressEvent(event)


def _centred(text: str, tone: Tone) -> QLabel:
    made = wrapped_label(text, tone)
    made.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    return made


def _way(icon: Icon, words: str, hint: str, asked: Callable[[], object]) -> ToolButton:
    link = ToolButton("word", icon, words, hint)
    link.clicked.connect(asked)
    return link


def looked_row(looked: Looked) -> QWidget:
    """A tick or a cross, and never by colour alone: the words say it too."""
    made, found = QWidget(), tr("Found") if looked.found else tr("Not found")
    icon, tone = (Icon.THERE, Tone.TEXT) if looked.found else (Icon.MISSING, Tone.FAINT)
    sign = Sign(icon, tone, QSize(16, 16))
    sign.setAccessibleName(found)
    sign.setToolTip(found)
    where = ElidedLabel(look().letters.mono, Tone.FAINT, looked.where)
    where.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    head = row(sign, label(tr(looked.what.sentence), look().letters.body), where, GROWS, gap=12)
    below = row(Space(28), wrapped_label(tr(looked.sentence), Tone.QUIET), gap=0)
    column(head, below, within=made, gap=2, margins=(0, 8, 0, 8))
    return made


class DoctorSheet(Sheet):
    """What it says, of a process of its own: a driver that hangs keeps nobody waiting."""

    def __init__(self, window: QWidget) -> None:
        heading = tr("What the doctor says")
        super().__init__(heading, window, 900)
        waiting = tr("It looks at everything here, which takes some seconds.")
        self._said = self.add_code(waiting, heading)
        self._said.setFixedHeight(_DOCTOR_HEIGHT)
        self.add_close()
        module = [] if folder() is not None else ["-m", "gpuexplorer"]
        self._doctor = QProcess(self)
        self._doctor.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        self._doctor.finished.connect(self._on_ended)
        self.finished.connect(self._doctor.kill)
        self._doctor.start(sys.executable, [*module, "doctor"])

    def _on_ended(self) -> None:
        self._said.setPlainText(self._doctor.readAll().toStdString())
