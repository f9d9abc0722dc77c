"""TrainForm: a model learns, step by step or in a run; its parameters go to a file and back."""

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.forms.device_field import DeviceField
from gpuexplorer.gui.views.lab.forms.form import Form
from gpuexplorer.gui.views.lab.forms.name_field import NameField
from gpuexplorer.gui.views.lab.forms.operand import Operand
from gpuexplorer.gui.views.lab.forms.operation_grid import Face, OperationGrid
from gpuexplorer.gui.widgets.controls.dropdown import Choice, Dropdown
from gpuexplorer.gui.widgets.controls.field_row import FieldRow, Labelled
from gpuexplorer.gui.widgets.controls.fields import TextField
from gpuexplorer.gui.wording.lab.forms.plan import Plan, Surroundings
from gpuexplorer.gui.wording.lab.forms.train_plan import (
    LOSSES,
    MEANINGS,
    NEW,
    TASKS,
    Task,
    TrainWish,
    train_plan,
)
from gpuexplorer.lab.events import Placed

_COLUMNS = 3
_LEARNS = frozenset({Task.RUN, Task.STEP})
# Which rows of fields a task has.
_ROWS: Mapping[str, frozenset[Task]] = {
    "model": frozenset(Task) - {Task.BACKWARD},
    "inputs": _LEARNS | {Task.FORWARD},
    "targets": _LEARNS,
    "optimiser": _LEARNS,
    "loss": _LEARNS,
    "steps": frozenset({Task.RUN}),
    "result": frozenset({Task.FORWARD}),
    "of": frozenset({Task.BACKWARD}),
    "file": frozenset({Task.SAVE, Task.LOAD}),
    "device": frozenset({Task.LOAD}),
}


class TrainForm(Form):
    """The optimiser is made on the way where there is none yet."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._task = Task.RUN
        self._loss_word = "mse_loss"
        self._grid = OperationGrid(look, tr("What to do"), _COLUMNS)
        self._model = Operand(look, tr("Model"), _is_model)
        self._inputs = Operand(look, tr("Inputs"), _is_tensor, _holds_examples)
        self._targets = Operand(look, tr("Targets"), _is_tensor, _holds_examples)
        self._optimiser = Operand(look, tr("Optimiser"), _is_optimiser)
        self._rate = _field(look, tr("Learning rate"), "0.1")
        self._loss = Dropdown(look, tr("Loss"), self._offer_losses)
        self._steps = _field(look, tr("Steps"), "100")
        self._batch = _field(look, tr("Batch"), "32")
        self._result = NameField(look, tr("Result"))
        self._result.setPlaceholderText(tr("printed, not kept"))
        self._of = Operand(look, tr("Loss"), _has_history)
        self._file = _field(look, tr("File"), "net.pt")
        self._device = DeviceField(look, tr("Onto"))
        self._labels = self._labelled()
        self.column.addWidget(self._grid)
        self._rows_of = {
            "model": self._row("model"),
            "inputs": self._row("inputs"),
            "targets": self._row("targets"),
            "optimiser": self._row("optimiser", "rate"),
            "loss": self._row("loss"),
            "steps": self._row("steps", "batch"),
            "result": self._row("result"),
            "of": self._row("of"),
            "file": self._row("file"),
            "device": self._row("device"),
        }
        self._listen()

    def show_around(self, around: Surroundings) -> None:
        self._grid.show_faces(_faces(), self._task)
        for operand in (self._model, self._inputs, self._of):
            operand.show_around(around, tr("nothing yet"))
        self._targets.show_around(around, tr("nothing yet"), position=1)
        self._optimiser.show_around(around, tr("nothing yet"), _new_optimisers())
        model = around.things.get(self._model.name)
        if self._task is Task.LOAD:
            self._device.show_around(around)
        self._loss.show_choice(_loss_choice(self._loss_word))
        self._result.propose("out" if model is not None else "")
        self._labels["rate"].setVisible(self._optimiser.name in NEW)
        for key, row in self._rows_of.items():
            row.setVisible(self._task in _ROWS[key])

    def plan(self, around: Surroundings) -> Plan:
        wish = TrainWish(
            self._task,
            self._model.name,
            self._inputs.name,
            self._targets.name,
            self._optimiser.name,
            self._rate.text(),
            self._loss_word,
            self._steps.text(),
            self._batch.text(),
            self._result.text().strip(),
            self._of.name,
            self._file.text(),
            self._device.device,
        )
        return train_plan(wish, around)

    def select_things(self, things: Sequence[Placed]) -> None:
        """A model that was chosen elsewhere is the one to train."""
        if len(things) == 1:
            self._model.choose(things[0])
            self._of.choose(things[0])

    def after_run(self) -> None:
        self._result.forget()

    def _listen(self) -> None:
        self._grid.chosen.connect(self._on_task_chosen)
        self._loss.chosen.connect(self._on_loss_chosen)
        for each in (self._model, self._inputs, self._targets, self._optimiser, self._of):
            each.changed.connect(self.changed)
        self._device.changed.connect(self.changed)
        for field in (self._rate, self._steps, self._batch, self._result, self._file):
            field.typed.connect(self._on_typed)

    def _labelled(self) -> Mapping[str, Labelled]:
        controls: Mapping[str, tuple[str, QWidget]] = {
            "model": (tr("Model"), self._model),
            "inputs": (tr("Inputs"), self._inputs),
            "targets": (tr("Targets"), self._targets),
            "optimiser": (tr("Optimiser"), self._optimiser),
            "rate": (tr("Learning rate"), self._rate),
            "loss": (tr("Loss"), self._loss),
            "steps": (tr("Steps"), self._steps),
            "batch": (tr("Batch"), self._batch),
            "result": (tr("Result"), self._result),
            "of": (tr("Loss"), self._of),
            "file": (tr("File"), self._file),
            "device": (tr("Onto"), self._device),
        }
        return {
            key: Labelled(self.look, words, control)
            for key, (words, control) in controls.items()
        }

    def _row(self, *keys: str) -> FieldRow:
        return self.add_row(FieldRow(self.look, {key: self._labels[key] for key in keys}))

    def _offer_losses(self) -> Sequence[Choice]:
        return [_loss_choice(word) for word in LOSSES]

    def _on_typed(self, text: str) -> None:
        del text
        self.changed.emit()

    def _on_task_chosen(self, task: Task) -> None:
        self._task = task
        self.changed.emit()

    def _on_loss_chosen(self, word: str) -> None:
        self._loss_word = word
        self.changed.emit()


def _field(look: Look, name: str, first: str) -> TextField:
    field = TextField(look, name)
    field.show_text(first)
    return field


def _faces() -> Sequence[Face]:
    return [Face(task, tr(TASKS[task]), tr(meaning)) for task, meaning in MEANINGS.items()]


def _new_optimisers() -> Sequence[Choice]:
    return [Choice(word, word, tr("new"), typed=False) for word in NEW]


def _loss_choice(word: str) -> Choice:
    return Choice(word, word, tr(LOSSES[word]))


def _is_model(thing: Placed) -> bool:
    return thing.kind == "model"


def _is_tensor(thing: Placed) -> bool:
    return thing.kind == "tensor"


def _holds_examples(thing: Placed) -> bool:
    """Not the loss that the run before left on the shelf."""
    return _is_tensor(thing) and bool(thing.shape) and not thing.requires_grad


def _is_optimiser(thing: Placed) -> bool:
    return thing.kind == "optimiser"


def _has_history(thing: Placed) -> bool:
    return thing.kind == "tensor" and thing.requires_grad
