"""Reading: how often cards are asked, and how much of the past is kept."""

from PySide6.QtWidgets import QWidget

from gpuexplorer.core.units import memory
from gpuexplorer.gui.settings.section import Section
from gpuexplorer.gui.state.choices import Choices
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.number_field import NumberField, Range
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.rows.setting_row import SettingRow
from gpuexplorer.gui.wording.moments import span_words
from gpuexplorer.telemetry.beat import LONGEST, SHORTEST

_HOUR = 3600.0
_SINGLY = ((600.0, "10 min"), (_HOUR, "1 h"), (4 * _HOUR, "4 h"))
_OUTLINE = ((6 * _HOUR, "6 h"), (12 * _HOUR, "12 h"), (24 * _HOUR, "24 h"))
_INTERVALS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)


class ReadingSection(Section):
    """The past is set aside when the program starts, so what is chosen for it waits."""

    def __init__(
        self,
        look: Look,
        settings: Settings,
        machine: MachineState | None,
        parent: QWidget | None = None,
    ) -> None:
        names = ("interval", "full_seconds", "day_seconds")
        super().__init__(look, settings, "Reading", names, parent)
        self._machine = machine
        self._interval = NumberField(
            look, "Interval", Range(SHORTEST, LONGEST, _INTERVALS), "s"
        )
        self._interval.chosen.connect(self._on_interval_chosen)
        self._singly = Segmented(look, "Single readings", _SINGLY)
        self._singly.chosen.connect(self._on_singly_chosen)
        self._outline = Segmented(look, "Outline", _OUTLINE)
        self._outline.chosen.connect(self._on_outline_chosen)
        self._singly_row = SettingRow(look, "Single readings", "", self._singly)
        self.add(
            SettingRow(
                look,
                "Interval",
                "How often every card is asked, from a tenth of a second to a minute. A short "
                "one shows more, and costs the processor more.",
                self._interval,
            ),
            self._singly_row,
            SettingRow(
                look,
                "Outline",
                "What is older is kept as lowest, highest and mean of ten seconds each. Holds "
                "from the next start.",
                self._outline,
            ),
        )
        self.begin()

    def show_choices(self, choices: Choices) -> None:
        self._interval.show_number(choices.interval)
        for control, known, seconds in (
            (self._singly, _SINGLY, choices.full_seconds),
            (self._outline, _OUTLINE, choices.day_seconds),
        ):
            other = "" if seconds in dict(known) else span_words(seconds)
            control.show_choice(seconds, other)
        now = ""
        if self._machine is not None:
            taken = memory(self._machine.session.past.memory_bytes(), choices.units)
            now = f" {taken} are set aside now."
        self._singly_row.show_meaning(
            "Every single reading is kept for so long, in memory and never on disk. Holds from "
            f"the next start.{now}"
        )

    def _on_interval_chosen(self, seconds: float) -> None:
        self.choose(interval=seconds)

    def _on_singly_chosen(self, seconds: float) -> None:
        outline = max(self.settings.choices.day_seconds, seconds)
        self.choose(full_seconds=seconds, day_seconds=outline)

    def _on_outline_chosen(self, seconds: float) -> None:
        self.choose(day_seconds=seconds)
