"""Block: one object that lies on a device, with what is said of it; all blocks of the bench out
of the ledger.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from gpuexplorer.core.metrics import Unit
from gpuexplorer.core.units import USUAL, Quantity, Units, measure, memory, part_of_memory
from gpuexplorer.core.words import Message, listed, mark, tr
from gpuexplorer.gui.lab.inside.values import shape_text, writing_of, written
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.lab.events import Peeked, Placed

HOST = "cpu"
FEW_ROWS, FEW_COLUMNS = 4, 6
_LONGEST = 200
_MOST_LINES = 16  # of a model
_LEAST = 0.1  # of the unit of the whole


class BlockKind(StrEnum):
    """As the worker calls it; `UNNAMED` is what PyTorch holds for no name of the shelf."""

    TENSOR = mark("tensor")
    MODEL = mark("model")
    OPTIMISER = mark("optimiser")
    CONTAINER = mark("container")
    VALUE = mark("value")
    UNNAMED = mark("unnamed")

    @property
    def words(self) -> str:
        return tr(self.value)

    @property
    def opens(self) -> bool:
        """One can look inside."""
        return self in (BlockKind.TENSOR, BlockKind.MODEL, BlockKind.CONTAINER)


def lines_of(peeked: Peeked, columns: int = FEW_COLUMNS) -> Sequence[str]:
    """Row by row, its values below each other; so many of them beside each other."""
    form = writing_of(peeked.dtype, peeked.least, peeked.most)
    rows = [[written(each, form) for each in row[:columns]] for row in peeked.rows]
    cut = " …" if columns < len(peeked.rows[0]) else ""
    widest = max(len(each) for row in rows for each in row)
    return [" ".join(each.rjust(widest) for each in row) + cut for row in rows]


class Key(NamedTuple):
    """Stays the same as long as the object is there under its first name."""

    device: str
    name: str  # empty: nobody named it


class Block(NamedTuple):
    """A model with parts on two devices is a block on each, with what it has there. Of 1000
    hardly one is seen: what it says is made when it is asked for.
    """

    key: Key
    kind: BlockKind
    names: tuple[str, ...]
    size: int  # bytes
    placed: Placed | None = None
    owner: str = ""  # the first name for the memory that it looks at, where that is another
    others: tuple[str, ...] = ()  # devices on which the rest of it lies

    @property
    def gradients(self) -> int:
        """Bytes on its device."""
        held = () if self.placed is None else self.placed.holds
        there = [each for each in held if each.device == self.key.device]
        found = {each.storage: each.bytes for each in there if each.what == "gradients"}
        return sum(found.values())

    @property
    def grid(self) -> tuple[int, int] | None:
        """Rows and columns, where the values are so few that they can be shown."""
        shape = None if self.placed is None else self.placed.shape
        if self.kind is not BlockKind.TENSOR or shape is None or self.key.device == "meta":
            return None
        rows, columns = (1, 1, *shape)[-2:]
        few = len(shape) <= 2 and 0 < rows <= FEW_ROWS and 0 < columns <= FEW_COLUMNS
        return (rows, columns) if few else None

    @property
    def title(self) -> str:
        return ", ".join(self.names) or BlockKind.UNNAMED.words

    @property
    def shape(self) -> str:
        """ "2×3"; of a model or a value what it is, in one line."""
        thing = self.placed
        if thing is None:
            return ""
        if self.kind is BlockKind.TENSOR:
            return shape_text(thing.shape or ())
        if self.kind is BlockKind.OPTIMISER:
            return thing.text.partition("(")[0].strip() or self.kind.words
        return one_line(text_of(thing))

    def amount(self, device: BenchDevice, units: Units) -> Quantity | None:
        """None: it takes nothing that could be told."""
        if self.kind is BlockKind.OPTIMISER and not self.size:
            return None
        return amount(self.size, device, units)

    def remark(self, units: Units) -> str:
        if self.kind is BlockKind.OPTIMISER:
            return tr("its state") if self.size else tr("no state yet")
        if self.kind is BlockKind.UNNAMED:
            return tr("nobody named it")
        gradients = memory(self.gradients, units)
        said = (
            tr("same memory as {name}", name=self.owner) if self.owner else "",
            tr("rest on {devices}", devices=listed(self.others)) if self.others else "",
            tr("gradients {size}", size=gradients) if self.gradients else "",
        )
        return "; ".join(filter(None, said))

    def spoken(self, device: BenchDevice, units: Units) -> str:
        taken, thing = self.amount(device, units), self.placed
        said = (
            self.title,
            self.kind.words,
            self.shape,
            "" if taken is None else str(taken),
            "requires_grad" if thing is not None and thing.requires_grad else "",
            self.remark(units),
        )
        return ", ".join(dict.fromkeys(each for each in said if each))

    def hint(self, units: Units, values: Peeked | None) -> str:
        thing = self.placed
        if thing is None:
            return tr(
                "Memory that PyTorch holds for no name: results that were only printed, "
                "graphs for backward, the workspace of a library."
            )
        if self.kind is not BlockKind.TENSOR:
            lines = thing.text.splitlines()
            return "\n".join([*lines[:_MOST_LINES], "…"] if len(lines) > _MOST_LINES else lines)
        name, text, device = self.title, text_of(thing), thing.device
        said = [tr("{name}: {text} on {device}.", name=name, text=text, device=device)]
        said.append(self.remark(units))
        if thing.requires_grad:
            said.append(tr("∇: requires_grad, so backward computes its gradient."))
        if len(self.names) > 1:
            said.append(tr("Two names for the same object: nothing was copied."))
        if values is not None:
            said += lines_of(values)
            if size := values.moved_bytes:
                said.append(tr("This preview copied {bytes} B to the host.", bytes=size))
        return "\n".join(filter(None, said))


def blocks_by_device(
    things: Mapping[str, Placed], unnamed: Mapping[str, int]
) -> Mapping[str, Sequence[Block]]:
    """The newest first. `unnamed`: its bytes by device."""
    names: dict[str, list[str]] = {}
    for name in things:
        names.setdefault(first_name(things, name), []).append(name)
    owners: dict[tuple[str, int], str] = {}
    found: dict[str, list[Block]] = {}
    for first, same in names.items():
        for block in _blocks_of(things[first], tuple(same), owners):
            found.setdefault(block.key.device, []).append(block)
    for device, size in unnamed.items():
        if size:
            block = Block(Key(device, ""), BlockKind.UNNAMED, (), size)
            found.setdefault(device, []).append(block)
    return {device: tuple(reversed(blocks)) for device, blocks in found.items()}


def first_name(things: Mapping[str, Placed], name: str) -> str:
    """Of those for the very same object."""
    same = things[name].same_as
    return same if same in things else name


def _blocks_of(
    thing: Placed, names: tuple[str, ...], owners: dict[tuple[str, int], str]
) -> Iterator[Block]:
    kind = BlockKind(thing.kind)
    if kind is BlockKind.TENSOR:
        owner = thing.name
        for each in thing.holds:
            if each.what == "values" and each.storage:
                owner = owners.setdefault((each.device, each.storage), thing.name)
        shared = "" if owner == thing.name else owner
        yield Block(Key(thing.device, thing.name), kind, names, thing.bytes, thing, shared)
        return
    if kind is BlockKind.VALUE:
        return  # a number or a text lies on no device
    held: dict[str, int] = {}
    for each in {(one.device, one.what, one.storage): one for one in thing.holds}.values():
        if each.what != "gradients":
            held[each.device] = held.get(each.device, 0) + each.bytes
    devices = list(held) or (thing.device or HOST).split(", ")
    for device in devices:
        # On one device the exact sum is known; by device, what PyTorch gave out for it.
        exact = len(devices) == 1 and kind is not BlockKind.OPTIMISER
        size = thing.bytes if exact else held.get(device, 0)
        others = tuple(each for each in devices if each != device)
        yield Block(Key(device, thing.name), kind, names, size, thing, others=others)


def one_line(text: str) -> str:
    """A model is printed over many lines: "Sequential (0): Linear(…)" becomes its layers."""
    flat = " ".join(re.sub(r"\(\d+\): ", "", text).split())
    flat = flat.replace("( ", "(").replace(" )", ")")
    flat = re.sub(r"\) (?=[A-Z(])", "), ", flat)
    flat = re.sub(r", bias=True|in_features=|out_features=", "", flat)
    flat = re.sub(r"^Sequential\((.*)\)$", r"\1", flat)
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}…"


def text_of(thing: Placed) -> str:
    """What PyTorch prints stays as it is."""
    return tr(thing.text) if isinstance(thing.text, Message) else thing.text


def amount(size: int, device: BenchDevice, units: Units = USUAL) -> Quantity:
    """In the unit of the whole, so that all on one device can be compared, as long as enough of
    it is left for that: 24 B of 24 GiB are 24 B.
    """
    whole = device.total_bytes or 0
    if not whole or 0 < measure(Unit.BYTES, whole, units).shown(size) < _LEAST:
        return memory(size, units)
    return part_of_memory(size, whole, units)
