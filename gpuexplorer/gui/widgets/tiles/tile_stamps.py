"""The parts of a tile that change seldom, or not all at once, kept as pictures."""

from functools import partial

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.paint.stamps import Stamps
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.widgets.tiles.figure_drawing import draw_figure_right
from gpuexplorer.gui.widgets.tiles.tile_parts import draw_memory_bar, draw_programs
from gpuexplorer.gui.wording.cards.card_face import MemoryFace
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.gui.wording.processes.programs import ProgramFace


def stamp_figure(
    drawing: Drawing,
    stamps: Stamps,
    name: str,
    right: float,
    baseline: float,
    width: float,
    figure: Figure,
    number: Lettering,
) -> None:
    paint = partial(
        draw_figure_right,
        right=right,
        baseline=baseline,
        width=width,
        figure=figure,
        number=number,
    )
    top = baseline - number.ascent
    place = QRectF(right - width - 2, top, width + 4, number.height)
    stamps.draw(drawing, name, place, figure, paint)


def stamp_memory_bar(
    drawing: Drawing, stamps: Stamps, place: QRectF, memory: MemoryFace, colour: QColor
) -> None:
    paint = partial(draw_memory_bar, place=place, memory=memory, colour=colour)
    used = None if memory.used is None else round(memory.used * place.width() * 2)
    reserved = round(memory.reserved * place.width() * 2)
    key = (used, reserved, colour.rgba(), memory.figure.hint)
    stamps.draw(drawing, "bar", place.adjusted(-1, -1, 1, 1), key, paint)


def stamp_programs(
    drawing: Drawing, stamps: Stamps, place: QRectF, programs: list[ProgramFace]
) -> None:
    paint = partial(draw_programs, place=place, programs=programs)
    stamps.draw(drawing, "programs", place, tuple(programs), paint)
