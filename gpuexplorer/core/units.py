"""Values as people read them: a number and its unit. The only place that formats."""

from dataclasses import dataclass

from gpuexplorer.core.metric import Metric, Unit

KIB, MIB, GIB, TIB = 1024.0, 1024.0**2, 1024.0**3, 1024.0**4


_BINARY_SIZES = ((TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB"))
_DECIMAL_SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


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


def quantity(metric: Metric, value: float, units: Units = USUAL) -> Quantity:
    """How the catalogue's value reads."""
    word = metric.text_of(value)
    if word is not None:
        return Quantity(word)
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
            return Quantity("yes" if value else "no")
        case Unit.LANES:
            return Quantity(f"x{value:.0f}")
        case Unit.COUNT | Unit.GENERATION | Unit.STATE:
            return Quantity(f"{value:.0f}")


def ratio(value: float) -> Quantity:
    return Quantity(f"{value * 100:.0f}", "%")


def watts(value: float) -> Quantity:
    return Quantity(f"{value:.0f}" if value >= 10 else f"{value:.1f}", "W")


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


def rate(value: float) -> Quantity:
    """Decimal units, as wires are sold: 1 GB/s is 10^9 bytes per second."""
    for size, name in ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")):
        if abs(value) >= size:
            return Quantity(_short(value / size), name)
    return Quantity(f"{value:.0f}", "B/s")


def energy(value: float) -> Quantity:
    for size, name in ((3.6e9, "MWh"), (3.6e6, "kWh"), (3.6e3, "Wh")):
        if value >= size:
            return Quantity(_short(value / size), name)
    return Quantity(_short(value), "J")


def duration(seconds: float) -> Quantity:
    """From nanoseconds to days, three digits."""
    if seconds >= 86400 * 2:
        return Quantity(_short(seconds / 86400), "days")
    if seconds >= 7200:
        return Quantity(_short(seconds / 3600), "h")
    if seconds >= 120:
        return Quantity(_short(seconds / 60), "min")
    for size, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= size:
            return Quantity(_short(seconds / size), name)
    return Quantity(f"{seconds * 1e9:.0f}", "ns") if seconds else Quantity("0", "s")


def _short(value: float) -> str:
    """Three digits that matter."""
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
