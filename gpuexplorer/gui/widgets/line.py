"""Line: a line of text; of several wordings it shows the longest that fits. The same for
figures, whose number is strong and whose unit is smaller and dimmer, wherever one paints.
"""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.figure import Figure, around_number
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run, plain_tip
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.painted import Painted

Span = tuple[str | Icon, Lettering, Tone]
Wording = tuple[Span, ...]
_ICON, _BESIDE, _GROUPED_FROM = 16.0, 6.0, 4
_CAPTION: Final = 18.0
_ROUNDED = 0.5  # of a pixel: sums of widths are not exact


def width_of(wording: Wording) -> float:
    return sum(
        _ICON + _BESIDE if isinstance(text, Icon) else letters.width(text)
        for text, letters, _ in wording
    )


def fitting(wordings: Sequence[Wording], width: float) -> Wording:
    """The longest that fits; else the last, which will be cut."""
    return next((each for each in wordings if width_of(each) <= width), wordings[-1])


def spell(
    drawing: Drawing, wording: Wording, x: float, baseline: float, end: float = float("inf")
) -> float:
    """Cut at `end`. Returns where it ends."""
    for text, letters, tone in wording:
        colour = drawing.theme.tone(tone)
        if isinstance(text, Icon):
            top = baseline - letters.cap_height / 2 - _ICON / 2
            drawing.icon(text, QRectF(x, top, _ICON, _ICON), colour)
            x += _ICON + _BESIDE
        else:
            shown = letters.elided(text, end - x + _ROUNDED)
            x = drawing.text(x, baseline, Run(shown, letters, colour))
    return x


def wordings(
    figure: Figure, number: Lettering, small: Lettering, label: str = ""
) -> Sequence[Wording]:
    """With what it is out of, and without: number, "of 280 W". Or the reason why it is
    missing, at falling length, after the label.
    """
    named: Wording = ((f"{label} ", small, Tone.QUIET),) if label else ()
    if not figure.known:
        before = f"{label}: " if label else ""
        return [((f"{before}{each}", small, Tone.FAINT),) for each in figure.absent]
    found = []
    for each in (figure, figure.shorter):
        lead, rest = around_number(grouped(each.limit), each.unit)
        if each.unit and not each.limit:
            rest = f"{THIN_SPACE}{each.unit}"
        spans: Wording = (
            (lead, small, Tone.QUIET),
            (grouped(each.number), number, each.tone),
            (rest, small, Tone.QUIET),
        )
        found.append((*named, *(span for span in spans if span[0])))
    return found


def grouped(number: str) -> str:
    """ "1 710" with a thin space; anything else as it is."""
    head, space, digits = number.rpartition(" ")
    if len(digits) < _GROUPED_FROM or not digits.isdecimal():
        return number
    return f"{head}{space}{int(digits):,}".replace(",", THIN_SPACE)


class Line(Painted):
    """Equal wordings repaint nothing. Qt lays it out and tells its tooltip."""

    def __init__(self, *, height: int = 20, right: bool = False) -> None:
        """`right`: it ends at the right, as figures do that stand in a column."""
        super().__init__()
        self._right = right
        self._shown: tuple[Sequence[Wording], str] = ((), "")
        self._hint = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(height)

    def show_wordings(
        self, wordings: Sequence[Wording], hint: str = "", caption: str = ""
    ) -> None:
        """`caption` stands above them."""
        if self._shown != (wordings, caption):
            self._shown = (wordings, caption)
            self.update()
        if self._hint != hint:
            self._hint = hint
            self.setToolTip(plain_tip(hint))

    def show_captioned(self, figure: Figure) -> None:
        letters = self.look.letters
        found = wordings(figure, letters.title, letters.caption)
        self.show_wordings(found, figure.hint, figure.label)
        self.setAccessibleName(figure.spoken)

    def draw(self, drawing: Drawing) -> None:
        wordings, caption = self._shown
        place, letters = QRectF(self.contentsRect()), drawing.letters.caption
        if caption:
            above: Wording = ((caption, letters, Tone.QUIET),)
            spell(drawing, above, place.left(), letters.ascent, place.right())
            place.setTop(_CAPTION)
        if wordings:
            shown = fitting(wordings, place.width())
            tall = max((each.cap_height for _, each, _ in shown), default=0.0)
            left = max(0.0, place.width() - width_of(shown)) if self._right else 0.0
            baseline = place.center().y() + tall / 2
            spell(drawing, shown, place.left() + left, baseline, place.right())


def draw_figure_right(
    drawing: Drawing,
    right: float,
    baseline: float,
    width: float,
    figure: Figure,
    number: Lettering,
) -> None:
    caption, body = drawing.letters.caption, drawing.letters.body
    said = wordings(figure, number, caption if number.height < 24 else body)
    shown = fitting([*said[:1], *wordings(figure, number, caption)], width)
    left = right - min(width, width_of(shown))
    spell(drawing, shown, left, baseline, right)
    place = QRectF(left - 8, baseline - number.ascent, right - left + 8, number.height)
    drawing.hint(place, figure.hint)


class ElidedLabel(QLabel):
    """A line of text that may be cut off, and is told in full on asking. Keeps the whole text
    as its `text()`.
    """

    def __init__(self, letters: Lettering, tone: Tone, text: str = "") -> None:
        super().__init__(text)
        self._letters, self._hint = letters, ""
        self.setFont(letters.font)
        self.setProperty("tone", tone.value)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(1)

    def show_text(self, text: str, hint: str = "") -> None:
        self._hint = hint
        self.setText(text)
        self._tell_rest()

    def _tell_rest(self) -> None:
        cut = self._letters.width(self.text()) > self.width()
        self.setToolTip(self._hint or (plain_tip(self.text()) if cut else ""))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_rest()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            shown = self._letters.elided(self.text(), self.width())
            painter.drawText(self.rect(), self.alignment(), shown)


class Tag(QLabel):
    """A word in a frame, of a `kind` that the style sheet knows; it keeps its size."""

    def __init__(self, kind: str, words: str = "") -> None:
        super().__init__(words)
        self.setProperty("kind", kind)
        self.setIndent(0)
        self.setFont(look().letters.caption.font)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)


class NowTag(Tag):
    """Says that what stands beside it is of now, as long as somebody looks back."""

    def __init__(self, time_window: TimeWindow, words: str = "") -> None:
        super().__init__("now", words or tr("now"))
        self._time_window = time_window
        self.setToolTip(tr("This is how it is now. The plots show an earlier time."))
        time_window.changed.connect(self._on_time_changed)
        if not time_window.looking_back:
            self.hide()  # and else whoever takes it in shows it

    def _on_time_changed(self) -> None:
        self.setVisible(self._time_window.looking_back)
