"""FormView: lays out the fields of a form, and keeps what a person put into them."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.device_table import DeviceTable
from gpuexplorer.gui.lab.forms.form import (
    Around,
    Control,
    Field,
    LabForm,
    Plan,
    Values,
    plan_of,
    settled,
)
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.fields import (
    Choice,
    Dropdown,
    FieldRow,
    Labelled,
    show_text,
    text_field,
)
from gpuexplorer.gui.widgets.controls.keyboard import line_up, one_tab_stop
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.lab.events import Placed

_GAP, _CODE_LINES = 12, 3


class FormView(QWidget):
    """Says `changed` when a person changed a field; is told then what there is around it."""

    changed = Signal()

    def __init__(self, form: LabForm, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._form = form
        self._own: dict[str, str] = {}
        self._controls = {
            each.key: FieldControl(each, partial(self._take, each.key)) for each in form.fields
        }
        self._rows = [
            FieldRow({key: self._controls[key].labelled for key in keys})
            for keys in _rows(form.fields)
        ]
        column(*self._rows, within=self, gap=_GAP)

    def show_around(self, around: Around) -> Plan:
        """What it is about to do now."""
        values = settled(self._form, self._own, around)
        for each in self._form.fields:
            self._controls[each.key].show_value(values, around)
        plan = plan_of(self._form, self._own, around)
        for keys, fields in zip(_rows(self._form.fields), self._rows, strict=True):
            fields.setVisible(any(self._controls[key].shown for key in keys))
            fields.show_problems(plan.problems)
        return plan

    def select_things(self, things: Sequence[Placed], around: Around) -> None:
        """These were chosen elsewhere: each comes to the first field that takes it."""
        free = [each for each in self._form.fields if each.thing]
        for thing in things if len(things) <= len(free) else ():
            for field in free:
                offered = field.offer(settled(self._form, self._own, around), around)
                if thing.name in {each.key for each in offered}:
                    self._own[field.key] = thing.name
                    free.remove(field)
                    break

    def after_run(self) -> None:
        """The next thing needs a name of its own."""
        for each in self._form.fields:
            if each.kind is Control.NAME:
                self._own.pop(each.key, None)

    def begin(self) -> None:
        """The keyboard comes to its first field."""
        first = next(iter(self._controls.values())).widget
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if isinstance(first, QLineEdit):
            first.selectAll()

    def to_mend(self, plan: Plan) -> QWidget | None:
        """The first control that keeps the plan from being carried out."""
        bad = (each.widget for key, each in self._controls.items() if plan.problems.get(key))
        return next(bad, None)

    def _take(self, key: str, value: str) -> None:
        self._own[key] = value
        kinds = {each.key: each.kind for each in self._form.fields}
        if kinds[key] is Control.GRID:
            self.after_run()  # what was typed was meant for another operation's result
        self.changed.emit()


class FieldControl:
    """The one control of a field. `take` is told what a person put there."""

    def __init__(self, field: Field, take: Callable[[str], None]) -> None:
        self._field, self._take = field, take
        self._offered: Sequence[Choice] = ()
        name = tr(field.label)
        self.shown = True
        self.widget = self._made(name)
        self.widget.setToolTip(tr(field.hint))
        self.labelled = Labelled("" if field.kind is Control.TICK else name, self.widget)

    def show_value(self, values: Values, around: Around) -> None:
        field, widget, value = self._field, self.widget, values[self._field.key]
        self.shown = field.shown(values, around)
        self.labelled.setVisible(self.shown)
        if not self.shown:
            return
        self._offered = field.offer(values, around)
        chosen = next((each for each in self._offered if str(each.key) == value), None)
        match widget:
            case QLineEdit():
                own_name = field.kind is Control.NAME and value != widget.text()
                show_text(widget, value)
                if own_name and widget.hasFocus():
                    widget.selectAll()  # what is typed takes the place of the proposal
            case QPlainTextEdit():
                if value != widget.toPlainText():
                    widget.setPlainText(value)
            case Dropdown():
                widget.show_choices(self._offered, chosen and chosen.key, tr(field.placeholder))
            case OperationGrid():
                widget.show_choices(self._offered, value)
            case DeviceField():
                widget.show_devices(around, value)
            case _Tick():
                widget.show_on(bool(value), field.refused(values, around))
            case ElidedLabel():
                widget.show_text(field.remark(values, around))
                return
        self.labelled.show_remark(field.remark(values, around))

    def _made(self, name: str) -> QWidget:
        made: Dropdown | OperationGrid | DeviceField | _Tick
        match self._field.kind:
            case Control.NOTE:
                return ElidedLabel(look().letters.body, Tone.QUIET)
            case Control.CHOICE:
                made = Dropdown(name)
            case Control.GRID:
                made = OperationGrid(name)
            case Control.DEVICES:
                made = DeviceField(name)
            case Control.TICK:
                made = _Tick(name)
            case Control.LINES:
                lines = QPlainTextEdit(tabChangesFocus=True)
                letters = look().letters.mono
                lines.setFont(letters.font)
                lines.setAccessibleName(name)
                lines.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
                lines.setFixedHeight(round(_CODE_LINES * letters.metrics.lineSpacing()) + 26)
                lines.textChanged.connect(lambda: self._take(lines.toPlainText()))
                return lines
            case Control.TEXT | Control.NAME:
                typed = text_field(name)
                typed.setPlaceholderText(tr(self._field.placeholder))
                typed.textEdited.connect(self._take)
                return typed
        made.chosen.connect(self._take)
        return made


class DeviceField(QWidget):
    """All devices, as high as they are many; below them, why some cannot be used."""

    chosen = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._chosen = ""
        self._table = DeviceTable(name, self)
        self._table.picked_changed.connect(self._on_picked)
        self._reasons = label("", look().letters.caption, Tone.FAINT)
        self._reasons.setWordWrap(True)
        column(self._table, self._reasons, within=self)
        self.setFocusProxy(self._table)

    def show_devices(self, around: Around, chosen: str) -> None:
        self._chosen = chosen
        self._table.show_devices(around.devices, around.units)
        self._table.show_all_rows()
        self._table.pick(chosen or None)
        reasons = {each.reason: tr(each.reason) for each in around.devices if not each.usable}
        self._reasons.setText("\n".join(reasons.values()))
        self._reasons.setVisible(bool(reasons))

    def _on_picked(self) -> None:
        for device in self._table.picked():
            if device.name != self._chosen:
                self.chosen.emit(device.name)


class _Tick(QWidget):
    """A word that holds or not; beside it, why it cannot."""

    chosen = Signal(str)

    def __init__(self, words: str) -> None:
        super().__init__()
        self.box = QCheckBox(words)
        self.box.setAccessibleName(words)
        self.box.setFont(look().letters.mono.font)
        self.box.clicked.connect(lambda on: self.chosen.emit("on" if on else ""))
        self._remark = ElidedLabel(look().letters.caption, Tone.FAINT)
        row(self.box, self._remark, GROWS, within=self)

    def show_on(self, on: bool, refused: str) -> None:
        """`refused` says why it cannot be turned on."""
        self.box.setChecked(on)
        self.box.setEnabled(not refused)
        self.box.setAccessibleDescription(refused)
        self.box.setToolTip(refused)
        self._remark.show_text(refused)


def _rows(fields: Sequence[Field]) -> Sequence[Sequence[str]]:
    rows: list[list[str]] = []
    for each in fields:
        if each.beside:
            rows[-1].append(each.key)
        else:
            rows.append([each.key])
    return rows


_HEIGHT, _BETWEEN, _FEW = 26, 4, 6
_ROOM = 44  # pixels for letters of one width; longer words are set in smaller ones


class OperationGrid(QWidget):
    """One stop for the Tab key: arrows go from button to button and choose."""

    chosen = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices: Sequence[Choice] = ()
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(self._on_clicked)
        self.setAccessibleName(name)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_BETWEEN)

    def show_choices(self, choices: Sequence[Choice], chosen: str) -> None:
        if choices != self._choices:
            self._make(choices)
        for choice, button in zip(choices, self._group.buttons(), strict=True):
            if choice.key == chosen:
                button.setChecked(True)
        one_tab_stop(self._group)

    def _make(self, choices: Sequence[Choice]) -> None:
        for button in self._group.buttons():
            self._group.removeButton(button)
            self._grid.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._choices = choices
        at, columns = 0, 3 if len(choices) <= _FEW else 4
        letters = look().letters
        for each in choices:
            button = ToolButton("option", None, each.words)
            button.setCheckable(True)
            fits = columns == 3 or letters.mono.width(each.words) <= _ROOM
            button.setFont((letters.mono if fits else letters.caption).font)
            button.setAccessibleName(f"{each.words}: {each.remark}")
            button.setToolTip(each.remark)
            button.setFixedHeight(_HEIGHT)
            button.setMinimumWidth(24)
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            span = 1 if fits or letters.caption.width(each.words) <= _ROOM else 2
            self._grid.addWidget(button, at // columns, at % columns, 1, span)
            self._group.addButton(button)
            button.show()
            at += span
        line_up([self, *self._group.buttons()])

    def _on_clicked(self, button: QAbstractButton) -> None:
        self.chosen.emit(str(self._choices[self._group.buttons().index(button)].key))
