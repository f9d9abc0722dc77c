"""OpenedRow: the way back, a tab for each opened thing, and what else could be opened."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QFrame, QMenu, QTabBar, QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.lab.bench.blocks import BlockKind, text_of
from gpuexplorer.gui.lab.inside.device_chips import DeviceChips
from gpuexplorer.gui.lab.inside.words import thing_called
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton
from gpuexplorer.gui.widgets.laid_out import GROWS, row

_MOST_OFFERED = 40
_CROSS = 24


class OpenedRow(QWidget):
    """The arrow keys go from tab to tab, Delete closes one."""

    back_asked = Signal()
    chosen = Signal(str)
    closed = Signal(str)

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._names: list[str] = []
        self._chips: dict[str, DeviceChips] = {}
        self._back = ToolButton("word", Icon.PREVIOUS, tr("Bench"))
        self._back.setToolTip(tr("Back to the bench (Esc)"))
        self._back.clicked.connect(self.back_asked)
        line = QFrame()
        line.setProperty("panel", "line")
        line.setFixedSize(1, 20)
        self._tabs = QTabBar()
        self._tabs.setProperty("kind", "things")
        self._tabs.setFont(look().letters.mono.font)
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._tabs.currentChanged.connect(self._on_current_changed)
        delete = QShortcut(Qt.Key.Key_Delete, self._tabs)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._on_delete_pressed)
        self._open = ToolButton("word", Icon.ADD, tr("Open another"))
        self._open.clicked.connect(self._on_open_asked)
        row(self._back, line, self._tabs, GROWS, self._open, within=self)

    def show_opened(self, names: Sequence[str], shown: str) -> None:
        with QSignalBlocker(self._tabs):
            for name in [each for each in self._names if each not in names]:
                self._tabs.removeTab(self._names.index(name))
                self._names.remove(name)
            for name in [each for each in names if each not in self._names]:
                self._add(name)
            if shown in self._names:
                self._tabs.setCurrentIndex(self._names.index(shown))
        for name in self._names:
            self._show_chips(name)

    def take_keyboard(self) -> None:
        taken = self._tabs if self._names else self._back
        taken.setFocus(Qt.FocusReason.TabFocusReason)

    def _add(self, name: str) -> None:
        at = self._tabs.addTab(name.replace("&", "&&"))
        self._names.insert(at, name)
        self._tabs.setTabToolTip(at, name)
        self._tabs.setAccessibleTabName(at, tr("Inside {name}", name=name))
        cross = IconButton(Icon.CLOSE, tr("Close {name}", name=name), "Del")
        cross.setFixedSize(_CROSS, _CROSS)
        cross.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        cross.clicked.connect(partial(self.closed.emit, name))
        chips = self._chips[name] = DeviceChips(self._tabs)
        self._show_chips(name)  # now: a tab is as wide as what stands in it at first
        self._tabs.setTabButton(at, QTabBar.ButtonPosition.LeftSide, _in_margins(chips))
        self._tabs.setTabButton(at, QTabBar.ButtonPosition.RightSide, _in_margins(cross))

    def _show_chips(self, name: str) -> None:
        thing = thing_called(self._lab.ledger, name)
        device = "" if thing is None else thing.device
        self._chips[name].show_devices(device, self._lab.devices())

    def _on_current_changed(self, at: int) -> None:
        self.chosen.emit(self._names[at])

    def _on_delete_pressed(self) -> None:
        self.closed.emit(self._names[self._tabs.currentIndex()])

    def _on_open_asked(self) -> None:
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        things = self._lab.ledger.things.values()
        left = [each for each in things if each.name not in self._names]
        for thing in left[-_MOST_OFFERED:]:
            about = text_of(thing) if thing.kind == "tensor" else BlockKind(thing.kind).words
            action = menu.addAction(f"{thing.name}    {about}")
            action.triggered.connect(partial(self.chosen.emit, thing.name))
        if len(left) > _MOST_OFFERED:
            rest = trn(
                "{count} more is on the bench",
                "{count} more are on the bench",
                len(left) - _MOST_OFFERED,
            )
            menu.addAction(rest).setEnabled(False)
        if not left:
            menu.addAction(tr("Nothing else is on the shelf")).setEnabled(False)
        place = QPoint(0, self._open.height() + 4)
        menu.popup(self._open.mapToGlobal(place))


def _in_margins(widget: QWidget) -> QWidget:
    around = QWidget()
    row(widget, within=around, margins=(4, 0, 4, 0))
    return around
