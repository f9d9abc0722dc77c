"""Shelf: the tensors and models by name, and what is told of each when it changes."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuexplorer.lab.events import Event, Freed, Placed


class Shelf:
    """`things` is what lines work on; `changes` says what is different since it was asked."""

    def __init__(self) -> None:
        self.things: dict[str, Any] = {}
        self._told: dict[str, Placed] = {}

    def clear(self) -> None:
        self.things.clear()

    def changes(self, command: int) -> Iterator[Event]:
        """Each name that is new, gone, or stands for something that looks different."""
        for name in [name for name in self._told if name not in self.things]:
            del self._told[name]
            yield Freed(command, name)
        first: dict[int, str] = {}
        for name, thing in self.things.items():
            twin = first.setdefault(id(thing), name)
            placed = describe(command, name, thing, "" if twin == name else twin)
            before = self._told.get(name)
            if before is None or _without_id(before) != _without_id(placed):
                self._told[name] = placed
                yield placed


def _without_id(placed: Placed) -> "Mapping[str, object]":
    return {key: getattr(placed, key) for key in placed.__dataclass_fields__ if key != "id"}


# Any: a thing is whatever PyTorch made.
def describe(command: int, name: str, thing: Any, same_as: str = "") -> Placed:  # noqa: ANN401
    """Without moving any value that lies on a card."""
    if hasattr(thing, "requires_grad_") and hasattr(thing, "dtype"):
        return Placed(
            command,
            name,
            "tensor",
            str(thing.device),
            _tensor_text(thing),
            tuple(thing.shape),
            str(thing.dtype).removeprefix("torch."),
            thing.numel() * thing.element_size(),
            bool(thing.requires_grad),
            same_as,
        )
    if hasattr(thing, "parameters") and hasattr(thing, "state_dict"):
        parts = list(thing.parameters()) + list(thing.buffers())
        devices = sorted({str(part.device) for part in parts})
        return Placed(
            command,
            name,
            "model",
            ", ".join(devices),
            repr(thing),
            bytes=sum(part.numel() * part.element_size() for part in parts if _sized(part)),
            requires_grad=any(part.requires_grad for part in parts),
            same_as=same_as,
        )
    if hasattr(thing, "param_groups"):
        return Placed(command, name, "optimiser", "", repr(thing), same_as=same_as)
    return Placed(command, name, "value", "", repr(thing)[:400], same_as=same_as)


def _sized(parameter: Any) -> bool:  # noqa: ANN401
    """A lazy layer does not know yet how large it will be."""
    return not type(parameter).__name__.startswith("Uninitialized")


def _tensor_text(tensor: Any) -> str:  # noqa: ANN401
    shape = "×".join(str(size) for size in tensor.shape) or "one number"
    return f"{shape}, {str(tensor.dtype).removeprefix('torch.')}"
