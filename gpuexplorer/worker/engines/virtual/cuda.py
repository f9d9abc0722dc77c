"""torch.cuda stays PyTorch's own Python; what that asks of torch._C is answered here: streams
and events, what a card is, what goes between cards, and autocast.
"""

import functools
from collections.abc import Sequence
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from gpuexplorer.worker.engines.virtual.cards import in_force, in_modelled_time
from gpuexplorer.worker.engines.virtual.refusals import not_offered, put
from gpuexplorer.worker.engines.virtual.tensors import (
    AUTOCAST,
    CPU,
    KEYS,
    Device,
    Generator,
    meant,
    number_of,
)


# Any throughout: devices are whatever PyTorch takes.
class Event:
    """Both torch.Event and torch.cuda.Event. Its time is modelled; a person's pauses between
    cells do not count.
    """

    __module__ = "torch.cuda"

    def __init__(self, device: Any = None, *, enable_timing: bool = False, **_: bool) -> None:
        self._card, self._timed = number_of(device), enable_timing
        self._at: float | None = None

    @in_modelled_time
    def record(self, stream: "Stream | None" = None) -> None:
        cards = in_force()
        self._card = cards.chosen.card if stream is None else stream.device_index
        cards.use(self._card)
        self._at = cards.moment(self._card, None if stream is None else stream.stream_id)

    @in_modelled_time
    def query(self) -> bool:
        return self._at is None or in_force().has_come(self._at)

    @in_modelled_time
    def synchronize(self) -> None:
        if self._at is not None:
            in_force().wait_until(self._at, self._card)

    def wait(self, stream: "Stream | None" = None) -> None:
        """What is asked of the stream from now on begins when this has come."""
        waiting: Any = torch.cuda.current_stream() if stream is None else stream
        if self._at is not None:
            waiting.waits_until(self._at, self._card)

    def elapsed_time(self, end_event: "Event") -> float:
        """Milliseconds, modelled."""
        events = self, end_event
        if not all(each._timed for each in events):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._at is None or end_event._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        if not all(each.query() for each in events):
            raise ValueError("Both events must be completed before calculating elapsed time.")
        return (end_event._at - self._at) * 1000.0


class Stream:
    """torch.cuda.Stream: each has a time of its own; the card's engines are shared by all."""

    __module__ = "torch.cuda"

    def __init__(
        self,
        device: Any = None,
        priority: int = 0,
        stream_id: "int | None" = None,
        device_index: "int | None" = None,
        device_type: int = 1,
    ) -> None:
        self.device_index = number_of(device) if device_index is None else device_index
        self.device = Device("cuda", self.device_index)
        self.stream_id = next(in_force().new_streams) if stream_id is None else stream_id
        self.cuda_stream, self.priority, self.device_type = self.stream_id, priority, 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and hash(self) == hash(other)

    def __hash__(self) -> int:
        return hash((self.device_index, self.stream_id))

    def __enter__(self) -> "Stream":
        chosen = in_force().chosen
        self._before = chosen.card, chosen.streams[self.device_index]
        _set_stream(self.stream_id, self.device_index, _KIND)
        return self

    def __exit__(self, *_: object) -> None:
        chosen = in_force().chosen
        chosen.card, chosen.streams[self.device_index] = self._before

    @in_modelled_time
    def synchronize(self) -> None:
        in_force().synchronize(self.device_index, self.stream_id)

    @in_modelled_time
    def query(self) -> bool:
        return in_force().has_come(in_force().moment(self.device_index, self.stream_id))

    @in_modelled_time
    def waits_until(self, moment: float, card: int) -> None:
        in_force().queue_waits(self.device_index, self.stream_id, moment, card)

    def wait_stream(self, stream: "Stream") -> None:
        card = stream.device_index
        self.waits_until(in_force().moment(card, stream.stream_id), card)

    def wait_event(self, event: Event) -> None:
        event.wait(self)

    def record_event(self, event: "Event | None" = None) -> Event:
        event = Event() if event is None else event
        event.record(self)
        return event

    def is_capturing(self) -> bool:
        return False


