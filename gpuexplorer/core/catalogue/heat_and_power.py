"""Temperatures, power, energy and fans, with the limits they run against."""

from gpuexplorer.core.metric import Cadence, Metric, MetricId, Part, Unit
from gpuexplorer.core.words import Message

TEMPERATURE = MetricId("temperature")
MEMORY_TEMPERATURE = MetricId("memory_temperature")
TEMPERATURE_SLOWDOWN = MetricId("temperature_slowdown")
TEMPERATURE_SHUTDOWN = MetricId("temperature_shutdown")
TEMPERATURE_MAX = MetricId("temperature_max")
MEMORY_TEMPERATURE_MAX = MetricId("memory_temperature_max")
TEMPERATURE_MARGIN = MetricId("temperature_margin")
POWER_DRAW = MetricId("power_draw")
POWER_DRAW_AVERAGE = MetricId("power_draw_average")
POWER_DRAW_INSTANT = MetricId("power_draw_instant")
POWER_LIMIT = MetricId("power_limit")
POWER_LIMIT_MIN = MetricId("power_limit_min")
POWER_LIMIT_MAX = MetricId("power_limit_max")
POWER_LIMIT_DEFAULT = MetricId("power_limit_default")
ENERGY = MetricId("energy")
FAN_SPEED = MetricId("fan_speed")

MOST_FANS = 8


def fan_speed(fan: int) -> MetricId:
    return MetricId(f"fan_{fan}_speed")


def fan_turns(fan: int) -> MetricId:
    return MetricId(f"fan_{fan}_rpm")


def _celsius(
    metric: MetricId,
    label: Message,
    meaning: Message,
    smi: str,
    cadence: Cadence,
    limit: bool = False,
) -> Metric:
    return Metric(
        metric,
        label,
        Unit.CELSIUS,
        meaning,
        smi,
        cadence,
        lowest=1.0 if limit else -100.0,
        highest=250.0,
        plotted=not limit,
    )


def _watts(
    metric: MetricId,
    label: Message,
    meaning: Message,
    smi: str,
    cadence: Cadence,
    lowest: float = 0.0,
    plotted: bool = True,
) -> Metric:
    return Metric(
        metric,
        label,
        Unit.WATTS,
        meaning,
        smi,
        cadence,
        lowest=lowest,
        highest=20_000.0,
        plotted=plotted,
    )


def _fan(fan: int) -> tuple[Metric, Metric]:
    part = (Part.FAN, fan)
    return (
        Metric(
            fan_speed(fan),
            Message("Fan {number}", number=fan),
            Unit.RATIO,
            Message(
                "Speed that fan {number} was told to run at; some cards allow more than 100 %.",
                number=fan,
            ),
            "-q -d TEMPERATURE",
            Cadence.SLOW,
            highest=2.0,
            part=part,
        ),
        Metric(
            fan_turns(fan),
            Message("Fan {number} turns", number=fan),
            Unit.TURNS_PER_MINUTE,
            Message("Turns per minute that fan {number} really makes.", number=fan),
            "",
            Cadence.SLOW,
            highest=50_000.0,
            part=part,
        ),
    )


METRICS = (
    _celsius(
        TEMPERATURE,
        Message("Temperature"),
        Message("Temperature of the card's processor."),
        "temperature.gpu",
        Cadence.FAST,
    ),
    _celsius(
        MEMORY_TEMPERATURE,
        Message("Memory temperature"),
        Message("Temperature of the card's memory chips."),
        "temperature.memory",
        Cadence.SLOW,
    ),
    _celsius(
        TEMPERATURE_SLOWDOWN,
        Message("Slowdown at"),
        Message("Temperature from which the card slows itself down."),
        "-q -d TEMPERATURE",
        Cadence.SLOW,
        limit=True,
    ),
    _celsius(
        TEMPERATURE_SHUTDOWN,
        Message("Shutdown at"),
        Message("Temperature at which the card switches itself off."),
        "-q -d TEMPERATURE",
        Cadence.SLOW,
        limit=True,
    ),
    _celsius(
        TEMPERATURE_MAX,
        Message("Target temperature"),
        Message(
            "Highest temperature of the processor that the card runs at without slowing down."
        ),
        "-q -d TEMPERATURE",
        Cadence.SLOW,
        limit=True,
    ),
    _celsius(
        MEMORY_TEMPERATURE_MAX,
        Message("Memory limit"),
        Message(
            "Highest temperature of the memory that the card runs at without slowing down."
        ),
        "-q -d TEMPERATURE",
        Cadence.SLOW,
        limit=True,
    ),
    _celsius(
        TEMPERATURE_MARGIN,
        Message("Margin (T.limit)"),
        Message("Degrees left before the card has to slow down."),
        "temperature.gpu.tlimit",
        Cadence.SLOW,
    ),
    _watts(
        POWER_DRAW,
        Message("Power"),
        Message("Power the whole board draws; many cards average it over the last second."),
        "power.draw",
        Cadence.FAST,
    ),
    _watts(
        POWER_DRAW_AVERAGE,
        Message("Power, average"),
        Message("Power the whole board drew on average over the last second."),
        "power.draw.average",
        Cadence.SLOW,
    ),
    _watts(
        POWER_DRAW_INSTANT,
        Message("Power, instant"),
        Message("Power the whole board draws at this moment."),
        "power.draw.instant",
        Cadence.FAST,
    ),
    _watts(
        POWER_LIMIT,
        Message("Power limit"),
        Message("Power above which the card slows itself down, as it is enforced now."),
        "enforced.power.limit",
        Cadence.SLOW,
        lowest=1.0,
    ),
    _watts(
        POWER_LIMIT_MIN,
        Message("Lowest power limit"),
        Message("Lowest power limit that can be set on this card."),
        "power.min_limit",
        Cadence.SLOW,
        plotted=False,
    ),
    _watts(
        POWER_LIMIT_MAX,
        Message("Highest power limit"),
        Message("Highest power limit that can be set on this card."),
        "power.max_limit",
        Cadence.SLOW,
        lowest=1.0,
        plotted=False,
    ),
    _watts(
        POWER_LIMIT_DEFAULT,
        Message("Default power limit"),
        Message("Power limit the card starts with."),
        "power.default_limit",
        Cadence.SLOW,
        lowest=1.0,
        plotted=False,
    ),
    Metric(
        ENERGY,
        Message("Energy"),
        Unit.JOULES,
        Message("Energy the card has used since the driver was loaded."),
        "",
        Cadence.SLOW,
        highest=1e13,  # all power there can be, for 15 years
    ),
    Metric(
        FAN_SPEED,
        Message("Fan"),
        Unit.RATIO,
        Message(
            "Speed the fans were told to run at; 0 is normal, and some cards allow over 100 %."
        ),
        "fan.speed",
        Cadence.SLOW,
        highest=2.0,
    ),
    *(metric for fan in range(MOST_FANS) for metric in _fan(fan)),
)
