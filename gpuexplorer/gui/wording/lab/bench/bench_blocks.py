"""Block: one thing that lies on a device, and all blocks of the bench out of the ledger."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from gpuexplorer.core.units import Quantity, Units, memory
from gpuexplorer.core.words import Message, listed, mark, paragraph, tr
from gpuexplorer.gui.wording.lab.amounts import shape_words
from gpuexplorer.gui.wording.lab.bench.bench_unnamed import Cause
from gpuexplorer.lab.events import Placed

HOST = "cpu"
_FEW_ROWS, _FEW_COLUMNS = 4, 6
_SPACE = re.compile(r"\s+")
_LONGEST = 200
_TENSOR = "tensor"


class BlockKind(StrEnum):
    """As the worker calls it; `UNNAMED` is what PyTorch holds for no name of the shelf."""

    TENSOR = "tensor"
    MODEL = "model"
    OPTIMISER = "optimiser"
    VALUE = "value"
    UNNAMED = "unnamed"

    @property
    def words(self) -> str:
        return tr(_KINDS[self])


_KINDS = {
    BlockKind.TENSOR: mark("tensor"),
    BlockKind.MODEL: mark("model"),
    BlockKind.OPTIMISER: mark("optimiser"),
    BlockKind.VALUE: mark("value"),
    BlockKind.UNNAMED: mark("unnamed"),
}


class Key(NamedTuple):
    """Stays the same as long as the thing is there under its first name."""

    device: str
    name: str  # empty: nobody named it


@dataclass(frozen=True, slots=True)
class Block:
    """A thing with parts on two devices is a block on each, with what it has there."""

    key: Key
    kind: BlockKind
    names: tuple[str, ...]
    shape: str  # "2×3"; for a model or a value what it is, in one line
    amount: Quantity | None  # None: it takes nothing that could be told
    bytes: int  # of its own: what it shares stands with the first name for it
    remark: str = ""
    trained: bool = False  # requires_grad
    placed: Placed | None = None
    line: int | None = None  # the command that made it, where only that is known
    hint: str = ""

    @property
    def title(self) -> str:
        return ", ".join(self.names) or BlockKind.UNNAMED.words

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

    @property
    def spoken(self) -> str:
        amount = "" if self.amount is None else str(self.amount)
        trained = "requires_grad" if self.trained else ""
        said = (self.title, self.kind.words, self.shape, amount, trained, self.remark)
        return ", ".join(dict.fromkeys(each for each in said if each))


class BlockBook:
    """Puts the blocks of a shelf together. One that is as it was is the same object again."""

    def __init__(self, units: Units) -> None:
        self._units = units
        self._kept: dict[str, tuple[Placed, tuple[str, ...], str, list[Block]]] = {}

    def by_device(
        self, things: Mapping[str, Placed], unnamed: Mapping[str, tuple[int, Cause | None]]
    ) -> Mapping[str, Sequence[Block]]:
        """The newest first. `unnamed`: its bytes by device, and where they came from."""
        names: dict[str, list[str]] = {}
        for name, thing in things.items():
            first = _first_name(thing, things) if thing.same_as else name
            names.setdefault(first, []).append(name)
        owners: dict[tuple[str, int], str] = {}
        found: dict[str, list[Block]] = {}
        before, self._kept = self._kept, {}
        for first, same in names.items():
            thing = things[first]
            owner = _owner(thing, owners)
            kept = before.get(first)
            if kept is None or kept[0] is not thing or kept[1:3] != (tuple(same), owner):
                made = _blocks_of(thing, tuple(same), owner, self._units)
                kept = (thing, tuple(same), owner, made)
            self._kept[first] = kept
            for block in kept[3]:
                found.setdefault(block.key.device, []).append(block)
        for device, (size, cause) in unnamed.items():
            if size:
                block = _unnamed(device, size, cause, self._units)
                found.setdefault(device, []).append(block)
        return {device: tuple(reversed(blocks)) for device, blocks in found.items()}


def _owner(thing: Placed, owners: dict[tuple[str, int], str]) -> str:
    """The first name for the memory that a tensor looks at; empty where it is its own."""
    if thing.kind != _TENSOR:
        return ""
    owner = thing.name
    for each in thing.holds:
        if each.what == "values" and each.storage:
            owner = owners.setdefault((each.device, each.storage), thing.name)
    return "" if owner == thing.name else owner


def _first_name(thing: Placed, things: Mapping[str, Placed]) -> str:
    """Numbers are one object in Python wherever they are equal, which says nothing here."""
    twin = thing.same_as
    return twin if twin in things and thing.kind != BlockKind.VALUE else thing.name


def _blocks_of(
    thing: Placed,
    names: tuple[str, ...],
    owner: str,
    units: Units,
) -> list[Block]:
    match thing.kind:
        case BlockKind.TENSOR:
            return [_tensor(thing, names, owner, units)]
        case BlockKind.MODEL:
            return _model(thing, names, units)
        case BlockKind.OPTIMISER:
            return _optimiser(thing, names, units)
        case _:
            text = one_line(text_of(thing))
            key = Key(HOST, thing.name)
            hint = tr("{name} = {value}, a value of Python.", name=thing.name, value=thing.text)
            return [Block(key, BlockKind.VALUE, names, text, None, 0, placed=thing, hint=hint)]


def _tensor(
    thing: Placed,
    names: tuple[str, ...],
    owner: str,
    units: Units,
) -> Block:
    shape = thing.shape or ()
    said = shape_words(shape)
    gradients = sum(each.bytes for each in thing.holds if each.what == "gradients")
    remarks = []
    hints = [
        Message(
            "{names}: {text} on {device}.",
            names=", ".join(names),
            text=thing.text,
            device=thing.device,
        )
    ]
    taken = sum(each.bytes for each in thing.holds if each.what == "values")
    if owner:
        remarks.append(tr("same memory as {name}", name=owner))
        hints.append(Message("It looks at the same memory as {name}.", name=owner))
    elif taken > thing.bytes:
        hints.append(Message("It takes {size} there.", size=memory(taken, units)))
    if thing.requires_grad:
        hints.append(Message("∇: requires_grad, so backward computes its gradient."))
    if gradients:
        size = memory(gradients, units)
        remarks.append(tr("with .grad, {size}", size=size))
        hints.append(Message("Its gradient takes {size} more.", size=size))
    if len(names) > 1:
        hints.append(Message("Two names for the same object: nothing was copied."))
    return Block(
        Key(thing.device, thing.name),
        BlockKind.TENSOR,
        names,
        said,
        memory(thing.bytes, units),
        0 if owner else thing.bytes,
        "; ".join(remarks),
        thing.requires_grad,
        thing,
        hint=paragraph(hints),
    )


def _model(thing: Placed, names: tuple[str, ...], units: Units) -> list[Block]:
    values: dict[str, int] = {}
    gradients: dict[str, int] = {}
    for each in {(one.device, one.what, one.storage): one for one in thing.holds}.values():
        kind = gradients if each.what == "gradients" else values
        kind[each.device] = kind.get(each.device, 0) + each.bytes
    devices = list(values) or [thing.device or HOST]
    found = []
    for device in devices:
        # On one device the exact sum is known; by device, what PyTorch gave out for it.
        size = thing.bytes if len(devices) == 1 else values[device]
        remarks = []
        if len(devices) > 1:
            others = listed([each for each in devices if each != device])
            remarks.append(tr("rest on {devices}", devices=others))
        if gradients.get(device):
            taken = memory(gradients[device], units)
            remarks.append(tr("gradients {size}", size=taken))
        found.append(
            Block(
                Key(device, thing.name),
                BlockKind.MODEL,
                names,
                one_line(text_of(thing)),
                memory(size, units),
                size,
                "; ".join(remarks),
                thing.requires_grad,
                thing,
                hint=_shortened(thing.text),
            )
        )
    return found


def _optimiser(thing: Placed, names: tuple[str, ...], units: Units) -> list[Block]:
    held: dict[str, int] = {}
    for each in thing.holds:
        held[each.device] = held.get(each.device, 0) + each.bytes
    kind = thing.text.partition("(")[0].strip() or BlockKind.OPTIMISER.words
    return [
        Block(
            Key(device, thing.name),
            BlockKind.OPTIMISER,
            names,
            kind,
            memory(size, units) if size else None,
            size,
            tr("its state") if size else tr("no state yet"),
            placed=thing,
            hint=_shortened(thing.text),
        )
        for device, size in (held or {HOST: 0}).items()
    ]


def _unnamed(device: str, size: int, cause: Cause | None, units: Units) -> Block:
    return Block(
        Key(device, ""),
        BlockKind.UNNAMED,
        (),
        "",
        memory(size, units),
        size,
        tr("nobody named it") if cause is None else cause.remark,
        line=None if cause is None else cause.command,
        hint=tr(
            "Memory that PyTorch holds for no name: results that were only printed, graphs "
            "for backward, the workspace of a library."
        ),
    )


def one_line(text: str) -> str:
    """A model is printed over many lines: "Sequential (0): Linear(…)" becomes its layers."""
    flat = _SPACE.sub(" ", re.sub(r"\(\d+\): ", "", text)).strip()
    flat = flat.replace("( ", "(").replace(" )", ")")
    flat = re.sub(r"\) (?=[A-Z(])", "), ", flat)
    flat = re.sub(r", bias=True|in_features=|out_features=", "", flat)
    flat = re.sub(r"^Sequential\((.*)\)$", r"\1", flat)
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}…"


def _shortened(text: str) -> str:
    lines = text.splitlines()
    return "\n".join([*lines[:16], "…"] if len(lines) > 16 else lines)


def text_of(thing: Placed) -> str:
    """What PyTorch prints stays as it is."""
    return tr(thing.text) if isinstance(thing.text, Message) else thing.text
