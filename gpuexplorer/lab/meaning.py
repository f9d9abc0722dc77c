"""What an error means here: plain words, with the names and devices of the very code."""

import ast
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from gpuexplorer.core.units import USUAL, Units, bytes_words, trimmed
from gpuexplorer.core.words import Message, all_of, mark, told
from gpuexplorer.lab.cell_source import card_words, dotted
from gpuexplorer.lab.cures import ALLOWED, CARD_FULL, WANTED, context_for_place
from gpuexplorer.lab.events import Failed, Placed
from gpuexplorer.lab.failing import sites
from gpuexplorer.lab.ledger import Cell, Ledger

_DEVICE = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps|meta)\b")
_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: mark("A sum"),
    ast.Sub: mark("A difference"),
    ast.Mult: mark("A product"),
    ast.Div: mark("A quotient"),
    ast.MatMult: mark("A matrix product"),
}


class AboutFailure:
    """What a sentence may be made of: the error, where it arose, and what its names stand for.
    To be asked for when it failed: later they may stand for something else.
    """

    def __init__(self, failed: Failed, cell: Cell, ledger: Ledger, units: Units) -> None:
        self.failed, self.ledger, self.units = failed, ledger, units
        self.calls = sites(failed.frames, cell, ledger)  # the innermost first
        known = next((each.operands for each in self.calls if each.operands), ())
        self.used = {
            # What lies in a list, say, is known by its place there.
            each.name: ledger.things.get(each.name)
            or Placed(0, each.name, each.kind, each.device, "", bytes=each.bytes)
            for each in known
        }
        self.tensors = {name: e for name, e in self.used.items() if e.shape is not None}
        self.models = [name for name, each in self.used.items() if each.kind == "model"]
        alone = len(failed.frames) == 1 and self.calls and self.calls[0].alone
        nothing = Message("Nothing was computed or changed.")
        self.ending = nothing if alone else Message("What the cell did before it stays done.")

    @property
    def operation(self) -> str:
        """ "A sum", "torch.cat", "net": what was asked for, as the subject of a sentence."""
        node = self.calls[0].node if self.calls else None
        if isinstance(node, ast.stmt) and not isinstance(node, ast.AugAssign):
            node = getattr(node, "value", None)
        if isinstance(node, ast.Call):
            plain = isinstance(node.func, ast.Name) or dotted(node.func)
            if plain or ast.unparse(node.func) in self.used:
                return ast.unparse(node.func)
        kind = type(node.op) if isinstance(node, ast.BinOp | ast.AugAssign) else None
        return Message(_OPERATIONS[kind]) if kind in _OPERATIONS else Message("An operation")

    def shapes(self) -> list[Message]:
        """A sentence for each tensor."""
        return [
            Message("{name} is {shape}.", name=name, shape=shape_words(each.shape or ()))
            for name, each in self.tensors.items()
        ]

    def one_shape(self) -> list[Message]:
        return self.shapes() if len(self.tensors) == 1 else []

    def types(self) -> list[Message]:
        typed = {name: each.dtype for name, each in self.tensors.items() if each.dtype}
        return [
            Message("{name} is {dtype}.", name=name, dtype=each) for name, each in typed.items()
        ]

    def subject(self) -> str:
        """The one tensor a line is about; "It" where there are several, or none."""
        return next(iter(self.tensors)) if len(self.tensors) == 1 else Message("It")


def shape_words(shape: "tuple[int, ...] | list[int]") -> str:
    """ "2×3"; of a tensor without dimensions "one number"."""
    return "×".join(map(str, shape)) or Message("one number")


Say = Callable[["re.Match[str]", AboutFailure], list[Message]]


@dataclass(frozen=True, slots=True)
class Rule:
    """PyTorch's own words as a pattern, and what they mean: its groups fill in the sentence,
    and {name} is the one tensor that the line is about.
    """

    pattern: str
    says: str | Say
    before: Callable[[AboutFailure], list[Message]] = lambda about: []
    ends: bool = False  # with what the failure leaves behind


def meaning(failed: Failed, cell: Cell, ledger: Ledger, units: Units = USUAL) -> Message:
    """Empty where nothing certain can be said: then PyTorch's own words stand alone."""
    about = AboutFailure(failed, cell, ledger, units)
    match failed.cause:
        case "devices differ":
            said = _devices(about)
        case "out of memory":
            said = _room(about)
        case "cancelled":
            said = [Message("You stopped this cell. What it did until then stays done.")]
        case "refused by PyTorch" | "raised":
            said = _refused(about)
        case _:
            said = [failed.told]
    return told(*said)


