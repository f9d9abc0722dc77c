"""What can be said of the machine as a whole, where nothing in its drawing was chosen."""

from collections.abc import Sequence

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.units import rate
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.fact import Fact
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.machine.machine_face import MachineNow
from gpuexplorer.gui.widgets.machine.machine_faces import (
    memory_amount,
    processor_title,
    processors_near,
)
from gpuexplorer.gui.widgets.machine.machine_facts import ThingFacts, not_reported, peer_words
from gpuexplorer.telemetry.topology import Link, PathKind

_FEW = 4
HOW = mark("Click a card, a wire or a cell of the matrix to see what is known about it.")


def machine_summary(now: MachineNow) -> ThingFacts:
    shape = now.shape
    cards = len(shape.home) + len(shape.loose)
    title = tr("One card") if cards == 1 else trn("{count} card", "{count} cards", cards)
    pairs = [link for link in shape.topology.links if link.b != HOST_ID]
    hosts = [link for link in shape.topology.links if link.b == HOST_ID]
    facts = [Fact("processors", tr("Processors"), _processors(now))]
    facts += _kinds(pairs)
    if pairs:
        facts.append(_peers(pairs))
    facts.append(_rates(tr("To the host"), hosts))
    if len(shape.sockets) == 1 and processors_near(now, 0):
        facts.append(Fact("cpus", tr("CPUs close by"), processors_near(now, 0)))
    elif len(shape.sockets) <= _FEW:
        facts += [_socket(now, at) for at in range(len(shape.sockets))]
    if 1 < cards <= _FEW:
        facts += [_slot(now, link) for link in hosts]
    return ThingFacts(title, (), tr(HOW), Tone.QUIET, tuple(facts))


def _processors(now: MachineNow) -> str:
    sockets = now.shape.sockets
    nodes = [each.number for each in sockets if each.number is not None]
    if len(sockets) == 1:
        return tr("1, NUMA node {number}", number=nodes[0]) if nodes else "1"
    if not nodes:
        return tr("{count}, judging by the paths", count=len(sockets))
    return trn("{count} NUMA node", "{count} NUMA nodes", len(nodes))


def _socket(now: MachineNow, at: int) -> Fact:
    """Which cards are close to it, and its own processors."""
    near = processors_near(now, at)
    cpus = tr("CPUs {numbers}", numbers=near) if near else ""
    said = [now.named(now.shape.sockets[at].cards), cpus, memory_amount(now, at)]
    return Fact(
        f"socket.{at}", processor_title(now, at), ", ".join(part for part in said if part)
    )


def _slot(now: MachineNow, link: Link) -> Fact:
    told = "" if link.rate is None else tr("{rate} each way", rate=rate(link.rate))
    words = ", ".join(part for part in (tr(link.rate_reason), told) if part)
    label = tr("Card {number}", number=now.number(link.a))
    return Fact(f"slot.{link.a}", label, words, absent=not_reported())


def _kinds(pairs: Sequence[Link]) -> Sequence[Fact]:
    by_letters: dict[str, list[Link]] = {}
    for link in pairs:
        by_letters.setdefault(link.letters, []).append(link)
    return [
        Fact(
            f"kind.{letters}",
            tr("Not known") if found[0].path is PathKind.UNKNOWN else letters,
            _of_kind(found, len(pairs)),
            hint=tr(found[0].path.sentence),
        )
        for letters, found in by_letters.items()
    ]


def _of_kind(found: Sequence[Link], all_pairs: int) -> str:
    count = len(found)
    if count < all_pairs:
        many = trn("{count} pair", "{count} pairs", count)
    else:
        many = trn("the pair", "all {count} pairs", count)
    told = _range(found)
    return f"{many}, {told}" if told else many


def _peers(pairs: Sequence[Link]) -> Fact:
    label = tr("Peer to peer")
    told = [link for link in pairs if link.peer_to_peer is not None]
    direct = sum(link.peer_to_peer is True for link in told)
    hint = tr("Pairs of which one card may read the other's memory itself.")
    if not told:
        return Fact("peer", label, absent=not_reported(), hint=hint)
    if len(pairs) == 1:
        words = peer_words(told[0])
    elif direct == len(pairs):
        words = tr("all pairs")
    elif direct:
        words = trn(
            "{direct} of {count} pair", "{direct} of {count} pairs", len(pairs), direct=direct
        )
    else:
        words = tr("no pair: {reason}", reason=tr(told[0].peer_reason))
    return Fact("peer", label, words, hint=hint)


def _rates(label: str, found: Sequence[Link]) -> Fact:
    told = _range(found)
    return Fact(
        "host",
        label,
        told,
        absent=() if told else not_reported(),
        hint=tr("Each way, in theory."),
    )


def _range(found: Sequence[Link]) -> str:
    """ "31.5 GB/s each way", or from the slowest to the fastest."""
    rates = [link.rate for link in found if link.rate is not None]
    if not rates:
        return ""
    least, most = str(rate(min(rates))), str(rate(max(rates)))
    if least == most:
        return tr("{rate} each way", rate=least)
    return tr("{least} to {most} each way", least=least, most=most)
