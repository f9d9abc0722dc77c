"""TravelPanel: the machine with the copy that travels through it, slowed, and its figures."""

from collections.abc import Sequence
from dataclasses import replace
from string import Template
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import QHideEvent, QPainterPath, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QGraphicsPathItem, QProgressBar, QWidget

from gpuexplorer.copies.jobs import HOST
from gpuexplorer.core.units import bytes_words, duration, gigabytes_per_second, short
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.copies.copies_page import factor_words
from gpuexplorer.gui.copies.moving.moved import SMALL, CopiesNow, Moved
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.devices import chip_of
from gpuexplorer.gui.state.wiring import WiringAnswer
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, mixed
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Space, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel, Line, Tag
from gpuexplorer.gui.widgets.live_view import EmptyState, scrolled
from gpuexplorer.gui.widgets.machine.layout import (
    UNKNOWN_WIDTH,
    Hop,
    Kind,
    MachineLayout,
    Part,
    between,
    path_of,
)
from gpuexplorer.gui.widgets.machine.machine_drawing import LIT, MachineDrawing, stroked
from gpuexplorer.gui.widgets.machine.machine_faces import (
    IDLE,
    WireFace,
    machine_faces,
    machine_now,
)
from gpuexplorer.gui.widgets.painted import ChipRow
from gpuexplorer.gui.widgets.sheets.sheet import line_between

_FLOWING = 1200  # milliseconds for which a lane stays lit
_SHOWN_SECONDS = 2.1
_LEAST_HEIGHT, _BESIDE, _HEAD, _FIGURE, _BAR, _MOST_TITLE = 160, 60, 32, 40, 8, 240
_BLOCK, _PADDING, _MOST_NAME, _BOX_RADIUS = 24, 16, 110, 6.0
_FLOW = 0.62  # how much of its colour what only flows beside has


class Playback(QVariantAnimation):
    """Where the block of a slowed copy is just now; held while nobody sees it."""

    moved = Signal()  # the block, or whether it moves

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, startValue=0.0, endValue=1.0)
        self.seconds = 0.0  # that one copy took; 0: there is nothing to travel
        self.valueChanged.connect(self.moved)
        self.stateChanged.connect(self.moved)

    @property
    def playing(self) -> bool:
        return self.state() is self.State.Running

    @property
    def share(self) -> float:
        """0 to 1, of the copy's time."""
        return 1.0 if self.state() is self.State.Stopped else float(self.currentValue())

    @property
    def shown_seconds(self) -> float:
        """For which an eye sees it travel, however fast it was."""
        return max(_SHOWN_SECONDS, self.seconds)

    @property
    def words(self) -> str:
        """ "slowed ×176"."""
        factor = self.shown_seconds / self.seconds
        if factor < 1.05:
            return tr("as fast as it was")
        return tr("slowed ×{factor}", factor=factor_words(factor))

    def show(self, seconds: float | None, *, moving: bool) -> None:
        """Another copy, of which one took so long. `moving`: it is to be seen travelling."""
        self.stop()
        self.seconds = seconds or 0.0
        self.setDuration(round(self.shown_seconds * 1000))
        if self.seconds and moving:
            self.start()
        self.moved.emit()

    def toggle(self) -> None:
        """Hold it; go on; or from the beginning where it has arrived."""
        if self.playing:
            self.pause()
        elif self.state() is self.State.Paused:
            self.resume()
        elif self.seconds:
            self.start()

    def repeat(self, again: bool) -> None:
        self.setLoopCount(-1 if again else 1)
        if again and self.state() is self.State.Stopped:
            self.toggle()

    def go_to(self, share: float) -> None:
        """Held there: somebody drags it."""
        if self.seconds:
            if self.state() is self.State.Stopped:
                self.start()
            self.pause()
            self.setCurrentTime(round(share * self.duration()))


class Flow(NamedTuple):
    """What is lit: from where to where, in the colour of the data."""

    hops: tuple[Hop, ...]
    colour: int | None
    chosen: bool = False


