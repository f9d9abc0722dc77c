"""TensorForm: what a new tensor is called, holds, and lies on."""

from collections.abc import Sequence

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.forms.blank_fields import BlankFields
from gpuexplorer.gui.views.lab.forms.device_choice import DeviceChoice
from gpuexplorer.gui.views.lab.forms.form import Form
from gpuexplorer.gui.views.lab.forms.name_field import NameField
from gpuexplorer.gui.widgets.controls.dropdown import Choice, Dropdown
from gpuexplorer.gui.widgets.controls.field_row import FieldRow, Labelled
from gpuexplorer.gui.widgets.controls.fields import TextField
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.wording.lab.forms.fills import DTYPES, FILLS, cannot_make, lacks
from gpuexplorer.gui.wording.lab.forms.names import elements, next_letter
from gpuexplorer.gui.wording.lab.forms.plan import Plan, Surroundings
from gpuexplorer.gui.wording.lab.forms.tensor_plan import TensorWish, read_wish, tensor_plan

_LIST_WIDTH, _SEED_WIDTH = 216, 78


class TensorForm(Form):
    """Without a chosen type, it is what PyTorch takes for these values."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._fill = "ones"
        self._dtype: str | None = None
        self._grad = self._pinned = False
        self._name = NameField(look, tr("Name"))
        self._type = Dropdown(look, tr("Type"), self._offer_types, _LIST_WIDTH)
        self._filled = Dropdown(look, tr("Filled with"), self._offer_fills)
        self._blanks = BlankFields(look)
        self._shape = TextField(look, tr("Shape"))
        self._shape.setPlaceholderText(tr("a single value"))
        self._shape.show_text("2, 3")
        self._devices = DeviceChoice(look)
        self._seed = TextField(look, tr("Seed"))
        self._seed.setPlaceholderText(tr("none"))
        self._seed.setToolTip(tr("The same seed draws the same numbers again."))
        self._grad_tick = _Tick(look, "requires_grad")
        self._pinned_tick = _Tick(look, tr("pinned"))
        self._lay_out()
        for field in (self._name, self._shape, self._seed):
            field.typed.connect(self._on_typed)
        self._blanks.changed.connect(self.changed)
        self._devices.chosen.connect(self.changed)
        self._filled.chosen.connect(self._on_fill_chosen)
        self._type.chosen.connect(self._on_type_chosen)
        self._grad_tick.box.clicked.connect(self._on_grad_turned)
        self._pinned_tick.box.clicked.connect(self._on_pinned_turned)

    def show_around(self, around: Surroundings) -> None:
        self._name.propose(next_letter(around.taken))
        self._devices.show_around(around)
        fill = FILLS[self._fill]
        self._filled.show_choice(_fill_choice(self._fill))
        self._blanks.show_blanks(self._fill, fill.blanks, code=("values",))
        self._shape_row.setVisible(fill.shaped)
        self._seed_row.setVisible(fill.random)
        read = read_wish(self._wish())
        dtype = DTYPES[self._dtype or read.usual]
        self._type.show_choice(Choice(dtype.name, dtype.name))
        wrong = "shape" in read.problems
        self._shape_label.show_remark("" if wrong else elements(read.elements))
        self._grad_tick.show_on(self._grad, "" if dtype.can_learn else tr("fractions only"))
        self._pinned_tick.show_on(self._pinned, self._why_not_pinned(around))

    def plan(self, around: Surroundings) -> Plan:
        return tensor_plan(self._wish(), around)

    def show_plan(self, plan: Plan) -> None:
        super().show_plan(plan)
        for row in self._blanks.rows():
            row.show_problems(plan.problems)

    def after_run(self) -> None:
        self._name.forget()

    def to_mend(self, plan: Plan) -> QWidget | None:
        own = (row.first_bad(plan.problems) for row in self._blanks.rows())
        return super().to_mend(plan) or next((each for each in own if each is not None), None)

    def _wish(self) -> TensorWish:
        return TensorWish(
            self._name.text().strip(),
            self._fill,
            self._shape.text(),
            self._blanks.values(),
            self._devices.device,
            self._dtype,
            self._seed.text(),
            self._grad_tick.box.isChecked(),
            self._pinned_tick.box.isChecked(),
        )

    def _lay_out(self) -> None:
        look = self.look
        self.add_row(
            FieldRow(
                look,
                {
                    "name": Labelled(look, tr("Name"), self._name),
                    "dtype": Labelled(look, tr("Type"), self._type),
                },
            )
        )
        self.add_row(FieldRow(look, {"fill": Labelled(look, tr("Filled with"), self._filled)}))
        self.column.addWidget(self._blanks)
        self._shape_label = Labelled(look, tr("Shape"), self._shape)
        self._shape_row = self.add_row(FieldRow(look, {"shape": self._shape_label}))
        self.add_row(self._devices)
        self._seed_row = FieldRow(look, {"seed": Labelled(look, tr("Seed"), self._seed)})
        self._rows.append(self._seed_row)
        self._seed.setFixedWidth(_SEED_WIDTH)
        ticks = QVBoxLayout()
        ticks.setSpacing(0)
        ticks.addStretch(1)
        ticks.addWidget(self._grad_tick)
        ticks.addWidget(self._pinned_tick)
        last = QHBoxLayout()
        last.setSpacing(12)
        last.addWidget(self._seed_row)
        last.addLayout(ticks, 1)
        self.column.addLayout(last)

    def _why_not_pinned(self, around: Surroundings) -> str:
        if self._devices.device != "cpu":
            return tr("cpu only")
        cards = any(each.is_card and each.usable for each in around.devices)
        return "" if cards else tr("needs a card")

    def _offer_fills(self) -> Sequence[Choice]:
        return [_fill_choice(word) for word in FILLS]

    def _offer_types(self) -> Sequence[Choice]:
        fill, device = FILLS[self._fill], self._devices.device
        return [
            Choice(
                each.name,
                each.name,
                tr(each.remark),
                refused=tr("not with {fill}", fill=fill.word)
                if cannot_make(fill, each.kind)
                else tr(lacks(device, each.name)),
            )
            for each in DTYPES.values()
        ]

    def _on_typed(self, text: str) -> None:
        del text
        self.changed.emit()

    def _on_fill_chosen(self, word: str) -> None:
        self._fill = word
        if self._dtype is not None and cannot_make(FILLS[word], DTYPES[self._dtype].kind):
            self._dtype = None
        self.changed.emit()

    def _on_type_chosen(self, name: str) -> None:
        usual = read_wish(self._wish()).usual
        self._dtype = None if name == usual else name
        self.changed.emit()

    def _on_grad_turned(self, on: bool) -> None:
        self._grad = on
        self.changed.emit()

    def _on_pinned_turned(self, on: bool) -> None:
        self._pinned = on
        self.changed.emit()


class _Tick(QWidget):
    """A word that holds or not; beside it, why it cannot."""

    def __init__(self, look: Look, words: str) -> None:
        super().__init__()
        self.box = QCheckBox(words)
        self.box.setAccessibleName(words)
        self.box.setFont(look.letters.mono.font)
        self._remark = ElidedLabel(look.letters.caption, Tone.FAINT)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.box)
        row.addWidget(self._remark, 1)

    def show_on(self, on: bool, refused: str = "") -> None:
        """`refused` says why it cannot be turned on."""
        self.box.setChecked(on and not refused)
        self.box.setEnabled(not refused)
        self.box.setAccessibleDescription(refused)
        self.box.setToolTip(refused)
        self._remark.show_text(refused)


def _fill_choice(word: str) -> Choice:
    return Choice(word, word, tr(FILLS[word].remark))
