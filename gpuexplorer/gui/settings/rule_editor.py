"""RuleEditor: the parts of one rule; each holds as soon as it is chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QFormLayout, QLabel, QLineEdit, QMenu, QWidget

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, Unit
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.alert_words import promise, typed_in
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from gpuexplorer.gui.widgets.controls.fields import NumberField, Range
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import label, say, wrapped_label
from gpuexplorer.telemetry.alerts import (
    LIMITS,
    LONGEST_SECONDS,
    Rule,
    Side,
    can_be_watched,
    usual_rule,
    with_comparison,
)

_FIRST = (
    ids.TEMPERATURE,
    ids.MEMORY_TEMPERATURE,
    ids.GPU_UTILIZATION,
    ids.MEMORY_FREE,
    ids.MEMORY_USED,
    ids.POWER_DRAW,
)
_SECONDS = Range(0.0, LONGEST_SECONDS, (5, 10, 30, 60, 120, 300, 600, 1800, 3600))
_PERCENT = tuple(float(each) for each in range(5, 100, 5))
_STEPS = tuple(digit * 10.0**power for power in range(-2, 7) for digit in (1.0, 2.0, 5.0))
_FARTHEST = 100.0  # degrees from the card's own limit
_MOST_TYPED = 1e6
_ANY = mark("any card")
_HOW = mark("Numbers such as 0, 2, 4-7; empty for any card")


class RuleEditor(QWidget):
    """Shows the rule it is given and says how a person wants it instead."""

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._rule: Rule | None = None
        self._units = Units()
        self._metric = MenuButton(tr("What is watched"))
        self._metric.about_to_open.connect(self._on_menu_about_to_open)
        self._side = Segmented(
            tr("Alert when it is"), ((Side.ABOVE, tr("Above")), (Side.BELOW, tr("Below")))
        )
        self._side.chosen.connect(partial(self._replace, "side"))
        self._against = Segmented(
            tr("Compared with"), ((False, tr("A figure")), (True, tr("The card's own limit")))
        )
        self._against.chosen.connect(self._on_against_chosen)
        self._number = NumberField(tr("Threshold"), Range(0.0, 1.0, ()), "")
        self._number.chosen.connect(self._on_number_chosen)
        self._seconds = NumberField(tr("For at least"), _SECONDS, "s")
        self._seconds.chosen.connect(partial(self._replace, "seconds"))
        self._cards = CardsField()
        self._cards.chosen.connect(partial(self._replace, "cards"))
        self._wrong = wrapped_label("", Tone.WARN)
        self._wrong.hide()
        self._cards.misunderstood.connect(partial(say, self._wrong))
        self._promise = wrapped_label("", Tone.QUIET)
        self._form = form = QFormLayout(self)
        form.setContentsMargins(0, 4, 0, 12)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        self._add(tr("What"), self._metric)
        self._add(tr("Compared with"), self._against)
        self._add(tr("Is"), self._side)
        self._number_label = self._add(tr("Threshold"), self._number)
        self._add(tr("For at least"), self._seconds)
        self._add(tr("Cards"), self._cards)
        form.addRow("", self._wrong)
        form.addRow(self._promise)

    def show_rule(self, rule: Rule, units: Units, numbers: Mapping[CardId, str]) -> None:
        self._rule, self._units = rule, units
        self._metric.show_words(tr(METRICS[rule.metric].label))
        self._side.show_choice(rule.side)
        self._form.setRowVisible(self._against, rule.metric in LIMITS)
        self._against.show_choice(rule.of_limit)
        typed = threshold(rule, units)
        self._number_label.setText(tr(typed.label))
        self._number.show_kind(typed.limits, typed.unit)
        self._number.show_number(typed.number)
        self._seconds.show_number(rule.seconds)
        self._cards.show_cards(rule.cards, numbers)
        self._promise.setText(promise(rule, units))

    def take_keyboard(self) -> None:
        self._metric.setFocus(Qt.FocusReason.TabFocusReason)

    def _add(self, words: str, control: QWidget) -> QLabel:
        said = label(words, look().letters.body, Tone.QUIET)
        self._form.addRow(said, control)
        return said

    def _change(self, rule: Rule) -> None:
        if rule != self._rule:
            self.changed.emit(rule)

    def _on_menu_about_to_open(self, menu: QMenu) -> None:
        rest = [m for m in METRICS if m not in _FIRST and can_be_watched(METRICS[m])]
        for metrics in (_FIRST, rest):
            for metric in metrics:
                action = menu.addAction(tr(METRICS[metric].label))
                action.setData(metric)
                action.setToolTip(tr(METRICS[metric].meaning))
                action.setCheckable(True)
                action.setChecked(self._rule is not None and metric == self._rule.metric)
            menu.addSeparator()
        menu.setToolTipsVisible(True)
        menu.triggered.connect(self._on_metric_chosen)

    def _on_metric_chosen(self, action: QAction) -> None:
        if self._rule is not None and action.data() != self._rule.metric:
            usual = usual_rule(action.data())
            self._change(replace(usual, cards=self._rule.cards, enabled=self._rule.enabled))

    def _replace(self, part: str, value: object) -> None:
        if self._rule is not None:
            self._change(replace(self._rule, **{part: value}))  # type: ignore[arg-type]  # by name

    def _on_against_chosen(self, of_limit: bool) -> None:
        """The number means something else then, and begins anew."""
        if self._rule is not None and self._rule.of_limit is not of_limit:
            self._change(with_comparison(self._rule, of_limit=of_limit))

    def _on_number_chosen(self, number: float) -> None:
        if self._rule is not None:
            self._change(with_threshold(self._rule, number, self._units))


@dataclass(frozen=True, slots=True)
class Threshold:
    """The number as it is typed. Degrees from the card's own limit count downwards."""

    number: float
    limits: Range
    unit: str
    label: str


