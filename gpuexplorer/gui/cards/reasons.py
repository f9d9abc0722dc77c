"""Reasons: how a card is and why a figure is missing, in the few words that fit there."""

from dataclasses import dataclass
from enum import Enum, auto

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import METRICS, MetricId, throttle
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.card_course import BRIEFLY, why_no_figures
from gpuexplorer.telemetry.facts import Reading

# The gravest first.
HARMFUL = tuple(
    throttle(reason)
    for reason in (
        "hw_thermal_slowdown",
        "hw_power_brake_slowdown",
        "hw_slowdown",
        "sw_thermal_slowdown",
    )
)
# A busy card is held back by one of these as a rule, and nothing is wrong with it.
ORDINARY = tuple(throttle(reason) for reason in ("sw_power_cap", "sync_boost"))


class Matter(Enum):
    """What a mark is about, where more is said of it elsewhere."""

    OTHER = auto()
    LOST = auto()
    UNLISTED = auto()
    REFUSED = auto()
    ASLEEP = auto()
    NO_ANSWER = auto()
    NO_DRIVER = auto()
    NO_CONNECTION = auto()
    HEAT = auto()
    LINK = auto()


@dataclass(frozen=True, slots=True)
class StateMark:
    """How the card is, at the right of its name: "Lost", "At its power limit", "Idle"."""

    word: str
    tone: Tone
    icon: Icon | None = None
    brief: str = ""  # for a narrow tile
    several: str = ""  # "{count} lost": a template for several cards
    matter: Matter = Matter.OTHER


# At falling length; each is understood without the others.
_SHORT_REASONS = {
    Absence.NOT_SUPPORTED: (
        mark("not reported by this card"),
        mark("not reported"),
        mark("no figure"),
    ),
    Absence.NOT_IN_DRIVER: (mark("not in this driver"), mark("old driver")),
    Absence.NO_PERMISSION: (mark("no permission"), mark("no access"), mark("denied")),
    Absence.NEEDS_TWO: (mark("with the next reading"), mark("soon")),
    Absence.TOO_SOON: (mark("with the next reading"), mark("soon")),
    Absence.IMPOSSIBLE: (mark("impossible figure"), mark("impossible"), mark("invalid")),
    Absence.NO_PART: (mark("none on this card"), mark("none")),
    Absence.NO_SWAP: (mark("no swap space"), mark("none")),
    Absence.LOST: (mark("card lost"), mark("lost")),
    Absence.UNLISTED: (mark("no longer listed"), mark("not listed"), mark("gone")),
    Absence.ASLEEP: (mark("card asleep"), mark("asleep")),
    Absence.NO_ANSWER: (mark("no answer"),),
    Absence.NO_DRIVER: (mark("no driver"),),
    Absence.NO_CONNECTION: (mark("no connection"), mark("offline")),
    Absence.MIG_ON: (mark("known per instance only"), mark("per instance")),
    Absence.IN_INSTANCE: (mark("known for the whole card only"), mark("whole card only")),
    Absence.SHARED_MEMORY: (mark("the computer's memory"), mark("shared")),
    Absence.WINDOWS_KEEPS_IT: (mark("managed by Windows"), mark("by Windows")),
    Absence.NOT_AVAILABLE: (
        mark("not known to the driver"),
        mark("not known"),
        mark("unknown"),
    ),
    Absence.NO_NEW_SAMPLE: (mark("nothing to measure"), mark("nothing new")),
    Absence.REFUSED: (mark("refused just now"), mark("refused")),
    Absence.NOT_YET: (mark("not read yet"), mark("not yet")),
    Absence.NOT_ASKED: (mark("not read"),),
    Absence.NOT_TOLD: (mark("not told by the exporter"), mark("not told")),
    Absence.NO_NEW_VALUE: (mark("no new value"), mark("too old")),
}


def short_reasons(absence: Absence) -> tuple[str, ...]:
    return tuple(map(tr, _SHORT_REASONS[absence]))


def explained_absence(label: str, absence: Absence) -> str:
    """ "Fan speed: this card does not report it."; `label` is translated."""
    return tr("{label}: {reason}.", label=label, reason=tr(absence.sentence))


def tells_nothing(reading: Reading) -> str:
    """Why it answers with no figure that a person could use; empty where there is one, or where
    the next reading will bring one.
    """
    why = why_no_figures(reading.values, reading.missing)
    return "" if why is None else tr(why.sentence)


# The word, how grave it is, the sign, of several cards, and what it is about.
_STATES = {
    CardState.ASLEEP: (
        *(mark("Asleep"), Tone.QUIET, Icon.ASLEEP),
        *(mark("{count} asleep"), Matter.ASLEEP),
    ),
    CardState.LOST: (
        *(mark("Lost"), Tone.BAD, Icon.LOST),
        *(mark("{count} lost"), Matter.LOST),
    ),
    CardState.UNLISTED: (
        *(mark("Not listed"), Tone.BAD, Icon.LOST),
        *(mark("{count} no longer listed"), Matter.UNLISTED),
    ),
    CardState.REFUSED: (
        *(mark("No access"), Tone.WARN, Icon.WARNING),
        *(mark("{count} without access"), Matter.REFUSED),
    ),
    CardState.NO_ANSWER: (
        *(mark("No answer"), Tone.WARN, Icon.SILENT),
        *(mark("{count} without an answer"), Matter.NO_ANSWER),
    ),
    CardState.NO_DRIVER: (
        *(mark("No driver"), Tone.BAD, Icon.LOST),
        *(mark("{count} without a driver"), Matter.NO_DRIVER),
    ),
    CardState.NO_CONNECTION: (
        *(mark("No connection"), Tone.WARN, Icon.SILENT),
        *(mark("{count} without a connection"), Matter.NO_CONNECTION),
    ),
}


def state_mark(state: CardState) -> StateMark | None:
    """What stands beside the name of a card that gives no figures."""
    if state is CardState.WORKING:
        return None
    word, tone, icon, several, matter = _STATES[state]
    return StateMark(tr(word), tone, icon, "", several, matter)


# Of several cards.
_SEVERAL = {
    throttle("hw_thermal_slowdown"): mark("{count} much too hot"),
    throttle("sw_thermal_slowdown"): mark("{count} too warm"),
    throttle("hw_power_brake_slowdown"): mark("{count} held back by a power brake"),
    throttle("hw_slowdown"): mark("{count} slowed down by the hardware"),
}
_HEAT = frozenset(throttle(f"{by}_thermal_slowdown") for by in ("sw", "hw"))


def throttle_mark(metric: MetricId, tone: Tone, icon: Icon | None = None) -> StateMark:
    """Why a card is slower than it could be."""
    return StateMark(
        tr(METRICS[metric].label),
        tone,
        icon,
        tr(BRIEFLY.get(metric, "")),
        _SEVERAL.get(metric, ""),
        Matter.HEAT if metric in _HEAT else Matter.OTHER,
    )


def slow_mark() -> StateMark:
    several = mark("{count} slow to answer")
    return StateMark(tr("Slow to answer"), Tone.WARN, Icon.SILENT, several=several)


def no_figures_mark() -> StateMark:
    return StateMark(
        tr("Gives no usable figure"),
        Tone.WARN,
        Icon.WARNING,
        tr("No usable figure"),
        mark("{count} without a usable figure"),
    )
