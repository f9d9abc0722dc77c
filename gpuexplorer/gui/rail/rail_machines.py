"""RailMachines: which machine the screens show, and how the others are."""

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.paint.drawing import Drawing, Run, plain_tip
from gpuexplorer.gui.state.machine_words import standing_sign, standing_words
from gpuexplorer.gui.state.machines import MachineRow, MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import PaintedButton, link_button
from gpuexplorer.gui.widgets.controls.keyboard import ArrowKeys
from gpuexplorer.gui.widgets.laid_out import FREE, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel

_SIDE, _NARROW_SIDE, _TEXT_LEFT = 20, 14, 52.0
_SIGN = 16.0
_HEIGHT = 32
# So many in a rail of this height; the others are on the screen of all machines.
_MOST = ((0, 1), (730, 2), (772, 3), (900, 5))


class RailMachines(QWidget):
    """There only where there is more than one machine."""

    def __init__(self, machines: MachinesState, navigation: Navigation) -> None:
        super().__init__()
        self._machines, self._navigation = machines, navigation
        self._narrow = False
        self._most = _MOST[0][1]
        self._entries: list[MachineEntry] = []
        self.setAccessibleName(tr("Machines of this window"))
        self.setObjectName("rail.machines")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._heading = ElidedLabel(look().letters.caption, Tone.QUIET, tr("Machine"))
        self._head = row(self._heading, FREE, margins=(_SIDE, 16, _SIDE, 6))
        self._more = link_button("")
        self._more.clicked.connect(self._on_more_clicked)
        self._list = column(gap=0)
        self._foot = row(self._more, FREE)
        column(self._head, self._list, self._foot, within=self, gap=0)
        self._keys = ArrowKeys(self)
        machines.changed.connect(self._on_changed)
        self._on_changed()

    def show_within(self, height: int, *, narrow: bool) -> None:
        """Where there is little room, the machine that is shown stands alone."""
        most = next(most for least, most in reversed(_MOST) if height >= least)
        if (most, narrow) != (self._most, self._narrow):
            self._most, self._narrow = most, narrow
            self._on_changed()

    def _on_changed(self) -> None:
        rows = list(self._machines.rows())
        self.setVisible(len(rows) > 1)
        listed = _the_first(rows, self._most)
        if [each.key for each in listed] != [each.face.key for each in self._entries]:
            self._make(listed)
        for entry, face in zip(self._entries, listed, strict=True):
            entry.show_face(face, narrow=self._narrow)
        rest = len(rows) - len(listed)
        words = trn("{count} more…", "{count} more…", rest)
        self._more.setVisible(rest > 0)
        self._more.setText(f"+{rest}" if self._narrow else words)
        self._more.setAccessibleName(words)
        self._heading.setVisible(not self._narrow)
        side = _NARROW_SIDE if self._narrow else _SIDE
        self._head.setContentsMargins(side, 12, side, 4)
        self._foot.setContentsMargins(side - 4, 0, 0, 0)

    def _make(self, rows: list[MachineRow]) -> None:
        for old in self._entries:
            self._list.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._entries = [MachineEntry(each) for each in rows]
        for entry in self._entries:
            self._list.addWidget(entry)
            entry.asked.connect(self._navigation.open_machine)
        self._keys.take(self._entries)

    def _on_more_clicked(self) -> None:
        self._navigation.open_screen("machines")


class MachineEntry(PaintedButton):
    """Name and state; the state is a shape, and a word where all is not well."""

    asked = Signal(str)

    def __init__(self, face: MachineRow) -> None:
        super().__init__()
        self.face = face
        self._narrow = False
        self.setCheckable(True)
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)

    def show_face(self, face: MachineRow, *, narrow: bool) -> None:
        self.face, self._narrow = face, narrow
        self.setChecked(face.shown)
        words = tr("{machine}: {state}", machine=face.name, state=standing_words(face.standing))
        self.setAccessibleName(words)
        self.setToolTip(plain_tip(words))
        self.update()

    def draw(self, drawing: Drawing) -> None:
        place, face, theme = QRectF(self.rect()), self.face, drawing.theme
        inset = 4.0 if self._narrow else 8.0
        self.draw_ground(drawing, place.adjusted(inset, 1, -inset, -1))
        middle = place.center()
        left = middle.x() - _SIGN / 2 if self._narrow else _SIDE + 2.0
        sign = QRectF(left, middle.y() - _SIGN / 2, _SIGN, _SIGN)
        icon, tone = standing_sign(face.standing)
        drawing.icon(icon, sign, theme.tone(tone))
        if self._narrow:
            return
        letters = drawing.letters.body
        baseline = middle.y() + letters.cap_height / 2
        answers = face.standing.answers
        ink = theme.text if answers else theme.quiet
        drawing.elided(
            _TEXT_LEFT, baseline, Run(face.name, letters, ink), place.right() - 16 - _TEXT_LEFT
        )

    def nextCheckState(self) -> None:
        """Which machine is shown is not for a click to say: its state says it."""

    def _on_clicked(self) -> None:
        self.asked.emit(self.face.key)

    def sizeHint(self) -> QSize:
        return QSize(208, _HEIGHT)


def _the_first(rows: list[MachineRow], most: int) -> list[MachineRow]:
    """And that which is shown."""
    listed = rows[:most]
    shown = next((each for each in rows if each.shown), rows[0])
    return listed if shown in listed else [*listed[:-1], shown]
