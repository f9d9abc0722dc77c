"""Tables of what others did: who used the cards, what was measured, and what the lab ran."""

from collections.abc import Sequence

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import bytes_words, duration, rate
from gpuexplorer.core.words import listed, tr
from gpuexplorer.lab.ledger import Cell, Ledger, time_words
from gpuexplorer.lab.printed import error_words
from gpuexplorer.recording.export.lab_stretches import all_noted
from gpuexplorer.recording.export.looks import Use, uses
from gpuexplorer.recording.lab_said import EVENTS, LabBegan, Sent
from gpuexplorer.recording.report.card_sums import CardSums
from gpuexplorer.recording.report.courses import Courses
from gpuexplorer.recording.report.tables import MOST_ROWS, NO_FIGURE, Table, left_out, moment

_LOOKS = 200  # at who uses the cards, beside those when that changed


def program_table(courses: Courses, cards: Sequence[CardSums]) -> Table:
    """A row for all processes of one name and user."""
    numbers = {each.card.id: each.number for each in cards}
    alike: dict[tuple[str, str], list[Use]] = {}
    for use in uses(courses.choice, _LOOKS):
        name, user = use.facts.command, use.facts.user
        who = name or tr("a program without a name"), user or NO_FIGURE
        alike.setdefault(who, []).append(use)
    longest = sorted(alike.items(), key=lambda each: -_together(each[1]))[:MOST_ROWS]
    rows = []
    for who, some in longest:
        pids = {each.facts.pid for each in some}
        on = dict.fromkeys(numbers[each.facts.card] for each in some)
        most = max((each.most for each in some if each.most is not None), default=None)
        rows.append(
            (
                *who,
                str(*pids) if len(pids) == 1 else tr("{count} of them", count=len(pids)),
                listed([*on]),
                moment(courses, some[0].begin),
                str(duration(_together(some))),
                NO_FIGURE if most is None else bytes_words(most),
            )
        )
    heads = (
        *(tr("Program"), tr("User"), tr("Process"), tr("Cards"), tr("First seen")),
        *(tr("For"), tr("Most memory of one")),
    )
    return Table(tr("Programs"), "llrllrr", heads, rows, left_out(len(rows), len(alike)))


def _together(some: Sequence[Use]) -> float:
    """Seconds in which there was at least one of them; in the order in which they began."""
    seconds, until = 0.0, 0.0
    for each in some:
        seconds += max(0.0, each.until - max(each.begin, until))
        until = max(until, each.until)
    return seconds


def lab_tables(courses: Courses) -> Sequence[Table]:
    """Measured copies, and the cells of the lab."""
    copies: list[tuple[float, CopyResult]] = []
    cells: list[tuple[float, Cell]] = []
    ledger = Ledger()
    for said, noted in all_noted(courses.recording):
        if said.at > courses.end:
            break
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
