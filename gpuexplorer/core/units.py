"""Values as people read them: a number and its unit, translated. All that formats."""

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from gpuexplorer.core.metrics import Metric, Unit
from gpuexplorer.core.words import tr

_MANY = 10_000  # from here on digits are grouped
_DAYS = 2 * 86400  # from here on they are counted
KIB, MIB, GIB, TIB = 1024.0, 1024.0**2, 1024.0**3, 1024.0**4

_Scale = Sequence[tuple[float, str]]  # from which figure on which unit, the largest first
_BINARY_SIZES = ((TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB"), (1.0, "B"))
_DECIMAL_SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
_RATES = ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s"))
_ENERGIES = ((3.6e9, "MWh"), (3.6e6, "kWh"), (3.6e3, "Wh"), (1.0, "J"))
_SHORT_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_TIMES = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), *_SHORT_TIMES)
_SCALES = {Unit.JOULES: _ENERGIES, Unit.BYTES_PER_SECOND: _RATES, Unit.SECONDS: _TIMES}
# What has one unit, and is shown in whole numbers of it.
_WHOLE = {
    Unit.RATIO: (0.01, "%"),
    Unit.CELSIUS: (1.0, "°C"),
    Unit.WATTS: (1.0, "W"),
    Unit.HERTZ: (1e6, "MHz"),
    Unit.TURNS_PER_MINUTE: (1.0, "rpm"),
}


class Quantity(NamedTuple):
    """A number and its unit, apart, since the unit is drawn smaller."""

    number: str
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.number} {self.unit}" if self.unit else self.number

    @property
    def words(self) -> str:
        """Without noughts that say nothing: "2 MiB" of "2.00 MiB"."""
        return f"{trimmed(self.number)} {self.unit}"


class Units(NamedTuple):
    """In which units a person wants to read what can be said in two ways. Files stay SI."""

    decimal_memory: bool = False  # GB, a thousand million bytes, in place of GiB
    fahrenheit: bool = False

    @property
    def sizes(self) -> _Scale:
        return _DECIMAL_SIZES if self.decimal_memory else _BINARY_SIZES


USUAL = Units()


def plain(number: float) -> str:
    """With the digits it needs, and at most four behind the point: 2, 0.5, 1024."""
    text = trimmed(f"{number:.4f}")
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
    return trimmed(f"{Decimal(f'{value:.3g}'):f}")


class Measure(NamedTuple):
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
    if unit is Unit.CELSIUS and units.fahrenheit:
        return Measure(1 / 1.8, "°F", 32.0)
    scale = units.sizes if unit is Unit.BYTES else _SCALES.get(unit)
    if scale is None:
        return Measure(*_WHOLE.get(unit, (1.0, "")))
    return Measure(*_suiting(most, scale), whole=False)


def quantity(metric: Metric, value: float, units: Units = USUAL) -> Quantity:
    """How the catalogue's value reads."""
    word = metric.text_of(value)
    if word is not None:
        return Quantity(tr(word))
    if metric.unit in _FORMS:
        return _FORMS[metric.unit](value)
    match metric.unit:
        case Unit.BYTES:
            return memory(value, units)
        case Unit.FLAG:
            return Quantity(tr("yes") if value else tr("no"))
        case Unit.LANES:
            return Quantity(f"x{value:.0f}")
    scale = measure(metric.unit, value, units)
    return Quantity(f"{scale.shown(value):.0f}", scale.name)


def ratio(value: float) -> Quantity:
    return Quantity(f"{value * 100:.0f}", "%")


def watts(value: float, at_least: float = 0.0) -> Quantity:
    """In the unit that suits `at_least` too, such as the sum of what many cards may draw."""
    if max(value, at_least) >= 2000:
        return Quantity(short(value / 1000), "kW")
    return Quantity(f"{value:.0f}" if value >= 10 else f"{value:.1f}", "W")


def temperature(celsius: float, units: Units = USUAL) -> Quantity:
    scale = measure(Unit.CELSIUS, celsius, units)
    return Quantity(f"{scale.shown(celsius):.0f}", scale.name)


def memory(value: float, units: Units = USUAL) -> Quantity:
    """Binary units, as every tool for cards counts memory, unless somebody wants decimal."""
    return _scaled(units.sizes, value)


def bytes_words(count: float, units: Units = USUAL) -> str:
    """ "24 B", "2 MiB", "7.45 GiB"."""
    return memory(count, units).words


def part_of_memory(value: float, whole: float, units: Units = USUAL) -> Quantity:
    """In the unit of the whole: "0.53 GiB" of 24 GiB."""
    return _scaled(units.sizes, value, whole)


def short(value: float) -> str:
    """Three digits that matter."""
    if 0 < value < 0.005:
        return "<0.01"
    if abs(value) >= 100 or not value:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def gigabytes_per_second(value: float) -> str:
    """The number alone, where the unit stands beside many: "0.41", "26.1", "450"."""
    return short(value / 1e9)


def duration(seconds: float) -> Quantity:
    """From nanoseconds to days, three digits; two of a large unit before it is taken."""
    if not seconds:
        return Quantity("0", "s")
    return _scaled(_TIMES, seconds, seconds / 2 if seconds >= 120 else min(seconds, 59.0))


def seconds_words(seconds: float) -> str:
    """One or two digits, which is all that is known of what is only expected."""
    return duration(float(f"{seconds:.2g}")).words


def span_words(seconds: float) -> str:
    """ "12 min", "1 h 30 min", "45 s", "7 d": two parts at most."""
    finest = 3600 if seconds >= _DAYS else 60 if seconds >= 600 else 1
    whole = max(1, round(seconds / finest) * finest)
    days, parts = ((86400, "d"),) if whole >= _DAYS else (), []
    for size, unit in (*days, (3600, "h"), (60, "min"), (1, "s")):
        count, whole = divmod(whole, size)
        parts += [f"{count} {unit}"] if count else []
    return " ".join(parts[:2])


def _suiting(value: float, scale: _Scale) -> tuple[float, str]:
    return next((each for each in scale if abs(value) >= each[0]), scale[-1])


def _scaled(scale: _Scale, value: float, like: float | None = None) -> Quantity:
    """Three digits in the unit that suits `like`; of the smallest unit all of them."""
    size, name = _suiting(value if like is None else like, scale)
    smallest = size == scale[-1][0]
    return Quantity(f"{value / size:.0f}" if smallest else short(value / size), name)


rate = partial(_scaled, _RATES)  # decimal, as wires are sold: 1 GB/s is 10^9 bytes per second
energy = partial(_scaled, _ENERGIES)
_FORMS: Mapping[Unit, Callable[[float], Quantity]] = {
    Unit.WATTS: watts,
    Unit.JOULES: energy,
    Unit.BYTES_PER_SECOND: rate,
    Unit.SECONDS: duration,
}
