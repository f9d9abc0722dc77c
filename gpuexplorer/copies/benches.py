"""The bench on the devices of this computer, and which card each of them is."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gpuexplorer.copies.routes import Routes, Values
from gpuexplorer.copies.worker_bench import WorkerBench
from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.catalogue import links, utilization
from gpuexplorer.lab.events import Device
from gpuexplorer.lab.worker_process import Start
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.topology import Topology

_LANES = (
    links.PCIE_GENERATION,
    links.PCIE_WIDTH,
    links.PCIE_WIDTH_MAX,
    links.PCIE_WIDTH_SLOT,
    links.PCIE_GENERATION_MAX,
)


def worker_bench(python: Path, backend: Backend, topology: Topology | None) -> WorkerBench:
    """On the devices of this computer; nothing is started yet."""
    cards = [card for card in backend.cards() if card.kind is CardKind.GPU]
    named: dict[str, CardId] = {}

    def routes_for(devices: Sequence[Device]) -> Routes:
        named.update(names_by_uuid(devices, cards))
        known = topology or Topology((), (), {})
        readings = lanes_of(backend, [card.id for card in cards])
        return Routes(known, cards, dict(named), readings)

    def under_load(devices: Sequence[str]) -> Values:
        return lanes_of(backend, [named[each] for each in devices if each in named])

    def busy() -> Mapping[str, float]:
        at_work = {}
        for device, card in (named or names_by_number(cards)).items():
            sample = backend.read(card, [utilization.GPU_UTILIZATION])
            if (share := sample.values.get(utilization.GPU_UTILIZATION)) is not None:
                at_work[device] = share
        return at_work

    return WorkerBench(Start(python), routes_for, busy, under_load)


def offered(devices: Sequence[Device]) -> list[str]:
    """Those between which can be copied."""
    kinds = ("cpu", "cuda")
    return [each.name for each in devices if each.usable and each.name.split(":")[0] in kinds]


def names_by_uuid(devices: Sequence[Device], cards: Sequence[Card]) -> dict[str, CardId]:
    """Which card each device of PyTorch is; what cannot be told is left out."""
    by_uuid = {_bare(str(card.id)): card.id for card in cards}
    cuda = [each for each in devices if each.name.startswith("cuda")]
    found = {
        each.name: by_uuid[_bare(each.uuid)] for each in cuda if _bare(each.uuid) in by_uuid
    }
    if not found and len(cuda) == len(cards) == 1:  # an older PyTorch tells no UUID
        found[cuda[0].name] = cards[0].id
    return found


def names_by_number(cards: Sequence[Card]) -> dict[str, CardId]:
    return {f"cuda:{card.cuda_index}": card.id for card in cards if card.cuda_index is not None}


def lanes_of(backend: Backend, cards: Sequence[CardId]) -> Values:
    """On how many lanes each runs. Cards that sleep are not woken, and tell nothing."""
    return {card: backend.read(card, _LANES).values for card in cards}


def _bare(uuid: str) -> str:
    """NVML says GPU- before it, PyTorch does not."""
    return uuid.lower().removeprefix("gpu-")
