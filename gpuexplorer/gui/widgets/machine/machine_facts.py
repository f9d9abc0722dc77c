"""All that is known of one thing in the drawing of a machine, for the panel beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import rate
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.fact import Fact
from gpuexplorer.gui.cards.facts import PCIE, card_facts, metric_fact
from gpuexplorer.gui.cards.pcie import link_now
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.machine.machine_face import MachineNow
from gpuexplorer.gui.widgets.machine.machine_faces import (
    HUB_WORDS,
    INFERRED,
    JUNCTION_WORDS,
    memory_amount,
    processor_title,
    processors_near,
    socket_name,
)
from gpuexplorer.gui.widgets.machine.machine_things import (
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
from gpuexplorer.gui.widgets.machine.wire_faces import nvlink_kind
from gpuexplorer.gui.widgets.machine.wiring_words import path_words
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.topology import HubKind, Junction, Link, PathKind

_NOT_REPORTED = (mark("not reported by the driver"), mark("not reported"))


@dataclass(frozen=True, slots=True)
class ThingFacts:
    """`sentence` is what to make of it, `note` how far to trust the drawing."""

    title: str
    ends: tuple[Chip, ...]
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
    facts = [Fact("model", tr("Model"), face.name, absent=not_reported())]
    if not face.sentence:
        amount = face.memory.figure
        facts.append(_figure("busy", tr("Busy"), face.busy.value, face.busy.absent))
        facts.append(_figure("memory", tr("Memory"), amount.value, amount.absent))
    link = now.shape.host_link(card)
    if link is not None:
        facts.append(_speed(link, tr("To the host")))
    if shown.card.nvlinks:
        up = metric_fact(reading, m.NVLINK_ACTIVE, now.units)
        value = tr("{number} of {limit}", number=up.value, limit=shown.card.nvlinks)
        facts.append(_figure("nvlinks", tr("NVLinks up"), value if up.value else "", up.absent))
    facts += [*_reaches(now, card), *_place(now, [card])]
    facts.append(Fact("bus", tr("PCI address"), shown.card.bus_id or "", absent=not_reported()))
    if face.instances:
        count = str(len(face.instances))
        facts.append(Fact("instances", tr("MIG instances"), count))
    unwired = ""
    if card in now.shape.loose:
        unwired = tr("The driver does not report how it is wired.")
    sentence = " ".join(each for each in (face.sentence, face.more, unwired) if each)
    tone = Tone.BAD if now.lost(card) else Tone.TEXT
    title = tr("Card {number}", number=shown.number)
    return ThingFacts(title, (_end(now, card),), sentence, tone, tuple(facts), card=card)


def _host_link(now: MachineNow, card: CardId, source: Source) -> ThingFacts:
    link = now.shape.host_link(card)
    assert link is not None
    shown, reading = now.cards[card], now.reading(card)
    if link.path is PathKind.C2C:
        group, runs = None, None
    else:
        groups = card_facts(shown.card, source, reading, now.units)
        group = next((each for each in groups if each.key == PCIE), None)
        runs = link_now(reading).rate
    facts = [_kind(link), _speed(link, tr("Each way"), runs)]
    facts += group.facts if group is not None else ()
    facts += _place(now, [card])
    sentence, tone = "", Tone.QUIET
    if group is not None:
        sentence, tone = group.note or "", group.note_tone
    if now.lost(card):
        sentence = tr("The card is lost: nothing is known of its link any more.")
        if now.unlisted(card):
            sentence = tr("The driver no longer lists the card, and nothing of its link.")
        tone = Tone.BAD
    title = tr("Card {number} to the host", number=shown.number)
    ends = (_end(now, card), _host())
    return ThingFacts(title, ends, sentence, tone, tuple(facts), card=card)


def _pair(now: MachineNow, a: CardId, b: CardId) -> ThingFacts:
    link = now.shape.link(a, b)
    title = tr("Card {a} to card {b}", a=now.number(a), b=now.number(b))
    ends = (_end(now, a), _end(now, b))
    if link is None:
        sentence = tr("The driver does not report how they are joined.")
        return ThingFacts(title, ends, sentence, Tone.TEXT, ())
    facts = [_kind(link), _speed(link, tr("Each way"))]
    if link.nvlinks:
        facts.append(_number("generation", tr("NVLink generation"), link.nvlink_generation))
    facts.append(_peer(link))
    if link.nvlinks and link in now.shape.bridges:
        facts += _bridge_traffic(now, link)
    else:
        absent = (tr("reported for each card only, not for each pair"), tr("per card only"))
        facts.append(Fact("traffic", tr("Traffic now"), absent=absent))
    if link.nvlinks and link.pcie_path is not PathKind.UNKNOWN:
        facts.append(Fact("pcie", tr("Without NVLink"), _path(link.pcie_path)))
    facts += _place(now, [a, b])
    sentence, tone = "", Tone.TEXT
    if link.peer_to_peer is False and not link.nvlinks:
        sentence = tr("Copies between the two go through the computer's memory.")
    lost = [card for card in (a, b) if now.lost(card)]
    if lost:
        sentence = tr("Lost: {cards}. Nothing passes here.", cards=now.named(lost))
        if all(now.unlisted(card) for card in lost):
            named = now.named(lost)
            sentence = tr("No longer listed: {cards}. Nothing passes here.", cards=named)
        tone = Tone.BAD
    return ThingFacts(title, ends, sentence, tone, tuple(facts))


def _spoke(now: MachineNow, card: CardId) -> ThingFacts:
    spoke, hub = now.shape.spokes[card], now.shape.hub_of(card)
    assert hub is not None
    others = now.named([each for each in hub.cards if each != card])
    kind = nvlink_kind(spoke.generation, spoke.nvlinks)[0]
    speed = "" if spoke.rate is None else tr("{rate} in theory", rate=rate(spoke.rate))
    way = tr("{part}, {cards}", part=tr(HUB_WORDS[hub.kind][-1]), cards=others)
    facts = [
        Fact("kind", tr("Kind"), kind),
        _figure("rate", tr("Each way"), speed, not_reported()),
        _metric(now, card, m.NVLINK_RECEIVE, tr("Comes in now")),
        _metric(now, card, m.NVLINK_TRANSMIT, tr("Goes out now")),
        Fact("to", tr("Leads to"), way),
        *_place(now, [card]),
    ]
    title = tr("NVLinks of card {number}", number=now.number(card))
    lost = tr("The card is lost: nothing passes here.") if now.lost(card) else ""
    if now.unlisted(card):
        lost = tr("The driver no longer lists the card, and nothing passes here.")
    tone = Tone.BAD if lost else Tone.TEXT
    return ThingFacts(title, (_end(now, card),), lost, tone, tuple(facts), card=card)


def _hub(now: MachineNow, number: int) -> ThingFacts:
    hub = now.shape.hubs[number]
    spokes = [now.shape.spokes[card] for card in hub.cards]
    kinds = dict.fromkeys(nvlink_kind(each.generation, each.nvlinks)[0] for each in spokes)
    rates = dict.fromkeys(str(rate(each.rate)) for each in spokes if each.rate is not None)
    speed = tr("{rate} in theory", rate=", ".join(rates)) if rates else ""
    facts = [
        Fact("cards", tr("Joins"), now.named(hub.cards)),
        Fact("kind", tr("Each card has"), ", ".join(kinds)),
        _figure("rate", tr("Each way"), speed, not_reported()),
        _sum(now, hub.cards, m.NVLINK_TRANSMIT, tr("All send now")),
        _sum(now, hub.cards, m.NVLINK_RECEIVE, tr("All receive now")),
    ]
    words = {
        HubKind.SWITCH: mark(
            "The cards have fewer links than they would need to reach each other directly, so "
            "NVSwitch chips stand between them. The driver does not list these."
        ),
        HubKind.ALL: mark("Each card has links of its own to every other."),
        HubKind.SOME: mark("Some pairs have no NVLink: the matrix shows which."),
    }
    part = tr(HUB_WORDS[hub.kind][-1])
    title = tr("{part} of {cards}", part=part, cards=now.named(hub.cards))
    return ThingFacts(title, (), tr(words[hub.kind]), Tone.TEXT, tuple(facts))


def _junction(now: MachineNow, junction: Junction, *, wire: bool) -> ThingFacts:
    name = tr(JUNCTION_WORDS[junction.kind][0])
    cards = now.named(junction.cards)
    facts = [
        Fact("kind", tr("Kind"), _path(junction.kind)),
        Fact("cards", tr("Cards on it"), cards),
        _sum(now, junction.cards, m.PCIE_RECEIVE, tr("All receive now")),
        _sum(now, junction.cards, m.PCIE_TRANSMIT, tr("All send now")),
        *_place(now, junction.cards),
    ]
    title, sentence = name, tr("Through it these reach each other: {cards}.", cards=cards)
    if wire:
        facts.insert(1, Fact("rate", tr("Each way"), absent=not_reported()))
        title = tr("From the {part} up", part=name)
        sentence = tr(
            "Drawn as wide as the widest of its cards' links; some of their traffic may stay "
            "below."
        )
    return ThingFacts(title, (), sentence, Tone.TEXT, tuple(facts), tr(INFERRED))


def _processor(now: MachineNow, at: int, *, memory: bool) -> ThingFacts:
    socket = now.shape.sockets[at]
    title = processor_title(now, at)
    facts = [
        _figure("memory", tr("Host memory"), memory_amount(now, at), not_reported()),
        _number("node", tr("NUMA node"), socket.number),
        _figure("cpus", tr("CPUs"), processors_near(now, at), not_reported()),
        Fact("cards", tr("Cards close to it"), now.named(socket.cards)),
    ]
    words = tr("Programs that feed these cards run best on these CPUs.")
    if memory:
        title = tr("Host memory of {processor}", processor=socket_name(now, at))
        words = tr(
            "What is copied to a card and back passes here; how fast it is is not reported."
        )
    return ThingFacts(title, (_host(),), words, Tone.TEXT, tuple(facts), card=HOST_ID)


def _between_processors() -> ThingFacts:
    facts = (
        Fact("kind", tr("Kind"), _path(PathKind.SYSTEM)),
        Fact("rate", tr("Each way"), absent=not_reported()),
        Fact("traffic", tr("Traffic now"), absent=not_reported()),
    )
    words = tr("Cards of different processors reach each other through it.")
    return ThingFacts(tr("Between the processors"), (), words, Tone.TEXT, facts)


def not_reported() -> tuple[str, str]:
    return tr(_NOT_REPORTED[0]), tr(_NOT_REPORTED[1])


def _host() -> Chip:
    return Chip(tr("H"), None)


def _end(now: MachineNow, card: CardId) -> Chip:
    return Chip(now.number(card), now.colour(card))


def _path(kind: PathKind) -> str:
    return tr("{letters}: {meaning}", letters=kind.value, meaning=tr(kind.sentence))


def _kind(link: Link) -> Fact:
    value = tr("{letters}: {meaning}", letters=link.letters, meaning=path_words(link))
    return Fact("kind", tr("Kind"), value)


def _speed(link: Link, label: str, runs: float | None = None) -> Fact:
    if link.rate is None:
        return Fact("rate", label, absent=_why(link.rate_reason))
    value = tr("{rate} in theory", rate=rate(link.rate))
    if runs is not None and runs < 0.99 * link.rate:
        value = tr(
            "{rate} in theory, {now} as it runs now", rate=rate(link.rate), now=rate(runs)
        )
    hint = ""
    if link.rate_reason:
        hint = tr("Follows from {reason}.", reason=tr(link.rate_reason))
    return Fact("rate", label, value, hint=hint)


def _peer(link: Link) -> Fact:
    label = tr("Peer to peer")
    hint = tr("Whether one card may read the other's memory itself, without the host's.")
    if link.peer_to_peer is None:
        return Fact("peer", label, absent=_why(link.peer_reason), hint=hint)
    return Fact("peer", label, peer_words(link), hint=hint)


def peer_words(link: Link) -> str:
    if link.peer_to_peer:
        return tr("yes")
    return tr("no: {reason}", reason=tr(link.peer_reason))


def _why(reason: str) -> tuple[str, str]:
    long, short = not_reported()
    return tr(reason) or long, short


def _bridge_traffic(now: MachineNow, link: Link) -> Sequence[Fact]:
    a, b = now.number(link.a), now.number(link.b)
    return (
        _metric(now, link.a, m.NVLINK_TRANSMIT, tr("{a} to {b} now", a=a, b=b)),
        _metric(now, link.b, m.NVLINK_TRANSMIT, tr("{a} to {b} now", a=b, b=a)),
    )


def _metric(now: MachineNow, card: CardId, metric: MetricId, label: str) -> Fact:
    told = metric_fact(now.reading(card), metric, now.units)
    return Fact(f"{card}.{metric}", label, told.value, told.unit, told.absent, told.hint)


def _sum(now: MachineNow, cards: Sequence[CardId], metric: MetricId, label: str) -> Fact:
    told = [now.reading(card).values.get(metric) for card in cards]
    known = [value for value in told if value is not None]
    key = f"sum.{metric}"
    if not known:
        return Fact(key, label, absent=_metric(now, cards[0], metric, label).absent)
    missing, value = len(told) - len(known), str(rate(sum(known)))
    if missing:
        value = tr("{rate}, {count} not reported", rate=value, count=missing)
    return Fact(key, label, value)


def _reaches(now: MachineNow, card: CardId) -> Sequence[Fact]:
    """The other cards by how they are reached, and whether directly."""
    found = [
        (other, link)
        for other in (*now.shape.home, *now.shape.loose)
        if other != card and (link := now.shape.link(card, other)) is not None
    ]
    by_letters: dict[str, list[CardId]] = {}
    for other, link in found:
        by_letters.setdefault(link.letters, []).append(other)
    facts = [Fact(f"by.{each}", each, now.named(cards)) for each, cards in by_letters.items()]
    told = [link for _, link in found if link.peer_to_peer is not None]
    direct = sum(link.peer_to_peer is True for link in told)
    if not told:
        return facts
    if direct == len(told):
        words = tr("yes") if direct == 1 else tr("with all of them")
    elif direct:
        words = trn(
            "with {direct} of {count} card",
            "with {direct} of {count} cards",
            len(told),
            direct=direct,
        )
    else:
        why = next((link.peer_reason for _, link in found if link.peer_reason), "")
        words = tr("no: {reason}", reason=tr(why))
    return [*facts, Fact("peer", tr("Peer to peer"), words)]


def _place(now: MachineNow, cards: Sequence[CardId]) -> Sequence[Fact]:
    nodes = dict.fromkeys(now.topology.numa_nodes.get(card) for card in cards)
    near = dict.fromkeys(now.topology.cpu_affinity.get(card, "") for card in cards)
    node = ", ".join(str(each) for each in nodes if each is not None)
    cpus = ", ".join(each for each in near if each)
    one = (tr("there is only one, or it is not reported"), tr("not reported"))
    return (
        _figure("numa", tr("NUMA node"), node, one),
        _figure("near", tr("CPUs close by"), cpus, not_reported()),
    )


def _figure(key: str, label: str, value: str, absent: tuple[str, ...]) -> Fact:
    return Fact(key, label, value, absent=() if value else absent or not_reported())


def _number(key: str, label: str, value: int | None) -> Fact:
    return _figure(key, label, "" if value is None else str(value), not_reported())
