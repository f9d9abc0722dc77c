"""RailDevices: every card of the machine below the screens, and the computer itself."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPen, QResizeEvent
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem, QWidget

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import DEVICE, CardFace, DeviceList, DeviceView
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Delegate, Drawing, Index, Run
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS, Tone, faded
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel

BOARD = 8
DEVICE_HEIGHT, BOARD_HEIGHT = 40, 28
_SIDE, _NARROW_SIDE, _TEXT_LEFT = 20, 14, 52.0
_CHIP, _BAR, _WARNING = 20.0, 3.0, 14.0
# Of boards: what stands left of them, and their cells.
_LABEL, _BESIDE_LABEL, _NARROW_BOARD = 49.0, 8.0, 8.0
_CELL, _RADIUS = 16.0, 1.5
_AROUND = 4  # what a list in rows takes beside them


class RailDevices(QWidget):
    """Up to eight cards are named; of more, each is a cell in a row of eight."""

    def __init__(self, navigation: Navigation) -> None:
        super().__init__()
        self._navigation = navigation
        self._narrow = self._looked_at = False
        self._heading = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._count = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._absent = ElidedLabel(look().letters.body, Tone.FAINT)
        self._absent.setContentsMargins(_SIDE, 6, _SIDE, 6)
        self._absent.hide()
        self.list = DeviceListView()
        self.list.clicked.connect(self._on_chosen)
        self.list.activated.connect(self._on_chosen)
        self._head = row(self._heading, FREE, self._count)
        parts = (self._head, self._absent, self.list, GROWS)
        column(*parts, within=self, gap=0, margins=(0, 0, 0, 8))
        self._show_heading()
        navigation.screen_changed.connect(self._mark)
        navigation.card_changed.connect(self._mark)

    def show_faces(self, faces: Sequence[CardFace], host: CardFace) -> None:
        self.list.show_faces([*faces, host])
        count = len(faces)
        words = trn("{count} card", "{count} cards", count) if self.list.many else ""
        if self.list.many and count % BOARD == 0:
            boards = count // BOARD
            words = trn(
                "{count} board of {size}", "{count} boards of {size}", boards, size=BOARD
            )
        self._count.show_text(words)
        self._mark()

    def show_past(self, looked_at: bool) -> None:
        """While the plots show an earlier time, this is of now all the same."""
        self._looked_at = looked_at
        self._show_heading()

    def _show_heading(self) -> None:
        """Where there is no room for names only that they are of now is said."""
        side = _NARROW_SIDE if self._narrow else _SIDE
        self._head.setContentsMargins(side, 16, side, 6)
        long = tr("Devices now") if self._looked_at else tr("Devices")
        self._heading.show_text(tr("now") if self._narrow else long)
        self._heading.setVisible(self._looked_at or not self._narrow)

    def show_absent(self, words: str) -> None:
        """What is plugged in and not read; empty where there is nothing of the kind."""
        self._absent.show_text(words)
        self._absent.setVisible(bool(words) and not self._narrow)

    def show_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        self.list.show_narrow(narrow)
        self._show_heading()
        self._count.setVisible(not narrow)
        self.show_absent(self._absent.text())

    def _mark(self) -> None:
        """Which card is shown is not for a click to say: the navigation says it."""
        chosen = None
        if self._navigation.screen == "card":
            first = next((each.id for each in self.list.faces), HOST_ID)
            chosen = self._navigation.card or first
        self.list.mark(chosen)

    def _on_chosen(self, index: QModelIndex) -> None:
        self._navigation.open_card(self.list.faces[index.row()].id)


class DeviceListView(DeviceView):
    """Left and right go from card to card, also through boards, and up and down."""

    def __init__(self) -> None:
        super().__init__()
        self.look = look()
        self.narrow = self.many = False
        self.chosen: CardId | None = None
        self.board = (0.0, 0.0)
        self._model = DeviceList(self)
        self.setProperty("kind", "bare")
        self.setAccessibleName(tr("Devices"))
        self.setModel(self._model)
        self.setItemDelegate(_DeviceDrawing(self))
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.setMouseTracking(True)
        look().changed.connect(self._measure)

    @property
    def faces(self) -> Sequence[CardFace]:
        return self._model.faces

    def show_faces(self, faces: Sequence[CardFace]) -> None:
        self.many = len(faces) > MOST_COLOURED_CARDS + 1
        if self._model.show_faces(faces):
            self._measure()
            flow = QListView.Flow
            self.setFlow(flow.LeftToRight if self.many else flow.TopToBottom)
            self.setWrapping(self.many)

    def show_narrow(self, narrow: bool) -> None:
        self.narrow = narrow
        self._measure()

    def mark(self, chosen: CardId | None) -> None:
        if chosen != self.chosen:
            self.chosen = chosen
            self.viewport().update()

    def label(self, at: int) -> str:
        """What the board is called that begins with this card: "0–7"."""
        chips = [face.number for face in self._model.faces[at : at + BOARD] if not face.host]
        return chips[0] if len(chips) == 1 else f"{chips[0]}–{chips[-1]}"

    def _measure(self) -> None:
        """Where the first cell of a board begins, and how far it is to the next."""
        left, right, gap, letters = _NARROW_BOARD, _NARROW_BOARD, 1, self.look.letters.caption
        if not self.narrow:
            starts = range(0, len(self.faces) - 1, BOARD)
            labels = [letters.width(self.label(at)) + _BESIDE_LABEL for at in starts]
            left, right, gap = _SIDE + max([_LABEL, *labels]), _SIDE, 2
        cards = max(0, len(self.faces) - 1)
        rows = -(-cards // BOARD) * BOARD_HEIGHT if self.many else cards * DEVICE_HEIGHT
        # As needed, Qt would keep its room free beside boards. And where chips stand in the
        # middle, a bar beside them would push them out of it.
        fits = self.narrow or rows + DEVICE_HEIGHT <= self.height()
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOff if fits else policy.ScrollBarAlwaysOn
        )
        self.board = left, (self.viewport().width() - left - right + gap) / BOARD
        self.scheduleDelayedItemsLayout()

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


class _DeviceDrawing(Delegate):
    """Chip, name, how busy, and a thin bar; of very many cards a cell, filled that far."""

    def __init__(self, devices: DeviceListView) -> None:
        super().__init__(devices)
        self._devices = devices

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        devices, at = self._devices, index.row()
        width = devices.viewport().width() - _AROUND
        if not devices.many or devices.faces[at].host:
            return QSize(width, DEVICE_HEIGHT)
        left, step = devices.board
        edges = [0, *(round(left + each * step) for each in range(1, BOARD)), width]
        return QSize(edges[at % BOARD + 1] - edges[at % BOARD], BOARD_HEIGHT)

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        face, devices = index.data(DEVICE), self._devices
        if not isinstance(face, CardFace):
            return
        focused = devices.hasFocus() and devices.currentIndex() == index
        if devices.many and not face.host:
            self._draw_in_board(drawing, place, index.row(), face, focused)
        else:
            place.setWidth(devices.viewport().width())
            ground = place.adjusted(8, 1, -8, -1)
            pointed = option.state & QStyle.StateFlag.State_MouseOver
            if face.id == devices.chosen or pointed:
                drawing.filled(ground, drawing.theme.selection, 6)
            if focused:
                drawing.focus_ring(ground, 6)
            (_draw_narrow if devices.narrow else _draw_wide)(drawing, place, face)

    def _draw_in_board(
        self, drawing: Drawing, place: QRectF, at: int, face: CardFace, focused: bool
    ) -> None:
        devices, theme = self._devices, drawing.theme
        (left, step), letters = devices.board, drawing.letters.caption
        x = place.left()
        if at % BOARD == 0:
            x += left
            if not devices.narrow:
                baseline = place.center().y() + letters.cap_height / 2
                drawing.text(_SIDE, baseline, Run(devices.label(at), letters, theme.quiet))
        gap = 1 if devices.narrow else 2
        # Whole pixels: a row of eight must not look like eight widths.
        cell = QRectF(round(x), place.center().y() - _CELL / 2, max(3, int(step - gap)), _CELL)
        _draw_cell(drawing, cell, face)
        if face.id == devices.chosen:
            drawing.painter.setPen(QPen(theme.text, 1))
            drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
            around = cell.adjusted(-1, -1, 1, 1)
            drawing.painter.drawRoundedRect(around, _RADIUS + 1, _RADIUS + 1)
        if focused:
            drawing.focus_ring(cell.adjusted(-3, -3, 3, 3), _RADIUS + 3)


def _draw_wide(drawing: Drawing, place: QRectF, face: CardFace) -> None:
    theme, letters, middle = drawing.theme, drawing.letters, place.center().y()
    wide = max(_CHIP, letters.badge.width(face.number) + 8)
    _draw_chip(drawing, QRectF(_SIDE, middle - 8, wide, _CHIP), face)
    left, right, baseline = max(_TEXT_LEFT, _SIDE + wide + 8), place.right() - _SIDE, middle + 2
    if face.word:
        said = letters.body.elided(face.word, right - left - 24)
        runs = [Run(said, letters.body, theme.tone(face.word_tone))]
    else:
        unit = Run(f"{THIN_SPACE}{face.busy.unit}", letters.caption, theme.faint)
        runs = [Run(face.busy.number, letters.body, theme.text), unit]
    end = drawing.runs_right(right, baseline, runs)
    room = end - 6 - left - (0 if face.warning is None else _WARNING + 6)
    name = letters.body.elided(face.short_name, room)
    ink = theme.text if face.answers else theme.faint
    after = drawing.text(left, baseline, Run(name, letters.body, ink))
    if face.warning is not None:
        top = baseline - letters.body.cap_height / 2 - _WARNING / 2
        drawing.icon(face.warning, QRectF(after + 6, top, _WARNING, _WARNING), theme.warn)
    _draw_bar(drawing, QRectF(left, middle + 8.5, right - left, _BAR), face)


def _draw_narrow(drawing: Drawing, place: QRectF, face: CardFace) -> None:
    theme, middle, painter = drawing.theme, place.center(), drawing.painter
    wide = max(_CHIP, drawing.letters.badge.width(face.number) + 8)
    chip = QRectF(middle.x() - wide / 2, middle.y() - 13, wide, _CHIP)
    _draw_chip(drawing, chip, face)
    _draw_bar(drawing, QRectF(middle.x() - 12, middle.y() + 10, 24, _BAR), face)
    painter.setPen(Qt.PenStyle.NoPen)
    if face.warning is not None:
        painter.setBrush(theme.ground)
        corner = QRectF(chip.right() - 7, chip.top() - 5, 14, 14)
        painter.drawEllipse(corner)
        drawing.icon(face.warning, corner.adjusted(1, 1, -1, -1), theme.warn)
    elif face.word_tone is not Tone.FAINT:
        painter.setBrush(theme.tone(face.word_tone))
        painter.drawEllipse(QRectF(chip.right() - 4, chip.top() - 3, 7, 7))


def _draw_chip(drawing: Drawing, place: QRectF, face: CardFace) -> None:
    filled = face.colour is not None and face.answers
    fill = drawing.theme.card(face.colour) if filled else None
    drawing.chip(place, face.number, drawing.letters.badge, fill)


def _draw_bar(drawing: Drawing, track: QRectF, face: CardFace) -> None:
    theme, painter = drawing.theme, drawing.painter
    colour: QColor = faded(theme.quiet, 0.75) if face.host else theme.card(face.colour)
    drawing.filled(track, theme.selection, _BAR / 2)
    if face.busy_share:
        track.setWidth(max(_BAR, min(1.0, face.busy_share) * track.width()))
        painter.setBrush(colour)
        painter.drawRoundedRect(track, _BAR / 2, _BAR / 2)


def _draw_cell(drawing: Drawing, place: QRectF, face: CardFace) -> None:
    theme, painter = drawing.theme, drawing.painter
    if not face.answers or face.busy_share is None:
        worrying = face.word_tone is not Tone.FAINT
        painter.setPen(QPen(theme.tone(face.word_tone) if worrying else theme.line, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        return
    drawing.filled(place, theme.selection, _RADIUS)
    filled = max(1, round(min(1.0, face.busy_share) * _CELL))
    place.setTop(place.bottom() - filled)
    painter.setBrush(theme.level if face.warning is None else theme.warn)
    painter.drawRoundedRect(place, min(_RADIUS, filled / 2), min(_RADIUS, filled / 2))
