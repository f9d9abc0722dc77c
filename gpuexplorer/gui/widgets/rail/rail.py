"""Rail: the program's name, the way to every screen, and every device with how busy it is."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, QSize, Signal
from PySide6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QFrame,
    QMenu,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.arrow_keys import ArrowKeys
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.rail.python_foot import PythonFoot
from gpuexplorer.gui.widgets.rail.rail_devices import RailDevices

WIDE, NARROW = 208, 56
_MARK_HEIGHT = 60
# In a narrower window the screen needs the room more.
NARROW_BELOW = 1000
ENTRY_HEIGHT = 36
_ICON, _ICON_LEFT, _TEXT_LEFT, _RIGHT = 20.0, 20.0, 52.0, 20.0
_SIDE, _AIR = 8.0, 2.0


@dataclass(frozen=True, slots=True)
class ScreenName:
    """One screen as the rail offers it."""

    name: str
    title: str
    icon: Icon
    keys: str


class Rail(QFrame):
    """Narrow where somebody chose so, and in a narrow window."""

    screen_chosen = Signal(str)
    fold_asked = Signal()

    def __init__(
        self,
        look: Look,
        screens: Sequence[ScreenName],
        navigation: Navigation,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._narrow = False
        self._menu: QMenu | None = None
        self._python: PythonFoot | None = None
        self.setProperty("panel", "rail")
        self.setAccessibleName(tr("Screens and devices"))
        self._mark = Mark(look)
        self.entries = {
            each.name: RailEntry(look, each.icon, each.title, each.keys) for each in screens
        }
        self.devices = RailDevices(look, navigation, after=list(self.entries.values())[-1])
        self._menu_button = IconButton(look, Icon.MENU)
        self._menu_button.show_meaning(Icon.MENU, tr("Menu"), "F10")
        self._menu_button.clicked.connect(self.open_menu)
        self._fold = IconButton(look, Icon.FOLD)
        self._fold.clicked.connect(self.fold_asked)
        self._foot = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._foot.setContentsMargins(14, 6, 14, 6)
        self._foot.setSpacing(4)
        self._foot.addWidget(self._menu_button)
        self._foot.addStretch(1)
        self._foot.addWidget(self._fold)
        column = self._column = QVBoxLayout(self)
        # The hairline at the right is drawn beside what it holds.
        column.setContentsMargins(0, 0, 1, 0)
        column.setSpacing(0)
        column.addWidget(self._mark)
        group = QButtonGroup(self)
        group.setExclusive(False)
        group.idClicked.connect(self._on_entry_clicked)
        for position, entry in enumerate(self.entries.values()):
            group.addButton(entry, position)
            column.addWidget(entry)
        column.addWidget(self.devices, 1)
        column.addLayout(self._foot)
        self._keys = ArrowKeys(self)
        self._keys.take(list(self.entries.values()))
        navigation.screen_changed.connect(self._on_screen_changed)
        self.show_narrow(narrow=False, may_be_wide=True)

    def show_narrow(self, *, narrow: bool, may_be_wide: bool) -> None:
        self._narrow = narrow
        self.setFixedWidth(NARROW if narrow else WIDE)
        self._mark.show_narrow(narrow)
        for entry in self.entries.values():
            entry.show_narrow(narrow)
        self.devices.show_narrow(narrow)
        if self._python is not None:
            self._python.show_narrow(narrow)
        direction = QBoxLayout.Direction
        self._foot.setDirection(direction.BottomToTop if narrow else direction.LeftToRight)
        self._foot.setContentsMargins(*((11, 6, 12, 6) if narrow else (14, 6, 14, 6)))
        self._fold.setVisible(may_be_wide)
        if narrow:
            self._fold.show_meaning(Icon.UNFOLD, tr("Make the rail wide"), "Ctrl+B")
        else:
            self._fold.show_meaning(Icon.FOLD, tr("Make the rail narrow"), "Ctrl+B")

    def show_lab(self, lab: LabState | None) -> None:
        """Below the devices it says which Python runs it."""
        if self._python is None and lab is not None:
            self._python = PythonFoot(self._look, lab.pythons)
            self._python.show_narrow(self._narrow)
            self._column.insertWidget(self._column.count() - 1, self._python)
        if self._python is not None:
            self._python.show_lab(lab)

    def show_count(self, screen: str, count: int | None) -> None:
        """How many things there are to see there."""
        if screen in self.entries:
            self.entries[screen].show_count(count)

    def show_menu(self, menu: QMenu) -> None:
        """What the button at the bottom opens."""
        self._menu = menu

    def open_menu(self) -> None:
        if self._menu is not None:
            above = self._menu.sizeHint().height() + 4
            self._menu.popup(self._menu_button.mapToGlobal(QPoint(0, -above)))

    def _on_entry_clicked(self, position: int) -> None:
        self.screen_chosen.emit(list(self.entries)[position])

    def _on_screen_changed(self, name: str) -> None:
        for each, entry in self.entries.items():
            entry.setChecked(each == name)
        self._keys.offer(self.entries.get(name))


class Mark(Painted):
    """The program's mark and name."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._narrow = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.title
        left = (self.width() - 20) / 2 if self._narrow else 20.0
        drawing.icon(Icon.MARK, QRectF(left, 16, 20, 20), theme.text)
        if not self._narrow:
            baseline = 26 + letters.cap_height / 2
            drawing.elided(
                52, baseline, Run("GPU Explorer", letters, theme.text), self.width() - 60
            )

    def sizeHint(self) -> QSize:
        return QSize(WIDE, _MARK_HEIGHT)


class RailEntry(PaintedButton):
    """Icon, word and, where there is one, a count; narrow, the icon only."""

    def __init__(
        self, look: Look, icon: Icon, title: str, keys: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._icon = icon
        self._keys = keys
        self._count: int | None = None
        self._narrow = False
        self.setText(title)
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._say()

    def show_count(self, count: int | None) -> None:
        if count != self._count:
            self._count = count
            self._say()
            self.update()

    def show_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        place = QRectF(self.rect())
        self.draw_ground(drawing, place.adjusted(_SIDE, _AIR, -_SIDE, -_AIR))
        strong = self.isChecked() or self.underMouse()
        colour = theme.text if strong else theme.quiet
        middle = place.center().y()
        left = place.center().x() - _ICON / 2 if self._narrow else _ICON_LEFT
        drawing.icon(self._icon, QRectF(left, middle - _ICON / 2, _ICON, _ICON), colour)
        if self._narrow:
            return
        baseline = middle + letters.body.cap_height / 2
        right = place.right() - _RIGHT
        if self._count is not None:
            count = Run(str(self._count), letters.caption, theme.quiet)
            right = drawing.runs_right(right, baseline, [count]) - 8
        letters_of_title = letters.strong if self.isChecked() else letters.body
        title = Run(self.text(), letters_of_title, colour)
        drawing.elided(_TEXT_LEFT, baseline, title, right - _TEXT_LEFT)

    def _say(self) -> None:
        count = "" if self._count is None else f", {self._count}"
        self.setAccessibleName(f"{self.text()}{count}")
        self.setToolTip(f"{self.text()}{count} ({self._keys})")

    def sizeHint(self) -> QSize:
        return QSize(56 if self._narrow else 208, ENTRY_HEIGHT)

    def nextCheckState(self) -> None:
        """Which screen is shown is not for a click to say: the navigation says it."""
