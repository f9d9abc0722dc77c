"""CardTile: one card on the overview: a cell among very many, which is painted in one go. Tile:
the same, large or compact, laid out by Qt.
"""

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QPen, QResizeEvent, QTransform
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLayout, QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure, MemoryFace
from gpuexplorer.gui.cards.programs import ProgramFace
from gpuexplorer.gui.paint.drawing import Drawing, plain_tip
from gpuexplorer.gui.plots.curves import Curve, draw_curves
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Grow, Space, add, column, label, row
from gpuexplorer.gui.widgets.line import Line, Wording, fitting, spell, width_of, wordings
from gpuexplorer.gui.widgets.painted import ChipRow, Painted
from gpuexplorer.gui.widgets.sheets.sheet import line_between
from gpuexplorer.gui.widgets.strip import Strip, StripShown, Wear

MARGIN, HEADER = 16, 24
# Heights of a small figure with its caption, of that alone, and of one without.
FIGURE, _CAPTIONED, _BRIEF = 44, 38, 20
MORE_FIGURES = FIGURE + 8  # so much to spare: more than a row that is there gives itself
_PROGRAM, _CAPTION, _ABOVE_PROGRAMS, _USES, _INSTANCE = 22, 20, 17, 150, 30
# So wide, a large tile has one row of figures at least, and how full it is beside how busy.
_ONE_ROW, _BESIDE_EACH_OTHER = 580, 960
_SILENT, _ROUND = 0.6, 6.0
_WITH_MORE, _WITH_PAST = 76, 100  # so high, a cell has room for them


def least_height(face: CardFace, width: float, *, large: bool, curve: bool) -> float:
    """Of a tile. A sentence takes no more, so that it does not jump when figures go."""
    inner, instances = width - 2 * MARGIN, _INSTANCE * len(face.instances)
    if not large:
        return 205 + instances
    blocks = 40 if not curve else 108 if inner >= _BESIDE_EACH_OTHER else 154
    rows = 1 if inner >= _ONE_ROW else 2
    return 2 * MARGIN + HEADER + blocks + 31 + rows * FIGURE + instances


class CardTile(Painted):
    """Shows a face; by itself as a cell, which is filled by how busy the card is and only
    outlined where that is not known. Its accessible description says the same as the picture.
    """

    opened = Signal()
    large = False
    lists_programs = shows_memory_past = False  # whether there is room for them
    past: StripShown | None = None
    asked: object = None  # what its past was asked for with

    def __init__(self, face: CardFace) -> None:
        super().__init__()
        self.face = face
        # It draws what shows at its corners too: then nothing below it is drawn again.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        CardTile.refresh(self)

    def show_face(self, face: CardFace) -> None:
        before, self.face = (self.face, self.figures()), face
        if before != (face, self.figures()):
            self.refresh()

    def figures(self) -> Sequence[Figure]:
        """The small ones, by which faces are not compared."""
        return self.face.figures[:2] if self.height() >= _WITH_MORE else ()

    def refresh(self) -> None:
        self.setAccessibleName(self.face.title)
        self.setAccessibleDescription(self.face.summary)
        self.update()

    def show_past(self, busy: StripShown, memory: StripShown | None, average: str) -> None:
        """`average`: "average 96 %", over the time that is shown."""
        del memory, average
        self.past = busy
        self.update()

    def show_programs(self, programs: Sequence[ProgramFace]) -> None:
        """As many as there is room for."""

    def past_width(self) -> float:
        """How wide the trace of how busy it was is drawn; 0 where none is."""
        return self.width() - 16 if self.height() >= _WITH_PAST else 0

    def draw(self, drawing: Drawing) -> None:
        face, theme, letters = self.face, drawing.theme, drawing.letters
        painter, place, mark = drawing.painter, QRectF(self.rect()), face.mark
        inner, small = place.adjusted(8, 6, -8, -7), letters.caption
        edge = theme.bad if mark is not None and mark.tone is Tone.BAD else theme.line
        fill = theme.ground
        if face.busy_share is not None:
            edge = fill = theme.heat(face.busy_share)
        painter.fillRect(place, theme.surface)
        painter.setPen(edge)
        painter.setBrush(fill)
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)
        top, left = inner.top(), inner.left()
        spell(drawing, ((face.number, small, Tone.TEXT),), left, top + small.ascent - 1)
        if mark is not None and mark.icon is not None:
            corner = QRectF(inner.right() - 14, top - 1, 14, 14)
            drawing.icon(mark.icon, corner, theme.tone(mark.tone))
        baseline = top + small.height + letters.number.cap_height + 3
        # The unit of its number stands once, above all of them.
        word, tone, sizes = face.busy.number, Tone.TEXT, (letters.number, letters.title)
        if face.word:
            word, tone, sizes = face.word, face.word_tone, (letters.body, small)
        said = fitting([((word, size, tone),) for size in sizes], inner.width())
        spell(drawing, said, left, baseline, inner.right())
        below = baseline + small.height + 3
        for figure in () if face.sentence else self.figures():
            shown = wordings(figure, small, small)[-1]
            if figure.known and left + width_of(shown) <= inner.right():
                left = spell(drawing, shown, left, below) + 8
        if (past := self.past) is not None and self.past_width():
            # What it did before it fell silent is kept. A widget for each of 64 cells would
            # take four times as long as all else on them.
            trace = Curve(past.trace, theme.faint if face.sentence else faded(theme.text, 0.55))
            plot = inner.adjusted(0, below + 8 - top, 0, -9)
            wide, tall = plot.width() / (past.end - past.start), plot.height() / past.highest
            across = plot.left() - past.start * wide
            to = QTransform(wide, 0, 0, -tall, across, plot.bottom())
            draw_curves(painter, plot, to, [trace])
        inner.setTop(inner.bottom() - 3)
        if (used := face.memory.used) is not None and not face.sentence:
            inks = faded(theme.text, 0.7), faded(theme.text, 0.16)
            drawing.bar(inner, [(used, inks[0]), (1 - used, inks[1])])
        elif not face.sentence:
            drawing.no_bar(inner)
        if self.hasFocus():
            drawing.focus_ring(place, _ROUND)
        elif self.underMouse():  # told about elsewhere
            drawing.outlined(place, QPen(theme.text, 2), _ROUND - 1)


