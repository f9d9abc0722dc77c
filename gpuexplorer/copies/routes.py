"""Routes: which way the bytes take between any two devices, leg by leg, and its limit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from gpuexplorer.copies.jobs import HOST
from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Told
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import rate as in_words
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.simulation.models import MODELS
from gpuexplorer.telemetry.topology import (
    HubKind,
    Link,
    PathKind,
    Topology,
    pcie_rate,
    shape_of,
)

Values = Mapping[CardId, Mapping[MetricId, float]]
_NO_WIRING = Message("the driver has not reported how this card is wired")


class Wire(StrEnum):
    """What a leg of the way is made of."""

    NVLINK = "NVLink"
    PCIE = "PCIe"
    SOCKETS = "between sockets"
    MEMORY = "memory"


class Way(Told):
    """What kind of way it is."""

    HOST_MEMORY = "host memory", Message("inside host memory")
    CARD_MEMORY = "card memory", Message("inside the card")
    TO_HOST = "to host", NOTHING  # or from it: the card's own link, which has its words
    NVLINK = "NVLink", NOTHING
    BOARD = "board", Message("direct on one board")
    SWITCH = "switch", Message("direct over one PCIe switch")
    SWITCHES = "switches", Message("direct over several PCIe switches")
    HOST_BRIDGE = "host bridge", Message("direct over the host bridge")
    NODE = "node", Message("direct between host bridges")
    SYSTEM = "system", Message("direct across the sockets")
    DIRECT = "direct", Message("direct over PCIe")
    UNSURE = "unsure", Message("PCIe: the driver does not say whether direct")
    STAGED = "staged", Message("staged through host memory")
    UNKNOWN = "unknown", NOTHING


_BUS = (Way.BOARD, Way.SWITCH, Way.SWITCHES, Way.HOST_BRIDGE, Way.NODE, Way.SYSTEM)
_DIRECT = {PathKind[way.name]: way for way in _BUS}


class Leg(NamedTuple):
    """From one place of the machine's drawing to the next."""

    wire: Wire
    words: Message  # "PCIe 4 x16", "NVLink x4"
    rate: float | None  # theoretical bytes per second, this direction; None: nobody tells
    # Places: a device, "memory 0", "socket 0", "junction 2", "hub 0"; see machine_shape.
    begins: str = ""
    ends: str = ""


class Narrow(NamedTuple):
    """A device that runs on fewer lanes, or at a lower generation, than it could."""

    device: str
    runs: str  # "x8", "PCIe 1.0"
    could: str  # "x16", "PCIe 3.0"
    slot: bool  # the slot could, too; False: it does not say

    @property
    def sentence(self) -> Message:
        said = mark("{device} runs at {runs}: the card could do {could}.")
        if self.slot:
            said = mark("{device} runs at {runs}: card and slot could do {could}.")
        return Message(said, **self._asdict())


@dataclass(frozen=True, slots=True)
class Route:
    """In the order in which the bytes travel."""

    source: str  # "cpu", "cuda:0"
    target: str
    legs: Sequence[Leg]
    way: Way
    direct: bool | None  # card to card without host memory; None: it cannot be told
    limit: float | None  # of the narrowest leg
    limit_reason: str = ""  # to stand behind a colon
    narrow: Sequence[Narrow] = ()
    why_staged: Message = NOTHING  # a sentence

    @property
    def words(self) -> Message:
        """ "NVLink x4", "direct over one PCIe switch"; empty where nothing is known."""
        if self.way in (Way.NVLINK, Way.TO_HOST):
            return next((leg.words for leg in self.legs if leg.rate), NOTHING)
        return self.way.sentence

    @property
    def notes(self) -> Sequence[Message]:
        """Sentences."""
        staged = (self.why_staged,) if self.why_staged else ()
        return (*(each.sentence for each in self.narrow), *staged)

    @property
    def note(self) -> Message:
        """All of them."""
        return told(*self.notes)


def device_names(cards: Sequence[Card]) -> Mapping[str, CardId]:
    """What PyTorch calls each whole card, by CUDA's number where it is known. One that the
    driver gives no access to has no name there.
    """
    whole = [card for card in cards if card.kind is CardKind.GPU and card.denied is None]
    numbers = [card.cuda_index for card in whole]
    known = None not in numbers and len(set(numbers)) == len(numbers)
    return {
        f"cuda:{card.cuda_index if known else place}": card.id
        for place, card in enumerate(whole)
    }


