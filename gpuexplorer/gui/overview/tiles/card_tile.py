"""CardTile: one card on the overview: a cell among very many, which is painted in one go. Tile:
the same, large or compact, laid out by Qt.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from PySide6.QtCore import QLineF, QPoint, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPen,
    QResizeEvent,
    QTransform,
)
from PySide6.QtWidgets import QBoxLayout, QLayout, QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import CardFace, short_name
from gpuexplorer.gui.cards.figure import Figure, MemoryFace
from gpuexplorer.gui.cards.programs import ProgramFace
from gpuexplorer.gui.paint.drawing import TILE_RADIUS, Drawing, Run, plain_tip
from gpuexplorer.gui.plots.curves import Curve, draw_curves
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, row
from gpuexplorer.gui.widgets.line import (
    Line,
    Wording,
    draw_badge,
    draw_figure_right,
    draw_mark,
    fitting,
    spell,
    width_of,
    wordings,
)
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.strip import Strip, StripShown, Wear

MARGIN, HEADER = 16, 24
CELL_HEIGHT, MOST_CELL_HEIGHT = 54, 196
FIGURE, _BRIEF = 44, 20  # heights of a small figure with its caption and without
_PROGRAM, _CAPTION, _ABOVE_PROGRAMS, _INSTANCE = 22, 20, 17, 30
# So wide, a large tile has one row of figures at least, and how full it is beside how busy; and
# a compact one has three figures in a row.
_ONE_ROW, _BESIDE_EACH_OTHER, _THREE_BRIEF = 580, 960, 264
_DIMMED, _SILENT = 0.7, 0.6
_HATCH_STEP, _ROUND = 5.0, 6.0
_WITH_MORE, _WITH_PAST = 76, 100  # so high, a cell has room for them


@dataclass(frozen=True, slots=True, eq=False)
class TilePast:
    """None where it was not asked for, since the tile has no room for it."""

    busy: StripShown | None = None
    memory: StripShown | None = None
    average: str = ""  # "average 96 %", over the time that is shown


class CardTile(Painted):
    """Shows a face; by itself as a cell, which is filled by how busy the card is and only
    outlined where that is not known. Its accessible description says the same as the picture.
    """

    opened = Signal()
    menu_asked = Signal(QPoint)  # on the screen
    large = False

    def __init__(self, face: CardFace) -> None:
        super().__init__()
        self.face, self.past = face, TilePast()
        self.asked: object = None  # what its past was asked for with
        self.lists_programs = self.shows_memory_past = False  # whether there is room for them
        self._pointed = False
        # It draws what shows at its corners too: then nothing below it is drawn again.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setAccessibleName(face.title)
        self.setAccessibleDescription(face.summary)

    def show_face(self, face: CardFace) -> None:
        if face != self.face:
            self.face = face
            self.setAccessibleName(face.title)
            self.setAccessibleDescription(face.summary)
            self.update()

    def show_past(self, past: TilePast) -> None:
        self.past = past
        self.update()

    def show_programs(self, programs: Sequence[ProgramFace]) -> None:
        """As many as there is room for."""

    def show_pointed(self, pointed: bool) -> None:
        """Told about elsewhere: a frame says which one it is."""
        self._pointed = pointed
        self.update()

    def past_width(self) -> float:
        """How wide the trace of how busy it was is drawn; 0 where none is."""
        return self.width() - 16 if self.height() >= _WITH_PAST else 0

    def draw(self, drawing: Drawing) -> None:
        face, theme, letters = self.face, drawing.theme, drawing.letters
        painter, place, mark = drawing.painter, QRectF(self.rect()), self.face.mark
        inner, small = place.adjusted(8, 6, -8, -7), letters.caption
        known = face.busy_share is not None and not face.sentence
        bad = mark is not None and mark.tone is Tone.BAD
        fill = theme.heat(face.busy_share or 0.0) if known else theme.ground
        painter.fillRect(place, theme.surface)
        painter.setPen(QPen(fill if known else theme.bad if bad else theme.line, 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)
        index = Run(face.number, small, theme.text if known else theme.quiet)
        drawing.text(inner.left(), inner.top() + small.ascent - 1, index)
        if mark is not None and mark.icon is not None:
            corner = QRectF(inner.right() - 14, inner.top() - 1, 14, 14)
            drawing.icon(mark.icon, corner, theme.tone(mark.tone))
        baseline = inner.top() + small.height + letters.number.cap_height + 3
        # The unit of its number stands once, above all of them.
        said: Sequence[Wording] = [((face.busy.number, letters.number, Tone.TEXT),)]
        if face.sentence:
            said = [((face.word, letters.body, mark.tone if mark else Tone.FAINT),)]
        elif not face.busy.known:
            said = wordings(face.busy, small, small)
        shown = fitting(said, inner.width())
        spell(drawing, shown, inner.left(), baseline, inner.right())
        self._draw_below(drawing, inner, baseline + small.height + 3)
        self.draw_frame(drawing, _ROUND)

    def _draw_below(self, drawing: Drawing, inner: QRectF, baseline: float) -> None:
        """How full it is; the first figures and what went before where there is room."""
        face, past, theme = self.face, self.past.busy, drawing.theme
        painter, small = drawing.painter, drawing.letters.caption
        if past is not None and self.past_width():
            # What it did before it fell silent is kept. A widget for each of 64 cells would
            # take four times as long as all else on them.
            ink = theme.faint if face.sentence else faded(theme.text, 0.55)
            plot = QRectF(inner.left(), baseline + 8, inner.width(), 0)
            plot.setBottom(inner.bottom() - 9)
            wide, tall = plot.width() / (past.end - past.start), plot.height() / past.highest
            left = plot.left() - past.start * wide
            to = QTransform(wide, 0, 0, -tall, left, plot.bottom())
            draw_curves(painter, plot, to, [Curve(past.trace, ink)])
        if face.sentence:
            return
        line = QRectF(inner.left(), inner.bottom() - 3, inner.width(), 3)
        used = face.memory.used
        if used is None:
            drawing.no_bar(line)
        else:
            painter.fillRect(line, faded(theme.text, 0.16))
            line.setWidth(max(2.0, used * line.width()) if used > 0 else 0.0)
            painter.fillRect(line, faded(theme.text, 0.7))
        x = inner.left()
        for figure in face.figures[:2] if self.height() >= _WITH_MORE else ():
            shown = wordings(figure, small, small)[-1]
            if figure.known and x + width_of(shown) <= inner.right():
                x = spell(drawing, shown, x, baseline) + 8

    def draw_frame(self, drawing: Drawing, radius: float) -> None:
        place = QRectF(self.rect())
        if self.hasFocus():
            drawing.focus_ring(place, radius)
        elif self._pointed:
            drawing.outlined(place, QPen(drawing.theme.text, 2), radius - 1)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        place = self.mapToGlobal(self.rect().center()) if by_key else event.globalPos()
        self.menu_asked.emit(place)


class Tile(CardTile):
    """Large, for a few cards; or compact, among up to eight and where a cell is pointed at."""

    def __init__(self, face: CardFace, *, raised: bool = False) -> None:
        super().__init__(face)
        self._raised, self._curve = raised, True
        self._programs: Sequence[ProgramFace] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, not raised)
        self._box, self._inside = column(within=self, margins=MARGIN), QWidget()
        self._box.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self._build()

    def show_size(self, *, large: bool, curve: bool) -> None:
        """A large tile can be without its curves, where the same are drawn elsewhere."""
        if (large, curve) != (self.large, self._curve):
            self.large, self._curve = large, curve
            self._build()

    def _build(self) -> None:
        """All that is on it, in its size."""
        large, letters, self.asked = self.large, self.letters, None
        self._inside.hide()
        self._inside.deleteLater()
        self._inside = inside = QWidget()
        beside, bottom = 132 if large else 104, Qt.AlignmentFlag.AlignBottom
        self._head = _TileHead(large=large)
        self._busy_past, self._memory_past = Strip(scaled=large), Strip(scaled=large)
        self._busy_past.setMinimumHeight(108 if large else 40)
        self._memory_past.setMinimumHeight(44 if large else 28)
        self._busy = Line(height=46 if large and self._curve else 40, right=self._curve)
        self._word, self._average = Line(right=True), Line(height=16, right=True)
        self._word.show_wordings([((tr("busy"), letters.body, Tone.TEXT),)])
        self._bar = _Bar(legend=large)
        self._used = Line(height=self._bar.height(), right=True)
        self._figures, self._listed = _SmallFigures(captions=large), _Programs(caption=large)
        self._instances = [_Instance() for _ in self.face.instances]
        self._sentence = label("", letters.body)
        self._more = label("", letters.body, Tone.QUIET)
        for each in (self._sentence, self._more):
            each.setWordWrap(True)
        self._link = link_button(tr("Open its history"), flush=True)
        self._link.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._link.clicked.connect(self.opened)
        numbers, traces, self._memory, self._plots = QWidget(), QWidget(), QWidget(), QWidget()
        self._alive, self._silent = QWidget(), QWidget()
        numbers.setFixedWidth(beside if self._curve else 160)
        self._used.setFixedWidth(beside)
        # Their middle is that of the bar.
        for number in (self._used,) if self._curve else (self._used, self._busy):
            number.setContentsMargins(0, 0, 0, number.height() - 2 * self._bar.middle)
        column(self._busy, self._word, self._average, FREE, within=numbers, gap=0)
        row(self._busy_past, GROWS, numbers, within=traces, gap=16 if large else 12)
        full = column(self._memory_past, GROWS, self._bar, gap=6)
        row(full, GROWS, self._used, bottom, within=self._memory, gap=16 if large else 12)
        self._blocks = column(traces, self._memory, within=self._plots, gap=6)
        below = column(*self._instances, gap=0)
        column(self._figures, self._listed, below, within=self._alive)
        said = (self._sentence, self._more, FREE, row(self._link, FREE))
        column(*said, within=self._silent, gap=6)
        parts = (self._head, self._plots, GROWS, self._silent, GROWS, self._alive)
        column(*parts, within=inside, gap=10 if large else 8)
        self._busy_past.setVisible(self._curve)
        self._box.addWidget(inside)
        self._refresh()

    def show_face(self, face: CardFace) -> None:
        before, self.face = self.face, face
        if len(face.instances) != len(before.instances):
            self._build()
        elif face != before or self._small(face) != self._small(before):
            self._refresh()

    def _small(self, face: CardFace) -> Sequence[Figure]:
        """The small figures, which faces are not compared by."""
        return face.figures if self.large else face.brief_figures

    def _refresh(self) -> None:
        face, letters = self.face, self.letters
        self.setAccessibleName(face.title)
        self.setAccessibleDescription(face.spoken if self.large else face.spoken_briefly)
        self._head.show_face(face)
        known = not self._curve and face.busy.known
        alone: Wording = ((f"  {tr('busy')}", letters.body, Tone.TEXT),) if known else ()
        used = letters.number if self.large else letters.title
        _show_number(self._busy, _dimmed(face.busy, face.dimmed), letters.hero, alone)
        _show_number(self._used, _dimmed(face.memory.figure, face.dimmed), used)
        self._bar.show_memory(face.memory, face.colour)
        self._sentence.setText(face.sentence)
        self._more.setText(face.more)
        self._silent.setToolTip(plain_tip(f"{face.sentence} {face.more}".strip()))
        for part, instance in zip(self._instances, face.instances, strict=True):
            part.show_instance(instance, face.colour)
        self.show_past(self.past)
        self._fit()

    def show_past(self, past: TilePast) -> None:
        self.past, face = past, self.face
        strength = _SILENT if face.sentence else _DIMMED if face.dimmed else 1.0
        wear = Wear(face.colour, strength, self._raised)
        for strip, shown in ((self._busy_past, past.busy), (self._memory_past, past.memory)):
            if shown is not None:
                strip.show_past(shown, wear)
        caption = self.letters.caption
        self._average.show_wordings([((past.average, caption, Tone.QUIET),)])
        read = past.busy is not None and past.busy.trace.counts.any()
        self._link.setVisible(bool(read) and face.mark is not None)

    def show_programs(self, programs: Sequence[ProgramFace]) -> None:
        if programs != self._programs:
            self._programs = programs
            self._fit()

    def past_width(self) -> float:
        without = self._plots.isHidden() or self._busy_past.isHidden()
        return 0.0 if without else self._busy_past.plot().width()

    def least_height(self, width: float, *, large: bool, curve: bool) -> float:
        """A sentence takes no more, so that a tile does not jump when figures go."""
        inner = width - 2 * MARGIN
        instances = _INSTANCE * len(self.face.instances) + (8 if self.face.instances else 0)
        if not large:
            return (199 if inner >= _THREE_BRIEF else 205) + instances
        blocks = 40 if not curve else 108 if inner >= _BESIDE_EACH_OTHER else 154
        rows = 1 if inner >= _ONE_ROW else 2
        return 2 * MARGIN + HEADER + blocks + 31 + rows * FIGURE + instances

    def _fit(self) -> None:
        """What there is room for: height to spare goes to more figures, to the memory's trace
        and to programs, and what is left then makes the traces taller.
        """
        large, face, inner = self.large, self.face, self.width() - 2 * MARGIN
        blank, size = bool(face.sentence), {"large": large, "curve": self._curve}
        spare = self.height() - self.least_height(self.width(), **size)
        beside = not self._curve or (large and inner >= _BESIDE_EACH_OTHER)
        trace = 0 if beside else 50 if large else 34
        self.shows_memory_past = self._curve and not blank and spare >= trace
        spare -= trace if self.shows_memory_past else 0
        figures = self._small(face)
        rows = (1 if inner >= _ONE_ROW else 2) if large else 2 if inner >= _THREE_BRIEF else 3
        if large and spare >= FIGURE and rows * _columns(inner) < len(figures):
            rows, spare = rows + 1, spare - FIGURE
        lines = int((spare - (_ABOVE_PROGRAMS + _CAPTION * large)) // _PROGRAM)
        self.lists_programs = lines >= 2 and not blank
        self._figures.show_figures(figures, rows, dimmed=face.dimmed)
        if self.lists_programs:
            lines = min(max(1, len(self._programs)), 4 if large else 3, lines)
            self._listed.show_programs(self._programs, lines)
        direction = QBoxLayout.Direction
        self._blocks.setDirection(direction.LeftToRight if beside else direction.TopToBottom)
        self._blocks.setSpacing(40 if beside else 6)
        below = (3, 2) if self.shows_memory_past else (1, 0)
        shares = below if not beside else (1, 1) if self._curve else (0, 1)
        for at, share in enumerate(shares):
            self._blocks.setStretch(at, share)
        told = large and self._curve and face.busy.known and not blank
        said = sum(each.heightForWidth(inner) for each in (self._sentence, self._more))
        plots = not blank or (self._curve and face.mark is not None)
        above = 2 * MARGIN + HEADER + 60 + (self._busy_past.minimumHeight() if plots else 0)
        for part, there in (
            (self._plots, plots),
            (self._busy, not blank),
            (self._word, told),
            (self._average, told),
            (self._memory, not blank),
            (self._memory_past, self.shows_memory_past),
            (self._alive, not blank),
            (self._listed, self.lists_programs),
            (self._silent, blank),
            (self._more, bool(face.more) and above + said <= self.height()),
        ):
            part.setVisible(there)

    def draw(self, drawing: Drawing) -> None:
        theme, place = drawing.theme, QRectF(self.rect())
        if self._raised:
            drawing.tile(place, theme.raised, theme.line)
        elif drawing.dirty is not None and self._inside.geometry().contains(
            drawing.dirty.boundingRect()
        ):
            drawing.painter.fillRect(place, theme.surface)  # no edge or corner is seen
        else:
            drawing.painter.fillRect(place, theme.ground)
            drawing.tile(place)
        self.draw_frame(drawing, TILE_RADIUS)

    def minimumSizeHint(self) -> QSize:
        """What is on it goes by its height, and not the other way round."""
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class _TileHead(Painted):
    """The card's chip and name, what it is besides, and how it is."""

    def __init__(self, *, large: bool) -> None:
        super().__init__()
        self._large, self._told = large, tuple[object, ...]()
        self._face: CardFace | None = None
        self.setFixedHeight(HEADER)

    def show_face(self, face: CardFace) -> None:
        who = (face.number, face.colour, face.name, face.cuda, face.cuda_reason, face.badges)
        told, self._face = (*who, face.mark, bool(face.sentence)), face
        if told != self._told:
            self._told = told
            hints = (face.title, face.cuda_reason, *(each.hint for each in face.badges))
            self.setToolTip(plain_tip("\n".join(filter(None, hints))))
            self.update()

    def draw(self, drawing: Drawing) -> None:
        face, theme, letters = self._face, drawing.theme, drawing.letters
        if face is None:
            return
        middle, right, silent = HEADER / 2, float(self.width()), bool(face.sentence)
        chip = QRectF(0, 0, max(HEADER, letters.strong.width(face.number) + 12), HEADER)
        fill = None if face.colour is None or silent else theme.card(face.colour)
        drawing.chip(chip, face.number, letters.strong, fill)
        x = chip.right() + 9
        cuda = Run(face.cuda, letters.caption, theme.faint if face.cuda_reason else theme.quiet)
        full = face.name or tr("Card {number}", number=face.number)
        # The model says more than the maker. Cards of one kind are called alike, however each
        # of them is just now.
        names = (full, full.removeprefix("NVIDIA "), short_name(full))[not self._large :]
        kept = letters.body.width(tr("Power limit")) + 12
        room = right - x - kept - cuda.width - 8
        name = next((each for each in names if letters.title.width(each) <= room), names[-1])
        if face.mark is not None:
            wanted = letters.title.width(name) + cuda.width + 20
            rooms = (right - x - wanted, right - x - 64)
            right = draw_mark(drawing, right, middle, face.mark, *rooms) - 12
        baseline = middle + letters.title.cap_height / 2
        run = Run(name, letters.title, theme.quiet if silent else theme.text)
        x = drawing.elided(x, baseline, run, right - x) + 8
        if x + cuda.width <= right:
            x = drawing.text(x, baseline, cuda) + 10
        for badge in face.badges:
            if self._large or not badge.minor:
                x = draw_badge(drawing, x, right, middle, badge)


