"""MachineDrawing: the picture of a machine, and a list of its parts, in which the keyboard and
screen readers find what the mouse finds in the picture.
"""

from collections.abc import Collection, Mapping

from PySide6.QtCore import (
    QObject,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsItem,
    QGraphicsScene,
    QGraphicsSceneMouseEvent,
    QGraphicsView,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QStyleOptionGraphicsItem,
    QWidget,
)

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.reasons import Matter
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run, plain_tip
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, mixed
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import column, say, wrapped_label
from gpuexplorer.gui.widgets.machine.layout import (
    HUB_TITLE,
    Kind,
    MachineLayout,
    Part,
    Wire,
    layout_of,
    way_of,
)
from gpuexplorer.gui.widgets.machine.machine_faces import BoxFace, Face, Texts, WireFace
from gpuexplorer.telemetry.topology import MachineShape

MOST_DRAWN = 16  # cards; of more, only what is chosen is drawn, with the path between its ends
_MARGIN, _LEAST_WIDTH = 6.0, 320
_HUBS, _WIRES, _BOXES, LIT, BLOCK = range(5)  # what is drawn over what
_LIST_HEIGHT = 168
_REACH = 12.0  # as wide as a wire is to the mouse, at least
_IDLE, _CHOSEN, _TINT, _DASH, _RADIUS = 0.26, 0.12, 0.17, 3.0, 7.0
_WIDE, _LEAST_REMARK = 120.0, 24.0  # a tile with wider margins, and what is left for a remark


