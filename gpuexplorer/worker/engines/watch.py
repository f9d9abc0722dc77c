"""Watch: sees which devices a line works on and what it copies between them, and times both."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from gpuexplorer.lab.events import Transferred


# Any throughout: operations and their operands are whatever PyTorch hands on.
class Watch(TorchDispatchMode):
    """In force while a line runs on real devices. Costs some microseconds an operation."""

    def __init__(self) -> None:
        super().__init__()
        self.begin()

    def begin(self) -> None:
        self._first: dict[int, Any] = {}
        self._last: dict[int, Any] = {}
        self._copies: list[tuple[str, str, int, Any, Any]] = []

    def end(self) -> None:
        """The line has been asked for in full; what it touched is marked."""
        for index in self._first:
            self._last[index] = _moment(index)

    def busy(self) -> "Mapping[str, float]":
        """By card, from its first kernel to its last, pauses included."""
        return {
            f"cuda:{index}": first.elapsed_time(self._last[index]) / 1000.0
            for index, first in self._first.items()
            if index in self._last
        }

    def transfers(self, command: int) -> Sequence[Transferred]:
        return [
            Transferred(
                command,
                source,
                target,
                size,
                _seconds(begin, end),
            )
            for source, target, size, begin, end in self._copies
        ]

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch's question; yes would cost the first line a second, for its compiler."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        for each in tree_leaves((args, kwargs)):
            device = each.device if isinstance(each, torch.Tensor) else each
            if isinstance(device, torch.device) and device.type == "cuda":
                self._touch(device.index)
        name = func.overloadpacket.__name__
        if name not in ("_to_copy", "copy_"):
            return func(*args, **kwargs)
        return self._copy(name, func, args, kwargs)

    def _copy(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        source = args[1] if name == "copy_" else args[0]
        target = args[0].device if name == "copy_" else kwargs.get("device", source.device)
        # PyTorch copies between cards on the source's queue.
        engine = source.device if source.device.type == "cuda" else torch.device(target)
        timed = engine.type == "cuda" and (engine.index or 0) < torch.cuda.device_count()
        begin = _moment(engine.index) if timed else None
        made = func(*args, **kwargs)
        end = _moment(engine.index) if timed else None
        if made.device != source.device and made.device.type != "meta":
            size = made.numel() * made.element_size()
            self._copies.append((str(source.device), str(made.device), size, begin, end))
        return made

    def _touch(self, index: "int | None") -> None:
        number = torch.cuda.current_device() if index is None else index
        if number not in self._first and number < torch.cuda.device_count():
            self._first[number] = _moment(number)


def _moment(index: "int | None") -> Any:
    event = torch.cuda.Event(enable_timing=True)
    event.record(torch.cuda.current_stream(index))
    return event


def _seconds(begin: Any, end: Any) -> "float | None":
    """None for what was not timed, or did not come to its end."""
    if begin is None or not end.query():
        return None
    return float(begin.elapsed_time(end)) / 1000.0
