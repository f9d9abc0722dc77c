"""What the wires of the drawn machine say here: the rate of the copy that is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.copies.moving.moved import Moved
from gpuexplorer.gui.wording.machine.machine_face import Face, LaneFace, WireFace
from gpuexplorer.gui.wording.machine.machine_things import OfCard, OfHub, OfLink, OfSpoke, Thing

Hop = tuple[Thing, Thing]


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
