"""OpenedRow: the way back, a tab for each opened thing, and what else could be opened."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QScrollArea, QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.inside.device_badges import badges_of
from gpuexplorer.gui.views.lab.inside.opened_tab import OpenedTab
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.wording.lab.bench.bench_blocks import BlockKind, text_of

_HEIGHT = 32
_MOST_OFFERED = 40


class OpenedRow(QWidget):
    back_asked = Signal()
    chosen = Signal(str)
    closed = Signal(str)

    def __init__(self, look: Look, lab: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._lab = lab
        self._tabs: list[OpenedTab] = []
        self._back = WordButton(look, Icon.PREVIOUS, tr("Bench"))
        self._back.setToolTip(tr("Back to the bench (Esc)"))
        self._back.clicked.connect(self.back_asked)
        line = QFrame()
        line.setProperty("panel", "line")
        line.setFixedSize(1, 20)
        self._open = WordButton(look, Icon.ADD, tr("Open another"))
        self._open.clicked.connect(self._on_open_asked)
        strip = QWidget()
        strip.setProperty("panel", "clear")
        self._strip = QHBoxLayout(strip)
        self._strip.setContentsMargins(0, 0, 0, 0)
        self._strip.setSpacing(8)
        self._strip.addStretch(1)
        # More tabs than there is room for are reached by the keyboard, and come into view.
        self._scroll = QScrollArea()
        self._scroll.setProperty("panel", "clear")
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(strip)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._back)
        row.addWidget(line)
        row.addWidget(self._scroll, 1)
        row.addWidget(self._open)
        self.setFixedHeight(_HEIGHT)

    def show_opened(self, names: Sequence[str], shown: str) -> None:
        if [each.name for each in self._tabs] != list(names):
            self._make_tabs(names)
        devices, things = self._lab.devices(), self._lab.ledger.things
        for tab in self._tabs:
            thing = things.get(tab.name)
            lies_on = [] if thing is None else [x.strip() for x in thing.device.split(",")]
            tab.show_state(badges_of(lies_on, devices), shown=tab.name == shown)
            if tab.name == shown:
                self._scroll.ensureWidgetVisible(tab, 0, 0)

    def take_keyboard(self, name: str) -> None:
        for tab in self._tabs:
            if tab.name == name:
                tab.take_keyboard()
                return
        self._back.setFocus(Qt.FocusReason.TabFocusReason)

    def _make_tabs(self, names: Sequence[str]) -> None:
        kept = {each.name: each for each in self._tabs}
        for name, tab in kept.items():
            self._strip.removeWidget(tab)
            if name not in names:
                tab.hide()
                tab.deleteLater()
        self._tabs = [kept.get(name) or self._new_tab(name) for name in names]
        before: QWidget = self._back
        for number, tab in enumerate(self._tabs):
            self._strip.insertWidget(number, tab)
            before = tab.come_after(before)
            tab.show()  # a layout would do so later, and the keyboard goes there now

    def _new_tab(self, name: str) -> OpenedTab:
        tab = OpenedTab(self._look, name)
        tab.chosen.connect(self.chosen)
        tab.closed.connect(self.closed)
        return tab

    def _on_open_asked(self) -> None:
        menu = QMenu(self)
        menu.setFont(self.window().font())  # the system has another for menus
        menu.aboutToHide.connect(menu.deleteLater)
        opened = {each.name for each in self._tabs}
        left = [each for each in self._lab.ledger.things.values() if each.name not in opened]
        for thing in left[-_MOST_OFFERED:]:
            about = text_of(thing) if thing.kind == "tensor" else BlockKind(thing.kind).words
            action = menu.addAction(f"{thing.name}    {about}")
            action.triggered.connect(partial(self.chosen.emit, thing.name))
        if len(left) > _MOST_OFFERED:
            rest = trn(
                "{count} more stands on the bench",
                "{count} more stand on the bench",
                len(left) - _MOST_OFFERED,
            )
            menu.addAction(rest).setEnabled(False)
        if not left:
            menu.addAction(tr("Nothing else is on the shelf")).setEnabled(False)
        place = QPoint(0, self._open.height() + 4)
        menu.popup(self._open.mapToGlobal(place))
