"""All that is known of one thing in the drawing of a machine, for the panel beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.catalogue import links
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import rate
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.pcie import link_now
from gpuexplorer.gui.wording.facts.fact import Fact
from gpuexplorer.gui.wording.facts.fact_groups import PCIE
from gpuexplorer.gui.wording.facts.facts import Who, card_facts, metric_fact
from gpuexplorer.gui.wording.machine.machine_faces import (
    HUB_WORDS,
    INFERRED,
    JUNCTION_WORDS,
    memory_amount,
    processors_near,
    socket_name,
)
from gpuexplorer.gui.wording.machine.machine_now import MachineNow
from gpuexplorer.gui.wording.machine.machine_things import (
    OfCard,
    OfHub,
    OfJunction,
    OfLink,
    OfMemory,
    OfMemoryWire,
    OfSocket,
    OfSockets,
    OfSpoke,
    OfUplink,
    Thing,
)
from gpuexplorer.gui.wording.machine.wire_faces import nvlink_kind
from gpuexplorer.gui.wording.machine.wiring_words import path_words
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.machine_shape import HubKind, Junction
from gpuexplorer.telemetry.topology import Link, PathKind

EACH_WAY = "Each way"
NOT_TOLD = ("not told by the driver", "not told")


@dataclass(frozen=True, slots=True)
class End:
    """A chip in the heading; without a colour it is outlined."""

    number: str
    colour: int | None


@dataclass(frozen=True, slots=True)
class ThingFacts:
    """`sentence` is what to make of it, `note` how far to trust the drawing."""

    title: str
    ends: tuple[End, ...]
    sentence: str
    tone: Tone
    facts: tuple[Fact, ...]
    note: str = ""
    card: CardId | None = None  # whose screen tells more


def facts_of(now: MachineNow, thing: Thing, source: Source) -> ThingFacts:
    match thing:
        case OfCard(card):
            return _card(now, card)
        case OfLink(card, other) if other == HOST_ID:
            return _host_link(now, card, source)
        case OfLink(a, b):
            return _pair(now, a, b)
        case OfSpoke(card):
            return _spoke(now, card)
        case OfHub(number):
            return _hub(now, number)
        case OfJunction(number) | OfUplink(number):
            wire = isinstance(thing, OfUplink)
            return _junction(now, now.shape.junctions[number], wire=wire)
        case OfSocket(at) | OfMemory(at) | OfMemoryWire(at):
            return _processor(now, at, memory=not isinstance(thing, OfSocket))
        case OfSockets():
            return _between_processors()
        case _:
            assert_never(thing)


def _card(now: MachineNow, card: CardId) -> ThingFacts:
    shown, face, reading = now.cards[card], now.faces[card], now.reading(card)
    facts = [Fact("model", "Model", face.name, absent=NOT_TOLD)]
    if not face.sentence:
        facts.append(
            _figure("busy", "Busy", f"{face.busy.number} {face.busy.unit}", face.busy.absent)
        )
        amount = face.memory.figure
        parts = " ".join(part for part in (amount.number, amount.of, amount.unit) if part)
        facts.append(_figure("memory", "Memory", parts, amount.absent))
    link = now.shape.host_link(card)
    if link is not None:
        facts.append(_speed(link, "To the host"))
    if shown.card.nvlinks:
        up = metric_fact(reading, links.NVLINK_ACTIVE, now.units)
        of = f"of {shown.card.nvlinks}" if up.value else ""
        facts.append(_figure("nvlinks", "NVLinks up", f"{up.value} {of}".strip(), up.absent))
    facts += [*_reaches(now, card), *_place(now, [card])]
    facts.append(Fact("bus", "PCI address", shown.card.bus_id or "", absent=NOT_TOLD))
    if face.instances:
        count = str(len(face.instances))
        facts.append(Fact("instances", "MIG instances", count))
    sentence, tone = f"{face.sentence} {face.more}".strip(), Tone.TEXT
    if card in now.shape.loose:
        sentence = f"{sentence} The driver does not tell how it is wired.".strip()
    if now.lost(card):
        tone = Tone.BAD
    return ThingFacts(
        f"Card {shown.number}", (_end(now, card),), sentence, tone, tuple(facts), card=card
    )


def _host_link(now: MachineNow, card: CardId, source: Source) -> ThingFacts:
    link = now.shape.host_link(card)
    assert link is not None
    shown = now.cards[card]
    who = Who(shown.card, shown.number, source)
    groups = card_facts(who, now.reading(card), now.units, ())
    group = next((each for each in groups if each.title == PCIE), None)
    facts = [_kind(link), _speed(link, EACH_WAY, link_now(now.reading(card)).rate)]
    facts += group.facts if group is not None else ()
    facts += _place(now, [card])
    sentence, tone = "", Tone.QUIET
    if group is not None:
        sentence, tone = group.note or "", group.note_tone
    if now.lost(card):
        sentence, tone = "The card is lost: nothing is told of its link any more.", Tone.BAD
    title = f"Card {shown.number} to the host"
    ends = (_end(now, card), _HOST)
    return ThingFacts(title, ends, sentence, tone, tuple(facts), card=card)


def _pair(now: MachineNow, a: CardId, b: CardId) -> ThingFacts:
    link = now.shape.link(a, b)
    title, ends = f"Card {now.number(a)} to card {now.number(b)}", (_end(now, a), _end(now, b))
    if link is None:
        return ThingFacts(
            title, ends, "The driver does not tell how they are joined.", Tone.TEXT, ()
        )
    facts = [_kind(link), _speed(link, EACH_WAY)]
    if link.nvlinks:
        facts.append(_told("generation", "NVLink generation", link.nvlink_generation))
    facts.append(_peer(link))
    if link.nvlinks and link in now.shape.bridges:
        facts += _bridge_traffic(now, link)
    else:
        what = "for each card only, not for each pair"
        facts.append(Fact("traffic", "Traffic now", absent=(f"told {what}", "per card only")))
    if link.nvlinks and link.pcie_path is not PathKind.UNKNOWN:
        words = f"{link.pcie_path.value}: {link.pcie_path.sentence}"
        facts.append(Fact("pcie", "Without NVLink", words))
    facts += _place(now, [a, b])
    sentence, tone = "", Tone.TEXT
    if link.peer_to_peer is False and not link.nvlinks:
        sentence = "Copies between the two go through the computer's memory."
    lost = [card for card in (a, b) if now.lost(card)]
    if lost:
        sentence, tone = f"{_capital(now.named(lost))}: lost, so nothing passes here.", Tone.BAD
    return ThingFacts(title, ends, sentence, tone, tuple(facts))


def _spoke(now: MachineNow, card: CardId) -> ThingFacts:
    spoke, hub = now.shape.spokes[card], now.shape.hub_of(card)
    assert hub is not None
    others = [each for each in hub.cards if each != card]
    kind = nvlink_kind(spoke.generation, spoke.nvlinks)[0]
    speed = "" if spoke.rate is None else f"{rate(spoke.rate)} in theory"
    facts = [
        Fact("kind", "Kind", kind),
        _figure("rate", EACH_WAY, speed, NOT_TOLD),
        _metric(now, card, links.NVLINK_RECEIVE, "Comes in now"),
        _metric(now, card, links.NVLINK_TRANSMIT, "Goes out now"),
        Fact("to", "Leads to", f"{HUB_WORDS[hub.kind][-1]}, {now.named(others)}"),
        *_place(now, [card]),
    ]
    title = f"NVLinks of card {now.number(card)}"
    lost = "The card is lost: nothing passes here." if now.lost(card) else ""
    tone = Tone.BAD if lost else Tone.TEXT
    return ThingFacts(title, (_end(now, card),), lost, tone, tuple(facts), card=card)


def _hub(now: MachineNow, number: int) -> ThingFacts:
    hub = now.shape.hubs[number]
    sums = []
    for metric, label in (
        (links.NVLINK_TRANSMIT, "All send now"),
        (links.NVLINK_RECEIVE, "All get now"),
    ):
        sums.append(_sum(now, hub.cards, metric, label))
    spokes = [now.shape.spokes[card] for card in hub.cards]
    kinds = dict.fromkeys(nvlink_kind(each.generation, each.nvlinks)[0] for each in spokes)
    rates = dict.fromkeys(str(rate(each.rate)) for each in spokes if each.rate is not None)
    facts = [
        Fact("cards", "Joins", now.named(hub.cards)),
        Fact("kind", "Each card has", ", ".join(kinds)),
        _figure("rate", EACH_WAY, f"{', '.join(rates)} in theory" if rates else "", NOT_TOLD),
        *sums,
    ]
    words = {
        HubKind.SWITCH: "The cards have fewer links than they would need to reach each other "
        "directly, so NVSwitch chips stand between them. The driver does not list these.",
        HubKind.ALL: "Each card has links of its own to every other.",
        HubKind.SOME: "Some pairs have no NVLink: the matrix shows which.",
    }
    title = f"{HUB_WORDS[hub.kind][-1]} of {now.named(hub.cards)}"
    return ThingFacts(title, (), words[hub.kind], Tone.TEXT, tuple(facts))


def _junction(now: MachineNow, junction: Junction, *, wire: bool) -> ThingFacts:
    name = JUNCTION_WORDS[junction.kind][0]
    cards = now.named(junction.cards)
    facts = [
        Fact("kind", "Kind", f"{junction.kind.value}: {junction.kind.sentence}"),
        Fact("cards", "Cards on it", cards),
        _sum(now, junction.cards, links.PCIE_RECEIVE, "All get now"),
        _sum(now, junction.cards, links.PCIE_TRANSMIT, "All send now"),
        *_place(now, junction.cards),
    ]
    if wire:
        facts.insert(1, Fact("rate", EACH_WAY, absent=NOT_TOLD))
    title = f"From the {name} up" if wire else name
    sentence = (
        "Drawn as wide as the widest of its cards' links; some of their traffic may stay below."
        if wire
        else f"{_capital(cards)} reach each other through it."
    )
    return ThingFacts(title, (), sentence, Tone.TEXT, tuple(facts), INFERRED)


def _processor(now: MachineNow, at: int, *, memory: bool) -> ThingFacts:
    socket = now.shape.sockets[at]
    title = _capital(socket_name(now, at).removeprefix("the "))
    size = memory_amount(now, at)
    facts = [
        _figure("memory", "Host memory", size, NOT_TOLD),
        _told("node", "NUMA node", socket.number),
        _figure("cpus", "CPUs", processors_near(now, at), NOT_TOLD),
        Fact("cards", "Cards close to it", now.named(socket.cards)),
    ]
    words = "Programs that feed these cards run best on these CPUs."
    if memory:
        title = f"Host memory of {socket_name(now, at)}"
        words = "What is copied to a card and back passes here; nobody tells how fast it is."
    return ThingFacts(title, (_HOST,), words, Tone.TEXT, tuple(facts))


def _between_processors() -> ThingFacts:
    facts = (
        Fact("kind", "Kind", f"{PathKind.SYSTEM.value}: {PathKind.SYSTEM.sentence}"),
        Fact("rate", EACH_WAY, absent=NOT_TOLD),
        Fact("traffic", "Traffic now", absent=NOT_TOLD),
    )
    words = "Cards of different processors reach each other through it."
    return ThingFacts("Between the processors", (), words, Tone.TEXT, facts)


_HOST = End("H", None)


def _end(now: MachineNow, card: CardId) -> End:
    return End(now.number(card), now.colour(card))


def _kind(link: Link) -> Fact:
    return Fact("kind", "Kind", f"{link.letters}: {path_words(link)}")


def _speed(link: Link, label: str, runs: float | None = None) -> Fact:
    if link.rate is None:
        return Fact("rate", label, absent=(link.rate_reason or NOT_TOLD[0], NOT_TOLD[1]))
    value = f"{rate(link.rate)} in theory"
    if runs is not None and runs < 0.99 * link.rate:
        value += f", {rate(runs)} as it runs now"
    hint = f"Follows from {link.rate_reason}." if link.rate_reason else ""
    return Fact("rate", label, value, hint=hint)


def _peer(link: Link) -> Fact:
    hint = "Whether one card may read the other's memory itself, without the host's."
    if link.peer_to_peer is None:
        why = link.peer_reason or NOT_TOLD[0]
        return Fact("peer", "Peer to peer", absent=(why, NOT_TOLD[1]), hint=hint)
    words = "yes" if link.peer_to_peer else f"no: {link.peer_reason}"
    return Fact("peer", "Peer to peer", words, hint=hint)


def _bridge_traffic(now: MachineNow, link: Link) -> Sequence[Fact]:
    a, b = now.number(link.a), now.number(link.b)
    return (
        _metric(now, link.a, links.NVLINK_TRANSMIT, f"{a} to {b} now"),
        _metric(now, link.b, links.NVLINK_TRANSMIT, f"{b} to {a} now"),
    )


def _metric(now: MachineNow, card: CardId, metric: MetricId, label: str) -> Fact:
    told = metric_fact(now.reading(card), metric, now.units)
    return Fact(f"{card}.{metric}", label, told.value, told.unit, told.absent, told.hint)


def _sum(now: MachineNow, cards: Sequence[CardId], metric: MetricId, label: str) -> Fact:
    told = [now.reading(card).values.get(metric) for card in cards]
    known = [value for value in told if value is not None]
    if not known:
        return Fact(label, label, absent=_metric(now, cards[0], metric, label).absent)
    missing = f", {len(told) - len(known)} not told" if len(known) < len(told) else ""
    return Fact(label, label, f"{rate(sum(known))}{missing}")


def _reaches(now: MachineNow, card: CardId) -> Sequence[Fact]:
    """The other cards by how they are reached, and whether directly."""
    by_letters: dict[str, list[CardId]] = {}
    direct = told = 0
    why = ""
    for other in (*now.shape.home, *now.shape.loose):
        link = now.shape.link(card, other)
        if other == card or link is None:
            continue
        by_letters.setdefault(link.letters, []).append(other)
        told += link.peer_to_peer is not None
        direct += link.peer_to_peer is True
        why = why or link.peer_reason
    facts = [Fact(f"by.{each}", each, now.named(cards)) for each, cards in by_letters.items()]
    if told:
        words = f"with {direct} of {told} cards"
        if direct == told:
            words = "yes" if told == 1 else "with all of them"
        elif not direct:
            words = f"no: {why}"
        facts.append(Fact("peer", "Peer to peer", words))
    return facts


def _place(now: MachineNow, cards: Sequence[CardId]) -> Sequence[Fact]:
    nodes = dict.fromkeys(now.topology.numa_nodes.get(card) for card in cards)
    near = dict.fromkeys(now.topology.cpu_affinity.get(card, "") for card in cards)
    node = ", ".join(str(each) for each in nodes if each is not None)
    one = ("there is only one, or it is not told", "not told")
    return (
        _figure("numa", "NUMA node", node, one),
        _figure("near", "CPUs close by", ", ".join(each for each in near if each), NOT_TOLD),
    )


def _figure(key: str, label: str, value: str, absent: tuple[str, ...]) -> Fact:
    return Fact(key, label, value, absent=() if value.strip() else absent or NOT_TOLD)


def _told(key: str, label: str, value: int | None) -> Fact:
    return _figure(key, label, "" if value is None else str(value), NOT_TOLD)


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"
