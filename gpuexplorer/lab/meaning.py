"""What an error means here: plain words, with the names and devices of the very code."""

import ast
import re
from collections.abc import Mapping, Sequence

from gpuexplorer.core.units import USUAL, Units, bytes_words
from gpuexplorer.core.words import Message, all_of, mark, told
from gpuexplorer.lab.cell_source import card_words
from gpuexplorer.lab.cures import ALLOWED, CARD_FULL, WANTED, Site, bytes_of, sites
from gpuexplorer.lab.events import Failed, Placed
from gpuexplorer.lab.ledger import Cell, Ledger

_DEVICE = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps|meta)\b")
_LONGEST = 60  # letters of an expression


def meaning(failed: Failed, cell: Cell, ledger: Ledger, units: Units = USUAL) -> Message:
    """Empty where nothing certain can be said: then PyTorch's own words stand alone. To be
    asked for when it failed: later the names may stand for something else.
    """
    calls = sites(failed.frames, cell, ledger)  # the innermost first
    known = next((each.operands for each in calls if each.operands), ())
    used = {
        # What lies in a list, say, is known by its place there.
        each.name: ledger.things.get(each.name)
        or Placed(0, each.name, each.kind, each.device, "", bytes=each.bytes)
        for each in known
    }
    ending = Message("What the cell did before it stays done.")
    if len(failed.frames) == 1 and calls and calls[0].alone:
        ending = Message("Nothing was computed or changed.")
    match failed.cause:
        case "devices differ":
            return told(*_devices(failed, calls, used), ending)
        case "out of memory":
            return told(*_room(failed, ledger, units), ending)
        case "cancelled":
            return Message("You stopped this cell. What it did until then stays done.")
        case "refused by PyTorch" | "raised":
            return told(*_refused(failed, calls, used, ledger, units))
    return failed.told


def _refused(
    failed: Failed,
    calls: Sequence[Site],
    used: Mapping[str, Placed],
    ledger: Ledger,
    units: Units,
) -> Sequence[Message]:
    if "DefaultCPUAllocator" in failed.message:
        return _room(failed, ledger, units)
    if "invalid device ordinal" in failed.message:
        return _no_such_card(calls, ledger)
    tensors = {name: each for name, each in used.items() if each.shape is not None}
    name = next(iter(tensors)) if len(tensors) == 1 else Message("It")
    for pattern, sentence, before in _RULES:
        found = re.search(pattern, f"{failed.error}: {failed.message}")
        if found is None:
            continue
        said = [Message(sentence, name=name, **found.groupdict())]
        for other, each in reversed(tensors.items()) if before else ():
            shape = "×".join(map(str, each.shape or ())) or Message("one number")
            is_it = Message("{name} is {shape}.", name=other, shape=shape)
            if before == "types":
                is_it = Message("{name} is {dtype}.", name=other, dtype=each.dtype)
            said.insert(0, is_it)
        return said
    return [failed.told]


def _devices(
    failed: Failed, calls: Sequence[Site], used: Mapping[str, Placed]
) -> Sequence[Message]:
    """Where each operand lies, and why that does not work."""
    lying = {name: each.device for name, each in used.items() if each.device}
    where = [
        Message("{name} lies on {device}.", name=name, device=device)
        for name, device in lying.items()
    ]
    for device in dict.fromkeys(_DEVICE.findall(failed.message)):
        if device not in lying.values():
            what = mark("What the line makes itself lies on {device}.")
            where.append(Message(what, device=device))
    # What stands before the brackets on the way to the error.
    called = {ast.unparse(e.node.func) for e in calls if isinstance(e.node, ast.Call)}
    if models := [each for each in called if each in used and used[each].kind == "model"]:
        why = mark(
            "{model} computes where its parameters are, and what it is given has to be there "
            "too. PyTorch does not move it for you."
        )
        return [*where, Message(why, model=models[0])]
    text = calls[0].text(calls[0].node).split("\n")[0] if calls else ""
    why = mark(
        "{operation} runs on one device, and PyTorch will not choose for you: moving data "
        "costs time, so you must request it."
    )
    operation = text if 0 < len(text) <= _LONGEST else Message("An operation")
    return [*where, Message(why, operation=operation)]


