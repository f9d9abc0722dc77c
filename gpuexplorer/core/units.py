"""Values as people read them: a number and its unit. The only place that formats.

Called where a value is shown, so words that stand for a number come translated.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from gpuexplorer.core.metric import Metric, Unit
from gpuexplorer.core.words import tr

_MANY = 10_000  # from here on digits are grouped
KIB, MIB, GIB, TIB = 1024.0, 1024.0**2, 1024.0**3, 1024.0**4


_BINARY_SIZES = ((TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB"))
_DECIMAL_SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_RATES = ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"))
_ENERGIES = ((3.6e9, "MWh"), (3.6e6, "kWh"), (3.6e3, "Wh"))
_TIMES = (
    (86400.0, "d"),
    (3600.0, "h"),
    (60.0, "min"),
    (1.0, "s"),
    (1e-3, "ms"),
    (1e-6, "µs"),
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its unit, apart, since the unit is drawn smaller."""

    number: str
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.number} {self.unit}" if self.unit else self.number


@dataclass(frozen=True, slots=True)
class Units:
    """In which units a person wants to read what can be said in two ways. Files stay SI."""

    decimal_memory: bool = False  # GB, a thousand million bytes, in place of GiB
    fahrenheit: bool = False


USUAL = Units()


def plain(number: float) -> str:
    """With the digits it needs, and at most four behind the point: 2, 0.5, 1024."""
    text = f"{number:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def trimmed(number: str) -> str:
    """Without noughts at the end of its fraction: "24" of "24.0"."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def grouped(number: int) -> str:
    """With thin spaces between thousands."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def figure(value: float) -> str:
    """Three digits, or all of a whole number; a thousand is no 1e+03. Its unit is not ours."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) >= _MANY:
        return grouped(round(value))
    if abs(value) >= 1000 or value == round(value):
        return f"{value:.0f}"
    digits = f"{Decimal(f'{value:.3g}'):f}"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


@dataclass(frozen=True, slots=True)
class Measure:
    """One unit for all figures of an axis: what is shown is value / size + zero."""

    size: float
    name: str
    zero: float = 0.0
    whole: bool = True  # digits behind the point would say nothing

    def shown(self, value: float) -> float:
        return value / self.size + self.zero

    def value(self, shown: float) -> float:
        return (shown - self.zero) * self.size


def measure(unit: Unit, most: float, units: Units = USUAL) -> Measure:
    """The unit in which an axis reads well whose largest figure is `most`."""
    match unit:
        case Unit.RATIO:
            return Measure(0.01, "%")
        case Unit.BYTES:
            sizes = _DECIMAL_SIZES if units.decimal_memory else _BINARY_SIZES
            return _largest_below(most, sizes, "B")
        case Unit.CELSIUS:
            return Measure(1 / 1.8, "°F", 32.0) if units.fahrenheit else Measure(1.0, "°C")
        case Unit.WATTS:
            return Measure(1.0, "W")
        case Unit.JOULES:
            return _largest_below(most, _ENERGIES, "J")
        case Unit.HERTZ:
            return Measure(1e6, "MHz")
        case Unit.BYTES_PER_SECOND:
            return _largest_below(most, _RATES, "B/s")
        case Unit.TURNS_PER_MINUTE:
            return Measure(1.0, "rpm")
        case Unit.SECONDS:
            return _largest_below(most, _TIMES, "ns", 1e-9)
        case Unit.COUNT | Unit.LANES | Unit.GENERATION | Unit.FLAG | Unit.STATE:
            return Measure(1.0, "")


def quantity(metric: Metric, value: float, units: Units = USUAL) -> Quantity:
    """How the catalogue's value reads."""
    word = metric.text_of(value)
    if word is not None:
        return Quantity(tr(word))
    match metric.unit:
        case Unit.RATIO:
            return ratio(value)
        case Unit.BYTES:
            return memory(value, units)
        case Unit.CELSIUS:
            return temperature(value, units)
        case Unit.WATTS:
            return watts(value)
        case Unit.JOULES:
            return energy(value)
        case Unit.HERTZ:
            return Quantity(f"{value / 1e6:.0f}", "MHz")
        case Unit.BYTES_PER_SECOND:
            return rate(value)
        case Unit.TURNS_PER_MINUTE:
            return Quantity(f"{value:.0f}", "rpm")
        case Unit.SECONDS:
            return duration(value)
        case Unit.FLAG:
            return Quantity(tr("yes") if value else tr("no"))
        case Unit.LANES:
            return Quantity(f"x{value:.0f}")
        case Unit.COUNT | Unit.GENERATION | Unit.STATE:
            return Quantity(f"{value:.0f}")


