"""Copies: every one between the host and the cards, and between cards; and to and from files,
which are like those of real cards and name the card.
"""

import functools
from typing import Any

import torch

from gpuexplorer.worker.engines.operations import same
from gpuexplorer.worker.engines.virtual.devices import CPU, meant
from gpuexplorer.worker.engines.virtual.errors import refuse_after_fork
from gpuexplorer.worker.engines.virtual.holdings import card_of, in_force, in_modelled_time
from gpuexplorer.worker.engines.virtual.patches import Patches
from gpuexplorer.worker.engines.virtual.tensor import OnCard
from gpuexplorer.worker.engines.virtual.work import HOST


# Any throughout: tensors, devices and dtypes are PyTorch's.
def copied_to(
    func: Any,
    source: Any,
    *,
    device: Any = None,
    non_blocking: Any = False,
    pin_memory: Any = False,
    **kwargs: Any,
) -> Any:
    """Every copy that makes a new tensor."""
    here = source.device
    target = here if device is None else meant(device)
    held = source.held if isinstance(source, OnCard) else source
    if target.type not in ("cpu", "cuda"):  # meta, or what PyTorch itself shall refuse
        return func(held, device=target, **kwargs)
    holdings = in_force()
    cards = holdings.cards
    size = held.numel() * (kwargs.get("dtype") or held.dtype).itemsize
    if target.type == "cpu" and here.type == "cpu":
        made = func(held, **kwargs)
        cards.computed_on_host(0.0, 2.0 * size)
        cards.derived((made,), (held,), changed=False)
        return pinned(made) if pin_memory else made
    refuse_after_fork(used=here.type == "cuda")
    with cards.lock:
        if target.type == "cuda":
            holdings.would_fit(target.index, size)
        holdings.refuse_beyond_host(size)
        made = func(held, device=CPU, **kwargs)
        if target.type == "cuda":
            holdings.hold(made.untyped_storage(), target.index)
            arrived = OnCard(made, target.index)
        else:
            arrived = made
            if non_blocking or pin_memory:
                pinned(made)  # PyTorch does so
        if here != target:
            _transfer(source, arrived, non_blocking=bool(non_blocking))
        else:
            cards.computed(target.index, 0.0, 2.0 * size)
    return arrived


def copied_into(target: Any, source: Any, non_blocking: Any = False) -> Any:
    """`target.copy_(source)`, and what comes down to it, such as an assignment to a part."""
    into = target.held if isinstance(target, OnCard) else target
    into.copy_(source.held if isinstance(source, OnCard) else source)
    cards = in_force().cards
    size = 2.0 * into.numel() * into.element_size()
    one_number = source.device.type == "cpu" and source.dim() == 0
    if source.device != target.device and not one_number:
        with cards.lock:
            _transfer(source, target, non_blocking=bool(non_blocking))
    elif isinstance(target, OnCard):
        with cards.lock:
            cards.computed(target.card, 0.0, size)
    else:
        cards.computed_on_host(0.0, size)
        cards.derived((target,), (source,), changed=False)
    return target


def pinned(tensor: Any) -> Any:
    """The host's memory stays as it is; its copies are modelled as those of pinned memory."""
    tensor.untyped_storage().is_pinned_here = True
    return tensor


def is_pinned(tensor: Any) -> bool:
    if tensor.layout is not torch.strided or tensor.device.type != "cpu":
        return False
    return bool(getattr(tensor.untyped_storage(), "is_pinned_here", False))


def _transfer(source: Any, arrived: Any, *, non_blocking: bool) -> None:
    """`arrived` holds the values already."""
    cards = in_force().cards
    there = arrived.held if isinstance(arrived, OnCard) else arrived
    ends = _number(source.device), _number(arrived.device)
    on_host = source if source.device.type == "cpu" else arrived
    if cards.arrives_wrong(*ends):
        with torch.no_grad():
            there.zero_()
    noted, intact = cards.copies.note(), None
    if cards.copies.wants_check(there.nbytes, noted):
        sent = source.held if isinstance(source, OnCard) else source
        intact = same(sent.detach(), there)  # at once: all its values are here
    row = cards.copied(
        *ends,
        there.nbytes,
        pinned=is_pinned(on_host),
        non_blocking=non_blocking,
        noted=noted,
        check=None if intact is None else lambda: intact,
    )
    cards.travelled(source, arrived, *ends, there.nbytes, row)


def _number(device: torch.device) -> int:
    return HOST if device.type != "cuda" else int(device.index)


_BEFORE_ALL_OTHERS = 1


# Any throughout: storages and what PyTorch rebuilds from them.
def location(storage: Any) -> "str | None":
    card = card_of(storage)
    return None if card is None else f"cuda:{card}"


@in_modelled_time
def land(storage: Any, where: Any) -> Any:
    if not str(where).startswith("cuda") or not torch.cuda.is_available():
        return None
    card = int(str(where).partition(":")[2] or in_force().cards.current)
    count = len(in_force().cards)
    if card >= count:
        raise RuntimeError(
            f"Attempting to deserialize object on CUDA device {card} but "
            f"torch.cuda.device_count() is {count}. Please use torch.load with "
            "map_location to map your storages to an existing device."
        )
    held = getattr(storage, "_untyped_storage", storage)
    in_force().hold(held, card)
    in_force().cards.copied(HOST, card, held.nbytes(), how="load")
    return storage


@functools.cache
def _register() -> None:
    """PyTorch keeps what is registered for good."""
    torch.serialization.register_package(_BEFORE_ALL_OTHERS, location, land)


def put_saving(patches: Patches) -> None:
    _register()
    rebuild = torch._utils._rebuild_tensor_v2

    @functools.wraps(rebuild)
    def rebuilt(storage: Any, *args: Any) -> Any:
        made, card = rebuild(storage, *args), card_of(storage)
        if card is None:
            return made
        return OnCard(made.detach(), card).requires_grad_(made.requires_grad)

    patches.put(torch._utils, {"_rebuild_tensor_v2": rebuilt})
    # It remembers the functions it allows.
    torch._weights_only_unpickler._get_allowed_globals.cache_clear()
