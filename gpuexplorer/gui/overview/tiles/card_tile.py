"""CardTile: one card on the overview: a cell among very many, which is painted in one go. Tile:
the same, large or compact, laid out by Qt.
"""

from collections.abc import Sequence
from dataclasses import replace
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
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLayout, QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure, MemoryFace
from gpuexplorer.gui.cards.programs import ProgramFace
from gpuexplorer.gui.paint.drawing import TILE_RADIUS, Drawing, Run, plain_tip
from gpuexplorer.gui.plots.curves import Curve, draw_curves
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Grow, Space, add, column, label, row
from gpuexplorer.gui.widgets.line import Line, Wording, fitting, spell, width_of, wordings
from gpuexplorer.gui.widgets.painted import ChipRow, Painted
from gpuexplorer.gui.widgets.sheets.sheet import line_between
from gpuexplorer.gui.widgets.strip import Strip, StripShown, Wear

MARGIN, HEADER = 16, 24
CELL_HEIGHT, MOST_CELL_HEIGHT = 54, 196
# Heights of a small figure with its caption, of that alone, and of one without.
FIGURE, _CAPTIONED, _BRIEF = 44, 38, 20
MORE_FIGURES = FIGURE + 8  # so much to spare: more than a row that is there gives itself
_PROGRAM, _CAPTION, _ABOVE_PROGRAMS, _INSTANCE = 22, 20, 17, 30
# So wide, a large tile has one row of figures at least, and how full it is beside how busy; and
# a compact one has three figures in a row.
_ONE_ROW, _BESIDE_EACH_OTHER, _THREE_BRIEF = 580, 960, 264
_SILENT, _HATCH_STEP, _ROUND = 0.6, 5.0, 6.0
_WITH_MORE, _WITH_PAST = 76, 100  # so high, a cell has room for them


