"""LabHead: what is on the cards, the switches of the courses, the worker."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from gpuexplorer.core.units import USUAL
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.lab.head.switch_actions import SwitchActions
from gpuexplorer.gui.lab.head.words import (
    GROWTH,
    MEMORY_CAP,
    PLACEMENT,
    VISIBLE,
    WAITING,
    SwitchWords,
    remembered_visible,
    summary_words,
    visible_in,
)
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage, StageWords, Switches, stage_words
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import MenuButton, ToolButton, switch
from gpuexplorer.gui.widgets.laid_out import GROWS, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.sheets.python_sheet import PythonSheet

_FOLD_BELOW, _COMPACT_BELOW = 1180, 700
_NOTICE_STAYS = 8000  # milliseconds
_HEIGHT, _DOT, _GAP = 24, 7.0, 7.0
_KEY = "lab/switches"
_VISIBLE_KEY = "lab/visible"
_ON = ("placement", "growing")


class LabHead(QWidget):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed."""

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._folded = False
        self._units = USUAL
        SwitchBook(lab, self)
        self._actions = SwitchActions(lab, self)
        self._actions.refused.connect(self._on_refused)
        self._actions.done.connect(self._on_done)
        self._stage = StageMark()
        self._summary = ElidedLabel(look().letters.body, Tone.QUIET)
        self._notice = ElidedLabel(look().letters.body, Tone.BAD)
        self._notice.hide()
        self._gone = QTimer(self, singleShot=True, interval=_NOTICE_STAYS)
        self._gone.timeout.connect(self._on_done)
        self._placement = SwitchWord(PLACEMENT)
        self._cap = SwitchWord(MEMORY_CAP)
        self._more = MenuButton(tr("More switches of the lab"))
        self._more.show_words(tr("More"))
        self._restart = ToolButton(
            "framed",
            Icon.WARNING,
            tr("Restart"),
            tr("End the worker that hangs at once; the session can be run again"),
        )
        self._choose = ToolButton(
            "framed",
            Icon.LAB,
            tr("Choose a Python"),
            tr("Which Python runs the lab, and what to do where none can"),
        )
        self._release = ToolButton(
            "framed",
            Icon.POWER,
            tr("Release the cards"),
            tr("End the worker: all memory it holds on the cards is given back"),
        )
        self._placement.setObjectName("lab.placement")
        self._cap.setObjectName("lab.cap")
        self._more.setObjectName("lab.switches")
        self._release.setObjectName("lab.release")
        title = label(tr("Lab"), look().letters.title)
        tools = (self._restart, self._choose, self._placement, self._cap, self._more)
        said = (title, self._summary, GROWS, self._notice, GROWS, self._stage)
        row(*said, *tools, self._release, within=self, gap=12)
        self._placement.turned.connect(self._actions.print_placement)
        self._cap.turned.connect(self._on_cap_turned)
        self._more.about_to_open.connect(self._on_more_asked)
        self._restart.clicked.connect(lab.restart)
        self._choose.clicked.connect(self.choose_python)
        self._release.clicked.connect(self.release)
        lab.stage_changed.connect(self._on_stage_changed)
        lab.pythons.changed.connect(self._on_stage_changed)
        for signal in (lab.changed, lab.switches_changed):
            signal.connect(self._on_lab_changed)
        self._on_lab_changed()

    def pull(self) -> None:
        """How long the cell that runs has been running."""
        self._show_stage()
        if self._lab.machine.settings.choices.units != self._units:
            self._show_summary()

    def commands(self) -> Sequence[tuple[str, str, Callable[[], None]]]:
        """Words, keys and what is done: for the keys and the palette of the screen."""
        return (
            (tr("Release the cards"), "", self.release),
            (tr("Cap the memory of the cards"), "", self._actions.open_caps),
            (tr("Choose the visible cards and their order"), "", self._actions.open_visible),
            (tr("Choose the Python of the lab"), "", self.choose_python),
            (tr("What the switches are in PyTorch and TensorFlow"), "", self._actions.explain),
        )

    def release(self) -> None:
        if self._lab.stage.runs:
            self._actions.release()

    def choose_python(self) -> None:
        PythonSheet(self._lab.pythons, self._lab, self.window()).open()

    def _show_stage(self) -> None:
        lab = self._lab
        words = stage_words(lab.stage, tr(lab.sentence), lab.running_seconds)
        self._stage.show_stage(words)

    def _show_summary(self) -> None:
        lab = self._lab
        if lab.stage is Stage.FAILED:
            self._summary.show_text(tr(lab.sentence))
            return
        units = self._units = lab.machine.settings.choices.units
        said = summary_words(lab.ledger.things, lab.devices(), units)
        python = lab.pythons.python
        if python is not None and not lab.stage.runs:
            said = paragraph(
                (f"{said}.", tr("It will run in {python}.", python=tr(python.label)))
            )
        self._summary.show_text(said)

    def _on_lab_changed(self) -> None:
        lab, caps = self._lab, self._actions.caps()
        self._placement.show_on(lab.switches.placement)
        self._cap.show_on(bool(caps))
        self._on_stage_changed()

    def _on_stage_changed(self) -> None:
        lab = self._lab
        self._release.setEnabled(lab.stage.runs)
        self._restart.setVisible(lab.stage is Stage.HANGING)
        # Without a connection no other Python would help; there it is tried again.
        self._choose.setVisible(lab.stage in (Stage.FAILED, Stage.WAITING) and lab.reached)
        self._show_stage()
        self._show_summary()

    def _on_cap_turned(self, on: bool) -> None:
        del on  # whether it is on the cells say, when they have been run
        self._actions.open_caps()

    def _on_more_asked(self, menu: QMenu) -> None:
        fill_menu(menu, self._lab.switches, self._actions, folded=self._folded)

    def _on_refused(self, sentence: str) -> None:
        self._notice.show_text(sentence)
        self._summary.hide()
        self._notice.show()
        self._gone.start()
        self._on_lab_changed()

    def _on_done(self) -> None:
        self._gone.stop()
        self._notice.hide()
        self._summary.show()
        self._on_lab_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = event.size().width()
        self._folded = width < _FOLD_BELOW
        for each in (self._placement, self._cap):
            each.setVisible(not self._folded)
        self._release.show_compact(width < _COMPACT_BELOW)


