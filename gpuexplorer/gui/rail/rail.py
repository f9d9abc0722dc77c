"""Rail: the way to every screen, all devices with how busy each is, and the lab's Python."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPen, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QListView,
    QMenu,
    QSizePolicy,
    QSpacerItem,
    QStyle,
    QStyleOptionViewItem,
)

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import DEVICE, CardFace, DeviceList, DeviceView
from gpuexplorer.gui.cards.programs import pids
from gpuexplorer.gui.desk import VIEWS, Entry
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Delegate, Drawing, Index, Run
from gpuexplorer.gui.rail.rail_machines import RailMachines
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage, stage_words
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.icons import Icon, icon_of
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS, Tone, faded
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton
from gpuexplorer.gui.widgets.controls.keyboard import ArrowKeys
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, add, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.gui.widgets.sheets.python_sheet import PythonSheet
from gpuexplorer.telemetry.looked_for import Looked, Thing

WIDE, NARROW = 208, 56
# In a narrower window the screen needs the room more.
NARROW_BELOW = 1000
BOARD = 8
_SIDE, _NARROW_SIDE, _TEXT_LEFT, _AROUND = 20, 8, 52.0, 4
_ENTRY, _LOW_ENTRY, _LEAST_ENTRY, _LOW = 36, 28, 22, 560
_ROW, _LOW_ROW, _BOARD_ROW = 40, 28, 28
_CHIP, _BAR, _CELL, _SIGN = 20.0, 3.0, 16.0, 14.0


class Rail(QFrame):
    """Narrow where somebody chose so, and in a narrow window. In a low one its parts stand
    closer together, so that a few devices have room.
    """

    fold_asked = Signal()

    def __init__(self, navigation: Navigation, machines: MachinesState, menu: QMenu) -> None:
        super().__init__()
        self._machines, self._menu, self._narrow, self._looked_at = machines, menu, False, False
        self.setProperty("panel", "rail")
        self.setObjectName("rail")
        self.setAccessibleName(tr("Screens and devices"))
        letters = look().letters
        self._name = ElidedLabel(letters.title, Tone.TEXT, "GPU Explorer")
        self._mark = row(Sign(Icon.MARK, Tone.TEXT, QSize(20, 20)), self._name, GROWS, gap=12)
        self.entries = {each.name: RailEntry(each, at) for at, each in enumerate(VIEWS, 1)}
        self._several = RailMachines(machines, navigation)
        self._heading = ElidedLabel(letters.caption, Tone.QUIET, tr("Devices"))
        self._count = ElidedLabel(letters.caption, Tone.QUIET)
        self._absent = ElidedLabel(letters.body, Tone.FAINT)
        self._absent.setContentsMargins(_SIDE, 6, _SIDE, 6)
        self.devices, self._python = DeviceListView(navigation), PythonFoot()
        self._menu_button = IconButton(Icon.MENU, tr("Menu"), "F10")
        self._menu_button.clicked.connect(self.open_menu)
        self._fold = IconButton(Icon.FOLD)
        self._fold.clicked.connect(self.fold_asked)
        self._foot = row(self._menu_button, FREE, self._fold, gap=4)
        body = column(within=self, gap=0, margins=(0, 0, 1, 0))  # there is the hairline
        policy = QSizePolicy.Policy
        self._head = row(self._heading, FREE, self._count)
        rest = (self._absent, self.devices, FREE, self._python, self._foot)
        for air, parts in (
            (8, (self._mark,)),
            (16, (*self.entries.values(), self._several)),
            (10, (self._head, *rest)),
        ):
            body.addItem(QSpacerItem(0, air, policy.Minimum, policy.Maximum))
            add(body, *parts)
        for name, entry in self.entries.items():
            entry.clicked.connect(partial(navigation.open_screen, name))
        self._keys = ArrowKeys(self)
        self._keys.take(list(self.entries.values()))
        navigation.screen_changed.connect(self._on_screen_changed)
        machines.changed.connect(self._on_machines_changed)
        self._on_machines_changed()
        self.show_narrow(narrow=False, may_be_wide=True)

    def show_narrow(self, *, narrow: bool, may_be_wide: bool) -> None:
        self._narrow = narrow
        self.setFixedWidth(NARROW if narrow else WIDE)
        self._name.setVisible(not narrow)
        self._count.setVisible(not narrow)
        self._show_heading()
        self._mark.setContentsMargins(18 if narrow else 20, 8, 17 if narrow else 8, 8)
        for entry in self.entries.values():
            entry.show_narrow(narrow)
        self.devices.show_narrow(narrow)
        self._python.show_narrow(narrow)
        self._several.show_within(self.height(), narrow=narrow)
        direction = QBoxLayout.Direction
        self._foot.setDirection(direction.BottomToTop if narrow else direction.LeftToRight)
        self._foot.setContentsMargins(11 if narrow else 14, 4, 12, 4)
        self._fold.setVisible(may_be_wide)
        meaning = tr("Make the rail wide") if narrow else tr("Make the rail narrow")
        self._fold.show_meaning(Icon.UNFOLD if narrow else Icon.FOLD, meaning, "Ctrl+B")

    def show_lab(self, lab: Lab) -> None:
        self._python.show_lab(lab)

    def show_looked_for(self, looked_for: Sequence[Looked]) -> None:
        """Among which may be cards that are plugged in and cannot be read."""
        count = sum(each.found and each.what is Thing.NVIDIA_CARDS for each in looked_for)
        words = trn("{count} card, no driver", "{count} cards, no driver", count)
        self._absent.show_text(words if count else "")

    def show_past(self, looked_at: bool) -> None:
        """While the plots show an earlier time, this is of now all the same."""
        self._looked_at = looked_at
        self._show_heading()

    def _show_heading(self) -> None:
        wide = tr("Devices now") if self._looked_at else tr("Devices")
        self._heading.show_text(tr("now") if self._narrow else wide)
        self._heading.setVisible(self._looked_at or not self._narrow)
        self._head.setContentsMargins(14 if self._narrow else _SIDE, 6, _SIDE, 0)

    def show_faces(self, machine: MachineState, faces: Sequence[CardFace]) -> None:
        self.devices.show_faces([*faces, machine.host_face()])
        words = trn("{count} card", "{count} cards", len(faces)) if self.devices.many else ""
        self._count.show_text(words)
        absent = machine.session.bare and bool(self._absent.text())
        self._absent.setVisible(absent and not self._narrow)
        running = len(pids(machine.session.process_book.living()))
        self.entries["processes"].show_count(running or None)

    def open_menu(self) -> None:
        above = self._menu.sizeHint().height() + 4
        self._menu.popup(self._menu_button.mapToGlobal(QPoint(0, -above)))

    def _on_machines_changed(self) -> None:
        """One machine needs no screen of all of them."""
        self.entries["machines"].setVisible(self._machines.several)
        self._several.show_within(self.height(), narrow=self._narrow)

    def _on_screen_changed(self, name: str) -> None:
        for each, entry in self.entries.items():
            entry.setChecked(each == name)
        self._keys.offer(self.entries.get(name))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._several.show_within(self.height(), narrow=self._narrow)
        for entry in self.entries.values():
            entry.setMinimumHeight(_LOW_ENTRY if self.height() > _LOW else _LEAST_ENTRY)


class RailEntry(ToolButton):
    """Icon, word and, where there is one, a count; narrow, the icon only."""

    def __init__(self, entry: Entry, number: int) -> None:
        super().__init__("screen", entry.icon, tr(entry.title))
        self._number = number
        self._count = label("", look().letters.caption, Tone.QUIET)
        self._count.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row(FREE, self._count, within=self, margins=(0, 0, 20, 0))
        self.setAutoRaise(True)
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.show_count(None)

    def show_count(self, count: int | None) -> None:
        name = self.text() if count is None else f"{self.text()}, {count}"
        self._count.setText("" if count is None else str(count))
        self.setAccessibleName(name)
        self.setToolTip(f"{name} ({self._number})")

    def show_narrow(self, narrow: bool) -> None:
        _show_narrow(self, narrow)
        self._count.setVisible(not narrow)

    def nextCheckState(self) -> None:
        """Which screen is shown is not for a click to say: the navigation says it."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), _ENTRY)


