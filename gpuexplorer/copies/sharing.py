"""Which copies of a simulated machine meet on which wires, and how fast each then is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.simulation.reached import (
    BOTH_WAYS_REACHED,
    NVLINK_REACHED,
    copied_within,
    pcie_reached,
    way_between,
)
from gpuexplorer.simulation.specs import MachineSpec

HOST = -1
# What the memory of a processor copies for one thread, and carries in and out of cards in all.
HOST_COPIES = 12e9
_HOST_CARRIES = 160e9
_SOCKETS_CARRY = 40e9  # each direction

Lane = tuple[str, int, int]  # of what, its number, and the direction: 0 in, 1 out


@dataclass(frozen=True, slots=True)
class Flow:
    """One copy under way: as fast as it would be alone, and what it shares with others."""

    most: float
    lanes: tuple[Lane, ...]


class Wires:
    """The wires of one machine; HOST is its processor."""

    def __init__(self, spec: MachineSpec) -> None:
        self._spec = spec

    def flow(self, source: int, target: int, most: float, *, staged: bool) -> Flow:
        if source == target:
            return Flow(most, (("memory", source, 0),))
        ends = [each for each in (source, target) if each != HOST]
        if len(ends) == 2 and not staged and self._spec.nvlinks_between(source, target):
            return Flow(most, (("nvlink", source, 1), ("nvlink", target, 0)))
        staged = staged or (len(ends) == 2 and not self._peer(source, target))
        lanes: list[Lane] = []
        for end, direction in ((source, 1), (target, 0)):
            if end != HOST:
                lanes.append(("pcie", end, direction))
        joined = len(ends) == 2 and self._spec.same_switch(source, target) and not staged
        if not joined:
            for end, direction in ((source, 1), (target, 0)):
                if end != HOST and self._behind_switch(end):
                    lanes.append(("switch", self._switch(end), direction))
        if HOST in (source, target) or staged:
            lanes += [("host", self._spec.node(end), 0) for end in ends]
        if len(ends) == 2 and self._spec.node(source) != self._spec.node(target):
            lanes.append(("sockets", self._spec.board(source), self._spec.node(source) % 2))
        return Flow(most, tuple(lanes))

    def rates(self, flows: Sequence[Flow]) -> list[float]:
        """At the same time: what is short is shared evenly, and nobody waits for more."""
        room = self._room(flows)
        rates: list[float | None] = [None] * len(flows)
        while None in rates:
            waiting = [at for at, rate in enumerate(rates) if rate is None]
            shares = {at: self._share(flows, at, waiting, room) for at in waiting}
            least = min(shares.values())
            for at in waiting:
                if shares[at] <= least * (1 + 1e-9):
                    rates[at] = least
                    for lane in flows[at].lanes:
                        room[lane] -= least
        return [rate or 1.0 for rate in rates]

    def _share(
        self, flows: Sequence[Flow], at: int, waiting: Sequence[int], room: Mapping[Lane, float]
    ) -> float:
        def users(lane: Lane) -> int:
            return sum(lane in flows[other].lanes for other in waiting)

        return min((flows[at].most, *(room[lane] / users(lane) for lane in flows[at].lanes)))

    def _room(self, flows: Sequence[Flow]) -> dict[Lane, float]:
        used = {lane for flow in flows for lane in flow.lanes}
        room = {}
        for lane in used:
            what, number, direction = lane
            room[lane] = self._capacity(what, number)
            # Requests of one direction travel with the data of the other.
            if what in ("pcie", "switch") and (what, number, 1 - direction) in used:
                room[lane] *= BOTH_WAYS_REACHED
        return room

    def _capacity(self, what: str, number: int) -> float:
        cards = self._spec.cards
        match what:
            case "memory":
                return HOST_COPIES if number == HOST else copied_within(cards[number].model)
            case "nvlink":
                model = cards[number].model
                return model.nvlinks * model.nvlink_rate * NVLINK_REACHED
            case "pcie":
                return pcie_reached(cards[number].model)
            case "switch":
                return pcie_reached(cards[2 * number].model)
            case "sockets":
                return _SOCKETS_CARRY
            case _:
                return _HOST_CARRIES

    def _peer(self, one: int, other: int) -> bool:
        return way_between(self._spec, one, other).peer

    def _switch(self, index: int) -> int:
        return index // 2

    def _behind_switch(self, index: int) -> bool:
        neighbour = index ^ 1
        there = neighbour < len(self._spec.cards)
        return there and self._spec.same_switch(index, neighbour)
