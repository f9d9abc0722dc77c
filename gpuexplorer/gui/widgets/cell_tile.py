"""The tile of one card among very many: index, one number, one line for the memory."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.widgets.figure_drawing import absent_run
from gpuexplorer.gui.widgets.tile_parts import memory_parts
from gpuexplorer.gui.wording.card_face import CardFace

CELL_HEIGHT = 64.0
_RADIUS_INSET = 10.0


def draw_cell_tile(drawing: Drawing, place: QRectF, face: CardFace) -> None:
    """Filled by how busy the card is; only outlined where that is not known."""
    theme, letters = drawing.theme, drawing.letters
    known = face.busy_share is not None and not face.sentence
    bad = face.mark is not None and face.mark.tone is Tone.BAD
    fill: QColor = theme.heat(face.busy_share or 0.0) if known else theme.ground
    drawing.tile(place, fill, fill if known else theme.bad if bad else theme.line)
    inner = place.adjusted(_RADIUS_INSET, 8, -_RADIUS_INSET, -9)
    index = Run(face.number, letters.caption, theme.text if known else theme.quiet)
    drawing.text(inner.left(), inner.top() + letters.caption.ascent - 1, index)
    mark = face.mark
    if mark is not None and mark.icon is not None:
        corner = QRectF(inner.right() - 14, inner.top() - 1, 14, 14)
        drawing.icon(mark.icon, corner, theme.tone(mark.tone))
    baseline = inner.bottom() - 11
    if face.sentence:
        word = mark.word.lower() if mark is not None else face.sentence
        tone = theme.tone(mark.tone) if mark is not None else theme.faint
        drawing.elided(inner.left(), baseline, Run(word, letters.body, tone), inner.width())
    elif not face.busy.known:
        run = absent_run(drawing, face.busy, letters.caption, inner.width())
        drawing.text(inner.left(), baseline, run)
    else:
        number = Run(face.busy.number, letters.number, theme.text)
        unit = Run(f"{THIN_SPACE}{face.busy.unit}", letters.caption, theme.text)
        drawing.runs(inner.left(), baseline, (number, unit))
    if not face.sentence:
        line = QRectF(inner.left(), inner.bottom() - 2, inner.width(), 3)
        if face.memory.used is None:
            drawing.no_bar(line)
        else:
            drawing.bar(line, memory_parts(drawing, face.memory, theme.quiet))
    drawing.hint(place, f"{face.title}\n{face.spoken}".replace(". ", "\n"))
