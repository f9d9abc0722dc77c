"""What can be said of the machine as a whole, where nothing in its drawing was chosen."""

from collections.abc import Collection, Sequence

from gpuexplorer.core.cards import HOST_ID, CardState
from gpuexplorer.core.units import rate
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.fact import Fact
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.machine.faces import MachineNow
from gpuexplorer.gui.widgets.machine.facts import PartFacts, peer_words
from gpuexplorer.telemetry.topology import Link, PathKind

_FEW = 4
_NOT_REPORTED = mark("not reported by the driver")
# After so many seconds a person may ask themselves whether anything goes on at all.
_LONG = 3.0
HOW = mark("Click a card, a wire or a cell of the matrix to see what is known about it.")


def machine_summary(now: MachineNow) -> PartFacts:
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
    if len(shape.sockets) == 1 and now.processors_near(0):
        facts.append(Fact("cpus", tr("CPUs close by"), now.processors_near(0)))
    elif len(shape.sockets) <= _FEW:
        facts += [_socket(now, at) for at in range(len(shape.sockets))]
    if 1 < cards <= _FEW:
        facts += [_slot(now, link) for link in hosts]
    return PartFacts(title, (), tr(HOW), Tone.QUIET, tuple(facts))


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
    near = now.processors_near(at)
    cpus = tr("CPUs {numbers}", numbers=near) if near else ""
    said = [now.named(now.shape.sockets[at].cards), cpus, now.memory_of(at)]
    return Fact(f"socket.{at}", now.processor(at), ", ".join(part for part in said if part))


def _slot(now: MachineNow, link: Link) -> Fact:
    told = "" if link.rate is None else tr("{rate} each way", rate=rate(link.rate))
    words = ", ".join(part for part in (tr(link.rate_reason), told) if part)
    label = tr("Card {number}", number=now.number(link.a))
    return Fact(f"slot.{link.a}", label, words, absent=(tr(_NOT_REPORTED),))


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
        return Fact("peer", label, absent=(tr(_NOT_REPORTED),), hint=hint)
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
        absent=(tr(_NOT_REPORTED),),
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


def only_instances() -> tuple[str, str]:
    return (
        tr("Only MIG instances are visible here."),
        tr("How cards are wired is known for whole cards only."),
    )


def waiting_words(seconds: float) -> tuple[str, str]:
    """What stands in the place of the drawing: what is so, and what happens meanwhile."""
    if seconds < _LONG:
        return tr("The driver is asked how the cards are wired."), ""
    return (
        tr(
            "The driver has not answered for {seconds:.0f} s how the cards are wired.",
            seconds=seconds,
        ),
        tr("It is waited for; the rest of the window goes on."),
    )


def waiting_again(seconds: float) -> str:
    """Below the drawing of before; empty while it is no wonder."""
    if seconds < _LONG:
        return ""
    return tr(
        "The driver has not answered for {seconds:.0f} s how the cards are wired: the drawing "
        "shows what it reported before.",
        seconds=seconds,
    )


def nothing_words(states: Collection[CardState]) -> tuple[str, str]:
    """A driver that reported no wire at all: what is so, and what happens next."""
    if states and all(state is CardState.ASLEEP for state in states):
        return (
            tr("All cards sleep and are not woken to ask how they are wired."),
            tr("The driver is asked when one of them is used."),
        )
    if CardState.NO_DRIVER in states:
        return (
            tr("The driver is gone."),
            tr("It is asked how the cards are wired when it is back."),
        )
    return tr("The driver does not report how the cards are wired."), tr("It is asked again.")


def notes(now: MachineNow) -> Sequence[str]:
    """What must be known to read the drawing."""
    said = []
    gone = [card for card in now.shape.home if now.lost(card)]
    unlisted = [card for card in gone if now.unlisted(card)]
    if unlisted:
        said.append(
            trn(
                "No longer listed: {cards}. Its wires are drawn as they were.",
                "No longer listed: {cards}. Their wires are drawn as they were.",
                len(unlisted),
                cards=now.named(unlisted),
            )
        )
    lost = [card for card in gone if card not in unlisted]
    if lost:
        said.append(
            trn(
                "Lost: {cards}. Its wires are drawn as they were.",
                "Lost: {cards}. Their wires are drawn as they were.",
                len(lost),
                cards=now.named(lost),
            )
        )
    if now.shape.loose:
        cards = now.named(now.shape.loose)
        said.append(tr("How {cards} would be reached is not reported.", cards=cards))
    return said