def _refused(about: AboutFailure) -> list[Message]:
    if "DefaultCPUAllocator" in about.failed.message:
        return _room(about)
    if context_for_place(about.failed):
        return [
            Message(
                "torch.cuda.device makes a card the current one, for “with”. The place where "
                "something is to be is a torch.device."
            )
        ]
    if about.failed.error == "FileNotFoundError":
        return [Message(_NO_FILE)]
    for rule in _RULES:
        found = re.search(rule.pattern, about.failed.message)
        if found is None:
            continue
        if not isinstance(rule.says, str):
            return rule.says(found, about)
        said = Message(rule.says, name=about.subject(), **found.groupdict())
        return [*rule.before(about), said, *([about.ending] if rule.ends else [])]
    return [about.failed.told]


def _devices(about: AboutFailure) -> list[Message]:
    """Where each operand lies, and why that does not work."""
    lying = {name: each.device for name, each in about.used.items() if each.device}
    said = _DEVICE.findall(about.failed.message)
    strangers = dict.fromkeys(each for each in said if each not in lying.values())
    where = [
        Message("{name} lies on {device}.", name=name, device=device)
        for name, device in lying.items()
    ]
    where += [
        Message("What the line makes itself lies on {device}.", device=device)
        for device in strangers
    ]
    why = Message(
        "{operation} runs on one device, and PyTorch will not choose for you: moving data "
        "costs time, so it wants to be asked.",
        operation=about.operation,
    )
    # What stands before the brackets on the way to the error.
    called = {ast.unparse(e.node.func) for e in about.calls if isinstance(e.node, ast.Call)}
    if models := called & {*about.models}:
        why = Message(
            "{model} computes where its parameters are, and what it is given has to be there "
            "too. PyTorch does not move it for you.",
            model=min(models),
        )
    return [*where, why, about.ending]


_OTHERS = mark("Other programs and the driver hold {size}.")
_TENSORS = mark("Your tensors hold {size}.")
_CACHE = mark("PyTorch's cache holds {size}.")
_CONTEXT = mark("The context holds {size}.")


def _room(about: AboutFailure) -> list[Message]:
    """Out of memory: what was wanted, what is free, and who holds the rest."""
    message = about.failed.message
    card = CARD_FULL.search(message)
    if card is None and (host := WANTED.search(message)):
        number, _ = host[1].split()
        wanted = bytes_words(int(number), about.units)
        wants = mark("The cell wanted {wanted} of the host's memory, which is not free.")
        return [Message(wants, wanted=wanted), about.ending]
    if card is None:
        return [about.failed.told]
    device, said = f"cuda:{card[1]}", []
    if found := WANTED.search(message):
        wants = mark("The cell wanted {wanted} on {device}.")
        said.append(Message(wants, wanted=_read(found[1]), device=device))
    total, free = _read(card[2]), _read(card[3])
    if allowed := ALLOWED.search(message):
        # A card may well have had room, were it not for the cap.
        room = mark(
            "{free} of its {total} are free, but the cap that was set allows this program "
            "{allowed}."
        )
        said.append(Message(room, total=total, free=free, allowed=_read(allowed[1])))
    else:
        said.append(Message("Only {free} of its {total} are free.", total=total, free=free))
    return [*said, *_holders(about, device), about.ending]


def _holders(about: AboutFailure, device: str) -> list[Message]:
    known = about.ledger.memory.get(device)  # real cards do not tell their context
    memory = next((each for each in about.failed.memory if each.device == device), known)
    if memory is None:
        return []
    tensors, reserved = memory.tensors_bytes or 0, memory.reserved_bytes or 0
    context = memory.context_bytes or (known or memory).context_bytes or 0
    others = 0
    if memory.total_bytes is not None and memory.free_bytes is not None:
        others = memory.total_bytes - memory.free_bytes - reserved - context
    held = {_OTHERS: others, _TENSORS: tensors, _CACHE: reserved - tensors, _CONTEXT: context}
    said = [
        Message(each, size=bytes_words(size, about.units))
        for each, size in held.items()
        if size > 0 or each == _TENSORS
    ]
    there = [each for each in about.ledger.things.values() if each.device == device]
    largest = max(there, key=lambda each: each.bytes, default=None)
    if largest is not None and tensors > largest.bytes / 2:
        largest_is = mark("The largest on the shelf there is {name} with {size}.")
        size = bytes_words(largest.bytes, about.units)
        said.append(Message(largest_is, name=largest.name, size=size))
    return said


def _read(size: str) -> str:
    """ "24.00 GiB" as "24 GiB"."""
    number, unit = size.split()
    return f"{trimmed(number)} {'B' if unit == 'bytes' else unit}"


