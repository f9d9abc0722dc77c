"""What copies and products reach on simulated machines: the one home of these figures."""

from dataclasses import dataclass

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.simulation.models import CardModel
from gpuexplorer.simulation.specs import MachineSpec

PCIE_LATENCY = 10e-6
NVLINK_LATENCY = 8e-6
SOCKET_LATENCY = 4e-6  # what crossing to the other processor adds
# Of what a link could carry in theory, as copies of large blocks reach it.
PCIE_REACHED = {3: 0.78, 4: 0.82, 5: 0.88}
NVLINK_REACHED = 0.92
CROSSING_REACHED = 0.85
STAGED_REACHED = 0.7  # through the host's memory, both ways overlapping in part
MEMORY_REACHED = 0.88
# Of what one direction alone reaches, where the same lanes carry both at once.
BOTH_WAYS_REACHED = 0.74
# Memory that is not pinned goes through the processor first, which does not get faster.
PAGEABLE_RATE = 6e9
# Of what a card could do in theory, as large products reach it.
SINGLE_REACHED = 0.88
TENSOR_REACHED = 0.79
_OF_LIMIT = {"fp32": 0.94, "tf32": 0.97, "bf16": 1.0}  # of its power limit
_FIRST_WITH_BF16 = (8, 0)


@dataclass(frozen=True, slots=True)
class Way:
    """From one device to another, the same both ways; rates are those of large copies."""

    rate: float
    latency: float
    peer: bool
    pageable_rate: float | None = None

    def seconds(self, size: float, *, pinned: bool = True) -> float:
        rate = self.rate if pinned else self.pageable_rate or self.rate
        return self.latency + size / rate


def way_to_host(model: CardModel) -> Way:
    rate = pcie_reached(model)
    return Way(rate, PCIE_LATENCY, peer=False, pageable_rate=min(rate / 2, PAGEABLE_RATE))


def way_between(spec: MachineSpec, one: int, other: int, *, staged: bool = False) -> Way:
    """`staged`: through the host's memory, whatever else joins the two."""
    first, second = spec.cards[one].model, spec.cards[other].model
    nvlinks = spec.nvlinks_between(one, other)
    if nvlinks and not staged:
        rate = nvlinks * first.nvlink_rate * NVLINK_REACHED
        return Way(rate, NVLINK_LATENCY, peer=True)
    rate = min(pcie_reached(first), pcie_reached(second))  # that of the slower one
    crossing = spec.node(one) != spec.node(other)
    latency = PCIE_LATENCY + crossing * SOCKET_LATENCY
    if staged or no_peers(first, second):
        return Way(rate * STAGED_REACHED, 2 * latency, peer=False)
    return Way(rate * (CROSSING_REACHED if crossing else 1.0), latency, peer=True)


def no_peers(one: CardModel, other: CardModel) -> Message:
    """Why two cards that no NVLink joins may not reach each other; empty where they may."""
    if one is not other:
        return Message("the two cards are of different models")
    if not one.pcie_peers:
        return Message("the driver of this card does not offer it")
    return NOTHING


def pcie_reached(model: CardModel) -> float:
    """Bytes per second between a card and the host's pinned memory."""
    return model.pcie_rate * PCIE_REACHED[model.pcie_generation]


def copied_within(model: CardModel) -> float:
    """Bytes per second inside one card: each is read and written, and counts once."""
    return model.memory_rate * MEMORY_REACHED / 2


def promised_of(model: CardModel, kind: str) -> float | None:
    """Operations per second in theory; None where its tensor cores do not know the kind."""
    if kind == "fp32":
        return model.fp32
    bf16 = model.bf16
    if bf16 is None or model.compute_capability < _FIRST_WITH_BF16:
        return None
    return bf16 if kind == "bf16" else bf16 / 2


def product_reached(model: CardModel, kind: str) -> float | None:
    """Operations per second, of large products. Without tensor cores for it, BF16 is slow."""
    promised = promised_of(model, kind)
    if promised is not None:
        return promised * (SINGLE_REACHED if kind == "fp32" else TENSOR_REACHED)
    return model.fp32 / 2 * SINGLE_REACHED if kind == "bf16" else None


def product_watts(model: CardModel, kind: str) -> float:
    """What the card draws meanwhile."""
    return model.power_limit * _OF_LIMIT[kind]
