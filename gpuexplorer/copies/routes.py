"""Routes: which way the bytes take between any two devices, leg by leg, and its limit."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from gpuexplorer.copies.route import Leg, Narrow, Route, Way, Wire
from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import rate as in_words
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.simulation.models import MODELS
from gpuexplorer.telemetry.topology import (
    HubKind,
    Link,
    MachineShape,
    PathKind,
    Topology,
    pcie_rate,
    shape_of,
)

HOST = "cpu"
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
_WAYS = {
    PathKind.BOARD: Way.BOARD,
    PathKind.SWITCH: Way.SWITCH,
    PathKind.SWITCHES: Way.SWITCHES,
    PathKind.HOST_BRIDGE: Way.HOST_BRIDGE,
    PathKind.NODE: Way.NODE,
    PathKind.SYSTEM: Way.SYSTEM,
}


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
        self._shape = shape_of(topology, cards)
        self._cards = device_names(cards) if names is None else names
        parents = {card.id: card.parent for card in cards if card.parent is not None}
        # Whose wires each device has.
        self._names = {name: parents.get(card, card) for name, card in self._cards.items()}
        self._lanes = {
            card: _Lanes(self._shape.host_link(card), (readings or {}).get(card, {}))
            for card in self._names.values()
        }
        self._near = topology.cpu_affinity
        known = {model.name: model.memory_rate for model in MODELS}
        self._memory_rates = {card.id: known[card.name] for card in cards if card.name in known}
        self._begin_anew()

    @property
    def devices(self) -> tuple[str, ...]:
        return (HOST, *self._names)

    @property
    def shape(self) -> MachineShape:
        return self._shape

    def card(self, device: str) -> CardId | None:
        return self._cards.get(device)

    def processors_near(self, device: str) -> str:
        """As Linux lists them: "0-31,64-95". Empty where nobody tells."""
        card = self._names.get(device)
        return "" if card is None else self._near.get(card, "")

    def all(self) -> Mapping[tuple[str, str], Route]:
        pairs = [(one, other) for one in self.devices for other in self.devices]
        return {pair: self.route(*pair) for pair in pairs}

    def route(self, source: str, target: str) -> Route:
        """As PyTorch takes it: direct where the driver allows it."""
        pair = source, target
        if pair not in self._known:
            self._known[pair] = self._find(source, target)
        return self._known[pair]

    def staged(self, source: str, target: str) -> Route:
        """From card to card through the memory of the host, whatever else joins them."""
        one, other = self._names.get(source), self._names.get(target)
        if one is None or other is None or one == other:
            return self.route(source, target)
        return self._through_host(source, target, one, other, NOTHING)

    def of_job(self, job: CopyJob) -> Route:
        way = self.staged if job.mode == "staged" else self.route
        return way(job.source, job.target)

    def see_under_load(self, readings: Values) -> set[str]:
        """What cards told while they copied: only then a link is as fast as it gets. Returns
        the devices that told; one that is left alone to rest does not.
        """
        told = {
            card: values
            for card, values in readings.items()
            if card in self._lanes and not values.keys().isdisjoint(_RUNS)
        }
        for card, values in told.items():
            self._lanes[card] = _Lanes(self._shape.host_link(card), values, loaded=True)
        self._begin_anew()
        return {name for name, card in self._names.items() if card in told}

    def _begin_anew(self) -> None:
        """All ways are put together of those from each card up to its processor, and back."""
        self._known: dict[tuple[str, str], Route] = {}
        self._ups = {name: self._climb(name, card) for name, card in self._names.items()}
        self._downs = {name: _turned(legs) for name, legs in self._ups.items()}

    def _find(self, source: str, target: str) -> Route:
        one, other = self._names.get(source), self._names.get(target)
        if source == target:
            return self._local(source, one)
        if (one is None and source != HOST) or (other is None and target != HOST):
            return Route(source, target, (), Way.UNKNOWN, None, None, _NO_WIRING)
        if one is None or other is None:
            return self._with_host(source, target, one or other)
        link = self._shape.link(one, other)
        if link is None:
            return Route(source, target, (), Way.UNKNOWN, None, None, _NO_WIRING)
        if link.path is PathKind.NVLINK:
            return self._over_nvlink(source, target, one, other, link)
        if link.peer_to_peer is False:
            why = Message("There is no direct way: {reason}.", reason=link.peer_reason)
            told = why if link.peer_reason else NOTHING
            return self._through_host(source, target, one, other, told)
        return self._over_pcie(source, target, one, other, link)

    def _local(self, device: str, card: CardId | None) -> Route:
        if card is None:
            leg = Leg(Wire.MEMORY, _HOST_MEMORY, None, _MEMORY_UNTOLD, "memory 0", "memory 0")
            return Route(device, device, (leg,), Way.HOST_MEMORY, None, None, leg.reason)
        whole = self._cards[device] == card
        memory = self._memory_rates.get(card) if whole else None
        reason = _CARD_MEMORY_UNTOLD if whole else _PART_UNTOLD
        if memory is not None:
            reason = Message(
                "{rate} by its datasheet, for reading and writing", rate=str(in_words(memory))
            )
        leg = Leg(Wire.MEMORY, Message("its own memory"), memory, reason, device, device)
        limit = None if memory is None else memory / 2
        return Route(device, device, (leg,), Way.CARD_MEMORY, None, limit, reason)

    def _with_host(self, source: str, target: str, card: CardId | None) -> Route:
        assert card is not None
        lanes = self._lanes[card]
        down = source == HOST
        device = target if down else source
        legs = tuple(_turned(self._up(device, card)) if down else self._up(device, card))
        narrow = lanes.narrow(device)
        return Route(source, target, legs, Way.TO_HOST, None, lanes.rate, lanes.reason, narrow)

    def _over_nvlink(
        self, source: str, target: str, one: CardId, other: CardId, link: Link
    ) -> Route:
        words = Message("NVLink x{count}", count=link.nvlinks)
        hub = self._shape.hub_of(one)
        ways = [source, target]
        if hub is not None and hub.kind is HubKind.SWITCH and other in hub.cards:
            ways = [source, f"hub {hub.number}", target]
        legs = tuple(
            Leg(Wire.NVLINK, words, link.rate, link.rate_reason, begins, ends)
            for begins, ends in pairwise(ways)
        )
        direct = True if link.peer_to_peer is None else link.peer_to_peer
        if not direct:
            why = Message("NVLink is there, and not used: {reason}.", reason=link.peer_reason)
            return self._through_host(source, target, one, other, why)
        return Route(source, target, legs, Way.NVLINK, direct, link.rate, link.rate_reason)

    def _over_pcie(
        self, source: str, target: str, one: CardId, other: CardId, link: Link
    ) -> Route:
        way = _WAYS.get(link.path, Way.DIRECT)
        if link.peer_to_peer is None:
            way = Way.UNSURE
        up, down = self._ups[source], self._downs[target]
        below = {leg.begins: at for at, leg in enumerate(down) if leg.begins}
        met = next((at for at, leg in enumerate(up) if leg.ends in below), None)
        if met is not None:
            legs = [*up[: met + 1], *down[below[up[met].ends] :]]
        else:
            here, there = up[-1].ends, down[0].begins
            between = _between_sockets(here, there) if here and there else _UNKNOWN_LEG
            legs = [*up, between, *down]
        limit, reason, narrow = self._narrower(source, target, one, other)
        if link.rate is None:
            reason = link.rate_reason or reason
        peer = link.peer_to_peer
        return Route(source, target, tuple(legs), way, peer, limit, reason, narrow)

    def _through_host(
        self, source: str, target: str, one: CardId, other: CardId, why: Message
    ) -> Route:
        limit, reason, narrow = self._narrower(source, target, one, other)
        legs = self._up(source, one)
        here, there = self._shape.home.get(one), self._shape.home.get(other)
        if here is not None and there is not None:
            memory, socket = f"memory {here}", f"socket {here}"
            legs.append(Leg(Wire.MEMORY, _HOST_MEMORY, None, _MEMORY_UNTOLD, memory, socket))
            if here != there:
                legs.append(_between_sockets(socket, f"socket {there}"))
        legs += self._downs[target]
        return Route(
            source,
            target,
            tuple(legs),
            Way.STAGED,
            direct=False,
            limit=limit,
            limit_reason=reason,
            narrow=narrow,
            why_staged=why,
        )

    def _narrower(
        self, source: str, target: str, one: CardId, other: CardId
    ) -> tuple[float | None, str, tuple[Narrow, ...]]:
        ends = ((source, self._lanes[one]), (target, self._lanes[other]))
        narrow = tuple(found for device, lanes in ends for found in lanes.narrow(device))
        for _, lanes in ends:
            if lanes.rate is None:
                return None, lanes.reason, narrow
        _, slower = min(ends, key=lambda end: end[1].rate or 0.0)
        return slower.rate, slower.reason, narrow

    def _up(self, device: str, card: CardId) -> list[Leg]:
        """From a card into the memory of its processor."""
        legs, home = list(self._ups[device]), self._shape.home.get(card)
        if home is not None:
            socket, memory = f"socket {home}", f"memory {home}"
            legs.append(Leg(Wire.MEMORY, _HOST_MEMORY, None, _MEMORY_UNTOLD, socket, memory))
        return legs

    def _climb(self, device: str, card: CardId) -> list[Leg]:
        lanes, home = self._lanes[card], self._shape.home.get(card)
        path = [""]  # all that is known of it is that it sits on the bus
        if home is not None:
            above = [f"junction {each.number}" for each in self._shape.above.get(card, ())]
            path = [*above, f"socket {home}"]
        (begins, ends), *more = pairwise([device, *path])
        own = Leg(Wire.PCIE, lanes.words, lanes.rate, lanes.reason, begins, ends)
        return [own, *(Leg(Wire.PCIE, _PCIE, None, _NOBODY_TELLS, *each) for each in more)]


class _Lanes:
    """What the PCIe link of one card could carry on the lanes on which it runs."""

    def __init__(
        self, link: Link | None, values: Mapping[MetricId, float], *, loaded: bool = False
    ) -> None:
        self.rate = None if link is None else link.rate
        self.reason = _NO_WIRING if link is None else link.rate_reason
        self.words = _as_message(self.reason) if self.rate is not None else _PCIE
        self._runs = self._could = ""
        self._slot = False
        if link is None or link.rate is None or link.path is PathKind.C2C:
            return
        lanes, generation = values.get(m.PCIE_WIDTH), values.get(m.PCIE_GENERATION)
        slot, best = values.get(m.PCIE_WIDTH_SLOT), values.get(m.PCIE_GENERATION_MAX)
        most = _least(values.get(m.PCIE_WIDTH_MAX), slot)
        # At rest a link goes down a generation or more to save power; its lanes stay.
        runs = generation if loaded and generation is not None else best
        few = lanes is not None and most is not None and lanes < most
        slow = runs is not None and best is not None and runs < best
        if few and lanes is not None and most is not None:
            self._runs, self._could = f"x{lanes:.0f}", f"x{most:.0f}"
            self._slot = slot is not None
        elif slow and runs is not None and best is not None:
            self._runs, self._could = f"PCIe {runs:.0f}.0", f"PCIe {best:.0f}.0"
            self._slot = True
        if self._runs:
            self._slow_down(lanes or most, most, runs)

    def narrow(self, device: str) -> tuple[Narrow, ...]:
        """What the device could do beyond this, as long as it does not."""
        if not self._runs:
            return ()
        return (Narrow(device, self._runs, self._could, self._slot),)

    def _slow_down(
        self, lanes: float | None, most: float | None, generation: float | None
    ) -> None:
        if lanes is None:
            return
        if generation is None:
            self.rate = (self.rate or 0.0) * lanes / (most or lanes)
            self.words = self.reason = Message("PCIe x{lanes:.0f}", lanes=lanes)
        else:
            self.rate = pcie_rate(int(generation), int(lanes)) or self.rate
            self.words = self.reason = Message(
                "PCIe {generation:.0f}.0 x{lanes:.0f}", generation=generation, lanes=lanes
            )


def _as_message(words: str) -> Message:
    return words if isinstance(words, Message) else Message(words)


def _least(*values: float | None) -> float | None:
    return min((each for each in values if each is not None), default=None)


_UNKNOWN_LEG = Leg(Wire.PCIE, _PCIE, None, _NO_WIRING)


def _between_sockets(begins: str, ends: str) -> Leg:
    return Leg(Wire.SOCKETS, _BETWEEN_SOCKETS, None, _NOBODY_TELLS, begins, ends)


def _turned(legs: Sequence[Leg]) -> list[Leg]:
    """The same legs walked back."""
    return [
        Leg(leg.wire, leg.words, leg.rate, leg.reason, leg.ends, leg.begins)
        for leg in reversed(legs)
    ]