class MachineDrawing(QGraphicsView):
    """As high as it needs to be. `below` stands under it: the list, and what is not drawn."""

    chosen = Signal(object)
    opened = Signal(str)  # by a double click, or Enter in the list: a card, the host

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.drawn = MachineScene(self)
        self._shape: MachineShape | None = None
        self._alone: frozenset[CardId] = frozenset()
        self._chosen: Part | None = None
        self._made: dict[int, MachineLayout] = {}
        self._room = 0
        self.setScene(self.drawn)
        self.setAccessibleName(tr("The machine, drawn"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        for bar in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            bar(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for each in (self, self.viewport()):
            each.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.list = PartList()
        self._fold = link_button(tr("List the parts"), flush=True)
        self._fold.setCheckable(True)
        self._fold.toggled.connect(self.list.setVisible)
        self._left_out = wrapped_label("", Tone.QUIET)
        self.below = QWidget()
        left = Qt.AlignmentFlag.AlignLeft
        column(self._left_out, self._fold, left, self.list, within=self.below, gap=4)
        self.list.hide()
        for chosen in (self.drawn.chosen, self.list.chosen):
            chosen.connect(self._choose)
        for opened in (self.drawn.opened, self.list.opened):
            opened.connect(self._on_opened)
        look().changed.connect(self._on_look_changed)
        self._on_look_changed()

    def show_machine(self, shape: MachineShape, faces: Mapping[Part, Face]) -> None:
        self.drawn.show_faces(faces)
        self.list.show_faces(faces)
        if shape is not self._shape:
            self._shape = shape
            self._lay_out_anew()

    def show_chosen(self, part: Part | None) -> None:
        """Without telling anybody: who asks knows already."""
        if part != self._chosen:
            self._chosen = part
            cards = frozenset(part[1:3] if part else ()) - {HOST_ID, CardId("")}
            if part is None or not cards <= self._alone:
                self.draw_alone(cards)
            way = way_of(self._shape, part) if self._shape is not None and part else ()
            self.drawn.show_chosen(way)
            self.list.show_chosen(part)

    def draw_alone(self, cards: Collection[CardId]) -> None:
        """Where there are more cards than are drawn together."""
        alone = frozenset(cards)
        if alone != self._alone:
            self._alone = alone
            if self.cards is alone:
                self._lay_out_anew()

    def show_room(self, height: int) -> None:
        """How tall it may become where there is room; it takes what it needs in any case."""
        if height != self._room:
            self._room = height
            self._lay_out_anew()

    def place_of(self, part: Part) -> QRect:
        """In the view; empty where it is not drawn."""
        places = [each.place for each in self.drawn.parts if each.part == part]
        return self.mapFromScene(places[0]).boundingRect() if places else QRect()

    @property
    def cards(self) -> Collection[CardId]:
        """Those that are drawn."""
        shape = self._shape
        cards = () if shape is None else (*shape.home, *shape.loose)
        return cards if len(cards) <= MOST_DRAWN else self._alone

    @property
    def pixel_rate(self) -> float:
        """Bytes per second for a lane that is a pixel wide."""
        layout = self.drawn.layout
        return 0.0 if layout is None else layout.scale / layout.zoom

    def laid_out(self, layout: MachineLayout) -> None:
        """Anew: for another machine, or in another room."""

    def _layout_at(self, width: int) -> MachineLayout | None:
        if self._shape is None:
            return None
        if width not in self._made:
            if len(self._made) > 8:
                self._made.clear()
            across, room = max(_LEAST_WIDTH, width) - 2 * _MARGIN, self._room - 2 * _MARGIN
            self._made[width] = layout_of(self._shape, across, self.cards, room)
        return self._made[width]

    def _lay_out_anew(self) -> None:
        self._made.clear()
        self.updateGeometry()
        self._lay_out()

    def _lay_out(self) -> None:
        layout = self._layout_at(self.width())
        if layout is not None and self._shape is not None:
            if layout is not self.drawn.layout:
                self.drawn.show_layout(layout)
                parts = dict.fromkeys(each.part for each in self.drawn.parts)
                self.list.show_parts([*parts], self._chosen)
                self.laid_out(layout)
            cards = len((*self._shape.home, *self._shape.loose))
            left_out = tr(
                "{count} cards are too many for one drawing. The two ends of what is chosen, "
                "and the path between them, are drawn alone.",
                count=cards,
            )
            say(self._left_out, left_out if cards > MOST_DRAWN else "")
            self._fold.setVisible(bool(layout.boxes))
            self.fitInView(self.drawn.sceneRect(), Qt.AspectRatioMode.KeepAspectRatio)

    def _choose(self, part: Part) -> None:
        self.show_chosen(part)
        self.chosen.emit(part)

    def _on_opened(self, part: Part) -> None:
        if part.opens is not None:
            self.opened.emit(part.opens)

    def _on_look_changed(self) -> None:
        self.setBackgroundBrush(look().theme.surface)
        self.drawn.update()

    def sizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, self.heightForWidth(max(_LEAST_WIDTH, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, 0)

    def heightForWidth(self, width: int) -> int:
        layout = self._layout_at(width)
        if layout is None or not layout.boxes:
            return 0
        return round(layout.size.height() * layout.zoom + 2 * _MARGIN)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()


class PartList(QListWidget):
    """The same parts in words, one in each row."""

    chosen = Signal(object)
    opened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "menu")
        self.setAccessibleName(tr("Parts of the machine"))
        self.setFixedHeight(_LIST_HEIGHT)
        self.setWordWrap(True)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self._faces: Mapping[Part, Face] = {}
        self._parts: list[Part] = []
        self.itemSelectionChanged.connect(self._on_selection_changed)
        self.itemActivated.connect(self._on_activated)

    def show_parts(self, parts: list[Part], chosen: Part | None) -> None:
        self._parts = parts
        with QSignalBlocker(self):
            self.clear()
            self.addItems([""] * len(parts))
        self.show_faces(self._faces)
        self.show_chosen(chosen)

    def show_faces(self, faces: Mapping[Part, Face]) -> None:
        self._faces = faces
        for at, part in enumerate(self._parts):
            face = faces.get(part)
            words = (
                "" if face is None else tr("{name}: {words}", name=face.name, words=face.spoken)
            )
            if words != self.item(at).text():
                self.item(at).setText(words)

    def show_chosen(self, part: Part | None) -> None:
        with QSignalBlocker(self):
            self.clearSelection()
            if part in self._parts:
                self.setCurrentRow(self._parts.index(part))

    def _on_selection_changed(self) -> None:
        if self.selectedItems():
            self.chosen.emit(self._parts[self.currentRow()])

    def _on_activated(self, item: QListWidgetItem) -> None:
        self.opened.emit(self._parts[self.row(item)])


class MachineScene(QGraphicsScene):
    """An item for each part; also drawn into a file."""

    chosen = Signal(object)
    opened = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.layout: MachineLayout | None = None
        self.parts: list[PartItem] = []
        self._faces: Mapping[Part, Face] = {}
        self._chosen: Collection[Part] = ()

    def show_layout(self, layout: MachineLayout) -> None:
        for item in self.parts:
            self.removeItem(item)
        whole = QRectF(0, 0, layout.size.width(), layout.size.height())
        self.setSceneRect(whole.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN))
        self.layout, wires = layout, [WireItem(wire) for wire in layout.wires]
        self.parts = [*(BoxItem(*box) for box in layout.boxes), *wires]
        for item in self.parts:
            self.addItem(item)
        self._show()

    def show_faces(self, faces: Mapping[Part, Face]) -> None:
        self._faces = faces
        self._show()

    def show_chosen(self, parts: Collection[Part]) -> None:
        self._chosen = parts
        self._show()

    def _show(self) -> None:
        for item in self.parts:
            if item.part in self._faces:
                item.show_face(self._faces[item.part], chosen=item.part in self._chosen)

    def _tell(self, event: QGraphicsSceneMouseEvent, what: SignalInstance) -> None:
        found = [each for each in self.items(event.scenePos()) if isinstance(each, PartItem)]
        if found and event.button() is Qt.MouseButton.LeftButton:
            what.emit(found[0].part)

    @guarded
    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        self._tell(event, self.chosen)

    @guarded
    def mouseDoubleClickEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        self._tell(event, self.opened)


class PartItem(QGraphicsItem):
    """Drawn anew when its face is another."""

    def __init__(self, part: Part, place: QRectF, level: int) -> None:
        super().__init__()
        self.part, self.place = part, place
        self.shown: tuple[Face | None, bool] = None, False
        self.setZValue(level)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_face(self, face: Face, *, chosen: bool) -> None:
        if (face, chosen) != self.shown:
            self.shown = face, chosen
            self.setToolTip(plain_tip(f"{face.name}\n{face.spoken}"))
            self.update()

    def draw(self, drawing: Drawing, face: Face, *, chosen: bool) -> None:
        raise NotImplementedError

    def boundingRect(self) -> QRectF:
        return self.place

    @guarded
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        face, chosen = self.shown
        if face is not None:
            self.draw(Drawing(painter), face, chosen=chosen)


class BoxItem(PartItem):
    """Something with a name on it."""

    def __init__(self, part: Part, place: QRectF) -> None:
        # The figures of the wires that end in a hub stand on it.
        super().__init__(part, place, _HUBS if part.kind is Kind.HUB else _BOXES)

    def draw(self, drawing: Drawing, face: Face, *, chosen: bool) -> None:
        if not isinstance(face, BoxFace):
            return
        theme, painter, place = drawing.theme, drawing.painter, self.place
        edge = place.adjusted(0.5, 0.5, -0.5, -0.5)
        fill, pen = theme.hover, QPen(theme.line, 1)
        if face.card is not None:
            fill, pen = _tint(drawing, face.card)
        painter.setPen(pen)
        painter.setBrush(fill)
        painter.drawRoundedRect(edge, _RADIUS, _RADIUS)
        if face.card is not None:
            _draw_card(drawing, place, face, face.card)
        else:
            top = place.height() - HUB_TITLE if self.part.kind is Kind.HUB else 0.0
            _draw_title(drawing, place.adjusted(8, top, -8, 0), face)
        if chosen:
            painter.setPen(QPen(theme.text, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)


class WireItem(PartItem):
    """Lanes as wide as they are fast, as bright as they are used, with their words beside."""

    def __init__(self, wire: Wire) -> None:
        self._wire, self._touched = wire, QPainterPath()
        self._touched.setFillRule(Qt.FillRule.WindingFill)
        for lane in wire.lanes:
            self._touched.addPath(stroked(lane, wire.width + _REACH))
        self._touched.addRect(wire.words)
        self._outlines = [stroked(lane, wire.width) for lane in wire.lanes]
        super().__init__(wire.part, self._touched.boundingRect(), _WIRES)

    def shape(self) -> QPainterPath:
        return self._touched

    def draw(self, drawing: Drawing, face: Face, *, chosen: bool) -> None:
        if not isinstance(face, WireFace):
            return
        theme, painter, wire = drawing.theme, drawing.painter, self._wire
        if chosen:
            ground = mixed(theme.surface, theme.text, _CHOSEN)
            for lane in wire.lanes:
                painter.fillPath(stroked(lane, wire.width + 6), ground)
        idle = mixed(theme.surface, theme.quiet, _IDLE)
        for outline, now in zip(self._outlines, (face.forth, face.back), strict=False):
            if face.dark:
                pen = QPen(idle, 1, Qt.PenStyle.CustomDashLine, Qt.PenCapStyle.FlatCap)
                pen.setDashPattern((_DASH, _DASH))
                painter.strokePath(outline, pen)
            else:
                lit = mixed(idle, theme.card(now.colour), now.lit) if now.lit else idle
                painter.fillPath(outline, lit)
        self._draw_words(drawing, face)

    def _draw_words(self, drawing: Drawing, face: WireFace) -> None:
        """What it is and could carry, and what it carries: in two lines where there is room."""
        letters, room, part = drawing.letters.caption, self._wire.words, self.part
        rates = (tr("{rate} each way", rate=face.rate[0]), *face.rate) if face.rate else ()
        quiet = drawing.theme.quiet
        said = [
            [Run(fitting(texts, letters, room.width()), letters, ink)]
            for texts, ink in ((face.kind, drawing.theme.tone(face.tone)), (rates, quiet))
            if texts and part.kind is not Kind.SPOKE
        ]
        carried = _traffic(drawing, face, room.width())
        beside = part.to == HOST_ID or part.kind is Kind.UPLINK
        if not beside:
            space = Run("  ", letters, quiet)
            carried = carried[::-1] if part.kind is Kind.LINK else carried
            said, carried = (_joined(lines, space, room.width()) for lines in (said, carried))
        lines = [*said, *carried]
        height = letters.height + 1
        y = room.center().y() - height * len(lines) / 2 + (height + letters.cap_height) / 2
        for line in lines:
            spare = room.width() - sum(run.width for run in line)
            drawing.runs(room.left() + (0.0 if beside else spare / 2), y, line)
            y += height


def stroked(lane: QPainterPath, width: float) -> QPainterPath:
    """As wide as that, its corners as well."""
    stroker = QPainterPathStroker()
    stroker.setWidth(width)
    stroker.setCapStyle(Qt.PenCapStyle.FlatCap)
    stroker.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return stroker.createStroke(lane)


def fitting(texts: Texts, letters: Lettering, width: float) -> str:
    """The longest that fits; else the beginning of the shortest."""
    found = next((text for text in texts if letters.width(text) <= width), "")
    return found or (letters.elided(texts[-1], width) if texts else "")


def _traffic(drawing: Drawing, face: WireFace, width: float) -> list[list[Run]]:
    """ "in 3.12" and "out 0.41", with the unit where both have room for it."""
    theme, letters = drawing.theme, drawing.letters.caption
    lines = [
        [Run(f"{lane.word} ", letters, theme.quiet), Run(lane.figure, letters, theme.text)]
        for lane in (face.back, face.forth)
        if lane.figure
    ]
    unit = Run(" GB/s", letters, theme.quiet)
    if all(sum(run.width for run in (*line, unit)) <= width for line in lines):
        lines = [[*line, unit] for line in lines]
    reason = "" if lines else fitting(face.absent, letters, width)
    return [[Run(reason, letters, theme.faint)]] if reason else lines


def _joined(lines: list[list[Run]], space: Run, width: float) -> list[list[Run]]:
    """In one line where it is wide enough."""
    whole = [run for line in lines for run in (space, *line)][1:]
    return [whole] if whole and sum(run.width for run in whole) <= width else lines


def _draw_title(drawing: Drawing, place: QRectF, face: BoxFace) -> None:
    """Name and remark in one line, as much of it as fits."""
    theme, letters, small = drawing.theme, drawing.letters.body, drawing.letters.caption
    title = letters.elided(face.title, place.width())
    rest = place.width() - letters.width(title) - 8
    remark = small.elided(face.remark, rest) if rest > _LEAST_REMARK else ""
    taken = letters.width(title) + (small.width(remark) + 8 if remark else 0.0)
    y = place.center().y() + letters.cap_height / 2
    end = drawing.text(place.center().x() - taken / 2, y, Run(title, letters, theme.text))
    drawing.text(end + 8, y, Run(remark, small, theme.quiet))


def _tint(drawing: Drawing, card: CardFace) -> tuple[QColor, QPen]:
    """Of a card: in its colour, grey where it does not answer, in dashes where it is lost."""
    theme = drawing.theme
    fill, edge = theme.hover, theme.line
    if card.colour is not None:
        edge = theme.card(card.colour)
        fill = mixed(theme.surface, edge, _TINT)
    if not card.answers:
        fill, edge = theme.surface, theme.faint
    pen = QPen(edge, 1)
    if card.mark is not None and card.mark.matter in (Matter.LOST, Matter.UNLISTED):
        pen = QPen(theme.bad, 1, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern((_DASH, _DASH))
    return fill, pen


def _draw_card(drawing: Drawing, place: QRectF, face: BoxFace, card: CardFace) -> None:
    """Number and use; a bar; name; memory and a bar; power and temperature."""
    theme, letters, caption = drawing.theme, drawing.letters, drawing.letters.caption
    side = 10 if place.width() >= _WIDE else 7
    inner = place.adjusted(side, side, -side, -side)
    ink = None if card.colour is None else theme.card(card.colour)
    chip = QRectF(
        inner.left(), inner.top(), max(20.0, letters.strong.width(card.number) + 10), 20
    )
    drawing.chip(chip, card.number, letters.strong, ink if card.answers else None)
    # In the place of how busy it is, where that is not known.
    word = card.busy.absent if card.answers else (card.word,)
    room = inner.right() - chip.right() - 6
    beside = next((each for each in word if caption.width(each) <= room), "–")
    runs = [Run(beside, caption, theme.tone(card.word_tone))]
    if not word:
        unit = Run(f"{THIN_SPACE}{card.busy.unit}", caption, theme.quiet)
        runs = [Run(card.busy.number, letters.strong, theme.text), unit]
    drawing.runs_right(inner.right(), chip.center().y() + letters.body.cap_height / 2, runs)
    y = _draw_bar(drawing, inner, chip.bottom() + 7, card.busy_share, ink)
    y = _draw_line(drawing, inner, y, (face.title,), theme.quiet, card.cuda)
    amount = card.memory.figure
    held = (amount.value, amount.shorter.value) if amount.known else amount.absent
    if not card.answers:
        held = word if beside == "–" else ("",)
    y = _draw_line(drawing, inner, y, held, theme.text if card.answers else theme.quiet)
    if card.answers:
        y = _draw_bar(drawing, inner, y + 1, card.memory.used, ink)
    small = face.small
    if len(small) == 2 and sum(caption.width(each[0]) for each in small) < inner.width():
        _draw_line(drawing, inner, y, small[0], theme.quiet, small[1][0])
    else:
        for texts in small:
            y = _draw_line(drawing, inner, y, texts, theme.quiet)


def _draw_line(
    drawing: Drawing, inner: QRectF, top: float, texts: Texts, ink: QColor, right: str = ""
) -> float:
    """What is at its end is left out where there is no room. Returns where the next begins."""
    letters, y = drawing.letters.caption, top + drawing.letters.caption.ascent
    run = Run(fitting(texts, letters, inner.width()), letters, ink)
    end = drawing.text(inner.left(), y, run)
    if letters.width(right) < inner.right() - end:
        drawing.runs_right(inner.right(), y, [Run(right, letters, ink)])
    return top + letters.height + 1


def _draw_bar(
    drawing: Drawing, inner: QRectF, top: float, share: float | None, ink: QColor | None
) -> float:
    """Returns where the next line begins."""
    bar = QRectF(inner.left(), top, inner.width(), 4)
    if share is None:
        drawing.no_bar(bar)
    else:
        drawing.bar(bar, ((share, ink or drawing.theme.level),))
    return bar.bottom() + 5
