"""Programs that use the cards, the largest first; one row for one on several cards."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import listed, tr, trn
from gpuexplorer.gui.cards.faces import Shown
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.process_words import (
    absence_reason,
    gigabyte,
    gigabytes,
    name_reason,
    percent,
    short_since,
)
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure

_INTERPRETER = re.compile(r"^(python|pypy|ipython)[0-9.]*w?(\.exe)?$", re.IGNORECASE)


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
        parts = [
            trn("Card {numbers}", "Cards {numbers}", len(numbers), numbers=listed(numbers)),
            self.command,
            tr("PID {pid}", pid=self.pid),
        ]
        parts += [self.user.number] if self.user.known else []
        parts.append(f"{self.memory.spoken} {self.unit}" if self.memory.known else "")
        parts += [figure.spoken for figure in (self.busy, self.processor)]
        return ", ".join(part for part in parts if part)


def program_faces(
    processes: Sequence[NamedProcess], shown: Mapping[CardId, Shown], units: Units, now: float
) -> Sequence[ProgramFace]:
    """`now` is the time of day. Those that hold most memory come first."""
    together: dict[tuple[object, ...], list[NamedProcess]] = {}
    for named in processes:
        if named.process.card in shown:
            together.setdefault(_who(named), []).append(named)
    groups = sorted(together.values(), key=_rank)
    return [_face(group, shown, units, now) for group in groups]


def _who(named: NamedProcess) -> tuple[object, ...]:
    """The ranks of one training run have the same command."""
    if named.command is None:
        return named.process.pid, named.process.card
    return named.command, named.user


def _rank(group: Sequence[NamedProcess]) -> tuple[float, float, str]:
    return (
        -sum(named.process.values.get(ProcessFigure.MEMORY, 0.0) for named in group),
        -sum(named.process.values.get(ProcessFigure.SM, 0.0) for named in group),
        group[0].command or "",
    )


def _face(
    group: Sequence[NamedProcess], shown: Mapping[CardId, Shown], units: Units, now: float
) -> ProgramFace:
    first = group[0]
    cards = tuple(dict.fromkeys(named.process.card for named in group))
    pids = sorted({named.process.pid for named in group})
    reason, sentence = name_reason(first)
    unknown = "" if first.resolved else sentence
    started = [named.started_at for named in group if named.started_at is not None]
    pid = str(pids[0]) if len(pids) == 1 else trn("{count} pid", "{count} pids", len(pids))
    memory = _sum(group, ProcessFigure.MEMORY)
    return ProgramFace(
        chips=tuple(Chip(shown[card].number, shown[card].colour) for card in cards),
        cards=cards,
        command=first.command or reason[0],
        known=first.command is not None,
        hint="\n".join(part for part in (first.command, _pids(pids), unknown) if part),
        pid=pid,
        user=_words(tr("User"), first.user or "", sentence),
        memory=_figure(
            group,
            ProcessFigure.MEMORY,
            tr("Memory"),
            None if memory is None else gigabytes(memory, units),
        ),
        unit=gigabyte(units),
        busy=_share(group, ProcessFigure.SM, tr("SM")),
        controller=_share(group, ProcessFigure.MEMORY_CONTROLLER, tr("Ctrl")),
        processor=_processor(group, sentence),
        since=_words(tr("Since"), short_since(min(started), now) if started else "", sentence),
    )


def _words(label: str, text: str, reason: str) -> Figure:
    if text:
        return Figure(label, number=text)
    return Figure(label, absent=("–",), hint=reason)


def _pids(pids: Sequence[int]) -> str:
    return tr("PID {pid}", pid=", ".join(str(pid) for pid in pids))


def _sum(group: Sequence[NamedProcess], figure: ProcessFigure) -> float | None:
    told = [each.process.values[figure] for each in group if figure in each.process.values]
    return sum(told) if told else None


def _share(group: Sequence[NamedProcess], figure: ProcessFigure, label: str) -> Figure:
    """On several cards the mean: no card is busy beyond its whole."""
    total = _sum(group, figure)
    cards = {named.process.card for named in group}
    return _figure(group, figure, label, None if total is None else percent(total / len(cards)))


def _figure(
    group: Sequence[NamedProcess], figure: ProcessFigure, label: str, number: str | None
) -> Figure:
    if number is not None:
        return Figure(label, number=number)
    missing = (named.process.missing.get(figure) for named in group)
    absence = next((each for each in missing if each is not None), Absence.NOT_YET)
    short, sentence = absence_reason(absence)
    return Figure(label, absent=(*short, "–"), hint=sentence)


def _processor(group: Sequence[NamedProcess], reason: str) -> Figure:
    by_pid = {named.process.pid: named.cpu for named in group}
    told = [cpu for cpu in by_pid.values() if cpu is not None]
    if told:
        hint = tr("100 % is one core of the host.")
        return Figure(tr("CPU"), number=percent(sum(told)), hint=hint)
    if group[0].resolved:
        return Figure(tr("CPU"), absent=(tr("with the next look"), tr("soon"), "–"))
    return Figure(tr("CPU"), absent=("–",), hint=reason)


def program_name(command: str) -> str:
    """The script where an interpreter runs one, the module after -m, else the program."""
    words = command.split()
    if not words:
        return command
    name = _base(words[0])
    if not _INTERPRETER.match(name):
        return name
    for at, word in enumerate(words[1:], start=1):
        if word == "-m" and at + 1 < len(words):
            return words[at + 1]
        if word == "-c":
            return name
        if not word.startswith("-"):
            return _base(word)
    return name


def _base(path: str) -> str:
    return (PureWindowsPath(path) if "\\" in path else PurePosixPath(path)).name or path
