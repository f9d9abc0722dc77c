"""The head of a tile: the card's chip and name, what it is besides, and how it is."""

from functools import partial

from PySide6.QtCore import QRectF

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace, short_name
from gpuexplorer.gui.overview.tiles.stamps import Stamps
from gpuexplorer.gui.overview.tiles.tile_plan import HEADER
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.widgets.line import draw_badge, draw_mark

_LEAST_NAME = 64.0
_GAP = 8.0


def draw_header(
    drawing: Drawing, place: QRectF, face: CardFace, stamps: Stamps, *, roomy: bool = False
) -> None:
    """On one line. The state is never cut off before the name is."""
    shown = (face.number, face.colour, face.name, face.cuda, face.cuda_reason, face.badges)
    key = (*shown, face.mark, bool(face.sentence))
    paint = partial(_draw, place=place, face=face, roomy=roomy)
    stamps.draw(drawing, "header", place, key, paint)


def _draw(drawing: Drawing, place: QRectF, face: CardFace, *, roomy: bool) -> None:
    theme, letters = drawing.theme, drawing.letters
    fill = theme.card(face.colour) if face.colour is not None and not face.sentence else None
    wide = max(HEADER, letters.strong.width(face.number) + 12)
    chip = QRectF(place.left(), place.top(), wide, HEADER)
    drawing.chip(chip, face.number, letters.strong, fill)
    x, right = chip.right() + 9, place.right()
    middle = chip.center().y()
    full = face.name or tr("Card {number}", number=face.number)
    # The model says more than the maker, who made them all.
    usual = full if roomy else full.removeprefix("NVIDIA ")
    cuda = Run(face.cuda, letters.caption, theme.faint if face.cuda_reason else theme.quiet)
    beside = _GAP + cuda.width
    # Cards of one kind are called alike, however each of them is just now.
    kept = 0.0 if roomy else letters.body.width(tr("Power limit")) + 12
    name = fitting_name(letters.title, usual, right - x - kept - beside)
    if face.mark is not None:
        wanted = letters.title.width(name) + beside
        room = right - x
        parts = (face.mark, room - wanted - 12, room - _LEAST_NAME)
        right = draw_mark(drawing, right, middle, *parts) - 12
    if letters.title.width(name) > right - x - (beside if roomy else 0.0):
        name = fitting_name(letters.title, usual, right - x - beside)
    if letters.title.width(name) > right - x - beside:
        name = fitting_name(letters.title, name, right - x)
    strong = theme.quiet if face.sentence else theme.text
    baseline = middle + letters.title.cap_height / 2
    hint = face.title if name != full else ""
    x = drawing.elided(x, baseline, Run(name, letters.title, strong), right - x, hint) + _GAP
    if x + cuda.width <= right:
        drawing.hint(QRectF(x, place.top(), cuda.width, HEADER), face.cuda_reason)
        x = drawing.text(x, baseline, cuda) + 10
    elif face.cuda_reason:
        drawing.hint(chip, face.cuda_reason)
    for badge in face.badges:
        if roomy or not badge.minor:
            x = draw_badge(drawing, x, right, middle, badge)


def fitting_name(letters: Lettering, name: str, width: float) -> str:
    """The model says more than the maker, who made them all, and than its memory."""
    without = name.removeprefix("NVIDIA ")
    for words in (name, without, short_name(name)):
        if letters.width(words) <= width:
            return words
    return without
