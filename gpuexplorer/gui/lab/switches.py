"""The switches of the lab: what each does, its line in PyTorch and its name in TensorFlow; and
the sheets that cap memory, choose the visible cards, and explain them all.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QWidget

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.fields import NumberField, Range, chip_icon
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


FALL_BACK = SwitchWords(
    mark("Fall back to cpu"),
    mark(
        "A saved script also runs where a card is missing: what forms and drags wrote names "
        "try_gpu(1) in it in place of cuda:1, which is then the host. "
        "In PyTorch it is a function of three lines that courses write themselves."
    ),
    "X = torch.ones(2, 3, device=try_gpu(1))",
    "allow_soft_placement=True",
)
PLACEMENT = SwitchWords(
    mark("Print placement"),
    mark(
        "Every operation says on which device it ran, below its cell. PyTorch has no such "
        "option: the lab watches each operation while a cell runs."
    ),
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
        "when it starts. TensorFlow takes nearly all memory at its start unless it is told "
        "this. PyTorch always takes memory as it is needed; this only changes how."
    ),
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    "allow_growth=True",
)
WAITING = SwitchWords(
    mark("Wait for each kernel"),
    mark(
        "Each operation waits until its card has done it, so that an error of the card names "
        "the line that caused it. Everything takes longer. The worker is told when it starts. "
        "CUDA itself reads it, so it is the same for both."
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
PLACE = SwitchWords(
    mark("One device for a stretch of code"),
    mark("What is created in the block lies on that device where nothing else is said."),
    'with torch.device("cpu"):',
    "with tf.device('/cpu:0'):",
)
# By what they are called in the lab's own switches.
TURNED = {"placement": PLACEMENT, "growing": GROWTH, "waits": WAITING}
ALL_SWITCHES: Sequence[SwitchWords] = (
    *(FALL_BACK, PLACEMENT, MEMORY_CAP, GROWTH, WAITING, VISIBLE, PLACE),
)


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
        none = self.add_button(tr("No cap"), ROLE.ResetRole)
        none.clicked.connect(self._on_none)
        none.setEnabled(bool(caps and devices))
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

    def _on_none(self) -> None:
        for field in self._fields.values():
            field.setValue(100)
        self.accept()


class VisibleSheet(Sheet):
    """`chosen` brings the cards' indices in order; None for all as they are."""

    chosen = Signal(object)

    def __init__(self, lab: Lab, parent: QWidget) -> None:
        super().__init__(tr("Visible cards and their order"), parent, 460)
        self._cards = lab.machine.cards()
        self._usual, visible = usual_order(self._cards), lab.switches.visible
        self.begins = self._list = QListWidget()
        self._list.setIconSize(QSize(20, 20))
        self._list.setProperty("kind", "sections")
        self._list.setAccessibleName(tr("Visible cards and their order"))
        self._list.setDragDropMode(QListWidget.DragDropMode.InternalMove)
        self._up = ToolButton("framed", Icon.ASCENDING, tr("Move up"))
        self._down = ToolButton("framed", Icon.DESCENDING, tr("Move down"))
        self._up.clicked.connect(lambda: self._move(-1))
        self._down.clicked.connect(lambda: self._move(1))
        self.add_sentence(tr(VISIBLE.sentence), Tone.QUIET)
        add(self.body, self._list, row(self._up, self._down, FREE))
        self._code = self.add_sentence("")
        every = self.add_button(tr("All, in their order"), ROLE.ResetRole)
        every.clicked.connect(lambda: self._fill(self._usual))
        told = lab.stage.runs  # when it started
        words = tr("Release the cards and use this") if told else tr("Use this")
        self._use = self.add_button(words, ROLE.AcceptRole, default=True)
        self.add_button(tr("Cancel"), ROLE.RejectRole)
        self.accepted.connect(self._on_accepted)
        self._fill(self._usual if visible is None else visible)
        self._list.itemChanged.connect(self._refresh)
        self._list.currentRowChanged.connect(self._refresh)
        self._list.model().rowsMoved.connect(self._refresh)

    def _fill(self, visible: Sequence[int]) -> None:
        """These are chosen, in this order; the others stand below."""
        by_index = {each.card.index: each for each in self._cards}
        with QSignalBlocker(self._list):
            self._list.clear()
            for index in (*visible, *(each for each in self._usual if each not in visible)):
                shown, letters = by_index[index], look().letters.badge
                fill = look().theme.card(shown.colour)
                chip = chip_icon(shown.number, fill, letters, self._list.iconSize())
                item = QListWidgetItem(chip, shown.card.name, self._list)
                item.setData(_SHOWN, shown)
                item.setCheckState(_ON if index in visible else Qt.CheckState.Unchecked)
            self._list.setCurrentRow(0)
        self._refresh()

    def _refresh(self) -> None:
        self._chosen: list[int] = []
        with QSignalBlocker(self._list):
            for item in map(self._list.item, range(self._list.count())):
                shown = item.data(_SHOWN)
                words = tr("{card}: not visible", card=shown.card.name)
                if item.checkState() is _ON:
                    number = len(self._chosen)
                    words = tr("{card}: cuda:{number}", card=shown.card.name, number=number)
                    self._chosen.append(shown.card.index)
                spoken = tr("Card {number}, {words}", number=shown.number, words=words)
                item.setText(words)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
        line = f"CUDA_VISIBLE_DEVICES={','.join(map(str, self._chosen))}"
        said = VISIBLE.code(line) if self._chosen else tr("At least one card is needed.")
        show_sentence(self._code, said)
        self._use.setEnabled(bool(self._chosen))
        self._up.setEnabled(self._list.currentRow() > 0)
        self._down.setEnabled(self._list.currentRow() < self._list.count() - 1)

    def _move(self, by: int) -> None:
        at = self._list.currentRow()
        self._list.insertItem(at + by, self._list.takeItem(at))
        self._list.setCurrentRow(at + by)
        self._refresh()

    def _on_accepted(self) -> None:
        """All of them in their own order need not be said."""
        all_of_them = self._chosen == list(self._usual)
        self.chosen.emit(None if all_of_them else tuple(self._chosen))


def switches_sheet(window: QWidget) -> Sheet:
    """Courses explain them by TensorFlow's names; here one sees what they are in PyTorch."""
    sheet = Sheet(tr("The switches of the lab"), window, 760)
    for each in ALL_SWITCHES:
        sheet.body.addWidget(label(tr(each.title), look().letters.strong))
        sheet.add_sentence(tr(each.sentence), Tone.QUIET)
        sheet.add_sentence(f"PyTorch: {each.code()}")
        sheet.body.addSpacing(12)
    sheet.add_close()
    return sheet
