"""Reasons: why there is no figure, in the few words that fit in its place."""

from typing import assert_never

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.catalogue import clocks
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.card_face import Mark, Matter
from gpuexplorer.telemetry.card_course import BRIEFLY, why_no_figures
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


def short_reasons(absence: Absence) -> tuple[str, ...]:
    """At falling length; each is understood without the others."""
    match absence:
        case Absence.NOT_SUPPORTED:
            return (tr("not reported by this card"), tr("not reported"), tr("no figure"))
        case Absence.NOT_IN_DRIVER:
            return (tr("not in this driver"), tr("old driver"))
        case Absence.NO_PERMISSION:
            return (tr("no permission"), tr("no access"), tr("denied"))
        case Absence.NEEDS_TWO | Absence.TOO_SOON:
            return (tr("with the next reading"), tr("soon"))
        case Absence.IMPOSSIBLE:
            return (tr("impossible figure"), tr("impossible"), tr("invalid"))
        case Absence.NO_PART:
            return (tr("none on this card"), tr("none"))
        case Absence.NO_SWAP:
            return (tr("none on this computer"), tr("none"))
        case Absence.LOST:
            return (tr("card lost"), tr("lost"))
        case Absence.UNLISTED:
            return (tr("no longer listed"), tr("not listed"), tr("gone"))
        case Absence.ASLEEP:
            return (tr("card asleep"), tr("asleep"))
        case Absence.NO_ANSWER:
            return (tr("no answer"),)
        case Absence.NO_DRIVER:
            return (tr("no driver"),)
        case Absence.MIG_ON:
            return (tr("known per instance only"), tr("per instance"))
        case Absence.IN_INSTANCE:
            return (tr("known for the whole card only"), tr("whole card only"))
        case Absence.SHARED_MEMORY:
            return (tr("the computer's memory"), tr("shared"))
        case Absence.WINDOWS_KEEPS_IT:
            return (tr("managed by Windows"), tr("by Windows"))
        case Absence.NOT_AVAILABLE:
            return (tr("not known to the driver"), tr("not known"), tr("unknown"))
        case Absence.NO_NEW_SAMPLE:
            return (tr("nothing to measure"), tr("nothing new"))
        case Absence.REFUSED:
            return (tr("refused just now"), tr("refused"))
        case Absence.NOT_YET:
            return (tr("not read yet"), tr("not yet"))
        case Absence.NOT_ASKED:
            return (tr("not read"),)
        case _:
            assert_never(absence)


def explained_absence(label: str, absence: Absence) -> str:
    """ "Fan speed: this card does not report it."; `label` is translated."""
    return tr("{label}: {reason}.", label=label, reason=tr(absence.sentence))


def tells_nothing(reading: Reading) -> str:
    """Why it answers with no figure that a person could use; empty where there is one, or where
    the next reading will bring one.
    """
    why = why_no_figures(reading.values, reading.missing)
    return "" if why is None else tr(why.sentence)


def state_mark(state: CardState) -> Mark | None:
    """What stands beside the name of a card that gives no figures."""
    match state:
        case CardState.WORKING:
            return None
        case CardState.ASLEEP:
            several = mark("{count} asleep")
            return Mark(tr("Asleep"), Tone.QUIET, Icon.ASLEEP, "", several, Matter.ASLEEP)
        case CardState.LOST:
            several = mark("{count} lost")
            return Mark(tr("Lost"), Tone.BAD, Icon.LOST, "", several, Matter.LOST)
        case CardState.UNLISTED:
            several = mark("{count} no longer listed")
            return Mark(tr("Not listed"), Tone.BAD, Icon.LOST, "", several, Matter.UNLISTED)
        case CardState.REFUSED:
            several = mark("{count} without access")
            return Mark(tr("No access"), Tone.WARN, Icon.WARNING, "", several, Matter.REFUSED)
        case CardState.NO_ANSWER:
            several = mark("{count} without an answer")
            return Mark(tr("No answer"), Tone.WARN, Icon.SILENT, "", several, Matter.NO_ANSWER)
        case CardState.NO_DRIVER:
            several = mark("{count} without a driver")
            return Mark(tr("No driver"), Tone.BAD, Icon.LOST, "", several, Matter.NO_DRIVER)
        case _:
            assert_never(state)


# Of several cards.
_SEVERAL = {
    clocks.throttle("hw_thermal_slowdown"): mark("{count} much too hot"),
    clocks.throttle("sw_thermal_slowdown"): mark("{count} too warm"),
    clocks.throttle("hw_power_brake_slowdown"): mark("{count} held back by a power brake"),
    clocks.throttle("hw_slowdown"): mark("{count} slowed down by the hardware"),
}
_HEAT = frozenset(clocks.throttle(f"{by}_thermal_slowdown") for by in ("sw", "hw"))


def throttle_mark(metric: MetricId, tone: Tone, icon: Icon | None = None) -> Mark:
    """Why a card is slower than it could be."""
    return Mark(
        tr(METRICS[metric].label),
        tone,
        icon,
        tr(BRIEFLY.get(metric, "")),
        _SEVERAL.get(metric, ""),
        Matter.HEAT if metric in _HEAT else Matter.OTHER,
    )


def slow_mark() -> Mark:
    several = mark("{count} slow to answer")
    return Mark(tr("Slow to answer"), Tone.WARN, Icon.SILENT, several=several)


def no_figures_mark() -> Mark:
    return Mark(
        tr("Gives no usable figure"),
        Tone.WARN,
        Icon.WARNING,
        tr("No usable figure"),
        mark("{count} without a usable figure"),
    )