class Tile(CardTile):
    """Large, for a few cards; or compact, among up to eight and where a cell is pointed at. A
    large one can be without its curves, where the same are drawn elsewhere.
    """

    def __init__(
        self, face: CardFace, *, large: bool = False, curve: bool = True, raised: bool = False
    ) -> None:
        super().__init__(face)
        self.large, self._curve, self._raised = large, curve, raised
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, not raised)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, raised)
        letters, beside, gap = self.letters, 132 if large else 104, 16 if large else 12
        self._chip, self._name, self._mark = ChipRow(), Line(height=HEADER), Line(right=True)
        head = row(self._chip, self._name, GROWS, self._mark, gap=9)
        self._busy_past, self._memory_past = Strip(scaled=large), Strip(scaled=large)
        self._busy_past.setMinimumHeight(108 if large else 40)
        self._memory_past.setMinimumHeight(44 if large else 28)
        self._busy = Line(height=46 if large and curve else 40, right=curve)
        self._average = Line(right=True)
        self._bar = _Bar(legend=large)
        self._used = Line(height=self._bar.height(), right=True)
        for line in (self._busy, self._average, self._used):
            line.setFixedWidth(beside)
        # Their middle is that of the bar.
        for line in (self._used,) if curve else (self._used, self._busy):
            line.setContentsMargins(0, 0, 0, line.height() - 2 * self._bar.middle)
        number = column(self._busy, self._average, FREE, gap=0)
        traces = row(self._busy_past, GROWS, number, gap=gap)
        full = column(self._memory_past, GROWS, self._bar, gap=6)
        memory = row(full, GROWS, column(FREE, self._used), gap=gap)
        self._blocks = column(traces, memory, gap=6)
        # Of each program its name, and what it uses, a line for each.
        self._programs: Sequence[ProgramFace] = ()
        listed, self._most = QWidget(), 0
        self._names, self._uses = label("", letters.mono), label("", letters.mono)
        self._names.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self._uses.setAlignment(Qt.AlignmentFlag.AlignRight)
        lines = column(Space(8), line_between(), Space(8), within=listed, gap=0)
        if large:
            add(lines, label(tr("Programs"), letters.caption, Tone.QUIET), Space(4))
        add(lines, row(self._names, GROWS, self._uses))
        self._listed, self._alive, self._silent = listed, QWidget(), QWidget()
        high, between = (_CAPTIONED, FIGURE - _CAPTIONED) if large else (_BRIEF, 0)
        self._grid, self._shape, self._told = QGridLayout(), (0, 0), list[Figure]()
        self._grid.setVerticalSpacing(between)
        self._grid.setHorizontalSpacing(6)
        self._grid.setContentsMargins(0, 0, 0, between)
        self._small = [Line(height=high) for _ in self.figures()]
        alive = column(line_between(), Space(10 if large else 6), within=self._alive, gap=0)
        add(alive, self._grid, listed)
        self._instances = [(Line(), _Bar(), Line(right=True)) for _ in face.instances]
        for who, bar, held in self._instances:
            add(alive, row(who, Grow(3), bar, held, Grow(2), margins=(0, 5, 0, 5)))
        self._sentence = label("", letters.body)
        self._more = label("", letters.body, Tone.QUIET)
        for each in (self._sentence, self._more):
            each.setWordWrap(True)
        self._link = link_button(tr("Open its history"), flush=True)
        self._link.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._link.clicked.connect(self.opened)
        self._link.hide()
        said = (self._sentence, self._more, FREE, row(self._link, FREE))
        column(*said, within=self._silent, gap=6)
        shown = (head, self._blocks, GROWS, self._silent, GROWS, self._alive)
        self._box = box = column(*shown, within=self, gap=10 if large else 8, margins=MARGIN)
        box.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self.refresh()

    def figures(self) -> Sequence[Figure]:
        return self.face.figures if self.large else self.face.brief_figures

    def refresh(self) -> None:
        face, letters, large, mark = self.face, self.letters, self.large, self.face.mark
        self.setAccessibleName(face.title)
        self.setAccessibleDescription(face.spoken if large else face.spoken_briefly)
        self._chip.show_chips([Chip(face.number, face.colour if face.answers else None)])
        title = face.name if large and face.name else face.short_name
        tone = Tone.TEXT if face.answers else Tone.QUIET
        said: list[Wording] = [((title, letters.title, tone),)]
        for word in (face.cuda, *(e.word for e in face.badges if large or not e.minor)):
            said.insert(0, (*said[0], (f"   {word}", letters.caption, Tone.QUIET)))
        hints = (face.title, face.cuda_reason, *(each.hint for each in face.badges))
        self._name.show_wordings(said, "\n".join(filter(None, hints)))
        self._mark.setVisible(mark is not None)
        if mark is not None:
            word = mark.word if large else mark.brief or mark.word
            icon: Wording = () if mark.icon is None else ((mark.icon, letters.body, mark.tone),)
            state: Wording = (*icon, (word, letters.body, mark.tone))
            self._mark.show_wordings([state], mark.word)
            self._mark.setFixedWidth(ceil(width_of(state)) + 1)
            self._box.activate()  # else it is painted once where it no longer fits
        named, used = "" if self._curve else tr("busy"), face.memory.figure
        busy = wordings(face.busy, letters.hero, letters.caption, named)
        self._busy.show_wordings(busy, face.busy.hint)
        size = letters.number if large else letters.title
        self._used.show_wordings(wordings(used, size, letters.caption), used.hint)
        self._bar.show_memory(face.memory, face.colour)
        for (who, bar, held), each in zip(self._instances, face.instances, strict=True):
            name: Wording = (
                (f"{each.number}  {each.name}", letters.body, Tone.TEXT),
                (f"  {each.cuda}", letters.caption, Tone.QUIET),
            )
            who.show_wordings([name], f"{each.name}, {each.cuda_reason or each.cuda}")
            bar.show_memory(each.memory, face.colour)
            used = each.memory.figure
            held.show_wordings(wordings(used, letters.body, letters.caption), used.hint)
        before, self._told = self._told, [*self.figures()]
        for line, figure in zip(self._small, self._told, strict=True):
            if figure in before:
                continue
            if large:
                line.show_captioned(figure)
            else:
                named = figure.short_label if figure.known else figure.brief or figure.label
                brief = wordings(figure, letters.body, letters.caption, named)
                line.show_wordings(brief, figure.hint)
        if face.sentence != self._sentence.text():
            self._sentence.setText(face.sentence)
            self._more.setText(face.more)
            self._silent.setToolTip(plain_tip(f"{face.sentence} {face.more}"))
            self._fit()

    def show_past(self, busy: StripShown, memory: StripShown | None, average: str) -> None:
        face = self.face
        wear = Wear(face.colour, _SILENT if face.sentence else 1.0, self._raised)
        self._busy_past.show_past(busy, wear)
        if memory is not None:
            self._memory_past.show_past(memory, wear)
        word = tr("busy"), self.letters.body, Tone.TEXT
        behind = f"  {average}", self.letters.caption, Tone.QUIET
        self._average.show_wordings([(word, behind)])
        self._link.setVisible(bool(average) and face.mark is not None)

    def past_width(self) -> float:
        return 0.0 if self._busy_past.isHidden() else self._busy_past.plot().width()

    def _fit(self) -> None:
        """What there is room for: height to spare goes to more figures, to the memory's trace
        and to programs, and what is left then makes the traces taller.
        """
        large, curve, face = self.large, self._curve, self.face
        inner, blank = self.width() - 2 * MARGIN, bool(face.sentence)
        spare = self.height() - least_height(face, self.width(), large=large, curve=curve)
        beside = not curve or (large and inner >= _BESIDE_EACH_OTHER)
        trace = 0 if beside else 50 if large else 34
        self.shows_memory_past = memory = curve and spare >= trace
        spare -= trace * memory
        count, wide = len(self._small), max(2, inner // 116) if large else 2
        rows = 3 if not large else 1 if inner >= _ONE_ROW else 2
        if large and spare >= MORE_FIGURES and rows * wide < count:
            rows, spare = rows + 1, spare - FIGURE
        wide = min(wide, ceil(count / rows))  # as evenly as it gets
        if self._shape != (rows, wide):  # else Qt would lay all of them out again
            self._shape = rows, wide
            for at, line in enumerate(self._small):
                self._grid.addWidget(line, *divmod(at, wide))
                line.setVisible(at < rows * wide)  # before, it would be a window of its own
            for at in range(self._grid.columnCount()):
                self._grid.setColumnStretch(at, at < wide)
        lines = int((spare - (_ABOVE_PROGRAMS + _CAPTION * large)) // _PROGRAM)
        self._most, self.lists_programs = max(0, min(lines, 4)), lines >= 2
        # Of a fixed size: what they say lays nothing out again.
        high = self._most * _PROGRAM
        self._names.setFixedSize(max(0, inner - _USES), high)
        self._uses.setFixedSize(_USES, high)
        self.show_programs(self._programs)
        direction = QBoxLayout.Direction
        towards = direction.LeftToRight if beside else direction.TopToBottom
        if towards is not self._blocks.direction():
            self._blocks.setDirection(towards)
            self._blocks.setSpacing(40 if beside else 6)
        self._blocks.setStretch(0, 3 * curve)
        self._blocks.setStretch(1, 3 if beside else 2 * memory)
        past = curve and (not blank or face.mark is not None)
        said = sum(each.heightForWidth(inner) for each in (self._sentence, self._more))
        said += 2 * MARGIN + HEADER + 60 + (self._busy_past.minimumHeight() if past else 0)
        for part in (self._busy, self._bar, self._used, self._alive):
            part.setVisible(not blank)
        for part, there in (
            (self._busy_past, past),
            (self._average, large and curve and not blank),
            (self._memory_past, memory and not blank),
            (self._listed, self.lists_programs),
            (self._silent, blank),
            (self._more, bool(face.more) and said <= self.height()),
        ):
            part.setVisible(there)

    def show_programs(self, programs: Sequence[ProgramFace]) -> None:
        """Who uses the card most: as many as fit, the rest as a number."""
        most, mono, self._programs = self._most, self.letters.mono, programs
        shown = programs if len(programs) <= most else programs[: most - 1]
        names = [mono.elided(each.command, self._names.width()) for each in shown]
        if (rest := len(programs) - len(shown)) > 0:
            names.append(trn("and {count} more", "and {count} more", rest))
        self._names.setText("\n".join(names or [tr("No program uses it")]))
        self._names.setToolTip(plain_tip("\n".join(each.hint for each in shown)))
        told = [((e.busy, "%"), (e.memory, e.unit)) for e in shown]
        uses = [[f"{e.number} {unit}" for e, unit in each if e.known] for each in told]
        self._uses.setText("\n".join("   ".join(each) for each in uses))

    def draw(self, drawing: Drawing) -> None:
        theme, place = drawing.theme, QRectF(self.rect())
        if self._raised:
            drawing.tile(place, theme.raised, theme.line)
        else:
            drawing.painter.fillRect(place, theme.ground)
            drawing.tile(place)
        if self.hasFocus():
            drawing.focus_ring(place)

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
        drawing.bar(place, ((memory.used, faded(colour, 0.5)), (memory.reserved, theme.faint)))
        hatched = QRectF(place)
        hatched.setWidth(memory.used * place.width())
        painter.fillRect(hatched, QBrush(colour, Qt.BrushStyle.BDiagPattern))
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
