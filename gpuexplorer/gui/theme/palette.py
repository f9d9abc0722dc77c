"""Theme: every colour of the program by name, as a designer wrote them down in a TOML file."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum

from PySide6.QtGui import QColor

from gpuexplorer.core.resources import resource

# From one more card on, colours could no longer be told apart and are not used at all.
MOST_COLOURED_CARDS = 8
_HEAT_EXPONENT = 1.15


class Scheme(StrEnum):
    """Which theme a person chose."""

    SYSTEM = "system"
    DARK = "dark"
    LIGHT = "light"


class Palette(StrEnum):
    """Which colours cards and meanings have, in the dark theme and in the light one."""

    STANDARD = "standard"
    SAFE = "safe"  # told apart by people who are blind to some colours, meanings too


class Tone(StrEnum):
    """What a text wants to say by its colour."""

    TEXT = "text"
    QUIET = "quiet"
    FAINT = "faint"
    WARN = "warn"
    BAD = "bad"
    GOOD = "good"


@dataclass(frozen=True, slots=True)
class Theme:
    """Widgets ask for a name; no widget knows a colour."""

    dark: bool
    ground: QColor
    surface: QColor
    raised: QColor
    line: QColor
    edge: QColor
    text: QColor
    quiet: QColor
    faint: QColor
    hover: QColor
    field: QColor
    well: QColor
    inverse: QColor
    accent: QColor
    good: QColor
    warn: QColor
    bad: QColor
    simulated: QColor
    simulated_ink: QColor
    level: QColor
    heat_low: QColor
    heat_high: QColor
    below_zero: QColor
    at_zero: QColor
    above_zero: QColor
    code_word: QColor
    code_text: QColor
    code_number: QColor
    cards: tuple[QColor, ...]

    @property
    def selection(self) -> QColor:
        """Behind what is chosen or pointed at, whatever it stands on."""
        return faded(self.text, 0.085)

    @property
    def track(self) -> QColor:
        """Under a row of choices, of which one is raised."""
        return faded(self.text, 0.06)

    @property
    def lifted(self) -> QColor:
        """Behind the choice that holds, on a track."""
        return faded(self.text, 0.14) if self.dark else self.surface

    def card(self, index: int | None) -> QColor:
        """A card's colour; without one, the colour of measured values."""
        return self.quiet if index is None else self.cards[index % len(self.cards)]

    def tone(self, tone: Tone) -> QColor:
        return getattr(self, tone)  # type: ignore[no-any-return]  # each is a name

    def heat(self, share: float) -> QColor:
        """From 0, nearly the ground, to 1; every text on it stays readable."""
        at = min(1.0, max(0.0, share)) ** _HEAT_EXPONENT
        return mixed(self.heat_low, self.heat_high, at)

    def around_zero(self, share: float) -> QColor:
        """From -1, far below zero, to 1, far above; every text on it stays readable."""
        at = min(1.0, max(-1.0, share))
        return mixed(self.at_zero, self.below_zero if at < 0 else self.above_zero, abs(at))

    def named(self) -> Mapping[str, str]:
        """The single colours as text, for the style sheet."""
        return {
            field.name: colour.name()
            for field in fields(self)
            if isinstance(colour := getattr(self, field.name), QColor)
        }


def load_theme(scheme: Scheme, palette: Palette = Palette.STANDARD) -> Theme:
    """For `dark` or `light`. A name that is missing in the file is a bug, and says so."""
    content = tomllib.loads(resource("themes", f"{scheme}.toml").read_text("utf-8"))
    of_palette = content[palette]
    written = content["colours"] | of_palette["meanings"]
    return Theme(
        dark=content["dark"],
        cards=tuple(QColor(value) for value in of_palette["cards"]),
        **{name: QColor(value) for name, value in written.items()},
    )


def mixed(low: QColor, high: QColor, share: float) -> QColor:
    rest = 1 - share
    return QColor.fromRgbF(
        low.redF() * rest + high.redF() * share,
        low.greenF() * rest + high.greenF() * share,
        low.blueF() * rest + high.blueF() * share,
    )


def faded(colour: QColor, opacity: float) -> QColor:
    clear = QColor(colour)
    clear.setAlphaF(opacity)
    return clear
