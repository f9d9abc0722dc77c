"""Block: one thing that lies on a device, and all blocks of the bench out of the ledger."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.lab_course import Cause
from gpuexplorer.lab.events import Placed

HOST = "cpu"
_FEW_ROWS, _FEW_COLUMNS = 4, 6
_SPACE = re.compile(r"\s+")
_LONGEST = 200


class BlockKind(StrEnum):
    """As the worker calls it; `UNNAMED` is what PyTorch holds for no name of the shelf."""

    TENSOR = "tensor"
    MODEL = "model"
    OPTIMISER = "optimiser"
    CONTAINER = "container"
    VALUE = "value"
    UNNAMED = "unnamed"

    @property
    def words(self) -> str:
        return tr(_KINDS[self])

    @property
    def opens(self) -> bool:
        """One can look inside."""
        return self in (BlockKind.TENSOR, BlockKind.MODEL, BlockKind.CONTAINER)


_KINDS = {
    BlockKind.TENSOR: mark("tensor"),
    BlockKind.MODEL: mark("model"),
    BlockKind.OPTIMISER: mark("optimiser"),
    BlockKind.CONTAINER: mark("container"),
    BlockKind.VALUE: mark("value"),
    BlockKind.UNNAMED: mark("unnamed"),
}


class Key(NamedTuple):
    """Stays the same as long as the thing is there under its first name."""

    device: str
    name: str  # empty: nobody named it


class Block(NamedTuple):
    """A thing with parts on two devices is a block on each, with what it has there. Of 1000
    hardly one is seen: what it says is made when it is asked for, by `words`.
    """

    key: Key
    kind: BlockKind
    names: tuple[str, ...]
    size: int  # bytes
    placed: Placed | None = None
    owner: str = ""  # the first name for the memory that it looks at, where that is another
    others: tuple[str, ...] = ()  # devices on which the rest of it lies
    cause: Cause | None = None

    @property
    def own(self) -> int:
        """Bytes; what it shares stands with the first name for it."""
        return 0 if self.owner else self.size

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
        if self.kind is not BlockKind.TENSOR or self.placed is None:
            return None
        shape = self.placed.shape
        if shape is None or len(shape) > 2 or 0 in shape or self.key.device == "meta":
            return None
        rows, columns = (1, 1, *shape)[-2:]
        few = rows <= _FEW_ROWS and columns <= _FEW_COLUMNS
        return (rows, columns) if few else None


class BenchBlocks:
    """What lies on each device; the same objects again while the ledger knows of no more."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._made_of: tuple[object, ...] | None = None
        self._made: Mapping[str, Sequence[Block]] = {}

    def by_device(self) -> Mapping[str, Sequence[Block]]:
        ledger, causes = self._lab.ledger, self._lab.course.causes
        unnamed = {
            device: (ledger.unnamed_bytes(device), causes.get(device))
            for device in ledger.memory
        }
        # A cell that was only sent changes nothing on a shelf.
        if self._made_of != (ledger, ledger.shelf, unnamed):
            self._made_of = ledger, ledger.shelf, unnamed
            self._made = blocks_by_device(ledger.things, unnamed)
        return self._made


def blocks_by_device(
    things: Mapping[str, Placed], unnamed: Mapping[str, tuple[int, Cause | None]]
) -> Mapping[str, Sequence[Block]]:
    """The newest first. `unnamed`: its bytes by device, and where they came from."""
    names: dict[str, list[str]] = {}
    for name in things:
        names.setdefault(first_name(things, name), []).append(name)
    owners: dict[tuple[str, int], str] = {}
    found: dict[str, list[Block]] = {}
    for first, same in names.items():
        for block in _blocks_of(things[first], tuple(same), owners):
            found.setdefault(block.key.device, []).append(block)
    for device, (size, cause) in unnamed.items():
        if size:
            block = Block(Key(device, ""), BlockKind.UNNAMED, (), size, cause=cause)
            found.setdefault(device, []).append(block)
    return {device: tuple(reversed(blocks)) for device, blocks in found.items()}


def first_name(things: Mapping[str, Placed], name: str) -> str:
    """Of those for the very same object."""
    same = things[name].same_as
    return same if same in things else name


def _blocks_of(
    thing: Placed, names: tuple[str, ...], owners: dict[tuple[str, int], str]
) -> Iterator[Block]:
    if thing.kind == BlockKind.TENSOR:
        owner = _owner(thing, owners)
        key = Key(thing.device, thing.name)
        yield Block(key, BlockKind.TENSOR, names, thing.bytes, thing, owner)
        return
    kind = BlockKind(thing.kind)
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


def _owner(thing: Placed, owners: dict[tuple[str, int], str]) -> str:
    owner = thing.name
    for each in thing.holds:
        if each.what == "values" and each.storage:
            owner = owners.setdefault((each.device, each.storage), thing.name)
    return "" if owner == thing.name else owner


def one_line(text: str) -> str:
    """A model is printed over many lines: "Sequential (0): Linear(…)" becomes its layers."""
    flat = _SPACE.sub(" ", re.sub(r"\(\d+\): ", "", text)).strip()
    flat = flat.replace("( ", "(").replace(" )", ")")
    flat = re.sub(r"\) (?=[A-Z(])", "), ", flat)
    flat = re.sub(r", bias=True|in_features=|out_features=", "", flat)
    flat = re.sub(r"^Sequential\((.*)\)$", r"\1", flat)
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}…"


def text_of(thing: Placed) -> str:
    """What PyTorch prints stays as it is."""
    return tr(thing.text) if isinstance(thing.text, Message) else thing.text
