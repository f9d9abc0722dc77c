"""CudaWords: torch.cuda's functions, answered for cards that do not exist."""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.worker.engines.virtual.allocator import Allocator
from gpuexplorer.worker.engines.virtual.cards import Cards
from gpuexplorer.worker.engines.virtual.dispatch import on_this_machine
from gpuexplorer.worker.engines.virtual.tensor import Holdings


class SimulatedEvent:
    """A moment on a card's own time axis, which is modelled."""

    def __init__(self, cards: Cards, enable_timing: bool) -> None:  # noqa: FBT001 - as torch's
        self._cards = cards
        self._timed = enable_timing
        self._at: float | None = None

    def record(self, stream: object = None) -> None:
        self._at = self._cards.work.seconds.get(self._cards.current, 0.0)

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        """What is modelled is done at once."""

    def elapsed_time(self, end: "SimulatedEvent") -> float:
        """Milliseconds, modelled."""
        if not (self._timed and end._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._at is None or end._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end._at - self._at) * 1000.0


class SimulatedStream:
    """Exists so that programs with streams run; one thing happens after another all the same."""

    def __init__(self, device: Any = None) -> None:
        self.device = device

    def __enter__(self) -> "SimulatedStream":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def synchronize(self) -> None:
        """What is modelled is done at once."""

    def wait_stream(self, stream: object) -> None:
        """Nothing runs beside it."""

    def wait_event(self, event: object) -> None:
        """Nothing runs beside it."""


class CudaWords:
    """By the name after `torch.cuda.`."""

    def __init__(self, holdings: Holdings) -> None:
        self._holdings = holdings
        self._cards = holdings.cards
        self._words: Mapping[str, Callable[..., Any]] = {
            "device_count": lambda: len(self._cards),
            "is_available": lambda: len(self._cards) > 0,
            "get_device_name": lambda device=None: self._facts(device).name,
            "get_device_capability": lambda device=None: self._facts(device).capability,
            "get_device_properties": self._properties,
            "memory_allocated": lambda device=None: self._memory(device).counts.allocated,
            "memory_reserved": lambda device=None: self._memory(device).counts.reserved,
            "max_memory_allocated": lambda device=None: self._memory(
                device
            ).counts.max_allocated,
            "max_memory_reserved": lambda device=None: self._memory(device).counts.max_reserved,
            "reset_peak_memory_stats": lambda device=None: self._memory(device).reset_peaks(),
            "mem_get_info": self._mem_get_info,
            "empty_cache": self._empty_cache,
            "synchronize": lambda device=None: None,
            "current_device": lambda: self._cards.current,
            "set_device": self._set_device,
            "can_device_access_peer": self._can_access_peer,
            "set_per_process_memory_fraction": self._set_fraction,
            "Event": lambda enable_timing=False, **_: SimulatedEvent(
                self._cards, enable_timing
            ),
            "Stream": lambda device=None, **_: SimulatedStream(device),
            "current_stream": lambda device=None: SimulatedStream(device),
            "stream": lambda stream: stream,
            "manual_seed": torch.manual_seed,
            "manual_seed_all": torch.manual_seed,
        }

    def word(self, name: str) -> "Callable[..., Any]":
        found = self._words.get(name)
        if found is None:
            raise Trouble(
                f"torch.cuda.{name} is not offered on simulated cards.",
                "On a real card the lab calls PyTorch's own.",
            )
        return found

    def _index(self, device: Any) -> int:
        if device is None:
            return self._cards.current
        asked = torch.device("cuda", device) if isinstance(device, int) else device
        return on_this_machine(self._holdings, asked).index

    def _facts(self, device: Any) -> Any:
        return self._cards.facts[self._index(device)]

    def _memory(self, device: Any) -> Allocator:
        return self._cards.allocators[self._index(device)]

    def _properties(self, device: Any = None) -> Any:
        facts = self._facts(device)
        return SimpleNamespace(
            name=facts.name,
            major=facts.capability[0],
            minor=facts.capability[1],
            total_memory=facts.memory_bytes,
            multi_processor_count=facts.multiprocessors,
            uuid=facts.uuid,
        )

    def _mem_get_info(self, device: Any = None) -> "tuple[int, int]":
        memory = self._memory(device)
        memory.wake()  # asking makes a context, on a real card as well
        return memory.free_bytes, memory.total_bytes

    def _empty_cache(self) -> None:
        with self._cards.lock:
            for each in self._cards.allocators:
                each.empty_cache()

    def _set_device(self, device: Any) -> None:
        self._cards.current = self._index(device)

    def _can_access_peer(self, device: Any, peer_device: Any) -> bool:
        one, other = self._index(device), self._index(peer_device)
        return one != other and self._cards.link(one, other).peer

    def _set_fraction(self, fraction: float, device: Any = None) -> None:
        if not isinstance(fraction, float):
            raise TypeError("Invalid type for fraction argument, must be `float`")
        if not 0 <= fraction <= 1:
            raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
        self._memory(device).fraction = fraction

