"""Routes: which way the bytes take between any two devices, leg by leg, and its limit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from gpuexplorer.copies.jobs import HOST
from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Told
from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import rate as in_words
from gpuexplorer.core.words import NOTHING, Message, told
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
_RUNS = {m.PCIE_GENERATION, m.PCIE_WIDTH}

_NOBODY_TELLS = Message("it is not known how fast it is")
_MEMORY_UNTOLD = Message("it is not known how fast the memory of the computer is")
_CARD_MEMORY_UNTOLD = Message("it is not known how fast the memory of this card is")
_PART_UNTOLD = Message("it is not known how fast an instance's part of the memory is")
_NO_WIRING = Message("the driver has not reported how this card is wired")
_HOST_MEMORY = Message("host memory")
_PCIE = Message("PCIe")
_BETWEEN_SOCKETS = Message("between sockets")


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


@dataclass(frozen=True, slots=True)
class Leg:
    """From one place of the machine's drawing to the next."""

    wire: Wire
    words: Message  # "PCIe 4 x16", "NVLink x4"
    rate: float | None  # theoretical bytes per second, this direction; None: nobody tells
    reason: str = ""  # what the rate follows from, or why there is none
    # Places: a device, "memory 0", "socket 0", "junction 2", "hub 0"; see machine_shape.
    begins: str = ""
    ends: str = ""


@dataclass(frozen=True, slots=True)
class Narrow:
    """A device that runs on fewer lanes, or at a lower generation, than it could."""

    device: str
    runs: str  # "x8", "PCIe 1.0"
    could: str  # "x16", "PCIe 3.0"
    slot: bool  # the slot could, too; False: it does not say

    @property
    def sentence(self) -> Message:
        values = {"device": self.device, "runs": self.runs, "could": self.could}
        if self.slot:
            return Message("{device} runs at {runs}: card and slot could do {could}.", **values)
        return Message("{device} runs at {runs}: the card could do {could}.", **values)


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
            own = Wire.NVLINK if self.way is Way.NVLINK else Wire.PCIE
            words = (leg.words for leg in self.legs if leg.wire is own and leg.rate)
            return next(words, NOTHING)
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