_KIND = 1  # torch._C's number for the kind of device
# What is not offered, by its names in torch.cuda.
_TYPES = ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool")
_INTO = {
    **dict.fromkeys(("MemPool", "CUDAPluggableAllocator"), "pools of memory of one's own"),
    **dict.fromkeys(
        [f"{each}Tensor" for each in _TYPES], "types such as torch.cuda.FloatTensor"
    ),
    "CUDAGraph": "CUDA graphs",
    "ExternalStream": "streams of other programs",
    "list_gpu_processes": "a list of the cards' processes",
    "_get_pynvml_handler": "questions to NVML; nvidia-smi answers them",
}


class _CudaDeviceProperties(SimpleNamespace):
    """Prints as PyTorch's own does."""

    def __repr__(self) -> str:
        memory = f"{self.total_memory >> 20}MB"
        told = {**vars(self), "name": repr(self.name), "total_memory": memory}
        words = ", ".join(f"{name}={value}" for name, value in told.items())
        return f"_CudaDeviceProperties({words})"


# Any throughout: a device is a number, a text, a torch.device or nothing, as in PyTorch.
def _properties(device: Any = None) -> Any:
    facts = in_force().facts[number_of(device)]
    return _CudaDeviceProperties(
        name=facts.name,
        major=facts.capability[0],
        minor=facts.capability[1],
        total_memory=facts.memory_bytes,
        multi_processor_count=facts.multiprocessors,
        uuid=facts.uuid,
        warp_size=32,
    )


def _choose(card: int) -> int:
    """Gives the one before."""
    chosen = in_force().chosen
    before = chosen.card
    if card >= 0:
        chosen.card = number_of(card)
    return before


def _set_stream(stream_id: int, device_index: int, device_type: int) -> None:
    chosen = in_force().chosen
    chosen.card, chosen.streams[device_index] = device_index, stream_id


@in_modelled_time
def _synchronize(device: Any = None) -> None:
    in_force().synchronize(number_of(device))


@in_modelled_time
def _mem_get_info(device: Any = None) -> "tuple[int, int]":
    memory = in_force().memory(number_of(device))
    in_force().use(memory.index)  # asking makes a context, on a real card as well
    return memory.free_bytes, memory.total_bytes


@in_modelled_time
def _empty_cache() -> None:
    cards = in_force()
    for each in map(cards.memory, range(len(cards))):
        if each.reserved > each.allocated:
            cards.use(each.index)
        each.empty_cache()


def put_cuda() -> None:
    """In torch._C, in torch.cuda, and in torch.accelerator, which PyTorch has from 2.6 on."""
    cards, cuda = in_force(), torch.cuda

    low = {
        "getDevice": lambda: cards.chosen.card,
        **dict.fromkeys(("setDevice", "exchangeDevice", "maybeExchangeDevice"), _choose),
        "canDeviceAccessPeer": lambda one, other: one != other and cards.link(one, other).peer,
        "getCurrentStream": lambda card: (cards.chosen.streams[card], card, _KIND),
        "getDefaultStream": lambda card: (0, card, _KIND),
        "setStream": _set_stream,
        "synchronize": _synchronize,
        "memoryStats": lambda card: cards.memory(card).stats(),
        "resetPeakMemoryStats": lambda card: cards.memory(card).reset_peaks(),
        "setMemoryFraction": lambda fraction, card: setattr(
            cards.memory(card), "fraction", fraction
        ),
        "ipc_collect": lambda: None,
        "emptyCache": _empty_cache,
        "memorySnapshot": not_offered("snapshots of memory"),
        "record_memory_history": not_offered("snapshots of memory"),
    }
    put(torch._C, {f"_cuda_{name}": each for name, each in low.items()})
    answers = {
        "is_available": lambda: len(cards) > 0,
        "device_count": lambda: len(cards),
        "get_arch_list": lambda: [
            "sm_{}{}".format(*each)
            for each in sorted({each.capability for each in cards.facts})
        ],
        "_is_compiled": lambda: True,
        "_is_in_bad_fork": lambda: cards.forked,
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
        **{name: not_offered(what) for name, what in _INTO.items()},
    }
    put(torch, {"Stream": Stream, "Event": Event})
    put(torch.backends.cuda, {"is_built": lambda: True})
    for module in (cuda, cuda.memory, cuda.random, cuda.streams, cuda.graphs):
        known = {name: each for name, each in answers.items() if hasattr(module, name)}
        put(module, answers if module is cuda else known)
    if hasattr(torch, "accelerator"):
        known = {name: getattr(cuda, name, None) for name in torch.accelerator.__all__}
        put(torch.accelerator, {name: each for name, each in known.items() if each})
        put(
            torch.accelerator,
            {
                "current_accelerator": lambda check_available=False: Device("cuda"),
                **dict.fromkeys(
                    ("current_device_index", "current_device_idx"), cuda.current_device
                ),
                **dict.fromkeys(("set_device_index", "set_device_idx"), cuda.set_device),
                "get_memory_info": _mem_get_info,
                "device_index": cuda.device,
            },
        )
    between = (_scatter, _gather, _broadcast, _broadcast_coalesced)
    put(torch._C, {each.__name__: each for each in between})
    put(cuda.nccl, {"is_available": lambda tensors: False})
    if torch.distributed.is_available():
        _put_nccl()


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


