"""Rail: the program's name, the way to every screen, and every device with how busy it is."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QMenu,
    QSizePolicy,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.rail.python_foot import PythonFoot
from gpuexplorer.gui.rail.rail_devices import RailDevices
from gpuexplorer.gui.rail.rail_machines import RailMachines
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.icons import Icon, icon_of
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton
from gpuexplorer.gui.widgets.controls.keyboard import ArrowKeys
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.painted import Sign

WIDE, NARROW = 208, 56
# In a narrower window the screen needs the room more.
NARROW_BELOW = 1000
# Entries stand closer, so that there is room for a card or two.
_LOW_BELOW, _LOW_BELOW_WITH_MACHINES = 560, 660
_ICON, _BEFORE_WORD = QSize(20, 20), QSize(28, 20)


class Rail(QFrame):
    """Narrow where somebody chose so, and in a narrow window."""

    fold_asked = Signal()

    def __init__(
        self, screens: Sequence[tuple[str, str, Icon]], navigation: Navigation
    ) -> None:
        """Each screen with its name, its title and its icon; the numbers open them."""
        super().__init__()
        self._narrow = self._low = False
        self._menu: QMenu | None = None
        self._navigation = navigation
        self._python: PythonFoot | None = None
        self._machines: RailMachines | None = None
        self._of_several: MachinesState | None = None
        self.setProperty("panel", "rail")
        self.setAccessibleName(tr("Screens and devices"))
        self._name = ElidedLabel(look().letters.title, Tone.TEXT, "GPU Explorer")
        sign = Sign(Icon.MARK, Tone.TEXT, _ICON)
        self._mark = row(sign, self._name, GROWS, gap=12)
        self.entries = {
            name: RailEntry(icon, tr(title), str(number))
            for number, (name, title, icon) in enumerate(screens, 1)
        }
        self.devices = RailDevices(navigation)
        self._menu_button = IconButton(Icon.MENU, tr("Menu"), "F10")
        self._menu_button.clicked.connect(self.open_menu)
        self._fold = IconButton(Icon.FOLD)
        self._fold.clicked.connect(self.fold_asked)
        self._foot = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._foot.setContentsMargins(14, 6, 14, 6)
        self._foot.setSpacing(4)
        self._foot.addWidget(self._menu_button)
        self._foot.addStretch(1)
        self._foot.addWidget(self._fold)
        # The hairline at the right is drawn beside what it holds.
        self._column = column(
            self._mark,
            *self.entries.values(),
            self.devices,
            GROWS,
            self._foot,
            within=self,
            gap=0,
            margins=(0, 0, 1, 0),
        )
        for name, entry in self.entries.items():
            entry.clicked.connect(lambda _=False, name=name: navigation.open_screen(name))
            entry.setObjectName(f"rail.{name}")
        self.setObjectName("rail")
        self.devices.setObjectName("rail.devices")
        self._keys = ArrowKeys(self)
        self._keys.take(list(self.entries.values()))
        navigation.screen_changed.connect(self._on_screen_changed)
        self.show_narrow(narrow=False, may_be_wide=True)

    def show_narrow(self, *, narrow: bool, may_be_wide: bool) -> None:
        self._narrow = narrow
        self.setFixedWidth(NARROW if narrow else WIDE)
        self._name.setVisible(not narrow)
        self._mark.setContentsMargins(*((18, 16, 17, 24) if narrow else (20, 16, 8, 24)))
        for entry in self.entries.values():
            entry.show_narrow(narrow)
        self.devices.show_narrow(narrow)
        if self._python is not None:
            self._python.show_narrow(narrow)
        if self._machines is not None:
            self._machines.show_within(self.height(), narrow=narrow)
        direction = QBoxLayout.Direction
        self._foot.setDirection(direction.BottomToTop if narrow else direction.LeftToRight)
        self._foot.setContentsMargins(*((11, 6, 12, 6) if narrow else (14, 6, 14, 6)))
        self._fold.setVisible(may_be_wide)
        if narrow:
            self._fold.show_meaning(Icon.UNFOLD, tr("Make the rail wide"), "Ctrl+B")
        else:
            self._fold.show_meaning(Icon.FOLD, tr("Make the rail narrow"), "Ctrl+B")

    def show_machines(self, machines: MachinesState) -> None:
        """Above the devices, which are those of the machine that is shown."""
        self._machines = RailMachines(machines, self._navigation)
        self._column.insertWidget(self._column.indexOf(self.devices), self._machines)
        machines.changed.connect(self._on_machines_changed)
        self._of_several = machines
        self._on_machines_changed()

    def show_lab(self, lab: Lab | None) -> None:
        """Below the devices it says which Python runs it."""
        if self._python is None and lab is not None:
            self._python = PythonFoot(lab.pythons)
            self._python.setObjectName("rail.python")
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

    def _on_machines_changed(self) -> None:
        """One machine needs no screen of all of them."""
        if self._of_several is not None and "machines" in self.entries:
            self.entries["machines"].setVisible(self._of_several.several)
        self._show_height(self.height())

    def _on_screen_changed(self, name: str) -> None:
        for each, entry in self.entries.items():
            entry.setChecked(each == name)
        self._keys.offer(self.entries.get(name))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_height(event.size().height())

    def _show_height(self, height: int) -> None:
        several = self._of_several is not None and self._of_several.several
        low = height < (_LOW_BELOW_WITH_MACHINES if several else _LOW_BELOW)
        if low is not self._low:
            self._low = low
            for entry in self.entries.values():
                restyle(entry, "low", low)
        if self._machines is not None:
            self._machines.show_within(height, narrow=self._narrow)


class RailEntry(ToolButton):
    """Icon, word and, where there is one, a count; narrow, the icon only."""

    def __init__(self, icon: Icon, title: str, keys: str) -> None:
        super().__init__("screen", None, title)
        self._keys = keys
        self._count = label("", look().letters.caption, Tone.QUIET)
        self._count.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row(FREE, self._count, within=self, margins=(0, 0, 20, 0))
        self.setIcon(icon_of(icon))
        self.setAutoRaise(True)
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_count(None)

    def show_count(self, count: int | None) -> None:
        name = self.text() if count is None else f"{self.text()}, {count}"
        about = f"{name} ({self._keys})"
        if about != self.toolTip():
            self._count.setText("" if count is None else str(count))
            self.setAccessibleName(name)
            self.setToolTip(about)

    def show_narrow(self, narrow: bool) -> None:
        style = Qt.ToolButtonStyle
        self.setToolButtonStyle(
            style.ToolButtonIconOnly if narrow else style.ToolButtonTextBesideIcon
        )
        self.setIconSize(_ICON if narrow else _BEFORE_WORD)
        self._count.setVisible(not narrow)
        restyle(self, "narrow", narrow)

    def nextCheckState(self) -> None:
        """Which screen is shown is not for a click to say: the navigation says it."""
