"""What history tells of a card's health: how long it was slowed, how much energy it used."""

from gpuexplorer.core.catalogue.heat_and_power import ENERGY
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import quantity
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.energy_used import EnergyUsed
from gpuexplorer.gui.wording.cards.throttling import SlowedTime
from gpuexplorer.gui.wording.facts.fact import Fact
from gpuexplorer.gui.wording.moments import span_words

_NOTHING_READ = ("nothing recorded in it", "not recorded")
# Rounding of beats is no gap in the recording.
_WHOLE = 0.97


def slowed_fact(slowed: SlowedTime | None, span: float) -> Fact:
    """Of the visible stretch, and how much of it was recorded at all."""
    label = f"Throttled in {spoken_time(span)}"
    meaning = (
        "How long in the visible stretch of time the card was slowed by heat, by its power "
        "limit, by the power supply or by its group."
    )
    if slowed is None:
        return Fact("slowed", label, absent=_NOTHING_READ, hint=meaning)
    parts = "".join(
        f"\n{METRICS[reason].label}: {spoken_time(seconds)}"
        for reason, seconds in slowed.by_reason.items()
    )
    whole = slowed.recorded >= span * _WHOLE
    # What nobody read must not be called a time without trouble.
    nothing = "never" if whole else "0 s"
    return Fact(
        "slowed",
        label,
        spoken_time(slowed.seconds) if slowed.seconds > 0 else nothing,
        "" if whole else f"of {spoken_time(slowed.recorded)} read",
        hint=meaning + parts,
        tone=Tone.WARN if slowed.harmful else Tone.TEXT,
    )


def energy_fact(key: str, label: str, used: EnergyUsed | None) -> Fact:
    if used is None:
        meaning = "How much energy the card used."
        return Fact(key, label, absent=_NOTHING_READ, hint=meaning)
    read = quantity(METRICS[ENERGY], used.joules)
    how = _COUNTED if used.counted else _ADDED_UP
    return Fact(key, label, read.number, read.unit, hint=how)


_COUNTED = "Energy the card used, as it counts it itself."
_ADDED_UP = "Added up from its power, since this card does not count energy."


def spoken_time(seconds: float) -> str:
    """ "1 min 15 s", "24 h", "0.4 s": times a person compares, not instrument readings."""
    if seconds < 10:
        return f"{max(seconds, 0.1):.1f}".removesuffix(".0") + " s"
    return span_words(seconds)