class Routes:
    """Every ordered pair of devices, "cpu" and a device to itself among them.

    `readings` are the newest values of each card, for the lanes it runs on. What its memory
    could do is told by datasheets, for the models that are known here. A device may be an
    instance of a card, which has that card's wires and a part of its memory.
    """

    def __init__(
        self,
        topology: Topology,
        cards: Sequence[Card],
        names: Mapping[str, CardId] | None = None,
        readings: Values | None = None,
    ) -> None:
        self.shape = shape_of(topology, cards)
        self._cards = device_names(cards) if names is None else names
        parents = {card.id: card.parent for card in cards if card.parent is not None}
        # Whose wires each device has.
        self._whole = {name: parents.get(card, card) for name, card in self._cards.items()}
        known = {model.name: model.memory_rate for model in MODELS}
        self._memory_rates = {card.id: known[card.name] for card in cards if card.name in known}
        self._links: dict[str, _Link] = {}
        self._read(readings or {}, self._whole)

    def _read(self, readings: Values, devices: Iterable[str], *, loaded: bool = False) -> None:
        self._known: dict[tuple[str, str], Route] = {}
        for name in devices:
            card = self._whole[name]
            link, values = self.shape.host_link(card), readings.get(card, {})
            self._links[name] = _running(name, link, values, loaded=loaded)

    @property
    def devices(self) -> tuple[str, ...]:
        return (HOST, *self._whole)

    def card(self, device: str) -> CardId | None:
        return self._cards.get(device)

    def processors_near(self, device: str) -> str:
        """As Linux lists them: "0-31,64-95". Empty where nobody tells."""
        near = self.shape.topology.cpu_affinity
        return near.get(self._whole[device], "") if device in self._whole else ""

    def route(self, source: str, target: str) -> Route:
        """As PyTorch takes it: direct where the driver allows it."""
        pair = source, target
        if pair not in self._known:
            self._known[pair] = self._find(source, target)
        return self._known[pair]

    def staged(self, source: str, target: str) -> Route:
        """From card to card through the memory of the host, whatever else joins them."""
        whole = self._whole.get(source), self._whole.get(target)
        if None in whole or whole[0] == whole[1]:
            return self.route(source, target)
        return self._through_host(source, target, NOTHING)

    def of_job(self, job: CopyJob) -> Route:
        way = self.staged if job.mode == "staged" else self.route
        return way(job.source, job.target)

    def see_under_load(self, readings: Values) -> set[str]:
        """What cards told while they copied: only then a link is as fast as it gets. Returns
        the devices that told; one that is left alone to rest does not.
        """
        runs = {m.PCIE_GENERATION, m.PCIE_WIDTH}
        loaded = {
            name for name, card in self._whole.items() if runs & readings.get(card, {}).keys()
        }
        self._read(readings, loaded, loaded=True)
        return loaded

    def _find(self, source: str, target: str) -> Route:
        unknown = Route(source, target, (), Way.UNKNOWN, None, None, _NO_WIRING)
        if not {source, target} <= {*self.devices}:
            return unknown
        if source == target:
            return self._local(source)
        if HOST in (source, target):
            card = source if target == HOST else target
            home, up = self.shape.home.get(self._whole[card]), self._path(card)
            places = up if home is None else [*up, f"memory {home}"]
            step = 1 if target == HOST else -1
            return self._along(source, target, places[::step], Way.TO_HOST, None)
        link = self.shape.link(self._whole[source], self._whole[target])
        if link is None:
            return unknown
        over_nvlink = link.path is PathKind.NVLINK
        if link.peer_to_peer is False:
            why = mark("There is no direct way: {reason}.") if link.peer_reason else ""
            why = mark("NVLink is there, and not used: {reason}.") if over_nvlink else why
            return self._through_host(source, target, Message(why, reason=link.peer_reason))
        if over_nvlink:
            return self._over_nvlink(source, target, link)
        up, down = self._path(source), self._path(target)[::-1]
        shared = [place for place in up if place and place in down]
        there, back = ([each for each in path if each not in shared] for path in (up, down))
        way = _DIRECT.get(link.path, Way.DIRECT)
        if link.peer_to_peer is None:
            way = Way.UNSURE
        route = self._along(
            source, target, [*there, *shared[:1], *back], way, link.peer_to_peer
        )
        untold = link.rate_reason if link.rate is None else ""
        return replace(route, limit_reason=untold or route.limit_reason)

    def _local(self, device: str) -> Route:
        """Within a memory, of which each byte is read and written."""
        words, way, place = Message("its own memory"), Way.CARD_MEMORY, device
        reason = Message("it is not known how fast the memory of this card is")
        memory = self._memory_rates.get(self._cards.get(device, HOST_ID))
        if memory is not None:
            by = mark("{rate} by its datasheet, for reading and writing")
            reason = Message(by, rate=str(in_words(memory)))
        elif self._cards.get(device) != self._whole.get(device):
            reason = Message("it is not known how fast an instance's part of the memory is")
        if device == HOST:
            words, way, place = Message("host memory"), Way.HOST_MEMORY, "memory 0"
            reason = Message("it is not known how fast the memory of the computer is")
        leg = Leg(Wire.MEMORY, words, memory, place, place)
        limit = None if memory is None else memory / 2
        return Route(device, device, (leg,), way, None, limit, reason)

    def _over_nvlink(self, source: str, target: str, link: Link) -> Route:
        words, rate = Message("NVLink x{count}", count=link.nvlinks), link.rate
        hub, places = self.shape.hub_of(link.a), [source, target]
        if hub is not None and hub.kind is HubKind.SWITCH and link.b in hub.cards:
            places.insert(1, f"hub {hub.number}")
        legs = tuple(Leg(Wire.NVLINK, words, rate, *ends) for ends in pairwise(places))
        way, reason = Way.NVLINK, link.rate_reason
        return Route(source, target, legs, way, direct=True, limit=rate, limit_reason=reason)

    def _through_host(self, source: str, target: str, why: Message) -> Route:
        here, there = (self.shape.home.get(self._whole[each]) for each in (source, target))
        between = [] if here is None else [f"memory {here}"]
        if here is not None and here != there:
            between.append(f"socket {here}")
        places = [*self._path(source), *between, *self._path(target)[::-1]]
        route = self._along(source, target, places, Way.STAGED, direct=False)
        return replace(route, why_staged=why)

    def _path(self, device: str) -> list[str]:
        """The places from a card up to its processor."""
        card = self._whole[device]
        home = self.shape.home.get(card)
        if home is None:
            return [device, ""]  # all that is known: it sits on the bus
        above = (f"junction {each.number}" for each in self.shape.above.get(card, ()))
        return [device, *above, f"socket {home}"]

    def _along(
        self, source: str, target: str, places: Sequence[str], way: Way, direct: bool | None
    ) -> Route:
        """With the limit of the slower of its two cards, where that of both is known."""
        ends = [self._links[each] for each in (source, target) if each != HOST]
        limit, reason, _ = min(ends, key=lambda link: link[0] or 0.0)
        narrow = tuple(each for *_, each in ends if each is not None)
        legs = tuple(self._leg(*each) for each in pairwise(places))
        return Route(source, target, legs, way, direct, limit, reason, narrow)

    def _leg(self, begins: str, ends: str) -> Leg:
        """Only of a card's own link somebody tells the rate."""
        wire, words, rate = Wire.PCIE, Message("PCIe"), None
        if (own := self._links.get(begins) or self._links.get(ends)) and own[0] is not None:
            rate, words, _ = own
        elif "memory" in begins + ends:
            wire, words = Wire.MEMORY, Message("host memory")
        elif begins.startswith("socket") and ends.startswith("socket"):
            wire, words = Wire.SOCKETS, Message("between sockets")
        return Leg(wire, words, rate, begins, ends)


