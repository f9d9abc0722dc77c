"""What the screen of a card says: of its past, and how what a fact says can be changed.

This program never sets anything itself: it shows the commands that do.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import energy
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.cards.facts import Fact, FactGroup, HowTo, TerminalCommand
from gpuexplorer.gui.cards.reasons import span_words
from gpuexplorer.gui.cards.throttling import EnergyUsed, SlowedTime, time_covered
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.backend import Source

_COUNTED = mark("Energy the card used, as it counts it itself.")
_ADDED_UP = mark("Added up from its power, since this card does not count energy.")
_SWAP_FILE = """sudo fallocate -l 8G /swapfile
sudo chmod 600 /swapfile
sudo mkswap /swapfile
sudo swapon /swapfile"""
_SWAP_KEPT = "echo '/swapfile none swap sw 0 0' | sudo tee -a /etc/fstab"


def with_commands(
    groups: Sequence[FactGroup], card: Card, values: Mapping[MetricId, float]
) -> list[FactGroup]:
    """The same facts, with the commands of nvidia-smi at those that can be set by it."""
    if card.kind is not CardKind.GPU or card.nameless:
        return list(groups)  # a MIG instance has only its card's settings
    found = {key: how for key, how in _settings(card, values).items() if key in values}
    return [
        replace(
            group,
            facts=tuple(
                replace(fact, how=found[MetricId(fact.key)]) if fact.key in found else fact
                for fact in group.facts
            ),
        )
        for group in groups
    ]


def _settings(card: Card, values: Mapping[MetricId, float]) -> Mapping[MetricId, HowTo]:
    def number(metric: MetricId, size: float = 1.0) -> str:
        return f"{values.get(metric, 0.0) / size:.0f}"

    def how(title: str, sentence: str, *commands: tuple[str, str]) -> HowTo:
        front = "" if sys.platform == "win32" else "sudo "
        lines = [
            TerminalCommand(what, f"{front}nvidia-smi -i {card.id} {o}") for what, o in commands
        ]
        more = tr(
            "It lasts until the driver is loaded again, for everybody who uses the computer."
        )
        if card.simulated:
            more = tr("This card is simulated: this is what one would type for a real one.")
        return HowTo(title, tuple(each for each in (sentence, more) if each), tuple(lines))

    bounds = ""
    if m.POWER_LIMIT_MIN in values and m.POWER_LIMIT_MAX in values:
        bounds = tr(
            "Between {lowest} and {highest} W on this card.",
            lowest=number(m.POWER_LIMIT_MIN),
            highest=number(m.POWER_LIMIT_MAX),
        )
    watts = number(m.POWER_LIMIT)
    power = [
        (
            tr("Put the watts you want in place of {watts}:", watts=watts),
            f"-pl {watts}",
        )
    ]
    default = values.get(m.POWER_LIMIT_DEFAULT)
    if default not in (None, values.get(m.POWER_LIMIT)):
        power.append((tr("Back to the default:"), f"-pl {default:.0f}"))
    graphics = (
        tr("Hold it at the highest:"),
        f"-lgc {number(m.CLOCK_SM_MAX, 1e6)}",
    )
    memory = (
        tr("Hold it at the highest:"),
        f"-lmc {number(m.CLOCK_MEMORY_MAX, 1e6)}",
    )
    slower = tr(
        "Slower clocks, in MHz, save power; “nvidia-smi -q -d SUPPORTED_CLOCKS” lists those "
        "that a card has."
    )
    on = values.get(m.PERSISTENCE_MODE, 0.0) > 0
    settings = {
        m.POWER_LIMIT: how(tr("Change the power limit"), bounds, *power),
        m.CLOCK_SM: how(
            tr("Hold the graphics and SM clock"),
            paragraph((tr("For cards since Volta."), slower)),
            *([graphics] if m.CLOCK_SM_MAX in values else []),
            (tr("Let it change by itself again:"), "-rgc"),
        ),
        m.CLOCK_MEMORY: how(
            tr("Hold the memory clock"),
            paragraph((tr("For cards since Ampere."), slower)),
            *([memory] if m.CLOCK_MEMORY_MAX in values else []),
            (tr("Let it change by itself again:"), "-rmc"),
        ),
    }
    if sys.platform != "win32":  # there is no such mode on Windows
        settings[m.PERSISTENCE_MODE] = how(
            tr("Turn persistence mode off") if on else tr("Turn persistence mode on"),
            tr("With it the driver stays loaded while no program uses the card."),
            (tr("In a terminal:"), f"-pm {0 if on else 1}"),
        )
    return settings


def swap_how_to() -> HowTo:
    """Where there is none."""
    title = tr("Turn swap on")
    why = tr("Swap lets the system move what is rarely used from memory to the disk.")
    match sys.platform:
        case "linux":
            without = tr("Without it, a program that asks for too much memory is ended.")
            return HowTo(
                title,
                (why, without, tr("On Btrfs, “btrfs filesystem mkswapfile” makes the file.")),
                (
                    TerminalCommand(tr("A file of 8 GiB, until the next restart:"), _SWAP_FILE),
                    TerminalCommand(tr("After each restart too:"), _SWAP_KEPT),
                ),
            )
        case "win32":
            where = tr(
                "Windows calls it the paging file: System, Advanced system settings, "
                "Performance, Advanced, Virtual memory."
            )
        case _:
            where = tr("This system turns it on by itself when it needs it.")
    return HowTo(title, (why, where), ())


def plots_title(window: TimeWindow) -> str:
    """ "Last 5 min", or from when to when where one looks back."""
    start, end = window.stretch()
    if window.following:
        return tr("Last {span}", span=span_words(end - start))
    return window.moments()


def origin_words(shown: Shown, source: Source) -> str:
    """Whose figures a picture or a file has."""
    if shown.host:
        return tr("{title}, read from its operating system", title=shown.title)
    return tr(
        "{card}, card {number}; {source}",
        card=shown.card.name,
        number=shown.number,
        source=source.label,
    )


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
    read = energy(used.joules)
    how = _COUNTED if used.counted else _ADDED_UP
    return Fact(key, label, read.number, read.unit, hint=tr(how))


def _nothing_read() -> tuple[str, str]:
    return tr("nothing recorded in it"), tr("not recorded")


def spoken_time(seconds: float) -> str:
    """ "1 min 15 s", "24 h", "0.4 s": times a person compares, not instrument readings."""
    if seconds < 10:
        return f"{round(max(seconds, 0.1), 1):g} s"
    return span_words(seconds)
