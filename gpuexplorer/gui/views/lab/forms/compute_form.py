"""ComputeForm: an operation on what is on the shelf."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.forms.device_field import DeviceField
from gpuexplorer.gui.views.lab.forms.form import Form
from gpuexplorer.gui.views.lab.forms.name_field import NameField
from gpuexplorer.gui.views.lab.forms.operand import Operand
from gpuexplorer.gui.views.lab.forms.operation_grid import Face, OperationGrid
from gpuexplorer.gui.widgets.controls.dropdown import Choice
from gpuexplorer.gui.widgets.controls.field_row import FieldRow, Labelled
from gpuexplorer.gui.widgets.controls.fields import TextField
from gpuexplorer.gui.wording.lab.forms.compute_plan import (
    ComputeWish,
    compute_plan,
    operation_named,
    proposed_result,
)
from gpuexplorer.gui.wording.lab.forms.operations import Needs, Operation, operations_for
from gpuexplorer.gui.wording.lab.forms.plan import Plan, Surroundings
from gpuexplorer.lab.events import Placed

_NUMBER = "number"
_COLUMNS, _LETTERS = 4, 7
_TOLD = {
    Needs.DIMENSION: (mark("Dimension"), mark("over all"), ""),
    Needs.SHAPE: (mark("New shape"), mark("such as 3, 2 or -1"), "-1"),
    Needs.SLICE: (mark("Part"), mark("such as 0 or :, 1:3"), "0"),
}


class ComputeForm(Form):
    """The operations are those that its left operand has."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._chosen = {"model": "forward", "": "add"}  # by what the left operand is
        self._left = Operand(look, tr("Left"), _computes)
        self._grid = OperationGrid(look, tr("Operation"), _COLUMNS)
        self._right = Operand(look, tr("Right"), _is_tensor)
        self._number = TextField(look, tr("Number"))
        self._number.show_text("2")
        self._told = {
            needs: TextField(look, tr(words)) for needs, (words, _, _) in _TOLD.items()
        }
        self._device = DeviceField(look, tr("Device"))
        self._result = NameField(look, tr("Result"))
        self._result.setPlaceholderText(tr("printed, not kept"))
        self._lay_out()
        for field in (self._number, self._result, *self._told.values()):
            field.typed.connect(self._on_typed)
        for each in (self._left, self._right, self._device):
            each.changed.connect(self.changed)
        self._grid.chosen.connect(self._on_operation_chosen)

    def show_around(self, around: Surroundings) -> None:
        self._left.show_around(around, tr("nothing on the shelf"))
        left = around.things.get(self._left.name)
        kind = left.kind if left is not None else ""
        there = operations_for(kind)
        faces = [
            Face(each.key, each.face, tr(each.meaning), wide=len(each.face) > _LETTERS)
            for each in there.values()
        ]
        operation = there[self._chosen["model" if kind == "model" else ""]]
        self._grid.show_faces(faces, operation.key)
        needs = operation.needs
        self._right_row.setVisible(needs in (Needs.RIGHT, Needs.THING))
        others = [_a_number()] if needs is Needs.RIGHT else []
        second = 0 if kind == "model" else 1
        self._right.show_around(around, tr("no tensor on the shelf"), others, second)
        a_number = needs is Needs.RIGHT and self._right.name == _NUMBER
        self._number_row.setVisible(a_number)
        for each, row in self._told_rows.items():
            row.setVisible(each is needs)
        moves = needs in (Needs.DEVICE, Needs.CARD)
        self._device_row.setVisible(moves)
        if moves:
            away = left.device if left is not None else ""
            self._device.show_around(around, away, cards_only=needs is Needs.CARD)
        self._result_row.setVisible(operation.gives)
        self._result.propose(proposed_result(operation, self._left.name, around.taken))

    def plan(self, around: Surroundings) -> Plan:
        operation = self._operation(around)
        told = self._told.get(operation.needs)
        wish = ComputeWish(
            operation.key,
            self._left.name,
            None if self._right.name == _NUMBER else self._right.name,
            self._number.text(),
            "" if told is None else told.text(),
            self._device.device,
            self._result.text().strip() if operation.gives else "",
        )
        return compute_plan(wish, around)

    def select_things(self, things: Sequence[Placed]) -> None:
        """One becomes the left operand; of two, the other becomes the right."""
        if len(things) <= 2:
            self._left.choose(things[0])
        if len(things) == 2:
            self._right.choose(things[1])

    def after_run(self) -> None:
        self._result.forget()

    def _operation(self, around: Surroundings) -> Operation:
        left = around.things.get(self._left.name)
        kind = "model" if left is not None and left.kind == "model" else ""
        return operation_named(self._chosen[kind])

    def _lay_out(self) -> None:
        self.add_row(self._row("left", tr("Left"), self._left))
        self.add_row(self._row("operation", tr("Operation"), self._grid))
        self._right_row = self.add_row(self._row("right", tr("Right"), self._right))
        self._number_row = self.add_row(self._row("number", tr("Number"), self._number))
        self._told_rows = {}
        for needs, (words, placeholder, first) in _TOLD.items():
            self._told[needs].show_text(first)
            self._told[needs].setPlaceholderText(tr(placeholder))
            self._told_rows[needs] = self.add_row(
                self._row("told", tr(words), self._told[needs])
            )
        self._device_row = self.add_row(self._row("device", tr("Device"), self._device))
        self._result_row = self.add_row(self._row("result", tr("Result"), self._result))

    def _row(self, key: str, caption: str, control: QWidget) -> FieldRow:
        return FieldRow(self.look, {key: Labelled(self.look, caption, control)})

    def _on_typed(self, text: str) -> None:
        del text
        self.changed.emit()

    def _on_operation_chosen(self, key: str) -> None:
        self._chosen["model" if key in operations_for("model") else ""] = key
        self._result.forget()
        self.changed.emit()


def _a_number() -> Choice:
    return Choice(_NUMBER, tr("a number"), tr("typed in"), typed=False)


def _computes(thing: Placed) -> bool:
    return thing.kind != "optimiser"


def _is_tensor(thing: Placed) -> bool:
    return thing.kind not in {"optimiser", "model"}