class _Bar(Painted):
    """How full the memory is. What programs hold is hatched: it is theirs, and not ours."""

    def __init__(self, *, legend: bool, height: int = 8) -> None:
        super().__init__()
        self._legend, self._tall = legend, 10 if legend else height
        self.middle = 14 if legend else 10
        self._shown: tuple[MemoryFace, int | None] | None = None
        self.setFixedHeight(40 if legend else 20)

    def show_memory(self, memory: MemoryFace, colour: int | None) -> None:
        if (memory, colour) != self._shown:
            self._shown = (memory, colour)
            self.setToolTip(plain_tip(memory.figure.hint))
            self.update()

    def draw(self, drawing: Drawing) -> None:
        place = QRectF(0, self.middle - self._tall / 2, self.width(), self._tall)
        memory, card = self._shown or (None, None)
        if memory is None or memory.used is None:
            drawing.no_bar(place)
            return
        colour, theme, painter = drawing.theme.card(card), drawing.theme, drawing.painter
        drawing.bar(place, ((memory.used, faded(colour, 0.3)), (memory.reserved, theme.faint)))
        if memory.used > 0:
            wide = min(place.width(), max(2.0, memory.used * place.width()))
            painter.setClipRect(QRectF(place.topLeft(), QSizeF(wide, self._tall)))
            painter.setPen(QPen(colour, 1.2))
            lefts = [at * _HATCH_STEP - self._tall for at in range(int(wide / 5) + 4)]
            bottom, top = place.bottom(), place.top()
            painter.drawLines([QLineF(x, bottom, x + self._tall, top) for x in lefts])
            painter.setClipping(False)
        x, small = 0.0, drawing.letters.caption
        parts = zip(memory.parts, (colour, theme.faint), strict=False)
        for part, ink in parts if self._legend else ():
            said: Wording = (
                (f"{part.label} ", small, Tone.QUIET),
                (part.number, small, Tone.TEXT),
                (f" {part.unit}", small, Tone.QUIET),
            )
            if x + 14 + width_of(said) > self.width():
                return
            painter.fillRect(QRectF(x, place.bottom() + 8, 8, 8), ink)
            begin, x = x, spell(drawing, said, x + 14, place.bottom() + 16) + 16
            drawing.hint(QRectF(begin, place.bottom() + 4, x - begin, 16), part.hint)


