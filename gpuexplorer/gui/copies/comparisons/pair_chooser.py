"""PairChooser: between which two devices, and how many bytes."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.copies.plan import USUAL_BYTES
from gpuexplorer.core.words import tr
from gpuexplorer.gui.copies.shared_parts import SizeButton, place_choice
from gpuexplorer.gui.state.lab.bench_device import BenchDevice
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import Dropdown
from gpuexplorer.gui.widgets.laid_out import FREE, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel

_SIZES = (1 << 20, 16 << 20, 64 << 20, USUAL_BYTES, 1 << 30)
_FIELD = 170


class PairChooser(QWidget):
    """`chosen` brings source, target and bytes."""

    chosen = Signal(str, str, int)

    def __init__(self) -> None:
        super().__init__()
        self._pair = ("", "", USUAL_BYTES)
        self._from = Dropdown(tr("From"))
        self._to = Dropdown(tr("To"))
        self._bytes = SizeButton(tr("Size"), _SIZES)
        self._from.chosen.connect(lambda name: self.chosen.emit(name, *self._pair[1:]))
        self._to.chosen.connect(
            lambda name: self.chosen.emit(self._pair[0], name, self._pair[2])
        )
        self._bytes.chosen.connect(lambda size: self.chosen.emit(*self._pair[:2], size))
        captions = [
            label(words, look().letters.body, Tone.QUIET)
            for words in (tr("From"), tr("To"), tr("Size"))
        ]
        for field, caption in zip((self._from, self._to), captions, strict=False):
            # Of itself it asks for no room, and would get none beside a stretch.
            field.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            field.setFixedWidth(_FIELD)
            caption.setBuddy(field)
        stroke = ElidedLabel(look().letters.caption, Tone.QUIET)
        stroke.show_text(tr("| what the wire could carry"))
        stroke.setAccessibleName(tr("what the wire could carry"))
        parts = (captions[0], self._from, captions[1], self._to, captions[2], self._bytes)
        row(*parts, FREE, stroke, within=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_pair(
        self, devices: Sequence[BenchDevice], source: str, target: str, size: int
    ) -> None:
        self._pair = (source, target, size)
        places = [place_choice(devices, each.name) for each in devices]
        self._from.show_choices(places, source)
        self._to.show_choices(places, target)
        self._bytes.show_size(size)
