"""torch.cuda stays PyTorch's own Python; what that asks of torch._C is answered here: streams
and events, what a card is, what goes between cards, and autocast.
"""

import functools
import os
from collections.abc import Callable, Sequence
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from gpuexplorer.worker.engines.virtual.cards import Cards
from gpuexplorer.worker.engines.virtual.machine import (
    after_fork,
    are_in_force,
    in_force,
    in_modelled_time,
)
from gpuexplorer.worker.engines.virtual.refusals import DTYPES, Patches, not_offered, refuse
from gpuexplorer.worker.engines.virtual.tensors import (
    AUTOCAST,
    CPU,
    KEYS,
    Device,
    Generator,
    meant,
    number_of,
)

_HIGHEST_PRIORITY = -5


# Any throughout: devices are whatever PyTorch takes.
class AnyEvent:
    """torch.Event. Its time is modelled; a person's pauses between cells do not count."""

    def __init__(
        self,
        device: Any = None,
        *,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
    ) -> None:
        number_of(device)
        if interprocess:
            refuse("events that other processes could wait for")
        self._timed = enable_timing
        self._card: int | None = None
        self._at: float | None = None

    def __repr__(self) -> str:
        return "<simulated torch.cuda.Event>"

    @property
    def device(self) -> "torch.device | None":
        return None if self._card is None else Device("cuda", self._card)

    @in_modelled_time
    def record(self, stream: "Stream | None" = None) -> None:
        cards = in_force().cards
        self._card = cards.current if stream is None else stream.card
        number = None if stream is None else stream.stream_id
        with cards.lock:
            cards.use(self._card)
            self._at = cards.moment(self._card, number)

    @in_modelled_time
    def query(self) -> bool:
        return self._at is None or in_force().cards.has_come(self._at)

    @in_modelled_time
    def synchronize(self) -> None:
        if self._at is not None and self._card is not None:
            with in_force().cards.lock:
                in_force().cards.wait_until(self._at, self._card)

    @in_modelled_time
    def wait(self, stream: "Stream | None" = None) -> None:
        """What is asked of the stream from now on begins when this has come."""
        stream = torch.cuda.current_stream() if stream is None else stream
        assert isinstance(stream, Stream)
        if self._at is not None and self._card is not None:
            with in_force().cards.lock:
                in_force().cards.queue_waits(
                    stream.card, stream.stream_id, self._at, self._card
                )

    def elapsed_time(self, end_event: "AnyEvent") -> float:
        """Milliseconds, modelled."""
        end = end_event
        if not (self._timed and end._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._at is None or end._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        if self._card != end._card:
            raise ValueError(
                f"Events are not on the same device: cuda:{self._card} and cuda:{end._card}."
            )
        if not (self.query() and end.query()):
            raise ValueError("Both events must be completed before calculating elapsed time.")
        return (end._at - self._at) * 1000.0


class Event(AnyEvent):
    """torch.cuda.Event."""

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        super().__init__(enable_timing=enable_timing, interprocess=interprocess)


class Stream:
    """torch.cuda.Stream: each has a time of its own; the card's engines are shared by all."""

    def __init__(
        self,
        device: Any = None,
        priority: int = 0,
        stream_id: "int | None" = None,
        device_index: "int | None" = None,
        device_type: int = 1,
    ) -> None:
        cards = in_force().cards
        self.card = number_of(device) if device_index is None else device_index
        self.stream_id = cards.new_stream() if stream_id is None else stream_id
        self.priority, self.device_type = priority, device_type
        self.device_index, self.cuda_stream = self.card, self.stream_id

    @property
    def device(self) -> torch.device:
        return Device("cuda", self.card)

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device=cuda:{self.card} cuda_stream={self.stream_id:#x}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self.card, self.stream_id) == (
            other.card,
            other.stream_id,
        )

    def __hash__(self) -> int:
        return hash((self.card, self.stream_id))

    def __enter__(self) -> "Stream":
        cards = in_force().cards
        self._before = cards.current, cards.stream(self.card)
        cards.current = self.card
        cards.choose_stream(self.card, self.stream_id)
        return self

    def __exit__(self, *_: object) -> None:
        cards = in_force().cards
        cards.current, stream = self._before
        cards.choose_stream(self.card, stream)

    @in_modelled_time
    def synchronize(self) -> None:
        with in_force().cards.lock:
            in_force().cards.synchronize(self.card, self.stream_id)

    @in_modelled_time
    def query(self) -> bool:
        cards = in_force().cards
        return cards.has_come(cards.moment(self.card, self.stream_id))

    @in_modelled_time
    def wait_stream(self, stream: "Stream") -> None:
        cards = in_force().cards
        with cards.lock:
            until = cards.moment(stream.card, stream.stream_id)
            cards.queue_waits(self.card, self.stream_id, until, stream.card)

    def wait_event(self, event: AnyEvent) -> None:
        event.wait(self)

    def record_event(self, event: "AnyEvent | None" = None) -> AnyEvent:
        event = Event() if event is None else event
        event.record(self)
        return event

    @staticmethod
    def priority_range() -> "tuple[int, int]":
        return 0, _HIGHEST_PRIORITY

    def is_capturing(self) -> bool:
        return False


for _each in (AnyEvent, Event, Stream):
    _each.__module__ = "torch.cuda"
AnyEvent.__module__, AnyEvent.__name__ = "torch", "Event"


_POOLS = "MemPool", "use_mem_pool", "CUDAPluggableAllocator", "change_current_allocator"
_CYCLES = 1.5e9  # a second, of a card's clock
_WARP = 32
_THREADS = {(7, 5): 1024, (8, 6): 1536, (8, 9): 1536, (12, 0): 1536}  # by capability; else 2048
_KIND = 1  # torch._C's number for the kind of device
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
        warp_size=_WARP,
        max_threads_per_multi_processor=_THREADS.get(facts.capability, 2048),
        is_integrated=0,
        is_multi_gpu_board=0,
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
            if each.reserved > each.allocated:
                cards.use(each.index)
            each.empty_cache()


@in_modelled_time
def _sleep(cycles: int) -> None:
    cards = _cards()
    with cards.lock:
        flops = cards.facts[cards.current].flops
        cards.computed(cards.current, cycles / _CYCLES * flops, 0.0)


def _set_fraction(fraction: float, device: int) -> None:
    _cards().memory(device).fraction = fraction


def put_cuda(patches: Patches) -> None:
    cards = _cards()
    low = {
        "init": lambda: None,
        "getDeviceCount": lambda: len(cards),
        "getDevice": lambda: cards.current,
        "setDevice": _choose,
        "exchangeDevice": _choose,
        "maybeExchangeDevice": _choose,
        "canDeviceAccessPeer": _can_access_peer,
        "getCurrentStream": lambda card: (cards.stream(card), card, _KIND),
        "getCurrentRawStream": cards.stream,
        "getDefaultStream": lambda card: (0, card, _KIND),
        "setStream": _set_stream,
        "synchronize": _synchronize,
        "memoryStats": lambda card: cards.memory(card).stats(),
        "emptyCache": _empty_cache,
        "resetPeakMemoryStats": lambda card: cards.memory(card).reset_peaks(),
        "resetAccumulatedMemoryStats": lambda card: None,
        "setMemoryFraction": _set_fraction,
        "getMemoryFraction": lambda card: cards.memory(card).fraction,
        "getAllocatorBackend": lambda: "native",
        "ipc_collect": lambda: None,
        "get_sync_debug_mode": lambda: cards.sync_debug,
        "set_sync_debug_mode": functools.partial(setattr, cards, "sync_debug"),
        "sleep": _sleep,
        "getArchFlags": lambda: " ".join(_arches(cards)),
        "memorySnapshot": not_offered("snapshots of memory"),
        "jiterator_compile_and_launch_kernel": not_offered("kernels of one's own"),
        "record_memory_history": not_offered("snapshots of memory"),
        "isInBadFork": lambda: bool(_forked),
    }
    patches.put(torch._C, {f"_cuda_{name}": each for name, each in low.items()})
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
        "_get_pynvml_handler": not_offered("questions to NVML; nvidia-smi answers them"),
        "ExternalStream": not_offered("streams of other programs"),
        **dict.fromkeys(_POOLS, not_offered("pools of memory of one's own")),
        **{
            f"{name}Tensor": not_offered("types such as torch.cuda.FloatTensor")
            for name in DTYPES.values()
        },
        "CUDAGraph": not_offered("CUDA graphs"),
        "graph": not_offered("CUDA graphs"),
        "make_graphed_callables": not_offered("CUDA graphs"),
    }
    patches.put(torch, {"Stream": Stream, "Event": AnyEvent})
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
    answers = {
        "getAccelerator": lambda: Device("cuda"),
        "isAvailable": lambda: True,
        "getDeviceIndex": lambda: cards.current,
        "setDeviceIndex": _choose,
        "exchangeDevice": _choose,
        "maybeExchangeDevice": _choose,
        "setStream": torch.cuda.set_stream,
        "getStream": torch.cuda.current_stream,
        "synchronizeDevice": _synchronize,
        "isAllocatorInitialized": lambda: True,
        "emptyCache": _empty_cache,
        "getDeviceStats": lambda card: cards.memory(card).stats(),
        "resetPeakStats": lambda card: cards.memory(card).reset_peaks(),
        "resetAccumulatedStats": lambda card: None,
        "getMemoryInfo": _mem_get_info,
    }
    patches.put(torch._C, {f"_accelerator_{name}": each for name, each in answers.items()})
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