class _SmallFigures(Painted):
    """The small ones, in rows: each below its caption, or named by its unit."""

    def __init__(self, *, captions: bool) -> None:
        super().__init__()
        self._captions, self._shape = captions, (0, 0, False)
        self._top, self._tall = (11, FIGURE) if captions else (7, _BRIEF)
        self._figures: Sequence[Figure] = ()

    def show_figures(self, figures: Sequence[Figure], rows: int, *, dimmed: bool) -> None:
        before, self._figures = self._figures, figures
        shape = (len(figures), rows, dimmed)
        if shape != self._shape:
            self._shape = shape
            self.setFixedHeight(self._top + rows * self._tall)
            self.update()
            return
        for at, (was, now) in enumerate(zip(before, figures, strict=True)):
            if was != now:
                self.update(self._place(at).toAlignedRect())

    def _place(self, at: int) -> QRectF:
        wide, (count, rows, _) = self.width(), self._shape
        # Those with a word before them take more room.
        edges = [0.0, 0.39, 0.63, 1.0] if wide >= _THREE_BRIEF else [0.0, 0.5, 1.0]
        if self._captions:
            # As evenly as it gets where there are fewer than fit.
            columns = min(_columns(wide), max(1, ceil(count / rows)))
            edges = [each / columns for each in range(columns + 1)]
        down, across = divmod(at, len(edges) - 1)
        left, right = edges[across] * wide, edges[across + 1] * wide
        return QRectF(left, self._top + down * self._tall, right - left - 5, self._tall)

    def draw(self, drawing: Drawing) -> None:
        small, number = drawing.letters.caption, drawing.letters.body
        drawing.hairline(0, self.width(), 0)
        for at, figure in enumerate(self._figures):
            place, name = self._place(at), ""
            if place.bottom() > self.height():
                return
            drawing.hint(place, figure.hint)
            if not drawing.needs(place):
                continue
            baseline, end = place.top() + number.ascent, place.right()
            if self._captions:
                number = drawing.letters.title
                baseline = place.top() + 18 + number.ascent
                caption: Wording = ((figure.label, small, Tone.QUIET),)
                spell(drawing, caption, place.left(), place.top() + small.ascent, end)
            else:
                absent = "" if figure.known else figure.brief
                name = absent or figure.short_label or ("" if figure.known else figure.label)
            said = wordings(_dimmed(figure, self._shape[2]), number, small, name)
            spell(drawing, fitting(said, place.width()), place.left(), baseline, end)


