"""Clocks, the performance state, and every reason for which clocks are held back."""

from gpuexplorer.core.metric import Cadence, Metric, MetricId, Unit

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
    ("gpu_idle", "Idle", "Nothing runs, so the clocks rest.", "gpu_idle"),
    (
        "applications_clocks_setting",
        "Clocks set by a person",
        "Somebody set the clocks lower.",
        "applications_clocks_setting",
    ),
    (
        "sw_power_cap",
        "At its power limit",
        "The card slows down because it has reached its power limit.",
        "sw_power_cap",
    ),
    (
        "hw_slowdown",
        "Hardware slowdown",
        "The hardware halves the clocks: too hot, or too much power, or a signal from outside.",
        "hw_slowdown",
    ),
    (
        "sync_boost",
        "Held to its group",
        "The card is kept as slow as the slowest card of its sync boost group.",
        "sync_boost",
    ),
    (
        "sw_thermal_slowdown",
        "Too warm",
        "The driver slows the card down because it is too warm.",
        "sw_thermal_slowdown",
    ),
    (
        "hw_thermal_slowdown",
        "Much too hot",
        "The hardware slows the card down because it is much too hot.",
        "hw_thermal_slowdown",
    ),
    (
        "hw_power_brake_slowdown",
        "Power brake",
        "The power supply of the machine told the card to slow down.",
        "hw_power_brake_slowdown",
    ),
    (
        "display_clock_setting",
        "Display clocks",
        "A display that is attached decides the clocks.",
        "",
    ),
)
THROTTLE_REASONS = tuple(reason for reason, *_ in _REASONS)
# Resting and settings are reasons, but no sign of trouble.
HARMLESS_REASONS = frozenset(
    {"gpu_idle", "applications_clocks_setting", "display_clock_setting"}
)

# Each counter: its name, label, and what it counts the time of.
_TIMED = (
    ("sw_power_cap", "Time at the power limit", "held back by its power limit"),
    ("sync_boost", "Time held to its group", "held back by its sync boost group"),
    ("sw_thermal_slowdown", "Time too warm", "slowed down by the driver for heat"),
    ("hw_thermal_slowdown", "Time much too hot", "slowed down by the hardware for heat"),
    ("hw_power_brake_slowdown", "Time under power brake", "slowed down by the power supply"),
)


def throttle(reason: str) -> MetricId:
    return MetricId(f"throttle_{reason}")


def throttle_time(reason: str) -> MetricId:
    return MetricId(f"throttle_time_{reason}")


def _clock(
    metric: MetricId, label: str, meaning: str, smi: str, cadence: Cadence, plotted: bool
) -> Metric:
    return Metric(
        metric, label, Unit.HERTZ, meaning, smi, cadence, highest=5e10, plotted=plotted
    )


def _clocks() -> list[Metric]:
    rows = (
        (CLOCK_GRAPHICS, CLOCK_GRAPHICS_MAX, "Graphics clock", "graphics engine", "gr"),
        (CLOCK_SM, CLOCK_SM_MAX, "SM clock", "multiprocessors", "sm"),
        (CLOCK_MEMORY, CLOCK_MEMORY_MAX, "Memory clock", "memory", "mem"),
        (CLOCK_VIDEO, CLOCK_VIDEO_MAX, "Video clock", "video engines", "video"),
    )
    metrics = []
    for now, most, label, of, smi in rows:
        verb = "is" if of in ("graphics engine", "memory") else "are"
        metrics.append(
            _clock(
                now,
                label,
                f"Clock at which the {of} {verb} running.",
                f"clocks.{smi}",
                Cadence.FAST,
                plotted=True,
            )
        )
        metrics.append(
            _clock(
                most,
                f"{label}, highest",
                f"Highest clock of the {of}.",
                f"clocks.max.{smi}" if smi != "video" else "-q -d CLOCK",
                Cadence.SLOW,
                plotted=False,
            )
        )
    return metrics


METRICS = (
    *_clocks(),
    Metric(
        PERFORMANCE_STATE,
        "P-state",
        Unit.STATE,
        "Performance state: 0 is the fastest, 15 the most frugal.",
        "pstate",
        Cadence.FAST,
        highest=15.0,
        choices={state: f"P{state}" for state in range(16)},
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
            f"Time since the driver was loaded in which the card was {what}.",
            "-q -d PERFORMANCE",
            Cadence.SLOW,
            highest=1e10,
        )
        for reason, label, what in _TIMED
    ),
)
