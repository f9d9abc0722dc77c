"""Temperatures, power, energy and fans, with the limits they run against."""

from gpuexplorer.core.metric import Cadence, MetricId, Part, Subject, Unit
from gpuexplorer.core.words import Message

_subject = Subject()
_add = _subject.add

MOST_FANS = 8

TEMPERATURE = _add(
    "temperature",
    Unit.CELSIUS,
    Message("Temperature"),
    Message("Temperature of the card's processor."),
    "temperature.gpu",
    Cadence.FAST,
)
MEMORY_TEMPERATURE = _add(
    "memory_temperature",
    Unit.CELSIUS,
    Message("Memory temperature"),
    Message("Temperature of the card's memory chips."),
    "temperature.memory",
)
TEMPERATURE_SLOWDOWN = _add(
    "temperature_slowdown",
    Unit.CELSIUS,
    Message("Slowdown at"),
    Message("Temperature from which the card slows itself down."),
    "-q -d TEMPERATURE",
    lowest=1.0,
    plotted=False,
)
TEMPERATURE_SHUTDOWN = _add(
    "temperature_shutdown",
    Unit.CELSIUS,
    Message("Shutdown at"),
    Message("Temperature at which the card switches itself off."),
    "-q -d TEMPERATURE",
    lowest=1.0,
    plotted=False,
)
TEMPERATURE_MAX = _add(
    "temperature_max",
    Unit.CELSIUS,
    Message("Target temperature"),
    Message("Highest temperature of the processor that the card runs at without slowing down."),
    "-q -d TEMPERATURE",
    lowest=1.0,
    plotted=False,
)
MEMORY_TEMPERATURE_MAX = _add(
    "memory_temperature_max",
    Unit.CELSIUS,
    Message("Memory limit"),
    Message("Highest temperature of the memory that the card runs at without slowing down."),
    "-q -d TEMPERATURE",
    lowest=1.0,
    plotted=False,
)
TEMPERATURE_MARGIN = _add(
    "temperature_margin",
    Unit.CELSIUS,
    Message("Margin (T.limit)"),
    Message("Degrees left before the card has to slow down."),
    "temperature.gpu.tlimit",
)
POWER_DRAW = _add(
    "power_draw",
    Unit.WATTS,
    Message("Power"),
    Message("Power the whole board draws; many cards average it over the last second."),
    "power.draw",
    Cadence.FAST,
)
POWER_DRAW_AVERAGE = _add(
    "power_draw_average",
    Unit.WATTS,
    Message("Power, average"),
    Message("Power the whole board drew on average over the last second."),
    "power.draw.average",
)
POWER_DRAW_INSTANT = _add(
    "power_draw_instant",
    Unit.WATTS,
    Message("Power, instant"),
    Message("Power the whole board draws at this moment."),
    "power.draw.instant",
    Cadence.FAST,
)
POWER_LIMIT = _add(
    "power_limit",
    Unit.WATTS,
    Message("Power limit"),
    Message("Power above which the card slows itself down, as it is enforced now."),
    "enforced.power.limit",
    lowest=1.0,
)
POWER_LIMIT_MIN = _add(
    "power_limit_min",
    Unit.WATTS,
    Message("Lowest power limit"),
    Message("Lowest power limit that can be set on this card."),
    "power.min_limit",
    plotted=False,
)
POWER_LIMIT_MAX = _add(
    "power_limit_max",
    Unit.WATTS,
    Message("Highest power limit"),
    Message("Highest power limit that can be set on this card."),
    "power.max_limit",
    lowest=1.0,
    plotted=False,
)
POWER_LIMIT_DEFAULT = _add(
    "power_limit_default",
    Unit.WATTS,
    Message("Default power limit"),
    Message("Power limit the card starts with."),
    "power.default_limit",
    lowest=1.0,
    plotted=False,
)
ENERGY = _add(
    "energy",
    Unit.JOULES,
    Message("Energy"),
    Message("Energy the card has used since the driver was loaded."),
    highest=1e13,  # all power there can be, for 15 years
)
FAN_SPEED = _add(
    "fan_speed",
    Unit.RATIO,
    Message("Fan"),
    Message(
        "Speed the fans were told to run at; 0 is normal, and some cards allow over 100 %."
    ),
    "fan.speed",
    highest=2.0,
)


def fan_speed(fan: int) -> MetricId:
    return MetricId(f"fan_{fan}_speed")


def fan_turns(fan: int) -> MetricId:
    return MetricId(f"fan_{fan}_rpm")


for _fan in range(MOST_FANS):
    _add(
        fan_speed(_fan),
        Unit.RATIO,
        Message("Fan {number}", number=_fan),
        Message(
            "Speed that fan {number} was told to run at; some cards allow more than 100 %.",
            number=_fan,
        ),
        "-q -d TEMPERATURE",
        highest=2.0,
        part=(Part.FAN, _fan),
    )
    _add(
        fan_turns(_fan),
        Unit.TURNS_PER_MINUTE,
        Message("Fan {number} turns", number=_fan),
        Message("Turns per minute that fan {number} really makes.", number=_fan),
        part=(Part.FAN, _fan),
    )

METRICS = tuple(_subject.metrics)
