"""TorchCards: the devices of this PyTorch, as a measurement asks for them; and the threads that
ask, on processors that are close to a card, or several at the same time.
"""

import contextlib
import ctypes
import importlib
import mmap
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.worker.engine import Spoiled
from gpuexplorer.worker.engines.host_memory import free_bytes
from gpuexplorer.worker.engines.measuring.refusals import HOST, size_in_words

T = TypeVar("T")

_COPY_KIND = "cudaMemcpyDefault"  # the driver knows by the addresses where memory lies
# As an allocator asks for it. Memory that could be shared is found more slowly, page by page.
_NOBODY_ELSES = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
)
_OLD_DRIVER = {
    "cudaErrorInsufficientDriver",
    "cudaErrorCallRequiresNewerDriver",
    "cudaErrorSystemDriverMismatch",
    "cudaErrorCompatNotSupportedOnDevice",
}
_SMALL = 4096
# What the driver says where it will not pin; all else is an error of the card.
_NOT_PINNED = ("out of memory", "not supported", "invalid argument")
_NO_SUCH_CALL = "not found"  # in the driver, say the bindings
_RUNTIMES = ("cuda.bindings.runtime", "cuda.cudart")


# Any throughout: tensors, streams and events are PyTorch's.
class TorchCards:
    """Thin on purpose: tests put other cards in its place."""

    def __init__(self) -> None:
        self._runtime: Any = None

    def now(self) -> float:
        """The host's clock, in seconds."""
        return time.perf_counter()

    def names(self) -> "tuple[str, ...]":
        """Devices that can be measured, as PyTorch names them: `cpu`, `cuda:0`."""
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        return ("cpu", *(f"cuda:{index}" for index in range(count)))

    def threads(self) -> int:
        """With which PyTorch copies within the host."""
        return int(torch.get_num_threads())

    def free_bytes(self, device: str) -> "int | None":
        if device == "cpu":
            return free_bytes()
        free, _ = torch.cuda.mem_get_info(device)
        return int(free)

    def cache_bytes(self, device: str) -> "int | None":
        """What a card's L2 cache holds."""
        if device == "cpu":
            return None
        size = getattr(torch.cuda.get_device_properties(device), "L2_cache_size", 0)
        return int(size) or None

    def are_peers(self, source: str, target: str) -> bool:
        return bool(torch.cuda.can_device_access_peer(source, target))

    def capability(self, device: str) -> "tuple[int, int] | None":
        """NVIDIA's number for what a card can do; None for everything else."""
        if device == "cpu" or torch.version.hip is not None:
            return None
        major, minor = torch.cuda.get_device_capability(device)
        return int(major), int(minor)

    @contextlib.contextmanager
    def tf32(self, *, on: bool) -> "Iterator[None]":
        """Products of float32 may be made by tensor cores, or not; then all is as it was. Newer
        PyTorch has a word for it and refuses to mix it with the older switch.
        """
        products = torch.backends.cuda.matmul
        words = ("tf32", "ieee") if hasattr(products, "fp32_precision") else (True, False)
        name = "allow_tf32" if words[0] is True else "fp32_precision"
        before = getattr(products, name)
        setattr(products, name, words[0] if on else words[1])
        try:
            yield
        finally:
            setattr(products, name, before)

    @contextlib.contextmanager
    def on_processors(self, numbers: "Set[int]") -> "Iterator[bool]":
        """Of this thread, and of those it starts: whatever they take is close to these. False:
        the system lets it run on none of them, or has no such call; it stays where it is.
        """
        if not hasattr(os, "sched_setaffinity"):
            yield False
            return
        before = os.sched_getaffinity(0)
        allowed = before & numbers
        moved = False
        if allowed:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, allowed)
                moved = True
        try:
            yield moved
        finally:
            if moved:
                os.sched_setaffinity(0, before)

    def at_once(self, tasks: "Sequence[Callable[[], T]]") -> "list[T]":
        """Each in a thread of its own, with current queues of its own. They begin when all
        threads are there, and have ended when this returns or raises.
        """
        ready = threading.Event()

        def run(task: "Callable[[], T]") -> T:
            ready.wait()
            return task()

        with ThreadPoolExecutor(len(tasks)) as pool:
            try:
                asked = [pool.submit(run, task) for task in tasks]
            finally:
                ready.set()
            return [each.result() for each in asked]

    def empty(self, device: str, size: int, *, pinned: bool = False) -> Any:
        """Contiguous bytes."""
        if pinned:
            return torch.empty(size, dtype=torch.uint8, pin_memory=True)
        return torch.empty(size, dtype=torch.uint8, device=device)

    def take(self, device: str, size: int, *, pinned: bool = False) -> Any:
        """Raises MemoryError where there is no room, and Spoiled where none could be pinned."""
        if pinned:
            return self._pinned(size)
        try:
            return self.empty(device, size)
        except RuntimeError as error:
            if device == HOST or "out of memory" in str(error):
                raise MemoryError(str(error)) from None
            raise

    def untouched(self, size: int) -> Any:
        """Bytes of the host that were never written to: the first write finds them. From an
        allocator they may be such as somebody has used before.
        """
        return torch.frombuffer(mmap.mmap(-1, size, **_NOBODY_ELSES), dtype=torch.uint8)

    def stream(self, device: str) -> Any:
        return torch.cuda.Stream(device)

    def event(self) -> Any:
        """A mark in a queue. Only queues of one card share a clock."""
        return torch.cuda.Event(enable_timing=True)

    def on(self, *streams: Any) -> "contextlib.AbstractContextManager[object]":
        """Copies are put into these queues, and the last one's card is the current one."""
        stack = contextlib.ExitStack()
        # Leaving a stream makes a context on the card before it; leaving a device does not.
        stack.enter_context(torch.cuda.device(streams[0].device))
        for stream in streams:
            stack.enter_context(torch.cuda.stream(stream))
        return stack

    def sleep(self, cycles: int) -> None:
        """Hold the current card's queue for so many of its cycles."""
        torch.cuda._sleep(cycles)

    def copy(self, target: Any, source: Any, *, wait: bool) -> None:
        """As PyTorch does it. `wait`: the host goes on when it is done."""
        target.copy_(source, non_blocking=not wait)
        if wait and source.is_cuda and target.is_cuda:
            torch.cuda.synchronize(source.device)  # between cards PyTorch never waits

    def raw_copy(self, target: Any, source: Any, stream: Any) -> None:
        """As the driver does it; without a stream: as the C library does it."""
        size = target.numel()
        if stream is None:
            ctypes.memmove(target.data_ptr(), source.data_ptr(), size)
            return
        try:
            error = self._asked_of_driver(target, source, size, stream)
        except RuntimeError as lacking:
            if _NO_SUCH_CALL not in str(lacking):
                raise
            raise _old_driver(str(lacking)) from None
        if error.name in _OLD_DRIVER:
            raise _old_driver(error.name)
        if int(error):
            raise RuntimeError(f"CUDA error: {error.name} from the driver's own call")

    def _asked_of_driver(self, target: Any, source: Any, size: int, stream: Any) -> Any:
        """The driver's answer: a number with a name."""
        runtime = self._raw_runtime()
        where = target.data_ptr(), source.data_ptr()
        if target.is_cuda and source.is_cuda and target.device != source.device:
            (error,) = runtime.cudaMemcpyPeerAsync(
                where[0],
                target.device.index,
                where[1],
                source.device.index,
                size,
                stream.cuda_stream,
            )
        else:
            kind = getattr(runtime.cudaMemcpyKind, _COPY_KIND)
            (error,) = runtime.cudaMemcpyAsync(*where, size, kind, stream.cuda_stream)
        return error

    def multiply(self, out: Any, left: Any, right: Any) -> None:
        torch.mm(left, right, out=out)

    def synchronize(self, *devices: str) -> None:
        for device in devices:
            if device != "cpu":
                torch.cuda.synchronize(device)

    def give_back(self) -> None:
        """All memory that PyTorch keeps. A card that broke off can be given nothing back. What
        was given up may still be copied or multiplied in queues that the memory's own knows
        nothing of.
        """
        if not torch.cuda.is_initialized():
            return
        for index in range(torch.cuda.device_count()):
            # On any other card this would make a context.
            if torch._C._cuda_hasPrimaryContext(index):
                with contextlib.suppress(RuntimeError), torch.cuda.device(index):
                    torch.cuda.synchronize(index)
                    _empty_caches()

    def _pinned(self, size: int) -> Any:
        """A little first: where even that fails, no large piece is locked for nothing."""
        try:
            self.empty(HOST, min(size, _SMALL), pinned=True)
            return self.empty(HOST, size, pinned=True)
        except RuntimeError as error:
            if not any(each in str(error) for each in _NOT_PINNED):
                raise
            # The driver remembers it, and blames whatever is computed next.
            raise Spoiled(
                Message(
                    "{size} of the host's memory could not be pinned.", size=size_in_words(size)
                ),
                Message(
                    "Measure fewer bytes, or memory that is not pinned. The next measurement "
                    "needs a new worker: in this one the next computation would fail."
                ),
                str(error),
            ) from None

    def _raw_runtime(self) -> Any:
        """Found by name: it may be missing, and is then no fault."""
        if self._runtime is not None:
            return self._runtime
        for name in _RUNTIMES:
            with contextlib.suppress(ImportError):
                self._runtime = importlib.import_module(name)
                return self._runtime
        raise Trouble(
            "The driver's own call cannot be made from this Python: it has no cuda.bindings.",
            "Install the package cuda-bindings beside PyTorch, or measure the usual copy.",
        )


def _old_driver(said: str) -> Trouble:
    return Trouble(
        "This Python's cuda.bindings are newer than the driver, which does not know their "
        "calls ({said}).",
        "Install cuda-bindings of the CUDA version that nvidia-smi shows, or of an older one; "
        "or measure the usual copy.",
        said=said,
    )


def _empty_caches() -> None:
    """On the current card, and in the host's pinned memory."""
    for name in ("_cuda_clearCublasWorkspaces", "_host_emptyCache"):
        empty = getattr(torch._C, name, None)  # not in every PyTorch
        if empty is not None:
            empty()
    torch.cuda.empty_cache()
