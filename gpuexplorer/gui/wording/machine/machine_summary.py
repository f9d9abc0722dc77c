"""What can be said of the machine as a whole, where nothing in its drawing was chosen."""

from collections.abc import Sequence

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.units import rate
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.facts.fact import Fact
from gpuexplorer.gui.wording.machine.machine_faces import (
    memory_amount,
    processors_near,
    socket_name,
)
from gpuexplorer.gui.wording.machine.machine_facts import NOT_TOLD, ThingFacts
from gpuexplorer.gui.wording.machine.machine_now import MachineNow
from gpuexplorer.telemetry.topology import Link

_FEW = 4
HOW = "Click a card, a wire or a cell of the matrix: what is known of it stands here."


def machine_summary(now: MachineNow) -> ThingFacts:
    shape = now.shape
    cards = len(shape.home) + len(shape.loose)
    title = "One card" if cards == 1 else f"{cards} cards"
    pairs = [link for link in shape.links.values() if link.b != HOST_ID]
    hosts = [link for link in shape.links.values() if link.b == HOST_ID]
    facts = [Fact("processors", "Processors", _processors(now))]
    facts += _kinds(pairs)
    if pairs:
        facts.append(_peers(pairs))
    facts.append(_rates("To the host", hosts))
    if len(shape.sockets) == 1 and processors_near(now, 0):
        facts.append(Fact("cpus", "CPUs close by", processors_near(now, 0)))
    elif len(shape.sockets) <= _FEW:
        facts += [_socket(now, at) for at in range(len(shape.sockets))]
    if 1 < cards <= _FEW:
        facts += [_slot(now, link) for link in hosts]
    return ThingFacts(title, (), HOW, Tone.QUIET, tuple(facts))


def _processors(now: MachineNow) -> str:
    nodes = [each.number for each in now.shape.sockets if each.number is not None]
    if len(now.shape.sockets) == 1:
        return f"1, NUMA node {nodes[0]}" if nodes else "1"
    if not nodes:
        return f"{len(now.shape.sockets)}, as the paths tell"
    return f"{len(nodes)} NUMA nodes"


def _socket(now: MachineNow, at: int) -> Fact:
    """Which cards are close to it, and its own processors."""
    near, amount = processors_near(now, at), memory_amount(now, at)
    said = [now.named(now.shape.sockets[at].cards), near and f"CPUs {near}", amount]
    name = socket_name(now, at)
    label = f"{name[:1].upper()}{name[1:]}"
    return Fact(f"socket.{at}", label, ", ".join(part for part in said if part))


def _slot(now: MachineNow, link: Link) -> Fact:
    told = "" if link.rate is None else str(rate(link.rate))
    words = ", ".join(part for part in (link.rate_reason, told) if part)
    return Fact(f"slot.{link.a}", f"Card {now.number(link.a)}", words, absent=NOT_TOLD)


def _kinds(pairs: Sequence[Link]) -> Sequence[Fact]:
    by_letters: dict[str, list[Link]] = {}
    for link in pairs:
        by_letters.setdefault(link.letters, []).append(link)
    return [
        Fact(
            f"kind.{letters}", letters, _of_kind(found, len(pairs)), hint=found[0].path.sentence
        )
        for letters, found in by_letters.items()
    ]


def _of_kind(found: Sequence[Link], all_pairs: int) -> str:
    many = "1 pair" if len(found) == 1 else f"{len(found)} pairs"
    if len(found) == all_pairs:
        many = "the pair" if all_pairs == 1 else f"all {many}"
    told = _range(found)
    return f"{many}, {told}" if told else many


def _peers(pairs: Sequence[Link]) -> Fact:
    told = [link for link in pairs if link.peer_to_peer is not None]
    direct = sum(link.peer_to_peer is True for link in told)
    hint = "Pairs of which one card may read the other's memory itself."
    if not told:
        return Fact("peer", "Peer to peer", absent=NOT_TOLD, hint=hint)
    if len(pairs) == 1:
        words = "yes" if direct else f"no: {told[0].peer_reason}"
    elif direct == len(pairs):
        words = "all pairs"
    else:
        words = (
            f"{direct} of {len(pairs)} pairs" if direct else f"no pair: {told[0].peer_reason}"
        )
    return Fact("peer", "Peer to peer", words, hint=hint)


def _rates(label: str, found: Sequence[Link]) -> Fact:
    told = _range(found)
    return Fact(
        "host", label, told, absent=() if told else NOT_TOLD, hint="Each way, in theory."
    )


def _range(found: Sequence[Link]) -> str:
    """ "31.5 GB/s", or from the slowest to the fastest."""
    rates = sorted({link.rate for link in found if link.rate is not None})
    if not rates:
        return ""
    if len(rates) == 1:
        return str(rate(rates[0]))
    return f"{rate(rates[0])} to {rate(rates[-1])}"