class StageMark(Painted):
    """Ends at its right edge. The sentence is told on asking."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.said = StageWords("", "")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_stage(self, said: StageWords) -> None:
        if said == self.said:
            return
        before, self.said = self.sizeHint().width(), said
        self.setAccessibleName(tr("Worker: {state}", state=said.words))
        self.setAccessibleDescription(said.sentence)
        self.setToolTip(said.sentence)
        if self.sizeHint().width() != before:
            self.updateGeometry()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        letters = drawing.letters.body
        said, middle = self.said, self.height() / 2
        words = Run(said.words, letters, drawing.theme.tone(said.tone))
        left = self.width() - 2 - words.width
        dot = QRectF(left - _GAP - _DOT, middle - _DOT / 2, _DOT, _DOT)
        drawing.dot(dot, said.tone, lit=said.lit)
        drawing.text(left, middle + letters.cap_height / 2, words)

    def sizeHint(self) -> QSize:
        letters = self.look.letters.body
        # What stands before it stays where it is while such words come and go.
        usual = tr("Busy, {time}", time="0.0 s")
        words = max(letters.width(self.said.words), letters.width(usual))
        return QSize(round(1 + _DOT + _GAP + words + 2), _HEIGHT)


class SwitchBook(QObject):
    """Puts back what was chosen, and writes down what is."""

    def __init__(self, lab: Lab, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        remembered = self._remembered()
        if remembered != lab.switches and lab.ledger.hello is None:
            lab.choose(remembered)
        lab.switches_changed.connect(self._on_switches_changed)

    def _remembered(self) -> Switches:
        settings, usual = self._lab.machine.settings, self._lab.switches
        visible = visible_in(settings.remembered(_VISIBLE_KEY), self._lab.machine.cards())
        text = settings.remembered(_KEY)
        if text is None:
            return replace(usual, visible=visible)
        on = text.split()
        return replace(
            usual, visible=visible, placement="placement" in on, growing="growing" in on
        )

    def _on_switches_changed(self) -> None:
        switches, settings = self._lab.switches, self._lab.machine.settings
        on = [name for name in _ON if getattr(switches, name)]
        settings.remember(_KEY, " ".join(on))
        cards = self._lab.machine.cards()
        settings.remember(_VISIBLE_KEY, remembered_visible(switches.visible, cards))


class SwitchWord(QWidget):
    """`turned` tells what a person wants. Pointing at it shows PyTorch's line for it."""

    turned = Signal(bool)

    def __init__(self, words: SwitchWords, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._switch = switch(tr(words.title))
        self._switch.setAccessibleDescription(f"{tr(words.sentence)} PyTorch: {words.torch}")
        self._switch.clicked.connect(self.turned)
        row(self._switch, label(tr(words.title), look().letters.body), within=self, gap=5)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(
            words.tooltip(look().letters.body.font.family(), look().letters.mono.font.family())
        )

    def show_on(self, on: bool) -> None:
        self._switch.setChecked(on)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """On the word: the switch itself takes what is meant for it."""
        inside = self.rect().contains(event.position().toPoint())
        if inside and event.button() is Qt.MouseButton.LeftButton:
            self._switch.click()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # Taken, so that the release comes here too.
        event.accept()


def fill_menu(menu: QMenu, switches: Switches, actions: SwitchActions, *, folded: bool) -> None:
    """`folded`: there is no room for the switches beside the menu."""
    menu.setToolTipsVisible(True)
    if folded:
        turned = _turn(menu, PLACEMENT, on=switches.placement)
        turned.toggled.connect(actions.print_placement)
        caps = menu.addAction(tr("Memory cap…"))
        caps.setToolTip(_lines(MEMORY_CAP))
        caps.setCheckable(True)
        caps.setChecked(bool(actions.caps()))
        caps.triggered.connect(actions.open_caps)
        menu.addSeparator()
    turned = _turn(menu, GROWTH, on=switches.growing)
    turned.toggled.connect(actions.grow)
    turned = _turn(menu, WAITING, on=switches.waits)
    turned.toggled.connect(actions.wait)
    visible = menu.addAction(tr("Visible cards and their order…"))
    visible.setToolTip(_lines(VISIBLE))
    visible.triggered.connect(actions.open_visible)
    menu.addSeparator()
    forms_only = menu.addAction(tr("Forms only, for a classroom"))
    forms_only.setToolTip(tr("Nothing can be typed or opened; forms and the bench still work."))
    forms_only.setCheckable(True)
    forms_only.setChecked(actions.has_forms_only)
    forms_only.toggled.connect(actions.forms_only)
    menu.addSeparator()
    explain = menu.addAction(tr("What the switches are in PyTorch and TensorFlow…"))
    explain.triggered.connect(actions.explain)


def _turn(menu: QMenu, words: SwitchWords, *, on: bool) -> QAction:
    action = menu.addAction(tr(words.title))
    action.setCheckable(True)
    action.setChecked(on)
    action.setToolTip(_lines(words))
    return action


def _lines(words: SwitchWords) -> str:
    return "\n".join((words.torch, tr("TensorFlow: {names}", names=words.tensorflow)))