class TravelPanel(QFrame):
    """`playback` is the one clock of the block and the figures."""

    matrix_asked = Signal()
    simulated_cards_asked = Signal()

    def __init__(self, copies: CopiesState, now: CopiesNow) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Copy path"))
        self._copies, self._now, self._machine = copies, now, copies.lab.machine
        self._moved: Moved | None = None
        self._hops: tuple[Hop, ...] = ()  # of it; none too where the wiring is not told yet
        self._flows: Sequence[Flow] = ()
        self.playback, self.drawing = Playback(self), TravelDrawing()
        self.head, self._what = QWidget(), label("", look().letters.title)
        self._size = label("", look().letters.body, Tone.QUIET)
        self._ends = ChipRow(arrows=True)
        self._words = ElidedLabel(look().letters.body, Tone.QUIET)
        row(self._what, self._size, self._ends, self._words, GROWS, within=self.head, gap=10)
        self.head.setFixedHeight(_HEAD)
        self._hold = IconButton(Icon.PAUSE)
        self._hold.clicked.connect(self.playback.toggle)
        again = IconButton(Icon.REPEAT, tr("Show it again and again"))
        again.setCheckable(True)
        again.toggled.connect(self.playback.repeat)
        self._badge = Tag("slowed")
        slowed = tr("Slowed down so that the eye can follow; the times shown are not.")
        self._badge.setToolTip(slowed)
        self._tools = QWidget()
        row(self._hold, again, Space(6), self._badge, within=self._tools, gap=2)
        self._waiting = EmptyState(Icon.TOPOLOGY)
        self._waiting.way_on_chosen.connect(self.matrix_asked)
        self._waiting.other_way_chosen.connect(self.simulated_cards_asked)
        self._inside = QWidget()
        self._inside.setProperty("panel", "clear")
        column(FREE, self.drawing, FREE, self.drawing.below, within=self._inside)
        self._area = scrolled(self._inside)
        self._area.setMinimumHeight(_LEAST_HEIGHT)
        # The rate, its share of the narrowest wire, the best so far, and the time.
        self.strip, self._figures = QWidget(), [Line(height=_FIGURE) for _ in range(4)]
        self.strip.setAccessibleName(tr("Figures of this copy"))
        self._bar = QProgressBar(textVisible=False)
        self._bar.setAccessibleName(tr("Of limit"))
        self._bar.setFixedHeight(_BAR)
        figures = row(*self._figures, gap=16)
        column(line_between(), figures, self._bar, within=self.strip, gap=4)
        head, sides = row(self.head, GROWS, self._tools, gap=2), (16, 8, 16, 6)
        parts = (head, self._area, GROWS, self._waiting, GROWS, self.strip)
        column(*parts, within=self, gap=4, margins=sides)
        self.playback.moved.connect(self._on_travelled)
        look().changed.connect(self._show_figures)
        self._dim = QTimer(self, singleShot=True, interval=_FLOWING)
        self._dim.timeout.connect(lambda: self.show_flowing(()))
        self.show_copy(None, travels=False)

    def pull(self) -> None:
        """The machine as it is now; in its place, why it is not drawn."""
        wiring, alone = self._copies.ways.wiring, self._machine.session.source.figures_alone
        now = None if alone else machine_now(self._machine, wiring)
        self._area.setVisible(now is not None)
        self._waiting.setVisible(now is None)
        if now is not None:
            # Of other traffic nothing is asked here: what is lit is lit by copies.
            faces = {
                part: replace(face, forth=IDLE, back=IDLE, absent=())
                if isinstance(face, WireFace)
                else face
                for part, face in machine_faces(now).items()
            }
            self.drawing.show_machine(now.shape, faces)
        elif alone:
            self._waiting.show_words(tr("Nothing can be copied"), tr(alone))
        elif self._machine.cards():
            awaited = wiring.answer is WiringAnswer.WAITING
            asked = mark("The driver is asked how the cards are wired.")
            untold = mark("The driver does not report how the cards are wired.")
            self._waiting.show_words(tr(asked if awaited else untold), wiring.refusal)
        else:
            more = mark(
                "As soon as a card answers, every copy of the lab travels through the drawn "
                "machine and is listed with its time and its rate. How fast the computer's own "
                "memory is can be measured now; simulated cards show the rest."
            )
            self._waiting.show_words(
                tr("No card answers, so nothing is copied over a wire here."),
                tr(more),
                tr("Measure copies within the host"),
                tr("Look around on simulated cards"),
            )

    def show_copy(self, moved: Moved | None, *, travels: bool) -> None:
        """None: no line has copied anything yet. `travels`: another copy than before, or the
        same once more; so does one whose way is known only now.
        """
        hops = self._now.hops(moved)
        travels = travels or moved is None or (bool(hops) and not self._hops)
        self._moved, self._hops = moved, hops
        self._show_figures()
        self._light()
        if travels:
            seconds = moved.each_seconds if moved is not None and hops else None
            self.playback.show(seconds, moving=look().motion)
        else:
            self._on_travelled()

    def show_flowing(self, flows: Sequence[Flow]) -> None:
        """What else goes over the wires just now; for a while it stays lit."""
        self._flows = flows
        self._light()
        if flows:
            self._dim.start()

    def _light(self) -> None:
        flows = [each for each in self._flows if each.hops != self._hops]
        if self._moved is not None:
            flows.append(Flow(self._hops, self._now.colour(self._moved), chosen=True))
        self.drawing.show_flows(flows)

    def _show_figures(self) -> None:
        """Where nothing was copied, the title says what will be seen here."""
        moved, now, title = self._moved, self._now, look().letters.title
        self.strip.setVisible(moved is not None)
        if moved is None:
            self._what.setText(tr("Copy path"))
            self.head.setAccessibleName(tr("Copy path"))
            return
        size = f"{bytes_words(moved.bytes / moved.copies)} {moved.times}".rstrip()
        ends = moved.source, moved.target
        chips = [chip_of(end, now.devices, moved.card(end)) for end in ends]
        led, way = mark("{source} to {target}"), tr(moved.path)
        led = tr(led, source=chips[0].text, target=chips[1].text)
        if moved.already_there:
            way = tr("already there: nothing was copied")
        elif moved.direct is False:
            way = tr("no direct path: staged")
        elif moved.buffered and moved.source == HOST:
            way = tr("{way}, from pageable memory", way=moved.path)
        self._what.setText(title.elided(moved.names, _MOST_TITLE))
        self._size.setText(size)
        self._ends.show_chips(chips)
        self._words.show_text(way)
        self.head.setAccessibleName(", ".join(filter(None, (moved.names, size, led, way))))
        why = "" if moved.no_rate is None else tr(moved.no_rate.sentence)
        figures = []
        rate = tr("Rate, modelled") if moved.modelled else tr("Rate")
        for caption, value in ((rate, moved.rate), (tr("Best so far"), now.book.best(moved))):
            number = "" if value is None else gigabytes_per_second(value)
            absent = () if number else (why, "–")
            figures.append(Figure(caption, number=number, unit="GB/s", absent=absent))
        if moved.wrong:
            figures[0] = Figure(rate, number=tr("WRONG"), tone=Tone.BAD)
        hint, reason = tr(SMALL) if moved.small else "", why or tr(moved.why_limit)
        share = Figure(tr("Of limit"), absent=(reason, "–"), hint=hint)
        if moved.share is not None and moved.limit is not None:
            of, limit = f"{moved.share * 100:.0f}", gigabytes_per_second(moved.limit)
            said = mark("{share} % of the narrowest wire, {limit} GB/s one way")
            hint, caption = tr(said, share=of, limit=limit), tr("Of {limit} GB/s", limit=limit)
            share = Figure(caption, number=of, unit="%", hint=hint)
        figures.insert(1, share)
        for line, figure in zip(self._figures, figures, strict=False):
            line.show_captioned(figure)
        self._bar.setVisible(moved.share is not None)
        self._bar.setValue(round(min(1.0, moved.share or 0.0) * 100))
        _tint(self._bar, now.colour(moved))
        self.strip.setAccessibleDescription(f"{figures[0].spoken}, {hint or share.spoken}")

    def _on_travelled(self) -> None:
        playback, moved = self.playback, self._moved
        share, there = playback.share, bool(playback.seconds)
        travels = there and (look().motion or playback.playing or share < 1.0)
        self.drawing.show_block(moved.names if moved and travels else "", share)
        self._bring_into_sight()
        time = Figure(tr("Time"), absent=("–",))
        if moved is not None and moved.each_seconds is not None:
            number, unit = duration(moved.each_seconds)
            time = Figure(tr("Time"), number=number, unit=unit)
            if travels:
                done, whole = short(float(number) * share), playback.shown_seconds
                seen = mark("seen {part:.1f} of {whole:.1f} s")
                caption = tr(seen, part=whole * share, whole=whole)
                time = Figure(caption, number=done, limit=number, unit=unit)
        self._figures[-1].show_captioned(time)
        self._badge.setText(playback.words if there else "")
        self._badge.setAccessibleName(self._badge.text())
        self._tools.setVisible(there)
        icon, meaning = Icon.PLAY, tr("Resume the copy")
        if playback.playing:
            icon, meaning = Icon.PAUSE, tr("Pause the copy")
        elif share >= 1.0:
            meaning = tr("Show the copy again")
        self._hold.show_meaning(icon, meaning)

    def _bring_into_sight(self) -> None:
        """Not all of the drawing is seen in a small window."""
        block = self.drawing.block_place()
        if not block.isEmpty():
            at = self.drawing.mapTo(self._inside, block.center())
            self._area.ensureVisible(at.x(), at.y(), 0, _BESIDE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bring_into_sight()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self.playback.playing:
            self.playback.pause()


_BAR_DRESS = Template(
    "QProgressBar { background: $ground; color: $text; border: 1px solid $edge; "
    "border-radius: 4px; text-align: center } "
    "QProgressBar::chunk { background: $done; border-radius: 3px }"
)


def _tint(bar: QProgressBar, colour: int | None) -> None:
    """Its ground, what of it is there, and its edge, in the colour of a card."""
    theme, edge = look().theme, look().theme.card(colour)
    ground, done = (mixed(theme.surface, edge, strength).name() for strength in (0.3, 0.62))
    colours = {"text": theme.text.name(), "edge": edge.name(), "ground": ground, "done": done}
    dress = _BAR_DRESS.substitute(colours)
    if dress != bar.styleSheet():
        bar.setStyleSheet(dress)


class Route(NamedTuple):
    """A route through the drawing: what is lit, and the line that is travelled."""

    lanes: Sequence[tuple[QPainterPath, float]]  # and how wide
    path: QPainterPath
    boxes: Sequence[QRectF]

    def block(self, share: float, size: QSizeF) -> QRectF:
        """What travels, after this share of the way: beside the boxes at either end, whose
        names it would cover.
        """
        place = QRectF(QPointF(), size)
        place.moveCenter(self.path.pointAtPercent(share))
        for end, next_to_it in ((0.0, 0.15), (1.0, 0.85)):
            box = _nearest(self.boxes, self.path.pointAtPercent(end))
            if place.intersects(box):
                above = self.path.pointAtPercent(next_to_it).y() < box.center().y()
                place.moveTop(box.top() - place.height() if above else box.bottom())
        return place


def way_through(layout: MachineLayout, hops: Sequence[Hop]) -> Route:
    """Where no wire is drawn for a hop, it is crossed without one."""
    lanes = list[tuple[QPainterPath, float]]()
    path, boxes = QPainterPath(), dict[Part, QRectF]()
    for begin, end in hops:
        if not (layout.places(begin) and layout.places(end)):
            continue
        towards = layout.places(end)[0].center()
        here = boxes.setdefault(begin, _nearest(layout.places(begin), towards))
        there = boxes.setdefault(end, _nearest(layout.places(end), here.center()))
        if path.isEmpty():
            path.moveTo(here.center())
        if begin.kind is end.kind is Kind.SOCKET:
            lanes.append((path_of(between(here, there)), UNKNOWN_WIDTH))
            path.connectPath(lanes[-1][0])
        elif wire := next((w for w in layout.wires if {*w.ends} == {begin, end}), None):
            lanes.append((wire.lanes[0 if wire.ends[0] == begin else -1], wire.width))
            path.connectPath(lanes[-1][0])
        path.lineTo(there.center())
    return Route(lanes, path, tuple(boxes.values()))


def _nearest(places: Sequence[QRectF], to: QPointF) -> QRectF:
    return min(places, key=lambda each: (each.center() - to).manhattanLength())


class TravelDrawing(MachineDrawing):
    """Lanes are lit as long as they are told to be; the block is drawn where it is told."""

    def __init__(self) -> None:
        super().__init__(largest=1.0)
        self._flows: Sequence[Flow] = ()
        self._lit: list[QGraphicsPathItem] = []
        self.lanes_lit = 0
        self._way: Route | None = None
        self._share = 1.0
        self._block = QProgressBar(self.viewport())
        self._block.setFont(look().letters.mono.font)
        look().changed.connect(self.laid_out)

    def show_flows(self, flows: Sequence[Flow]) -> None:
        """Many of the same way are one lit lane; the chosen one is drawn last."""
        if flows != self._flows:
            self._flows = flows
            hops = [hop for flow in flows if flow.chosen for hop in flow.hops]
            self.draw_alone([part.card for hop in hops for part in hop if part.card])
            self.laid_out()

    def show_block(self, name: str, share: float) -> None:
        """Without a name nothing travels, and the way only stays lit."""
        self._share, letters, block = share, look().letters.mono, self._block
        shown = letters.elided(name, _MOST_NAME)
        block.setFormat(f"{shown}  {100 * share:.0f} %")
        block.setFixedSize(round(letters.width(f"{shown}  100 %")) + _PADDING, _BLOCK)
        block.setAccessibleName(name)
        self._place_block()

    def block_place(self) -> QRect:
        """Where the block is drawn, in the view; empty where there is none."""
        return QRect() if self._block.isHidden() else self._block.geometry()

    def laid_out(self) -> None:
        for item in self._lit:
            self.drawn.removeItem(item)
        self._lit, self._way, self.lanes_lit = [], None, 0
        layout, theme, no_pen = self.plan, look().theme, QPen(Qt.PenStyle.NoPen)
        for flow in self._flows:
            if layout is None:
                break
            way, bright = way_through(layout, flow.hops), theme.card(flow.colour)
            lanes, frames = QPainterPath(), QPainterPath()
            lanes.setFillRule(Qt.FillRule.WindingFill)
            for path, width in way.lanes:
                lanes.addPath(stroked(path, width))
            ink = bright if flow.chosen else mixed(theme.surface, bright, _FLOW)
            self._lit.append(self.drawn.addPath(lanes, no_pen, ink))
            self.lanes_lit += len(way.lanes)
            if flow.chosen:
                self._way = way
                _tint(self._block, flow.colour)
                for place in way.boxes:
                    frames.addRoundedRect(place, _BOX_RADIUS, _BOX_RADIUS)
                self._lit.append(self.drawn.addPath(frames, QPen(bright, 1.5)))
        for item in self._lit:
            item.setZValue(LIT)
        self._place_block()

    def _place_block(self) -> None:
        way, block = self._way, self._block
        travels = way is not None and not way.path.isEmpty() and bool(block.accessibleName())
        block.setVisible(travels)
        if way is None or not travels:
            return
        size = self.mapToScene(block.rect()).boundingRect().size()
        place = self.mapFromScene(way.block(self._share, size)).boundingRect()
        # On a narrow drawing it stays within.
        left = max(0, min(place.left(), self.viewport().width() - block.width()))
        block.setValue(round(self._share * 100))
        block.move(left, place.center().y() - block.height() // 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_block()
