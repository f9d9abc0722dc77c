"""Alerts: what a person wants to be told of, and where; each rule is a sentence, and opens to
be changed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QPushButton, QWidget

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS, MetricId, Unit
from gpuexplorer.core.units import Measure, Units, span_words
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.desktop.desktop import Notifications, NotifiedBy
from gpuexplorer.gui.settings.dialog import Section, SettingRow
from gpuexplorer.gui.state.alert_watch import AlertWatch
from gpuexplorer.gui.state.alert_words import promise, rule_sentence
from gpuexplorer.gui.state.choices import SettingsGroup
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import MOST_RULES, Settings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button, switch
from gpuexplorer.gui.widgets.controls.fields import Choice, Dropdown, NumberField, Range
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import (
    GROWS,
    Space,
    add,
    column,
    label,
    row,
    say,
    wrapped_label,
)
from gpuexplorer.gui.widgets.sheets.sheet import line_between
from gpuexplorer.telemetry.alerts import (
    LIMITS,
    LONGEST_SECONDS,
    Rule,
    Side,
    can_be_watched,
    typed_in,
    usual_rule,
    with_comparison,
)
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
_OFFERED = dict.fromkeys(
    (
        *(ids.TEMPERATURE, ids.MEMORY_TEMPERATURE, ids.GPU_UTILIZATION),
        *(ids.MEMORY_FREE, ids.MEMORY_USED, ids.POWER_DRAW),
        *(each.id for each in METRICS.values() if can_be_watched(each)),
    )
)
_SECONDS = Range(0.0, LONGEST_SECONDS, (5, 10, 30, 60, 120, 300, 600, 1800, 3600))
_PERCENT = tuple(float(each) for each in range(5, 100, 5))
_STEPS = tuple(digit * 10.0**power for power in range(-2, 7) for digit in (1.0, 2.0, 5.0))
_FARTHEST, _MOST_TYPED = 100.0, 1e6  # degrees from the card's own limit; of all else


class AlertsSection(Section):
    """Below the switches, the rules."""

    def __init__(
        self,
        settings: Settings,
        machine: MachineState,
        alerts: AlertWatch,
        notices: Notifications,
    ) -> None:
        super().__init__(settings, SettingsGroup.ALERTS)
        self.names.append("rules")
        self._machine, self._alerts, self._notices = machine, alerts, notices
        self._rules: list[RuleRow] = []
        speak, self._add = QPushButton(tr("Show alerts again")), QPushButton(tr("Add an alert"))
        speak.clicked.connect(alerts.speak_again)
        self._add.clicked.connect(self._on_add_clicked)
        self._silent = SettingRow(tr("Silent"), "", speak)
        self._none = wrapped_label(tr("There are no alerts."), Tone.QUIET)
        self._list = column(gap=0)
        add(self.body, self._silent, self._list, Space(8), self._none, Space(8))
        add(self.body, self._add, Qt.AlignmentFlag.AlignLeft)
        notices.way_changed.connect(self.refresh)
        alerts.changed.connect(self.refresh)

    def refresh(self) -> None:
        super().refresh()
        choices, way, row = self.settings.choices, self._notices.way, self.rows["on_desktop"]
        row.show_meaning(tr(_WAYS[way]))
        row.control.setEnabled(way is not NotifiedBy.NONE and choices.alerts)
        row.show_value(choices.on_desktop and way is not NotifiedBy.NONE)
        silent = self._alerts.silent_for()
        self._silent.setVisible(silent > 0)
        time = span_words(max(60.0, silent))
        self._silent.show_meaning(tr("No alert is shown for another {time}.", time=time))
        for _ in choices.rules[len(self._rules) :]:
            made = RuleRow()
            made.changed.connect(partial(self._on_rule_changed, made))
            self._rules.append(made)
            self._list.addWidget(made)
        for gone in self._rules[len(choices.rules) :]:
            gone.hide()
            gone.deleteLater()
        del self._rules[len(choices.rules) :]
        numbers = card_numbers(self._machine.session.cards())
        for each, rule in zip(self._rules, choices.rules, strict=True):
            each.show_rule(rule, choices.units, numbers)
        self._none.setVisible(not choices.rules)
        self._add.setEnabled(len(choices.rules) < MOST_RULES)

    def _on_add_clicked(self) -> None:
        rule = Rule(GPU_UTILIZATION, Side.ABOVE, 0.95, 60.0)
        self.choose(rules=(*self.settings.choices.rules, rule))
        self._rules[-1].show()
        self._rules[-1].show_editor()

    def _on_rule_changed(self, changed: "RuleRow", rule: Rule | None) -> None:
        """None: it was removed, and the keyboard goes to what is left."""
        if changed not in self._rules:
            return  # on its way out
        position, rules = self._rules.index(changed), list(self.settings.choices.rules)
        if rule is None:
            self._add.setFocus(Qt.FocusReason.TabFocusReason)
            self._rules.append(self._rules.pop(position))
        rules[position : position + 1] = [] if rule is None else [rule]
        self.choose(rules=tuple(rules))


class RuleRow(QWidget):
    """Its parts open below the sentence, which follows what is chosen there. `changed` brings
    the rule as it is wanted instead, or None where it is to go.
    """

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._on, self._sentence = switch(""), wrapped_label("", Tone.TEXT)
        self._change, self._remove = link_button(tr("Change")), link_button(tr("Remove"))
        self._on.clicked.connect(lambda on: self._replace(enabled=on))
        self._change.clicked.connect(self.show_editor)
        self._remove.clicked.connect(lambda: self.changed.emit(None))
        for link in (self._change, self._remove):
            link.setAutoDefault(False)
        self._metric = Dropdown(tr("What is watched"))
        self._metric.chosen.connect(self._on_metric_chosen)
        sides = ((Side.ABOVE, tr("Above")), (Side.BELOW, tr("Below")))
        self._side = Segmented(tr("Alert when it is"), sides)
        self._side.chosen.connect(lambda side: self._replace(side=side))
        against = ((False, tr("A figure")), (True, tr("The card's own limit")))
        self._against = Segmented(tr("Compared with"), against)
        self._against.chosen.connect(self._on_against_chosen)
        self._number = NumberField(tr("Threshold"), Range(0.0, 1.0, ()), "")
        self._number.chosen.connect(self._on_number_chosen)
        self._seconds = NumberField(tr("For at least"), _SECONDS, "s")
        self._seconds.chosen.connect(lambda seconds: self._replace(seconds=seconds))
        self._cards, self._wrong = QLineEdit(), wrapped_label("", Tone.WARN)
        how = tr("Numbers such as 0, 2, 4-7; empty for any card")
        self._cards.setPlaceholderText(tr("any card"))
        self._cards.setAccessibleName(tr("Cards"))
        self._cards.setAccessibleDescription(how)
        self._cards.setToolTip(how)
        self._cards.editingFinished.connect(self._on_cards_typed)
        self._promise = wrapped_label("", Tone.QUIET)
        self._editor = QWidget()
        self._editor.hide()
        self._form = QFormLayout(self._editor, horizontalSpacing=16, verticalSpacing=8)
        self._form.setContentsMargins(self._on.sizeHint().width() + 10, 4, 0, 12)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self._number_label = label("", look().letters.body, Tone.QUIET)
        for words, control in (
            (tr("What"), self._metric),
            (tr("Compared with"), self._against),
            (tr("Is"), self._side),
            ("", self._number),
            (tr("For at least"), self._seconds),
            (tr("Cards"), self._cards),
            ("", self._wrong),
        ):
            named = label(words, look().letters.body, Tone.QUIET)
            self._form.addRow(self._number_label if control is self._number else named, control)
        self._form.addRow(self._promise)
        top = Qt.AlignmentFlag.AlignTop
        links = self._change, top, self._remove, top
        line = row(self._on, top, self._sentence, GROWS, *links, gap=10)
        parts = line_between(), line, self._editor
        column(*parts, within=self, gap=4, margins=(0, 0, 0, 8))

    def show_rule(self, rule: Rule, units: Units, numbers: Mapping[CardId, str]) -> None:
        self._rule, self._units, self._numbers = rule, units, numbers
        sentence = rule_sentence(rule, units, numbers)
        self._sentence.setText(sentence)
        self._on.setChecked(rule.enabled)
        self._on.setAccessibleName(sentence)
        self._change.setAccessibleName(tr("Change: {alert}", alert=sentence))
        self._remove.setAccessibleName(tr("Remove: {alert}", alert=sentence))
        offered = [Choice(m, tr(METRICS[m].label), typed=False) for m in _OFFERED]
        self._metric.show_choices(offered, rule.metric)
        self._side.show_choice(rule.side)
        self._form.setRowVisible(self._against, rule.metric in LIMITS)
        self._against.show_choice(rule.of_limit)
        before = rule.of_limit and METRICS[rule.metric].unit is Unit.CELSIUS
        self._number_label.setText(tr("Before the limit") if before else tr("Threshold"))
        measure, limits = threshold_of(rule, units)
        self._number.show_kind(limits, measure.name)
        self._number.show_number(round(measure.shown(rule.threshold), 4))
        self._seconds.show_number(rule.seconds)
        if not (self._cards.hasFocus() and self._cards.isModified()):
            chosen = rule.cards or ()
            self._cards.setText(", ".join(n for each, n in numbers.items() if each in chosen))
        self._promise.setText(promise(rule, units))

    def show_editor(self) -> None:
        """Or fold it, where it is open."""
        there = self._editor.isHidden()
        self._editor.setVisible(there)
        self._change.setText(tr("Done") if there else tr("Change"))
        say(self._wrong, "")
        if there:
            self._metric.setFocus(Qt.FocusReason.TabFocusReason)

    def _replace(self, **parts: object) -> None:
        self.changed.emit(replace(self._rule, **parts))  # type: ignore[arg-type]  # by name

    def _on_metric_chosen(self, metric: MetricId) -> None:
        if metric != self._rule.metric:
            usual, now = usual_rule(metric), self._rule
            self.changed.emit(replace(usual, cards=now.cards, enabled=now.enabled))

    def _on_against_chosen(self, of_limit: bool) -> None:
        """The number means something else then, and begins anew."""
        if self._rule.of_limit is not of_limit:
            self.changed.emit(with_comparison(self._rule, of_limit=of_limit))

    def _on_number_chosen(self, number: float) -> None:
        measure, _ = threshold_of(self._rule, self._units)
        self._replace(threshold=measure.value(number))

    def _on_cards_typed(self) -> None:
        """Names that no card has change nothing. Cards that are away just now stay chosen."""
        if not self._cards.isModified():
            return
        self._cards.setModified(False)
        by_number = {number: card for card, number in self._numbers.items()}
        typed = [*numbers_in(self._cards.text())]
        wrong = [each for each in typed if each not in by_number]
        if wrong:
            offered = ", ".join([*by_number][:8]) or tr("none at the moment")
            what = {"number": wrong[0], "offered": offered}
            say(self._wrong, tr("No card is called {number}; there are: {offered}.", **what))
            return
        say(self._wrong, "")
        away = (self._rule.cards or frozenset()) - set(self._numbers)
        found = frozenset(map(by_number.__getitem__, typed))
        self._replace(cards=found | away if found else None)


def threshold_of(rule: Rule, units: Units) -> tuple[Measure, Range]:
    """In which unit it is typed, and what may be. Degrees before the card's own limit count
    downwards.
    """
    metric, measure = METRICS[rule.metric], typed_in(rule.metric, units)
    degrees, stops = metric.unit is Unit.CELSIUS, _STEPS
    if rule.of_limit and degrees:
        far = _FARTHEST / measure.size
        return Measure(-measure.size, measure.name), Range(-far, far, stops)
    if rule.of_limit:
        return Measure(0.01, "%"), Range(0.0, 100.0, _PERCENT)
    if degrees:
        stops = tuple(map(float, range(-100, 480, 5)))
    least, most = measure.shown(metric.lowest), min(measure.shown(metric.highest), _MOST_TYPED)
    return measure, Range(least, most, _PERCENT if metric.unit is Unit.RATIO else stops)


def numbers_in(text: str) -> Iterator[str]:
    """ "0, 4-7" stands for 0, 4, 5, 6 and 7."""
    for part in re.split(r"[;,\s]+", text):
        ends = re.fullmatch(r"(\d{1,4})-(\d{1,4})", part)
        if ends:
            yield from map(str, range(int(ends[1]), int(ends[2]) + 1))
        elif part:
            yield part
