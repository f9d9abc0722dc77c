"""The lines of code behind what a person does with a thing on the shelf, or why none is."""

import itertools
from collections.abc import Collection, Sequence

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.lab.events import Placed

# Of what is not copied, why, and what can be done.
_NOT_COPIED = {
    "value": (mark("{name} is a value of Python."), mark("It takes no memory of a device.")),
    "container": (
        mark("{name} holds several things: no method moves them all."),
        mark("Move them one by one, such as in a loop."),
    ),
    "optimiser": (
        mark("PyTorch has no method that moves an optimiser."),
        mark("Move the model, then make a new optimiser."),
    ),
}


def copy_line(
    thing: Placed | None, target: BenchDevice, taken: Collection[str], *, by_host: bool = False
) -> str:
    """`X_1 = X.cuda(1)`: a copy is named after where it lies. A model moves under its name.
    `by_host`: from card to card through the host's memory.

    Raises Trouble where there is nothing to copy.
    """
    if thing is None:
        raise Trouble("Nobody named this memory.", "Only what has a name can be copied.")
    name, kind = thing.name, thing.kind
    if kind in _NOT_COPIED:
        raise Trouble(*_NOT_COPIED[kind], name=name)
    if not target.usable:
        called = target.name or target.label
        raise Trouble("{device} cannot be used.", target.reason, device=called)
    way = ".cpu()" if target.is_host else f'.to("{target.name}")'
    if kind != "model" and target.name.startswith("cuda:"):
        way = f".cuda({_place(target.name)})"
    held = {each.device for each in thing.holds} or set(thing.device.split(", "))
    if kind == "model" and held == {target.name}:
        raise Trouble("Already there: nothing is copied.")
    if kind != "model" and thing.device == target.name:
        call = f"{name}{way}"
        raise Trouble(
            "Already there: nothing is copied.", "{call} is {name}.", call=call, name=name
        )
    copy = name if kind == "model" else name_of_copy(name, thing.device, target.name, taken)
    return f"{copy} = {name}{'.cpu()' if by_host else ''}{way}"


def delete_line(names: Sequence[str]) -> str:
    """Memory is given back when the last of the names is gone."""
    if not names:
        raise Trouble(
            "Nobody named this memory.",
            "It goes with what it belongs to; a cache goes with torch.cuda.empty_cache().",
        )
    return f"del {', '.join(names)}"


def save_line(name: str) -> str:
    return f'torch.save({name}.state_dict(), "{name}.pt")'


def name_of_copy(name: str, source: str, target: str, taken: Collection[str]) -> str:
    """`X_1` for X on cuda:1, and `X_0` for that one's copy on cuda:0."""
    plain = "".join(each if each.isalnum() else "_" for each in name).strip("_")
    base = plain.removesuffix(f"_{_place(source)}") or plain
    wanted = f"{base}_{_place(target)}"
    free = (f"{wanted}_{number}" for number in itertools.count(2))
    return wanted if wanted not in taken else next(each for each in free if each not in taken)


def _place(device: str) -> str:
    kind, _, number = device.partition(":")
    return number or "0" if kind == "cuda" else f"{kind}{number}"