def threshold(rule: Rule, units: Units) -> Threshold:
    metric = METRICS[rule.metric]
    typed = typed_in(rule.metric, units)
    if not rule.of_limit:
        least = typed.shown(metric.lowest)
        most = min(typed.shown(metric.highest), _MOST_TYPED)
        stops = _PERCENT if metric.unit is Unit.RATIO else _stops(metric.unit)
        number = round(typed.shown(rule.threshold), 4)
        return Threshold(number, Range(least, most, stops), typed.name, mark("Threshold"))
    if metric.unit is Unit.CELSIUS:
        far = _FARTHEST / typed.size
        number = round(-rule.threshold / typed.size, 4)
        return Threshold(number, Range(-far, far, _STEPS), typed.name, mark("Before the limit"))
    number = round(rule.threshold * 100, 4)
    return Threshold(number, Range(0.0, 100.0, _PERCENT), "%", mark("Threshold"))


def with_threshold(rule: Rule, number: float, units: Units) -> Rule:
    """The rule with the number that was typed."""
    typed = typed_in(rule.metric, units)
    if not rule.of_limit:
        return replace(rule, threshold=typed.value(number))
    if METRICS[rule.metric].unit is Unit.CELSIUS:
        return replace(rule, threshold=-number * typed.size)
    return replace(rule, threshold=number / 100)


def _stops(unit: Unit) -> tuple[float, ...]:
    if unit is Unit.CELSIUS:
        return tuple(float(each) for each in range(-100, 480, 5))
    return _STEPS


class CardsField(QLineEdit):
    """`chosen` comes with the ids, or None for any card. Names that no card has change nothing
    and are told by `misunderstood`.
    """

    chosen = Signal(object)
    misunderstood = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._numbers: Mapping[CardId, str] = {}
        self._cards: frozenset[CardId] | None = None
        self.setPlaceholderText(tr(_ANY))
        self.setAccessibleName(tr("Cards"))
        self.setAccessibleDescription(tr(_HOW))
        self.setToolTip(tr(_HOW))
        self.setMinimumHeight(30)
        self.returnPressed.connect(self._take)

    def show_cards(
        self, cards: frozenset[CardId] | None, numbers: Mapping[CardId, str]
    ) -> None:
        self._cards, self._numbers = cards, numbers
        if not (self.hasFocus() and self.isModified()):
            self.setText(self._words())

    def _words(self) -> str:
        if self._cards is None:
            return ""
        return ", ".join(n for card, n in self._numbers.items() if card in self._cards)

    def _take(self) -> None:
        if not self.isModified():
            return
        text = self.text().strip()
        if not text or text == tr(_ANY):
            self._choose(None)
            return
        by_number = {number: card for card, number in self._numbers.items()}
        found: set[CardId] = set()
        for part in text.replace(";", ",").replace(" ", ",").split(","):
            for number in _spread(part):
                if number not in by_number:
                    self.misunderstood.emit(_no_such_card(number, list(by_number)[:8]))
                    return
                found.add(by_number[number])
        # Cards that are away just now were chosen before, and stay so.
        away = (self._cards or frozenset()) - set(self._numbers)
        self._choose(frozenset(found) | away)

    def _choose(self, cards: frozenset[CardId] | None) -> None:
        self.misunderstood.emit("")
        self.setModified(False)
        if cards != self._cards:
            self._cards = cards
            self.chosen.emit(cards)
        self.setText(self._words())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setText(self._words())
            self.setModified(False)
            self.misunderstood.emit("")
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._take()
        super().focusOutEvent(event)


def _no_such_card(number: str, offered: Sequence[str]) -> str:
    if not offered:
        return tr("No card is called {number}; there is none at the moment.", number=number)
    return tr(
        "No card is called {number}; there are: {offered}.",
        number=number,
        offered=", ".join(offered),
    )


def _spread(part: str) -> list[str]:
    """ "4-7" stands for 4, 5, 6 and 7."""
    first, dash, last = part.partition("-")
    if dash and first.isdecimal() and last.isdecimal() and int(last) - int(first) < 1000:
        return [str(number) for number in range(int(first), int(last) + 1)]
    return [part] if part else []
