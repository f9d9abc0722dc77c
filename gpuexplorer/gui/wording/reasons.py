"""Reasons: why there is no figure, in the few words that fit in its place."""

from typing import assert_never

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.catalogue import clocks
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.card_face import Mark
from gpuexplorer.telemetry.latest import Reading

# The gravest first.
HARMFUL = tuple(
    clocks.throttle(reason)
    for reason in (
        "hw_thermal_slowdown",
        "hw_power_brake_slowdown",
        "hw_slowdown",
        "sw_thermal_slowdown",
    )
)
# A busy card is held back by one of these as a rule, and nothing is wrong with it.
ORDINARY = tuple(clocks.throttle(reason) for reason in ("sw_power_cap", "sync_boost"))
_PASSING = frozenset({Absence.NOT_YET, Absence.NEEDS_TWO, Absence.NOT_ASKED})


def short_reasons(absence: Absence) -> tuple[str, ...]:
    """At falling length; each is understood without the others."""
    match absence:
        case Absence.NOT_SUPPORTED:
            return ("not reported by this card", "not reported", "no figure")
        case Absence.NOT_IN_DRIVER:
            return ("not in this driver", "old driver")
        case Absence.NO_PERMISSION:
            return ("for administrators only", "no permission", "no access", "denied")
        case Absence.NEEDS_TWO:
            return ("with the next reading", "soon")
        case Absence.IMPOSSIBLE:
            return ("impossible figure", "impossible", "absurd")
        case Absence.NO_PART:
            return ("none on this card", "none")
        case Absence.LOST:
            return ("card lost", "lost")
        case Absence.ASLEEP:
            return ("card asleep", "asleep")
        case Absence.NO_ANSWER:
            return ("no answer",)
        case Absence.NO_DRIVER:
            return ("no driver",)
        case Absence.MIG_ON:
            return ("known per instance only", "per instance")
        case Absence.IN_INSTANCE:
            return ("known for the whole card only", "whole card only")
        case Absence.SHARED_MEMORY:
            return ("the computer's memory", "shared")
        case Absence.WINDOWS_KEEPS_IT:
            return ("managed by Windows", "by Windows")
        case Absence.NO_NEW_SAMPLE:
            return ("nothing to measure", "nothing new")
        case Absence.REFUSED:
            return ("refused just now", "refused")
        case Absence.NOT_YET:
            return ("not read yet", "not yet")
        case Absence.NOT_ASKED:
            return ("not read",)
        case _:
            assert_never(absence)


def tells_nothing(reading: Reading) -> bool:
    """It answers, but with no figure at all, and the next reading will bring none either."""
    return not reading.values and not _PASSING.issuperset(reading.missing.values())


def state_mark(state: CardState) -> Mark | None:
    """What stands beside the name of a card that gives no figures."""
    match state:
        case CardState.WORKING:
            return None
        case CardState.ASLEEP:
            return Mark("Asleep", Tone.QUIET, Icon.ASLEEP)
        case CardState.LOST:
            return Mark("Lost", Tone.BAD, Icon.LOST)
        case CardState.NO_ANSWER:
            return Mark("No answer", Tone.WARN, Icon.SILENT)
        case CardState.NO_DRIVER:
            return Mark("No driver", Tone.BAD, Icon.LOST)
        case _:
            assert_never(state)


_BRIEF = {
    "sw_power_cap": "Power limit",
    "sync_boost": "Held back",
    "hw_slowdown": "Slowdown",
    "hw_thermal_slowdown": "Too hot",
}


def throttle_mark(metric: MetricId, tone: Tone, icon: Icon | None = None) -> Mark:
    """Why a card is slower than it could be."""
    reason = metric.removeprefix("throttle_")
    return Mark(METRICS[metric].label, tone, icon, _BRIEF.get(reason, ""))


SLOW = Mark("Slow to answer", Tone.WARN, Icon.SILENT)
NO_FIGURES = Mark("Gives no usable figure", Tone.WARN, Icon.WARNING, "No usable figure")


def as_sentence(words: str) -> str:
    """ "card lost" becomes "Card lost."."""
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."
