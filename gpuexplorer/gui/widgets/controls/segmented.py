"""Segmented: a few choices in a row, of which one holds."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QMenu, QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.widgets.controls.arrow_keys import ArrowKeys
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton

_HEIGHT, _INSET, _MARGIN = 28, 2, 12
_ARROW = 16.0
_ANY_WIDTH = 16_777_215  # Qt's own bound
_NOTHING_YET = object()


class Segmented(QWidget):
    """One stop for the Tab key: arrows go from choice to choice, Enter or space takes one."""

    chosen = Signal(object)

    def __init__(
        self,
        look: Look,
        name: str,
        choices: Sequence[tuple[Hashable, str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._words = dict(choices)
        self._shown: Hashable = _NOTHING_YET
        self._compact = False
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._segments = {key: Segment(look, words, self) for key, words in choices}
        self._other = Segment(look, "", self)  # what holds and was none of the choices
        self._menu_button = Segment(look, "", self, opens=True)
        self._menu_button.setAccessibleName(name)
        self._menu_button.clicked.connect(self._on_menu_asked)
        group = QButtonGroup(self)
        group.setExclusive(False)
        group.idClicked.connect(self._on_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(_INSET, _INSET, _INSET, _INSET)
        row.setSpacing(0)
        for position, segment in enumerate(self._segments.values()):
            segment.setAccessibleDescription(name)
            group.addButton(segment, position)
            row.addWidget(segment)
        row.addWidget(self._other)
        row.addWidget(self._menu_button)
        self._keys = ArrowKeys(self)
        self._keys.take([*self._segments.values(), self._other])
        self._arrange()

    def show_choice(self, key: Hashable, otherwise: str = "") -> None:
        """`otherwise` is what holds where it is none of the choices."""
        if key == self._shown and otherwise == self._other.text():
            return
        self._shown = key
        self._other.show_words(otherwise)
        for each, segment in self._segments.items():
            segment.setChecked(each == key)
        self._other.setChecked(True)
        words = self._words.get(key, otherwise)
        self._menu_button.show_words(words)
        self._menu_button.setAccessibleName(f"{self.accessibleName()}: {words}")
        self._keys.offer(self._segments.get(key, self._other))
        self._arrange()

    def holder(self) -> QWidget:
        """What takes the keyboard when it comes here: the choice that holds."""
        return self._menu_button if self._compact else self._segments[self._shown]

    def show_words(self, key: Hashable, words: str) -> None:
        """The same choice under other words: with another count, say."""
        if words == self._words[key]:
            return
        self._words[key] = words
        self._segments[key].show_words(words)
        if key == self._shown:
            self._menu_button.show_words(words)
        self._arrange()

    def show_compact(self, compact: bool) -> None:
        """Only what holds, and the others on asking, where there is no room for all."""
        if compact is not self._compact:
            self._compact = compact
            self._arrange()

    def fill_width(self) -> None:
        """All choices are equally wide, and take what room there is."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for segment in self._segments.values():
            segment.setMinimumWidth(segment.sizeHint().width())
            segment.setMaximumWidth(_ANY_WIDTH)
            segment.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def full_width(self) -> int:
        """What it takes when it is not compact."""
        shown = [*self._segments.values()]
        if self._other.text():
            shown.append(self._other)
        return sum(each.sizeHint().width() for each in shown) + 2 * _INSET

    def _arrange(self) -> None:
        for segment in self._segments.values():
            segment.setVisible(not self._compact)
        self._other.setVisible(bool(self._other.text()) and not self._compact)
        self._menu_button.setVisible(self._compact)

    def _on_clicked(self, position: int) -> None:
        # Qt has changed its mark already, but only who decides may do that.
        for each, segment in self._segments.items():
            segment.setChecked(each == self._shown)
        self._other.setChecked(True)
        self.chosen.emit(list(self._segments)[position])

    def _on_menu_asked(self) -> None:
        menu = QMenu(self)
        for key, words in self._words.items():
            action = menu.addAction(words)
            action.setData(key)
            action.setCheckable(True)
            action.setChecked(key == self._shown)
        menu.triggered.connect(self._on_menu_triggered)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 4)))

    def _on_menu_triggered(self, action: QAction) -> None:
        self.chosen.emit(action.data())

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._look.theme.track)
            painter.drawRoundedRect(QRectF(self.rect()), CONTROL_RADIUS, CONTROL_RADIUS)


class Segment(PaintedButton):
    """One choice."""

    def __init__(
        self, look: Look, words: str, parent: QWidget | None = None, *, opens: bool = False
    ) -> None:
        super().__init__(look, parent)
        self._opens = opens
        self.setCheckable(not opens)
        self.show_words(words)

    def show_words(self, words: str) -> None:
        self.setText(words)
        self.setAccessibleName(words)
        self.setFixedSize(self.sizeHint())

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.body
        place = QRectF(self.rect())
        painter = drawing.painter
        if self.isChecked() or self._opens:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(faded(theme.text, 0.14) if theme.dark else theme.surface)
            painter.drawRoundedRect(place, CONTROL_RADIUS - 1, CONTROL_RADIUS - 1)
        if self.hasFocus():
            drawing.focus_ring(place, CONTROL_RADIUS - 1)
        strong = self.isChecked() or self._opens or self.underMouse()
        run = Run(self.text(), letters, theme.text if strong else theme.quiet)
        baseline = place.center().y() + letters.cap_height / 2
        if self._opens:
            drawing.text(_MARGIN - 2, baseline, run)
            arrow = QRectF(place.right() - _ARROW - 5, place.center().y() - 8, _ARROW, _ARROW)
            drawing.icon(Icon.OPEN, arrow, theme.quiet)
        else:
            drawing.text(place.center().x() - run.width / 2, baseline, run)

    def sizeHint(self) -> QSize:
        width = self.look.letters.body.width(self.text()) + 2 * _MARGIN
        return QSize(round(width + (_ARROW if self._opens else 0)), _HEIGHT - 2 * _INSET)