def _no_such_card(_: "re.Match[str]", about: AboutFailure) -> list[Message]:
    have = {each.name for each in about.ledger.devices}
    roots = ((site, root) for site in about.calls for root in (site.node, site.module))
    asked = [f"cuda:{word.number}" for site, root in roots for word in card_words(site, root)]
    said = Message("There is no card of that number.")
    if absent := next((each for each in asked if each not in have), ""):
        said = Message("There is no {device}.", device=absent)
    cards = [each.name for each in about.ledger.devices if each.name.startswith("cuda:")]
    numbers = [int(each.partition(":")[2]) for each in cards]
    there = Message("PyTorch has {cards} here.", cards=all_of(cards))
    if not cards:
        there = Message("PyTorch has no card here.")
    elif len(cards) > 2 and all(after - each == 1 for each, after in pairwise(numbers)):
        first_and_last = {"first": cards[0], "last": cards[-1]}
        there = Message("PyTorch has {first} to {last} here.", **first_and_last)
    counted = Message(
        "Cards are counted from 0, and torch.cuda.device_count() says how many there are."
    )
    return [said, there, counted]


def _product(found: "re.Match[str]", about: AboutFailure) -> list[Message]:
    names = ("rows", "inner", "other", "columns")
    values = dict(zip(names, map(int, found.groups()), strict=True))
    turned = []
    if about.models:
        what = mark("The input has {inner} values a row, and the layer takes {other}.")
    else:
        what = mark(
            "Each of the {rows} rows of the left has {inner} values, each of the {columns} "
            "columns of the right has {other}: they are multiplied one by one, so these two "
            "numbers have to be equal."
        )
        if values["inner"] == values["columns"]:
            turned = [Message("The right one turned, .T, would fit.")]
    return [*about.shapes(), Message(what, **values), *turned, about.ending]


def _reshape(found: "re.Match[str]", about: AboutFailure) -> list[Message]:
    sizes = [int(each) for each in found[1].split(",") if each.strip()]
    name, has = about.subject(), int(found[2])
    if -1 in sizes:
        uneven = mark(
            "{name} has {has} values, which cannot be shared out evenly in this shape."
        )
        return [Message(uneven, name=name, has=has)]
    needs = mark(
        "{name} has {has} values, and {shape} would need {needed}. Another shape keeps all "
        "values and adds none."
    )
    shape, needed = shape_words(sizes), math.prod(sizes)
    return [Message(needs, name=name, has=has, shape=shape, needed=needed)]


def _beyond(found: "re.Match[str]", about: AboutFailure) -> list[Message]:
    asked, dimension, size = map(int, found.groups())
    what = mark(
        "Dimension {dimension} has {size} places, counted from 0: the last is {last}, and "
        "{asked} was asked for."
    )
    said = Message(what, dimension=dimension, size=size, last=size - 1, asked=asked)
    return [*about.shapes(), said]


def _same_type(_: "re.Match[str]", about: AboutFailure) -> list[Message]:
    what = Message("Here PyTorch wants both in the same type and does not convert by itself.")
    if about.models:
        what = Message("A model wants its input in the type of its own parameters.")
    way_out = Message(".to(torch.float32) converts a tensor.")
    return [*about.types(), what, way_out, about.ending]


def _whole_numbers(_: "re.Match[str]", about: AboutFailure) -> list[Message]:
    what = Message("This needs numbers with a fraction, and these are whole.")
    return [what, *about.types(), Message(".float() makes them float32.")]


def _no_graph(_: "re.Match[str]", about: AboutFailure) -> list[Message]:
    silent = [name for name, each in about.tensors.items() if not each.requires_grad]
    asking = Message("requires_grad=True asks for them.")
    if silent:
        asked = mark("{names} did not: requires_grad=True, when it is made, asks for them.")
        asking = Message(asked, names=all_of(silent))
    no_graph = mark(
        "Nothing that this was computed from asked for gradients, so there is no graph to go "
        "back through."
    )
    return [Message(no_graph), asking]


def _leaf(_: "re.Match[str]", about: AboutFailure) -> list[Message]:
    names = [key for key, each in about.used.items() if each.requires_grad]
    return [
        Message(
            "{name} asks for gradients, and PyTorch keeps its history from the beginning: "
            "changing it in place would lose that. “with torch.no_grad(): …” does it without "
            "history, as an optimiser would.",
            name=names[0] if names else Message("It"),
        )
    ]


