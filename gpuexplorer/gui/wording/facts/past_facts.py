"""What history says of a card's health: how long it was slowed, how much energy it used."""

from gpuexplorer.core.catalogue.heat_and_power import ENERGY
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import quantity
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.energy_used import EnergyUsed, time_covered
from gpuexplorer.gui.wording.cards.throttling import SlowedTime
from gpuexplorer.gui.wording.facts.fact import Fact
from gpuexplorer.gui.wording.moments import span_words


def slowed_fact(slowed: SlowedTime | None, span: float) -> Fact:
    """In the visible stretch, and how much of that was recorded at all."""
    label = tr("Throttled in {span}", span=spoken_time(span))
    meaning = tr(
        "How long in the visible stretch of time the card was slowed by heat, by its power "
        "limit, by the power supply or by its group."
    )
    if slowed is None:
        return Fact("slowed", label, absent=_nothing_read(), hint=meaning)
    parts = [
        tr("{reason}: {time}", reason=tr(METRICS[reason].label), time=spoken_time(seconds))
        for reason, seconds in slowed.by_reason.items()
    ]
    whole = time_covered(slowed.recorded, span) == span
    # What nobody read must not be called a time without trouble.
    nothing = tr("never") if whole else "0 s"
    return Fact(
        "slowed",
        label,
        spoken_time(slowed.seconds) if slowed.seconds > 0 else nothing,
        "" if whole else tr("of {time} read", time=spoken_time(slowed.recorded)),
        hint="\n".join([meaning, *parts]),
        tone=Tone.WARN if slowed.harmful else Tone.TEXT,
    )


def energy_in(span: float, used: EnergyUsed | None) -> Fact:
    """In the visible stretch, as far as it was read."""
    covered = span if used is None else time_covered(used.seconds, span)
    return energy_fact("energy_span", tr("Energy in {span}", span=spoken_time(covered)), used)


def energy_fact(key: str, label: str, used: EnergyUsed | None) -> Fact:
    if used is None:
        meaning = tr("How much energy the card used.")
        return Fact(key, label, absent=_nothing_read(), hint=meaning)
    read = quantity(METRICS[ENERGY], used.joules)
    how = _COUNTED if used.counted else _ADDED_UP
    return Fact(key, label, read.number, read.unit, hint=tr(how))


_COUNTED = mark("Energy the card used, as it counts it itself.")
_ADDED_UP = mark("Added up from its power, since this card does not count energy.")


def _nothing_read() -> tuple[str, str]:
    return tr("nothing recorded in it"), tr("not recorded")


def spoken_time(seconds: float) -> str:
    """ "1 min 15 s", "24 h", "0.4 s": times a person compares, not instrument readings."""
    if seconds < 10:
        return f"{round(max(seconds, 0.1), 1):g} s"
    return span_words(seconds)
