"""Section: a heading with a row for each choice of its group; what is chosen holds at once."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.reasons import span_words
from gpuexplorer.gui.state.choices import OFFERS, Choices, Offer, SettingsGroup
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS, Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button, switch
from gpuexplorer.gui.widgets.controls.fields import NumberField, Range
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, Space, add, column, label, row, wrapped_label
from gpuexplorer.gui.widgets.painted import ChipRow, Sign
from gpuexplorer.gui.widgets.sheets.sheet import line_between

_MOST_SEGMENTS = 6  # more choices are a list that opens
_LEAST_WORDS, _BESIDE_WORDS = 200, 24


class Section(QWidget):
    """`more` are options that are known only here, such as the screens there are."""

    def __init__(
        self,
        settings: Settings,
        group: SettingsGroup,
        more: Mapping[str, Sequence[tuple[Hashable, str]]] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.look = look()
        self.settings = settings
        self.group = group
        self.rows: dict[str, SettingRow] = {}
        self._show: dict[str, Callable[[Any], None]] = {}
        self.setAccessibleName(tr(group))
        title = label(tr(group), look().letters.title)
        self._defaults = link_button(tr("Restore defaults"))
        self._defaults.setAutoDefault(False)
        self._defaults.setAccessibleName(tr("{section}: restore defaults", section=tr(group)))
        # It keeps its place, so that nothing moves when it comes and goes.
        policy = self._defaults.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._defaults.setSizePolicy(policy)
        self._defaults.clicked.connect(self._on_defaults_clicked)
        head = row(title, FREE, self._defaults, gap=6, margins=(0, 0, 0, 4))
        self.body = column(head, within=self, gap=0)
        for name, offer in OFFERS.items():
            if offer.group is group:
                self._add_row(name, offer, (more or {}).get(name, ()))
        settings.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show what holds now; called once everything stands, and when something changes."""
        choices, usual = self.settings.choices, Choices()
        changed = any(getattr(choices, n) != getattr(usual, n) for n in self.names())
        # The keyboard must not be left on a button that goes away.
        if not changed and self._defaults.hasFocus():
            self.focusNextChild()
        self._defaults.setVisible(changed)
        self.show_choices(choices)

    def show_choices(self, choices: Choices) -> None:
        for name, show in self._show.items():
            show(getattr(choices, name))

    def show_value(self, name: str, value: object) -> None:
        self._show[name](value)

    def add(self, *rows: QWidget) -> None:
        """A hairline above each."""
        for each in rows:
            add(self.body, line_between(), each)

    def choose(self, **changes: object) -> None:
        choices = self.settings.choices
        self.settings.choose(replace(choices, **changes).settled())  # type: ignore[arg-type]  # by name

    def names(self) -> Sequence[str]:
        """The choices that "Restore defaults" takes back."""
        return tuple(self.rows)

    def _add_row(self, name: str, offer: Offer, more: Sequence[tuple[Hashable, str]]) -> None:
        def take(value: object) -> None:
            self.choose(**{name: value})

        title = tr(offer.title)
        control: QWidget
        show: Callable[[Any], None]  # Any: what the field of that name holds
        if offer.options:
            options = [(key, tr(words)) for key, words in (*offer.options, *more)]
            control = segments = Segmented(title, options)
            segments.show_compact(len(options) > _MOST_SEGMENTS)
            segments.chosen.connect(take)
            show = partial(_show_option, segments, [key for key, _ in options])
        elif offer.most:
            limits = Range(offer.least, offer.most, offer.stops)
            control = number = NumberField(title, limits, offer.unit)
            number.chosen.connect(take)
            show = number.show_number
        else:
            control = box = switch(title)
            box.clicked.connect(take)
            show = box.setChecked
        self._show[name] = show
        self.rows[name] = SettingRow(title, tr(offer.meaning), control)
        self.add(self.rows[name])
        if name == "palette":
            self.body.addWidget(_palette_sample())

    def _on_defaults_clicked(self) -> None:
        usual = Choices()
        self.choose(**{name: getattr(usual, name) for name in self.names()})


def _show_option(segments: Segmented, keys: Sequence[Hashable], value: Hashable) -> None:
    if value not in keys and isinstance(value, float):
        segments.show_choice(value, span_words(value))
    else:
        # A screen that is gone, or that only a newer version has, is the first.
        segments.show_choice(value if value in keys else keys[0])


class SettingRow(QWidget):
    """The control stands at the right, or below the words where these would become narrow."""

    def __init__(self, title: str, meaning: str, control: QWidget) -> None:
        super().__init__()
        self.control = control
        self._meaning = wrapped_label(meaning, Tone.QUIET)
        self._meaning.setMinimumWidth(0)
        control.setAccessibleDescription(meaning)
        words = column(label(title, look().letters.body), self._meaning, gap=3)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.setContentsMargins(0, 10, 0, 10)
        self._line.setSpacing(_BESIDE_WORDS)
        self._line.addLayout(words, 1)
        self._line.addWidget(control, 0, Qt.AlignmentFlag.AlignTop)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_meaning(self, meaning: str) -> None:
        if meaning != self._meaning.text():
            self._meaning.setText(meaning)
            self.control.setAccessibleDescription(meaning)

    def refuse(self, why: str) -> None:
        """Nothing can be chosen here in this run."""
        self.show_meaning(why)
        self.control.setEnabled(False)

    def _beside(self, width: int) -> bool:
        return width - self.control.sizeHint().width() - _BESIDE_WORDS >= _LEAST_WORDS

    def resizeEvent(self, event: QResizeEvent) -> None:
        beside = self._beside(event.size().width())
        direction = QBoxLayout.Direction
        wanted = direction.LeftToRight if beside else direction.TopToBottom
        if self._line.direction() is not wanted:
            self._line.setDirection(wanted)
            self._line.setSpacing(_BESIDE_WORDS if beside else 8)
        super().resizeEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())


def _palette_sample() -> QWidget:
    """Each with its number or its sign, as everywhere: colour is never alone."""
    sample, chips = QWidget(), ChipRow()
    sample.setAccessibleName(tr("The colours of eight cards, and of good, warning and bad"))
    chips.show_chips([Chip(str(number), number) for number in range(MOST_COLOURED_CARDS)])
    signs: list[QWidget | Space] = []
    for icon, word, tone in (
        (Icon.THERE, tr("good"), Tone.GOOD),
        (Icon.WARNING, tr("warning"), Tone.WARN),
        (Icon.LOST, tr("bad"), Tone.BAD),
    ):
        sign = Sign(icon, tone, QSize(16, 16))
        signs += Space(6), sign, label(word, look().letters.body, tone)
    row(chips, *signs, FREE, within=sample, margins=(0, 10, 0, 10))
    return sample
