"""What stands above and beside a strip's plots: which card it is, and its figures now."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.widgets.tiles.figure_drawing import absent_run, fitting_runs
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice


def draw_head(
    drawing: Drawing, head: QRectF, device: BenchDevice, face: CardFace, *, compact: bool
) -> None:
    """A compact one has room for the name alone."""
    theme, letters = drawing.theme, drawing.letters
    fill = None if device.colour is None else theme.card(device.colour)
    wide = max(20.0, letters.badge.width(device.chip) + 10)
    drawing.chip(QRectF(head.left(), head.top(), wide, 20), device.chip, letters.badge, fill)
    baseline = head.center().y() + letters.strong.cap_height / 2
    name = Run(device.name, letters.strong, theme.text)
    right = drawing.text(head.left() + wide + 9, baseline, name)
    drawing.hint(QRectF(head.left(), head.top(), right - head.left(), 20), face.title)
    if compact:
        return
    if face.sentence:
        sentence = Run(face.sentence, letters.body, theme.faint)
        drawing.elided(right + 16, baseline, sentence, head.right() - right - 16)
    else:
        _draw_small_figures(drawing, head, right + 16, face.figures[:3])


def draw_figures(
    drawing: Drawing, left: float, width: float, tops: Sequence[float], face: CardFace
) -> None:
    """Beside each plot: what it shows, as it is now."""
    theme, letters = drawing.theme, drawing.letters
    caption = letters.caption
    shown = ((tr("Busy"), face.busy), (tr("Memory"), face.memory.figure))
    for (word, figure), top in zip(shown, tops, strict=False):
        drawing.text(left, top + caption.ascent, Run(word, caption, theme.quiet))
        baseline = top + caption.height + letters.body.ascent
        if figure.known:
            runs = fitting_runs(drawing, figure, letters.strong, caption, width)
        else:
            runs = [absent_run(drawing, figure, caption, width)]
        drawing.runs(left, baseline, runs)
        place = QRectF(left, top + caption.height, width, letters.body.height)
        drawing.hint(place, figure.hint)


def _draw_small_figures(
    drawing: Drawing, head: QRectF, left: float, figures: Sequence[Figure]
) -> None:
    """As many of them as have room, from the right."""
    letters = drawing.letters
    right = head.right()
    baseline = head.center().y() + letters.strong.cap_height / 2
    for figure in reversed(figures):
        if figure.known:
            runs = fitting_runs(drawing, figure, letters.body, letters.caption, 120)
        else:
            runs = [absent_run(drawing, figure, letters.caption, 120)]
        width = sum(run.width for run in runs)
        if right - width < left:
            break
        begin = drawing.runs_right(right, baseline, runs)
        drawing.hint(QRectF(begin, head.top(), width, head.height()), figure.hint)
        right = begin - 24
