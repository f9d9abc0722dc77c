"""The wires of a drawn machine: lanes as wide as they are fast, as bright as they are used."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import Theme, mixed
from gpuexplorer.gui.widgets.machine.machine_boxes import fitting
from gpuexplorer.gui.widgets.machine.machine_columns import Form
from gpuexplorer.gui.widgets.machine.machine_layout import Wire
from gpuexplorer.gui.wording.machine.machine_face import LaneFace, WireFace
from gpuexplorer.gui.wording.machine.machine_things import OfLink, OfSockets, OfSpoke

IDLE = 0.26
_CHOSEN = 0.12
_DASH, _WIDE = 3.0, 10.0
_WIDE_WORDS = 104.0  # from here on the largest form has room for larger letters
_AROUND = 3.0


class Shades:
    """The colours of lanes, from idle to that of the card which sends. Mixed once a picture."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self.idle = mixed(theme.surface, theme.quiet, IDLE)
        self._mixed: dict[tuple[float, int | None], QColor] = {}

    def of(self, lane: LaneFace) -> QColor:
        if not lane.lit:
            return self.idle
        key = (lane.lit, lane.colour)
        shade = self._mixed.get(key)
        if shade is None:
            bright = self._theme.card(lane.colour)
            shade = self._mixed[key] = mixed(self.idle, bright, lane.lit)
        return shade


def draw_lanes(drawing: Drawing, wire: Wire, face: WireFace, shades: Shades) -> None:
    for strips, lane in ((wire.lanes.forth, face.forth), (wire.lanes.back, face.back)):
        colour = shades.of(lane)
        for strip in strips:
            if face.dark:
                _draw_dark(drawing, strip, shades.idle)
            else:
                drawing.painter.fillRect(strip, colour)


def draw_chosen(drawing: Drawing, wire: Wire) -> None:
    """Behind its lanes, and between them."""
    theme, (forth, back) = drawing.theme, (wire.lanes.forth, wire.lanes.back)
    # Not a veil: where a wire has corners its strips cover each other.
    colour = mixed(theme.surface, theme.text, _CHOSEN)
    for strip in (*forth, *back):
        place = strip.adjusted(-_AROUND, -_AROUND, _AROUND, _AROUND)
        drawing.painter.fillRect(place, colour)


def draw_wire_words(drawing: Drawing, wire: Wire, face: WireFace, form: Form) -> None:
    if form is Form.COMPACT:
        return
    letters = drawing.letters.caption
    if form is Form.LARGE and wire.after.width() >= _WIDE_WORDS:
        letters = drawing.letters.body
    if isinstance(wire.thing, OfSockets):
        if not wire.after.isEmpty():
            word = Run(face.kind[0], letters, drawing.theme.quiet)
            x = wire.after.center().x() - word.width / 2
            drawing.text(x, wire.after.top() + letters.ascent, word)
        return
    if isinstance(wire.thing, OfSpoke):
        _draw_middle(
            drawing,
            letters,
            wire.after,
            _traffic(drawing, letters, face, wire.after.width(), unit=False),
        )
    elif isinstance(wire.thing, OfLink) and not wire.thing.to_host:
        _draw_middle(
            drawing,
            letters,
            wire.after,
            _bridge_lines(drawing, letters, face, wire.after.width()),
        )
    elif not wire.before.isEmpty():
        _draw_right(
            drawing, letters, wire.before, _kind(drawing, letters, face, wire.before.width())
        )
        _draw_left(
            drawing,
            letters,
            wire.after,
            _traffic(drawing, letters, face, wire.after.width(), unit=True),
        )
    else:
        room = wire.after.width()
        lines = _kind(drawing, letters, face, room) if face.rate else []
        _draw_left(
            drawing,
            letters,
            wire.after,
            [*lines, *_traffic(drawing, letters, face, room, unit=False)],
        )


_Line = Sequence[Run]


def _kind(drawing: Drawing, letters: Lettering, face: WireFace, width: float) -> list[_Line]:
    theme = drawing.theme
    lines: list[_Line] = []
    if face.kind:
        kind = fitting(face.kind, letters, width)
        lines.append([Run(kind, letters, theme.tone(face.tone))])
    if face.rate:
        lines.append([Run(fitting(face.rate, letters, width), letters, theme.quiet)])
    return lines


def _traffic(
    drawing: Drawing, letters: Lettering, face: WireFace, width: float, *, unit: bool
) -> list[_Line]:
    """ "in 3.12" and "out 0.41", with the unit where there is room for it anyway."""
    theme = drawing.theme
    known = [lane for lane in (face.back, face.forth) if lane.figure]
    if not known:
        reason = fitting(face.absent, letters, width)
        return [[Run(reason, letters, theme.faint)]] if reason else []
    lines: list[_Line] = []
    for lane in known:
        line = [
            Run(f"{lane.word} ", letters, theme.quiet),
            Run(lane.figure, letters, theme.text),
        ]
        end = Run(" GB/s", letters, theme.quiet)
        if unit and sum(run.width for run in line) + end.width <= width:
            line.append(end)
        lines.append(line)
    return lines


def _bridge_lines(
    drawing: Drawing, letters: Lettering, face: WireFace, width: float
) -> list[_Line]:
    about = _kind(drawing, letters, face, width)
    space = Run("  ", letters, drawing.theme.quiet)
    figures = _traffic(drawing, letters, face, width, unit=True)
    lines: list[_Line] = []
    for each in (about, figures[::-1]):
        together = [run for at, line in enumerate(each) for run in ((space,) * (at > 0), line)]
        joined = [run for part in together for run in part]
        fits = sum(run.width for run in joined) <= width
        lines += [joined] if fits and joined else each
    return lines


def _draw_left(
    drawing: Drawing, letters: Lettering, room: QRectF, lines: Sequence[_Line]
) -> None:
    for baseline, line in _baselines(letters, room, lines):
        drawing.runs(room.left(), baseline, line)


def _draw_right(
    drawing: Drawing, letters: Lettering, room: QRectF, lines: Sequence[_Line]
) -> None:
    for baseline, line in _baselines(letters, room, lines):
        drawing.runs_right(room.right(), baseline, line)


def _draw_middle(
    drawing: Drawing, letters: Lettering, room: QRectF, lines: Sequence[_Line]
) -> None:
    for baseline, line in _baselines(letters, room, lines):
        width = sum(run.width for run in line)
        drawing.runs(room.center().x() - width / 2, baseline, line)


def _baselines(
    letters: Lettering, room: QRectF, lines: Sequence[_Line]
) -> Sequence[tuple[float, _Line]]:
    """In the middle of the room from top to bottom."""
    line_height = letters.height + 1
    top = room.center().y() - line_height * len(lines) / 2
    first = round(top + (line_height + letters.cap_height) / 2)
    return [(first + at * line_height, line) for at, line in enumerate(lines)]


def _draw_dark(drawing: Drawing, strip: QRectF, colour: QColor) -> None:
    """Dashes: of a wide lane only its edges, since so many would be a pattern."""
    upright = strip.height() >= strip.width()
    across = strip.width() if upright else strip.height()
    offsets, thick = ((0.0,), across) if across < _WIDE else ((0.0, across - 1), 1.0)
    start, length = (strip.top(), strip.height()) if upright else (strip.left(), strip.width())
    at = 0.0
    while at < length:
        size = min(_DASH, length - at)
        for offset in offsets:
            dash = (
                QRectF(strip.left() + offset, start + at, thick, size)
                if upright
                else QRectF(start + at, strip.top() + offset, size, thick)
            )
            drawing.painter.fillRect(dash, colour)
        at += 2 * _DASH
