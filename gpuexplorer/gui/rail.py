"""Rail: the way to every screen, all devices with how busy each is, and the lab's Python."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QPen, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QListView,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QSpacerItem,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import DEVICE, CardFace, DeviceList, DeviceView
from gpuexplorer.gui.cards.programs import pids
from gpuexplorer.gui.desk import VIEWS, Entry
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Delegate, Drawing, Index, Run, plain_tip
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage, stage_words
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon, icon_of
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS, Tone, faded
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton
from gpuexplorer.gui.widgets.controls.keyboard import ArrowKeys
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, add, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel, NowTag
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.gui.widgets.sheets.python_sheet import PythonSheet
from gpuexplorer.gui.window_commands import Do, WindowCommands

WIDE, NARROW = 208, 56
# In a narrower window the screen needs the room more.
NARROW_BELOW = 1000
# Eight cells a row, with room for a bar that scrolls them; around the list.
_BOARD, _BAR_ROOM, _AIR = 8, 14, 8
_SIDE, _TEXT_LEFT = 20, 44.0
_ENTRY, _LOW_ENTRY, _LEAST_ENTRY, _LOW = 36, 28, 22, 560
_ROW, _LOW_ROW, _BOARD_ROW, _MACHINE = 40, 28, 28, 32
_CHIP, _BAR, _SIGN = 20.0, 3.0, 14.0


class Rail(QFrame):
    """Narrow where somebody chose so, and in a narrow window. In a low one its parts stand
    closer together, so that a few devices have room.
    """

    def __init__(
        self,
        navigation: Navigation,
        machines: MachinesState,
        time_window: TimeWindow,
        commands: WindowCommands,
    ) -> None:
        super().__init__()
        self._machines, self._commands, self._narrow = machines, commands, False
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
        self.devices, self.python = DeviceListView(navigation), PythonFoot()
        self._menu = IconButton(Icon.MENU, tr("Menu"), "F10")
        self._menu.clicked.connect(commands[Do.MENU].trigger)
        self._fold = IconButton(Icon.FOLD)
        self._fold.clicked.connect(commands[Do.FOLD].trigger)
        self._foot = row(self._menu, FREE, self._fold, gap=4, margins=(12, 4, 12, 4))
        body = column(within=self, gap=0, margins=(0, 0, 1, 0))  # there is the hairline
        policy = QSizePolicy.Policy
        self._head = row(self._heading, NowTag(time_window), FREE, self._count)
        rest = (self._absent, self.devices, FREE, self.python, self._foot)
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
        machines.changed.connect(self._show_height)
        self.show_narrow(narrow=False, may_be_wide=True)

    def show_narrow(self, *, narrow: bool, may_be_wide: bool) -> None:
        self._narrow, direction, policy = narrow, QBoxLayout.Direction, Qt.ScrollBarPolicy
        self.setFixedWidth(NARROW if narrow else WIDE)
        for each in (self._name, self._count, self._heading):
            each.setVisible(not narrow)
        side = 10 if narrow else _SIDE
        self._head.setContentsMargins(side, 6, side, 0)
        self._mark.setContentsMargins(18 if narrow else 20, 8, 17 if narrow else 8, 8)
        for entry in (*self.entries.values(), self.python):
            entry.show_narrow(narrow)
        # Where it is as needed, Qt keeps its room free beside cells.
        bar = policy.ScrollBarAlwaysOff if narrow else policy.ScrollBarAsNeeded
        for rows in (self._several.list, self.devices):
            rows.setVerticalScrollBarPolicy(bar)
        self._show_height()
        self._foot.setDirection(direction.BottomToTop if narrow else direction.LeftToRight)
        self._fold.setVisible(may_be_wide)
        meaning = tr("Make the rail wide") if narrow else tr("Make the rail narrow")
        self._fold.show_meaning(Icon.UNFOLD if narrow else Icon.FOLD, meaning, "Ctrl+B")

    def show_faces(
        self, machine: MachineState, faces: Sequence[CardFace], plugged_in: int
    ) -> None:
        """`plugged_in` are cards that cannot be read."""
        self.devices.show_faces([*faces, machine.host_face()])
        words = trn("{count} card", "{count} cards", len(faces)) if self.devices.many else ""
        self._count.show_text(words)
        absent = trn("{count} card, no driver", "{count} cards, no driver", plugged_in)
        self._absent.show_text(absent)
        self._absent.setVisible(machine.session.bare and plugged_in > 0 and not self._narrow)
        running = len(pids(machine.session.process_book.living()))
        self.entries["processes"].show_count(running)

    def open_menu(self) -> None:
        menu = self._commands.menu_of_program
        menu.popup(self._menu.mapToGlobal(QPoint(0, -menu.sizeHint().height() - 4)))

    def _show_height(self) -> None:
        """One machine needs no screen of all of them."""
        self.entries["machines"].setVisible(self._machines.several)
        self._several.show_room(self.height(), narrow=self._narrow)
        low = self.height() <= _LOW
        self.devices.show_room(narrow=self._narrow, low=low)
        for entry in self.entries.values():
            entry.setMinimumHeight(_LEAST_ENTRY if low else _LOW_ENTRY)

    def _on_screen_changed(self, name: str) -> None:
        for each, entry in self.entries.items():
            entry.setChecked(each == name)
        self._keys.offer(self.entries.get(name))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_height()


class _RailButton(ToolButton):
    """Narrow, the icon only."""

    def show_narrow(self, narrow: bool) -> None:
        self.show_compact(narrow)
        self.setIconSize(QSize(20 if narrow else 28, 20))
        restyle(self, "narrow", narrow)


class RailEntry(_RailButton):
    """Icon, word and, where there is one, a count."""

    def __init__(self, entry: Entry, number: int) -> None:
        super().__init__("screen", entry.icon, tr(entry.title))
        self._number = number
        self._count = label("", look().letters.caption, Tone.QUIET)
        self._count.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row(FREE, self._count, within=self, margins=(0, 0, 20, 0))
        self.setAutoRaise(True)
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.show_count(0)

    def show_count(self, count: int) -> None:
        name = f"{self.text()}, {count}" if count else self.text()
        self._count.setText(str(count or ""))
        self.setAccessibleName(name)
        self.setToolTip(f"{name} ({self._number})")

    def show_narrow(self, narrow: bool) -> None:
        super().show_narrow(narrow)
        self._count.setVisible(not narrow)

    def nextCheckState(self) -> None:
        """Which screen is shown is not for a click to say: the navigation says it."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), _ENTRY)


