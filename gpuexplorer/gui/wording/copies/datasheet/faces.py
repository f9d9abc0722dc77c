"""Faces of the datasheet: rows and bars as they are seen, in plain values."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.copies.datasheet.figure import Figure, Unit, What
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import mark, tr

NOT_YET = mark("not measured yet")
_TERA, _GIGA = 1e12, 1e9

TITLES = {
    What.MEMORY: mark("Memory bandwidth"),
    What.TO_CARD: mark("Host link"),
    What.FROM_CARD: mark("Host link, back"),
    What.PEER: mark("Peer link"),
    What.FP32: mark("FP32"),
    What.TF32: mark("TF32"),
    What.BF16: mark("BF16"),
    What.POWER: mark("Board power"),
}


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One figure: what was promised, and what was reached here. Empty is a figure that there is
    not; a sentence says why.
    """

    name: str
    words: str  # "Memory bandwidth"
    source: str  # where the promise comes from, in a few words
    unit: str = ""  # of both figures
    promised: str = ""
    unpromised: str = ""
    reached: str = ""
    unreached: str = ""
    limit: float | None = None  # the promise as a share of the bar's place
    fill: float | None = None  # and what was reached
    share: str = ""  # in percent, without the sign
    watts: str = ""
    unknown_watts: str = ""
    wrong: bool = False
    measuring: bool = False
    hint: str = ""  # all there is to know, for whoever asks
    awaited: bool = False  # it was not measured yet

    @property
    def said(self) -> str:
        """For screen readers."""
        power = tr("at {watts} W", watts=self.watts) if self.watts else ""
        figures = tr("{name}: {figures}", name=self.words, figures=self._figures())
        return ", ".join(part for part in (figures, power) if part)

    def _figures(self) -> str:
        if self.wrong:
            return self.unreached or tr("WRONG")
        if self.reached and self.promised:
            said = tr(
                "{reached} of {promised} {unit}",
                reached=self.reached,
                promised=self.promised,
                unit=self.unit,
            )
            return f"{said}, {self.share} %" if self.share else said
        if self.reached:
            return tr(
                "{reached} {unit}, no promise: {why}",
                reached=self.reached,
                unit=self.unit,
                why=self.unpromised,
            )
        if self.promised:
            return tr(
                "promised {promised} {unit}, {why}",
                promised=self.promised,
                unit=self.unit,
                why=self.unreached,
            )
        return tr("{why}, no promise: {other}", why=self.unreached, other=self.unpromised)


@dataclass(frozen=True, slots=True)
class Other:
    """A card that lies beside another one, under a letter."""

    letter: str
    name: str
    words: str  # its name without its maker's


@dataclass(frozen=True, slots=True)
class Bar:
    """One card's figure of one kind."""

    chip: str
    number: str  # what was reached, else what is promised
    promised: str = ""  # where something was reached
    why: str = ""  # there is no number
    limit: float | None = None
    fill: float | None = None  # what was reached here
    colour: int | None = None
    here: bool = False
    hint: str = ""

    @property
    def said(self) -> str:
        if not self.promised:
            return self.number or self.why
        return tr("{reached} of {promised}", reached=self.number, promised=self.promised)


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one kind, of all cards that lie beside each other."""

    words: str
    unit: str
    bars: Sequence[Bar]

    @property
    def said(self) -> str:
        told = ", ".join(f"{bar.chip} {bar.said}" for bar in self.bars)
        return tr("{name} in {unit}: {figures}", name=self.words, unit=self.unit, figures=told)


def unit_of(what: What, *values: float | None) -> str:
    """The same for all of these, so that they can be compared at a glance."""
    match what.unit:
        case Unit.RATE:
            return "GB/s"
        case Unit.POWER:
            return "W"
        case Unit.COMPUTE:
            known = [value for value in values if value is not None]
            return "GFLOP/s" if known and max(known) < _TERA else "TFLOP/s"


def number_of(what: What, value: float | None, unit: str) -> str:
    """Empty where there is no value."""
    if value is None:
        return ""
    match what.unit:
        case Unit.RATE:
            return gigabytes_per_second(value)
        case Unit.POWER:
            return f"{value:.0f}" if value >= 10 else f"{value:.1f}"
        case Unit.COMPUTE:
            return short(value / (_GIGA if unit == "GFLOP/s" else _TERA))


def said_of(what: What, figure: Figure) -> str:
    """ "3352 GB/s", or why there is none."""
    if figure.value is None:
        return tr(figure.reason)
    unit = unit_of(what, figure.value)
    return f"{number_of(what, figure.value, unit)} {unit}"


def short(value: float) -> str:
    """Three digits that matter."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
