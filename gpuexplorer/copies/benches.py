"""The bench on the devices of this computer, and which card each of them is."""

from collections.abc import Collection, Mapping, Sequence

from gpuexplorer.copies.routes import Routes, Values
from gpuexplorer.copies.worker_bench import WorkerBench
from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import Device, Hello
from gpuexplorer.lab.start import Start
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.topology import Topology

_LANES = (
    m.PCIE_GENERATION,
    m.PCIE_WIDTH,
    m.PCIE_WIDTH_MAX,
    m.PCIE_WIDTH_SLOT,
    m.PCIE_GENERATION_MAX,
)


def worker_bench(start: Start, backend: Backend, topology: Topology | None) -> WorkerBench:
    """On the devices of its computer; nothing is started yet."""
    cards = [card for card in backend.cards() if card.kind is not CardKind.HOST]
    whole = {card.id: card.parent or card.id for card in cards}
    named: dict[str, CardId] = {}

    def routes_for(devices: Sequence[Device]) -> Routes:
        named.update(names_by_uuid(devices, cards))
        known = topology or Topology((), (), {})
        readings = lanes_of(backend, set(whole.values()))
        return Routes(known, cards, dict(named), readings)

    def under_load(devices: Sequence[str]) -> Values:
        return lanes_of(backend, {whole[named[each]] for each in devices if each in named})

    def busy() -> Mapping[str, float]:
        at_work = {}
        for device, card in (named or names_by_number(cards)).items():
            sample = backend.read(card, [m.GPU_UTILIZATION])
            if (share := sample.values.get(m.GPU_UTILIZATION)) is not None:
                at_work[device] = share
        return at_work

    return WorkerBench(start, routes_for, busy, under_load)


def routes_here(backend: Backend, hello: Hello, topology: Topology | None) -> Routes:
    """By the names of that worker's PyTorch."""
    cards = [card for card in backend.cards() if card.kind is not CardKind.HOST]
    names = names_by_uuid(hello.devices, cards)
    readings = lanes_of(backend, [card.id for card in cards if card.kind is CardKind.GPU])
    return Routes(topology or Topology((), (), {}), cards, names, readings)


def offered(devices: Sequence[Device]) -> list[str]:
    """Those between which can be copied. A card that this PyTorch has no kernels for takes
    copies; one that stands for no card at all has no capability.
    """
    return [
        each.name
        for each in devices
        if each.name == "cpu" or (_is_cuda(each) and (each.usable or each.capability))
    ]


def without_kernels(devices: Sequence[Device]) -> list[Message]:
    """Of the devices that are offered, what is to be known of those that cannot compute."""
    return [
        Message(
            "{device}, {name}: {reason}", device=each.name, name=each.label, reason=each.reason
        )
        for each in devices
        if _is_cuda(each) and not each.usable and each.capability
    ]


def without_cards(devices: Sequence[Device]) -> list[Message]:
    """Why this PyTorch has no card, and what to do about it."""
    none = [each for each in devices if _is_cuda(each) and not (each.usable or each.capability)]
    return [told(each.reason, each.way_out) for each in none if each.reason]


def names_by_uuid(devices: Sequence[Device], cards: Sequence[Card]) -> dict[str, CardId]:
    """Which card, or which instance of one, each device of PyTorch is. What cannot be told is
    left out.
    """
    cuda = [each for each in devices if _is_cuda(each)]
    by_uuid = {_bare(str(card.id)): card for card in cards}
    found = {}
    for device in cuda:
        card = by_uuid.get(_bare(device.uuid)) if device.uuid else _called(device, cuda, cards)
        if card is None:
            continue
        instances = [each for each in cards if each.parent == card.id]
        if len(instances) < 2:  # PyTorch may name the card of the one that it was given
            found[device.name] = instances[0].id if instances else card.id
    return found


def _called(device: Device, cuda: Sequence[Device], cards: Sequence[Card]) -> Card | None:
    """An older PyTorch tells no UUID, nor does one for cards of another maker: then a card is
    meant only if it alone has that name.
    """
    twins = [each for each in cuda if not each.uuid and each.label == device.label]
    named = [card for card in cards if card.parent is None and card.name == device.label]
    return named[0] if len(named) == len(twins) == 1 else None


def names_by_number(cards: Sequence[Card]) -> dict[str, CardId]:
    return {f"cuda:{card.cuda_index}": card.id for card in cards if card.cuda_index is not None}


def lanes_of(backend: Backend, cards: Collection[CardId]) -> Values:
    """On how many lanes each runs. Cards that sleep are not woken, and tell nothing."""
    return {card: backend.read(card, _LANES).values for card in cards}


def _is_cuda(device: Device) -> bool:
    return device.name.startswith("cuda:")


def _bare(uuid: str) -> str:
    """NVML says GPU- or MIG- before it, PyTorch does not."""
    return uuid.lower().removeprefix("gpu-").removeprefix("mig-")