class _Programs(Painted):
    """Who uses the card most: as many lines as fit, the rest as a number."""

    def __init__(self, *, caption: bool) -> None:
        super().__init__()
        self._caption, self._top = caption, _ABOVE_PROGRAMS - 8 + _CAPTION * caption
        self._shown: tuple[Sequence[ProgramFace], int] = ((), 0)

    def show_programs(self, programs: Sequence[ProgramFace], lines: int) -> None:
        if (programs, lines) != self._shown:
            self._shown = (programs, lines)
            self.setFixedHeight(self._top + lines * _PROGRAM)
            self.update()

    def draw(self, drawing: Drawing) -> None:
        (programs, lines), letters, right = self._shown, drawing.letters, self.width()
        drawing.hairline(0, right, 0)
        if self._caption:
            drawing.text(0, 20, Run(tr("Programs"), letters.caption, drawing.theme.quiet))
        baseline = self._top + _PROGRAM / 2 + letters.body.cap_height / 2
        shown = programs if len(programs) <= lines else programs[: lines - 1]
        for each in shown:
            end = float(right)
            for figure, unit, wide in ((each.memory, each.unit, 88), (each.busy, "%", 52)):
                if figure.known:
                    told = replace(figure, unit=unit)
                    draw_figure_right(drawing, end, baseline, wide, told, letters.body)
                    end -= wide
            ink = drawing.theme.tone(Tone.TEXT if each.known else Tone.QUIET)
            name = Run(each.command, letters.mono, ink)
            drawing.elided(0, baseline, name, end - 12, each.hint)
            baseline += _PROGRAM
        rest = len(programs) - len(shown)
        more = trn("and {count} more", "and {count} more", rest) if rest else ""
        words = more if programs else tr("No program uses it")
        drawing.text(0, baseline, Run(words, letters.caption, drawing.theme.quiet))