def ratio(value: float) -> Quantity:
    return Quantity(f"{value * 100:.0f}", "%")


def watts(value: float) -> Quantity:
    return Quantity(f"{value:.0f}" if value >= 10 else f"{value:.1f}", "W")


def watts_together(value: float, at_least: float = 0.0) -> Quantity:
    """Of many cards; in the unit that suits `at_least`, the sum of what they may draw."""
    if max(value, at_least) >= 2000:
        return Quantity(_short(value / 1000), "kW")
    return watts(value)


def temperature(celsius: float, units: Units = USUAL) -> Quantity:
    if units.fahrenheit:
        return Quantity(f"{celsius * 1.8 + 32:.0f}", "°F")
    return Quantity(f"{celsius:.0f}", "°C")


def memory(value: float, units: Units = USUAL) -> Quantity:
    """Binary units, as every tool for cards counts memory, unless somebody wants decimal."""
    for size, name in _DECIMAL_SIZES if units.decimal_memory else _BINARY_SIZES:
        if abs(value) >= size:
            return Quantity(_short(value / size), name)
    return Quantity(f"{value:.0f}", "B")


def bytes_words(count: float, units: Units = USUAL) -> str:
    """ "24 B", "2 MiB", "7.45 GiB": without noughts that say nothing."""
    read = memory(count, units)
    return f"{trimmed(read.number)} {read.unit}"


def part_of_memory(value: float, whole: float, units: Units = USUAL) -> Quantity:
    """In the unit of the whole: "0.53 GiB" of 24 GiB."""
    scale = measure(Unit.BYTES, whole, units)
    shown = scale.shown(value)
    number = "0" if shown == 0 else "<0.01" if shown < 0.01 else _short(shown)
    return Quantity(number, scale.name)


def rate(value: float) -> Quantity:
    """Decimal units, as wires are sold: 1 GB/s is 10^9 bytes per second."""
    for size, name in _RATES:
        if abs(value) >= size:
            return Quantity(_short(value / size), name)
    return Quantity(f"{value:.0f}", "B/s")


def gigabytes_per_second(value: float) -> str:
    """The number alone, where the unit stands beside many: "0.41", "26.1", "450"."""
    if 0 < value < 5e6:
        return "<0.01"
    return _short(value / 1e9) if value else "0"


def energy(value: float) -> Quantity:
    for size, name in _ENERGIES:
        if value >= size:
            return Quantity(_short(value / size), name)
    return Quantity(_short(value), "J")


def duration(seconds: float) -> Quantity:
    """From nanoseconds to days, three digits."""
    if seconds >= 86400 * 2:
        return Quantity(_short(seconds / 86400), "d")
    if seconds >= 7200:
        return Quantity(_short(seconds / 3600), "h")
    if seconds >= 120:
        return Quantity(_short(seconds / 60), "min")
    for size, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return Quantity(_short(seconds / size), name)
    return Quantity(f"{seconds * 1e9:.0f}", "ns") if seconds else Quantity("0", "s")


def seconds_words(seconds: float) -> str:
    """One or two digits, which is all that is known of what is only expected."""
    read = duration(float(f"{seconds:.2g}"))
    return f"{trimmed(read.number)} {read.unit}"


def _largest_below(
    most: float, sizes: Sequence[tuple[float, str]], otherwise: str, least: float = 1.0
) -> Measure:
    for size, name in sizes:
        if most >= size:
            return Measure(size, name, whole=False)
    return Measure(least, otherwise, whole=False)


def _short(value: float) -> str:
    """Three digits that matter."""
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
