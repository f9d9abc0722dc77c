"""A model's layers in order, what each holds, and where copies are needed between them."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from gpuexplorer.core.words import Message, paragraph, tr
from gpuexplorer.gui.lab.inside.values import bytes_text, count_of
from gpuexplorer.lab.cell_source import tree_of
from gpuexplorer.lab.events import Layer, Opened, Part, Placed
from gpuexplorer.lab.ledger import Ledger

# Kept beside the parameters, and never trained.
_BUFFERS = frozenset({"running_mean", "running_var", "num_batches_tracked"})


@dataclass(frozen=True, slots=True)
class Drawn:
    """One layer that does something; what only holds others is not shown."""

    path: str
    kind: str
    text: str
    parts: tuple[Part, ...]
    device: str  # where it works: its own, else that of the layer before it

    @property
    def parameters(self) -> int:
        return sum(count_of(part.shape) for part in self.parts if part.name not in _BUFFERS)

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.parts)

    @property
    def devices(self) -> Sequence[str]:
        return tuple(dict.fromkeys(part.device for part in self.parts))

    @property
    def name(self) -> str:
        """The last of its path: what stands before it is where it lies."""
        return self.path.rpartition(".")[2] or self.kind


class Crossing(NamedTuple):
    """Before a layer, what the one before it gives has to be copied."""

    words: str
    more: str


def drawn_layers(opened: Opened) -> Sequence[Drawn]:
    holders = {path for each in opened.layers if (path := each.path.rpartition(".")[0])}
    holders |= {""} if len(opened.layers) > 1 else set()
    shown = [each for each in opened.layers if each.parts or each.path not in holders]
    devices = _devices(shown)
    return [
        Drawn(each.path, each.kind, each.text, each.parts, device)
        for each, device in zip(shown, devices, strict=True)
    ]


def groups(layers: Sequence[Drawn]) -> Sequence[tuple[str, int, int]]:
    """Device, first and last layer of each run of layers that work on the same one."""
    found: list[tuple[str, int, int]] = []
    for number, layer in enumerate(layers):
        if found and found[-1][0] == layer.device:
            found[-1] = (layer.device, found[-1][1], number)
        else:
            found.append((layer.device, number, number))
    return found


def crossings(layers: Sequence[Drawn], batch: int | None) -> Mapping[str, Crossing]:
    """By the path of the layer that works on another device than the one before it. How much
    goes over is known where a linear layer takes it in, and a batch was seen.
    """
    found = {}
    for (source, _, last), (target, first, _) in pairwise(groups(layers)):
        taken = next((each for each in layers[first:] if each.parts), None)
        words = tr("a copy per pass")
        more = [
            Message(
                "Each pass copies what {layer} gives from {source} to {target}.",
                layer=layers[last].name,
                source=source,
                target=target,
            )
        ]
        if taken is not None and taken.kind == "Linear":
            weight = taken.parts[0]
            each = weight.shape[-1] * (weight.bytes // max(1, count_of(weight.shape)))
            more.append(Message("A row of it is {size}.", size=bytes_text(each)))
            if batch is not None:
                words = tr("{size} a pass", size=bytes_text(each * batch))
                more.append(Message("The batch seen last had {rows} rows.", rows=batch))
        found[layers[first].path] = Crossing(words, paragraph(more))
    return found


def batch_seen(ledger: Ledger, model: str) -> int | None:
    """How many rows went through it the last time, where that can still be told."""
    for cell in reversed(ledger.cells):
        for node in ast.walk(tree_of(cell.code)) if cell.state == "done" else ():
            match node:
                case ast.Call(func=ast.Name(id=called), args=[given]) if called == model:
                    rows = _rows(given, ledger.things)
                    if rows is not None:
                        return rows
    return None


def part_line(model: str, layer: Drawn, part: Part) -> str:
    """The expression for this parameter, as a person would write it."""
    steps = [*(each for each in layer.path.split(".") if each), part.name]
    return model + "".join(f"[{each}]" if each.isdigit() else f".{each}" for each in steps)


def _devices(shown: Sequence[Layer]) -> Sequence[str]:
    own = [each.parts[0].device if each.parts else "" for each in shown]
    before = next((device for device in own if device), "")
    found = []
    for device in own:
        before = device or before
        found.append(before)
    return found


def _rows(given: ast.expr, things: Mapping[str, Placed]) -> int | None:
    match given:
        case ast.Name(id=name) if name in things:
            shape = things[name].shape or ()
            return shape[0] if len(shape) > 1 else None
        case ast.Subscript(slice=ast.Slice(upper=ast.BinOp(op=ast.Add(), right=more))):
            # As the form for training writes it: X[at:at + 32].
            known = isinstance(more, ast.Constant) and isinstance(more.value, int)
            return int(ast.literal_eval(more)) if known else None
    return None