def _room(failed: Failed, ledger: Ledger, units: Units) -> Sequence[Message]:
    """Out of memory: what was wanted, what is free, and who holds the rest."""
    card, wanted = CARD_FULL.search(failed.message), WANTED.search(failed.message)
    if wanted is None:
        return [failed.told]
    size = bytes_words(bytes_of(wanted[1]), units)
    if card is None:
        wants = mark("The cell wanted {wanted} of the host's memory, which is not free.")
        return [Message(wants, wanted=size)]
    total, free = (bytes_words(bytes_of(each), units) for each in card.group(2, 3))
    device = f"cuda:{card[1]}"
    wants = mark("The cell wanted {wanted} on {device}.")
    said = [Message(wants, wanted=size, device=device)]
    if allowed := ALLOWED.search(failed.message):
        # A card may well have had room, were it not for the cap.
        room = mark(
            "{free} of its {total} are free, but the cap that was set allows this program "
            "{allowed}."
        )
        size = bytes_words(bytes_of(allowed[1]), units)
        said.append(Message(room, total=total, free=free, allowed=size))
    else:
        said.append(Message("Only {free} of its {total} are free.", total=total, free=free))
    known = ledger.memory.get(device)  # real cards do not tell their context
    memory = next((each for each in failed.memory if each.device == device), known)
    if memory is None:
        return said
    tensors, reserved = memory.tensors_bytes or 0, memory.reserved_bytes or 0
    context = memory.context_bytes or (known or memory).context_bytes or 0
    others = 0
    if memory.total_bytes is not None and memory.free_bytes is not None:
        others = memory.total_bytes - memory.free_bytes - reserved - context
    held = {
        mark("Other programs and the driver hold {size}."): others,
        mark("Your tensors hold {size}."): tensors,
        mark("PyTorch's cache holds {size}."): reserved - tensors,
        mark("The context holds {size}."): context,
    }
    said += [Message(e, size=bytes_words(size, units)) for e, size in held.items() if size > 0]
    there = [each for each in ledger.things.values() if each.device == device]
    largest = max(there, key=lambda each: each.bytes, default=None)
    if largest is not None and tensors > largest.bytes / 2:
        largest_is = mark("The largest on the shelf there is {name} with {size}.")
        size = bytes_words(largest.bytes, units)
        said.append(Message(largest_is, name=largest.name, size=size))
    return said


def _no_such_card(calls: Sequence[Site], ledger: Ledger) -> Sequence[Message]:
    cards = [each.name for each in ledger.devices if each.name.startswith("cuda:")]
    roots = ((site, root) for site in calls for root in (site.node, site.module))
    asked = [f"cuda:{word.number}" for site, root in roots for word in card_words(site, root)]
    absent = next((each for each in asked if each not in cards), "")
    said = Message("There is no {device}.", device=absent or Message("card of that number"))
    if not cards:
        return [said, Message("PyTorch has no card here.")]
    return [said, Message("PyTorch has {cards} here.", cards=all_of(cards))]


