"""Clocks, the performance state, and every reason for which clocks are held back."""

from gpuexplorer.core.metric import Cadence, MetricId, Subject, Unit
from gpuexplorer.core.words import Message

_subject = Subject()
_add = _subject.add

CLOCK_GRAPHICS = _add(
    "clock_graphics",
    Unit.HERTZ,
    Message("Graphics clock"),
    Message("Clock of the graphics engine."),
    "clocks.gr",
    Cadence.FAST,
)
CLOCK_GRAPHICS_MAX = _add(
    "clock_graphics_max",
    Unit.HERTZ,
    Message("Graphics clock, highest"),
    Message("Highest clock of the graphics engine."),
    "clocks.max.gr",
    lowest=1e6,
    plotted=False,
)
CLOCK_SM = _add(
    "clock_sm",
    Unit.HERTZ,
    Message("SM clock"),
    Message("Clock of the multiprocessors."),
    "clocks.sm",
    Cadence.FAST,
)
CLOCK_SM_MAX = _add(
    "clock_sm_max",
    Unit.HERTZ,
    Message("SM clock, highest"),
    Message("Highest clock of the multiprocessors."),
    "clocks.max.sm",
    lowest=1e6,
    plotted=False,
)
CLOCK_MEMORY = _add(
    "clock_memory",
    Unit.HERTZ,
    Message("Memory clock"),
    Message("Clock of the memory."),
    "clocks.mem",
    Cadence.FAST,
)
CLOCK_MEMORY_MAX = _add(
    "clock_memory_max",
    Unit.HERTZ,
    Message("Memory clock, highest"),
    Message("Highest clock of the memory."),
    "clocks.max.mem",
    lowest=1e6,
    plotted=False,
)
CLOCK_VIDEO = _add(
    "clock_video",
    Unit.HERTZ,
    Message("Video clock"),
    Message("Clock of the video engines."),
    "clocks.video",
    Cadence.FAST,
)
CLOCK_VIDEO_MAX = _add(
    "clock_video_max",
    Unit.HERTZ,
    Message("Video clock, highest"),
    Message("Highest clock of the video engines."),
    "-q -d CLOCK",
    lowest=1e6,
    plotted=False,
)
PERFORMANCE_STATE = _add(
    "performance_state",
    Unit.STATE,
    Message("P-state"),
    Message("Performance state: 0 is the fastest, 15 the most frugal."),
    "pstate",
    Cadence.FAST,
    choices={state: Message("P{number}", number=state) for state in range(16)},
)

# Each reason: its name, its label, its meaning.
_REASONS = (
    ("gpu_idle", Message("Idle"), Message("Nothing runs, so the clocks rest.")),
    (
        "applications_clocks_setting",
        Message("Clocks set by a person"),
        Message("Somebody set the clocks lower."),
    ),
    (
        "sw_power_cap",
        Message("At its power limit"),
        Message("The card slows down because it has reached its power limit."),
    ),
    (
        "hw_slowdown",
        Message("Hardware slowdown"),
        Message(
            "The hardware halves the clocks: too hot, too much power, or a signal from outside."
        ),
    ),
    (
        "sync_boost",
        Message("Held to its group"),
        Message("The card is kept as slow as the slowest card of its sync boost group."),
    ),
    (
        "sw_thermal_slowdown",
        Message("Too warm"),
        Message("The driver slows the card down because it is too warm."),
    ),
    (
        "hw_thermal_slowdown",
        Message("Much too hot"),
        Message("The hardware slows the card down because it is much too hot."),
    ),
    (
        "hw_power_brake_slowdown",
        Message("Power brake"),
        Message("The power supply of the machine told the card to slow down."),
    ),
    (
        "display_clock_setting",
        Message("Display clocks"),
        Message("An attached display decides the clocks."),
    ),
)
_UNKNOWN_TO_SMI = "display_clock_setting"
THROTTLE_REASONS = tuple(reason for reason, *_ in _REASONS)
# Resting and settings are reasons, but no sign of trouble.
HARMLESS_REASONS = frozenset(
    {"gpu_idle", "applications_clocks_setting", "display_clock_setting"}
)

# Each counter of time since the driver was loaded: its name, its label, its meaning.
_TIMED = (
    (
        "sw_power_cap",
        Message("Time at the power limit"),
        Message(
            "Time since the driver was loaded in which the power limit held the card back."
        ),
    ),
    (
        "sync_boost",
        Message("Time held to its group"),
        Message("Time since the driver was loaded in which its sync boost group held it back."),
    ),
    (
        "sw_thermal_slowdown",
        Message("Time too warm"),
        Message(
            "Time since the driver was loaded in which the driver slowed the card for heat."
        ),
    ),
    (
        "hw_thermal_slowdown",
        Message("Time much too hot"),
        Message(
            "Time since the driver was loaded in which the hardware slowed the card for heat."
        ),
    ),
    (
        "hw_power_brake_slowdown",
        Message("Time under power brake"),
        Message("Time since the driver was loaded in which the power supply slowed the card."),
    ),
)


def throttle(reason: str) -> MetricId:
    return MetricId(f"throttle_{reason}")


def throttle_time(reason: str) -> MetricId:
    return MetricId(f"throttle_time_{reason}")


for _reason, _label, _meaning in _REASONS:
    _smi = "" if _reason == _UNKNOWN_TO_SMI else f"clocks_event_reasons.{_reason}"
    _add(throttle(_reason), Unit.FLAG, _label, _meaning, _smi, Cadence.FAST)
for _reason, _label, _meaning in _TIMED:
    _add(throttle_time(_reason), Unit.SECONDS, _label, _meaning, "-q -d PERFORMANCE")

METRICS = tuple(_subject.metrics)
