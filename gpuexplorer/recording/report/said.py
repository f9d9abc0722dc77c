"""Tables of what others did: who used the cards, what was measured, and what the lab ran."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.units import bytes_words, duration, rate
from gpuexplorer.core.words import listed, tr
from gpuexplorer.lab.cell_said import error_words, time_words
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.recording.lab_said import EVENTS, LabBegan, Sent, noted_of
from gpuexplorer.recording.report.card_sums import CardSums
from gpuexplorer.recording.report.courses import Courses
from gpuexplorer.recording.report.tables import MOST_ROWS, NO_FIGURE, Table, left_out, moment
from gpuexplorer.recording.told import Turn
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


def lab_tables(courses: Courses) -> Sequence[Table]:
    """Measured copies, and the cells of the lab."""
    copies: list[tuple[float, CopyResult]] = []
    cells: list[tuple[float, Cell]] = []
    ledger = Ledger()
    for said in courses.recording.said():
        if said.at > courses.end:
            break
        try:
            noted = noted_of(said.what, said.text)
        except UnreadableError:
            continue  # of another version, or damaged: the rest is shown
        if isinstance(noted, CopyResult):
            copies.append((said.at, noted))
        elif isinstance(noted, Sent) and not noted.again:
            ledger.sent(noted.command)
            cells += [(said.at, ledger.cells[-1])] if not noted.past else []
        elif isinstance(noted, LabBegan):
            ledger = Ledger()
        elif isinstance(noted, EVENTS):
            ledger.apply(noted)
    return (
        _copy_table(courses, [each for each in copies if each[0] >= courses.start]),
        _cell_table(courses, [each for each in cells if each[0] >= courses.start]),
    )


def _copy_table(courses: Courses, copies: Sequence[tuple[float, CopyResult]]) -> Table:
    rows = [
        (
            moment(courses, at),
            f"{copy.job.source} → {copy.job.target}",
            bytes_words(copy.bytes),
            *(NO_FIGURE if e is None else str(rate(e)) for e in (copy.rate, copy.limit)),
            _arrived(copy),
        )
        for at, copy in copies[-MOST_ROWS:]
    ]
    heads = (
        *(tr("When"), tr("Way"), tr("Bytes"), tr("Rate"), tr("The wire could")),
        tr("Arrived"),
    )
    return Table(tr("Copies"), "llrrrl", heads, rows, left_out(len(rows), len(copies)))


def _arrived(copy: CopyResult) -> str:
    if copy.measured is None:
        return tr(copy.why)
    if copy.measured.modelled:
        return tr("modelled")
    words = {None: tr("not checked"), True: tr("intact"), False: tr("WRONG")}
    return words[copy.measured.intact]


def _cell_table(courses: Courses, cells: Sequence[tuple[float, Cell]]) -> Table:
    rows = [
        (
            moment(courses, at),
            str(cell.number),
            cell.code.strip(),
            error_words(cell.failed) if cell.failed else " · ".join(time_words(cell)),
            str(sum(each.copies for each in cell.transfers if not each.already_there)),
        )
        for at, cell in cells[-MOST_ROWS:]
    ]
    heads = (tr("When"), tr("Cell"), tr("Code"), tr("What came of it"), tr("Copies"))
    note = left_out(len(rows), len(cells))
    return Table(tr("Cells of the lab"), "lrllr", heads, rows, note)
