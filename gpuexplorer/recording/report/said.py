"""Tables of what others did: who used the cards, what was measured, and what the lab ran."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import bytes_words, duration
from gpuexplorer.core.words import listed, tr
from gpuexplorer.lab.cell_said import error_words, time_words
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import command_of, event_of
from gpuexplorer.recording.report.card_sums import CardSums
from gpuexplorer.recording.report.courses import Courses
from gpuexplorer.recording.report.tables import MOST_ROWS, NO_FIGURE, Table, left_out, moment
from gpuexplorer.recording.told import ProgramSeen, Said, Topic, Turn
from gpuexplorer.telemetry.processes import ProcessFigure

_LOOKS = 200  # at who uses the cards, beside those when that changed


@dataclass(slots=True)
class _Use:
    seen: ProgramSeen
    first: float
    cards: dict[str, None] = field(default_factory=dict)
    seconds: float = 0.0
    most: float | None = None


def program_table(courses: Courses, cards: Sequence[CardSums]) -> Table:
    uses: dict[int, _Use] = {}
    size = (courses.end - courses.start) / _LOOKS
    looks = {courses.start + size * each for each in range(_LOOKS)}
    looks |= {at for at, _ in courses.recording.turns(Turn.PROCESSES)}
    within = sorted(each for each in looks if courses.start <= each <= courses.end)
    for at, following in pairwise([*within, courses.end]):
        for card in cards:
            for seen in courses.recording.processes(card.card.id, at) or ():
                use = uses.setdefault(seen.subject, _Use(seen, at))
                use.cards[card.number] = None
                use.seconds += following - at
                memory = seen.values.get(ProcessFigure.MEMORY)
                use.most = max(use.most or 0.0, memory) if memory is not None else use.most
    longest = sorted(uses.values(), key=lambda each: -each.seconds)[:MOST_ROWS]
    rows = [
        (
            each.seen.facts.command or tr("a program without a name"),
            str(each.seen.facts.pid),
            each.seen.facts.user or NO_FIGURE,
            listed(list(each.cards)),
            moment(courses, each.first),
            str(duration(each.seconds)),
            NO_FIGURE if each.most is None else bytes_words(each.most),
        )
        for each in longest
    ]
    heads = (
        *(tr("Program"), tr("Process"), tr("User"), tr("Card"), tr("First seen")),
        *(tr("For"), tr("Most memory")),
    )
    return Table(tr("Programs"), "lrlllrr", heads, rows, left_out(len(rows), len(uses)))


def copy_table(courses: Courses) -> Table:
    told = [(e.at, _object(e.text)) for e in _said(courses) if e.what is Topic.COPY]
    arrived = {True: tr("intact"), False: tr("WRONG")}
    rows = [
        (
            moment(courses, at),
            f"{copy.get('source')} → {copy.get('target')}",
            bytes_words(size) if isinstance(size := copy.get("bytes"), int) else NO_FIGURE,
            *(_rate(copy.get(each)) for each in ("rate_gbs", "limit_gbs")),
            tr("modelled")
            if copy.get("modelled")
            else arrived.get(
                copy.get("intact") is True or copy.get("intact"), tr("not checked")
            ),
        )
        for at, copy in told[-MOST_ROWS:]
    ]
    heads = (
        *(tr("When"), tr("Way"), tr("Bytes"), tr("Rate"), tr("The wire could")),
        tr("Arrived"),
    )
    return Table(tr("Copies"), "llrrrl", heads, rows, left_out(len(rows), len(told)))


def cell_table(courses: Courses) -> Table:
    ledger, sent = Ledger(), dict[int, float]()
    for said in _said(courses):
        try:
            if said.what is Topic.CELL:
                command = command_of(said.text)
                ledger.sent(command)
                sent[command.id] = said.at
            elif said.what is Topic.EVENT:
                ledger.apply(event_of(said.text))
        except Trouble:
            continue  # of another version, or damaged: the rest is shown
    rows = [
        (
            moment(courses, sent[each.id]),
            str(each.number),
            each.code.strip(),
            error_words(each.failed) if each.failed else " · ".join(time_words(each)),
            str(sum(one.copies for one in each.transfers if not one.already_there)),
        )
        for each in ledger.cells[-MOST_ROWS:]
    ]
    heads = (tr("When"), tr("Cell"), tr("Code"), tr("What came of it"), tr("Copies"))
    note = left_out(len(rows), len(ledger.cells))
    return Table(tr("Cells of the lab"), "lrllr", heads, rows, note)


def _said(courses: Courses) -> Iterator[Said]:
    return (e for e in courses.recording.said() if courses.start <= e.at <= courses.end)


def _rate(told: object) -> str:
    return f"{told:.3g} GB/s" if isinstance(told, float) else NO_FIGURE


def _object(text: str) -> Mapping[str, object]:
    try:
        told = json.loads(text)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
