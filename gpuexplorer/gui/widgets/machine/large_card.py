"""A card of the drawn machine where there is much room: bars for what it does and holds."""

from PySide6.QtCore import QRectF

from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.widgets.machine.machine_boxes import draw_ground, fitting
from gpuexplorer.gui.widgets.machine.machine_columns import Form
from gpuexplorer.gui.wording.machine.machine_face import Texts, TileFace

_CHIP, _BAR, _GAP = 22.0, 6.0, 10.0


def draw_large_card(drawing: Drawing, place: QRectF, face: TileFace) -> None:
    draw_ground(drawing, place, face, Form.LARGE)
    theme, letters = drawing.theme, drawing.letters
    inner = place.adjusted(14, 14, -14, -12)
    known = face.colour is not None and not face.silent
    colour = theme.card(face.colour) if known else None
    chip = QRectF(inner.left(), inner.top(), 0, _CHIP)
    chip.setWidth(max(_CHIP, letters.strong.width(face.number) + 10))
    drawing.chip(chip, face.number, letters.strong, colour)
    baseline = chip.center().y() + letters.body.cap_height / 2
    left = _draw_busy(drawing, chip.right() + _GAP, inner.right(), chip, face)
    room = left - chip.right() - 2 * _GAP
    beside = any(letters.strong.width(each) <= room for each in face.model)
    if beside:
        model = fitting(face.model, letters.strong, room)
        drawing.text(chip.right() + _GAP, baseline, Run(model, letters.strong, theme.text))
    y = _draw_bar(drawing, inner, chip.bottom() + _GAP, face.share, face) + _GAP + 3
    caption, body = letters.caption, letters.body
    if not beside:
        model = fitting(face.model, caption, inner.width())
        drawing.text(inner.left(), y + caption.ascent, Run(model, caption, theme.quiet))
        y += caption.height + 2
    y += body.ascent
    memory = Run(fitting(face.memory, body, inner.width()), body, theme.text)
    end = drawing.text(inner.left(), y, memory)
    cuda = Run(face.cuda, caption, theme.quiet)
    if cuda.width < inner.right() - end - 8:
        drawing.runs_right(inner.right(), y, [cuda])
    if face.memory:
        _draw_bar(drawing, inner, y + 8, face.filled, face)
    _draw_small(drawing, inner, face.small)


def _draw_busy(
    drawing: Drawing, left: float, right: float, chip: QRectF, face: TileFace
) -> float:
    """Right aligned; returns where it begins."""
    theme, letters = drawing.theme, drawing.letters
    if not face.busy:
        word = fitting(face.word, letters.body, right - left)
        baseline = chip.center().y() + letters.body.cap_height / 2
        run = Run(word, letters.body, theme.tone(face.tone))
        return drawing.runs_right(right, baseline, [run])
    runs = [
        Run(face.busy, letters.number, theme.text),
        Run(f"{THIN_SPACE}{face.unit}", letters.body, theme.quiet),
    ]
    baseline = chip.center().y() + letters.number.cap_height / 2
    return drawing.runs_right(right, baseline, runs)


def _draw_bar(
    drawing: Drawing, inner: QRectF, top: float, share: float | None, face: TileFace
) -> float:
    """Returns where it ends."""
    bar = QRectF(inner.left(), top, inner.width(), _BAR)
    if share is None:
        drawing.no_bar(bar)
    else:
        theme = drawing.theme
        filled = theme.level if face.colour is None else theme.card(face.colour)
        drawing.bar(bar, ((share, filled),))
    return bar.bottom()


def _draw_small(drawing: Drawing, inner: QRectF, small: tuple[Texts, ...]) -> None:
    """The first at the left, the last at the right, each in its share of the width."""
    caption, theme = drawing.letters.caption, drawing.theme
    room = inner.width() / max(1, len(small)) - 4
    runs = [Run(fitting(texts, caption, room), caption, theme.quiet) for texts in small]
    for at, run in enumerate(runs):
        spare = inner.width() - run.width
        share = at / (len(runs) - 1) if len(runs) > 1 else 0.0
        drawing.text(inner.left() + spare * share, inner.bottom() - 1, run)
