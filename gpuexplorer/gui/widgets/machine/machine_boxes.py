"""The boxes of a drawn machine: cards, processors, memory, switches, and where NVLinks meet."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPen

from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import mixed
from gpuexplorer.gui.widgets.machine.machine_columns import MachineForm
from gpuexplorer.gui.widgets.machine.machine_face import BoxFace, Texts, TileFace
from gpuexplorer.gui.widgets.machine.machine_layout import HUB_TITLE, SMALL
from gpuexplorer.gui.widgets.machine.machine_things import OfHub, OfMemory, OfSocket, Thing

_TINT = 0.17
_RADIUS, _SMALL_RADIUS = 6.0, 3.0
_LEAST_TITLE = 13.0  # pixels in which a name can be read
_WIDE, _TALL = 150.0, 110.0  # tiles with the name beside the number, and with larger figures
_NAMED = 46.0  # of the smallest tiles, those that have room for a name
_MOST = "100"  # percent
_DASH = "–"  # for a figure, where there is no room for the reason


def fitting(texts: Texts, letters: Lettering, width: float) -> str:
    """The longest that fits; else the beginning of the shortest."""
    for text in texts:
        if letters.width(text) <= width:
            return text
    return letters.elided(texts[-1], width) if texts else ""


def draw_card(drawing: Drawing, place: QRectF, face: TileFace, form: MachineForm) -> None:
    small = form in SMALL
    _draw_ground(drawing, place, face, small=small)
    if small:
        _draw_small(drawing, place.adjusted(4, 3, -4, -4), face)
    else:
        _draw_words(drawing, place, face)


def draw_box(
    drawing: Drawing, thing: Thing, place: QRectF, face: BoxFace, form: MachineForm
) -> None:
    theme, small = drawing.theme, form in SMALL
    unnamed = place.height() < _LEAST_TITLE
    radius = _SMALL_RADIUS if unnamed else _RADIUS
    drawing.painter.setPen(QPen(theme.line, 1))
    drawing.painter.setBrush(theme.hover)
    drawing.painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    if unnamed:
        return
    inner = place.adjusted(8, 0, -8, 0)
    if isinstance(thing, OfHub) and not small:
        inner.setTop(inner.bottom() - HUB_TITLE)
    # Among many, all say as much as the others.
    remarks = () if small and isinstance(thing, OfSocket) else face.remark
    letters = drawing.letters.caption if small else drawing.letters.body
    _draw_title(drawing, inner, face.title, remarks, letters, isinstance(thing, OfMemory))


def _draw_ground(drawing: Drawing, place: QRectF, face: TileFace, *, small: bool) -> None:
    theme, painter = drawing.theme, drawing.painter
    radius = _RADIUS if small else _RADIUS + 2
    fill, edge = theme.hover, theme.line
    if face.card.colour is not None:
        edge = theme.card(face.card.colour)
        fill = mixed(theme.surface, edge, _TINT)
    elif small and face.card.busy_share is not None:
        fill = edge = theme.heat(face.card.busy_share)
    if not face.card.answers:
        fill, edge = theme.surface, theme.faint
    pen = QPen(edge, 1)
    if face.lost:
        pen = QPen(theme.bad, 1, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern((3.0, 3.0))
    painter.setPen(pen)
    painter.setBrush(fill)
    painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def _draw_words(drawing: Drawing, place: QRectF, face: TileFace) -> None:
    """Number, name and use; a bar; memory; and below them as much as there is room for."""
    theme, letters = drawing.theme, drawing.letters
    wide, tall = place.width() >= _WIDE, place.height() >= _TALL
    large = wide and tall
    side = 14 if large else 10 if place.width() >= 90 else 6
    inner = place.adjusted(side, side, -side, -side)
    chip = QRectF(inner.left(), inner.top(), 0, 22.0 if large else 20.0)
    chip.setWidth(max(chip.height(), letters.strong.width(face.card.number) + 10))
    known = face.card.colour is not None and face.card.answers
    fill = theme.card(face.card.colour) if known else None
    drawing.chip(chip, face.card.number, letters.strong, fill)
    baseline = chip.center().y() + letters.body.cap_height / 2
    # In a row with the name a reason takes half of it at most.
    least = inner.right() - (inner.right() - chip.right() - 6) * (0.5 if wide else 1.0)
    left = _draw_busy(drawing, least, inner.right(), chip, face, large=large)
    room = left - chip.right() - 16
    beside = wide and any(letters.strong.width(each) <= room for each in face.model)
    if beside or (wide and not tall):
        model = Run(fitting(face.model, letters.strong, room), letters.strong, theme.text)
        drawing.text(chip.right() + 8, baseline, model)
    busy, thick = face.card.busy_share, 6 if large else 4
    y = _draw_bar(drawing, inner, chip.bottom() + 8, busy, face, thick) + 6
    if not beside and (tall or not wide):
        y = _draw_line(drawing, inner, y, face.model, theme.quiet)
    amount, ink = face.memory, theme.text
    if not amount and not _word_beside(drawing, inner.right() - least, face):
        amount, ink = face.word, theme.tone(face.card.word_tone)
    size = letters.body if large else letters.caption
    end = inner.left() + size.width(fitting(amount, size, inner.width()))
    cuda = Run(face.card.cuda, letters.caption, theme.quiet)
    if wide and cuda.width < inner.right() - end - 8:
        drawing.runs_right(inner.right(), y + size.ascent, [cuda])
    y = _draw_line(drawing, inner, y, amount, ink, size)
    if face.memory and y + 6 <= inner.bottom():
        y = _draw_bar(drawing, inner, y + 2, face.card.memory.used, face, thick) + 6
    if wide:
        _draw_spread(drawing, inner, y, face.small)
        return
    for texts in face.small:
        if y + letters.caption.height <= inner.bottom() + 3:
            y = _draw_line(drawing, inner, y, texts, theme.quiet)


def _draw_line(
    drawing: Drawing,
    inner: QRectF,
    top: float,
    texts: Texts,
    ink: QColor,
    letters: Lettering | None = None,
) -> float:
    """Returns where the next begins."""
    if not texts:
        return top
    letters = letters or drawing.letters.caption
    run = Run(fitting(texts, letters, inner.width()), letters, ink)
    drawing.text(inner.left(), top + letters.ascent, run)
    return top + letters.height + 2


def _draw_spread(drawing: Drawing, inner: QRectF, top: float, small: tuple[Texts, ...]) -> None:
    """The first at the left, the last at the right, each in its share of the width."""
    caption, theme = drawing.letters.caption, drawing.theme
    if not small or top + caption.height > inner.bottom() + 3:
        return
    room = inner.width() / len(small) - 4
    runs = [Run(fitting(texts, caption, room), caption, theme.quiet) for texts in small]
    for at, run in enumerate(runs):
        share = at / (len(runs) - 1) if len(runs) > 1 else 0.0
        left = inner.left() + (inner.width() - run.width) * share
        drawing.text(left, inner.bottom() - 1, run)


def _draw_busy(
    drawing: Drawing, left: float, right: float, chip: QRectF, face: TileFace, *, large: bool
) -> float:
    """Right aligned; returns where it begins."""
    theme, letters = drawing.theme, drawing.letters
    big, small = (letters.number, letters.body) if large else (letters.strong, letters.caption)
    busy = face.card.busy
    if not face.word:
        runs = [
            Run(busy.number, big, theme.text),
            Run(f"{THIN_SPACE}{busy.unit}", small, theme.quiet),
        ]
        # In a small tile the unit stays away from all figures or from none.
        if not large and big.width(_MOST) + runs[1].width > right - left:
            runs = runs[:1]
        return drawing.runs_right(right, chip.center().y() + big.cap_height / 2, runs)
    word = _word_beside(drawing, right - left, face) or _DASH
    run = Run(word, letters.caption, theme.tone(face.card.word_tone))
    return drawing.runs_right(right, chip.center().y() + run.letters.cap_height / 2, [run])


def _word_beside(drawing: Drawing, room: float, face: TileFace) -> str:
    """The longest that fits whole beside the number of the card; empty where none does."""
    width = drawing.letters.caption.width
    return next((each for each in face.word if width(each) <= room), "")


def _draw_bar(
    drawing: Drawing,
    inner: QRectF,
    top: float,
    share: float | None,
    face: TileFace,
    height: float,
) -> float:
    """Returns where it ends."""
    bar = QRectF(inner.left(), top, inner.width(), height)
    if share is None:
        drawing.no_bar(bar)
    else:
        theme = drawing.theme
        filled = theme.level if face.card.colour is None else theme.card(face.card.colour)
        drawing.bar(bar, ((share, filled),))
    return bar.bottom()


def _draw_small(drawing: Drawing, inner: QRectF, face: TileFace) -> None:
    theme, letters = drawing.theme, drawing.letters
    number = Run(
        face.card.number, letters.caption, theme.text if face.card.answers else theme.quiet
    )
    drawing.text(inner.left(), inner.top() + letters.caption.ascent - 1, number)
    if inner.height() >= _NAMED:
        middle = QRectF(inner)
        middle.setTop(inner.top() + letters.caption.height + 2)
        _draw_line(drawing, middle, middle.top(), face.model[-1:], theme.quiet)
    said = Run(face.card.busy.number, letters.strong, theme.text)
    if face.word:
        word = fitting(face.word, letters.caption, inner.width())
        said = Run(word, letters.caption, theme.tone(face.card.word_tone))
    drawing.runs_right(inner.right(), inner.bottom() - 1, [said])


def _draw_title(
    drawing: Drawing,
    place: QRectF,
    titles: Texts,
    remarks: Texts,
    letters: Lettering,
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
