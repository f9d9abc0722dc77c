"""What the worker is told of simulated cards: the figures behind its memory and its times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuexplorer.simulation.computing import SINGLE_REACHED, TENSOR_REACHED
from gpuexplorer.simulation.copying import Way, way_between, way_to_host
from gpuexplorer.simulation.faults import Fault, FaultKind
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.models import MIB, CardModel, Wire
from gpuexplorer.simulation.specs import MachineSpec
from gpuexplorer.simulation.wiring import Wiring

HOST = -1
_CONTEXT_MIB = 118
_CONTEXT_MIB_OF_MULTIPROCESSOR = 3
# As "Dive into Deep Learning" shows it: 24 bytes take a card from 6 MiB to 925 MiB, of which
# 2 MiB are PyTorch's first block. PyTorch that loads kernels when needed takes less.
_CONTEXT_MIB_AS_SEEN = {"TitanRTX": 917}
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
    wrong: "Sequence[tuple[int, int]]" = ()  # from which to which copies arrive wrong


def simulated_cards(spec: MachineSpec, chosen: "Chosen | None" = None) -> SimulatedCards:
    """The worker's cuda:0 is the first of the chosen; links are numbered likewise."""
    chosen = chosen or Chosen()
    wiring = Wiring(spec)
    visible = range(len(spec.cards)) if chosen.visible is None else chosen.visible
    cards = tuple(_card(spec, index, chosen) for index in visible)
    links = [
        {**_link(way_to_host(spec.cards[index].model)), "one": HOST, "other": number}
        for number, index in enumerate(visible)
    ]
    links += [
        {
            **_link(way_between(spec, wiring, index, other)),
            "one": number,
            "other": further,
            "wrong_to": _wrong_ends(chosen, (index, number), (other, further)),
        }
        for number, index in enumerate(visible)
        for further, other in enumerate(visible)
        if number < further
    ]
    return SimulatedCards(cards, tuple(links))


def present_cards(
    machine: Machine,
    faults: Sequence[Fault],
    elapsed: float,
    visible: "Sequence[int] | None" = None,
) -> SimulatedCards:
    """As the machine is after so many seconds: what others hold, and what arrives wrong."""
    spec = machine.spec
    held = {
        index: machine.reading(index, elapsed).memory_used + card.model.memory.reserved_bytes
        for index, card in enumerate(spec.cards)
    }
    wrong = [
        (each.card, each.to)
        for each in faults
        if each.kind is FaultKind.WRONG and each.start <= elapsed < each.end
        if each.card is not None and each.to is not None
    ]
    return simulated_cards(spec, Chosen(visible, held, wrong))


def _card(spec: MachineSpec, index: int, chosen: Chosen) -> "Mapping[str, object]":
    model = spec.cards[index].model
    single = model.speed.fp32 * SINGLE_REACHED
    tensor = model.speed.bf16
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
        "half_flops": (
            _HALF_OF_OLDER_CARDS * single if tensor is None else tensor * TENSOR_REACHED
        ),
        "double_flops": double * single,
        "bytes_per_second": model.memory.bytes_per_second,
    }


def context_bytes(model: CardModel) -> int:
    """What a program pays on a card before its first tensor: more on larger chips."""
    estimated = _CONTEXT_MIB + _CONTEXT_MIB_OF_MULTIPROCESSOR * model.multiprocessors
    return _CONTEXT_MIB_AS_SEEN.get(model.key, estimated) * MIB


def _link(way: Way) -> "dict[str, object]":
    link: dict[str, object] = {
        "bytes_per_second": way.rate,
        "latency": way.latency,
        "peer": way.peer,
    }
    if way.pageable_rate is not None:
        link["pageable_bytes_per_second"] = way.pageable_rate
    return link


def _wrong_ends(
    chosen: Chosen, one: "tuple[int, int]", other: "tuple[int, int]"
) -> "list[int]":
    """By the worker's numbers; each of the two has the machine's and the worker's."""
    ways = ((one, other), (other, one))
    return [end[1] for begin, end in ways if (begin[0], end[0]) in chosen.wrong]


def _computes(model: CardModel) -> bool:
    """V100, A100, H100 and their kin, which have as many wires for doubles as that takes."""
    return model.wires.nvlink is Wire.SWITCH
