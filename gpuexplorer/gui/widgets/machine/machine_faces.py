"""What the drawing of a machine shows of each of its parts, out of the newest readings."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardId, CardKind, CardState, short_name
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import Units, gigabytes_per_second, memory, rate
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.card_face import CardFace, Shown
from gpuexplorer.gui.cards.reasons import short_reasons
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.wiring import Wiring
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.machine.layout import SOCKETS, Kind, Part
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.pcie_link import link_now, link_of_card, link_words
from gpuexplorer.telemetry.topology import Hub, HubKind, Junction, Link, MachineShape, PathKind

# A text and a shorter one: the first that fits is drawn.
Texts = tuple[str, ...]
# Steps of brightness: what differs by less looks the same, and is not drawn anew.
_STEPS = 24

HUB_WORDS = {
    HubKind.SWITCH: (mark("NVSwitch, every card reaches every other"), mark("NVSwitch")),
    HubKind.ALL: (mark("NVLink, every card to every other"), mark("NVLink")),
    HubKind.SOME: (mark("NVLink, not every card to every other"), mark("NVLink")),
}
JUNCTION_WORDS = {
    PathKind.SWITCH: (mark("PCIe switch"), mark("switch")),
    PathKind.SWITCHES: (mark("PCIe switches"), mark("switches")),
    PathKind.HOST_BRIDGE: (mark("PCIe host bridge"), mark("host bridge")),
}
INFERRED = mark(
    "Switches and host bridges are inferred: the driver reports only the kind of each path."
)


@dataclass(frozen=True, slots=True)
class BoxFace:
    """Anything with a name on it; a card shows how it is as well."""

    name: str
    spoken: str
    title: str
    remark: str = ""
    card: CardFace | None = None
    small: tuple[Texts, ...] = ()  # its power and temperature


@dataclass(frozen=True, slots=True)
class LaneFace:
    """One direction of a wire."""

    word: str = ""  # "in", "0 to 1"
    figure: str = ""  # GB/s; empty where it is not known
    lit: float = 0.0  # 0 to 1: of what it could carry
    colour: int | None = None  # of the card that sends; None: the host, or several cards

    @property
    def spoken(self) -> str:
        """Empty where nothing is known of its traffic."""
        if not self.figure:
            return ""
        return tr("Now {direction}: {figure} GB/s.", direction=self.word, figure=self.figure)


IDLE = LaneFace()


@dataclass(frozen=True, slots=True)
class WireFace:
    """What joins two parts. Lanes lead forth, from the card up, and back."""

    name: str
    kind: Texts = ()
    rate: Texts = ()
    forth: LaneFace = IDLE
    back: LaneFace = IDLE
    absent: Texts = ()  # why there are no figures of its traffic
    tone: Tone = Tone.QUIET
    dark: bool = False  # a card at its end is lost

    @property
    def spoken(self) -> str:
        said = [f"{self.kind[0]}."] if self.kind else []
        if self.rate:
            said.append(tr("{rate} in theory.", rate=self.rate[0]))
        said += [self.back.spoken, self.forth.spoken]
        if self.absent and not (self.back.spoken or self.forth.spoken):
            said.append(tr("Traffic: {reason}.", reason=self.absent[0]))
        return " ".join(each for each in said if each)


Face = BoxFace | WireFace


@dataclass(frozen=True, slots=True)
class MachineNow:
    """Every card of the shape is in each of the mappings."""

    shape: MachineShape
    listed: object  # the same as long as the same cards are listed
    cards: Mapping[CardId, Shown]
    faces: Mapping[CardId, CardFace]
    host: CardFace
    units: Units

    def number(self, card: CardId) -> str:
        return tr("host") if card == HOST_ID else self.cards[card].number

    def colour(self, card: CardId) -> int | None:
        return self.cards[card].colour

    def reading(self, card: CardId) -> Reading:
        return self.faces[card].reading

    def lost(self, card: CardId) -> bool:
        """Whether nothing comes from it any more: it fell off the bus, or is not listed."""
        return self.reading(card).state is CardState.LOST or self.unlisted(card)

    def unlisted(self, card: CardId) -> bool:
        return self.reading(card).state is CardState.UNLISTED

    def sum(self, cards: Sequence[CardId], metric: MetricId) -> tuple[float | None, int]:
        """Of those that report it, and how many do not."""
        told = [self.reading(card).values.get(metric) for card in cards]
        known = [value for value in told if value is not None]
        return (sum(known) if known else None), len(told) - len(known)

    def named(self, cards: Collection[CardId]) -> str:
        """ "card 3", "cards 0 to 7", "cards 0, 2 and 5 to 7"."""
        numbers = sorted(self.cards[card].card.index for card in cards)
        parts: list[str] = []
        for _, row in groupby(enumerate(numbers), key=lambda each: each[1] - each[0]):
            run = [str(number) for _, number in row]
            whole = [tr("{first} to {last}", first=run[0], last=run[-1])]
            parts += whole if len(run) > 2 else run
        return trn("card {numbers}", "cards {numbers}", len(numbers), numbers=listed(parts))

    def node(self, at: int) -> str:
        """What tells a processor from the others; empty for the only one."""
        number = self.shape.sockets[at].number
        if number is None or len(self.shape.sockets) == 1:
            return ""
        return tr("NUMA node {number}", number=number)

    def processors_near(self, at: int) -> str:
        """Their numbers; empty where the cards of one node report different ones."""
        cards = self.shape.sockets[at].cards
        near = {self.shape.topology.cpu_affinity.get(card, "") for card in cards}
        return near.pop() if len(near) == 1 else ""

    def memory_of(self, at: int) -> str:
        """For several nodes only the size is known, and what is used for the whole computer."""
        number = self.shape.sockets[at].number
        if len(self.shape.sockets) == 1:
            return self.host.memory.figure.value
        size = None if number is None else self.shape.topology.node_memory.get(number)
        return "" if size is None else str(memory(float(size), self.units))


def machine_now(machine: MachineState, wiring: Wiring) -> MachineNow | None:
    """As it is now; None while nothing is known of how the cards that are listed are wired."""
    shape = wiring.shape
    cards = {
        shown.card.id: shown for shown in machine.cards() if shown.card.kind is CardKind.GPU
    }
    if shape is None or not shape.home or not set(cards) >= {*shape.home, *shape.loose}:
        return None
    return MachineNow(
        shape,
        machine.cards(),
        cards,
        {card: machine.face(shown) for card, shown in cards.items()},
        machine.host_face(),
        machine.settings.choices.units,
    )


def machine_faces(now: MachineNow) -> Mapping[Part, Face]:
    """One for each part that a layout of this shape may hold."""
    shape, system = now.shape, (PathKind.SYSTEM.value,)
    faces: dict[Part, Face] = {SOCKETS: WireFace(tr("Between the processors"), system)}
    for at in range(len(shape.sockets)):
        bus = tr("Memory bus of {processor}", processor=now.node(at) or tr("the processor"))
        faces[Part(Kind.SOCKET, number=at)] = _socket(now, at)
        faces[Part(Kind.MEMORY, number=at)] = _memory(now, at)
        faces[Part(Kind.MEMORY_WIRE, number=at)] = WireFace(bus)
    for card in (*shape.home, *shape.loose):
        faces[Part(Kind.CARD, card)] = _card(now.faces[card])
    for card in shape.home:
        faces[Part(Kind.LINK, card, HOST_ID)] = _host_wire(now, card)
    for junction in shape.junctions:
        faces[Part(Kind.JUNCTION, number=junction.number)] = _junction(now, junction)
        faces[Part(Kind.UPLINK, number=junction.number)] = _uplink(now, junction)
    for hub in shape.hubs:
        faces[Part(Kind.HUB, number=hub.number)] = _hub(now, hub)
    for link in shape.bridges:
        faces[Part(Kind.LINK, link.a, link.b)] = _bridge(now, link)
    for card in shape.spokes:
        faces[Part(Kind.SPOKE, card)] = _spoke(now, card)
    return faces


def _card(face: CardFace) -> BoxFace:
    title = short_name(face.name)
    if face.instances:
        count = len(face.instances)
        title = trn("{count} MIG instance", "{count} MIG instances", count)
    small = [each for each in face.figures[:2] if each.known and face.answers]
    texts = tuple((each.value, each.shorter.value) for each in small)
    return BoxFace(face.title, face.summary, title, card=face, small=texts)


def _socket(now: MachineNow, at: int) -> BoxFace:
    socket, near, node = now.shape.sockets[at], now.processors_near(at), now.node(at)
    remarks = [tr("CPUs {numbers}", numbers=near)] if near else []
    if socket.number is not None and not node:
        remarks.insert(0, tr("NUMA node {number}", number=socket.number))
    close = tr("Close to {cards}.", cards=now.named(socket.cards))
    spoken = " ".join([*(f"{each}." for each in remarks), close])
    name = node or tr("Processor")
    return BoxFace(name, spoken, name, ", ".join(remarks))


def _memory(now: MachineNow, at: int) -> BoxFace:
    amount, name, node = now.memory_of(at), tr("Host memory"), now.node(at)
    if node:
        name = tr("Host memory of {node}", node=node)
    spoken = f"{amount}." if amount else tr("Its size is not reported.")
    return BoxFace(name, spoken, name, amount)


def _junction(now: MachineNow, junction: Junction) -> BoxFace:
    words = tr(JUNCTION_WORDS[junction.kind][0])
    name = tr("{part} of {cards}", part=words, cards=now.named(junction.cards))
    return BoxFace(name, tr(INFERRED), words, junction.kind.value)


def _hub(now: MachineNow, hub: Hub) -> BoxFace:
    words, short = map(tr, HUB_WORDS[hub.kind])
    first, *others = [now.shape.spokes[card] for card in hub.cards]
    remark = ""
    if all(each == first for each in others):
        remark = nvlink_kind(first.generation, first.nvlinks)[0]
        if first.rate is not None:
            remark = tr("{kind}, {rate} each way", kind=remark, rate=rate(first.rate))
    name = tr("{part} of {cards}", part=short, cards=now.named(hub.cards))
    spoken = " ".join(f"{each}." for each in (words, remark) if each)
    return BoxFace(name, spoken, words, remark)


def _host_wire(now: MachineNow, card: CardId) -> WireFace:
    name = tr("Link from card {number} to the host", number=now.number(card))
    link, reading, dark = now.shape.host_link(card), now.reading(card), now.lost(card)
    assert link is not None
    if link.path is PathKind.C2C:
        absent, kind = (tr("traffic not read"), tr("not read")), ("NVLink-C2C", "C2C")
        return WireFace(name, kind, _speed(link.rate), absent=absent, dark=dark)
    # Most links run as they can, and there is nothing to make of that.
    less = _runs_lower(reading) != (False, False)
    return WireFace(
        name,
        _pcie_kind(now, card, link),
        _speed(link.rate, link_now(reading).rate),
        *_lanes(now, card, (m.PCIE_TRANSMIT, m.PCIE_RECEIVE), link.rate),
        absent=_absent(reading, m.PCIE_RECEIVE),
        tone=Tone.WARN if less and link_words(now.cards[card].card, reading)[1] else Tone.QUIET,
        dark=dark,
    )


def _uplink(now: MachineNow, junction: Junction) -> WireFace:
    """What its cards send and get together: some of it may stay below the switch."""
    ways = [now.shape.host_link(card) for card in junction.cards]
    most = max((way.rate for way in ways if way is not None and way.rate), default=None)
    cards, part = now.named(junction.cards), tr(JUNCTION_WORDS[junction.kind][0])
    return WireFace(
        tr("Link from the {part} of {cards} to the processor", part=part, cards=cards),
        forth=_lane(tr("out"), now.sum(junction.cards, m.PCIE_TRANSMIT)[0], most, None),
        back=_lane(tr("in"), now.sum(junction.cards, m.PCIE_RECEIVE)[0], most, None),
        dark=all(now.lost(card) for card in junction.cards),
    )


def _bridge(now: MachineNow, link: Link) -> WireFace:
    """NVLinks between two cards. What one of them sends the other gets."""
    a, b = now.number(link.a), now.number(link.b)
    ours, theirs = now.reading(link.a), now.reading(link.b)
    there = ours.values.get(m.NVLINK_TRANSMIT, theirs.values.get(m.NVLINK_RECEIVE))
    again = theirs.values.get(m.NVLINK_TRANSMIT, ours.values.get(m.NVLINK_RECEIVE))
    forth = _lane(tr("{a} to {b}", a=a, b=b), there, link.rate, now.colour(link.a))
    back = _lane(tr("{a} to {b}", a=b, b=a), again, link.rate, now.colour(link.b))
    absent, lost = _absent(ours, m.NVLINK_TRANSMIT), now.lost(link.a) or now.lost(link.b)
    if lost:
        # What the other card reported a moment ago is no traffic any more.
        unlisted = now.unlisted(link.a) or now.unlisted(link.b)
        absent = short_reasons(Absence.UNLISTED if unlisted else Absence.LOST)
        forth = back = IDLE
    return WireFace(
        tr("NVLink between card {a} and card {b}", a=a, b=b),
        nvlink_kind(link.nvlink_generation, link.nvlinks),
        _speed(link.rate),
        forth,
        back,
        absent,
        dark=lost,
    )


def _spoke(now: MachineNow, card: CardId) -> WireFace:
    spoke = now.shape.spokes[card]
    return WireFace(
        tr("NVLinks of card {number}", number=now.number(card)),
        nvlink_kind(spoke.generation, spoke.nvlinks),
        _speed(spoke.rate),
        *_lanes(now, card, (m.NVLINK_TRANSMIT, m.NVLINK_RECEIVE), spoke.rate),
        absent=_absent(now.reading(card), m.NVLINK_TRANSMIT),
        dark=now.lost(card),
    )


def nvlink_kind(generation: int | None, count: int) -> Texts:
    number = "" if generation is None else f" {generation}"
    return f"NVLink{number} ×{count}", f"×{count}"


def _speed(most: float | None, runs: float | None = None) -> Texts:
    """What it could carry; first what it could as it runs now, where that is less. Where there
    is little room a word tells it from the traffic below it.
    """
    if most is None:
        return ()
    figure = least = gigabytes_per_second(most)
    if runs is not None and runs < 0.99 * most:
        least = gigabytes_per_second(runs)
        figure = tr("{part} of {whole}", part=least, whole=figure)
    figure = f"{figure} GB/s"
    return tr("{rate} each way", rate=figure), figure, tr("max {rate}", rate=least)


def _pcie_kind(now: MachineNow, card: CardId, link: Link) -> Texts:
    """ "PCIe 4 ×16"; while it sleeps "PCIe 1 of 4 ×16"."""
    if now.cards[card].card.memory_shared:
        return tr("on the processor's chip"), tr("on chip")
    reading, told = now.reading(card), link.rate_reason.values
    speed, (slower, narrower) = link_now(reading), _runs_lower(reading)
    parts: tuple[object, object] = speed.generation, speed.lanes
    if None in parts:
        parts = told.get("generation"), told.get("lanes")
    if parts[1] is None:
        return ("PCIe",)
    first, last = str(parts[0]), f"×{parts[1]}"
    if slower:
        most = f"{reading.values[m.PCIE_GENERATION_MAX]:.0f}"
        first = tr("{part} of {whole}", part=first, whole=most)
    if narrower:
        last = tr("{part} of {whole}", part=last, whole=f"×{link_of_card(reading).lanes}")
    return f"PCIe {first} {last}", f"{first} {last}"


def _runs_lower(reading: Reading) -> tuple[bool, bool]:
    """Whether at a lower generation than it could here, and with fewer lanes."""
    speed, widest = link_now(reading), link_of_card(reading).lanes
    if speed.generation is None or speed.lanes is None:
        return False, False
    most = reading.values.get(m.PCIE_GENERATION_MAX, 0.0)
    return speed.generation < most, widest is not None and speed.lanes < widest


def _lanes(
    now: MachineNow, card: CardId, metrics: tuple[MetricId, MetricId], most: float | None
) -> tuple[LaneFace, LaneFace]:
    """Out of the card, and in: what comes in is of the host, or of several cards."""
    goes, comes = (now.reading(card).values.get(metric) for metric in metrics)
    return _lane(tr("out"), goes, most, now.colour(card)), _lane(tr("in"), comes, most, None)


def _lane(word: str, value: float | None, most: float | None, colour: int | None) -> LaneFace:
    if value is None:
        return LaneFace(word)
    # The square root, since a wire that is a hundredth full is not an idle one.
    share = sqrt(min(1.0, value / most)) if most else 0.0
    return LaneFace(word, gigabytes_per_second(value), round(share * _STEPS) / _STEPS, colour)


def _absent(reading: Reading, metric: MetricId) -> Texts:
    if metric in reading.values:
        return ()
    return short_reasons(reading.missing.get(metric, Absence.NOT_YET))