# PyTorch's own words as a pattern, and what they mean: its groups fill in the sentence, and
# {name} is the one tensor that the line is about. Then what is said before it of the tensors.
# fmt: off
_RULES = (
    (r"got \(device\)|must be torch.device, not device|exchangeDevice", mark(
        "torch.cuda.device makes a card the current one, for “with”. The place where something "
        "is to be is a torch.device."), ""),
    ("not compiled with CUDA", mark(
        "The PyTorch of the lab is a build for the processor only: it cannot reach any card. A "
        "build with CUDA can be chosen as the Python of the lab."), ""),
    ("accelerator device when none is available|No CUDA GPUs are available|no NVIDIA driver",
     mark("This PyTorch finds no card that it may use."), ""),
    # Shapes and types
    (r"\((?P<rows>\d+)x(?P<inner>\d+) and (?P<other>\d+)x(?P<columns>\d+)\)", mark(
        "Each of the {rows} rows of the left, such as a layer's input, has {inner} values, and "
        "each of the {columns} columns of the right takes {other}: they are multiplied one by "
        "one, so these two numbers have to be equal."), "shapes"),
    ((r"size of tensor a \((?P<one>\d+)\) must match the size of tensor b "
     r"\((?P<other>\d+)\) at non-singleton dimension (?P<dimension>\d+)"), mark(
        "In dimension {dimension} one has {one} and the other {other}. Sizes go together where "
        "they are equal or one of them is 1, which is then repeated."), "shapes"),
    (r"shape '(?P<shape>\[[\d, -]*\])' is invalid for input of size (?P<has>\d+)", mark(
        "{name} has {has} values, which do not fill the shape {shape}. Another shape keeps all "
        "values and adds none."), ""),
    ((r"except in dimension (?P<dimension>\d+). Expected size (?P<expected>\d+) "
     r"but got size (?P<got>\d+)"), mark(
        "Only dimension {dimension} may differ between what is joined; elsewhere one has "
        "{expected} and another {got}."), "shapes"),
    ((r"index (?P<asked>-?\d+) is out of bounds for dimension (?P<dimension>\d+) "
     r"with size (?P<size>\d+)"), mark(
        "Dimension {dimension} has {size} places, counted from 0, and {asked} was asked for."),
     "shapes"),
    ((r"expected to be in range of \[(?P<least>-?\d+), (?P<most>\d+)\], "
     r"but got (?P<got>-?\d+)"), mark(
        "Its dimensions are counted from 0 to {most}, or from the end from -1 to {least}: "
        "there is no dimension {got}."), "shapes"),
    (r"Target (?P<number>-?\d+) is out of bounds", mark(
        "A target names the right class by its number, counted from 0, and there is no class "
        "{number}: the input has one column for each class."), ""),
    ("same dtype|same type|found dtype|expected scalar type", mark(
        "PyTorch wants both in the same type, and a model its input in that of its parameters: "
        "it does not convert by itself. .to(torch.float32) converts a tensor."), "types"),
    ("index out of range in self", mark(
        "An embedding was asked for a row that it does not have: the largest index may be one "
        "less than the number of its rows."), ""),
    ("could not infer output dtype|must be either a floating point or complex dtype", mark(
        "This needs numbers with a fraction, and these are whole: .float() makes them float32."
     ), "types"),
    # Gradients
    ("grad can be implicitly created only for scalar outputs", mark(
        "backward() begins at one number, the loss, and here there are several. .sum() or "
        ".mean() makes one number of them."), "shapes"),
    ("does not require grad and does not have a grad_fn", mark(
        "Nothing that this was computed from asked for gradients, so there is no graph to go "
        "back through. requires_grad=True, when a tensor is made, asks for them."), ""),
    ("backward through the graph a second time", mark(
        "Going back through a graph uses it up: PyTorch gives its memory back at once. Compute "
        "the result again, or call backward(retain_graph=True) the first time."), ""),
    ("leaf Variable that requires grad", mark(
        "{name} asks for gradients, and PyTorch keeps its history from the beginning: changing "
        "it in place would lose that. “with torch.no_grad(): …” does it without history, as an "
        "optimiser would."), ""),
    ("modified by an inplace operation", mark(
        "Something that backward() still needs was changed in place in the meantime. Write “Y "
        "= Y + 1” in place of “Y += 1”, and both values are kept."), ""),
    ("can require gradients", mark(
        "Gradients are slopes, and slopes need numbers with a fraction: only floating point "
        "and complex tensors have them."), ""),
    # Values
    (r"Tensor with (?P<count>\d+) elements cannot be converted to Scalar", mark(
        "{name} holds {count} values, and item() hands out exactly one. Take one with an "
        "index, or all of them with tolist()."), ""),
    ("(?s)can't convert cuda.*numpy|numpy.*can't convert cuda", mark(
        "{name} lies on a card, and NumPy only knows the host's memory. .cpu() copies it there "
        "first, which is never done unasked."), ""),
    (r"numpy\(\) on Tensor that requires grad", mark(
        "NumPy knows nothing of gradients. .detach() hands out the same values without their "
        "history."), ""),
    ("Boolean value of Tensor", mark(
        "Whether several values are true is not one question: .any() or .all() makes it one."),
     "shapes"),
    ("Weights only load failed|weights_only", mark(
        "This file holds more than tensors. Reading it would run code that somebody else "
        "wrote, so the lab loads weights only and refused."), ""),
    ("FileNotFoundError|No such file", mark(
        "There is no file of that name. Mind the folder and the case of the letters."), ""),
    (r"Missing key\(s\) in state_dict|size mismatch for", mark(
        "The file's parameters are not those of this model: their names or shapes differ. Make "
        "the same model first, then load them."), ""),
)
# fmt: on
