"""PairChooser: between which two devices, and how many bytes."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QWidget

from gpuexplorer.copies.plan import USUAL_BYTES
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from gpuexplorer.gui.widgets.controls.dropdown import Choice, Dropdown
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.cards.device_face import short_name
from gpuexplorer.gui.wording.copies.sizes import size_words
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

_SIZES = (1 << 20, 16 << 20, 64 << 20, USUAL_BYTES, 1 << 30)
_FIELD, _LIST = 170, 220
_LIMIT = mark("what the wire could carry")


class PairChooser(QWidget):
    """`chosen` brings source, target and bytes."""

    chosen = Signal(str, str, int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._devices: Sequence[BenchDevice] = ()
        self._source = self._target = ""
        self._size = USUAL_BYTES
        self._from = Dropdown(look, tr("From"), self._offer, _LIST)
        self._to = Dropdown(look, tr("To"), self._offer, _LIST)
        self._bytes = MenuButton(look, tr("Size"))
        self._from.chosen.connect(self._on_source_chosen)
        self._to.chosen.connect(self._on_target_chosen)
        self._bytes.about_to_open.connect(self._on_menu_opening)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for word, field in ((tr("From"), self._from), (tr("To"), self._to)):
            # Of itself it asks for no room, and would get none beside a stretch.
            field.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            field.setFixedWidth(_FIELD)
            label = _word(look, word)
            label.setBuddy(field)
            row.addWidget(label)
            row.addWidget(field)
        row.addWidget(_word(look, tr("Size")))
        row.addWidget(self._bytes)
        row.addStretch(1)
        row.addWidget(_LimitMark(look))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_pair(
        self, devices: Sequence[BenchDevice], source: str, target: str, size: int
    ) -> None:
        self._devices = devices
        self._source, self._target, self._size = source, target, size
        self._from.show_choice(self._choice(source))
        self._to.show_choice(self._choice(target))
        self._bytes.show_words(size_words(size))

    def _choice(self, name: str) -> Choice | None:
        for each in self._devices:
            if each.name == name:
                words = tr("host") if each.is_host else short_name(each.label)
                outlined = each.is_host or each.colour is None
                return Choice(name, words, "", each.chip, each.colour, outlined, typed=False)
        return None

    def _offer(self) -> Sequence[Choice]:
        found = (self._choice(each.name) for each in self._devices)
        return [each for each in found if each is not None]

    def _on_source_chosen(self, name: object) -> None:
        self.chosen.emit(str(name), self._target, self._size)

    def _on_target_chosen(self, name: object) -> None:
        self.chosen.emit(self._source, str(name), self._size)

    def _on_menu_opening(self, menu: QMenu) -> None:
        for size in _SIZES:
            action = menu.addAction(size_words(size))
            action.setCheckable(True)
            action.setChecked(size == self._size)
            action.triggered.connect(
                partial(self.chosen.emit, self._source, self._target, size)
            )


class _LimitMark(Painted):
    """What the strokes at the bars mean."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr(_LIMIT))

    def draw(self, drawing: Drawing) -> None:
        middle, letters = self.height() / 2, drawing.letters.caption
        drawing.painter.fillRect(QRectF(2, middle - 7, 1.5, 14), drawing.theme.quiet)
        run = Run(tr(_LIMIT), letters, drawing.theme.quiet)
        drawing.elided(10, middle + letters.cap_height / 2, run, self.width() - 10)

    def sizeHint(self) -> QSize:
        return QSize(round(self.look.letters.caption.width(tr(_LIMIT))) + 12, 20)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 20)


def _word(look: Look, words: str) -> ElidedLabel:
    label = ElidedLabel(look.letters.body, Tone.QUIET)
    label.show_text(words)
    return label
