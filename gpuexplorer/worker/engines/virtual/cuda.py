"""torch.cuda stays PyTorch's own Python; what that asks of torch._C is answered here."""

import os
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import torch

from gpuexplorer.worker.engines.virtual.allocator import memory_stats
from gpuexplorer.worker.engines.virtual.cards import Cards
from gpuexplorer.worker.engines.virtual.devices import CPU, Device, meant, number_of
from gpuexplorer.worker.engines.virtual.holdings import (
    after_fork,
    are_in_force,
    in_force,
    in_modelled_time,
)
from gpuexplorer.worker.engines.virtual.methods import Generator
from gpuexplorer.worker.engines.virtual.patches import Patches, not_offered
from gpuexplorer.worker.engines.virtual.streams import Event, Stream

_CUDA = 1  # torch._C's number for the kind of device
_forked: "list[bool]" = []


class _CudaDeviceProperties(SimpleNamespace):
    """Prints as PyTorch's own does."""

    def __repr__(self) -> str:
        memory = f"{self.total_memory >> 20}MB"
        told = {**vars(self), "name": repr(self.name), "total_memory": memory}
        words = ", ".join(f"{name}={value}" for name, value in told.items())
        return f"_CudaDeviceProperties({words})"


# Any throughout: a device is a number, a text, a torch.device or nothing, as in PyTorch.
def _cards() -> Cards:
    return in_force().cards


def _properties(device: Any = None) -> Any:
    facts = _cards().facts[number_of(device)]
    return _CudaDeviceProperties(
        name=facts.name,
        major=facts.capability[0],
        minor=facts.capability[1],
        total_memory=facts.memory_bytes,
        multi_processor_count=facts.multiprocessors,
        uuid=facts.uuid,
    )


def _choose(card: int) -> int:
    """Gives the one before."""
    before = _cards().current
    if card >= 0:
        _cards().current = number_of(card)
    return before


def _can_access_peer(device: Any, peer_device: Any) -> bool:
    one, other = number_of(device), number_of(peer_device)
    return one != other and _cards().link(one, other).peer


def _set_stream(stream_id: int, device_index: int, device_type: int) -> None:
    _cards().current = device_index
    _cards().choose_stream(device_index, stream_id)


@in_modelled_time
def _synchronize(device: Any = None) -> None:
    with _cards().lock:
        _cards().synchronize(number_of(device))


@in_modelled_time
def _mem_get_info(device: Any = None) -> "tuple[int, int]":
    memory = _cards().memory(number_of(device))
    _cards().use(memory.index)  # asking makes a context, on a real card as well
    return memory.free_bytes, memory.total_bytes


@in_modelled_time
def _empty_cache() -> None:
    cards = _cards()
    with cards.lock:
        for index in range(len(cards)):
            each = cards.memory(index)
            if each.counts.reserved > each.counts.allocated:
                cards.use(each.index)
            each.empty_cache()


def _set_fraction(fraction: float, device: int) -> None:
    _cards().memory(device).fraction = fraction


def put_cuda(patches: Patches) -> None:
    cards = _cards()
    patches.put(
        torch._C,
        {
            f"_cuda_{name}": answer
            for name, answer in {
                "init": lambda: None,
                "getDeviceCount": lambda: len(cards),
                "getDevice": lambda: cards.current,
                "setDevice": _choose,
                "exchangeDevice": _choose,
                "maybeExchangeDevice": _choose,
                "canDeviceAccessPeer": _can_access_peer,
                "getCurrentStream": lambda card: (cards.stream(card), card, _CUDA),
                "getCurrentRawStream": cards.stream,
                "getDefaultStream": lambda card: (0, card, _CUDA),
                "setStream": _set_stream,
                "synchronize": _synchronize,
                "memoryStats": lambda card: memory_stats(cards.memory(card)),
                "emptyCache": _empty_cache,
                "resetPeakMemoryStats": lambda card: cards.memory(card).reset_peaks(),
                "resetAccumulatedMemoryStats": lambda card: None,
                "setMemoryFraction": _set_fraction,
                "getMemoryFraction": lambda card: cards.memory(card).fraction,
                "getAllocatorBackend": lambda: "native",
                "ipc_collect": lambda: None,
                "get_sync_debug_mode": lambda: 0,
                "getArchFlags": lambda: " ".join(_arches(cards)),
                "memorySnapshot": not_offered("snapshots of memory"),
                "isInBadFork": lambda: bool(_forked),
            }.items()
        },
    )
    cuda: Any = torch.cuda
    answers = {
        "is_available": lambda: len(cards) > 0,
        "device_count": lambda: len(cards),
        "_is_compiled": lambda: True,
        "_is_in_bad_fork": lambda: bool(_forked),
        "_initialized": True,
        "_exchange_device": _choose,
        "_maybe_exchange_device": _choose,
        "Stream": Stream,
        "Event": Event,
        "get_device_properties": _properties,
        "_get_device_properties": _properties,
        "mem_get_info": _mem_get_info,
        "default_generators": tuple(Generator(card) for card in range(len(cards))),
        "is_current_stream_capturing": lambda: False,
        "list_gpu_processes": not_offered("a list of the cards' processes"),
        "CUDAGraph": not_offered("CUDA graphs"),
        "graph": not_offered("CUDA graphs"),
        "make_graphed_callables": not_offered("CUDA graphs"),
    }
    patches.put(torch.backends.cuda, {"is_built": lambda: True})
    for module in (cuda, cuda.memory, cuda.random, cuda.streams, cuda.graphs):
        known = {name: each for name, each in answers.items() if hasattr(module, name)}
        patches.put(module, answers if module is cuda else known)


