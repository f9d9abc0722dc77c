"""How a figure is drawn: the number strong, the unit smaller and dimmer, a reason faint."""

from PySide6.QtCore import QRectF

from gpuexplorer.gui.cards.figure import Figure, around_number
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import Tone

_GROUPED_FROM = 4


def figure_runs(
    drawing: Drawing, figure: Figure, number: Lettering, small: Lettering
) -> list[Run]:
    """ "gen", number, "of 280 W". Not for a figure that is missing."""
    theme = drawing.theme
    lead, rest = around_number(grouped(figure.limit), figure.unit)
    if figure.unit and not figure.limit and (figure.unit == "%" or not figure.before):
        rest = f"{THIN_SPACE}{figure.unit}"
    before = f"{figure.before} {lead}" if figure.before else lead
    runs = [
        Run(before, small, theme.quiet),
        Run(grouped(figure.number), number, theme.tone(figure.tone)),
        Run(rest, small, theme.quiet),
    ]
    return [run for run in runs if run.text]


def grouped(number: str) -> str:
    """ "1 710" with a thin space; anything else as it is."""
    head, space, digits = number.rpartition(" ")
    if len(digits) < _GROUPED_FROM or not digits.isdecimal():
        return number
    return f"{head}{space}{int(digits):,}".replace(",", THIN_SPACE)


def fitting_runs(
    drawing: Drawing, figure: Figure, number: Lettering, small: Lettering, width: float
) -> list[Run]:
    """As `figure_runs`, without what the figure is out of where that does not fit."""
    runs = figure_runs(drawing, figure, number, small)
    if sum(run.width for run in runs) > width:
        return figure_runs(drawing, figure.shorter, number, small)
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
            runs = fitting_runs(drawing, figure, number, caption, width)
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
        runs = fitting_runs(drawing, figure, letters.title, letters.caption, width)
        drawing.runs(x, baseline, runs)
    else:
        drawing.text(x, baseline, absent_run(drawing, figure, letters.caption, width))
    drawing.hint(QRectF(x, top, width, 40), figure.hint)


def draw_inline(
    drawing: Drawing, x: float, baseline: float, width: float, figure: Figure
) -> None:
    """One short line without a caption: "628 of 700 W", "fan: none"."""
    theme, letters = drawing.theme, drawing.letters
    label = figure.brief or figure.short_label or figure.label
    if figure.known:
        room = width
        if figure.short_label:
            named = Run(f"{figure.short_label} ", letters.caption, theme.quiet)
            room -= named.width
            x = drawing.text(x, baseline, named)
        drawing.runs(
            x, baseline, fitting_runs(drawing, figure, letters.body, letters.caption, room)
        )
    else:
        prefix = f"{label}: "
        room = width - letters.caption.width(prefix)
        reason = absent_run(drawing, figure, letters.caption, room)
        drawing.runs(x, baseline, [Run(prefix, letters.caption, theme.faint), reason])
    top = baseline - letters.body.ascent
    drawing.hint(QRectF(x, top, width, letters.body.height), figure.hint)
