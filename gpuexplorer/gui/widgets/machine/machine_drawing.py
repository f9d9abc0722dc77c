"""MachineDrawing: the picture of a machine, and a list of its parts, in which the keyboard and
screen readers find what the mouse finds in the picture.
"""

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsPathItem,
    QGraphicsScene,
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
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run, plain_tip
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import Theme, Tone, mixed
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
_WIDE_FROM, _WIDTHS = 800, (660.0, 860.0)  # of the view, and of what is drawn in it
_REACH = 12.0  # as wide as a wire is to the mouse, at least
_IDLE, _CHOSEN, _TINT = 0.26, 0.12, 0.17
_RADIUS, _AIR, _BAR = 7.0, 7.0, 4.0


class MachineDrawing(QGraphicsView):
    """As high as it needs to be. `below` stands under it: the list, and what is not drawn."""

    chosen = Signal(object)
    opened = Signal(str)  # by a double click, or Enter in the list: a card, the host

    def __init__(self, largest: float = 1.3) -> None:
        """`largest`: how much of a few cards is made where there is room."""
        super().__init__()
        self.drawn = QGraphicsScene(self)
        self.plan: MachineLayout | None = None
        self.parts: list[PartItem] = []
        self._largest, self._wide = largest, False
        self._shape: MachineShape | None = None
        self._faces: Mapping[Part, Face] = {}
        self._alone: frozenset[CardId] = frozenset()
        self._chosen: Part | None = None
        self.setScene(self.drawn)
        self.setAccessibleName(tr("The machine, drawn"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        for bar in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            bar(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for each in (self, self.viewport()):
            each.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.list = QListWidget()
        self.list.setProperty("kind", "menu")
        self.list.setAccessibleName(tr("Parts of the machine"))
        self.list.setFixedHeight(_LIST_HEIGHT)
        self.list.setWordWrap(True)
        self.list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.list.hide()
        self._fold = link_button(tr("List the parts"), flush=True)
        self._fold.setCheckable(True)
        self._fold.toggled.connect(self.list.setVisible)
        self._left_out = wrapped_label("", Tone.QUIET)
        self.below = QWidget()
        left = Qt.AlignmentFlag.AlignLeft
        column(self._left_out, self._fold, left, self.list, within=self.below, gap=4)
        self.list.itemSelectionChanged.connect(self._on_selection_changed)
        self.list.itemActivated.connect(self._on_activated)

    def show_machine(self, shape: MachineShape, faces: Mapping[Part, Face]) -> None:
        self._faces = faces
        if shape is not self._shape:
            self._shape = shape
            self._lay_out()
        self._show()

    def show_chosen(self, part: Part | None) -> None:
        """Without telling anybody: who asks knows already."""
        if part != self._chosen:
            self._chosen = part
            cards = frozenset(part[1:3] if part else ()) - {HOST_ID, CardId("")}
            if part is None or not cards <= self._alone:
                self.draw_alone(cards)
            self._select()
            self._show()

    def draw_alone(self, cards: Collection[CardId]) -> None:
        """Where there are more cards than are drawn together."""
        alone = frozenset(cards)
        if alone != self._alone:
            self._alone = alone
            if self.cards is alone:
                self._lay_out()
                self._show()

    @property
    def cards(self) -> Collection[CardId]:
        """Those that are drawn."""
        shape = self._shape
        cards = () if shape is None else (*shape.home, *shape.loose)
        return cards if len(cards) <= MOST_DRAWN else self._alone

    def laid_out(self) -> None:
        """Anew, for another machine."""

    def _lay_out(self) -> None:
        if self._shape is None:
            return
        self._wide = self.width() >= _WIDE_FROM
        self.plan = plan = layout_of(self._shape, self.cards, _WIDTHS[self._wide])
        for item in self.parts:
            self.drawn.removeItem(item)
        boxes, wires = (BoxItem(*box) for box in plan.boxes), map(WireItem, plan.wires)
        self.parts = [*boxes, *wires]
        for item in self.parts:
            self.drawn.addItem(item)
        whole = QRectF(QPointF(), plan.size)
        self.drawn.setSceneRect(whole.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN))
        with QSignalBlocker(self.list):
            self.list.clear()
            self.list.addItems([""] * len(self._listed()))
        self._select()
        count = len((*self._shape.home, *self._shape.loose))
        left_out = tr(
            "{count} cards are too many for one drawing. The two ends of what is chosen, "
            "and the path between them, are drawn alone.",
            count=count,
        )
        say(self._left_out, left_out if count > MOST_DRAWN else "")
        self._fold.setVisible(bool(plan.boxes))
        self.updateGeometry()
        self._fit()
        self.laid_out()

    def _listed(self) -> Sequence[Part]:
        """One in each row of the list."""
        return [*dict.fromkeys(each.part for each in self.parts)]

    def _show(self) -> None:
        chosen, shape = self._chosen, self._shape
        way = way_of(shape, chosen) if shape is not None and chosen is not None else ()
        for item in self.parts:
            item.show_face(self._faces[item.part], chosen=item.part in way)
        for row, part in enumerate(self._listed()):
            face = self._faces[part]
            whole = tr("{name}: {words}", name=face.name, words=face.spoken)
            self.list.item(row).setText(whole if face.spoken else face.name)

    def _select(self) -> None:
        parts = self._listed()
        with QSignalBlocker(self.list):
            self.list.clearSelection()
            if self._chosen in parts:
                self.list.setCurrentRow(parts.index(self._chosen))

    def _choose(self, part: Part) -> None:
        self.show_chosen(part)
        self.chosen.emit(part)

    def _open(self, part: Part) -> None:
        if part.kind in (Kind.CARD, Kind.SOCKET, Kind.MEMORY):
            self.opened.emit(part.card or HOST_ID)

    def _on_selection_changed(self) -> None:
        if self.list.selectedItems():
            self._choose(self._listed()[self.list.currentRow()])

    def _on_activated(self, item: QListWidgetItem) -> None:
        self._open(self._listed()[self.list.row(item)])

    def _fit(self) -> None:
        self.fitInView(self.sceneRect(), Qt.AspectRatioMode.KeepAspectRatio)

    def sizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, self.heightForWidth(max(_LEAST_WIDTH, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, 0)

    def heightForWidth(self, width: int) -> int:
        drawn = self.sceneRect()
        return round(drawn.height() * min(self._largest, width / max(1.0, drawn.width())))

    def _part_at(self, event: QMouseEvent) -> Part | None:
        found = [x for x in self.items(event.position().toPoint()) if isinstance(x, PartItem)]
        left = event.button() is Qt.MouseButton.LeftButton
        return found[0].part if found and left else None

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if part := self._part_at(event):
            self._choose(part)

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if part := self._part_at(event):
            self._open(part)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._wide is not (self.width() >= _WIDE_FROM):
            self._lay_out()
            self._show()
        self._fit()


class PartItem(QGraphicsPathItem):
    """Its path is where it is touched. Drawn anew when its face is another."""

    def __init__(self, part: Part, touched: QPainterPath, level: int) -> None:
        super().__init__(touched)
        self.part = part
        self._shown: tuple[Face | None, bool] = None, False
        self.setPen(Qt.PenStyle.NoPen)
        self.setZValue(level)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_face(self, face: Face, *, chosen: bool) -> None:
        if (face, chosen) != self._shown:
            self._shown = face, chosen
            self.setToolTip(plain_tip(f"{face.name}\n{face.spoken}"))
            self.update()

    def draw(self, drawing: Drawing, face: Face, *, chosen: bool) -> None:
        raise NotImplementedError

    @guarded
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        face, chosen = self._shown
        if face is not None:
            self.draw(Drawing(painter), face, chosen=chosen)


class BoxItem(PartItem):
    """Something with a name on it."""

    def __init__(self, part: Part, place: QRectF) -> None:
        path = QPainterPath()
        path.addRect(place)
        # The figures of the wires that end in a hub stand on it.
        super().__init__(part, path, _HUBS if part.kind is Kind.HUB else _BOXES)

    def draw(self, drawing: Drawing, face: Face, *, chosen: bool) -> None:
        assert isinstance(face, BoxFace)
        theme, place = drawing.theme, self.boundingRect()
        fill, pen = _tint(theme, face.card)
        drawing.filled(place.adjusted(0.5, 0.5, -0.5, -0.5), fill, _RADIUS)
        drawing.outlined(place, QPen(theme.text, 2) if chosen else pen, _RADIUS)
        if face.card is not None:
            _draw_card(drawing, place.adjusted(_AIR, _AIR, -_AIR, -_AIR), face, face.card)
            return
        top = place.height() - HUB_TITLE if self.part.kind is Kind.HUB else 0.0
        title = Run(face.title, drawing.letters.body, theme.text)
        remark = Run(f"  {face.remark}", drawing.letters.caption, theme.quiet)
        _draw_line(drawing, place.adjusted(_AIR, top, -_AIR, 0), [title, remark], 0.5)


class WireItem(PartItem):
    """Lanes as wide as they are fast, as bright as they are used, with their words beside."""

    def __init__(self, wire: Wire) -> None:
        self._wire, touched = wire, QPainterPath()
        touched.setFillRule(Qt.FillRule.WindingFill)
        for lane in wire.lanes:
            touched.addPath(stroked(lane, wire.width + _REACH))
        touched.addRect(wire.words)
        super().__init__(wire.part, touched, _WIRES)

    def draw(self, drawing: Drawing, face: Face, *, chosen: bool) -> None:
        assert isinstance(face, WireFace)
        theme, painter, wire = drawing.theme, drawing.painter, self._wire
        idle = mixed(theme.surface, theme.quiet, _IDLE)
        for lane in wire.lanes if chosen else ():
            around = mixed(theme.surface, theme.text, _CHOSEN)
            painter.fillPath(stroked(lane, wire.width + 6), around)
        for lane, now in zip(wire.lanes, (face.forth, face.back), strict=False):
            outline = stroked(lane, wire.width)
            if face.dark:
                painter.strokePath(outline, QPen(idle, 1, Qt.PenStyle.DashLine))
            else:
                painter.fillPath(outline, mixed(idle, theme.card(now.colour), now.lit))
        self._draw_words(drawing, face)

    def _draw_words(self, drawing: Drawing, face: WireFace) -> None:
        """What it is and could carry, and what it carries: what comes in is told first."""
        letters, room, theme = drawing.letters.caption, self._wire.words, drawing.theme
        beside = self.part.to == HOST_ID or self.part.kind is Kind.UPLINK
        bridge = self.part.kind is Kind.LINK and not beside
        lanes = (face.forth, face.back) if bridge else (face.back, face.forth)
        carried = [
            [Run(f"{each.word} ", letters, theme.quiet), Run(each.figure, letters, theme.text)]
            for each in lanes
            if each.figure
        ]
        said = [(face.kind, theme.tone(face.tone)), (face.rate, theme.quiet)]
        if self.part.kind is Kind.SPOKE:
            said = []  # its hub tells
        said.append((() if carried else face.absent, theme.faint))
        width = room.width()
        words = [
            [Run(_fitting(each, letters, width), letters, ink)] for each, ink in said if each
        ]
        lines, height = [*words, *carried], letters.height + 1
        top = room.center().y() - height * len(lines) / 2
        for at, line in enumerate(lines):
            place = QRectF(room.left(), top + at * height, room.width(), height)
            _draw_line(drawing, place, line, 0.0 if beside else 0.5)


def stroked(lane: QPainterPath, width: float) -> QPainterPath:
    """As wide as that, its corners as well."""
    stroker = QPainterPathStroker()
    stroker.setWidth(width)
    stroker.setCapStyle(Qt.PenCapStyle.FlatCap)
    stroker.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return stroker.createStroke(lane)


def _fitting(texts: Texts, letters: Lettering, width: float) -> str:
    """The longest that fits; else the beginning of the shortest."""
    found = next((text for text in texts if letters.width(text) <= width), "")
    return found or letters.elided(texts[-1], width)


def _draw_line(drawing: Drawing, place: QRectF, runs: Sequence[Run], aside: float) -> None:
    """As much as fits; `aside` is how much of the room that is left stands before it."""
    left, shown = place.width(), []
    for run in runs:
        shown.append(Run(run.letters.elided(run.text, left), run.letters, run.colour))
        left -= shown[-1].width
    y = place.center().y() + runs[0].letters.cap_height / 2
    drawing.runs(place.left() + aside * left, y, shown)


def _tint(theme: Theme, card: CardFace | None) -> tuple[QColor, QPen]:
    """Of a card in its colour, grey where it does not answer, in dashes where it is lost."""
    if card is None or (card.answers and card.colour is None):
        return theme.hover, QPen(theme.line, 1)
    ink = theme.card(card.colour)
    if card.answers:
        return mixed(theme.surface, ink, _TINT), QPen(ink, 1)
    lost = card.word_tone is Tone.BAD
    dashes = Qt.PenStyle.DashLine if lost else Qt.PenStyle.SolidLine
    return theme.surface, QPen(theme.tone(card.word_tone), 1, dashes)


def _draw_card(drawing: Drawing, inner: QRectF, face: BoxFace, card: CardFace) -> None:
    """Number and use; a bar; name; memory and a bar; power and temperature."""
    theme, strong, caption = drawing.theme, drawing.letters.strong, drawing.letters.caption
    ink = theme.level if card.colour is None else theme.card(card.colour)
    chip = QRectF(inner.left(), inner.top(), max(20.0, strong.width(card.number) + 6), 20)
    filled = card.answers and card.colour is not None
    drawing.chip(chip, card.number, strong, ink if filled else None)
    beside = QRectF(chip.right() + 3, chip.top(), inner.right() - chip.right() - 3, 20)
    busy = [Run(card.busy.number, strong, theme.text)]
    unit = Run(f"{THIN_SPACE}{card.busy.unit}", caption, theme.quiet)
    busy += [unit] if busy[0].width + unit.width <= beside.width() else []
    if card.busy.absent:
        why = _fitting(card.busy.absent, caption, beside.width())
        busy = [Run(why, caption, theme.faint)]
    if card.answers:
        _draw_line(drawing, beside, busy, 1.0)
    y = _draw_bar(drawing, inner, chip.bottom() + 6, card.busy_share, ink)
    y = _draw_texts(drawing, inner, y, ((face.title,), (card.cuda,)), theme.quiet)
    if not card.answers:
        _draw_texts(drawing, inner, y, ((card.word,),), theme.tone(card.word_tone))
        return
    amount = card.memory.figure
    held = (amount.value, amount.shorter.value) if amount.known else amount.absent
    y = _draw_texts(drawing, inner, y, (held,), theme.text)
    y = _draw_bar(drawing, inner, y + 1, card.memory.used, ink)
    _draw_texts(drawing, inner, y, face.small, theme.quiet)


def _draw_texts(
    drawing: Drawing, inner: QRectF, top: float, said: Sequence[Texts], ink: QColor
) -> float:
    """Two in one line where they fit. Returns where the next begins."""
    letters, room = drawing.letters.caption, inner.width()
    together = sum(letters.width(each[0]) + _AIR for each in said) <= room + _AIR
    for at, texts in enumerate(said):
        line = QRectF(inner.left(), top, room, letters.height + 1)
        run = Run(_fitting(texts, letters, room), letters, ink)
        _draw_line(drawing, line, [run], float(together and at > 0))
        if not together or texts is said[-1]:
            top = line.bottom()
    return top


def _draw_bar(
    drawing: Drawing, inner: QRectF, top: float, share: float | None, ink: QColor
) -> float:
    """Returns where the next line begins."""
    bar = QRectF(inner.left(), top, inner.width(), _BAR)
    if share is None:
        drawing.no_bar(bar)
    else:
        drawing.bar(bar, ((share, ink),))
    return bar.bottom() + _BAR
