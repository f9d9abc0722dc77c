"""Form: the fields of one kind of line. What it is about to do is its plan."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.forms.name_field import NameField
from gpuexplorer.gui.widgets.controls.field_row import FieldRow
from gpuexplorer.gui.wording.lab.forms.plan import Plan, Surroundings
from gpuexplorer.lab.events import Placed

_GAP = 12


class Form(QWidget):
    """Says `changed` when a person changed a field; is told then what there is around it."""

    changed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self._rows: list[FieldRow] = []
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(_GAP)

    def show_around(self, around: Surroundings) -> None:
        """Before `plan`, with the very same: what it offers and proposes follows it."""
        raise NotImplementedError

    def plan(self, around: Surroundings) -> Plan:
        raise NotImplementedError

    def show_plan(self, plan: Plan) -> None:
        """What is wrong is said beside its field."""
        for row in self._rows:
            row.show_problems(plan.problems)

    def select_things(self, things: Sequence[Placed]) -> None:
        """These were chosen elsewhere in the lab."""

    def after_run(self) -> None:
        """The plan was carried out; the next thing needs a name of its own."""

    def begin(self) -> None:
        """Where something new gets a name, the keyboard comes there."""
        name = self.findChild(NameField)
        if name is not None:
            name.setFocus(Qt.FocusReason.ShortcutFocusReason)
            name.selectAll()

    def to_mend(self, plan: Plan) -> QWidget | None:
        """The first control that keeps the plan from being carried out."""
        found = (row.first_bad(plan.problems) for row in self._rows)
        return next((each for each in found if each is not None and each.isVisible()), None)

    def add_row(self, row: FieldRow) -> FieldRow:
        self._rows.append(row)
        self.column.addWidget(row)
        return row
