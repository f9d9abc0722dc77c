"""FindingBlock: one thing that stands out: its devices, sentence, figures, and ways on."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.copies.findings import Bar
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import listed, mark, tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.pairs.pair_drawing import draw_bubble
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.rows.pressable_row import SIDE, PressableRow
from gpuexplorer.gui.wording.copies.matrix.matrix_words import Callout
from gpuexplorer.gui.wording.copies.matrix.question import Head

_LINE, _CHIP, _GAP, _ARROW = 28, 20.0, 7.0, 16.0
_LABEL, _FIGURE, _BAR_ROW = 76.0, 44.0, 22
_BESIDE_FROM = 300  # two buttons

_DETOUR = mark("In the lab, through the host")
_DIRECT = mark("In the lab, directly again")
_MEANT = mark(
    "What is dragged or copied by a form from the one to the other goes over the host: "
    "X.cpu() first. A line that is typed stays as it is typed."
)
_UNDONE = mark("What is dragged or copied by a form goes from card to card again.")


class FindingBlock(QWidget):
    """Pressing its head shows its cell."""

    pressed = Signal(object)  # the Callout
    again_asked = Signal(object)
    staged_asked = Signal(object)
    detour_asked = Signal(object)  # in the lab too, or no longer
    report_asked = Signal(object)

    def __init__(
        self,
        look: Look,
        callout: Callout,
        heads: Mapping[str, Head],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._callout = callout
        finding = callout.finding
        self._head = _Head(look, callout, heads)
        self._head.pressed.connect(self._on_pressed)
        column = QVBoxLayout(self)
        wide = 12 if callout.wrong else 0
        column.setContentsMargins(wide, 10 if callout.wrong else 4, wide, 12)
        column.setSpacing(8)
        column.addWidget(self._head)
        column.addWidget(wrapped_label(look, tr(finding.sentence), Tone.TEXT))
        if finding.hint:
            hint = wrapped_label(look, tr(finding.hint), Tone.QUIET)
            hint.setFont(look.letters.caption.font)
            column.addWidget(hint)
        if finding.bars:
            colour = next(
                (heads[each].colour for each in _devices(callout) if each in heads), None
            )
            column.addWidget(_Bars(look, finding.bars, colour))
        self.buttons: list[QPushButton] = []
        self._detour: QPushButton | None = None
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        if callout.wrong:
            self._add_buttons(column)

    @property
    def callout(self) -> Callout:
        return self._callout

    @property
    def wrong(self) -> bool:
        return self._callout.wrong

    def show_able(self, able: bool) -> None:
        """Whether anything can be measured now."""
        for button in self.buttons:
            button.setEnabled(able or button.text() == tr("Save a report"))

    def show_detour(self, taken: bool) -> None:
        """Whether the lab goes through host memory between these two."""
        if self._detour is not None:
            self._detour.setText(tr(_DIRECT if taken else _DETOUR))
            self._detour.setToolTip(tr(_UNDONE if taken else _MEANT))

    def _add_buttons(self, column: QVBoxLayout) -> None:
        row = self._row
        row.setSpacing(8)
        asked = [(tr("Measure again"), self._on_again), (tr("Save a report"), self._on_report)]
        finding = self._callout.finding
        if finding.detour and finding.instead is None:
            staged = QPushButton(tr("Measure through the host"))
            staged.setFont(self._look.letters.body.font)
            staged.clicked.connect(self._on_staged)
            self.buttons.append(staged)
            column.addWidget(staged)
        if finding.detour:
            self._detour = QPushButton(tr(_DETOUR))
            self._detour.setFont(self._look.letters.body.font)
            self._detour.setAccessibleDescription(self._head.accessibleName())
            self._detour.clicked.connect(self._on_detour)
            column.addWidget(self._detour)
            self.show_detour(False)  # noqa: FBT003 - said by its name
        for words, run in asked:
            button = QPushButton(words)
            button.setFont(self._look.letters.body.font)
            button.setAccessibleDescription(self._head.accessibleName())
            button.clicked.connect(run)
            self.buttons.append(button)
            row.addWidget(button, 1)
        column.addLayout(row)

    def _on_pressed(self) -> None:
        self.pressed.emit(self._callout)

    def _on_again(self) -> None:
        self.again_asked.emit(self._callout)

    def _on_staged(self) -> None:
        self.staged_asked.emit(self._callout)

    def _on_detour(self) -> None:
        self.detour_asked.emit(self._callout)

    def _on_report(self) -> None:
        self.report_asked.emit(self._callout)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._row.setDirection(across if event.size().width() >= _BESIDE_FROM else down)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._callout.wrong:
            return
        theme = self._look.theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(faded(theme.bad, 0.13))
            place = QRectF(self.rect()).adjusted(0, 0, 0, -4)
            painter.drawRoundedRect(place, 6, 6)
            painter.fillRect(QRectF(place.left(), place.top(), 3, place.height()), theme.bad)


class _Head(PressableRow):
    """The number, the chips and the title, which takes a line of its own where it is long."""

    def __init__(
        self,
        look: Look,
        callout: Callout,
        heads: Mapping[str, Head],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, parent)
        self._callout = callout
        self._heads = [heads[each] for each in _devices(callout) if each in heads]
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._title = tr(callout.finding.title)
        self.setAccessibleName(self._name())
        self.setAccessibleDescription(tr(callout.finding.sentence))
        self.setFixedHeight(_LINE)

    def _name(self) -> str:
        number, words = self._callout.number, [each.words for each in self._heads]
        if not words:
            return tr("{number}: {title}", number=number, title=self._title)
        if len(words) == 2 and not self._callout.finding.devices:
            where = tr("{source} to {target}", source=words[0], target=words[1])
        else:
            where = listed(words)
        return tr("{number}: {where}: {title}", number=number, where=where, title=self._title)

    def draw_row(self, drawing: Drawing, place: QRectF) -> None:
        middle = place.top() + _LINE / 2
        x = place.left() - SIDE + 1
        draw_bubble(
            drawing, QPointF(x + 8, middle), self._callout.number, bad=self._callout.wrong
        )
        x += 16 + _GAP + 2
        letters = drawing.letters.strong
        for at, head in enumerate(self._heads):
            if at:
                self._draw_arrow(drawing, x, middle)
                x += _ARROW + _GAP
            wide = max(_CHIP, letters.width(head.chip) + 8)
            colour = None if head.colour is None else drawing.theme.card(head.colour)
            chip = QRectF(x, middle - _CHIP / 2, wide, _CHIP)
            drawing.chip(chip, head.chip, letters, colour)
            x += wide + _GAP
        if self._two_lines(int(self.width())):
            x, middle = place.left() - SIDE, middle + _LINE - 4
        self._draw_title(drawing, x + 2, middle, place.right())

    def _draw_title(self, drawing: Drawing, x: float, middle: float, right: float) -> None:
        theme, letters = drawing.theme, drawing.letters.strong
        baseline = middle + letters.cap_height / 2
        if not self._callout.wrong:
            drawing.elided(x, baseline, Run(self._title, letters, theme.text), right - x)
            return
        wrong = tr("WRONG")
        badge = drawing.letters.badge
        place = QRectF(x + 1, middle - 10, badge.width(wrong) + 14, 20)
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(theme.bad)
        drawing.painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
        run = Run(wrong, badge, theme.inverse)
        drawing.text(place.left() + 7, middle + badge.cap_height / 2, run)
        both = tr("both ways at once") if self._callout.finding.both_ways else ""
        rest = Run(both, drawing.letters.body, theme.quiet)
        drawing.elided(place.right() + 8, baseline, rest, right - place.right() - 8)

    def _draw_arrow(self, drawing: Drawing, x: float, middle: float) -> None:
        run = Run("→", drawing.letters.body, drawing.theme.quiet)
        drawing.text(x + (_ARROW - run.width) / 2, middle + run.letters.cap_height / 2, run)

    def _two_lines(self, width: int) -> bool:
        letters = self.look.letters.strong
        chips = sum(max(_CHIP, letters.width(each.chip) + 8) + _GAP for each in self._heads)
        chips += (_ARROW + _GAP) * max(0, len(self._heads) - 1)
        return 34 + chips + letters.width(self._title) + 12 > width - 2 * SIDE

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        two = self._two_lines(event.size().width())
        self.setFixedHeight(2 * _LINE - 6 if two else _LINE)


class _Bars(Painted):
    """Rates beside each other, against the largest of them or what the wire could carry."""

    def __init__(
        self, look: Look, bars: Sequence[Bar], colour: int | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._bars = bars
        self._colour = colour
        said = [f"{tr(each.words)} {gigabytes_per_second(each.rate)} GB/s" for each in bars]
        self.setAccessibleName(", ".join(said))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        most = max(max(each.rate, each.limit or 0.0) for each in self._bars)
        fill = theme.level if self._colour is None else theme.card(self._colour)
        for at, bar in enumerate(self._bars):
            middle = at * _BAR_ROW + _BAR_ROW / 2
            words = Run(tr(bar.words), letters.caption, theme.quiet)
            drawing.elided(0, middle + letters.caption.cap_height / 2, words, _LABEL - 6)
            track = QRectF(_LABEL, middle - 4, self.width() - _LABEL - _FIGURE - 8, 8)
            drawing.bar(track, [(bar.rate / most, fill if not at else faded(fill, 0.55))])
            figure = Run(gigabytes_per_second(bar.rate), letters.body, theme.text)
            baseline = middle + letters.body.cap_height / 2
            drawing.runs_right(self.width(), baseline, [figure])

    def sizeHint(self) -> QSize:
        return QSize(200, _BAR_ROW * len(self._bars))


def _devices(callout: Callout) -> Sequence[str]:
    """Those it names: the ends of its one cell, or the devices it is about."""
    finding = callout.finding
    if finding.devices:
        return finding.devices
    if len(finding.cells) == 1 or len({frozenset(each) for each in finding.cells}) == 1:
        return tuple(dict.fromkeys(finding.cells[0]))
    return ()