_DIRECT = (Way.BOARD, Way.SWITCH, Way.SWITCHES, Way.HOST_BRIDGE, Way.NODE, Way.SYSTEM)
_WAYS = {PathKind[way.name]: way for way in _DIRECT}


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
        self._near = topology.cpu_affinity
        known = {model.name: model.memory_rate for model in MODELS}
        self._memory_rates = {card.id: known[card.name] for card in cards if card.name in known}
        self._lanes: dict[str, _Lanes] = {}
        self._read(readings or {}, self._whole)

    def _read(self, readings: Values, devices: Iterable[str], *, loaded: bool = False) -> None:
        """All ways are put together of those from each card up to its processor, and back."""
        for device in devices:
            card = self._whole[device]
            link, values = self.shape.host_link(card), readings.get(card, {})
            self._lanes[device] = _lanes(device, link, values, loaded=loaded)
        self._known: dict[tuple[str, str], Route] = {}
        self._ups = {name: self._climb(name) for name in self._whole}

    @property
    def devices(self) -> tuple[str, ...]:
        return (HOST, *self._whole)

    def card(self, device: str) -> CardId | None:
        return self._cards.get(device)

    def processors_near(self, device: str) -> str:
        """As Linux lists them: "0-31,64-95". Empty where nobody tells."""
        card = self._whole.get(device)
        return "" if card is None else self._near.get(card, "")

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
        loaded = {
            name
            for name, card in self._whole.items()
            if not _RUNS.isdisjoint(readings.get(card, {}))
        }
        self._read(readings, loaded, loaded=True)
        return loaded

    def _find(self, source: str, target: str) -> Route:
        unknown = Route(source, target, (), Way.UNKNOWN, None, None, _NO_WIRING)
        if any(each != HOST and each not in self._whole for each in (source, target)):
            return unknown
        if source == target:
            return self._local(source)
        if source == HOST:
            lanes, legs = self._lanes[target], _turned(self._up(target))
            return lanes.limiting(Route(source, target, legs, Way.TO_HOST, None, None))
        if target == HOST:
            lanes, legs = self._lanes[source], self._up(source)
            return lanes.limiting(Route(source, target, legs, Way.TO_HOST, None, None))
        link = self.shape.link(self._whole[source], self._whole[target])
        if link is None:
            return unknown
        reason, over_nvlink = link.peer_reason, link.path is PathKind.NVLINK
        if link.peer_to_peer is False:
            why = Message("There is no direct way: {reason}.", reason=reason)
            if over_nvlink:
                why = Message("NVLink is there, and not used: {reason}.", reason=reason)
            return self._through_host(source, target, why if reason or over_nvlink else NOTHING)
        by_way = self._over_nvlink if over_nvlink else self._over_pcie
        return by_way(source, target, link)

    def _local(self, device: str) -> Route:
        card, memory, reason = self._whole.get(device), None, _PART_UNTOLD
        if card is None:
            leg = _untold(Wire.MEMORY, "memory 0", "memory 0")
            return Route(device, device, (leg,), Way.HOST_MEMORY, None, None, leg.reason)
        if self._cards[device] == card:
            memory, reason = self._memory_rates.get(card), _CARD_MEMORY_UNTOLD
        if memory is not None:
            reason = Message(
                "{rate} by its datasheet, for reading and writing", rate=str(in_words(memory))
            )
        leg = Leg(Wire.MEMORY, Message("its own memory"), memory, reason, device, device)
        limit = None if memory is None else memory / 2
        return Route(device, device, (leg,), Way.CARD_MEMORY, None, limit, reason)

    def _over_nvlink(self, source: str, target: str, link: Link) -> Route:
        words = Message("NVLink x{count}", count=link.nvlinks)
        hub, places = self.shape.hub_of(link.a), [source, target]
        if hub is not None and hub.kind is HubKind.SWITCH and link.b in hub.cards:
            places.insert(1, f"hub {hub.number}")
        rate, reason = link.rate, link.rate_reason
        legs = tuple(Leg(Wire.NVLINK, words, rate, reason, *ends) for ends in pairwise(places))
        return Route(
            source, target, legs, Way.NVLINK, direct=True, limit=rate, limit_reason=reason
        )

    def _over_pcie(self, source: str, target: str, link: Link) -> Route:
        up, down = self._ups[source], _turned(self._ups[target])
        below = {leg.begins: at for at, leg in enumerate(down) if leg.begins}
        met = next((at for at, leg in enumerate(up) if leg.ends in below), None)
        if met is not None:
            legs = [*up[: met + 1], *down[below[up[met].ends] :]]
        else:
            ends = up[-1].ends, down[0].begins
            between = _untold(Wire.SOCKETS, *ends)
            legs = [*up, between if all(ends) else _UNKNOWN_LEG, *down]
        peer = link.peer_to_peer
        way = Way.UNSURE if peer is None else _WAYS.get(link.path, Way.DIRECT)
        route = self._narrowest(Route(source, target, tuple(legs), way, peer, None))
        if link.rate is None and link.rate_reason:
            return replace(route, limit_reason=link.rate_reason)
        return route

    def _through_host(self, source: str, target: str, why: Message) -> Route:
        here, there = (self.shape.home.get(self._whole[each]) for each in (source, target))
        legs = list(self._up(source))
        if here is not None and there is not None:
            legs.append(_untold(Wire.MEMORY, f"memory {here}", f"socket {here}"))
            if here != there:
                legs.append(_untold(Wire.SOCKETS, f"socket {here}", f"socket {there}"))
        legs += _turned(self._ups[target])
        way = Route(
            source, target, tuple(legs), Way.STAGED, direct=False, limit=None, why_staged=why
        )
        return self._narrowest(way)

    def _narrowest(self, route: Route) -> Route:
        """With the limit of the slower of its two cards, where that of both is known."""
        ends = self._lanes[route.source], self._lanes[route.target]
        untold = (each for each in ends if each.rate is None)
        slower = next(untold, None) or min(ends, key=lambda each: each.rate or 0.0)
        narrow = tuple(each for lanes in ends for each in lanes.narrow)
        return replace(slower.limiting(route), narrow=narrow)

    def _up(self, device: str) -> tuple[Leg, ...]:
        """From a card into the memory of its processor."""
        home = self.shape.home.get(self._whole[device])
        if home is None:
            return self._ups[device]
        memory = _untold(Wire.MEMORY, f"socket {home}", f"memory {home}")
        return (*self._ups[device], memory)

    def _climb(self, device: str) -> tuple[Leg, ...]:
        card, lanes = self._whole[device], self._lanes[device]
        path, home = [""], self.shape.home.get(card)  # all that is known: it sits on the bus
        if home is not None:
            above = [f"junction {each.number}" for each in self.shape.above.get(card, ())]
            path = [*above, f"socket {home}"]
        first, *more = pairwise([device, *path])
        own = Leg(Wire.PCIE, lanes.words, lanes.rate, lanes.reason, *first)
        return (own, *(_untold(Wire.PCIE, *each) for each in more))