def _gather(tensors: "Sequence[Any]", dim: int, card: "int | None") -> Any:
    return torch.cat([each.to(_place(card)) for each in tensors], dim)


def _broadcast(tensor: Any, cards: "Sequence[int]") -> Any:
    return tuple(tensor.to(_place(card)) for card in cards)


def _broadcast_coalesced(
    tensors: "Sequence[Any]", cards: "Sequence[int]", buffer_size: int
) -> Any:
    return tuple([each.detach().to(_place(card)) for each in tensors] for card in cards)


def put_between_cards(patches: Patches) -> None:
    patches.put(
        torch._C,
        {
            "_scatter": _scatter,
            "_gather": _gather,
            "_broadcast": _broadcast,
            "_broadcast_coalesced": _broadcast_coalesced,
        },
    )
    patches.put(torch.cuda.nccl, {"is_available": lambda tensors: False})


_PATIENCE = timedelta(minutes=10)  # of NCCL


def put_nccl(patches: Patches) -> None:
    """gloo stands in for it."""
    if not torch.distributed.is_available():
        return
    c10d: Any = torch.distributed.distributed_c10d
    gloo: Any = c10d.ProcessGroupGloo

    class ProcessGroupNCCL(gloo):
        Options = SimpleNamespace

        def __init__(self, store: Any, rank: int, size: int, options: Any) -> None:
            super().__init__(store, rank, size, timeout=options._timeout)

    patches.put(
        c10d,
        {
            "_NCCL_AVAILABLE": True,
            "ProcessGroupNCCL": ProcessGroupNCCL,
            "default_pg_nccl_timeout": _PATIENCE,
        },
    )
    patches.put(torch.distributed, {"ProcessGroupNCCL": ProcessGroupNCCL})
    # The values of a card lie in the host's memory.
    able = {**c10d.Backend.backend_capability, "nccl": ["cuda", "cpu"]}
    patches.put(c10d.Backend, {"backend_capability": able})


