"""ModelForm: which small model is made, how large, and where its parameters lie."""

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.forms.blank_fields import BlankFields
from gpuexplorer.gui.views.lab.forms.device_choice import DeviceChoice
from gpuexplorer.gui.views.lab.forms.form import Form
from gpuexplorer.gui.views.lab.forms.name_field import NameField
from gpuexplorer.gui.widgets.controls.dropdown import Choice, Dropdown
from gpuexplorer.gui.widgets.controls.field_row import FieldRow, Labelled
from gpuexplorer.gui.widgets.controls.fields import CodeField, TextField
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.wording.lab.forms.model_plan import (
    MODEL_KINDS,
    TYPED,
    ModelWish,
    model_plan,
)
from gpuexplorer.gui.wording.lab.forms.names import next_numbered
from gpuexplorer.gui.wording.lab.forms.plan import Plan, Surroundings

_LIST_WIDTH, _LINES = 216, 5
_FIRST_TEXT = "nn.Sequential(\n  nn.Linear(3, 8),\n  nn.ReLU(),\n  nn.Linear(8, 1))"


class ModelForm(Form):
    """One of the ready-made, or layers as a person types them."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._chosen = "nn.Linear"
        self._name = NameField(look, tr("Name"))
        self._kind = Dropdown(look, tr("Model"), self._offer_kinds, _LIST_WIDTH)
        self._blanks = BlankFields(look)
        self._text = CodeField(look, tr("Layers"), _LINES)
        self._text.show_text(_FIRST_TEXT)
        self._takes: QLabel = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._devices = DeviceChoice(look)
        self._seed = TextField(look, tr("Seed"))
        self._seed.setPlaceholderText(tr("none"))
        self._seed.setToolTip(tr("The same seed draws the same parameters again."))
        names = {
            "name": Labelled(look, tr("Name"), self._name),
            "kind": Labelled(look, tr("Model"), self._kind),
        }
        self.add_row(FieldRow(look, names))
        self.column.addWidget(self._blanks)
        self._text_row = self.add_row(
            FieldRow(look, {"text": Labelled(look, tr("Layers of torch.nn"), self._text)})
        )
        self.column.addWidget(self._takes)
        self.add_row(self._devices)
        seed = Labelled(look, tr("Seed"), self._seed)
        seed.show_remark(tr("parameters begin at random"))
        self.add_row(FieldRow(look, {"seed": seed}))
        for field in (self._name, self._seed, self._text):
            field.typed.connect(self._on_typed)
        self._blanks.changed.connect(self.changed)
        self._devices.chosen.connect(self.changed)
        self._kind.chosen.connect(self._on_kind_chosen)

    def show_around(self, around: Surroundings) -> None:
        self._name.propose(next_numbered("net", around.taken))
        self._devices.show_around(around)
        self._kind.show_choice(_choice(self._chosen, short=True))
        typed = self._chosen == TYPED
        kind = MODEL_KINDS.get(self._chosen)
        self._blanks.show_blanks(self._chosen, kind.blanks if kind else ())
        self._text_row.setVisible(typed)
        self._takes.setVisible(kind is not None)
        if kind is not None:
            self._takes.setText(tr("Input: {takes}", takes=tr(kind.takes)))

    def plan(self, around: Surroundings) -> Plan:
        wish = ModelWish(
            self._name.text().strip(),
            self._chosen,
            self._blanks.values(),
            self._text.text(),
            self._devices.device,
            self._seed.text(),
        )
        return model_plan(wish, around)

    def show_plan(self, plan: Plan) -> None:
        super().show_plan(plan)
        for row in self._blanks.rows():
            row.show_problems(plan.problems)

    def after_run(self) -> None:
        self._name.forget()

    def to_mend(self, plan: Plan) -> QWidget | None:
        own = (row.first_bad(plan.problems) for row in self._blanks.rows())
        return super().to_mend(plan) or next((each for each in own if each is not None), None)

    def _offer_kinds(self) -> Sequence[Choice]:
        return [_choice(word) for word in (*MODEL_KINDS, TYPED)]

    def _on_typed(self, text: str) -> None:
        del text
        self.changed.emit()

    def _on_kind_chosen(self, word: str) -> None:
        self._chosen = word
        self.changed.emit()


def _choice(word: str, *, short: bool = False) -> Choice:
    if word == TYPED:
        return Choice(
            TYPED, tr("Typed in"), "" if short else tr("layers of torch.nn"), typed=False
        )
    kind = MODEL_KINDS[word]
    return Choice(word, tr(kind.title), "" if short else tr(kind.remark), typed=False)
