"""What several pages have: how far the measuring is, sizes to choose, and places to copy to."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QProgressBar, QSizePolicy, QWidget

from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.measuring import Progress
from gpuexplorer.core.units import Quantity, memory, plain
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import short_name
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import MenuButton, ToolButton
from gpuexplorer.gui.widgets.controls.fields import Choice
from gpuexplorer.gui.widgets.laid_out import GROWS, row
from gpuexplorer.gui.widgets.line import ElidedLabel

_STEPS = 1000
_MINUTE = 60
_SILENT = 30.0  # seconds: a large copy and PyTorch's start take less


class MeasuringStrip(QWidget):
    """Empty while nothing is measured and nothing went wrong."""

    def __init__(self, copies: CopiesState) -> None:
        super().__init__()
        self._copies = copies
        self._bar = QProgressBar()
        self._bar.setRange(0, _STEPS)
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(96, 4)
        self._bar.setAccessibleName(tr("Measured so far"))
        self._words = ElidedLabel(look().letters.body, Tone.QUIET)
        self._trouble = ElidedLabel(look().letters.body, Tone.BAD)
        self._stop = ToolButton("word", Icon.CLOSE, tr("Stop"))
        self._stop.setAccessibleDescription(tr("End it at once; what was measured stays"))
        self._stop.clicked.connect(copies.stop)
        row(self._bar, self._words, GROWS, self._trouble, GROWS, self._stop, within=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        copies.progressed.connect(self.pull)
        self.pull()

    def pull(self) -> None:
        copies = self._copies
        running, progress = copies.running, copies.progress
        self.setVisible(running or bool(copies.sentence))
        for part in (self._bar, self._words, self._stop):
            part.setVisible(running)
        self._trouble.setVisible(not running and bool(copies.sentence))
        self._trouble.show_text(tr(copies.sentence))
        if running:
            waits = tr("Waiting for PyTorch")
            said = waits if copies.lacking else progress_words(progress, copies.silent)
            self._words.show_text(said)
            done = 0.0
            if progress is not None and progress.of:
                begun = progress.taken / progress.samples if progress.samples else 0.0
                done = (progress.done + begun) / progress.of
            self._bar.setValue(round(done * _STEPS))


def size_words(size: float) -> str:
    """ "256 MiB", and "1 KiB" where measured figures would read "1.00 KiB"."""
    return _short(memory(size))


def _short(told: Quantity) -> str:
    return f"{plain(float(told.number))} {told.unit}"


class SizeButton(MenuButton):
    """Says how many bytes, and opens a menu of other sizes."""

    chosen = Signal(object)  # bytes

    def __init__(self, name: str, sizes: Sequence[int]) -> None:
        super().__init__(name)
        self._sizes = sizes
        self._size = 0
        self.about_to_open.connect(self._on_opening)

    def show_size(self, size: int) -> None:
        self._size = size
        self.show_words(size_words(size))

    def _on_opening(self, menu: QMenu) -> None:
        for size in self._sizes:
            action = menu.addAction(size_words(size))
            action.setCheckable(True)
            action.setChecked(size == self._size)
            action.triggered.connect(partial(self.chosen.emit, size))


def progress_words(progress: Progress | None, silent: float = 0.0) -> str:
    """`silent`: seconds since anything was told of it. Nobody but a person ends what hangs."""
    if progress is None:
        said = tr("Measuring begins")
    elif progress.job is None:
        said = tr("{all} of {all} measured", all=progress.of)
    elif progress.seconds_left is None:
        said = tr("Measuring {number} of {all}", number=progress.done + 1, all=progress.of)
    else:
        left = _spoken(progress.seconds_left)
        values = {"number": progress.done + 1, "all": progress.of, "time": left}
        said = tr("Measuring {number} of {all}, about {time} left", **values)
    if silent < _SILENT:
        return said
    return tr(
        "{progress}: no answer for {time}. Stop ends it", progress=said, time=_spoken(silent)
    )


def _spoken(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / _MINUTE)} min"


def place_choice(
    devices: Sequence[BenchDevice], name: str, *, brief: bool = False, remark: bool = False
) -> Choice:
    """A device to copy from or to: by the name of its model, or `brief`, which is the chip's
    part then; `remark`: the model stands behind it.
    """
    each = next((each for each in devices if each.name == name), None)
    if each is None:
        return Choice(name, tr("host") if name == HOST else name, typed=False)
    model = short_name(each.label)
    words = tr("host") if each.is_host else tr("card") if brief else model
    behind = model if remark and each.is_card else ""
    outlined = each.is_host or each.colour is None
    return Choice(name, words, behind, each.chip, each.colour, outlined, typed=False)


def factor_words(factor: float) -> str:
    """Three digits that matter, in groups: "8.2", "176", "1 410 000"."""
    if factor < 10:
        return f"{factor:.1f}"
    rounded = float(f"{factor:.3g}")
    return f"{rounded:,.0f}".replace(",", "\N{THIN SPACE}")
