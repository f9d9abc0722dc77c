"""CudaWords: torch.cuda's functions, answered for cards that do not exist."""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.worker.engines.virtual.allocator import Allocator
from gpuexplorer.worker.engines.virtual.cards import CardFacts
from gpuexplorer.worker.engines.virtual.dispatch import on_this_machine
from gpuexplorer.worker.engines.virtual.moments import CurrentCard, Moment, Queue
from gpuexplorer.worker.engines.virtual.tensor import Holdings


class _CudaDeviceProperties(SimpleNamespace):
    """Prints as PyTorch's own does."""

    def __repr__(self) -> str:
        memory = f"{self.total_memory >> 20}MB"
        told = {**vars(self), "name": repr(self.name), "total_memory": memory}
        words = ", ".join(f"{name}={value}" for name, value in told.items())
        return f"_CudaDeviceProperties({words})"


# Any: a device is a number, a text, a torch.device or nothing, as in PyTorch.
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
            "max_memory_allocated": lambda device=None: (
                self._memory(device).counts.max_allocated
            ),
            "max_memory_reserved": lambda device=None: self._memory(device).counts.max_reserved,
            "memory_stats": self._memory_stats,
            "reset_peak_memory_stats": lambda device=None: self._memory(device).reset_peaks(),
            "mem_get_info": self._mem_get_info,
            "empty_cache": self._empty_cache,
            "synchronize": lambda device=None: self._cards.synchronize(self._index(device)),
            "current_device": lambda: self._cards.current,
            "set_device": self._set_device,
            "device": lambda device: CurrentCard(self._cards, self._index(device)),
            "can_device_access_peer": self._can_access_peer,
            "set_per_process_memory_fraction": self._set_fraction,
            "Event": lambda enable_timing=False, **_: Moment(self._cards, timed=enable_timing),
            "Stream": lambda device=None, **_: self._stream(device, self._cards.new_stream()),
            "current_stream": self._stream,
            "stream": lambda stream: stream,
            "manual_seed": _seed,
            "manual_seed_all": _seed,
        }

    def word(self, name: str) -> "Callable[..., Any]":
        found = self._words.get(name)
        if found is None:
            raise Trouble(
                "{word} is not offered on simulated cards.",
                "On a real card the lab calls PyTorch's own.",
                word=f"torch.cuda.{name}",
            )
        return found

    def _index(self, device: Any) -> int:
        if device is None:
            return self._cards.current
        asked = torch.device("cuda", device) if isinstance(device, int) else device
        found = on_this_machine(self._holdings, asked)
        if found.type != "cuda":
            raise ValueError(f"Expected a cuda device, but got: {found}")
        return int(found.index)

    def _facts(self, device: Any) -> CardFacts:
        return self._cards.facts[self._index(device)]

    def _memory(self, device: Any) -> Allocator:
        return self._cards.allocators[self._index(device)]

    def _properties(self, device: Any = None) -> Any:
        facts = self._facts(device)
        return _CudaDeviceProperties(
            name=facts.name,
            major=facts.capability[0],
            minor=facts.capability[1],
            total_memory=facts.memory_bytes,
            multi_processor_count=facts.multiprocessors,
            uuid=facts.uuid,
        )

    def _mem_get_info(self, device: Any = None) -> "tuple[int, int]":
        memory = self._memory(device)
        self._cards.use(memory.index)  # asking makes a context, on a real card as well
        return memory.free_bytes, memory.total_bytes

    def _memory_stats(self, device: Any = None) -> "dict[str, int]":
        """Those of PyTorch's figures that are modelled."""
        counts = self._memory(device).counts
        return {
            "allocated_bytes.all.current": counts.allocated,
            "allocated_bytes.all.peak": counts.max_allocated,
            "reserved_bytes.all.current": counts.reserved,
            "reserved_bytes.all.peak": counts.max_reserved,
            "segment.all.current": counts.segments,
            "num_ooms": counts.out_of_memories,
        }

    def _empty_cache(self) -> None:
        with self._cards.lock:
            for each in self._cards.allocators:
                if each.counts.reserved > each.counts.allocated:
                    self._cards.use(each.index)
                each.empty_cache()

    def _set_device(self, device: Any) -> None:
        self._cards.current = self._index(device)

    def _stream(self, device: Any = None, number: "int | None" = None) -> Queue:
        card = self._index(device)
        return Queue(self._cards, card, self._cards.stream(card) if number is None else number)

    def _can_access_peer(self, device: Any, peer_device: Any) -> bool:
        one, other = self._index(device), self._index(peer_device)
        return one != other and self._cards.link(one, other).peer

    def _set_fraction(self, fraction: float, device: Any = None) -> None:
        if not isinstance(fraction, float):
            raise TypeError("Invalid type for fraction argument, must be `float`")
        if not 0 <= fraction <= 1:
            raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
        self._memory(device).fraction = fraction


def _seed(number: int) -> None:
    torch.manual_seed(number)
