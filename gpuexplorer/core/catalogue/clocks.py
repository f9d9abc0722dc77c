"""Clocks, the performance state, and every reason for which clocks are held back."""

from gpuexplorer.core.metric import Cadence, Metric, MetricId, Unit
from gpuexplorer.core.words import Message

CLOCK_GRAPHICS = MetricId("clock_graphics")
CLOCK_SM = MetricId("clock_sm")
CLOCK_MEMORY = MetricId("clock_memory")
CLOCK_VIDEO = MetricId("clock_video")
CLOCK_GRAPHICS_MAX = MetricId("clock_graphics_max")
CLOCK_SM_MAX = MetricId("clock_sm_max")
CLOCK_MEMORY_MAX = MetricId("clock_memory_max")
CLOCK_VIDEO_MAX = MetricId("clock_video_max")
PERFORMANCE_STATE = MetricId("performance_state")

# Each reason: its name, its label, its meaning, the nvidia-smi field.
_EVENT = "clocks_event_reasons"
_REASONS = (
    ("gpu_idle", Message("Idle"), Message("Nothing runs, so the clocks rest."), "gpu_idle"),
    (
        "applications_clocks_setting",
        Message("Clocks set by a person"),
        Message("Somebody set the clocks lower."),
        "applications_clocks_setting",
    ),
    (
        "sw_power_cap",
        Message("At its power limit"),
        Message("The card slows down because it has reached its power limit."),
        "sw_power_cap",
    ),
    (
        "hw_slowdown",
        Message("Hardware slowdown"),
        Message(
            "The hardware halves the clocks: too hot, too much power, or a signal from outside."
        ),
        "hw_slowdown",
    ),
    (
        "sync_boost",
        Message("Held to its group"),
        Message("The card is kept as slow as the slowest card of its sync boost group."),
        "sync_boost",
    ),
    (
        "sw_thermal_slowdown",
        Message("Too warm"),
        Message("The driver slows the card down because it is too warm."),
        "sw_thermal_slowdown",
    ),
    (
        "hw_thermal_slowdown",
        Message("Much too hot"),
        Message("The hardware slows the card down because it is much too hot."),
        "hw_thermal_slowdown",
    ),
    (
        "hw_power_brake_slowdown",
        Message("Power brake"),
        Message("The power supply of the machine told the card to slow down."),
        "hw_power_brake_slowdown",
    ),
    (
        "display_clock_setting",
        Message("Display clocks"),
        Message("An attached display decides the clocks."),
        "",
    ),
)
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


def _clock(
    metric: MetricId,
    label: Message,
    meaning: Message,
    smi: str,
    cadence: Cadence,
    plotted: bool,
) -> Metric:
    return Metric(
        metric,
        label,
        Unit.HERTZ,
        meaning,
        smi,
        cadence,
        lowest=0.0 if plotted else 1e6,
        highest=5e10,
        plotted=plotted,
    )


def _clocks() -> list[Metric]:
    # Now and at most: the metric, its label, its meaning; and the nvidia-smi field.
    rows = (
        (
            (
                CLOCK_GRAPHICS,
                Message("Graphics clock"),
                Message("Clock of the graphics engine."),
            ),
            (
                CLOCK_GRAPHICS_MAX,
                Message("Graphics clock, highest"),
                Message("Highest clock of the graphics engine."),
            ),
            "gr",
        ),
        (
            (CLOCK_SM, Message("SM clock"), Message("Clock of the multiprocessors.")),
            (
                CLOCK_SM_MAX,
                Message("SM clock, highest"),
                Message("Highest clock of the multiprocessors."),
            ),
            "sm",
        ),
        (
            (CLOCK_MEMORY, Message("Memory clock"), Message("Clock of the memory.")),
            (
                CLOCK_MEMORY_MAX,
                Message("Memory clock, highest"),
                Message("Highest clock of the memory."),
            ),
            "mem",
        ),
        (
            (CLOCK_VIDEO, Message("Video clock"), Message("Clock of the video engines.")),
            (
                CLOCK_VIDEO_MAX,
                Message("Video clock, highest"),
                Message("Highest clock of the video engines."),
            ),
            "video",
        ),
    )
    metrics = []
    for now, most, smi in rows:
        metrics.append(_clock(*now, f"clocks.{smi}", Cadence.FAST, plotted=True))
        highest = f"clocks.max.{smi}" if smi != "video" else "-q -d CLOCK"
        metrics.append(_clock(*most, highest, Cadence.SLOW, plotted=False))
    return metrics


METRICS = (
    *_clocks(),
    Metric(
        PERFORMANCE_STATE,
        Message("P-state"),
        Unit.STATE,
        Message("Performance state: 0 is the fastest, 15 the most frugal."),
        "pstate",
        Cadence.FAST,
        highest=15.0,
        choices={state: Message("P{number}", number=state) for state in range(16)},
    ),
    *(
        Metric(
            throttle(reason),
            label,
            Unit.FLAG,
            meaning,
            f"{_EVENT}.{smi}" if smi else "",
            Cadence.FAST,
            highest=1.0,
        )
        for reason, label, meaning, smi in _REASONS
    ),
    *(
        Metric(
            throttle_time(reason),
            label,
            Unit.SECONDS,
            meaning,
            "-q -d PERFORMANCE",
            Cadence.SLOW,
            highest=1e9,  # 30 years
        )
        for reason, label, meaning in _TIMED
    ),
)
