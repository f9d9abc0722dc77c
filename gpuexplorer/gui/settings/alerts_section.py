"""Alerts: what a person wants to be told of, and where."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.reasons import span_words
from gpuexplorer.gui.desktop.desktop import Notifications, NotifiedBy
from gpuexplorer.gui.settings.rule_editor import RuleEditor
from gpuexplorer.gui.settings.section import Section, SettingRow
from gpuexplorer.gui.state.alert_watch import AlertWatch
from gpuexplorer.gui.state.alert_words import rule_sentence
from gpuexplorer.gui.state.choices import Choices, SettingsGroup
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.stored_choices import MOST_RULES
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button, switch
from gpuexplorer.gui.widgets.laid_out import GROWS, Space, add, column, row, wrapped_label
from gpuexplorer.gui.widgets.sheets.sheet import line_between
from gpuexplorer.telemetry.alerts import Rule, Side
from gpuexplorer.telemetry.session import card_numbers

_WAYS = {
    NotifiedBy.BUS: mark(
        "One notification, replaced by the next, while this window is not in front."
    ),
    NotifiedBy.TRAY: mark("Beside the clock, while this window is not in front."),
    NotifiedBy.NONE: mark(
        "This desktop cannot show notifications: it has neither a session bus with busctl nor"
        " a place for an icon beside the clock."
    ),
}


class AlertsSection(Section):
    """Below the switches, the rules: each has a row that is made once and shown again."""

    def __init__(
        self,
        settings: Settings,
        machine: MachineState | None,
        alerts: AlertWatch | None,
        notices: Notifications | None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(settings, SettingsGroup.ALERTS, parent=parent)
        self._machine = machine
        self._alerts = alerts
        self._notices = notices
        self._rule_rows: list[RuleRow] = []
        self._speak = QPushButton(tr("Show alerts again"))
        self._speak.clicked.connect(self._on_speak_clicked)
        self._add = QPushButton(tr("Add an alert"))
        self._add.clicked.connect(self._on_add_clicked)
        for button in (self._speak, self._add):
            button.setAutoDefault(False)
        self._silent_row = SettingRow(tr("Silent"), "", self._speak)
        self._silent_line = line_between()
        rules = QWidget()
        self._list = column(within=rules, gap=0)
        add(self.body, self._silent_line, self._silent_row, rules)
        self._none = wrapped_label(tr("There are no alerts."), Tone.QUIET)
        self._none.setContentsMargins(0, 10, 0, 4)
        self.add(self._none)
        add(self.body, Space(6), self._add, Qt.AlignmentFlag.AlignLeft)
        if notices is not None:
            notices.way_changed.connect(self._on_way_changed)
        if alerts is not None:
            alerts.changed.connect(self._on_way_changed)

    def names(self) -> Sequence[str]:
        return (*super().names(), "rules")

    def show_choices(self, choices: Choices) -> None:
        super().show_choices(choices)
        self._show_desktop(choices)
        self._make_rows(len(choices.rules))
        for each, rule in zip(self._rule_rows, choices.rules, strict=True):
            each.show_rule(rule, choices.units, self._numbers())
        self._none.setVisible(not choices.rules)
        self._add.setEnabled(len(choices.rules) < MOST_RULES)

    def _show_desktop(self, choices: Choices) -> None:
        way = NotifiedBy.NONE if self._notices is None else self._notices.way
        self.rows["on_desktop"].show_meaning(tr(_WAYS[way]))
        self.rows["on_desktop"].control.setEnabled(
            way is not NotifiedBy.NONE and choices.alerts
        )
        self.show_value("on_desktop", choices.on_desktop and way is not NotifiedBy.NONE)
        silent = 0.0 if self._alerts is None else self._alerts.silent_for()
        self._silent_line.setVisible(silent > 0)
        self._silent_row.setVisible(silent > 0)
        self._silent_row.show_meaning(
            tr("No alert is shown for another {time}.", time=span_words(max(60.0, silent)))
        )

    def _make_rows(self, count: int) -> None:
        while len(self._rule_rows) < count:
            new = RuleRow()
            new.changed.connect(partial(self._on_rule_changed, new))
            new.removed.connect(partial(self._on_rule_changed, new, None))
            self._rule_rows.append(new)
            add(self._list, line_between(), new)
            new.show()  # now, since the keyboard may go there at once
        while len(self._rule_rows) > count:
            self._take_away(len(self._rule_rows) - 1)

    def _take_away(self, position: int) -> None:
        del self._rule_rows[position]
        for index in (2 * position + 1, 2 * position):
            item = self._list.takeAt(index)
            widget = None if item is None else item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _numbers(self) -> Mapping[CardId, str]:
        return {} if self._machine is None else card_numbers(self._machine.session.cards())

    def _on_speak_clicked(self) -> None:
        if self._alerts is not None:
            self.rows["alerts"].control.setFocus(Qt.FocusReason.TabFocusReason)
            self._alerts.speak_again()

    def _on_way_changed(self) -> None:
        self._show_desktop(self.settings.choices)

    def _on_add_clicked(self) -> None:
        rule = Rule(GPU_UTILIZATION, Side.ABOVE, 0.95, 60.0)
        self.choose(rules=(*self.settings.choices.rules, rule))
        self._rule_rows[-1].show_editor(True)  # noqa: FBT003 - as setVisible

    def _on_rule_changed(self, changed: "RuleRow", rule: Rule | None) -> None:
        """None: it was removed."""
        if changed not in self._rule_rows:
            return  # on its way out
        position = self._rule_rows.index(changed)
        if rule is None:
            # The keyboard goes to what is left, and not out of the sheet.
            self._add.setFocus(Qt.FocusReason.TabFocusReason)
            self._take_away(position)
        rules = list(self.settings.choices.rules)
        rules[position : position + 1] = [] if rule is None else [rule]
        self.choose(rules=tuple(rules))


class RuleRow(QWidget):
    """The editor opens below the sentence, which follows what is chosen there."""

    changed = Signal(object)
    removed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._rule: Rule | None = None
        self._shown: tuple[Rule, Units, Mapping[CardId, str]] | None = None
        self._editor: RuleEditor | None = None
        self._on = switch("")
        self._on.clicked.connect(self._on_turned)
        self._sentence = wrapped_label("", Tone.TEXT)
        self._change = link_button(tr("Change"))
        self._change.clicked.connect(self._on_change_clicked)
        self._remove = link_button(tr("Remove"))
        for link in (self._change, self._remove):
            link.setAutoDefault(False)
        self._remove.clicked.connect(self.removed)
        top = Qt.AlignmentFlag.AlignTop
        links = (self._change, top, self._remove, top)
        line = row(self._on, top, self._sentence, GROWS, *links, gap=10)
        self._column = column(line, within=self, gap=4, margins=(0, 8, 0, 8))

    @property
    def open(self) -> bool:
        """Whether its parts can be chosen now."""
        return self._editor is not None and self._editor.isVisibleTo(self)

    def show_rule(self, rule: Rule, units: Units, numbers: Mapping[CardId, str]) -> None:
        self._rule = rule
        self._shown = (rule, units, numbers)
        sentence = rule_sentence(rule, units, numbers)
        self._sentence.setText(sentence)
        self._on.setChecked(rule.enabled)
        for control, words in (
            (self._on, sentence),
            (self._change, tr("Change: {alert}", alert=sentence)),
            (self._remove, tr("Remove: {alert}", alert=sentence)),
        ):
            control.setAccessibleName(words)
        if self._editor is not None:
            self._editor.show_rule(rule, units, numbers)

    def show_editor(self, there: bool) -> None:
        if there and self._editor is None and self._shown is not None:
            self._editor = RuleEditor()
            self._editor.changed.connect(self.changed)
            self._editor.show_rule(*self._shown)
            indent = self._on.width() + 10
            self._column.addLayout(row(self._editor, margins=(indent, 0, 0, 0)))
        if self._editor is not None:
            self._editor.setVisible(there)
        self._change.setText(tr("Done") if there else tr("Change"))
        if there and self._editor is not None:
            self._editor.take_keyboard()

    def _on_turned(self, on: bool) -> None:
        if self._rule is not None:
            self.changed.emit(replace(self._rule, enabled=on))

    def _on_change_clicked(self) -> None:
        self.show_editor(not self.open)
