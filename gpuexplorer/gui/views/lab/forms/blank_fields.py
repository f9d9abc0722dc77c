"""BlankFields: the fields that only some choices need; what was typed in them is kept."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.arrow_keys import line_up
from gpuexplorer.gui.widgets.controls.field_row import FieldRow, Labelled
from gpuexplorer.gui.widgets.controls.fields import CodeField, TextField
from gpuexplorer.gui.wording.lab.forms.fills import Blank

_IN_A_ROW, _CODE_LINES = 3, 3


class BlankFields(QWidget):
    """Made when they are first needed, hidden when they are not."""

    changed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._rows: dict[str, list[FieldRow]] = {}
        self._texts: dict[str, dict[str, Callable[[], str]]] = {}
        self._shown = ""
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(12)
        self.hide()

    def show_blanks(self, of: str, blanks: Sequence[Blank], code: Sequence[str] = ()) -> None:
        """`of` is what they belong to; those in `code` have room for several lines."""
        if of == self._shown:
            return
        self._shown = of
        if of not in self._rows:
            self._make(of, blanks, code)
        for key, rows in self._rows.items():
            for row in rows:
                row.setVisible(key == of)
        self.setVisible(bool(blanks))

    def values(self) -> Mapping[str, str]:
        return {key: text() for key, text in self._texts.get(self._shown, {}).items()}

    def rows(self) -> Sequence[FieldRow]:
        return self._rows.get(self._shown, ())

    def _make(self, of: str, blanks: Sequence[Blank], code: Sequence[str]) -> None:
        self._texts[of] = {}
        self._rows[of] = []
        made: list[QWidget] = []
        for start in range(0, len(blanks), _IN_A_ROW):
            fields = {}
            for blank in blanks[start : start + _IN_A_ROW]:
                field = self._field(blank, code=blank.key in code)
                self._texts[of][blank.key] = field.text
                fields[blank.key] = Labelled(self._look, tr(blank.label), field)
            row = FieldRow(self._look, fields)
            self._rows[of].append(row)
            self._column.addWidget(row)
            made += [each.control for each in fields.values()]
        line_up([self, *made])

    def _field(self, blank: Blank, *, code: bool) -> TextField | CodeField:
        if code:
            lines = CodeField(self._look, tr(blank.label), _CODE_LINES)
            lines.show_text(blank.first)
            lines.typed.connect(self._on_typed)
            return lines
        field = TextField(self._look, tr(blank.label))
        field.show_text(blank.first)
        field.typed.connect(self._on_typed)
        return field

    def _on_typed(self, text: str) -> None:
        del text
        self.changed.emit()
