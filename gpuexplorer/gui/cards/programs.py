"""Programs that use the cards, one row for one on several, and what is said of processes."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.axes import day_word
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import GIB, Units
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.reasons import short_reasons
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.telemetry.process_book import Standing
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure

GB = 1e9
Reason = tuple[tuple[str, ...], str]  # a word, and a sentence


@dataclass(frozen=True, slots=True)
class ProgramFace:
    """One row: a program, on one card or on several."""

    chips: tuple[Chip, ...]
    cards: tuple[CardId, ...]
    command: str
    known: bool  # False: the words in the command's place say why it is not
    hint: str
    pid: str
    user: Figure
    memory: Figure  # its unit stands once for all rows
    unit: str
    busy: Figure
    controller: Figure
    processor: Figure
    since: Figure

    @property
    def spoken(self) -> str:
        numbers = [chip.text for chip in self.chips]
        cards = trn("Card {numbers}", "Cards {numbers}", len(numbers), numbers=listed(numbers))
        memory = f"{self.memory.spoken} {self.unit}" if self.memory.known else ""
        said = [cards, self.command, tr("PID {pid}", pid=self.pid), self.user.number, memory]
        return ", ".join(filter(None, (*said, self.busy.spoken, self.processor.spoken)))


def program_faces(
    processes: Sequence[NamedProcess], shown: Mapping[CardId, Shown], units: Units, now: float
) -> Sequence[ProgramFace]:
    """`now` is the time of day. Those that hold most memory come first."""
    together: dict[tuple[object, ...], list[NamedProcess]] = {}
    for named in processes:
        if named.process.card in shown:
            alone = named.process.pid, named.process.card
            # The ranks of one training run have the same command.
            who = alone if named.command is None else (named.command, named.user)
            together.setdefault(who, []).append(named)

    def rank(group: Sequence[NamedProcess]) -> tuple[float, float, str]:
        memory, busy = (_sum(group, e) or 0.0 for e in (ProcessFigure.MEMORY, ProcessFigure.SM))
        return -memory, -busy, group[0].command or ""

    return [_face(group, shown, units, now) for group in sorted(together.values(), key=rank)]


def _face(
    group: Sequence[NamedProcess], shown: Mapping[CardId, Shown], units: Units, now: float
) -> ProgramFace:
    first, (reason,), sentence = group[0], *name_reason(group[0])
    cards = tuple(dict.fromkeys(named.process.card for named in group))
    pids = sorted({named.process.pid for named in group})
    started = [named.started_at for named in group if named.started_at is not None]
    cores = {named.process.pid: named.cpu for named in group if named.cpu is not None}

    def of_system(label: str, text: str) -> Figure:
        return Figure(label, text) if text else Figure(label, absent=("–",), hint=sentence)

    def of_card(label: str, which: ProcessFigure) -> Figure:
        """On several cards the mean of their shares: none is busy beyond its whole."""
        if (total := _sum(group, which)) is None:
            missing = (named.process.missing.get(which) for named in group)
            word, why = absence_reason(next(filter(None, missing), Absence.NOT_YET))
            return Figure(label, absent=word, hint=why)
        memory = which is ProcessFigure.MEMORY
        return Figure(label, gigabytes(total, units) if memory else percent(total / len(cards)))

    processor = of_system(tr("CPU"), percent(sum(cores.values())) if cores else "")
    if first.resolved and not cores:
        processor = Figure(tr("CPU"), absent=(tr("soon"),))
    pid = tr("PID {pid}", pid=", ".join(map(str, pids)))
    hint = (first.command, pid, "" if first.resolved else sentence)
    return ProgramFace(
        chips=tuple(Chip(shown[card].number, shown[card].colour) for card in cards),
        cards=cards,
        command=first.command or reason,
        known=first.command is not None,
        hint="\n".join(filter(None, hint)),
        pid=str(*pids) if len(pids) == 1 else trn("{count} pid", "{count} pids", len(pids)),
        user=of_system(tr("User"), first.user or ""),
        memory=of_card(tr("Memory"), ProcessFigure.MEMORY),
        unit=gigabyte(units),
        busy=of_card(tr("SM"), ProcessFigure.SM),
        controller=of_card(tr("Ctrl"), ProcessFigure.MEMORY_CONTROLLER),
        processor=processor,
        since=of_system(tr("Since"), short_since(min(started), now) if started else ""),
    )


def _sum(group: Sequence[NamedProcess], figure: ProcessFigure) -> float | None:
    told = [each.process.values[figure] for each in group if figure in each.process.values]
    return sum(told) if told else None


def absence_reason(absence: Absence) -> Reason:
    return short_reasons(absence), tr("Not known: {reason}.", reason=tr(absence.sentence))


def standing_reason(standing: Standing) -> Reason | None:
    """Why a row has no figures at all; None while it is there."""
    whys = {
        Standing.UNKNOWN: mark("The card does not report just now which programs use it."),
        Standing.LEFT: mark("It runs on and does not use this card any more."),
        Standing.ENDED: mark("It has ended."),
    }
    return ((tr(standing.value),), tr(whys[standing])) if standing in whys else None


def name_reason(named: NamedProcess) -> Reason:
    """Why nothing is known of a process but its number."""
    word, why = mark("not known"), mark("The system does not report it.")
    if named.simulated:
        word, why = mark("simulated"), mark("Made up: there is no such process.")
    elif named.elsewhere:
        word = mark("not visible here")
        why = mark("Its pid is one of the host's and cannot be looked up in this container.")
    elif not named.resolved:
        why = mark("It has ended, or may not be looked at.")
    return (tr(word),), tr(why)


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
    if then[:3] == today[:3]:
        return time.strftime("%H:%M", then)
    if then.tm_year != today.tm_year:
        return time.strftime("%Y-%m-%d", then)
    return day_word(started)


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
    cards = {parents.get(named.process.card, named.process.card) for named in processes}
    words = processes_counted(len(pids(processes))), cards_counted(len(cards))
    return tr("{processes} on {cards}", processes=words[0], cards=words[1]) if cards else ""
