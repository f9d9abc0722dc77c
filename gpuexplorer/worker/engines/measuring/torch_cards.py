"""TorchCards: the devices of this PyTorch, as a measurement asks for them."""

import contextlib
import ctypes
import importlib
import mmap
import time
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any, TypeVar

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.worker.engines.virtual.host_limit import free_bytes
from gpuexplorer.worker.measuring.near import on_processors
from gpuexplorer.worker.measuring.threads import at_once

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
_NO_SUCH_CALL = "not found"  # in the driver, say the bindings
_RUNTIMES = ("cuda.bindings.runtime", "cuda.cudart")


# Any throughout: tensors, streams and events are PyTorch's.
class TorchCards:
    """Thin on purpose: what is decided is decided elsewhere, where it can be tried without."""

    def __init__(self) -> None:
        self._runtime: Any = None

    def now(self) -> float:
        return time.perf_counter()

    def names(self) -> "tuple[str, ...]":
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        return ("cpu", *(f"cuda:{index}" for index in range(count)))

    def threads(self) -> int:
        return int(torch.get_num_threads())

    def free_bytes(self, device: str) -> "int | None":
        if device == "cpu":
            return free_bytes()
        free, _ = torch.cuda.mem_get_info(device)
        return int(free)

    def cache_bytes(self, device: str) -> "int | None":
        if device == "cpu":
            return None
        size = getattr(torch.cuda.get_device_properties(device), "L2_cache_size", 0)
        return int(size) or None

    def are_peers(self, source: str, target: str) -> bool:
        return bool(torch.cuda.can_device_access_peer(source, target))

    def capability(self, device: str) -> "tuple[int, int] | None":
        if device == "cpu" or torch.version.hip is not None:
            return None
        major, minor = torch.cuda.get_device_capability(device)
        return int(major), int(minor)

    @contextlib.contextmanager
    def tf32(self, *, on: bool) -> "Iterator[None]":
        """Newer PyTorch has a word for it and refuses to mix it with the older switch."""
        products = torch.backends.cuda.matmul
        words = ("tf32", "ieee") if hasattr(products, "fp32_precision") else (True, False)
        name = "allow_tf32" if words[0] is True else "fp32_precision"
        before = getattr(products, name)
        setattr(products, name, words[0] if on else words[1])
        try:
            yield
        finally:
            setattr(products, name, before)

    def on_processors(self, numbers: "Set[int]") -> "contextlib.AbstractContextManager[bool]":
        return on_processors(numbers)

    def at_once(self, tasks: "Sequence[Callable[[], T]]") -> "list[T]":
        """PyTorch lets others run while it copies, and each has current queues of its own."""
        return at_once(tasks)

    def empty(self, device: str, size: int, *, pinned: bool = False) -> Any:
        if pinned:
            return torch.empty(size, dtype=torch.uint8, pin_memory=True)
        return torch.empty(size, dtype=torch.uint8, device=device)

    def untouched(self, size: int) -> Any:
        """An allocator would hand out what somebody has used before."""
        return torch.frombuffer(mmap.mmap(-1, size, **_NOBODY_ELSES), dtype=torch.uint8)

    def stream(self, device: str) -> Any:
        return torch.cuda.Stream(device)

    def event(self) -> Any:
        return torch.cuda.Event(enable_timing=True)

    def on(self, *streams: Any) -> "contextlib.AbstractContextManager[object]":
        stack = contextlib.ExitStack()
        # Leaving a stream makes a context on the card before it; leaving a device does not.
        stack.enter_context(torch.cuda.device(streams[0].device))
        for stream in streams:
            stack.enter_context(torch.cuda.stream(stream))
        return stack

    def sleep(self, cycles: int) -> None:
        torch.cuda._sleep(cycles)

    def copy(self, target: Any, source: Any, *, wait: bool) -> None:
        target.copy_(source, non_blocking=not wait)
        if wait and source.is_cuda and target.is_cuda:
            torch.cuda.synchronize(source.device)  # between cards PyTorch never waits

    def raw_copy(self, target: Any, source: Any, stream: Any) -> None:
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
        """A card that broke off can be given nothing back. What was given up may still be
        copied or multiplied in queues that the memory's own knows nothing of.
        """
        if not torch.cuda.is_initialized():
            return
        for index in range(torch.cuda.device_count()):
            # On any other card this would make a context.
            if torch._C._cuda_hasPrimaryContext(index):
                with contextlib.suppress(RuntimeError), torch.cuda.device(index):
                    torch.cuda.synchronize(index)
                    _empty_caches()

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
    """Of the current card, and of the host's pinned memory."""
    for name in ("_cuda_clearCublasWorkspaces", "_host_emptyCache"):
        empty = getattr(torch._C, name, None)  # not in every PyTorch
        if empty is not None:
            empty()
    torch.cuda.empty_cache()