# What it carries, in bytes per second, why, and what it could do beyond this.
_Link = tuple[float | None, Message, Narrow | None]


def _running(
    device: str, link: Link | None, values: Mapping[MetricId, float], *, loaded: bool
) -> _Link:
    """The link of a card as it runs."""
    if link is None:
        return None, _NO_WIRING, None
    lanes, generation = values.get(m.PCIE_WIDTH), values.get(m.PCIE_GENERATION)
    slot, best = values.get(m.PCIE_WIDTH_SLOT), values.get(m.PCIE_GENERATION_MAX)
    most = values.get(m.PCIE_WIDTH_MAX, slot)
    if most is not None and slot is not None:
        most = min(most, slot)
    # At rest a link goes down a generation or more to save power; its lanes stay.
    runs = generation if loaded and generation is not None else best
    rate, reason, wide = link.rate, link.rate_reason, lanes or most
    if rate is None or link.path is PathKind.C2C:
        return rate, reason, None
    if lanes is not None and most is not None and lanes < most:
        narrow = Narrow(device, f"x{lanes:.0f}", f"x{most:.0f}", slot is not None)
    elif runs is not None and best is not None and runs < best:
        narrow = Narrow(device, f"PCIe {runs:.0f}.0", f"PCIe {best:.0f}.0", slot=True)
    else:
        return rate, reason, None
    if wide is not None and runs is not None:
        reason = Message("PCIe {generation:.0f}.0 x{lanes:.0f}", generation=runs, lanes=wide)
        rate = pcie_rate(int(runs), int(wide)) or rate
    elif wide is not None:
        reason, rate = Message("PCIe x{lanes:.0f}", lanes=wide), rate * wide / (most or wide)
    return rate, reason, narrow