_DEVICE = "ipu"
_TO_LOWER = """
    _convolution _scaled_dot_product_flash_attention _thnn_fused_gru_cell _thnn_fused_lstm_cell
    addbmm addmm addmv addr baddbmm bmm chain_matmul conv1d conv2d conv3d conv_tbc
    conv_transpose1d conv_transpose2d conv_transpose3d convolution cudnn_convolution
    cudnn_convolution_transpose einsum gru gru_cell linalg_multi_dot linalg_vecdot linear lstm
    lstm_cell matmul mm mv prelu rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell
    scaled_dot_product_attention
"""
_TO_WIDEST = """
    addcdiv addcmul atan2 bilinear cross dot grid_sampler index_put scatter_add tensordot vdot
"""
_LOWER, _WIDEST = frozenset(_TO_LOWER.split()), frozenset(_TO_WIDEST.split())
_LIBRARY_OF_CUDA = ("lstm.input", "gru.input", "rnn_tanh.input", "rnn_relu.input")
_BANNED = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using "
    "torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast."
)
# Older PyTorch cannot let the operations pass that autocast leaves alone.
_can_cast = hasattr(torch.library.Library, "fallback")
_kept: "list[torch.library.Library]" = []  # for as long as the process lives


# Any throughout: operations and their operands are whatever PyTorch hands on.
def _kernel(operation: Any, name: str) -> "Callable[..., Any]":
    def run(*args: Any, **kwargs: Any) -> Any:
        if name == "binary_cross_entropy":
            raise RuntimeError(_BANNED)
        wanted = _wanted(name, (args, kwargs))

        def fit(each: Any) -> Any:
            return each.to(wanted) if _is_cast(each) else each

        with torch._C._ExcludeDispatchKeyGuard(KEYS):
            args, kwargs = tree_map_only(torch.Tensor, fit, (args, kwargs))
            return operation(*args, **kwargs)

    return run


def _wanted(name: str, operands: Any) -> torch.dtype:
    if name in _LOWER:
        return torch.get_autocast_dtype("cuda")
    if name not in _WIDEST:
        return torch.float32
    kinds = {each.dtype for each in tree_leaves(operands) if _is_cast(each)}
    return torch.float32 if torch.float32 in kinds else torch.get_autocast_dtype("cuda")


def _is_cast(value: Any) -> bool:
    if not isinstance(value, torch.Tensor) or not value.is_cuda:
        return False
    return bool(value.is_floating_point()) and value.dtype != torch.float64


def _register() -> None:
    library = torch.library.Library("aten", "IMPL", AUTOCAST)
    known = torch._C._dispatch_get_registrations_for_dispatch_key("AutocastCUDA")
    names = [each.partition("::")[2] for each in known if each.startswith("aten::")]
    for each in (*names, *_LIBRARY_OF_CUDA):
        name, _, overload = each.partition(".")
        packet = getattr(torch.ops.aten, name)
        library.impl(each, _kernel(getattr(packet, overload or "default"), name))
    _kept.append(library)
    others = torch.library.Library("_", "IMPL", AUTOCAST)
    if _can_cast:
        others.fallback(torch.library.fallthrough_kernel)
        _kept.append(others)


def put_casting(patches: Patches) -> None:
    if not _kept:
        _register()
    enable = torch.set_autocast_enabled

    def set_autocast_enabled(*args: Any) -> None:
        """Of a kind of device; without one, of CUDA."""
        enable(*args)
        if len(args) == 1 or args[0] == "cuda":
            if args[-1] and not _can_cast:
                refuse("autocast under this PyTorch")
            enable(_DEVICE, args[-1])

    patches.put(torch, {"set_autocast_enabled": set_autocast_enabled})
