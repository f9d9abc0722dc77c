"""How a card is, and what it is besides, drawn beside its name."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPen

from gpuexplorer.gui.cards.card_face import CardBadge
from gpuexplorer.gui.cards.reasons import StateMark
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run

_ICON, _BESIDE = 16.0, 6.0


def draw_mark(
    drawing: Drawing, right: float, middle: float, mark: StateMark, room: float, most: float
) -> float:
    """In brief where all of it does not fit into the room, and cut where it is wider than
    `most`; then it is told on asking. Returns where it begins.
    """
    letters, colour = drawing.letters.body, drawing.theme.tone(mark.tone)
    icon = 0.0 if mark.icon is None else _ICON + _BESIDE
    fits = letters.width(mark.word) <= room - icon
    said = mark.word if fits else mark.brief or mark.word
    word = Run(letters.elided(said, most - icon), letters, colour)
    begin = drawing.runs_right(right, middle + letters.cap_height / 2, [word])
    if mark.icon is not None:
        begin -= icon
        drawing.icon(mark.icon, QRectF(begin, middle - _ICON / 2, _ICON, _ICON), colour)
    hint = mark.word if word.text != mark.word else ""
    drawing.hint(QRectF(begin, middle - 12, right - begin, 24), hint)
    return begin


def draw_badge(
    drawing: Drawing, x: float, right: float, middle: float, badge: CardBadge, side: float = 5.0
) -> float:
    """Outlined: it is no state. Left out where there is no room, and told with the rest."""
    theme, letters = drawing.theme, drawing.letters.caption
    word = Run(badge.word, letters, theme.quiet)
    height = 6 + 2 * side
    place = QRectF(x, middle - height / 2, word.width + 2 * side, height)
    if place.right() > right:
        return x
    drawing.painter.setPen(QPen(theme.line, 1))
    drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
    inside = place.adjusted(0.5, 0.5, -0.5, -0.5)
    drawing.painter.drawRoundedRect(inside, CHIP_RADIUS, CHIP_RADIUS)
    drawing.text(place.left() + side, middle + letters.cap_height / 2, word)
    drawing.hint(place, badge.hint)
    return place.right() + side + 1
