"""Thing: what of the drawn machine one can point at, and what a link runs through."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.telemetry.topology import MachineShape, PathKind


@dataclass(frozen=True, slots=True)
class _OfOneCard:
    """What belongs to one card. Things of different classes are never equal."""

    card: CardId


@dataclass(frozen=True, slots=True)
class _Numbered:
    """What there are several of; its place among them in the shape of the machine."""

    number: int


class OfCard(_OfOneCard):
    """A card."""


@dataclass(frozen=True, slots=True)
class OfLink:
    """The way between two cards, or from a card to the host where `b` is HOST_ID."""

    a: CardId
    b: CardId

    @property
    def to_host(self) -> bool:
        return self.b == HOST_ID


class OfSpoke(_OfOneCard):
    """All NVLinks of a card, up to where they meet those of the others."""


class OfHub(_Numbered):
    """Where the NVLinks of three cards or more meet."""


class OfJunction(_Numbered):
    """A PCIe switch or a host bridge."""


class OfUplink(_Numbered):
    """The wire from a switch, which has the number, towards the processor."""


class OfSocket(_Numbered):
    """A processor."""


class OfMemory(_Numbered):
    """The memory close to the processor of this number."""


class OfMemoryWire(_Numbered):
    """The wire between a processor, which has the number, and its memory."""


@dataclass(frozen=True, slots=True)
class OfSockets:
    """What joins the processors."""


Thing = (
    OfCard
    | OfLink
    | OfSpoke
    | OfHub
    | OfJunction
    | OfUplink
    | OfSocket
    | OfMemory
    | OfMemoryWire
    | OfSockets
)


def opens(thing: Thing | None) -> CardId | None:
    """The card, or the computer itself, whose screen shows more of it."""
    match thing:
        case OfCard(card):
            return card
        case OfSocket() | OfMemory():
            return HOST_ID
        case _:
            return None


def link_between(shape: MachineShape, a: CardId, b: CardId) -> OfLink:
    """The same thing, whichever end is named first."""
    link = shape.link(a, b)
    return OfLink(a, b) if link is None else OfLink(link.a, link.b)


def way_of(shape: MachineShape, thing: Thing) -> Sequence[Thing]:
    """All that a link runs through, its ends included; anything else is itself."""
    if not isinstance(thing, OfLink):
        return (thing,)
    if thing.to_host:
        return (OfCard(thing.a), *_up(shape, thing.a))
    link = shape.link(thing.a, thing.b)
    ends = (OfCard(thing.a), OfCard(thing.b))
    if link is None:
        return ends
    if link.nvlinks:
        hub = shape.hub_of(thing.a)
        if hub is None:
            return (*ends, thing)
        return (*ends, OfSpoke(thing.a), OfHub(hub.number), OfSpoke(thing.b))
    ours, theirs = _up(shape, thing.a), _up(shape, thing.b)
    common = next((each for each in ours if each in theirs), None)
    if common is None:
        return (*ends, *ours, OfSockets(), *theirs)
    met = (*ours[: ours.index(common) + 1], *theirs[: theirs.index(common)])
    return (*ends, *met)


def _up(shape: MachineShape, card: CardId) -> list[Thing]:
    """From a card to its processor, without the card."""
    socket = shape.home.get(card)
    if socket is None:
        return []
    way: list[Thing] = [OfLink(card, HOST_ID)]
    for junction in shape.above[card]:
        way.append(OfJunction(junction.number))
        # A host bridge is a part of its processor: no wire leads up from it.
        if junction.kind is not PathKind.HOST_BRIDGE:
            way.append(OfUplink(junction.number))
    return [*way, OfSocket(socket)]