class CardTile(Painted):
    """Shows a face; by itself as a cell, which is filled by how busy the card is and only
    outlined where that is not known. Its accessible description says the same as the picture.
    """

    opened = Signal()
    menu_asked = Signal(QPoint)  # on the screen
    large = False

    def __init__(self, face: CardFace) -> None:
        super().__init__()
        self.face = face
        self.past: StripShown | None = None
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

    def show_past(
        self, busy: StripShown | None, memory: StripShown | None = None, average: str = ""
    ) -> None:
        """`average`: "average 96 %", over the time that is shown."""
        del memory, average
        self.past = busy
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
        sizes = letters.number, letters.title
        said: Sequence[Wording] = [((face.busy.number, size, Tone.TEXT),) for size in sizes]
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
        face, past, theme = self.face, self.past, drawing.theme
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
        beside, gap, bottom = 132, 16, Qt.AlignmentFlag.AlignBottom
        if not large:
            beside, gap = 104, 12
        self._chip, self._name, self._mark = ChipRow(), Line(height=HEADER), Line(right=True)
        head = row(self._chip, self._name, GROWS, self._mark, gap=9)
        self._busy_past, self._memory_past = Strip(scaled=large), Strip(scaled=large)
        self._busy_past.setMinimumHeight(108 if large else 40)
        self._memory_past.setMinimumHeight(44 if large else 28)
        self._busy = Line(height=46 if large and self._curve else 40, right=self._curve)
        self._average = Line(right=True)
        self._bar = _Bar(legend=large)
        self._used = Line(height=self._bar.height(), right=True)
        self._figures, self._shape, self._told = QGridLayout(), (0, 0), list[Figure]()
        between = FIGURE - _CAPTIONED if large else 0
        self._figures.setVerticalSpacing(between)
        self._figures.setHorizontalSpacing(6)
        self._figures.setContentsMargins(0, 0, 0, between)
        high = _CAPTIONED if large else _BRIEF
        self._small = [Line(height=high) for _ in self._small_figures()]
        # Of each program its name, and what it uses.
        most = 4 if large else 3
        self._lines = [(Line(height=_PROGRAM), Line(right=True)) for _ in range(most)]
        count = len(self.face.instances)
        self._instances = [(Line(), _Bar(), Line(right=True)) for _ in range(count)]
        self._sentence = label("", letters.body)
        self._more = label("", letters.body, Tone.QUIET)
        for each in (self._sentence, self._more):
            each.setWordWrap(True)
        self._link = link_button(tr("Open its history"), flush=True)
        self._link.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._link.clicked.connect(self.opened)
        self._link.hide()
        numbers, traces, self._memory, self._plots = (QWidget() for _ in range(4))
        self._alive, self._silent, self._listed = (QWidget() for _ in range(3))
        numbers.setFixedWidth(beside if self._curve else 160)
        self._used.setFixedWidth(beside)
        # Their middle is that of the bar.
        for number in (self._used,) if self._curve else (self._used, self._busy):
            number.setContentsMargins(0, 0, 0, number.height() - 2 * self._bar.middle)
        column(self._busy, self._average, FREE, within=numbers, gap=0)
        row(self._busy_past, GROWS, numbers, within=traces, gap=gap)
        full = column(self._memory_past, GROWS, self._bar, gap=6)
        row(full, GROWS, self._used, bottom, within=self._memory, gap=gap)
        self._blocks = column(traces, self._memory, within=self._plots, gap=6)
        listed = column(Space(8), line_between(), Space(8), within=self._listed, gap=0)
        if large:
            add(listed, label(tr("Programs"), letters.caption, Tone.QUIET), Space(4))
        for name, used in self._lines:
            used.setFixedWidth(144)
            listed.addLayout(row(name, GROWS, used, gap=12))
        alive = column(line_between(), Space(10 if large else 6), within=self._alive, gap=0)
        add(alive, self._figures, self._listed)
        for who, bar, held in self._instances:
            add(alive, row(who, Grow(3), bar, held, Grow(2), margins=(0, 5, 0, 5)))
        said = (self._sentence, self._more, FREE, row(self._link, FREE))
        column(*said, within=self._silent, gap=6)
        shown = (head, self._plots, GROWS, self._silent, GROWS, self._alive)
        column(*shown, within=inside, gap=10 if large else 8)
        self._busy_past.setVisible(self._curve)
        self._box.addWidget(inside)
        self._refresh()

    def show_face(self, face: CardFace) -> None:
        before, figures, self.face = self.face, self._small_figures(), face
        count = len(face.instances), len(self._small_figures())
        if count != (len(before.instances), len(figures)):
            self._build()
        elif face != before or self._small_figures() != figures:
            self._refresh()

    def _small_figures(self) -> Sequence[Figure]:
        """Which faces are not compared by."""
        return self.face.figures if self.large else self.face.brief_figures

    def _refresh(self) -> None:
        face, letters = self.face, self.letters
        self.setAccessibleName(face.title)
        self.setAccessibleDescription(face.spoken if self.large else face.spoken_briefly)
        self._show_head()
        known = not self._curve and face.busy.known
        alone: Wording = ((f"  {tr('busy')}", letters.body, Tone.TEXT),) if known else ()
        _show_number(self._busy, face.busy, letters.hero, alone)
        used = letters.number if self.large else letters.title
        _show_number(self._used, face.memory.figure, used)
        self._bar.show_memory(face.memory, face.colour)
        self._sentence.setText(face.sentence)
        self._more.setText(face.more)
        self._silent.setToolTip(plain_tip(f"{face.sentence} {face.more}".strip()))
        for (who, bar, held), each in zip(self._instances, face.instances, strict=True):
            name: Wording = (
                (f"{each.number}  ", letters.badge, Tone.QUIET),
                (each.name, letters.body, Tone.TEXT),
                (f"  {each.cuda}", letters.caption, Tone.QUIET),
            )
            who.show_wordings([name], f"{each.name}, {each.cuda_reason or each.cuda}")
            bar.setVisible(each.answers)
            bar.show_memory(each.memory, face.colour)
            said = wordings(each.memory.figure, letters.body, letters.caption)
            if each.sentence:
                said = [((each.sentence, letters.caption, Tone.FAINT),)]
            held.show_wordings(said, each.sentence)
        self._fit()

    def _show_head(self) -> None:
        """Its chip and name, what it is besides, and how it is."""
        face, letters, large = self.face, self.letters, self.large
        self._chip.show_chips([Chip(face.number, face.colour if face.answers else None)])
        name = face.name if large and face.name else face.short_name
        tone = Tone.TEXT if face.answers else Tone.QUIET
        besides = [face.cuda, *(e.word for e in face.badges if large or not e.minor)]
        said: list[Wording] = [((name, letters.title, tone),)]
        for word in besides:
            said.insert(0, (*said[0], (f"   {word}", letters.caption, Tone.QUIET)))
        hints = (face.title, face.cuda_reason, *(each.hint for each in face.badges))
        self._name.show_wordings(said, "\n".join(filter(None, hints)))
        mark = face.mark
        self._mark.setVisible(mark is not None)
        if mark is not None:
            word = mark.word if large else mark.brief or mark.word
            icon: Wording = () if mark.icon is None else ((mark.icon, letters.body, mark.tone),)
            state: Wording = (*icon, (word, letters.body, mark.tone))
            self._mark.show_wordings([state], mark.word)
            self._mark.setFixedWidth(ceil(width_of(state)) + 1)

    def show_past(
        self, busy: StripShown | None, memory: StripShown | None = None, average: str = ""
    ) -> None:
        self.past, face = busy, self.face
        wear = Wear(face.colour, _SILENT if face.sentence else 1.0, self._raised)
        for strip, shown in ((self._busy_past, busy), (self._memory_past, memory)):
            if shown is not None:
                strip.show_past(shown, wear)
        busy_word = tr("busy"), self.letters.body, Tone.TEXT
        behind = f"  {average}", self.letters.caption, Tone.QUIET
        self._average.show_wordings([(busy_word, behind), (busy_word,)])
        read = busy is not None and busy.trace.counts.any()
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
        instances = _INSTANCE * len(self.face.instances)
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
        blank = bool(face.sentence)
        least = self.least_height(self.width(), large=large, curve=self._curve)
        spare = self.height() - least
        beside = not self._curve or (large and inner >= _BESIDE_EACH_OTHER)
        trace = 0 if beside else 50 if large else 34
        self.shows_memory_past = self._curve and not blank and spare >= trace
        spare -= trace if self.shows_memory_past else 0
        count, columns = len(self._small), max(2, min(10, int(inner // 116)))
        rows = (1 if inner >= _ONE_ROW else 2) if large else 2 if inner >= _THREE_BRIEF else 3
        if large and spare >= MORE_FIGURES and rows * columns < count:
            rows, spare = rows + 1, spare - FIGURE
        # As evenly as it gets; of compact ones those with a word before them take more room.
        shares = [1] * min(columns, max(1, ceil(count / rows)))
        if not large:
            shares = [39, 24, 37] if inner >= _THREE_BRIEF else [1, 1]
        self._show_figures(rows, shares)
        lines = int((spare - (_ABOVE_PROGRAMS + _CAPTION * large)) // _PROGRAM)
        self.lists_programs = lines >= 2 and not blank
        if self.lists_programs:
            self._list_programs(min(lines, len(self._lines)))
        direction = QBoxLayout.Direction
        towards = direction.LeftToRight if beside else direction.TopToBottom
        if towards is not self._blocks.direction():
            self._blocks.setDirection(towards)
            self._blocks.setSpacing(40 if beside else 6)
        below = (3, 2) if self.shows_memory_past else (1, 0)
        shares = [*(below if not beside else (1, 1) if self._curve else (0, 1))]
        for at, share in enumerate(shares):
            self._blocks.setStretch(at, share)
        said = sum(each.heightForWidth(inner) for each in (self._sentence, self._more))
        plots = not blank or (self._curve and face.mark is not None)
        above = 2 * MARGIN + HEADER + 60 + (self._busy_past.minimumHeight() if plots else 0)
        for part, there in (
            (self._plots, plots),
            (self._busy, not blank),
            (self._average, large and self._curve and face.busy.known and not blank),
            (self._memory, not blank),
            (self._memory_past, self.shows_memory_past),
            (self._alive, not blank),
            (self._listed, self.lists_programs),
            (self._silent, blank),
            (self._more, bool(face.more) and above + said <= self.height()),
        ):
            part.setVisible(there)

    def _show_figures(self, rows: int, shares: Sequence[int]) -> None:
        """In rows: each below its caption, or named by its unit."""
        grid, wide, letters = self._figures, len(shares), self.letters
        if self._shape != (rows, wide):  # else Qt would lay all of them out again
            self._shape = rows, wide
            for at, line in enumerate(self._small):
                grid.addWidget(line, *divmod(at, wide))
                line.setVisible(at < rows * wide)  # before, it would be a window of its own
            for at in range(grid.columnCount()):
                grid.setColumnStretch(at, shares[at] if at < wide else 0)
        figures = self._small_figures()
        for at, (line, figure) in enumerate(zip(self._small, figures, strict=True)):
            if self._told[at : at + 1] == [figure]:
                continue
            if self.large:
                line.show_captioned(figure)
            else:
                missing = figure.brief or figure.short_label or figure.label
                name = figure.short_label if figure.known else missing
                said = wordings(figure, letters.body, letters.caption, name)
                line.show_wordings(said, figure.hint)
        self._told = list(figures)

    def _list_programs(self, lines: int) -> None:
        """Who uses the card most: as many as fit, the rest as a number."""
        programs, letters = self._programs, self.letters
        shown = programs if len(programs) <= lines else programs[: lines - 1]
        rest = len(programs) - len(shown)
        words = trn("and {count} more", "and {count} more", rest)
        words = words if programs else tr("No program uses it")
        after: Wording = ((words, letters.caption, Tone.QUIET),)
        for at, (name, used) in enumerate(self._lines):
            name.setVisible(at < len(shown) + (not programs or rest > 0))
            used.setVisible(at < len(shown))
            if at >= len(shown):
                name.show_wordings([after])
                continue
            each = shown[at]
            tone = Tone.TEXT if each.known else Tone.QUIET
            name.show_wordings([((each.command, letters.mono, tone),)], each.hint)
            told = [replace(each.busy, unit="%"), replace(each.memory, unit=each.unit)]
            parts = [wordings(e, letters.body, letters.caption)[0] for e in told if e.known]
            gap = ("   ", letters.caption, Tone.QUIET)
            used.show_wordings([tuple(span for part in parts for span in (gap, *part))])

    def draw(self, drawing: Drawing) -> None:
        theme, place = drawing.theme, QRectF(self.rect())
        if self._raised:
            drawing.tile(place, theme.raised, theme.line)
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


class _Bar(Painted):
    """How full the memory is. What programs hold is hatched: it is theirs, and not ours."""

    def __init__(self, *, legend: bool = False) -> None:
        super().__init__()
        self._legend = legend
        self._tall, self.middle = (10, 14) if legend else (8, 10)
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


def _show_number(line: Line, figure: Figure, number: Lettering, behind: Wording = ()) -> None:
    """In large letters, with its unit."""
    small, body = line.letters.caption, line.letters.body
    wide = wordings(figure, number, body if number.height >= 24 else small)[:1]
    said = [*wide, *wordings(figure, number, small)]
    line.show_wordings([(*each, *behind) for each in said], figure.hint)
