"""GuessBar: a guess on a logarithmic scale of time, and the bar that grows to the truth."""

from PySide6.QtCore import (
    QEasingCurve,
    QPointF,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QSlider

from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.shared_parts import factor_words, tick_words
from gpuexplorer.gui.copies.sweep.guess import GuessRange
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.look import look

_TRACK, _KNOB, _MARGIN = 4.0, 6.0, 10.0
_MIDDLE, _HEIGHT = 30.0, 62
_SHOWN = 0.9  # seconds in which the copy is shown, however long it takes
_STEPS, _PAGES = 60, 6  # steps of the arrow and page keys over the whole scale
NAME = mark("Your guess")


class GuessBar(QSlider):
    """The truth is only seen once it was asked for; another guess hides it again."""

    guessed = Signal(float)  # seconds
    asked = Signal()

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.look = look()
        self.setRange(0, _STEPS)
        self.setPageStep(_STEPS // _PAGES)
        self.valueChanged.connect(lambda step: self._guess_at(step / _STEPS))
        self._range = GuessRange(1e-3, 1.0)
        self._guess = 0.03
        self._truth: float | None = None
        self._growing = QVariantAnimation(self)
        self._growing.setStartValue(0.0)
        self._growing.setEndValue(1.0)
        self._growing.setDuration(round(_SHOWN * 1000))
        # Time itself: on this scale it slows down of its own.
        self._growing.setEasingCurve(QEasingCurve.Type.Linear)
        self._growing.valueChanged.connect(self.update)
        self._growing.finished.connect(self.update)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr(NAME))
        look().changed.connect(self.update)

    @property
    def growing(self) -> bool:
        return self._growing.state() is QVariantAnimation.State.Running

    def show_guess(self, of: GuessRange, guess: float) -> None:
        if (of, guess) == (self._range, self._guess):
            return
        self._range, self._guess = of, guess
        with QSignalBlocker(self):
            self.setValue(round(of.share(guess) * _STEPS))
        self.setAccessibleDescription(str(duration(guess)))
        self.update()

    def show_truth(self, truth: float | None) -> None:
        """It grows there, where things may move; None hides it."""
        if truth == self._truth:
            return
        self._truth = truth
        self._growing.stop()
        if truth is not None and self.look.motion and self.isVisible():
            self._growing.start()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, painter, letters = drawing.theme, drawing.painter, drawing.letters
        left, width = _MARGIN, self.width() - 2 * _MARGIN
        track = QRectF(left, _MIDDLE - _TRACK / 2, width, _TRACK)
        drawing.filled(track, theme.line, 2)
        for tick in self._range.ticks():
            x = left + self._range.share(tick) * width
            painter.fillRect(QRectF(round(x), _MIDDLE + 6, 1, 4), theme.line)
            run = Run(tick_words(tick), letters.caption, theme.faint)
            at = min(max(x - run.width / 2, 0.0), self.width() - run.width)
            drawing.text(at, _MIDDLE + 24, run)
        taken = self._draw_truth(drawing, left, width)
        self._draw_guess(drawing, left, width, taken)
        if self.hasFocus():
            drawing.focus_ring(QRectF(self.rect()), CHIP_RADIUS)

    def _draw_truth(
        self, drawing: Drawing, left: float, width: float
    ) -> tuple[float, float] | None:
        """Returns from where to where its words stand."""
        if self._truth is None:
            return None
        theme, letters, painter = drawing.theme, drawing.letters, drawing.painter
        share = self._growing.currentValue() if self.growing else 1.0
        now = max(self._range.least, float(share) * self._truth)
        x = left + self._range.share(now) * width
        drawing.filled(QRectF(left, _MIDDLE - _TRACK / 2, x - left, _TRACK), theme.text, 2)
        painter.drawRoundedRect(QRectF(x - 1, _MIDDLE - 9, 2, 18), 1, 1)
        took = duration(self._truth)
        if self.growing:
            runs = [Run(_slowed(self._truth), letters.caption, theme.faint)]
        else:
            runs = [
                Run(took.number, letters.strong, theme.text),
                Run(f"{THIN_SPACE}{took.unit}", letters.caption, theme.quiet),
            ]
        wide = sum(run.width for run in runs)
        at = min(max(x - wide / 2, 0.0), self.width() - wide)
        drawing.runs(at, _MIDDLE - 15, runs)
        return at, at + wide

    def _draw_guess(
        self, drawing: Drawing, left: float, width: float, taken: tuple[float, float] | None
    ) -> None:
        theme, letters = drawing.theme, drawing.letters
        x = left + self._range.share(self._guess) * width
        drawing.painter.setPen(QPen(theme.accent, 2))
        drawing.painter.setBrush(theme.surface)
        drawing.painter.drawEllipse(QPointF(x, _MIDDLE), _KNOB, _KNOB)
        run = Run(
            tr("your guess {time}", time=duration(self._guess)), letters.caption, theme.quiet
        )
        at = min(max(x - run.width / 2, 0.0), self.width() - run.width)
        if taken is not None and at < taken[1] + 12 and at + run.width > taken[0] - 12:
            # Beside the truth, on the guess's own side where it has room.
            after, before = taken[1] + 12, taken[0] - 12 - run.width
            late = self._truth is not None and self._guess >= self._truth
            fits = after + run.width <= self.width()
            at = after if (late and fits) or before < 0 else before
        drawing.text(at, _MIDDLE - 15, run)

    def _guess_at(self, share: float) -> None:
        self.guessed.emit(self._range.seconds(share))

    def _take(self, event: QMouseEvent) -> None:
        share = (event.position().x() - _MARGIN) / max(1.0, self.width() - 2 * _MARGIN)
        self._guess_at(share)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._take(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._take(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls on where the bar only passes under the pointer."""
        event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.asked.emit()
        else:
            super().keyPressEvent(event)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self.draw(Drawing(painter, dirty=event.region()))

    def sizeHint(self) -> QSize:
        return QSize(320, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, _HEIGHT)


def _slowed(truth: float) -> str:
    if truth <= _SHOWN:
        return tr("slowed ×{factor}", factor=factor_words(_SHOWN / truth))
    return tr("sped up ×{factor}", factor=factor_words(truth / _SHOWN))
