"""Choices: everything a person can choose in the settings, and what holds until they do.

A field is all there is to write for a new setting: its row, how it is kept and what is accepted
from the file follow from its type and from what is offered beside it.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, TypeVar

from gpuexplorer.core.units import Units
from gpuexplorer.core.words import mark
from gpuexplorer.gui.state.time_window import DAY, HOUR, MINUTE, SPANS
from gpuexplorer.gui.theme.look import Motion
from gpuexplorer.gui.theme.palette import Palette, Scheme
from gpuexplorer.telemetry.alerts import USUAL_RULES, Rule
from gpuexplorer.telemetry.session import LONGEST, SHORTEST

T = TypeVar("T")

WHERE_IT_WAS_LEFT = ""
AS_IT_WAS_LEFT = 0.0


class WithoutCards(StrEnum):
    """What the window opens on where no card answers."""

    EXPLAIN = "explain"
    SIMULATE = "simulate"


class SettingsGroup(StrEnum):
    """The sections of the settings, in their order; the value is the heading."""

    READING = mark("Reading")
    RECORDINGS = mark("Recordings")
    UNITS = mark("Units")
    LOOK = mark("Look")
    ALERTS = mark("Alerts")
    START = mark("Start")
    LAB = mark("Lab")
    CLASSROOM = mark("Classroom")


@dataclass(frozen=True, slots=True)
class Offer:
    """One row of the settings. Without options it is a switch, or a number that is typed."""

    group: SettingsGroup
    title: str
    meaning: str = ""
    options: tuple[tuple[Hashable, str], ...] = ()
    least: float = 0.0
    most: float = 0.0
    stops: tuple[float, ...] = ()  # where the arrow keys go in between
    unit: str = ""


def _offered(*offer: Any, usual: T, **more: Any) -> T:  # Any: as an Offer takes it
    return field(default=usual, metadata={Offer: Offer(*offer, **more)})


@dataclass(frozen=True, slots=True)
class Choices:
    """Seconds and SI units. What is kept of the past is set aside when the program starts."""

    interval: float = _offered(
        SettingsGroup.READING,
        mark("Interval"),
        mark(
            "How often every card is read, from ten times a second to once a minute. A "
            "short interval shows more and costs more processor time."
        ),
        usual=1.0,
        least=SHORTEST,
        most=LONGEST,
        stops=(0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0),
        unit="s",
    )
    full_seconds: float = _offered(
        SettingsGroup.READING,
        mark("Single readings"),
        mark(
            "How long every single reading is kept, in memory and never on disk. Takes "
            "effect at the next start."
        ),
        usual=HOUR,
        options=((10 * MINUTE, "10 min"), (HOUR, "1 h"), (4 * HOUR, "4 h")),
        least=MINUTE,
        most=DAY,
    )
    day_seconds: float = _offered(
        SettingsGroup.READING,
        mark("Outline"),
        mark(
            "How long older readings are kept as lowest, highest and mean of a minute each. "
            "Takes effect at the next start."
        ),
        usual=DAY,
        options=((6 * HOUR, "6 h"), (12 * HOUR, "12 h"), (DAY, "24 h")),
        least=HOUR,
        most=DAY,
    )
    keep_days: float = _offered(
        SettingsGroup.RECORDINGS,
        mark("Keep the past for"),
        mark(
            "Continuously saves readings, so that plots have a past at the next start: every "
            "reading of the newest day, and ten seconds at a time of the days before. Names "
            "and command lines of processes are part of it."
        ),
        usual=0.0,
        options=(
            (0.0, mark("Off")),
            (1.0, mark("1 day")),
            (3.0, mark("3 days")),
            (7.0, mark("7 days")),
            (14.0, mark("14 days")),
            (30.0, mark("30 days")),
        ),
        most=30.0,
    )
    keep_bytes: float = _offered(
        SettingsGroup.RECORDINGS,
        mark("Room for it"),
        mark("Where that is not enough room for all of these days, the oldest go earlier."),
        usual=1e9,
        options=((0.25e9, "250 MB"), (1e9, "1 GB"), (4e9, "4 GB"), (16e9, "16 GB")),
        least=0.1e9,
        most=1e12,
    )
    decimal_memory: bool = _offered(
        SettingsGroup.UNITS,
        mark("Memory"),
        mark(
            "1 GiB is 1024 × 1024 × 1024 bytes, as nvidia-smi counts; 1 GB is a thousand "
            "million. Rates are in GB/s either way."
        ),
        usual=False,
        options=((False, "GiB"), (True, "GB")),
    )
    fahrenheit: bool = _offered(
        SettingsGroup.UNITS,
        mark("Temperature"),
        mark("In this window. Files and commands use degrees Celsius and bytes."),
        usual=False,
        options=((False, "°C"), (True, "°F")),
    )
    scheme: Scheme = _offered(
        SettingsGroup.LOOK,
        mark("Theme"),
        mark("Dark on the desk, light on the projector."),
        usual=Scheme.SYSTEM,
        options=(
            (Scheme.SYSTEM, mark("As the system")),
            (Scheme.DARK, mark("Dark")),
            (Scheme.LIGHT, mark("Light")),
        ),
    )
    palette: Palette = _offered(
        SettingsGroup.LOOK,
        mark("Colours"),
        mark(
            "The safe colours stay distinct for people who are blind to red, green or "
            "blue, those of warnings and faults too."
        ),
        usual=Palette.STANDARD,
        options=(
            (Palette.STANDARD, mark("Standard")),
            (Palette.SAFE, mark("Colour-blind safe")),
        ),
    )
    motion: Motion = _offered(
        SettingsGroup.LOOK,
        mark("Motion"),
        mark("A short movement shows where something went. It never carries meaning alone."),
        usual=Motion.SYSTEM,
        options=(
            (Motion.SYSTEM, mark("As the system")),
            (Motion.FULL, mark("On")),
            (Motion.REDUCED, mark("Off")),
        ),
    )
    alerts: bool = _offered(
        SettingsGroup.ALERTS,
        mark("Alerts"),
        mark(
            "Shown in the line at the bottom while an alert lasts, and listed among the events."
        ),
        usual=True,
    )
    on_desktop: bool = _offered(SettingsGroup.ALERTS, mark("On the desktop"), usual=True)
    rules: tuple[Rule, ...] = USUAL_RULES
    first_screen: str = _offered(
        SettingsGroup.START,
        mark("First screen"),
        mark("What the window opens on."),
        usual=WHERE_IT_WAS_LEFT,  # or the name of an entry of VIEWS; those become options too
        options=((WHERE_IT_WAS_LEFT, mark("Where it was left")),),
    )
    first_span: float = _offered(
        SettingsGroup.START,
        mark("Time span"),
        mark("How much of the past plots show at first."),
        usual=AS_IT_WAS_LEFT,  # or so many seconds
        options=((AS_IT_WAS_LEFT, mark("As it was left")), *SPANS),
        least=5.0,
        most=DAY,
    )
    without_cards: WithoutCards = _offered(
        SettingsGroup.START,
        mark("Where no card answers"),
        mark(
            "Explain what was looked for, or open on simulated cards at once. Every screen "
            "says SIMULATED while they are shown."
        ),
        usual=WithoutCards.EXPLAIN,
        options=(
            (WithoutCards.EXPLAIN, mark("Explain")),
            (WithoutCards.SIMULATE, mark("Simulate")),
        ),
    )
    reconnect: bool = _offered(
        SettingsGroup.START,
        mark("Machines of last time"),
        mark(
            "Remembered machines are listed at the start, and connected to when you ask for "
            "it; or all are connected to at once."
        ),
        usual=False,
        options=((False, mark("List")), (True, mark("Connect"))),
    )
    keep_running: bool = _offered(
        SettingsGroup.START,
        mark("When the window is closed"),
        mark(
            "Quit, or go on reading and watching for alerts: the icon beside the clock "
            "brings the window back."
        ),
        usual=False,
        options=((False, mark("Quit")), (True, mark("Keep running"))),
    )
    keep_hidden: bool = _offered(
        SettingsGroup.START,
        mark("Keep hidden cards hidden"),
        mark("Otherwise every card is shown again at the next start."),
        usual=True,
    )
    lab_enter_runs: bool = _offered(
        SettingsGroup.LAB,
        mark("Run a cell with"),
        mark(
            "The other one adds a line. Ctrl+Enter always runs, and Enter adds a line "
            "while a block is open."
        ),
        usual=True,
        options=((True, mark("Enter")), (False, mark("Shift+Enter"))),
    )
    read_only: bool = _offered(
        SettingsGroup.CLASSROOM,
        mark("Read only"),
        mark("No process can be ended from this window."),
        usual=False,
    )
    lab_forms_only: bool = _offered(
        SettingsGroup.CLASSROOM,
        mark("Lab with forms only"),
        mark("Nothing can be typed or opened in the lab; forms and the bench still work."),
        usual=False,
    )

    @property
    def units(self) -> Units:
        return Units(self.decimal_memory, self.fahrenheit)

    def settled(self) -> "Choices":
        """The outline reaches at least as far back as the single readings."""
        return replace(self, day_seconds=max(self.day_seconds, self.full_seconds))


# By the name of the field, in the order of the rows.
OFFERS: Mapping[str, Offer] = {
    each.name: each.metadata[Offer] for each in fields(Choices) if Offer in each.metadata
}