_UNKNOWN_LEG = Leg(Wire.PCIE, _PCIE, None, _NO_WIRING)


def _untold(wire: Wire, begins: str, ends: str) -> Leg:
    """Of whose rate nobody tells."""
    words = {Wire.MEMORY: _HOST_MEMORY, Wire.SOCKETS: _BETWEEN_SOCKETS}.get(wire, _PCIE)
    reason = _MEMORY_UNTOLD if wire is Wire.MEMORY else _NOBODY_TELLS
    return Leg(wire, words, None, reason, begins, ends)


def _turned(legs: Sequence[Leg]) -> tuple[Leg, ...]:
    """The same legs walked back."""
    return tuple(replace(leg, begins=leg.ends, ends=leg.begins) for leg in reversed(legs))


class _Lanes(NamedTuple):
    """What the PCIe link of one card could carry on the lanes on which it runs."""

    words: Message
    rate: float | None
    reason: Message
    narrow: tuple[Narrow, ...] = ()  # what it could do beyond this, as long as it does not

    def limiting(self, route: Route) -> Route:
        return replace(route, limit=self.rate, limit_reason=self.reason, narrow=self.narrow)


def _lanes(
    device: str, link: Link | None, values: Mapping[MetricId, float], *, loaded: bool
) -> _Lanes:
    if link is None or link.rate is None:
        return _Lanes(_PCIE, None, _NO_WIRING if link is None else link.rate_reason)
    full = _Lanes(link.rate_reason, link.rate, link.rate_reason)
    lanes, generation = values.get(m.PCIE_WIDTH), values.get(m.PCIE_GENERATION)
    slot, best = values.get(m.PCIE_WIDTH_SLOT), values.get(m.PCIE_GENERATION_MAX)
    most = values.get(m.PCIE_WIDTH_MAX, slot)
    if most is not None and slot is not None:
        most = min(most, slot)
    # At rest a link goes down a generation or more to save power; its lanes stay.
    runs = generation if loaded and generation is not None else best
    if link.path is PathKind.C2C:
        return full
    if lanes is not None and most is not None and lanes < most:
        narrow = Narrow(device, f"x{lanes:.0f}", f"x{most:.0f}", slot is not None)
    elif runs is not None and best is not None and runs < best:
        narrow = Narrow(device, f"PCIe {runs:.0f}.0", f"PCIe {best:.0f}.0", slot=True)
    else:
        return full
    wide = lanes or most
    if wide is None:
        return full._replace(narrow=(narrow,))
    words = Message("PCIe x{lanes:.0f}", lanes=wide)
    rate: float | None = link.rate * wide / (most or wide)
    if runs is not None:
        words = Message("PCIe {generation:.0f}.0 x{lanes:.0f}", generation=runs, lanes=wide)
        rate = pcie_rate(int(runs), int(wide)) or link.rate
    return _Lanes(words, rate, words, (narrow,))
