"""The PyTorch lines behind what a person does with a block, or why there is none."""

from collections.abc import Collection

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Block, BlockKind
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice


def copy_line(
    block: Block,
    target: BenchDevice,
    taken: Collection[str],
    *,
    fall_back: bool,
    by_host: bool = False,
) -> str:
    """`X_1 = X.cuda(1)`: a copy is named after where it lies. A model moves under its name.
    `by_host`: from card to card through the host's memory.

    Raises Trouble where there is nothing to copy.
    """
    name = block.names[0] if block.names else ""
    if block.kind is BlockKind.UNNAMED:
        raise Trouble("Nobody named this memory.", "Only what has a name can be copied.")
    if block.kind is BlockKind.VALUE:
        raise Trouble(
            "{name} is a value of Python.", "It takes no memory of a device.", name=name
        )
    if block.kind is BlockKind.OPTIMISER:
        raise Trouble(
            "PyTorch has no line that moves an optimiser.",
            "Move the model, then make a new optimiser.",
        )
    if not target.usable:
        called = target.name or target.label
        raise Trouble("{device} cannot be used.", target.reason, device=called)
    if _lies_there(block, target.name):
        if block.kind is BlockKind.MODEL:
            raise Trouble("Already there: nothing is copied.")
        call = f"{name}{_way(target.name)}"
        raise Trouble(
            "Already there: nothing is copied.", "{call} is {name}.", call=call, name=name
        )
    detour = ".cpu()" if by_host else ""
    way = f"{detour}{_way(target.name, fall_back=fall_back)}"
    if block.kind is BlockKind.MODEL:
        return f"{name} = {name}{detour}{_model_way(target.name, fall_back=fall_back)}"
    return f"{name_of_copy(name, block.key.device, target.name, taken)} = {name}{way}"


def delete_line(names: Collection[str]) -> str:
    """Memory is given back when the last of the names is gone."""
    if not names:
        raise Trouble(
            "Nobody named this memory.",
            "It goes with what it belongs to; a cache goes with torch.cuda.empty_cache().",
        )
    return f"del {', '.join(names)}"


def name_of_copy(name: str, source: str, target: str, taken: Collection[str]) -> str:
    """`X_1` for X on cuda:1, and `X_0` for that one's copy on cuda:0."""
    base = name.removesuffix(f"_{_place(source)}") or name
    wanted = f"{base}_{_place(target)}"
    number = 2
    free = wanted
    while free in taken:
        free = f"{wanted}_{number}"
        number += 1
    return free


def _lies_there(block: Block, device: str) -> bool:
    thing = block.placed
    if thing is None:
        return False
    if block.kind is BlockKind.MODEL:
        return {each.device for each in thing.holds} <= {device}
    return thing.device == device


def _place(device: str) -> str:
    kind, _, number = device.partition(":")
    if kind == "cuda":
        return number or "0"
    return f"{kind}{number}"


def _way(device: str, *, fall_back: bool = False) -> str:
    kind, _, number = device.partition(":")
    if kind == "cpu":
        return ".cpu()"
    if kind != "cuda":
        return f'.to("{device}")'
    return f".to(try_gpu({number}))" if fall_back else f".cuda({number})"


def _model_way(device: str, *, fall_back: bool) -> str:
    kind, _, _ = device.partition(":")
    return (
        f'.to("{device}")'
        if kind == "cuda" and not fall_back
        else _way(device, fall_back=fall_back)
    )