class RailMachines(QWidget):
    """Which machine the screens show, and how the others are. There only where there is more
    than one. A narrow rail has no room for names.
    """

    def __init__(self, machines: MachinesState, navigation: Navigation) -> None:
        super().__init__()
        self._machines, self._navigation = machines, navigation
        self._most, self._narrow = 1, False
        self.setAccessibleName(tr("Machines of this window"))
        self.setObjectName("rail.machines")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._heading = ElidedLabel(look().letters.caption, Tone.QUIET, tr("Machine"))
        self.list = QListWidget()
        self.list.setIconSize(QSize(24, 16))
        self.list.setProperty("kind", "bare")
        self.list.setAccessibleName(tr("Machine"))
        self.list.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.list.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        head = row(self._heading, FREE, margins=(_SIDE, 12, _SIDE, 4))
        column(head, row(self.list, margins=(16, 0, 8, 0)), within=self, gap=0)
        for signal in (self.list.clicked, self.list.activated):
            signal.connect(self._on_chosen)
        for signal in (machines.changed, look().changed):
            signal.connect(self._show)
        self._show()

    def show_room(self, height: int, *, narrow: bool) -> None:
        """So many are seen as a rail of this height has room for."""
        self._most, self._narrow = min(5, max(1, (height - 650) // 40)), narrow
        self._heading.setVisible(not narrow)
        self._show()

    def _show(self) -> None:
        """Where there is little room, the machine that is shown stands alone."""
        rows, at, letters = self._machines.rows(), self.list.currentRow(), look().letters
        self.list.clear()
        for each in rows:
            words = tr("{machine}: {state}", machine=each.name, state=tr(each.standing.word))
            name = "" if self._narrow else each.name
            item = QListWidgetItem(icon_of(*each.standing.sign), name, self.list)
            item.setSizeHint(QSize(0, _MACHINE))
            item.setToolTip(plain_tip(words))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
            item.setFont((letters.strong if each.shown else letters.body).font)
            if each.shown:
                item.setBackground(look().theme.selection)
        self.list.setCurrentRow(at)
        self.list.setFixedHeight(min(len(rows), self._most) * _MACHINE)
        self.list.scrollToItem(self.list.item([each.shown for each in rows].index(True)))
        self.setVisible(len(rows) > 1)

    def _on_chosen(self, index: QModelIndex) -> None:
        self._navigation.open_machine(self._machines.rows()[index.row()].key)


class DeviceListView(DeviceView):
    """Up to eight cards are named; of more, each is a cell in a row of eight."""

    def __init__(self, navigation: Navigation) -> None:
        super().__init__()
        self._navigation, self._model = navigation, DeviceList(self)
        self.narrow = self.many = False
        self.row_height = _ROW
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
        self.setViewportMargins(_AIR, 0, _AIR, 0)
        self.clicked.connect(self._on_chosen)
        self.activated.connect(self._on_chosen)
        navigation.screen_changed.connect(self.viewport().update)
        navigation.card_changed.connect(self.viewport().update)

    @property
    def chosen(self) -> CardId | None:
        """Which card is shown is not for a click to say: the navigation says it."""
        if self._navigation.screen != "card" or not self._model.faces:
            return None
        return self._navigation.card or self._model.faces[0].id

    def show_faces(self, faces: Sequence[CardFace]) -> None:
        self.many = len(faces) > MOST_COLOURED_CARDS + 1
        if self._model.show_faces(faces):
            flow = QListView.Flow
            self.setFlow(flow.LeftToRight if self.many else flow.TopToBottom)
            self.setWrapping(self.many)
            self.updateGeometry()

    def show_room(self, *, narrow: bool, low: bool) -> None:
        """Rows are lower in a low window."""
        self.narrow, self.row_height = narrow, _LOW_ROW if low else _ROW
        self.updateGeometry()
        self.scheduleDelayedItemsLayout()

    def _on_chosen(self, index: QModelIndex) -> None:
        self._navigation.open_card(index.data(DEVICE).id)

    def sizeHint(self) -> QSize:
        cards = max(0, self._model.rowCount() - 1)
        rows = -(-cards // _BOARD) * _BOARD_ROW if self.many else cards * self.row_height
        return QSize(WIDE, rows + self.row_height)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, _LOW_ROW)


class _DeviceDrawing(Delegate):
    """Chip, name, how busy, and a thin bar; of very many cards a cell, shaded that far."""

    def __init__(self, devices: DeviceListView) -> None:
        super().__init__(devices)
        self._devices = devices

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        devices = self._devices
        width = devices.width() - 2 * _AIR - (2 if devices.narrow else _BAR_ROOM)
        if devices.many and not index.data(DEVICE).host:
            return QSize(width // _BOARD, _BOARD_ROW)
        return QSize(width, devices.row_height)

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        devices, face, flag = self._devices, index.data(DEVICE), QStyle.StateFlag
        focused = option.state & flag.State_HasFocus
        if devices.many and not face.host:
            self._draw_cell(drawing, place.adjusted(0, 3, -2 + devices.narrow, -3), face)
            if face.id == devices.chosen or focused:
                drawing.focus_ring(place.adjusted(0, 3, -1, -3), 4)
            return
        place.setWidth(devices.viewport().width())
        ground = place.adjusted(0, 1, 0, -1)
        if face.id == devices.chosen or option.state & flag.State_MouseOver:
            drawing.filled(ground, drawing.theme.selection, 6)
        if focused:
            drawing.focus_ring(ground, 6)
        self._draw_row(drawing, place, face)

    def _draw_cell(self, drawing: Drawing, cell: QRectF, face: CardFace) -> None:
        """With its number, where there is room."""
        theme, number = (
            drawing.theme,
            Run(face.number, drawing.letters.caption, drawing.theme.text),
        )
        known = face.answers and face.busy_share is not None
        drawing.filled(cell, theme.heat(face.busy_share or 0.0) if known else theme.ground, 3)
        if face.warning is not None or not known:
            tone = theme.warn if known else theme.tone(face.word_tone)
            drawing.outlined(cell, QPen(tone, 1), 3)
        if number.width <= cell.width():
            drawing.centred(cell, number)

    def _draw_row(self, drawing: Drawing, place: QRectF, face: CardFace) -> None:
        theme, letters, middle = drawing.theme, drawing.letters, place.center()
        side, narrow, mark = _SIDE - _AIR, self._devices.narrow, face.mark
        wide, right = max(_CHIP, letters.badge.width(face.number) + 8), place.right() - side
        left = max(_TEXT_LEFT, side + wide + 8)
        chip = QRectF(side, middle.y() - 8, wide, _CHIP)
        track = QRectF(left, middle.y() + 8.5, right - left, _BAR)
        if narrow:
            chip.moveTo(middle.x() - wide / 2, middle.y() - 13)
            track = QRectF(middle.x() - 12, middle.y() + 10, 24, _BAR)
        colour, filled = theme.card(face.colour), face.colour is not None and face.answers
        wrong = mark is not None and mark.tone in (Tone.WARN, Tone.BAD)
        worry = mark if wrong and (face.answers or narrow) else None
        drawing.chip(chip, face.number, letters.badge, colour if filled else None)
        share, ink = face.busy_share or 0.0, faded(theme.quiet, 0.75) if face.host else colour
        drawing.bar(track, [(min(1.0, share), ink)])
        sign = QRectF(chip.right() - 7, chip.top() - 5, _SIGN, _SIGN)
        if not narrow:
            baseline, body = middle.y() + 2, letters.body
            unit = Run(f"{THIN_SPACE}{face.busy.unit}", letters.caption, theme.faint)
            runs = [Run(face.busy.number, body, theme.text), unit]
            if face.word:
                said = body.elided(face.word, right - left - 24)
                runs = [Run(said, body, theme.tone(face.word_tone))]
            room = drawing.runs_right(right, baseline, runs) - 6 - left
            name = Run(face.short_name, body, theme.text if face.answers else theme.faint)
            after = drawing.elided(left, baseline, name, room - (_SIGN + 6 if worry else 0))
            sign.moveTo(after + 6, baseline - body.cap_height / 2 - _SIGN / 2)
        elif worry is not None:
            drawing.filled(sign, theme.ground, _SIGN / 2)
        if worry is not None and worry.icon is not None:
            drawing.icon(worry.icon, sign, theme.tone(worry.tone))


class PythonFoot(_RailButton):
    """Which Python runs the lab, and how it is; opens the list of all there are. Shows nothing
    where no lab can run: in a recording, and on a host of a fleet.
    """

    def __init__(self) -> None:
        super().__init__("python")
        self.setObjectName("rail.python")
        self._lab: Lab | None = None
        self.setFont(look().letters.caption.font)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)
        self.hide()

    def show_lab(self, lab: Lab) -> None:
        """The lab of the session that is shown; another machine has Pythons of its own."""
        if (before := self._lab) is not None:
            before.pythons.changed.disconnect(self._on_changed)
            before.stage_changed.disconnect(self._on_changed)
        self._lab = lab
        lab.pythons.changed.connect(self._on_changed)
        lab.stage_changed.connect(self._on_changed)
        for sheet in self.window().findChildren(PythonSheet):
            sheet.reject()
        self.setVisible(not (lab.recorded or lab.machine.session.source.figures_alone))
        self._on_changed()

    def _on_changed(self) -> None:
        if (lab := self._lab) is None:
            return
        pythons, hint, tone = lab.pythons, "", Tone.QUIET
        passed_over = tr(pythons.passed_over)
        # How long a line runs is told where lines are run.
        stage = stage_words(lab.stage, tr(lab.sentence) if lab.stage is Stage.FAILED else "")
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
        elif usable := sum(each.usable for each in pythons.found):
            line = tr("{count} with PyTorch", count=usable)
        elif pythons.trouble:
            line, state, tone = tr("None with PyTorch"), tr("Choose one"), Tone.WARN
            hint, passed_over = tr(pythons.trouble), ""
        else:
            line, passed_over = tr("Not checked yet"), ""
        if passed_over:
            state, tone = tr("Not the one you chose"), Tone.WARN
        self.setIcon(icon_of(Icon.LAB if tone is Tone.QUIET else Icon.WARNING, tone))
        self.setText(f"{line}\n{state}")
        name = tr("Python of the lab: {name}", name=f"{line}, {state}")
        self.setAccessibleName(name)
        self.setToolTip("\n".join(filter(None, (name, hint, passed_over))))

    def _on_clicked(self) -> None:
        if self._lab is not None:
            PythonSheet(self._lab.pythons, self._lab, self.window()).open()
