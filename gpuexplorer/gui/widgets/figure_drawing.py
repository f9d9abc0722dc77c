"""How a figure is drawn: the number strong, the unit smaller and dimmer, a reason faint."""

from PySide6.QtCore import QRectF

from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.paint.lettering import Lettering
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.widgets.figure import Figure


def figure_runs(
    drawing: Drawing, figure: Figure, number: Lettering, small: Lettering
) -> list[Run]:
    """Number, then "of 280", then the unit. Not for a figure that is missing."""
    theme = drawing.theme
    strong = theme.tone(figure.tone)
    runs = [Run(figure.number, number, strong)]
    if figure.of:
        runs.append(Run(f" {figure.of}", small, theme.quiet))
    if figure.unit:
        space = THIN_SPACE if figure.unit == "%" or not figure.of else " "
        runs.append(Run(f"{space}{figure.unit}", small, theme.quiet))
    return runs


def absent_run(drawing: Drawing, figure: Figure, letters: Lettering, width: float) -> Run:
    """The longest wording of the reason that fits."""
    fitting = (text for text in figure.absent if letters.width(text) <= width)
    text = next(fitting, letters.elided(figure.absent[-1], width))
    return Run(text, letters, drawing.theme.tone(Tone.FAINT))


def draw_figure_right(
    drawing: Drawing,
    right: float,
    baseline: float,
    width: float,
    figure: Figure,
    number: Lettering,
) -> None:
    """Right aligned, as figures are that stand in a column."""
    caption, body = drawing.letters.caption, drawing.letters.body
    small = caption if number is body or number.height < 24 else body
    if figure.known:
        runs = figure_runs(drawing, figure, number, small)
        if sum(run.width for run in runs) > width:
            runs = figure_runs(drawing, figure, number, caption)
    else:
        runs = [absent_run(drawing, figure, body, width)]
    left = drawing.runs_right(right, baseline, runs)
    height = number.height
    place = QRectF(left - 8, baseline - number.ascent, right - left + 8, height)
    drawing.hint(place, figure.hint)


def draw_labelled(drawing: Drawing, x: float, top: float, width: float, figure: Figure) -> None:
    """A caption and under it the figure: a column of the line of small figures."""
    theme, letters = drawing.theme, drawing.letters
    caption = Run(letters.caption.elided(figure.label, width), letters.caption, theme.quiet)
    drawing.text(x, top + letters.caption.ascent, caption)
    baseline = top + 18 + letters.title.ascent
    if figure.known:
        runs = figure_runs(drawing, figure, letters.title, letters.caption)
        if sum(run.width for run in runs) > width:
            runs = [run for run in runs if not figure.of or run.text != f" {figure.of}"]
        drawing.runs(x, baseline, runs)
    else:
        drawing.text(x, baseline, absent_run(drawing, figure, letters.caption, width))
    drawing.hint(QRectF(x, top, width, 40), figure.hint)


def draw_inline(
    drawing: Drawing, x: float, baseline: float, width: float, figure: Figure
) -> None:
    """One short line without a caption: "628 of 700 W", "fan: none"."""
    theme, letters = drawing.theme, drawing.letters
    label = figure.brief or figure.short_label or figure.label.lower()
    if figure.known:
        runs = figure_runs(drawing, figure, letters.body, letters.caption)
        if figure.short_label:
            runs.insert(0, Run(f"{figure.short_label} ", letters.caption, theme.quiet))
        if sum(run.width for run in runs) > width:
            runs = [run for run in runs if not figure.of or run.text != f" {figure.of}"]
        drawing.runs(x, baseline, runs)
    else:
        prefix = f"{label}: "
        room = width - letters.caption.width(prefix)
        reason = absent_run(drawing, figure, letters.caption, room)
        drawing.runs(x, baseline, [Run(prefix, letters.caption, theme.faint), reason])
    top = baseline - letters.body.ascent
    drawing.hint(QRectF(x, top, width, letters.body.height), figure.hint)
