"""OpenedRow: the way back, a tab for each opened thing, and what else could be opened."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QSizePolicy, QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.inside.device_badges import (
    GAP,
    Badge,
    badge_width,
    badges_of,
    draw_badge,
)
from gpuexplorer.gui.widgets.controls.buttons import IconButton, WordButton
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton
from gpuexplorer.gui.widgets.scrolled import scrolled
from gpuexplorer.gui.wording.lab.bench.bench_blocks import BlockKind, text_of

_HEIGHT = 32
_MOST_OFFERED = 40
_TAB_HEIGHT, _MARGIN, _CROSS, _MOST_NAME = 30, 6.0, 24, 140.0


class OpenedTab(QWidget):
    """Enter shows it, Delete closes it."""

    chosen = Signal(str)
    closed = Signal(str)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._name = name
        self._title = _Title(look, name)
        self._title.clicked.connect(self._on_clicked)
        self._title.delete_pressed.connect(self._on_closed)
        self._cross = IconButton(look, Icon.CLOSE)
        self._cross.show_meaning(Icon.CLOSE, tr("Close {name}", name=name), "Del")
        self._cross.setFixedSize(_CROSS, _CROSS)
        self._cross.clicked.connect(self._on_closed)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 3, 0)
        row.setSpacing(0)
        row.addWidget(self._title)
        row.addWidget(self._cross)

    @property
    def name(self) -> str:
        return self._name

    def show_state(self, badges: tuple[Badge, ...], *, shown: bool) -> None:
        self._title.show_badges(badges)
        if shown is not self._title.isChecked():
            self._title.setChecked(shown)
            self.update()

    def come_after(self, widget: QWidget) -> QWidget:
        """In the order of the Tab key; returns who is last of it."""
        QWidget.setTabOrder(widget, self._title)
        QWidget.setTabOrder(self._title, self._cross)
        return self._cross

    def take_keyboard(self) -> None:
        self._title.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_clicked(self) -> None:
        self._title.setChecked(True)
        self.chosen.emit(self._name)

    def _on_closed(self) -> None:
        self.closed.emit(self._name)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._look.theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.line, 1))
            painter.setBrush(theme.surface if self._title.isChecked() else theme.ground)
            place = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(place, CONTROL_RADIUS, CONTROL_RADIUS)
            if self._title.isChecked():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.selection)
                painter.drawRoundedRect(place, CONTROL_RADIUS, CONTROL_RADIUS)


class _Title(PaintedButton):
    delete_pressed = Signal()

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._badges: tuple[Badge, ...] = ()
        self.setCheckable(True)
        self.setText(name)
        self.setAccessibleName(tr("Inside {name}", name=name))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        cut = look.letters.mono.elided(name, _MOST_NAME) != name
        self.setToolTip(name if cut else "")

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        if badges != self._badges:
            self._badges = badges
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        if self.hasFocus():
            drawing.focus_ring(QRectF(self.rect()), CONTROL_RADIUS)
        middle, x = self.height() / 2, _MARGIN
        for badge in self._badges:
            x = draw_badge(drawing, x, middle, badge) + GAP
        letters = drawing.letters.mono
        strong = self.isChecked() or self.underMouse()
        run = Run(self.text(), letters, drawing.theme.text if strong else drawing.theme.quiet)
        drawing.elided(x + 2, middle + letters.cap_height / 2, run, _MOST_NAME)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        chips = sum(badge_width(self.look, each) + GAP for each in self._badges)
        name = min(_MOST_NAME, self.look.letters.mono.width(self.text()))
        return QSize(round(chips + name + 2 * _MARGIN + 4), _TAB_HEIGHT)


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
        self._scroll = scrolled(strip)
        self._scroll.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
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
