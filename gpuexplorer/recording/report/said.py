"""Tables of what others did: who used the cards, what was measured, and what the lab ran."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.units import bytes_words, duration
from gpuexplorer.core.words import listed, tr
from gpuexplorer.lab.cell_said import error_words, time_words
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.recording.lab_said import EVENTS, Sent, noted_of
from gpuexplorer.recording.report.card_sums import CardSums
from gpuexplorer.recording.report.courses import Courses
from gpuexplorer.recording.report.tables import MOST_ROWS, NO_FIGURE, Table, left_out, moment
from gpuexplorer.recording.told import Said, Topic, Turn
from gpuexplorer.telemetry.processes import ProcessFigure

_LOOKS = 200  # at who uses the cards, beside those when that changed


@dataclass(slots=True)
class _Use:
    """Of the cards, by all processes of one name and user."""

    first: float
    pids: dict[int, None] = field(default_factory=dict)
    cards: dict[str, None] = field(default_factory=dict)
    seconds: float = 0.0
    most: float | None = None


def program_table(courses: Courses, cards: Sequence[CardSums]) -> Table:
    uses: dict[tuple[str, str], _Use] = {}
    size = (courses.end - courses.start) / _LOOKS
    looks = {courses.start + size * each for each in range(_LOOKS)}
    looks |= {at for at, _ in courses.recording.turns(Turn.PROCESSES)}
    within = sorted(each for each in looks if courses.start <= each <= courses.end)
    for at, following in pairwise([*within, courses.end]):
        users = set()
        for card in cards:
            for seen in courses.recording.processes(card.card.id, at) or ():
                facts = seen.facts
                who = (facts.command or tr("a program without a name"), facts.user or NO_FIGURE)
                use = uses.setdefault(who, _Use(at))
                use.pids[facts.pid] = use.cards[card.number] = None
                memory = seen.values.get(ProcessFigure.MEMORY)
                use.most = max(use.most or 0.0, memory) if memory is not None else use.most
                users.add(who)
        for who in users:
            uses[who].seconds += following - at
    longest = sorted(uses.items(), key=lambda each: -each[1].seconds)[:MOST_ROWS]
    rows = [
        (
            *who,
            str(*use.pids)
            if len(use.pids) == 1
            else tr("{count} of them", count=len(use.pids)),
            listed(list(use.cards)),
            moment(courses, use.first),
            str(duration(use.seconds)),
            NO_FIGURE if use.most is None else bytes_words(use.most),
        )
        for who, use in longest
    ]
    heads = (
        *(tr("Program"), tr("User"), tr("Process"), tr("Cards"), tr("First seen")),
        *(tr("For"), tr("Most memory of one")),
    )
    return Table(tr("Programs"), "llrllrr", heads, rows, left_out(len(rows), len(uses)))


def copy_table(courses: Courses) -> Table:
    told = [(e.at, _object(e.text)) for e in _said(courses) if e.what is Topic.COPY]
    rows = [
        (
            moment(courses, at),
            f"{copy.get('source')} → {copy.get('target')}",
            bytes_words(size) if isinstance(size := copy.get("bytes"), int) else NO_FIGURE,
            *(_rate(copy.get(each)) for each in ("rate_gbs", "limit_gbs")),
            _arrived(copy),
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
            noted = noted_of(said.what, said.text)
        except UnreadableError:
            continue  # of another version, or damaged: the rest is shown
        if isinstance(noted, Sent) and not (noted.past or noted.again):
            ledger.sent(noted.command)
            sent[noted.id] = said.at
        elif isinstance(noted, EVENTS):
            ledger.apply(noted)
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


def _arrived(copy: Mapping[str, object]) -> str:
    if copy.get("modelled"):
        return tr("modelled")
    intact = copy.get("intact")
    return tr("not checked") if intact is None else tr("intact") if intact else tr("WRONG")


def _rate(told: object) -> str:
    return f"{told:.3g} GB/s" if isinstance(told, float) else NO_FIGURE


def _object(text: str) -> Mapping[str, object]:
    try:
        told = json.loads(text)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
