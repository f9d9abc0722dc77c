"""The switches of the lab: what each does, its line in PyTorch and its name in TensorFlow; and
the sheets that cap memory and choose the visible cards.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import NumberField, Range, text_field
from gpuexplorer.gui.widgets.laid_out import FREE, add, label, row, show_sentence
from gpuexplorer.gui.widgets.painted import ChipRow
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet

_SHOWN, _ON = Qt.ItemDataRole.UserRole, Qt.CheckState.Checked
_USUAL_SHARE = 0.4  # of a card, that is offered where none is set
_PERCENT = Range(5, 100, (10, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90))
_CAP = re.compile(
    r"torch\.cuda\.set_per_process_memory_fraction\(\s*(\d*\.?\d+)"
    r"""(?:\s*,\s*(?:device\s*=\s*)?(?:["']?cuda:)?(\d+)?["']?)?\s*\)"""
)


class SwitchWords(NamedTuple):
    """Courses explain these by TensorFlow's names; the lab writes PyTorch. Title and sentence
    are marked: whoever shows them translates them.
    """

    title: str
    sentence: str
    torch: str
    tensorflow: str

    def code(self, line: str = "") -> str:
        """In both, where PyTorch's is this `line`."""
        names = f"`{self.tensorflow}`"
        return f"`{line or self.torch}`\n{tr('TensorFlow: {names}', names=names)}"

    def hint(self) -> str:
        return f"{tr(self.sentence)}\n{self.code()}".replace("`", "")


PLACEMENT = SwitchWords(
    mark("Print placement"),
    mark("Every operation says on which device it ran, below its cell."),
    "class PlacementLog(TorchDispatchMode): …",
    "log_device_placement=True",
)
MEMORY_CAP = SwitchWords(
    mark("Memory cap"),
    mark(
        "The lab may take at most this share of a card's memory: the safe way to meet an "
        "out-of-memory error."
    ),
    "torch.cuda.set_per_process_memory_fraction(0.4, 0)",
    "per_process_gpu_memory_fraction=0.4",
)
GROWTH = SwitchWords(
    mark("Growing segments"),
    mark(
        "Stretches of memory grow where they are, which leaves fewer holes. The worker is told "
        "when it starts."
    ),
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    "allow_growth=True",
)
WAITING = SwitchWords(
    mark("Wait for each kernel"),
    mark(
        "Each operation waits until its card has done it, so that an error of the card names "
        "the line that caused it. Everything takes longer."
    ),
    "CUDA_LAUNCH_BLOCKING=1",
    "CUDA_LAUNCH_BLOCKING=1",
)
VISIBLE = SwitchWords(
    mark("Visible cards"),
    mark(
        "Which cards the worker sees, and in which order it numbers them from 0. It is told "
        "when it starts."
    ),
    "CUDA_VISIBLE_DEVICES=1,0",
    "tf.config.set_visible_devices(gpus, 'GPU')",
)
# By what they are called in the lab's own switches.
TURNED = {"placement": PLACEMENT, "growing": GROWTH, "waits": WAITING}


def caps_in(lines: Sequence[str]) -> Mapping[str, float]:
    """By the device, as the cells were run; the last one holds. All of it is no cap."""
    found = _CAP.findall("\n".join(lines))
    caps = {f"cuda:{number or 0}": float(share) for share, number in found}
    return {device: share for device, share in caps.items() if share < 1.0}


def changed_caps(wanted: Mapping[str, float], now: Mapping[str, float]) -> Sequence[str]:
    """The code that is needed to come from these caps to those."""
    return [
        f"torch.cuda.set_per_process_memory_fraction({share:g}, {device.partition(':')[2]})"
        for device, share in wanted.items()
        if share != now.get(device, 1.0)
    ]


def usual_order(cards: Sequence[Shown]) -> Sequence[int]:
    """The cards' indices as CUDA numbers them; those without a number come last."""
    numbers = [(e.card.cuda_index is None, e.card.cuda_index or 0, e.card.index) for e in cards]
    return [index for *_, index in sorted(numbers)]


class CapSheet(Sheet):
    """`chosen` brings a share for every card, 1.0 where nothing is capped."""

    chosen = Signal(object)

    def __init__(self, lab: Lab, caps: Mapping[str, float], parent: QWidget) -> None:
        super().__init__(tr(MEMORY_CAP.title), parent, 500)
        self._units = lab.machine.settings.choices.units
        there = [each for each in lab.devices() if each.name.startswith("cuda:")]
        self._devices = devices = [each for each in there if each.usable]
        first = lab.switches.memory_share or _USUAL_SHARE
        self._fields: dict[str, NumberField] = {}
        self._amounts: dict[str, QLabel] = {}
        self.add_sentence(tr(MEMORY_CAP.sentence), Tone.QUIET)
        if not devices:
            self.add_sentence(tr("No card can be used by the lab's Python."))
        for each in devices:
            chip, name = ChipRow(), label(each.name, look().letters.mono)
            chip.show_chips([Chip(each.chip, each.colour)])
            amount = self._amounts[each.name] = label("", look().letters.body, Tone.QUIET)
            field = NumberField(tr("Share of {device}", device=each.name), _PERCENT, "%")
            field.show_number(round(caps.get(each.name, first) * 100))
            field.chosen.connect(self._refresh)
            self._fields[each.name] = field
            add(self.body, row(chip, name, FREE, amount, field))
        self._code = self.add_sentence("")
        cap = self.add_button(tr("Cap"), ROLE.AcceptRole, default=True)
        cap.setEnabled(bool(devices))
        self.add_button(tr("Cancel"), ROLE.RejectRole)
        self.accepted.connect(lambda: self.chosen.emit(self._shares()))
        self._refresh()
        for field in list(self._fields.values())[:1]:
            self.begins = field
            field.selectAll()

    def _shares(self) -> Mapping[str, float]:
        return {name: field.value() / 100 for name, field in self._fields.items()}

    def _refresh(self) -> None:
        shares, units = self._shares(), self._units
        for each in self._devices:
            if (whole := each.total_bytes) is not None:
                part = memory(whole * shares[each.name], units)
                words = tr("{part} of {all}", part=part, all=memory(whole, units))
                self._amounts[each.name].setText(words)
        lines = "\n".join(changed_caps(shares, {}))
        said = MEMORY_CAP.code(lines) if lines else tr("No card is capped.")
        show_sentence(self._code, said)


class VisibleSheet(Sheet):
    """`chosen` brings the cards' indices in order; None for all as they are."""

    chosen = Signal(object)

    def __init__(self, lab: Lab, parent: QWidget) -> None:
        super().__init__(tr("Visible cards and their order"), parent, 460)
        self._cards = {each.number: each for each in lab.machine.cards()}
        by_index = {each.card.index: number for number, each in self._cards.items()}
        self._usual = [by_index[each] for each in usual_order([*self._cards.values()])]
        visible = lab.switches.visible
        shown = self._usual if visible is None else [by_index[each] for each in visible]
        self.begins = self._field = text_field(tr("Visible cards and their order"))
        self._field.setText(", ".join(shown))
        self._field.setPlaceholderText(tr("all, in their order"))
        self._field.textChanged.connect(self._refresh)
        self._names = label("", look().letters.body, Tone.QUIET)
        self.add_sentence(tr(VISIBLE.sentence), Tone.QUIET)
        add(self.body, self._field, self._names)
        self._code = self.add_sentence("")
        told = lab.stage.runs  # when it started
        words = tr("Release the cards and use this") if told else tr("Use this")
        self._use = self.add_button(words, ROLE.AcceptRole, default=True)
        self.add_button(tr("Cancel"), ROLE.RejectRole)
        self.accepted.connect(self._on_accepted)
        self._refresh()

    def _typed(self) -> Sequence[str]:
        numbers = re.split(r"[\s,;]+", self._field.text().strip())
        return list(dict.fromkeys(filter(None, numbers))) or self._usual

    def _refresh(self) -> None:
        typed, shown = self._typed(), []
        wrong = next((each for each in typed if each not in self._cards), None)
        for at, number in enumerate(typed if wrong is None else ()):
            name = self._cards[number].card.name
            shown.append(
                tr("cuda:{at}: card {number}, {card}", at=at, number=number, card=name)
            )
        self._names.setText("\n".join(shown))
        line = f"CUDA_VISIBLE_DEVICES={','.join(typed)}"
        said = VISIBLE.code(line)
        if wrong is not None:
            said = tr("There is no card {number} here.", number=wrong)
        show_sentence(self._code, said)
        self._use.setEnabled(wrong is None)

    def _on_accepted(self) -> None:
        """All of them in their own order need not be said."""
        typed = self._typed()
        chosen = tuple(self._cards[each].card.index for each in typed)
        self.chosen.emit(None if [*typed] == self._usual else chosen)
