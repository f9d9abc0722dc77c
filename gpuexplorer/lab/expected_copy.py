"""How long a copy between simulated cards would take, before anybody asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.lab.cell_source import card_number
from gpuexplorer.lab.simulated_cards import HOST, Chosen, simulated_cards
from gpuexplorer.simulation.specs import MachineSpec
from gpuexplorer.simulation.wiring import Wiring


@dataclass(frozen=True)
class Expected:
    """Modelled, as everything simulated cards tell of time."""

    seconds: float
    way: str  # "NVLink", "PCIe"


def expected_copy(
    spec: MachineSpec,
    visible: "Sequence[int] | None",
    source: str,
    target: str,
    size: int,
) -> "Expected | None":
    """By PyTorch's names of the devices; None where the model knows no way between them."""
    ends = sorted((_number(source), _number(target)), key=lambda each: each or 0)
    if None in ends or ends[0] == ends[1]:
        return None
    for link in simulated_cards(spec, Chosen(visible)).links:
        if sorted((link["one"], link["other"])) == ends:  # type: ignore[type-var]  # numbers
            rate = link.get("pageable_bytes_per_second", link["bytes_per_second"])
            latency = link["latency"]
            assert isinstance(rate, float)
            assert isinstance(latency, float)
            return Expected(latency + size / rate, _way(spec, visible, ends))
    return None


def _number(device: str) -> "int | None":
    """The worker's number of a card, or the host's."""
    return HOST if device == "cpu" else card_number(device)


def _way(
    spec: MachineSpec, visible: "Sequence[int] | None", ends: "Sequence[int | None]"
) -> str:
    if HOST in ends:
        return "PCIe"
    cards = range(len(spec.cards)) if visible is None else visible
    one, other = (cards[each] for each in ends if each is not None)
    return "NVLink" if Wiring(spec).nvlinks_between(one, other) else "PCIe"