def _show_narrow(button: ToolButton, narrow: bool) -> None:
    button.show_compact(narrow)
    button.setIconSize(QSize(20 if narrow else 28, 20))
    restyle(button, "narrow", narrow)


class DeviceListView(DeviceView):
    """Up to eight cards are named; of more, each is a cell in a row of eight. Left and right go
    from card to card, also through boards, and up and down.
    """

    def __init__(self, navigation: Navigation) -> None:
        super().__init__()
        self._navigation, self._model = navigation, DeviceList(self)
        self.faces: Sequence[CardFace] = ()
        self.narrow = self.many = False
        self.row_height, self.first_cell, self.cell = _ROW, 0, 0  # pixels
        self.chosen: CardId | None = None
        self.setProperty("kind", "bare")
        self.setObjectName("rail.devices")
        self.setAccessibleName(tr("Devices"))
        self.setModel(self._model)
        self.setItemDelegate(_DeviceDrawing(self))
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setMouseTracking(True)
        self.clicked.connect(self._on_chosen)
        self.activated.connect(self._on_chosen)
        navigation.screen_changed.connect(self._mark)
        navigation.card_changed.connect(self._mark)

    def show_faces(self, faces: Sequence[CardFace]) -> None:
        self.faces = faces
        self.many = len(faces) > MOST_COLOURED_CARDS + 1
        if self._model.show_faces(faces):
            flow = QListView.Flow
            self.setFlow(flow.LeftToRight if self.many else flow.TopToBottom)
            self.setWrapping(self.many)
            self._measure()
            self._mark()

    def show_narrow(self, narrow: bool) -> None:
        self.narrow = narrow
        self._measure()

    def label(self, at: int) -> str:
        """What the board is called that begins with this card: "0–7"."""
        chips = [face.number for face in self.faces[at : at + BOARD] if not face.host]
        return chips[0] if len(chips) == 1 else f"{chips[0]}–{chips[-1]}"

    def _measure(self) -> None:
        """Whole rows, which are lower where few of them have room."""
        high, whole = self.height(), self.sizeHint().height()
        self.row_height = _ROW if high >= min(3 * _ROW, whole) else _LOW_ROW
        step = _BOARD_ROW if self.many else self.row_height
        self.setViewportMargins(0, 0, 0, 0 if high >= whole else high % step)
        # As needed, Qt would keep its room free beside boards, and push narrow chips aside.
        off, policy = self.narrow or high >= whole, Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOff if off else policy.ScrollBarAlwaysOn
        )
        letters, boards = look().letters.caption, range(0, len(self.faces) - 1, BOARD)
        named = [round(letters.width(self.label(at))) + 8 for at in boards]
        self.first_cell = _NARROW_SIDE if self.narrow else _SIDE + max([49, *named])
        rest = self.first_cell + (_NARROW_SIDE if self.narrow else _SIDE) + _AROUND
        self.cell = (self.viewport().width() - rest) // BOARD
        self.scheduleDelayedItemsLayout()

    def _mark(self) -> None:
        """Which card is shown is not for a click to say: the navigation says it."""
        first = next((each.id for each in self.faces), HOST_ID)
        at_card = self._navigation.screen == "card"
        self.chosen = self._navigation.card or first if at_card else None
        self.viewport().update()

    def _on_chosen(self, index: QModelIndex) -> None:
        self._navigation.open_card(self.faces[index.row()].id)

    def moveCursor(
        self, action: QListView.CursorAction, held: Qt.KeyboardModifier
    ) -> QModelIndex:
        """By places: Qt looks for what lies beside, and the first of a board is wider."""
        move, below = QListView.CursorAction, BOARD if self.many else 1
        steps = {
            move.MoveLeft: -1,
            move.MoveRight: 1,
            move.MoveUp: -below,
            move.MoveDown: below,
        }
        if action not in steps or not self.currentIndex().isValid():
            return super().moveCursor(action, held)
        at = self.currentIndex().row() + steps[action]
        return self._model.index(min(max(at, 0), len(self.faces) - 1), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._measure()
        super().resizeEvent(event)

    def sizeHint(self) -> QSize:
        cards = max(0, len(self.faces) - 1)
        rows = -(-cards // BOARD) * _BOARD_ROW if self.many else cards * _ROW
        return QSize(WIDE, rows + _ROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, _LOW_ROW)


class _DeviceDrawing(Delegate):
    """Chip, name, how busy, and a thin bar; of very many cards a cell, filled that far."""

    def __init__(self, devices: DeviceListView) -> None:
        super().__init__(devices)
        self._devices = devices

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        devices, at = self._devices, index.row()
        width = devices.viewport().width() - _AROUND
        if not devices.many or devices.faces[at].host:
            return QSize(width, devices.row_height)
        ends = {0: devices.first_cell, BOARD - 1: width - devices.first_cell - 8 * devices.cell}
        return QSize(devices.cell + ends.get(at % BOARD, 0), _BOARD_ROW)

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        devices, face = self._devices, index.data(DEVICE)
        if not isinstance(face, CardFace):
            return
        focused = devices.hasFocus() and devices.currentIndex() == index
        if devices.many and not face.host:
            self._draw_cell(drawing, place, index.row(), face)
            if face.id == devices.chosen or focused:
                drawing.focus_ring(place.adjusted(-1, 3, -1, -3), 4)
            return
        place.setWidth(devices.viewport().width())
        ground = place.adjusted(8, 1, -8, -1)
        if face.id == devices.chosen or option.state & QStyle.StateFlag.State_MouseOver:
            drawing.filled(ground, drawing.theme.selection, 6)
        if focused:
            drawing.focus_ring(ground, 6)
        self._draw_row(drawing, place, face)

    def _draw_cell(self, drawing: Drawing, place: QRectF, at: int, face: CardFace) -> None:
        """And before the first of a board what that is called."""
        devices, theme, letters = self._devices, drawing.theme, drawing.letters.caption
        if at % BOARD == 0:
            if not devices.narrow:
                words = Run(devices.label(at), letters, theme.quiet)
                drawing.text(_SIDE, place.center().y() + letters.cap_height / 2, words)
            place.setLeft(place.left() + devices.first_cell)
        place.setWidth(devices.cell)
        gap = 1 if devices.narrow else 2
        cell = QRectF(place.left(), place.center().y() - _CELL / 2, devices.cell - gap, _CELL)
        if not face.answers or face.busy_share is None:
            tone = theme.line if face.word_tone is Tone.FAINT else theme.tone(face.word_tone)
            drawing.outlined(cell, QPen(tone, 1), 1.5)
            return
        drawing.filled(cell, theme.selection, 1.5)
        cell.setTop(cell.bottom() - max(1, round(min(1.0, face.busy_share) * _CELL)))
        drawing.filled(cell, theme.level if face.warning is None else theme.warn, 1.5)

    def _draw_row(self, drawing: Drawing, place: QRectF, face: CardFace) -> None:
        theme, letters, middle = drawing.theme, drawing.letters, place.center()
        wide, right = max(_CHIP, letters.badge.width(face.number) + 8), place.right() - _SIDE
        left = max(_TEXT_LEFT, _SIDE + wide + 8)
        chip = QRectF(_SIDE, middle.y() - 8, wide, _CHIP)
        track = QRectF(left, middle.y() + 8.5, right - left, _BAR)
        if self._devices.narrow:
            chip.moveTo(middle.x() - wide / 2, middle.y() - 13)
            track = QRectF(middle.x() - 12, middle.y() + 10, 24, _BAR)
        colour, filled = theme.card(face.colour), face.colour is not None and face.answers
        wrong = face.mark is not None and face.mark.tone in (Tone.WARN, Tone.BAD)
        worry = face.mark if wrong and (face.answers or self._devices.narrow) else None
        drawing.chip(chip, face.number, letters.badge, colour if filled else None)
        drawing.filled(track, theme.selection, _BAR / 2)
        if face.busy_share:
            track.setWidth(max(_BAR, min(1.0, face.busy_share) * track.width()))
            drawing.filled(track, faded(theme.quiet, 0.75) if face.host else colour, _BAR / 2)
        sign = QRectF(chip.right() - 7, chip.top() - 5, _SIGN, _SIGN)
        if not self._devices.narrow:
            baseline, body = middle.y() + 2, letters.body
            unit = Run(f"{THIN_SPACE}{face.busy.unit}", letters.caption, theme.faint)
            runs = [Run(face.busy.number, body, theme.text), unit]
            if face.word:
                said = body.elided(face.word, right - left - 24)
                runs = [Run(said, body, theme.tone(face.word_tone))]
            room = drawing.runs_right(right, baseline, runs) - 6 - left
            ink = theme.text if face.answers else theme.faint
            name = Run(face.short_name, body, ink)
            after = drawing.elided(left, baseline, name, room - (_SIGN + 6 if worry else 0))
            sign.moveTo(after + 6, baseline - body.cap_height / 2 - _SIGN / 2)
        elif worry is not None:
            drawing.filled(sign, theme.ground, _SIGN / 2)
        if worry is not None and worry.icon is not None:
            drawing.icon(worry.icon, sign, theme.tone(worry.tone))


class PythonFoot(ToolButton):
    """Which Python runs the lab, and how it is; opens the list of all there are. Shows nothing
    where no lab can run: in a recording, and on a host of a fleet.
    """

    def __init__(self) -> None:
        super().__init__("python")
        self.setObjectName("rail.python")
        self._lab: Lab | None = None
        self._sheet: PythonSheet | None = None
        self.setFont(look().letters.caption.font)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)
        self.hide()

    def show_lab(self, lab: Lab) -> None:
        """The lab of the session that is shown; another machine has Pythons of its own."""
        if self._lab is not None:
            self._lab.pythons.changed.disconnect(self._on_changed)
            self._lab.stage_changed.disconnect(self._on_changed)
        self._lab = lab
        lab.pythons.changed.connect(self._on_changed)
        lab.stage_changed.connect(self._on_changed)
        if self._sheet is not None:
            self._sheet.reject()
        self.setVisible(not (lab.recorded or lab.machine.session.source.figures_alone))
        self._on_changed()

    def show_narrow(self, narrow: bool) -> None:
        _show_narrow(self, narrow)

    def _on_changed(self) -> None:
        if (lab := self._lab) is None:
            return
        pythons, hint, tone = lab.pythons, "", Tone.QUIET
        # How long a line runs is told where lines are run.
        stage = stage_words(lab.stage, tr(lab.sentence) if lab.stage is Stage.FAILED else "")
        usable = sum(each.usable for each in pythons.found)
        passed_over = tr(pythons.passed_over)
        state = stage.words
        if (python := pythons.python) is not None:
            line = ".".join(map(str, python.version)) or "Python"
            if python.build is not None:
                line += f", torch {python.build.version.partition('+')[0]}"
            tone = Tone.QUIET if stage.tone is Tone.TEXT else stage.tone
            if lab.machine.session.simulated and tone is Tone.QUIET:
                state = tr("{state}, virtual cards", state=state)
            hint = f"{tr(python.label)}\n{stage.sentence}"
        elif pythons.working:
            line, state, passed_over = tr("Looking for one"), tr("with PyTorch"), ""
        elif usable:
            line = trn("{count} with PyTorch", "{count} with PyTorch", usable)
            hint = tr("The lab takes the first of them when it runs its first cell.")
        elif pythons.trouble:
            line, state, tone = tr("None with PyTorch"), tr("Choose one"), Tone.WARN
            hint, passed_over = tr(pythons.trouble), ""
        else:
            line, passed_over = tr("Not checked yet"), ""
            hint = tr("Which Python has PyTorch is checked when the window has come to rest.")
        if passed_over:
            state, tone = tr("Not the one you chose"), Tone.WARN
            hint = f"{hint}\n{passed_over}"
        self.setIcon(icon_of(Icon.LAB if tone is Tone.QUIET else Icon.WARNING, tone))
        self.setText(f"{line}\n{state}")
        self.setAccessibleName(tr("Python of the lab: {name}", name=f"{line}, {state}"))
        self.setToolTip(f"{self.accessibleName()}\n{hint}")

    def _on_clicked(self) -> None:
        if self._lab is not None:
            self._sheet = PythonSheet(self._lab.pythons, self._lab, self.window())
            self._sheet.finished.connect(self._on_closed)
            self._sheet.open()

    def _on_closed(self) -> None:
        self._sheet = None
