"""Start: what the window opens on."""

from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.settings.section import Section
from gpuexplorer.gui.state.choices import (
    AS_IT_WAS_LEFT,
    WHERE_IT_WAS_LEFT,
    Choices,
    WithoutCards,
)
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import SPANS
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.controls.switch import Switch
from gpuexplorer.gui.widgets.rows.setting_row import SettingRow
from gpuexplorer.gui.wording.moments import span_words


class StartSection(Section):
    """Holds from the next start, as everything here is about it."""

    def __init__(self, look: Look, settings: Settings, parent: QWidget | None = None) -> None:
        names = ("first_screen", "first_span", "without_cards", "keep_hidden")
        super().__init__(look, settings, "Start", names, parent)
        screens = [(entry.name, entry.title) for entry in VIEWS]
        self._screen = Segmented(
            look, "First screen", [(WHERE_IT_WAS_LEFT, "Where it was left"), *screens]
        )
        self._screen.show_compact(True)  # noqa: FBT003 - as setVisible
        self._screen.chosen.connect(self._on_screen_chosen)
        self._span = Segmented(look, "Time span", [(AS_IT_WAS_LEFT, "As it was left"), *SPANS])
        self._span.chosen.connect(self._on_span_chosen)
        self._without = Segmented(
            look,
            "Where no card answers",
            ((WithoutCards.EXPLAIN, "Explain"), (WithoutCards.SIMULATE, "Simulate")),
        )
        self._without.chosen.connect(self._on_without_chosen)
        self._hidden = Switch(look, "Keep hidden cards hidden")
        self._hidden.turned.connect(self._on_hidden_turned)
        self.add(
            SettingRow(look, "First screen", "What the window opens on.", self._screen),
            SettingRow(look, "Time span", "How much of the past plots begin with.", self._span),
            SettingRow(
                look,
                "Where no card answers",
                "Explain what was looked for, or go to simulated cards at once. Every screen "
                "says SIMULATED while it is so.",
                self._without,
            ),
            SettingRow(
                look,
                "Keep hidden cards hidden",
                "Otherwise every card is shown again at the next start.",
                self._hidden,
            ),
        )
        self.begin()

    def show_choices(self, choices: Choices) -> None:
        known = {WHERE_IT_WAS_LEFT, *(entry.name for entry in VIEWS)}
        # A screen that is gone, or that only a newer version has.
        screen = choices.first_screen if choices.first_screen in known else WHERE_IT_WAS_LEFT
        self._screen.show_choice(screen)
        usual = {AS_IT_WAS_LEFT, *dict(SPANS)}
        other = "" if choices.first_span in usual else span_words(choices.first_span)
        self._span.show_choice(choices.first_span, other)
        self._without.show_choice(choices.without_cards)
        self._hidden.show_on(choices.keep_hidden)

    def _on_screen_chosen(self, name: str) -> None:
        self.choose(first_screen=name)

    def _on_span_chosen(self, seconds: float) -> None:
        self.choose(first_span=seconds)

    def _on_without_chosen(self, what: WithoutCards) -> None:
        self.choose(without_cards=what)

    def _on_hidden_turned(self, on: bool) -> None:
        self.choose(keep_hidden=on)
