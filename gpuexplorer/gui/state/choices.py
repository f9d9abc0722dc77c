"""Choices: everything a person can choose in the settings, and what holds until they do.

A field is all there is to write for a new setting: its row, how it is kept and what is accepted
from the file follow from its type and from what is offered beside it.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from gpuexplorer.core.units import Units
from gpuexplorer.core.words import mark
from gpuexplorer.gui.state.time_window import DAY, HOUR, MINUTE, SPANS
from gpuexplorer.gui.theme.look import Motion
from gpuexplorer.gui.theme.palette import Palette, Scheme
from gpuexplorer.telemetry.alert_rule import USUAL_RULES, Rule
from gpuexplorer.telemetry.beat import LONGEST, SHORTEST

WHERE_IT_WAS_LEFT = ""
AS_IT_WAS_LEFT = 0.0


class WithoutCards(StrEnum):
    """What the window opens on where no card answers."""

    EXPLAIN = "explain"
    SIMULATE = "simulate"


class Group(StrEnum):
    """The sections of the settings, in their order; the value is the heading."""

    READING = mark("Reading")
    UNITS = mark("Units")
    LOOK = mark("Look")
    ALERTS = mark("Alerts")
    START = mark("Start")
    CLASSROOM = mark("Classroom")


@dataclass(frozen=True, slots=True)
class Offer:
    """One row of the settings. Without options it is a switch, or a number that is typed."""

    group: Group
    title: str
    meaning: str = ""
    options: tuple[tuple[Hashable, str], ...] = ()
    least: float = 0.0
    most: float = 0.0
    stops: tuple[float, ...] = ()  # where the arrow keys go in between
    unit: str = ""


def _row(*offer: Any, **more: Any) -> Mapping[Any, Any]:  # as a field takes it
    return {Offer: Offer(*offer, **more)}


@dataclass(frozen=True, slots=True)
class Choices:
    """Seconds and SI units. What is kept of the past is set aside when the program starts."""

    interval: float = field(
        default=1.0,
        metadata=_row(
            Group.READING,
            mark("Interval"),
            mark(
                "How often every card is read, from ten times a second to once a minute. A "
                "short interval shows more and costs more processor time."
            ),
            least=SHORTEST,
            most=LONGEST,
            stops=(0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0),
            unit="s",
        ),
    )
    full_seconds: float = field(
        default=HOUR,
        metadata=_row(
            Group.READING,
            mark("Single readings"),
            mark(
                "How long every single reading is kept, in memory and never on disk. Takes "
                "effect at the next start."
            ),
            options=((10 * MINUTE, "10 min"), (HOUR, "1 h"), (4 * HOUR, "4 h")),
            least=MINUTE,
            most=DAY,
        ),
    )
    day_seconds: float = field(
        default=DAY,
        metadata=_row(
            Group.READING,
            mark("Outline"),
            mark(
                "How long older readings are kept as lowest, highest and mean of ten seconds "
                "each. Takes effect at the next start."
            ),
            options=((6 * HOUR, "6 h"), (12 * HOUR, "12 h"), (DAY, "24 h")),
            least=HOUR,
            most=DAY,
        ),
    )
    decimal_memory: bool = field(
        default=False,
        metadata=_row(
            Group.UNITS,
            mark("Memory"),
            mark(
                "1 GiB is 1024 × 1024 × 1024 bytes, as nvidia-smi counts; 1 GB is a thousand "
                "million. Rates are in GB/s either way."
            ),
            options=((False, "GiB"), (True, "GB")),
        ),
    )
    fahrenheit: bool = field(
        default=False,
        metadata=_row(
            Group.UNITS,
            mark("Temperature"),
            mark("In this window. Files and commands use degrees Celsius and bytes."),
            options=((False, "°C"), (True, "°F")),
        ),
    )
    scheme: Scheme = field(
        default=Scheme.SYSTEM,
        metadata=_row(
            Group.LOOK,
            mark("Theme"),
            mark("Dark on the desk, light on the projector."),
            options=(
                (Scheme.SYSTEM, mark("As the system")),
                (Scheme.DARK, mark("Dark")),
                (Scheme.LIGHT, mark("Light")),
            ),
        ),
    )
    palette: Palette = field(
        default=Palette.STANDARD,
        metadata=_row(
            Group.LOOK,
            mark("Colours"),
            mark(
                "People who cannot tell red, green or blue apart can tell the safe colours "
                "apart, also those of warnings, faults and what is well."
            ),
            options=(
                (Palette.STANDARD, mark("Standard")),
                (Palette.SAFE, mark("Colour-blind safe")),
            ),
        ),
    )
    motion: Motion = field(
        default=Motion.SYSTEM,
        metadata=_row(
            Group.LOOK,
            mark("Motion"),
            mark(
                "A short movement shows where something went. It never carries meaning alone."
            ),
            options=(
                (Motion.SYSTEM, mark("As the system")),
                (Motion.FULL, mark("On")),
                (Motion.REDUCED, mark("Off")),
            ),
        ),
    )
    alerts: bool = field(
        default=True,
        metadata=_row(
            Group.ALERTS,
            mark("Alerts"),
            mark(
                "A strip at the top of the window while an alert lasts, and a line among the "
                "events when it begins and ends."
            ),
        ),
    )
    on_desktop: bool = field(default=True, metadata=_row(Group.ALERTS, mark("On the desktop")))
    rules: tuple[Rule, ...] = USUAL_RULES
    first_screen: str = field(
        default=WHERE_IT_WAS_LEFT,  # or the name of an entry of VIEWS; those become options too
        metadata=_row(
            Group.START,
            mark("First screen"),
            mark("What the window opens on."),
            options=((WHERE_IT_WAS_LEFT, mark("Where it was left")),),
        ),
    )
    first_span: float = field(
        default=AS_IT_WAS_LEFT,  # or so many seconds
        metadata=_row(
            Group.START,
            mark("Time span"),
            mark("How much of the past plots show at first."),
            options=(
                (AS_IT_WAS_LEFT, mark("As it was left")),
                *SPANS,
            ),
            least=5.0,
            most=DAY,
        ),
    )
    without_cards: WithoutCards = field(
        default=WithoutCards.EXPLAIN,
        metadata=_row(
            Group.START,
            mark("Where no card answers"),
            mark(
                "Explain what was looked for, or open on simulated cards at once. Every screen "
                "says SIMULATED while they are shown."
            ),
            options=(
                (WithoutCards.EXPLAIN, mark("Explain")),
                (WithoutCards.SIMULATE, mark("Simulate")),
            ),
        ),
    )
    keep_hidden: bool = field(
        default=True,
        metadata=_row(
            Group.START,
            mark("Keep hidden cards hidden"),
            mark("Otherwise every card is shown again at the next start."),
        ),
    )
    read_only: bool = field(
        default=False,
        metadata=_row(
            Group.CLASSROOM,
            mark("Read only"),
            mark("No process can be ended from this window."),
        ),
    )

    @property
    def units(self) -> Units:
        return Units(self.decimal_memory, self.fahrenheit)

    def settled(self) -> "Choices":
        """The outline reaches at least as far back as the single readings."""
        return replace(self, day_seconds=max(self.day_seconds, self.full_seconds))


def offers() -> dict[str, Offer]:
    """By the name of the field, in the order of the rows."""
    found = {each.name: each.metadata.get(Offer) for each in fields(Choices)}
    return {name: offer for name, offer in found.items() if offer is not None}
