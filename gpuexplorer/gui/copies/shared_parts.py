"""What several pages have: how far the measuring is, sizes to choose, and how often as much."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QProgressBar, QSizePolicy, QWidget

from gpuexplorer.copies.jobs import USUAL_BYTES
from gpuexplorer.core.units import bytes_words, seconds_words
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import MenuButton, ToolButton
from gpuexplorer.gui.widgets.laid_out import GROWS, row
from gpuexplorer.gui.widgets.line import ElidedLabel

SIZES = (1 << 20, 16 << 20, 64 << 20, USUAL_BYTES, 1 << 30)  # of a copy, to choose from
_STEPS = 1000
_SILENT = 30.0  # seconds: a large copy and PyTorch's start take less


class MeasuringStrip(QWidget):
    """Empty while nothing is measured and nothing went wrong."""

    def __init__(self, copies: CopiesState) -> None:
        super().__init__()
        self._copies = copies
        self._bar = QProgressBar(maximum=_STEPS, textVisible=False)
        self._bar.setFixedSize(96, 4)
        self._bar.setAccessibleName(tr("Measured so far"))
        self._words = ElidedLabel(look().letters.body, Tone.QUIET)
        self._stop = ToolButton("word", Icon.CLOSE, tr("Stop"))
        self._stop.setAccessibleDescription(tr("End it at once; what was measured stays"))
        self._stop.clicked.connect(copies.stop)
        row(self._bar, self._words, GROWS, self._stop, within=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        copies.progressed.connect(self.pull)
        self.pull()

    def pull(self) -> None:
        copies, progress = self._copies, self._copies.progress
        self.setVisible(copies.running or bool(copies.sentence))
        for part in (self._bar, self._stop):
            part.setVisible(copies.running)
        said, done = tr("Measuring begins"), 0.0
        if progress is not None and progress.of:
            words, left = mark("Measuring {number} of {all}"), progress.seconds_left or 0.0
            if left:
                words = mark("Measuring {number} of {all}, about {time} left")
            number = min(progress.done + 1, progress.of)
            said = tr(words, number=number, all=progress.of, time=seconds_words(left))
            begun = progress.taken / progress.samples if progress.samples else 0.0
            done = (progress.done + begun) / progress.of
        if copies.silent > _SILENT:  # nobody but a person ends what hangs
            words = mark("{progress}: no answer for {time}. Stop ends it")
            said = tr(words, progress=said, time=seconds_words(copies.silent))
        said = tr("Waiting for PyTorch") if copies.lacking else said
        self._words.show_text(said if copies.running else tr(copies.sentence))
        restyle(self._words, "tone", (Tone.QUIET if copies.running else Tone.BAD).value)
        self._bar.setValue(round(done * _STEPS))


class SizeButton(MenuButton):
    """Says how many bytes, and opens a menu of other sizes."""

    chosen = Signal(object)  # bytes

    def __init__(self, name: str, sizes: Sequence[int] = SIZES) -> None:
        super().__init__(name)
        self._sizes, self._size = sizes, 0
        self.about_to_open.connect(self._on_opening)

    def show_size(self, size: int) -> None:
        self._size = size
        self.show_words(bytes_words(size))

    def _on_opening(self, menu: QMenu) -> None:
        for size in self._sizes:
            action = menu.addAction(bytes_words(size), partial(self.chosen.emit, size))
            action.setCheckable(True)
            action.setChecked(size == self._size)


def on_keys(widget: QWidget, keys: Sequence[str], run: Callable[[], None]) -> None:
    """While it has the keyboard."""
    action = QAction(widget, shortcutContext=Qt.ShortcutContext.WidgetShortcut)
    action.setShortcuts([QKeySequence(each) for each in keys])
    action.triggered.connect(run)
    widget.addAction(action)


def factor_words(factor: float) -> str:
    """Three digits that matter, in groups: "8.2", "176", "1 410 000"."""
    if factor < 10:
        return f"{factor:.1f}"
    rounded = float(f"{factor:.3g}")
    return f"{rounded:,.0f}".replace(",", "\N{THIN SPACE}")