_NO_FILE = mark("There is no file of that name. Mind the folder and the case of the letters.")
# fmt: off
_RULES = (
    # Places
    Rule("invalid device ordinal", _no_such_card),
    Rule("not compiled with CUDA", mark(
        "The PyTorch of the lab is a build for the processor only: it cannot reach any card. A "
        "build with CUDA can be chosen as the Python of the lab.")),
    Rule("accelerator device when none is available", mark(
        "This PyTorch finds no card that it may use.")),
    Rule("No CUDA GPUs are available|no NVIDIA driver", mark(
        "PyTorch could reach CUDA, but finds no card that it may use.")),
    Rule("peer access", mark("These two cards cannot read each other's memory directly.")),
    # Shapes and types
    Rule(r"\((\d+)x(\d+) and (\d+)x(\d+)\)", _product),
    Rule(r"size of tensor a \((?P<one>\d+)\) must match the size of tensor b "
         r"\((?P<other>\d+)\) at non-singleton dimension (?P<dimension>\d+)", mark(
        "In dimension {dimension} one has {one} and the other {other}. Sizes go together where "
        "they are equal or one of them is 1, which is then repeated."),
         AboutFailure.shapes, ends=True),
    Rule(r"shape '\[([\d, -]*)\]' is invalid for input of size (\d+)", _reshape),
    Rule(r"except in dimension (?P<dimension>\d+). Expected size (?P<expected>\d+) "
         r"but got size (?P<got>\d+)", mark(
        "Only dimension {dimension} may differ between what is joined; elsewhere one has "
        "{expected} and another {got}."), AboutFailure.shapes),
    Rule(r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)", _beyond),
    Rule(r"expected to be in range of \[(?P<least>-?\d+), (?P<most>\d+)\], "
         r"but got (?P<got>-?\d+)", mark(
        "Its dimensions are counted from 0 to {most}, or from the end from -1 to {least}: "
        "there is no dimension {got}."), AboutFailure.shapes),
    Rule(r"negative dimension (?P<size>-\d+)", mark(
        "A tensor cannot have {size} of something: sizes are 0 or more.")),
    Rule(r"Target (?P<number>-?\d+) is out of bounds", mark(
        "A target names the right class by its number, counted from 0, and there is no class "
        "{number}: the input has one column for each class.")),
    Rule("same dtype|same type|found dtype|expected scalar type", _same_type),
    Rule("index out of range in self", mark(
        "An embedding was asked for a row that it does not have: the largest index may be one "
        "less than the number of its rows.")),
    Rule("could not infer output dtype|must be either a floating point or complex dtype",
         _whole_numbers),
    # Gradients
    Rule("grad can be implicitly created only for scalar outputs", mark(
        "backward() begins at one number, the loss, and here there are several. .sum() or "
        ".mean() makes one number of them."), AboutFailure.shapes),
    Rule("does not require grad and does not have a grad_fn", _no_graph),
    Rule("backward through the graph a second time", mark(
        "Going back through a graph uses it up: PyTorch gives its memory back at once. Compute "
        "the result again, or call backward(retain_graph=True) the first time.")),
    Rule("leaf Variable that requires grad", _leaf),
    Rule("modified by an inplace operation", mark(
        "Something that backward() still needs was changed in place in the meantime. Write “Y "
        "= Y + 1” in place of “Y += 1”, and both values are kept.")),
    Rule("can require gradients", mark(
        "Gradients are slopes, and slopes need numbers with a fraction: only floating point "
        "and complex tensors have them.")),
    # Values
    Rule(r"Tensor with (?P<count>\d+) elements cannot be converted to Scalar", mark(
        "{name} holds {count} values, and item() hands out exactly one. Take one with an "
        "index, or all of them with tolist().")),
    Rule("only one element tensors can be converted", mark(
        "One Python number can only be made of a single value."), AboutFailure.one_shape),
    Rule("(?s)can't convert cuda.*numpy|numpy.*can't convert cuda", mark(
        "{name} lies on a card, and NumPy only knows the host's memory. .cpu() copies it there "
        "first, which is never done unasked.")),
    Rule(r"numpy\(\) on Tensor that requires grad", mark(
        "NumPy knows nothing of gradients. .detach() hands out the same values without their "
        "history.")),
    Rule("Boolean value of Tensor", mark(
        "Whether several values are true is not one question: .any() or .all() makes it one."),
         AboutFailure.one_shape),
    Rule("Weights only load failed|weights_only", mark(
        "This file holds more than tensors. Reading it would run code that somebody else "
        "wrote, so the lab loads weights only and refused.")),
    Rule("No such file", _NO_FILE),
    Rule(r"Missing key\(s\) in state_dict|size mismatch for", mark(
        "The file's parameters are not those of this model: their names or shapes differ. Make "
        "the same model first, then load them.")),
)
# fmt: on
