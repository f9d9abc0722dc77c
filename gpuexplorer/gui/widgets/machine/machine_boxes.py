"""The boxes of a drawn machine: cards, processors, memory, switches, and where NVLinks meet."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPen

from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import mixed
from gpuexplorer.gui.widgets.machine.machine_columns import Form
from gpuexplorer.gui.widgets.machine.machine_layout import HUB_TITLE, Box
from gpuexplorer.gui.wording.machine.machine_face import BoxFace, Texts, TileFace
from gpuexplorer.gui.wording.machine.machine_things import OfHub, OfMemory, OfSocket

_TINT = 0.17
_CHIP = 20.0
_RADIUS, _SMALL_RADIUS = 6.0, 3.0
_DASHES = (3.0, 3.0)
_DASH = "–"  # for a figure, where there is no room for the reason


def fitting(texts: Texts, letters: Lettering, width: float) -> str:
    """The longest that fits; else the beginning of the shortest."""
    for text in texts:
        if letters.width(text) <= width:
            return text
    return letters.elided(texts[-1], width) if texts else ""


def draw_card(drawing: Drawing, place: QRectF, face: TileFace, form: Form) -> None:
    draw_ground(drawing, place, face, form)
    if form is Form.COMPACT:
        _draw_compact(drawing, place, face)
    else:
        _draw_words(drawing, place.adjusted(10, 10, -10, -8), face, form)


def draw_box(drawing: Drawing, box: Box, face: BoxFace, form: Form) -> None:
    theme, place = drawing.theme, box.place
    small = place.height() < 14
    radius = _SMALL_RADIUS if small else _RADIUS
    drawing.painter.setPen(QPen(theme.line, 1))
    drawing.painter.setBrush(theme.hover)
    drawing.painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    if small:
        return
    inner = place.adjusted(8, 0, -8, 0)
    if isinstance(box.thing, OfHub) and form is not Form.COMPACT:
        inner.setTop(inner.bottom() - HUB_TITLE)
    tight = form is Form.COMPACT
    letters = drawing.letters.caption if tight else drawing.letters.body
    # Among many, all say as much as the others.
    remarks = () if tight and isinstance(box.thing, OfSocket) else face.remark
    spread = isinstance(box.thing, OfMemory)
    _draw_title(drawing, inner, face.title, remarks, letters, spread=spread)


def draw_ground(drawing: Drawing, place: QRectF, face: TileFace, form: Form) -> None:
    theme, painter = drawing.theme, drawing.painter
    radius = _RADIUS if form is Form.COMPACT else _RADIUS + 2
    fill, edge = theme.hover, theme.line
    if face.colour is not None:
        edge = theme.card(face.colour)
        fill = mixed(theme.surface, edge, _TINT)
    elif form is Form.COMPACT and face.share is not None:
        fill = edge = theme.heat(face.share)
    if face.silent:
        fill, edge = theme.surface, theme.faint
    pen = QPen(edge, 1)
    if face.lost:
        pen = QPen(theme.bad, 1, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern(_DASHES)
    painter.setPen(pen)
    painter.setBrush(fill)
    painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def _draw_words(drawing: Drawing, place: QRectF, face: TileFace, form: Form) -> None:
    theme, letters = drawing.theme, drawing.letters
    wide = max(_CHIP, letters.strong.width(face.number) + 10)
    chip = QRectF(place.left(), place.top(), wide, _CHIP)
    colour = None if face.colour is None or face.silent else theme.card(face.colour)
    drawing.chip(chip, face.number, letters.strong, colour)
    baseline = chip.center().y() + letters.body.cap_height / 2
    # In a row with the name a reason takes half of it at most.
    share = 0.5 if form is Form.ROOMY else 1.0
    least = place.right() - (place.right() - chip.right() - 6) * share
    left = _draw_busy(drawing, least, place.right(), baseline, face)
    model = Run("", letters.caption, theme.quiet)
    if form is Form.ROOMY:
        room = left - chip.right() - 16
        strong = Run(fitting(face.model, letters.strong, room), letters.strong, theme.text)
        drawing.text(chip.right() + 8, baseline, strong)
    else:
        words = fitting(face.model, letters.caption, place.width())
        model = Run(words, letters.caption, theme.quiet)
    bar = QRectF(place.left(), chip.bottom() + 8, place.width(), 4)
    if face.share is None:
        drawing.no_bar(bar)
    else:
        filled = theme.level if face.colour is None else theme.card(face.colour)
        drawing.bar(bar, ((face.share, filled),))
    y = bar.bottom() + 6 + letters.caption.ascent
    if model.text:
        drawing.text(place.left(), y, model)
        y += letters.caption.height + 2
    amount = Run(
        fitting(face.memory, letters.caption, place.width()), letters.caption, theme.text
    )
    if not face.memory and not _word_beside(drawing, place.right() - least, face):
        word = fitting(face.word, letters.caption, place.width())
        amount = Run(word, letters.caption, theme.tone(face.tone))
    end = drawing.text(place.left(), y, amount)
    cuda = Run(face.cuda, letters.caption, theme.quiet)
    if form is Form.ROOMY and cuda.width < place.right() - end - 8:
        drawing.runs_right(place.right(), y, [cuda])


def _draw_busy(
    drawing: Drawing, left: float, right: float, baseline: float, face: TileFace
) -> float:
    """Right aligned; returns where it begins."""
    theme, letters = drawing.theme, drawing.letters
    if face.busy:
        runs = [
            Run(face.busy, letters.strong, theme.text),
            Run(f"{THIN_SPACE}{face.unit}", letters.caption, theme.quiet),
        ]
        if sum(run.width for run in runs) > right - left:
            runs = runs[:1]
    else:
        word = _word_beside(drawing, right - left, face) or _DASH
        runs = [Run(word, letters.caption, theme.tone(face.tone))]
    return drawing.runs_right(right, baseline, runs)


def _word_beside(drawing: Drawing, room: float, face: TileFace) -> str:
    """The longest that fits whole beside the number of the card; empty where none does."""
    width = drawing.letters.caption.width
    return next((each for each in face.word if width(each) <= room), "")


def _draw_compact(drawing: Drawing, place: QRectF, face: TileFace) -> None:
    theme, letters = drawing.theme, drawing.letters
    inner = place.adjusted(4, 3, -4, -4)
    ink = theme.quiet if face.silent else theme.text
    number = Run(face.number, letters.caption, ink)
    drawing.text(inner.left(), inner.top() + letters.caption.ascent - 1, number)
    if face.busy:
        busy = Run(face.busy, letters.strong, theme.text)
        drawing.runs_right(inner.right(), inner.bottom() - 1, [busy])
        return
    word = fitting(face.word, letters.caption, inner.width())
    drawing.runs_right(
        inner.right(), inner.bottom() - 1, [Run(word, letters.caption, theme.tone(face.tone))]
    )


def _draw_title(
    drawing: Drawing,
    place: QRectF,
    titles: Texts,
    remarks: Texts,
    letters: Lettering,
    *,
    spread: bool,
) -> None:
    """Name and remark in one line: in the middle, or at both ends."""
    theme, caption = drawing.theme, drawing.letters.caption
    gap = 8.0
    pairs = [(titles[0], remark) for remark in remarks]
    pairs += [(title, remark) for title in titles[1:] for remark in remarks[-1:]]
    pairs += [(title, "") for title in titles]
    for title, remark in pairs:
        needed = letters.width(title) + (gap + caption.width(remark) if remark else 0.0)
        if needed <= place.width():
            break
    else:
        title, remark = letters.elided(titles[-1], place.width()), ""
        needed = letters.width(title)
    baseline = place.center().y() + letters.cap_height / 2
    first = Run(title, letters, theme.text)
    second = Run(remark, caption, theme.quiet)
    if spread and remark:
        drawing.text(place.left() + 2, baseline, first)
        drawing.runs_right(place.right() - 2, baseline, [second])
        return
    end = drawing.text(place.center().x() - needed / 2, baseline, first)
    drawing.text(end + gap, baseline, second)
