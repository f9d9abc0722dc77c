"""What is to be said of one copy: a sentence, and what would help."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.copies.hidden_copies import sums_of
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.wrong_advice import advice
from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.units import USUAL, Units, duration, gigabytes_per_second
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.wording.copies.moving.cure_code import code_by_host, cure_code
from gpuexplorer.gui.wording.copies.moving.moved import Moved, called
from gpuexplorer.gui.wording.lab.amounts import bytes_words
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.machine.machine_face import Face, LaneFace, WireFace
from gpuexplorer.gui.wording.machine.machine_things import OfCard, OfHub, OfLink, OfSpoke, Thing

_NO_TRUST = mark("Until then trust nothing that went this way.")
_BY_HOST = mark("Through host memory it may arrive: the cure does that.")
Hop = tuple[Thing, Thing]


@dataclass(frozen=True, slots=True)
class Said:
    """`code` are the lines that cure it; none where a word is all there is."""

    line: str = ""
    sentence: str = ""
    cure: str = ""
    code: tuple[str, ...] = ()
    asked: bool = True
    bad: bool = False


def said_of(
    book: CopyBook,
    moved: Moved,
    devices: Mapping[str, BenchDevice],
    units: Units = USUAL,
) -> Said:
    row = moved.row
    number = str(row.line)
    if row.wrong:
        arrived = tr(
            "{what} arrived WRONG on {device}.",
            what=moved.what,
            device=_named(row.target, devices),
        )
        return _of_wrong(row, number, arrived)
    if row.already_there:
        there = tr(
            "{what} is on {device} already: nothing was copied.",
            what=moved.what,
            device=_named(row.target, devices),
        )
        return Said(number, there, tr("The very same tensor comes back, and no time is lost."))
    found = next(
        (each for each in sums_of(book, row.line, units) if moved.numbers[0] in each.rows), None
    )
    several = found is not None and set(found.rows) != set(moved.numbers)
    sentence = _of_asked(moved, units) if found is None or row.asked else tr(found.sentence)
    cure = "" if found is None or (several and not row.asked) else tr(found.cure)
    code = cure_code(row.code, row.how, row.transfer.what, asked=row.asked) if cure else ()
    if not cure and row.small:
        cure = tr("So few bytes cost as much as none: the price is that a copy begins at all.")
    return Said(number, sentence, cure, code, row.asked)


def _of_wrong(row: CopyRow, number: str, arrived: str) -> Said:
    staged = row.transfer.direct is False
    between = HOST not in (row.source, row.target) and row.source != row.target
    cure = paragraph((advice(row.source, row.target, staged=staged), tr(_NO_TRUST)))
    code = code_by_host(row.code, row.transfer.what) if between and not staged else ()
    if code:
        cure = paragraph((cure, tr(_BY_HOST)))
    return Said(number, arrived, cure, code, asked=row.asked, bad=True)


def _of_asked(moved: Moved, units: Units) -> str:
    row = moved.row
    values = {
        "what": moved.what,
        "size": bytes_words(row.bytes, units),
        "source": _place(row.source),
        "target": _place(row.target),
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
    if row.transfer.pinned is False and not row.small:
        said.append(tr("The driver buffered it, since the host's memory is pageable."))
    elif row.transfer.direct is False:
        said.append(tr("There is no direct way: it was staged through host memory."))
    if row.transfer.blocking:
        said.append(tr("Python waited for it."))
    return paragraph(said)


def _place(device: str) -> str:
    return tr("the host") if device == "cpu" else device


def _named(device: str, devices: Mapping[str, BenchDevice]) -> str:
    known = devices.get(device)
    if known is None or known.is_host:
        return _place(called(device) if device != "cpu" else device)
    return device


def with_copy(
    faces: Mapping[Thing, Face], moved: Moved | None, hops: Sequence[Hop]
) -> Mapping[Thing, Face]:
    """Of other traffic nothing is asked here: its words give way to those of the copy."""
    rate = None if moved is None else moved.row.rate
    figure = "" if rate is None else gigabytes_per_second(rate)
    said = {each for hop in hops for each in _lanes(hop)} if figure else set()
    return {
        thing: _with(face, figure, said, thing) if isinstance(face, WireFace) else face
        for thing, face in faces.items()
    }


def _with(face: WireFace, figure: str, said: set[tuple[Thing, bool]], thing: Thing) -> WireFace:
    forth = _lane(face.forth, figure if (thing, True) in said else "")
    back = _lane(face.back, figure if (thing, False) in said else "")
    return replace(face, forth=forth, back=back, absent=())


def _lane(lane: LaneFace, figure: str) -> LaneFace:
    return replace(lane, figure=figure, lit=0.0, colour=None)


def _lanes(hop: Hop) -> Sequence[tuple[Thing, bool]]:
    """The wires with words that it may be, and whether it goes forth there."""
    begin, end = hop
    if isinstance(begin, OfCard) and isinstance(end, OfCard):
        return ((OfLink(begin.card, end.card), True), (OfLink(end.card, begin.card), False))
    if isinstance(begin, OfCard):
        hub = isinstance(end, OfHub)
        return ((OfSpoke(begin.card) if hub else OfLink(begin.card, HOST_ID), True),)
    if isinstance(end, OfCard):
        hub = isinstance(begin, OfHub)
        return ((OfSpoke(end.card) if hub else OfLink(end.card, HOST_ID), False),)
    return ()


def unwired(refusal: str, *, cards: bool, asked: bool) -> tuple[str, str]:
    """Why no wire is drawn, and what there is to say to it. `asked`: the answer is awaited."""
    if not cards:
        more = tr("What the memory of the processor does is measured on the other pages.")
        return tr("No card answers, so there is no wire to draw."), more
    if asked:
        return tr("The driver is asked how the cards are wired."), refusal
    return tr("The driver does not report how the cards are wired."), refusal
