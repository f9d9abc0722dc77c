"""Process words: what is said about the programs that use the cards."""

import time
from collections.abc import Mapping, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.faces import Shown
from gpuexplorer.gui.cards.reasons import short_reasons
from gpuexplorer.telemetry.process_book import Standing
from gpuexplorer.telemetry.processes import NamedProcess

GIB, GB = float(1 << 30), 1e9
Reason = tuple[tuple[str, ...], str]  # at falling length, and as a sentence


def absence_reason(absence: Absence) -> Reason:
    words = short_reasons(absence)
    if absence is Absence.IN_INSTANCE:
        words = (*words, tr("per card"))
    return words, tr("Not known: {reason}.", reason=tr(absence.sentence))


def standing_reason(standing: Standing) -> Reason | None:
    """Why a row has no figures at all; None while it is there."""
    match standing:
        case Standing.THERE:
            return None
        case Standing.UNKNOWN:
            return (
                (tr("not known just now"), tr("not known")),
                tr("The card does not report just now which programs use it."),
            )
        case Standing.LEFT:
            return (
                (tr("left the card"), tr("left")),
                tr("It runs on and does not use this card any more."),
            )
        case Standing.ENDED:
            return (tr("has ended"), tr("ended")), tr("It has ended.")


def name_reason(named: NamedProcess) -> Reason:
    """Why nothing is known of a process but its number."""
    if named.simulated:
        return (tr("simulated"), "–"), tr("Made up: there is no such process.")
    if named.elsewhere:
        return (
            (
                tr("name not visible in this container"),
                tr("not visible here"),
                tr("not here"),
            ),
            tr("Its pid is one of the host's and cannot be looked up in this container."),
        )
    if not named.resolved:
        return (
            (tr("has ended, or may not be looked at"), tr("not known"), "–"),
            tr("It has ended, or may not be looked at."),
        )
    return (tr("not known"), "–"), tr("The system does not report it.")


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


def processes_counted(count: int) -> str:
    return trn("{count} process", "{count} processes", count)


def cards_counted(count: int) -> str:
    return trn("{count} card", "{count} cards", count)


def parents(cards: Sequence[Shown]) -> Mapping[CardId, CardId]:
    """To which card each instance belongs; a card to itself."""
    return {
        each.card.id: shown.card.id for shown in cards for each in (shown, *shown.instances)
    }


def pids(processes: Sequence[NamedProcess]) -> frozenset[int]:
    """A process on several cards is one all the same."""
    return frozenset(named.process.pid for named in processes)


def on_how_many(processes: Sequence[NamedProcess], parents: Mapping[CardId, CardId]) -> str:
    """ "5 processes on 2 cards"; empty where there are none."""
    if not processes:
        return ""
    cards = {parents.get(named.process.card, named.process.card) for named in processes}
    return tr(
        "{processes} on {cards}",
        processes=processes_counted(len(pids(processes))),
        cards=cards_counted(len(cards)),
    )
