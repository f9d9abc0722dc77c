"""Process words: what is said about the programs that use the cards."""

import time
from collections.abc import Mapping, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import Units, memory
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.reasons import as_sentence, short_reasons
from gpuexplorer.telemetry.process_book import BookRow, Standing
from gpuexplorer.telemetry.process_names import ELSEWHERE, SIMULATED, NamedProcess
from gpuexplorer.telemetry.processes import ProcessFigure, ProcessUse

GIB, GB = float(1 << 30), 1e9
READ_ONLY = "Read-only: nothing can be ended from this window."
THIS_WINDOW = "this window"
PID_HOST = (
    "This program runs in a container. The driver tells the pids of the host, and in here they "
    "mean nothing or somebody else, so programs have no names and cannot be ended. To see "
    "them, start the container with `--pid=host`."
)

USES = {
    ProcessUse.COMPUTE: "computes",
    ProcessUse.GRAPHICS: "draws on a screen",
    ProcessUse.BOTH: "computes and draws on a screen",
}

Held = Mapping[str, float | None]  # by the card's number; None where it is not told
Reason = tuple[tuple[str, ...], str]  # at falling length, and as a sentence


def absence_reason(absence: Absence) -> Reason:
    words = short_reasons(absence)
    if absence is Absence.IN_INSTANCE:
        words = (*words, "per card")
    return words, as_sentence(absence.sentence)


def standing_reason(standing: Standing) -> Reason | None:
    """Why a row has no figures at all; None while it is there."""
    match standing:
        case Standing.THERE:
            return None
        case Standing.UNKNOWN:
            return (
                ("not told just now", "not told"),
                "The card does not tell just now who uses it and how.",
            )
        case Standing.LEFT:
            return (
                ("left the card", "left"),
                "It runs on and does not use this card any more.",
            )
        case Standing.ENDED:
            return ("has ended", "ended"), "It has ended."


def name_reason(named: NamedProcess) -> Reason:
    """Why nothing is known of a process but its number."""
    if named.reason == SIMULATED:
        return ("simulated", "–"), "Made up: this computer has no such process."
    if named.reason == ELSEWHERE:
        return (
            ("name not visible in this container", "not visible here", "not here"),
            "Its pid is one of the host's and cannot be looked up in this container.",
        )
    if not named.resolved:
        return (
            ("has ended, or may not be looked at", "not known", "–"),
            "It has ended, or may not be looked at.",
        )
    return ("not known", "–"), "The system does not tell."


def gigabytes(value: float, units: Units) -> str:
    """For a column whose caption has the unit."""
    size = GB if units.decimal_memory else GIB
    return "<0.01" if 0 < value < size / 100 else f"{value / size:.2f}"


def gigabyte(units: Units) -> str:
    return "GB" if units.decimal_memory else "GiB"


def percent(share: float) -> str:
    return f"{share * 100:.0f}"


def short_since(started: float, now: float) -> str:
    """The time of day, or the day where that was another one."""
    then, today = time.localtime(started), time.localtime(now)
    if (then.tm_year, then.tm_yday) == (today.tm_year, today.tm_yday):
        return time.strftime("%H:%M", then)
    if then.tm_year == today.tm_year:
        return f"{then.tm_mday} {time.strftime('%b', then)}"
    return time.strftime("%Y-%m-%d", then)


def long_since(started: float, now: float) -> str:
    then = time.localtime(started)
    moment = f"{then.tm_mday} {time.strftime('%B %Y, %H:%M:%S', then)}"
    return f"Since {moment}, for {lasted(now - started)}"


def lasted(seconds: float) -> str:
    """The two largest parts: "3 days 4 h", "2 h 10 min"."""
    minutes = max(0, int(seconds)) // 60
    if minutes < 1:
        return f"{max(0, int(seconds))} s"
    if minutes < 60:
        return f"{minutes} min"
    hours = minutes // 60
    if hours < 48:
        return f"{hours} h {minutes % 60} min"
    return f"{hours // 24} days {hours % 24} h"


def cards_named(numbers: Sequence[str]) -> str:
    """ "card 0", "cards 0 and 1", "cards 0, 1 and 5"."""
    if len(numbers) == 1:
        return f"card {numbers[0]}"
    return f"cards {listed(numbers)}"


def listed(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def on_cards(held: Held, units: Units) -> list[str]:
    """ "17.9 GiB on card 0", or "card 0" where nobody knows how much."""
    return [
        f"card {number}" if known is None else f"{memory(known, units)} on card {number}"
        for number, known in held.items()
    ]


def counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def parents(cards: Sequence[Shown]) -> Mapping[CardId, CardId]:
    """To which card each instance belongs; a card to itself."""
    return {
        each.card.id: shown.card.id for shown in cards for each in (shown, *shown.instances)
    }


def in_use(rows: Sequence[BookRow]) -> Sequence[NamedProcess]:
    """Who is on a card, as far as anybody knows; once for each card."""
    return [row.named for row in rows if row.standing in _COUNTED]


def pids(processes: Sequence[NamedProcess]) -> frozenset[int]:
    """A process on several cards is one all the same."""
    return frozenset(named.process.pid for named in processes)


def summary(
    rows: Sequence[BookRow],
    shown: int,
    parents: Mapping[CardId, CardId],
    units: Units,
    *,
    simulated: bool,
) -> str:
    """ "5 processes on 2 cards; this window holds no card memory"."""
    there = in_use(rows)
    cards = {parents.get(named.process.card, named.process.card) for named in there}
    if not there:
        return ""
    count = counted(len(pids(there)), "process", "processes")
    words = f"{count} on {counted(len(cards), 'card')}"
    if shown < len(rows):
        words = f"{shown} of {counted(len(rows), 'row')} shown; {words}"
    if simulated:
        return f"{words}, all made up"
    ours = [named for named in there if named.ours]
    held = sum(named.process.values.get(ProcessFigure.MEMORY, 0.0) for named in ours)
    if not ours:
        return f"{words}; this window holds no card memory"
    return f"{words}; this window holds {memory(held, units)}"


_COUNTED = (Standing.THERE, Standing.UNKNOWN)