def _put_nccl() -> None:
    """gloo stands in for it."""
    c10d: Any = torch.distributed.distributed_c10d
    gloo: Any = c10d.ProcessGroupGloo

    class ProcessGroupNCCL(gloo):
        Options = SimpleNamespace

        def __init__(self, store: Any, rank: int, size: int, options: Any) -> None:
            super().__init__(store, rank, size, timeout=options._timeout)

    kind = {"ProcessGroupNCCL": ProcessGroupNCCL}
    patience = timedelta(minutes=10)  # of NCCL
    put(c10d, {**kind, "_NCCL_AVAILABLE": True, "default_pg_nccl_timeout": patience})
    put(torch.distributed, kind)
    # The values of a card lie in the host's memory.
    able = {**c10d.Backend.backend_capability, "nccl": ["cuda", "cpu"]}
    put(c10d.Backend, {"backend_capability": able})


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
_ON_CUDA = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCUDA)


# Any throughout: operations and their operands are whatever PyTorch hands on.
def _cast(operation: Any, *args: Any, **kwargs: Any) -> Any:
    name = operation.overloadpacket.__name__
    if name == "binary_cross_entropy":
        return operation.redispatch(_ON_CUDA, *args, **kwargs)  # which refuses it
    wide = name not in _LOWER
    if name in _WIDEST:
        leaves = tree_leaves((args, kwargs))
        wide = any(_can_be_cast(each) and each.dtype == torch.float32 for each in leaves)
    kind = torch.float32 if wide else torch.get_autocast_dtype("cuda")

    def fit(each: Any) -> Any:
        return each.to(kind) if _can_be_cast(each) else each

    with torch._C._ExcludeDispatchKeyGuard(KEYS):
        args, kwargs = tree_map(fit, (args, kwargs))
        return operation(*args, **kwargs)


def _can_be_cast(value: Any) -> bool:
    if not isinstance(value, torch.Tensor) or not value.is_cuda:
        return False
    return bool(value.is_floating_point()) and value.dtype != torch.float64


@functools.cache
def _register_casting() -> "tuple[torch.library.Library, ...]":
    """By PyTorch's own registrations, which name the operations; for as long as we live."""
    library = torch.library.Library("aten", "IMPL", AUTOCAST)
    known = torch._C._dispatch_get_registrations_for_dispatch_key("AutocastCUDA")
    names = [each.partition("::")[2] for each in known if each.startswith("aten::")]
    for each in (*names, *_LIBRARY_OF_CUDA):
        name, _, overload = each.partition(".")
        operation = getattr(getattr(torch.ops.aten, name), overload or "default")
        library.impl(each, functools.partial(_cast, operation))
    others = torch.library.Library("_", "IMPL", AUTOCAST)
    others.fallback(torch.library.fallthrough_kernel)
    return library, others


def put_casting() -> None:
    _register_casting()
    enable = torch.set_autocast_enabled

    def set_autocast_enabled(*args: Any) -> None:
        """Of a kind of device; without one, of CUDA."""
        enable(*args)
        if len(args) == 1 or args[0] == "cuda":
            enable(_DEVICE, args[-1])

    put(torch, {"set_autocast_enabled": set_autocast_enabled})
