"""The lines of code behind what a person does with a thing on the shelf, or why none is."""

from collections.abc import Collection, Sequence

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.lab.events import Placed


def copy_line(
    thing: Placed | None, target: BenchDevice, taken: Collection[str], *, by_host: bool = False
) -> str:
    """`X_1 = X.cuda(1)`: a copy is named after where it lies. A model moves under its name.
    `by_host`: from card to card through the host's memory.

    Raises Trouble where there is nothing to copy.
    """
    if thing is None:
        raise Trouble("Nobody named this memory.", "Only what has a name can be copied.")
    name = thing.name
    if thing.kind == "value":
        raise Trouble(
            "{name} is a value of Python.", "It takes no memory of a device.", name=name
        )
    if thing.kind == "container":
        raise Trouble(
            "{name} holds several things: no method moves them all.",
            "Move them one by one, such as in a loop.",
            name=name,
        )
    if thing.kind == "optimiser":
        raise Trouble(
            "PyTorch has no method that moves an optimiser.",
            "Move the model, then make a new optimiser.",
        )
    if not target.usable:
        called = target.name or target.label
        raise Trouble("{device} cannot be used.", target.reason, device=called)
    detour = ".cpu()" if by_host else ""
    if thing.kind == "model":
        held = {each.device for each in thing.holds} or set(thing.device.split(", "))
        if held == {target.name}:
            raise Trouble("Already there: nothing is copied.")
        way = ".cpu()" if target.is_host else f'.to("{target.name}")'
        return f"{name} = {name}{detour}{way}"
    if thing.device == target.name:
        call = f"{name}{_way(target.name)}"
        raise Trouble(
            "Already there: nothing is copied.", "{call} is {name}.", call=call, name=name
        )
    copy = name_of_copy(name, thing.device, target.name, taken)
    return f"{copy} = {name}{detour}{_way(target.name)}"


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
    number = 2
    free = wanted
    while free in taken:
        free = f"{wanted}_{number}"
        number += 1
    return free


def _place(device: str) -> str:
    kind, _, number = device.partition(":")
    return number or "0" if kind == "cuda" else f"{kind}{number}"


def _way(device: str) -> str:
    kind, _, number = device.partition(":")
    if kind == "cpu":
        return ".cpu()"
    return f".cuda({number})" if kind == "cuda" else f'.to("{device}")'
