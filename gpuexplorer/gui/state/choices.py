"""Choices: everything a person can choose in the settings, and what holds until they do."""

from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.units import Units
from gpuexplorer.gui.theme.look import Motion
from gpuexplorer.gui.theme.palette import Palette, Scheme
from gpuexplorer.telemetry.alert_rule import USUAL_RULES, Rule

WHERE_IT_WAS_LEFT = ""
AS_IT_WAS_LEFT = 0.0


class WithoutCards(StrEnum):
    """What the window opens on where no card answers."""

    EXPLAIN = "explain"
    SIMULATE = "simulate"


@dataclass(frozen=True, slots=True)
class Choices:
    """Seconds and SI units. What is kept of the past is set aside when the program starts."""

    interval: float = 1.0
    full_seconds: float = 3600.0  # single readings are kept for so long
    day_seconds: float = 86400.0  # and their outline for so long
    decimal_memory: bool = False
    fahrenheit: bool = False
    scheme: Scheme = Scheme.SYSTEM
    palette: Palette = Palette.STANDARD
    motion: Motion = Motion.SYSTEM
    alerts: bool = True
    on_desktop: bool = True  # also as a notification, while the window is not in front
    rules: tuple[Rule, ...] = USUAL_RULES
    first_screen: str = WHERE_IT_WAS_LEFT  # or the name of an entry of VIEWS
    first_span: float = AS_IT_WAS_LEFT  # or so many seconds
    without_cards: WithoutCards = WithoutCards.EXPLAIN
    keep_hidden: bool = True  # cards that were hidden are hidden at the next start too
    read_only: bool = False  # nothing can be ended from this window

    @property
    def units(self) -> Units:
        return Units(self.decimal_memory, self.fahrenheit)