def put_accelerator(patches: Patches) -> None:
    """torch.accelerator, which PyTorch has from 2.6 on."""
    accelerator: Any = getattr(torch, "accelerator", None)
    if accelerator is None:
        return
    cards = _cards()
    cuda: Any = torch.cuda
    patches.put(
        torch._C,
        {
            f"_accelerator_{name}": answer
            for name, answer in {
                "getAccelerator": lambda: Device("cuda"),
                "isAvailable": lambda: True,
                "getDeviceIndex": lambda: cards.current,
                "setDeviceIndex": _choose,
                "exchangeDevice": _choose,
                "maybeExchangeDevice": _choose,
                "setStream": cuda.set_stream,
                "getStream": cuda.current_stream,
                "synchronizeDevice": _synchronize,
                "isAllocatorInitialized": lambda: True,
                "emptyCache": _empty_cache,
                "getDeviceStats": lambda card: memory_stats(cards.memory(card)),
                "resetPeakStats": lambda card: cards.memory(card).reset_peaks(),
                "resetAccumulatedStats": lambda card: None,
                "getMemoryInfo": _mem_get_info,
            }.items()
        },
    )
    patches.put(
        accelerator,
        {"is_available": lambda: len(cards) > 0, "device_count": lambda: len(cards)},
    )


def _arches(cards: Cards) -> "list[str]":
    kinds = {each.capability for each in cards.facts}
    return [f"sm_{major}{minor}" for major, minor in sorted(kinds)]


def _after_fork() -> None:
    """In the child: CUDA can be used there only where the parent had not begun to."""
    if not are_in_force():
        return
    after_fork()
    if torch.cuda.is_initialized() and any(each.awake for each in _cards().allocators):
        _forked.append(True)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


# Any throughout: tensors, and cards by their numbers, where -1 is the host.
def _place(card: "int | None") -> torch.device:
    place: torch.device = CPU if card == -1 else meant(card or 0)
    return place


def _scatter(
    tensor: Any, cards: "Sequence[int]", sizes: Any, dim: int, streams: Any = None
) -> Any:
    parts = tensor.split(sizes, dim) if sizes else tensor.chunk(len(cards), dim)
    return tuple(
        part.to(_place(card), non_blocking=True)
        for card, part in zip(cards, parts, strict=False)
    )


def _scatter_out(tensor: Any, out: Any, dim: int, streams: Any = None) -> Any:
    sizes = [each.size(dim) for each in out]
    for part, target in zip(tensor.split(sizes, dim), out, strict=True):
        target.copy_(part, non_blocking=True)
    return tuple(out)


def _gather(tensors: "Sequence[Any]", dim: int, card: "int | None") -> Any:
    return torch.cat([each.to(_place(card)) for each in tensors], dim)


def _gather_out(tensors: "Sequence[Any]", out: Any, dim: int) -> Any:
    return out.copy_(torch.cat([each.to(out.device) for each in tensors], dim))


def _broadcast(tensor: Any, cards: "Sequence[int]") -> Any:
    return tuple(tensor.to(_place(card)) for card in cards)


def _broadcast_out(tensor: Any, out: "Sequence[Any]") -> Any:
    for each in out:
        each.copy_(tensor, non_blocking=True)
    return tuple(out)


def _broadcast_coalesced(
    tensors: "Sequence[Any]", cards: "Sequence[int]", buffer_size: int
) -> Any:
    return tuple([each.detach().to(_place(card)) for each in tensors] for card in cards)


def put_between_cards(patches: Patches) -> None:
    patches.put(
        torch._C,
        {
            "_scatter": _scatter,
            "_scatter_out": _scatter_out,
            "_gather": _gather,
            "_gather_out": _gather_out,
            "_broadcast": _broadcast,
            "_broadcast_out": _broadcast_out,
            "_broadcast_coalesced": _broadcast_coalesced,
        },
    )
    patches.put(torch.cuda.nccl, {"is_available": lambda tensors: False})
