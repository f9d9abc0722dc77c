"""What the worker is told of simulated cards: the figures behind its memory and its times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuexplorer.simulation.models import MIB, CardModel, Wire
from gpuexplorer.simulation.specs import MachineSpec
from gpuexplorer.simulation.wiring import Wiring

HOST = -1
_PCIE_LATENCY = 10e-6
_NVLINK_LATENCY = 8e-6
_SOCKET_LATENCY = 4e-6  # what crossing to the other processor adds
# Of what a link could carry in theory, as copies of large blocks reach it.
_PCIE_REACHED = {3: 0.78, 4: 0.82, 5: 0.88}
_NVLINK_REACHED = 0.92
_CROSSING_REACHED = 0.85
_STAGED_REACHED = 0.7  # through the host's memory, both ways overlapping in part
# Memory that is not pinned goes through the processor first, which does not get faster.
_PAGEABLE_RATE = 6e9
_LANE_RATE = {3: 0.985e9, 4: 1.969e9, 5: 3.938e9}
_CONTEXT_MIB = 118
_CONTEXT_MIB_OF_MULTIPROCESSOR = 3
# Of single precision, for cards made for computing and for all others.
_DOUBLE_OF_COMPUTING_CARDS = 1 / 2
_DOUBLE_OF_OTHERS = 1 / 64
_HALF_OF_OLDER_CARDS = 2.0


@dataclass(frozen=True)
class SimulatedCards:
    """For Start: plain dictionaries, since they travel to the worker as JSON."""

    cards: "tuple[Mapping[str, object], ...]"
    links: "tuple[Mapping[str, object], ...]"


@dataclass(frozen=True)
class Chosen:
    """Which cards the worker sees, in which order, and what others hold on them."""

    visible: "Sequence[int] | None" = None  # None: all of them
    elsewhere_bytes: "Mapping[int, int]" = field(default_factory=dict)


def simulated_cards(spec: MachineSpec, chosen: "Chosen | None" = None) -> SimulatedCards:
    """The worker's cuda:0 is the first of the chosen; links are numbered likewise."""
    chosen = chosen or Chosen()
    wiring = Wiring(spec)
    visible = range(len(spec.cards)) if chosen.visible is None else chosen.visible
    cards = tuple(_card(spec, index, chosen) for index in visible)
    links = [
        {**_to_host(spec.cards[index].model), "one": HOST, "other": number}
        for number, index in enumerate(visible)
    ]
    links += [
        {**_between(spec, wiring, index, other), "one": number, "other": further}
        for number, index in enumerate(visible)
        for further, other in enumerate(visible)
        if number < further
    ]
    return SimulatedCards(cards, tuple(links))


def _card(spec: MachineSpec, index: int, chosen: Chosen) -> "Mapping[str, object]":
    model = spec.cards[index].model
    single = model.speed.fp32
    double = _DOUBLE_OF_COMPUTING_CARDS if _computes(model) else _DOUBLE_OF_OTHERS
    return {
        "name": model.name,
        "uuid": f"SIM-{index}",
        "memory_bytes": model.memory.total_bytes,
        "context_bytes": context_bytes(model),
        "elsewhere_bytes": chosen.elsewhere_bytes.get(index, model.memory.reserved_bytes),
        "capability": list(model.compute_capability),
        "multiprocessors": model.multiprocessors,
        "flops": single,
        "half_flops": model.speed.bf16 or _HALF_OF_OLDER_CARDS * single,
        "double_flops": double * single,
        "bytes_per_second": model.memory.bytes_per_second,
    }


def context_bytes(model: CardModel) -> int:
    """What a program pays on a card before its first tensor: more on larger chips."""
    return (_CONTEXT_MIB + _CONTEXT_MIB_OF_MULTIPROCESSOR * model.multiprocessors) * MIB


def _to_host(model: CardModel) -> "dict[str, object]":
    rate = _pcie_rate(model)
    return {
        "bytes_per_second": rate,
        "pageable_bytes_per_second": min(rate / 2, _PAGEABLE_RATE),
        "latency": _PCIE_LATENCY,
        "peer": False,
    }


def _between(spec: MachineSpec, wiring: Wiring, one: int, other: int) -> "dict[str, object]":
    first, second = spec.cards[one].model, spec.cards[other].model
    nvlinks = wiring.nvlinks_between(one, other)
    if nvlinks:
        rate = nvlinks * first.wires.nvlink_rate * _NVLINK_REACHED
        return {"bytes_per_second": rate, "latency": _NVLINK_LATENCY, "peer": True}
    slower = min(_pcie_rate(first), _pcie_rate(second))
    crossing = wiring.node(one) != wiring.node(other)
    latency = _PCIE_LATENCY + crossing * _SOCKET_LATENCY
    peer = first.wires.pcie_peers and second.wires.pcie_peers
    if not peer:
        return {
            "bytes_per_second": slower * _STAGED_REACHED,
            "latency": 2 * latency,
            "peer": False,
        }
    rate = slower * (_CROSSING_REACHED if crossing else 1.0)
    return {"bytes_per_second": rate, "latency": latency, "peer": True}


def _pcie_rate(model: CardModel) -> float:
    wires = model.wires
    reached = _PCIE_REACHED[wires.pcie_generation]
    return _LANE_RATE[wires.pcie_generation] * wires.pcie_lanes * reached


def _computes(model: CardModel) -> bool:
    """V100, A100, H100 and their kin, which have as many wires for doubles as that takes."""
    return model.wires.nvlink is Wire.SWITCH