class _Instance(QWidget):
    """One MIG instance, a line under its card."""

    def __init__(self) -> None:
        super().__init__()
        self._name, self._bar = Line(), _Bar(legend=False, height=6)
        self._used = Line(right=True)
        self._bar.setFixedWidth(90)
        self.setFixedHeight(_INSTANCE)
        row(self._name, GROWS, self._bar, self._used, within=self)

    def show_instance(self, face: CardFace, colour: int | None) -> None:
        letters = self._name.letters
        who: Wording = (
            (f"{face.number}  ", letters.badge, Tone.QUIET),
            (face.name, letters.body, Tone.TEXT),
            (f"  {face.cuda}", letters.caption, Tone.QUIET),
        )
        self._name.show_wordings([who], f"{face.name}, {face.cuda_reason or face.cuda}")
        self._bar.setVisible(not face.sentence)
        self._bar.show_memory(face.memory, colour)
        self._used.setFixedWidth(218 if face.sentence else 120)
        why: Wording = ((face.sentence, letters.caption, Tone.FAINT),)
        said = wordings(face.memory.figure, letters.body, letters.caption)
        self._used.show_wordings([why] if face.sentence else said, face.sentence)


def _show_number(line: Line, figure: Figure, number: Lettering, behind: Wording = ()) -> None:
    """In large letters, with its unit."""
    small, body = line.letters.caption, line.letters.body
    wide = wordings(figure, number, body if number.height >= 24 else small)[:1]
    said = [*wide, *wordings(figure, number, small)]
    line.show_wordings([(*each, *behind) for each in said], figure.hint)


def _dimmed(figure: Figure, dimmed: bool) -> Figure:
    """One of a moment ago is quieter."""
    return replace(figure, tone=Tone.QUIET) if dimmed else figure


def _columns(wide: float) -> int:
    """Of small figures with captions."""
    return max(2, min(10, int(wide // 116)))
