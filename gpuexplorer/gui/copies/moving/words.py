"""What is to be said of one copy: a sentence, and what would help."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.copies.hidden_copies import sums_of
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.wrong_advice import advice
from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.units import USUAL, Units, bytes_words, duration, gigabytes_per_second
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.copies.moving.cure_code import code_by_host, cure_code
from gpuexplorer.gui.copies.moving.moved import Moved, called_in_words
from gpuexplorer.gui.widgets.machine.layout import Hop, Kind, Part
from gpuexplorer.gui.widgets.machine.machine_faces import Face, LaneFace, WireFace

_NO_TRUST = mark("Until then trust nothing that went this way.")
_OFTEN = 3  # copies of one line, from which on it is a loop that waits
_HELD_UP = mark(
    "Python runs one line at a time (its interpreter lock): while it waited for {device}, this "
    "line gave no card new work."
)
_BY_HOST = mark("Through host memory it may arrive: the cure does that.")


@dataclass(frozen=True, slots=True)
class Said:
    """`code` is the cell, cured; empty where a word is all there is."""

    place: str = ""  # "3:2": line 2 of cell 3
    sentence: str = ""
    cure: str = ""
    before: str = ""  # the cell as it is
    code: str = ""
    asked: bool = True
    bad: bool = False


def said_of(book: CopyBook, moved: Moved, units: Units = USUAL) -> Said:
    row = moved.row
    if row.wrong:
        arrived = tr(
            "{what} arrived WRONG on {device}.",
            what=moved.what,
            device=called_in_words(row.target),
        )
        return _of_wrong(row, arrived)
    if row.already_there:
        there = tr(
            "{what} is on {device} already: nothing was copied.",
            what=moved.what,
            device=called_in_words(row.target),
        )
        return Said(
            row.place, there, tr("The very same tensor comes back, and no time is lost.")
        )
    found = next(
        (each for each in sums_of(book, row.ran, units) if moved.numbers[0] in each.rows), None
    )
    several = found is not None and set(found.rows) != set(moved.numbers)
    sentence = _of_asked(moved, units) if found is None or row.asked else tr(found.sentence)
    copies = row.copies if found is None else found.copies
    if row.target == HOST and row.blocking and copies >= _OFTEN:
        sentence = paragraph((sentence, tr(_HELD_UP, device=row.source)))
    cure = "" if found is None or (several and not row.asked) else tr(found.cure)
    code = cure_code(row.whole, row.line, row.how, asked=row.asked) if cure else ""
    if not cure and row.small:
        cure = tr("So few bytes cost as much as none: starting the copy is what costs.")
    return Said(row.place, sentence, cure, row.whole, code, row.asked)


def _of_wrong(row: CopyRow, arrived: str) -> Said:
    staged = row.direct is False
    between = HOST not in (row.source, row.target) and row.source != row.target
    cure = paragraph((advice(row.source, row.target, staged=staged), tr(_NO_TRUST)))
    code = code_by_host(row.whole, row.line) if between and not staged else ""
    if code:
        cure = paragraph((cure, tr(_BY_HOST)))
    return Said(row.place, arrived, cure, row.whole, code, asked=row.asked, bad=True)


def _of_asked(moved: Moved, units: Units) -> str:
    row = moved.row
    values = {
        "what": moved.what,
        "size": bytes_words(row.bytes, units),
        "source": called_in_words(row.source),
        "target": called_in_words(row.target),
    }
    moved_words = trn(
        "{what} moved {size} from {source} to {target}.",
        "{what} moved {size} from {source} to {target} in {count} copies.",
        max(1, row.copies),
        **values,
    )
    return paragraph((moved_words, _took(row), _about(row)))


def _took(row: CopyRow) -> str:
    if row.device_seconds is None:
        return ""
    time = str(duration(row.device_seconds))
    if row.modelled:
        return tr("It took {time}, modelled.", time=time)
    return tr("It took {time}.", time=time)


def _about(row: CopyRow) -> str:
    said = []
    if row.pinned is False and not row.small:
        said.append(tr("The driver buffered it, since the host's memory is pageable."))
    elif row.direct is False:
        said.append(tr("There is no direct way: it was staged through host memory."))
    if row.blocking:
        said.append(tr("Python waited for it."))
    return paragraph(said)


def with_copy(
    faces: Mapping[Part, Face], moved: Moved | None, hops: Sequence[Hop]
) -> Mapping[Part, Face]:
    """Of other traffic nothing is asked here: its words give way to those of the copy."""
    rate = None if moved is None else moved.row.rate
    figure = "" if rate is None else gigabytes_per_second(rate)
    said = {each for hop in hops for each in _lanes(hop)} if figure else set()
    return {
        part: _with(face, figure, said, part) if isinstance(face, WireFace) else face
        for part, face in faces.items()
    }


def _with(face: WireFace, figure: str, said: set[tuple[Part, bool]], part: Part) -> WireFace:
    forth = _lane(face.forth, figure if (part, True) in said else "")
    back = _lane(face.back, figure if (part, False) in said else "")
    return replace(face, forth=forth, back=back, absent=())


def _lane(lane: LaneFace, figure: str) -> LaneFace:
    return replace(lane, figure=figure, lit=0.0, colour=None)


def _lanes(hop: Hop) -> Sequence[tuple[Part, bool]]:
    """The wires with words that it may be, and whether it goes forth there."""
    begin, end = hop
    if begin.kind is end.kind is Kind.CARD:
        there, again = (begin.card, end.card), (end.card, begin.card)
        return ((Part(Kind.LINK, *there), True), (Part(Kind.LINK, *again), False))
    for card, other, forth in ((begin, end, True), (end, begin, False)):
        if card.kind is Kind.CARD:
            hub, link = Part(Kind.SPOKE, card.card), Part(Kind.LINK, card.card, HOST_ID)
            return ((hub if other.kind is Kind.HUB else link, forth),)
    return ()


def unwired(refusal: str, *, cards: bool, asked: bool) -> tuple[str, str, str, str]:
    """Why no wire is drawn, what there is to say to it, and two ways on. `asked`: the answer is
    awaited.
    """
    if not cards:
        return (
            tr("No card answers, so nothing is copied over a wire here."),
            tr(
                "As soon as a card answers, every copy of the lab travels through the drawn "
                "machine and is listed with its time and its rate. How fast the computer's own "
                "memory is can be measured now; simulated cards show the rest."
            ),
            tr("Measure copies within the host"),
            tr("Look around on simulated cards"),
        )
    if asked:
        return tr("The driver is asked how the cards are wired."), refusal, "", ""
    return tr("The driver does not report how the cards are wired."), refusal, "", ""
