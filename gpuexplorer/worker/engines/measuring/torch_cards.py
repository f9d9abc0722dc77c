"""TorchCards: the devices of this PyTorch, as a measurement asks for them; and what its errors
mean for one.
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import bytes_words
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.lab.events import Event
from gpuexplorer.worker.engine import Spoiled
from gpuexplorer.worker.engines.host_memory import free_bytes

T = TypeVar("T")
Say = Callable[[Event], None]

HOST = "cpu"
NO_KERNELS, _BUSY = "no kernel image", "busy or unavailable"
_PEERS = "peer mapping resources exhausted"
_SMALL = 4096
# What the driver says, what it means, and what to do.
_MEANINGS = {
    NO_KERNELS: (
        mark("{what} could not be measured: this PyTorch has no kernels for the card."),
        mark("Measure a plain copy, or take a PyTorch that was built for the card."),
    ),
    _BUSY: (  # it says neither who holds the card, nor which card it is
        mark(
            "{what} could not be measured: the card lets in one process at a time, and another "
            "has it."
        ),
        mark(
            "Release the cards in the lab, or end the other program; or let in more than one: "
            "nvidia-smi -c DEFAULT."
        ),
    ),
    _PEERS: (
        mark(
            "{what} could not be measured: a card can be connected directly to at most 8 "
            "others, and all connections of one of these are in use."
        ),
        mark("Measure it again: a new worker begins, and closes the connections of this one."),
    ),
    "operation not supported": (
        mark("{what} could not be measured: the driver lacks a call that this needs."),
        mark("Virtual cards, MIG instances and WSL lack some calls. Measure in another way."),
    ),
    "NOT_SUPPORTED": (
        mark("{what} could not be measured: the card does not multiply these."),
        mark("Measure another kind of number."),
    ),
    "": (
        mark("{what} could not be measured. PyTorch says: {said}"),
        mark("The card still answers. Take a smaller size, or measure in another way."),
    ),
}


# Any throughout: tensors, streams and events are PyTorch's.
class TorchCards:
    """Thin on purpose: tests put other cards in its place."""

    def now(self) -> float:
        """The host's clock, in seconds."""
        return time.perf_counter()

    def too_much(self, what: str, needs: "Mapping[str, int]", share: float) -> Message:
        """Where a device would have to give up more than its share of what is free there."""
        for device, need in needs.items():
            free = self.free_bytes(device)
            if free is not None and need > free * share:
                return Message(
                    "{what} takes {need} on {device}, more than {share:.4g} % of the {free} "
                    "that are free there.",
                    what=what,
                    need=bytes_words(need),
                    device=device,
                    share=share * 100,
                    free=bytes_words(free),
                )
        return NOTHING

    def free_bytes(self, device: str) -> "int | None":
        if device == HOST:
            return free_bytes()
        free, _ = torch.cuda.mem_get_info(device)
        return int(free)

    def cache_bytes(self, device: str) -> "int | None":
        """What a card's L2 cache holds."""
        if device == HOST:
            return None
        size = getattr(torch.cuda.get_device_properties(device), "L2_cache_size", 0)
        return int(size) or None

    def are_peers(self, source: str, target: str) -> bool:
        return bool(torch.cuda.can_device_access_peer(source, target))

    def capability(self, device: str) -> "tuple[int, int] | None":
        """NVIDIA's number for what a card can do; None for everything else."""
        if device == HOST or torch.version.hip is not None:
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
        before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
        if allowed := before & numbers:
            os.sched_setaffinity(0, allowed)
        try:
            yield bool(allowed)
        finally:
            if allowed:
                os.sched_setaffinity(0, before)

    def at_once(self, tasks: "Sequence[Callable[[], T]]") -> "list[T]":
        """Each in a thread of its own, with current queues of its own. They begin when all are
        asked for, and have ended when this returns or raises.
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
        try:
            if pinned:  # a little first: where that fails, nothing large is locked
                self.empty(HOST, min(size, _SMALL), pinned=True)
            return self.empty(device, size, pinned=pinned)
        except RuntimeError as error:
            words = str(error)
            if not pinned and (device == HOST or "out of memory" in words):
                raise MemoryError(words) from None
            # Where the driver will not pin; all else is an error of the card.
            refused = ("out of memory", "not supported", "invalid argument")
            if not pinned or not any(each in words for each in refused):
                raise
            # The driver remembers it, and blames whatever is computed next.
            sentence = mark("{size} of the host's memory could not be pinned.")
            hint = mark(
                "Measure fewer bytes, or memory that is not pinned. The next measurement needs "
                "a new worker: in this one the next computation would fail."
            )
            told = Message(sentence, size=bytes_words(size))
            raise Spoiled(told, Message(hint), words) from None

    def stream(self, device: str) -> Any:
        return torch.cuda.Stream(device)

    def event(self) -> Any:
        """A mark in a queue. Only queues of one card share a clock."""
        return torch.cuda.Event(enable_timing=True)

    def on(self, *streams: Any) -> "contextlib.AbstractContextManager[object]":
        """Copies are put into these queues, and the last one's card is the current one."""
        stack = contextlib.ExitStack()
        if not streams:
            return stack
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

    def multiply(self, out: Any, left: Any, right: Any) -> None:
        torch.mm(left, right, out=out)

    def synchronize(self, *devices: str) -> None:
        for device in devices:
            if device != HOST:
                torch.cuda.synchronize(device)

    def give_back(self) -> None:
        """All memory that PyTorch keeps. A card that broke off can be given nothing back. What
        was given up may still be copied in queues that the memory's own knows nothing of.
        """
        for index in range(torch.cuda.device_count() if torch.cuda.is_initialized() else 0):
            # On any other card this would make a context.
            if torch._C._cuda_hasPrimaryContext(index):
                with contextlib.suppress(RuntimeError), torch.cuda.device(index):
                    torch.cuda.synchronize(index)
                    for name in ("_cuda_clearCublasWorkspaces", "_host_emptyCache"):
                        getattr(torch._C, name, int)()  # not in every PyTorch
                    torch.cuda.empty_cache()


