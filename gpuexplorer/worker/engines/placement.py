"""PlacementLog: on which device each operation of a line ran, told when the line has ended."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from gpuexplorer.core.words import Message

_MOST_ROWS = 40


# Any throughout: operations and their operands are whatever PyTorch hands on.
class PlacementLog(TorchDispatchMode):
    """In force while a line runs, if it was asked for. The same again and again is counted."""

    def __init__(self, say: "Callable[[str], None]") -> None:
        super().__init__()
        self._say = say
        self._rows: list[tuple[str, int]] = []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch's question; yes would cost the first line a second, for its compiler."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        if not func.is_view:
            self._note(func.overloadpacket.__name__, args, made)
        return made

    @contextlib.contextmanager
    def in_place_of(self, name: str, device: str) -> "Iterator[None]":
        """What runs within stands for one operation on another device."""
        rows, self._rows = self._rows, []
        try:
            yield
        finally:
            self._rows = rows
        self._add(f"{name}: {device}")

    def __exit__(self, *how: Any) -> None:
        super().__exit__(*how)
        rows, self._rows = self._rows, []
        for text, count in rows[:_MOST_ROWS]:
            many = Message("{operation}, {count} times", operation=text, count=count)
            self._say(text if count == 1 else many)
        if len(rows) > _MOST_ROWS:
            self._say(Message("and {more} more", more=len(rows) - _MOST_ROWS))

    def _note(self, name: str, args: Any, made: Any) -> None:
        there = _device(made)
        if not there:
            return
        here = _device(args)
        copied = name in ("_to_copy", "copy_")
        moved = copied and here and here != there
        self._add(f"{name}: {here} -> {there}" if moved else f"{name}: {there}")

    def _add(self, text: str) -> None:
        if self._rows and self._rows[-1][0] == text:
            self._rows[-1] = (text, self._rows[-1][1] + 1)
        else:
            self._rows.append((text, 1))


def _device(values: Any) -> str:
    """Of the first tensor; for `copy_` the second is where the values come from."""
    found = [str(each.device) for each in tree_leaves(values) if isinstance(each, torch.Tensor)]
    return found[-1] if found else ""
