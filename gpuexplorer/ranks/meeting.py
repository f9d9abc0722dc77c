"""Meeting: how the ranks reach each other, what moves the bytes, and that all have joined."""

import ipaddress
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.ranks.company import PATIENCE, Company
from gpuexplorer.ranks.wire import Address, Begin, Begun, Here, Other, Reach, Reached

_MOST_ADDRESSES = 8
_SLOWEST = 500_000.0  # bytes per second that PyTorch's own time-out allows for


@dataclass(frozen=True)
class Path:
    """The way between two ranks, as both ends see it."""

    here: Address
    there: Address

    @property
    def inside(self) -> bool:
        """Both ends are one computer: nothing leaves it."""
        return self.here.text == self.there.text

    @property
    def promised(self) -> float | None:
        """Bytes per second: the narrowest counts. None where an end does not say."""
        if self.inside or self.here.promised is None or self.there.promised is None:
            return None
        return min(self.here.promised, self.there.promised)

    @property
    def words(self) -> Message:
        if self.inside:
            return Message("inside one computer")
        return Message(
            "{interface} {address} to {other_interface} {other}",
            interface=self.here.interface or "?",
            address=self.here.text,
            other_interface=self.there.interface or "?",
            other=self.there.text,
        )


@dataclass(frozen=True)
class Met:
    backend: str  # nccl or gloo
    paths: Mapping[tuple[int, int], Path]
    remarks: Sequence[Message]


def meet(company: Company, here: Mapping[int, Here], most_bytes: int) -> Met:
    """Raises Trouble where two cannot reach each other, or do not suit."""
    names, world = [each.name for each in company.members], len(here)
    remarks = []
    versions = [here[rank].torch for rank in range(world)]
    told = _told(names, versions)
    numbers = [each.partition("+")[0].split(".") for each in versions]
    if len({each[0] for each in numbers}) > 1:
        raise Trouble(
            "The hosts have versions of PyTorch that do not understand each other: {told}.",
            "Install the same one, or name a Python with --python.",
            told=told,
        )
    # What they say to each other changes; nobody promises that it does not.
    if len({tuple(each[:2]) for each in numbers}) > 1:
        what = Message("Versions of PyTorch differ, which may not work: {told}.", told=told)
        remarks.append(what)
    paths = _paths(company, here, names)
    # NCCL takes a card of its own for each rank, also of those that share a computer.
    wanted = [sum(paths[rank, each].inside for each in range(rank)) for rank in range(world)]
    by_gloo = _why_gloo(here, wanted, names)
    place, patience = paths[1, 0].there.text, PATIENCE + 2 * world * most_bytes / _SLOWEST
    for rank, card in enumerate(wanted):
        at = paths[(rank + 1) % world, rank].there.interface
        where = rank, world, place, here[0].port, at
        company.tell(rank, Begin(*where, None if by_gloo else card, PATIENCE, patience))
    late = mark("All were started, but did not find each other within {seconds:.0f} s.")
    company.answers(Begun, range(world), 2 * PATIENCE, late)
    if by_gloo:
        return Met("gloo", paths, [*remarks, by_gloo])
    cards = _told(names, [here[rank].cards[card] for rank, card in enumerate(wanted)])
    by_nccl = Message(
        "By NCCL, from card to card ({cards}); it may take faster wires than the one that is "
        "named.",
        cards=cards,
    )
    return Met("nccl", paths, [*remarks, by_nccl])


def _paths(
    company: Company, here: Mapping[int, Here], names: Sequence[str]
) -> Mapping[tuple[int, int], Path]:
    """Each one tries all others, at all addresses that these may have. Of each, PyTorch uses
    one, which all others have to reach.
    """
    ranks = range(len(here))
    candidates = [_candidates(here, rank) for rank in ranks]
    for rank in ranks:
        others = [
            Other(other, address, here[other].port, here[other].word)
            for other in ranks
            for address in candidates[other]
            if other != rank
        ]
        company.tell(rank, Reach(others))
    late = mark("The hosts did not find ways to each other in time.")
    told = company.answers(Reached, ranks, PATIENCE, late)
    ours = {
        (rank, each.rank, each.address): each.ours
        for rank in ranks
        for each in told[rank].found
        if each.ours
    }
    paths: dict[tuple[int, int], Path] = {}
    for other in ranks:
        others_of = [rank for rank in ranks if rank != other]
        for address in candidates[other]:
            if all((rank, other, address) in ours for rank in others_of):
                break
        else:
            raise _unreachable(names, other, told)
        there = _known(here[other], address)
        for rank in others_of:
            paths[rank, other] = Path(_known(here[rank], ours[rank, other, address]), there)
    return paths


def _unreachable(names: Sequence[str], other: int, told: Mapping[int, Reached]) -> Trouble:
    for rank, name in enumerate(names):
        ways = [each for each in told[rank].found if each.rank == other]
        if rank != other and not any(each.ours for each in ways):
            return Trouble(
                "{host} does not reach {other}: {why}.",
                "The hosts have to reach each other at any port; a firewall may forbid it.",
                host=name,
                other=names[other],
                why=", ".join(f"{each.address} ({each.why})" for each in ways)
                or "it has no address",
            )
    return Trouble(
        "{other} has no address at which all others reach it.",
        "PyTorch needs one network that all hosts share.",
        other=names[other],
    )


def _candidates(here: Mapping[int, Here], rank: int) -> Sequence[str]:
    """First those by which ssh came there, or by which it came from there to others. The
    loopback only where there is nothing else.
    """
    own = [each.text for each in here[rank].addresses]
    from_there = [each.called[1] for each in here.values() if each.called]
    first = (*here[rank].called[:1], *(each for each in from_there if each in own))
    inside: dict[str, bool] = {}
    for text in (*first, *own):
        with suppress(ValueError):  # ssh that went over no network has no address
            inside[text] = ipaddress.ip_address(text).is_loopback
    outside = [text for text, is_inside in inside.items() if not is_inside]
    return (outside or list(inside))[:_MOST_ADDRESSES]


def _known(here: Here, text: str) -> Address:
    """One that it does not know itself is a translated one."""
    return next((each for each in here.addresses if each.text == text), Address(text))


def _why_gloo(
    here: Mapping[int, Here], wanted: Sequence[int], names: Sequence[str]
) -> Message | None:
    """Why not NCCL, where that is so. `wanted`: the card of each rank."""
    for rank, card in enumerate(wanted):
        if card >= len(here[rank].cards):
            return Message(
                "By gloo, from memory to memory: NCCL needs a card for each, and {host} has "
                "{count}.",
                host=names[rank],
                count=len(here[rank].cards),
            )
    versions = [here[rank].nccl for rank in range(len(names))]
    if len({each.rpartition(".")[0] for each in versions}) > 1:
        return Message(
            "By gloo, from memory to memory: versions of NCCL differ ({told}).",
            told=_told(names, versions),
        )
    return None


def _told(names: Sequence[str], values: Sequence[str]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in zip(names, values, strict=True))
