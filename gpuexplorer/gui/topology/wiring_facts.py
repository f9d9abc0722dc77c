"""All that is known of a machine and of each of its parts, and the panel that shows it."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import rate
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.facts import NOTE, PCIE, Fact, card_facts, metric_fact
from gpuexplorer.gui.cards.figure import link_now, link_words
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, row, say, wrapped_label
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from gpuexplorer.gui.widgets.machine.machine_faces import (
    HUB_WORDS,
    INFERRED,
    JUNCTION_WORDS,
    MachineNow,
    nvlink_kind,
)
from gpuexplorer.gui.widgets.painted import ChipRow
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.topology import HubKind, Link, PathKind

_FEW = 4
# After so many seconds a person may ask themselves whether anything goes on at all.
LONG = 3.0
HOW = mark("Click a card, a wire or a cell of the matrix to see what is known about it.")
_LABEL = 126


@dataclass(frozen=True, slots=True)
class PartFacts:
    """`sentence` is what to make of it, `note` how far to trust the drawing."""

    title: str
    ends: tuple[Chip, ...]
    sentence: str
    tone: Tone
    facts: Sequence[Fact]
    note: str = ""
    card: CardId | None = None  # whose screen tells more


def facts_of(now: MachineNow, part: Part, source: Source) -> PartFacts:
    match part.kind:
        case Kind.CARD:
            return _card(now, part.card)
        case Kind.LINK if part.to == HOST_ID:
            return _host_link(now, part.card, source)
        case Kind.LINK:
            return _pair(now, part.card, part.to)
        case Kind.SPOKE:
            return _spoke(now, part.card)
        case Kind.HUB:
            return _hub(now, part.number)
        case Kind.JUNCTION | Kind.UPLINK:
            return _junction(now, part.number, wire=part.kind is Kind.UPLINK)
        case Kind.SOCKETS:
            kind = Fact("kind", tr("Kind"), _path(PathKind.SYSTEM))
            facts = [kind, _fact("rate", tr("Each way")), _fact("traffic", tr("Traffic now"))]
            words = tr("Cards of different processors reach each other through it.")
            return PartFacts(tr("Between the processors"), (), words, Tone.TEXT, facts)
        case _:
            return _processor(now, part.number, memory=part.kind is not Kind.SOCKET)


def _card(now: MachineNow, card: CardId) -> PartFacts:
    shown, face, reading = now.cards[card], now.faces[card], now.reading(card)
    facts = [_fact("model", tr("Model"), face.name)]
    if not face.sentence:
        amount = face.memory.figure
        facts.append(_fact("busy", tr("Busy"), face.busy.value, face.busy.absent))
        facts.append(_fact("memory", tr("Memory"), amount.value, amount.absent))
    link = now.shape.host_link(card)
    if link is not None:
        facts.append(_speed(link, tr("To the host")))
    if shown.card.nvlinks:
        up = metric_fact(reading, m.NVLINK_ACTIVE, now.units)
        value = tr("{number} of {limit}", number=up.value, limit=shown.card.nvlinks)
        facts.append(_fact("nvlinks", tr("NVLinks up"), value if up.value else "", up.absent))
    facts += [*_reaches(now, card), *_place(now, [card])]
    facts.append(_fact("bus", tr("PCI address"), shown.card.bus_id or ""))
    if face.instances:
        facts.append(Fact("instances", tr("MIG instances"), str(len(face.instances))))
    unwired = ""
    if card in now.shape.loose:
        unwired = tr("The driver does not report how it is wired.")
    sentence = " ".join(each for each in (face.sentence, face.more, unwired) if each)
    tone = Tone.BAD if now.lost(card) else Tone.TEXT
    title = tr("Card {number}", number=shown.number)
    return PartFacts(title, _ends(now, card), sentence, tone, facts, card=card)


def _host_link(now: MachineNow, card: CardId, source: Source) -> PartFacts:
    link = now.shape.host_link(card)
    assert link is not None
    shown, reading = now.cards[card], now.reading(card)
    group, runs, sentence, tone = None, None, "", Tone.QUIET
    if link.path is not PathKind.C2C:
        groups = card_facts(shown.card, source, reading, now.units)
        group = next((each for each in groups if each.key == PCIE), None)
        runs = link_now(reading).rate
    facts = [_kind(link), _speed(link, tr("Each way"), runs)]
    if group is not None:
        facts += [each for each in group.facts if each.key != NOTE]
        sentence, tone = link_words(shown.card, reading)
    facts += _place(now, [card])
    if now.lost(card):
        sentence, tone = _nothing_passes(now, [card]), Tone.BAD
    title = tr("Card {number} to the host", number=shown.number)
    return PartFacts(title, _ends(now, card, HOST_ID), sentence, tone, facts, card=card)


def _pair(now: MachineNow, a: CardId, b: CardId) -> PartFacts:
    link = now.shape.link(a, b)
    title = tr("Card {a} to card {b}", a=now.number(a), b=now.number(b))
    ends = _ends(now, a, b)
    if link is None:
        sentence = tr("The driver does not report how they are joined.")
        return PartFacts(title, ends, sentence, Tone.TEXT, ())
    facts = [_kind(link), _speed(link, tr("Each way"))]
    if link.nvlinks:
        generation = str(link.nvlink_generation or "")
        facts.append(_fact("generation", tr("NVLink generation"), generation))
    facts.append(_peer([link]))
    if link.nvlinks and link in now.shape.bridges:
        for one, other in ((link.a, link.b), (link.b, link.a)):
            words = tr("{a} to {b} now", a=now.number(one), b=now.number(other))
            facts.append(_metric(now, one, m.NVLINK_TRANSMIT, words))
    else:
        absent = (tr("reported for each card only, not for each pair"),)
        facts.append(_fact("traffic", tr("Traffic now"), "", absent))
    if link.nvlinks and link.pcie_path is not PathKind.UNKNOWN:
        facts.append(Fact("pcie", tr("Without NVLink"), _path(link.pcie_path)))
    facts += _place(now, [a, b])
    sentence, tone = "", Tone.TEXT
    if link.peer_to_peer is False and not link.nvlinks:
        sentence = tr("Copies between the two go through the computer's memory.")
    if now.lost(a) or now.lost(b):
        sentence, tone = _nothing_passes(now, [a, b]), Tone.BAD
    return PartFacts(title, ends, sentence, tone, facts)


def _spoke(now: MachineNow, card: CardId) -> PartFacts:
    spoke, hub = now.shape.spokes[card], now.shape.hub_of(card)
    assert hub is not None
    others = now.named([each for each in hub.cards if each != card])
    speed = "" if spoke.rate is None else tr("{rate} in theory", rate=rate(spoke.rate))
    way = tr("{part}, {cards}", part=tr(HUB_WORDS[hub.kind][-1]), cards=others)
    facts = [
        Fact("kind", tr("Kind"), nvlink_kind(spoke.generation, spoke.nvlinks)[0]),
        _fact("rate", tr("Each way"), speed),
        _metric(now, card, m.NVLINK_RECEIVE, tr("Comes in now")),
        _metric(now, card, m.NVLINK_TRANSMIT, tr("Goes out now")),
        Fact("to", tr("Leads to"), way),
        *_place(now, [card]),
    ]
    title = tr("NVLinks of card {number}", number=now.number(card))
    lost = _nothing_passes(now, [card])
    tone = Tone.BAD if lost else Tone.TEXT
    return PartFacts(title, _ends(now, card), lost, tone, facts, card=card)


def _hub(now: MachineNow, number: int) -> PartFacts:
    hub = now.shape.hubs[number]
    spokes = [now.shape.spokes[card] for card in hub.cards]
    kinds = dict.fromkeys(nvlink_kind(each.generation, each.nvlinks)[0] for each in spokes)
    rates = dict.fromkeys(str(rate(each.rate)) for each in spokes if each.rate is not None)
    speed = tr("{rate} in theory", rate=", ".join(rates)) if rates else ""
    facts = [
        Fact("cards", tr("Joins"), now.named(hub.cards)),
        Fact("kind", tr("Each card has"), ", ".join(kinds)),
        _fact("rate", tr("Each way"), speed),
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
    return PartFacts(title, (), tr(words[hub.kind]), Tone.TEXT, facts)


def _junction(now: MachineNow, number: int, *, wire: bool) -> PartFacts:
    junction = now.shape.junctions[number]
    title, cards = tr(JUNCTION_WORDS[junction.kind][0]), now.named(junction.cards)
    facts = [
        Fact("kind", tr("Kind"), _path(junction.kind)),
        Fact("cards", tr("Cards on it"), cards),
        _sum(now, junction.cards, m.PCIE_RECEIVE, tr("All receive now")),
        _sum(now, junction.cards, m.PCIE_TRANSMIT, tr("All send now")),
        *_place(now, junction.cards),
    ]
    sentence = tr("Through it these reach each other: {cards}.", cards=cards)
    if wire:
        facts.insert(1, _fact("rate", tr("Each way")))
        title = tr("From the {part} up", part=title)
        sentence = tr(
            "Drawn as wide as the widest of its cards' links; some of their traffic may stay "
            "below."
        )
    return PartFacts(title, (), sentence, Tone.TEXT, facts, tr(INFERRED))


def _processor(now: MachineNow, at: int, *, memory: bool) -> PartFacts:
    socket, title = now.shape.sockets[at], now.node(at) or tr("Processor")
    number = "" if socket.number is None else str(socket.number)
    facts = [
        _fact("memory", tr("Host memory"), now.memory_of(at)),
        _fact("node", tr("NUMA node"), number),
        _fact("cpus", tr("CPUs"), now.processors_near(at)),
        Fact("cards", tr("Cards close to it"), now.named(socket.cards)),
    ]
    words = tr("Programs that feed these cards run best on these CPUs.")
    if memory:
        title = tr("Host memory of {processor}", processor=now.node(at) or tr("the processor"))
        words = tr(
            "What is copied to a card and back passes here; how fast it is is not reported."
        )
    return PartFacts(title, _ends(now, HOST_ID), words, Tone.TEXT, facts, card=HOST_ID)


def _fact(
    key: str, label: str, value: str = "", absent: tuple[str, ...] = (), hint: str = ""
) -> Fact:
    reason = absent or (tr("not reported by the driver"),)
    return Fact(key, label, value, absent=reason, hint=hint)


def _ends(now: MachineNow, *cards: CardId) -> tuple[Chip, ...]:
    return tuple(
        Chip(tr("H"), None) if card == HOST_ID else Chip(now.number(card), now.colour(card))
        for card in cards
    )


def _path(kind: PathKind) -> str:
    return tr("{letters}: {meaning}", letters=kind.value, meaning=tr(kind.sentence))


def path_words(link: Link) -> str:
    """The kind of the path spelled out."""
    if not link.nvlinks:
        return tr(link.path.sentence)
    return trn("{count} NVLink", "{count} NVLinks that work together", link.nvlinks)


def _peer(links: Sequence[Link]) -> Fact:
    hint = tr("Whether one card may read the other's memory itself, without the host's.")
    direct = sum(link.peer_to_peer is True for link in links)
    why = next((tr(link.peer_reason) for link in links if link.peer_reason), "")
    words = ""
    if direct == len(links):
        words = tr("yes") if direct == 1 else tr("all pairs")
    elif direct:
        words = trn(
            "{direct} of {count} pair", "{direct} of {count} pairs", len(links), direct=direct
        )
    elif any(link.peer_to_peer is False for link in links):
        words = tr("no: {reason}", reason=why)
    return _fact("peer", tr("Peer to peer"), words, (why,) if why else (), hint)


def _kind(link: Link) -> Fact:
    value = tr("{letters}: {meaning}", letters=link.letters, meaning=path_words(link))
    return Fact("kind", tr("Kind"), value)


def _speed(link: Link, label: str, runs: float | None = None) -> Fact:
    if link.rate is None:
        return _fact("rate", label, "", (tr(link.rate_reason),) if link.rate_reason else ())
    value = tr("{rate} in theory", rate=rate(link.rate))
    if runs is not None and runs < 0.99 * link.rate:
        value = tr(
            "{rate} in theory, {now} as it runs now", rate=rate(link.rate), now=rate(runs)
        )
    hint = ""
    if link.rate_reason:
        hint = tr("Follows from {reason}.", reason=tr(link.rate_reason))
    return Fact("rate", label, value, hint=hint)


def _metric(now: MachineNow, card: CardId, metric: MetricId, label: str) -> Fact:
    told = metric_fact(now.reading(card), metric, now.units)
    return Fact(f"{card}.{metric}", label, told.value, told.unit, told.absent, told.hint)


def _sum(now: MachineNow, cards: Sequence[CardId], metric: MetricId, label: str) -> Fact:
    total, missing = now.sum(cards, metric)
    if total is None:
        return _metric(now, cards[0], metric, label)
    value = str(rate(total))
    if missing:
        value = tr("{rate}, {count} not reported", rate=value, count=missing)
    return Fact(f"sum.{metric}", label, value)


def _reaches(now: MachineNow, card: CardId) -> Sequence[Fact]:
    """The other cards by how they are reached, and whether directly."""
    by_letters: dict[str, list[CardId]] = {}
    links = []
    for other in (*now.shape.home, *now.shape.loose):
        if other != card and (link := now.shape.link(card, other)) is not None:
            by_letters.setdefault(link.letters, []).append(other)
            links.append(link)
    facts = [Fact(f"by.{each}", each, now.named(cards)) for each, cards in by_letters.items()]
    return [*facts, _peer(links)] if links else facts


def _place(now: MachineNow, cards: Sequence[CardId]) -> Sequence[Fact]:
    nodes = dict.fromkeys(now.shape.topology.numa_nodes.get(card) for card in cards)
    near = dict.fromkeys(now.shape.topology.cpu_affinity.get(card, "") for card in cards)
    node = ", ".join(str(each) for each in nodes if each is not None)
    cpus = ", ".join(each for each in near if each)
    one = (tr("there is only one, or it is not reported"),)
    return (
        _fact("numa", tr("NUMA node"), node, one),
        _fact("near", tr("CPUs close by"), cpus),
    )


def machine_summary(now: MachineNow) -> PartFacts:
    shape = now.shape
    cards = len(shape.home) + len(shape.loose)
    title = tr("One card") if cards == 1 else trn("{count} card", "{count} cards", cards)
    pairs = [link for link in shape.topology.links if link.b != HOST_ID]
    hosts = [link for link in shape.topology.links if link.b == HOST_ID]
    facts = [Fact("processors", tr("Processors"), _processors(now))]
    facts += _kinds(pairs)
    if pairs:
        facts.append(_peer(pairs))
    hint = tr("Each way, in theory.")
    facts.append(_fact("host", tr("To the host"), _range(hosts), hint=hint))
    if len(shape.sockets) == 1 and now.processors_near(0):
        facts.append(Fact("cpus", tr("CPUs close by"), now.processors_near(0)))
    elif len(shape.sockets) <= _FEW:
        facts += [_socket(now, at) for at in range(len(shape.sockets))]
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
    return Fact(
        f"socket.{at}",
        now.node(at) or tr("Processor"),
        ", ".join(part for part in said if part),
    )


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


def waiting_words(seconds: float) -> str:
    if seconds < LONG:
        return tr("The driver is asked how the cards are wired.")
    return tr(
        "The driver has not answered for {seconds:.0f} s how the cards are wired. It is waited "
        "for; the rest of the window goes on, with what it reported before.",
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
    said = _gone(now, now.shape.home)
    if said:
        said.append(tr("Wires are drawn as they were."))
    if now.shape.loose:
        cards = now.named(now.shape.loose)
        said.append(tr("How {cards} would be reached is not reported.", cards=cards))
    return said


def _nothing_passes(now: MachineNow, cards: Sequence[CardId]) -> str:
    """Empty where none of them is lost."""
    gone = _gone(now, cards)
    return " ".join([*gone, tr("Nothing passes here.")]) if gone else ""


def _gone(now: MachineNow, cards: Iterable[CardId]) -> list[str]:
    lost = [card for card in cards if now.lost(card)]
    unlisted = [card for card in lost if now.unlisted(card)]
    fallen = [card for card in lost if card not in unlisted]
    said = [tr("No longer listed: {cards}.", cards=now.named(unlisted))] if unlisted else []
    return [*said, tr("Lost: {cards}.", cards=now.named(fallen))] if fallen else said


class PartFactsPanel(QFrame):
    """Its rows are made once and shown again with other words."""

    open_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Facts"))
        self._shown: PartFacts | None = None
        self._ends = ChipRow()
        self._title = label("", look().letters.title)
        self._title.setWordWrap(True)
        self._open = ToolButton("word", Icon.NEXT, tr("Open card"))
        self._open.clicked.connect(self._on_open_asked)
        self._sentence = wrapped_label("", Tone.TEXT)
        self._rows: list[tuple[QWidget, QLabel, QLabel]] = []
        self._note = wrapped_label("", Tone.QUIET, look().letters.caption)
        head = row(self._ends, self._title, GROWS, self._open, gap=10)
        self._body = column(gap=0)
        parts = (head, self._sentence, self._body, self._note, FREE)
        column(*parts, within=self, margins=(16, 14, 16, 14))

    def show_facts(self, shown: PartFacts) -> None:
        if shown == self._shown:
            return
        self._shown = shown
        self._ends.show_chips(shown.ends)
        self._ends.setVisible(bool(shown.ends))
        self._title.setText(shown.title)
        self._open.show_words(tr("Open host") if shown.card == HOST_ID else tr("Open card"))
        self._open.setVisible(shown.card is not None)
        _say(self._sentence, shown.sentence, shown.tone)
        self._sentence.setVisible(bool(shown.sentence))
        say(self._note, shown.note)
        while len(self._rows) < len(shown.facts):
            self._add_row()
        for at, (whole, name, value) in enumerate(self._rows):
            whole.setVisible(at < len(shown.facts))
            fact = shown.facts[at] if at < len(shown.facts) else None
            if fact and (fact.line, fact.hint) != (whole.accessibleName(), whole.toolTip()):
                name.setText(fact.label)
                _say(value, fact.read, Tone.TEXT if fact.value else Tone.FAINT)
                whole.setToolTip(fact.hint)
                whole.setAccessibleName(fact.line)

    def _add_row(self) -> None:
        """A label and what there is to say, over several lines where it is long."""
        whole, top = QWidget(), Qt.AlignmentFlag.AlignTop
        name, value = wrapped_label("", Tone.QUIET), wrapped_label("", Tone.TEXT)
        name.setFixedWidth(_LABEL)
        row(name, top, value, GROWS, top, within=whole, margins=(0, 3, 0, 3))
        self._rows.append((whole, name, value))
        self._body.addWidget(whole)

    def _on_open_asked(self) -> None:
        if self._shown is not None and self._shown.card is not None:
            self.open_asked.emit(self._shown.card)


def _say(label: QLabel, words: str, tone: Tone) -> None:
    label.setText(words)
    if label.property("tone") != tone.value:
        label.setProperty("tone", tone.value)
        label.style().polish(label)
