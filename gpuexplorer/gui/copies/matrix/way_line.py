"""WayLine: the way of the bytes, drawn from place to place with what joins them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.copies.route import Route
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import tr
from gpuexplorer.gui.copies.matrix.pair_question import Head
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.widgets.machine.machine_faces import HUB_WORDS, JUNCTION_WORDS
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.telemetry.topology import MachineShape


@dataclass(frozen=True, slots=True)
class Stop:
    """A device with its chip, or a place between devices with its name."""

    words: str
    chip: str = ""
    colour: int | None = None


@dataclass(frozen=True, slots=True)
class WireStretch:
    """From one stop to the next. Without a rate nobody tells it."""

    words: str
    rate: float | None
    narrowest: bool

    @property
    def rate_words(self) -> str:
        if self.rate is None:
            return ""
        return tr("{rate} GB/s one way", rate=gigabytes_per_second(self.rate))


@dataclass(frozen=True, slots=True)
class WayStops:
    """One stretch less than stops; nothing where nothing is known, or nothing is crossed."""

    stops: Sequence[Stop] = ()
    stretches: Sequence[WireStretch] = ()

    @property
    def said(self) -> str:
        parts = [self.stops[0].words] if self.stops else []
        for stretch, stop in zip(self.stretches, self.stops[1:], strict=True):
            wire = stretch.words
            if stretch.rate is not None:
                wire = tr("{wire} ({rate})", wire=wire, rate=stretch.rate_words)
            parts.append(tr("by {wire} to {place}", wire=wire, place=stop.words))
        return ", ".join(parts)


NO_WAY = WayStops()


def stops_of(
    route: Route | None, shape: MachineShape | None, heads: Mapping[str, Head]
) -> WayStops:
    if route is None or route.source == route.target:
        return NO_WAY
    # Of a card of which only its link is known, no place lies between.
    legs = [leg for leg in route.legs if leg.begins and leg.ends]
    if not legs:
        return NO_WAY
    places = [legs[0].begins, *(leg.ends for leg in legs)]
    return WayStops(
        [_stop(each, shape, heads) for each in places],
        [
            WireStretch(
                tr(leg.words),
                leg.rate,
                narrowest=leg.rate is not None and leg.rate == route.limit,
            )
            for leg in legs
        ],
    )


def _stop(place: str, shape: MachineShape | None, heads: Mapping[str, Head]) -> Stop:
    head = heads.get(place)
    if head is not None:
        return Stop(head.words, head.chip, head.colour)
    kind, _, number = place.partition(" ")
    match kind:
        case "memory":
            return Stop(tr("host memory"), "H")
        case "socket":
            return Stop(tr("processor {number}", number=number))
        case "junction" if shape is not None and int(number) < len(shape.junctions):
            return Stop(tr(JUNCTION_WORDS[shape.junctions[int(number)].kind][-1]))
        case "hub" if shape is not None and int(number) < len(shape.hubs):
            return Stop(tr(HUB_WORDS[shape.hubs[int(number)].kind][-1]))
        case _:
            return Stop(place)


_HEIGHT, _MIDDLE, _CHIP, _DOT = 58, 24.0, 20.0, 4.0
_PIXEL_RATE, _WIDEST = 8e9, 7.0  # a wire is a pixel wide for so many bytes per second
_ASIDE = 14.0  # from the middle of a stop to where its wire begins


class WayLine(Painted):
    """Wires are as wide as they are fast; where nobody tells, they are thin and dim."""

    def __init__(self) -> None:
        super().__init__()
        self._way = NO_WAY
        self.setAccessibleName(tr("The path of the bytes"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def there(self) -> bool:
        return bool(self._way.stops)

    def show_way(self, way: WayStops) -> None:
        if way != self._way:
            self._way = way
            self.setAccessibleDescription(way.said)
            self.update()

    def draw(self, drawing: Drawing) -> None:
        stops = self._way.stops
        if not stops:
            return
        aside = max(self._room(stops[0]), self._room(stops[-1])) / 2
        step = (self.width() - 2 * aside) / max(1, len(stops) - 1)
        at = [aside + step * place for place in range(len(stops))]
        colour = next((stop.colour for stop in stops if stop.colour is not None), None)
        ink = drawing.theme.level if colour is None else drawing.theme.card(colour)
        for stretch, left in zip(self._way.stretches, at, strict=False):
            self._draw_stretch(drawing, stretch, left + _ASIDE, left + step - _ASIDE, ink)
        for stop, x in zip(stops, at, strict=True):
            self._draw_stop(drawing, stop, x, step)

    def _room(self, stop: Stop) -> float:
        return max(_CHIP, self.look.letters.caption.width(stop.words)) + 2

    def _draw_stretch(
        self, drawing: Drawing, stretch: WireStretch, left: float, right: float, ink: QColor
    ) -> None:
        theme, letters = drawing.theme, drawing.letters.caption
        known = stretch.rate is not None
        wide = min(_WIDEST, max(1.5, (stretch.rate or 0.0) / _PIXEL_RATE))
        drawing.painter.setPen(QPen(ink if known else theme.faint, wide if known else 1.0))
        drawing.painter.drawLine(QLineF(left, _MIDDLE, right, _MIDDLE))
        strong = theme.text if stretch.narrowest else theme.quiet
        for words, baseline in (
            (stretch.words, _MIDDLE - 8),
            (stretch.rate_words, _MIDDLE + 6 + letters.ascent),
        ):
            shown = letters.elided(words, right - left)
            x = (left + right - letters.width(shown)) / 2
            drawing.text(x, baseline, Run(shown, letters, strong if known else theme.faint))
        speed = stretch.rate_words or tr("speed not reported")
        told = tr("{wire}, {speed}", wire=stretch.words, speed=speed)
        drawing.hint(QRectF(left, 0, right - left, self.height()), told)

    def _draw_stop(self, drawing: Drawing, stop: Stop, x: float, step: float) -> None:
        theme, letters = drawing.theme, drawing.letters
        if stop.chip:
            wide = max(_CHIP, letters.strong.width(stop.chip) + 8)
            place = QRectF(x - wide / 2, _MIDDLE - _CHIP / 2, wide, _CHIP)
            fill = None if stop.colour is None else theme.card(stop.colour)
            drawing.chip(place, stop.chip, letters.strong, fill)
        else:
            drawing.painter.setPen(Qt.PenStyle.NoPen)
            drawing.painter.setBrush(theme.quiet)
            dot = QRectF(x - _DOT, _MIDDLE - _DOT, 2 * _DOT, 2 * _DOT)
            drawing.painter.drawEllipse(dot)
        words = letters.caption.elided(stop.words, step - 6)
        run = Run(words, letters.caption, theme.quiet)
        drawing.text(x - run.width / 2, self.height() - 3.0, run)
        drawing.hint(QRectF(x - _ASIDE, 0, 2 * _ASIDE, self.height()), stop.words)

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)