def given_back(
    cards: TorchCards, devices: "Collection[str]", what: str, work: "Callable[[], T]"
) -> T:
    """What `work` on the devices comes to, when nothing holds memory any more. An error of
    PyTorch is raised as what it means for `what` was measured.
    """
    try:
        return work()
    except BaseException as error:
        # What it came through would hold on to all the memory that was taken there.
        each: BaseException | None = error
        while each is not None:
            each.__traceback__ = None
            each = each.__cause__ or each.__context__
        if isinstance(error, RuntimeError):
            raise _explained(error, cards, devices, what) from None
        raise
    finally:
        cards.give_back()


def _explained(
    error: RuntimeError, cards: TorchCards, devices: "Collection[str]", what: str
) -> Exception:
    words = str(error)
    if not any(each in words for each in ("CUDA", "HIP", "CUBLAS", "cuBLAS")):
        return error
    if "out of memory" in words or "ALLOC_FAILED" in words:
        return error if type(error).__name__ == "OutOfMemoryError" else MemoryError(words)
    try:  # a context that an error has broken answers every further call with that error
        if _BUSY not in words:
            cards.synchronize(*devices)
    except RuntimeError:
        broke = Message("A card broke off while {what} was measured.", what=what)
        hint = Message(
            "The driver may have lost it: look at its events. A new worker is needed to go on."
        )
        return Spoiled(broke, hint, words)
    said = next(each for each in _MEANINGS if each in words)
    sentence, way_out = _MEANINGS[said]
    meant = Message(sentence, what=what, said=words.partition("\n")[0])
    # PyTorch holds on to these two: only the end of the process helps.
    spoils = said in (_BUSY, _PEERS)
    return Spoiled(meant, Message(way_out), words) if spoils else Trouble(meant, way_out)
