"""Amounts as they stand within a sentence about a line of the lab."""

from collections.abc import Collection, Sequence

from gpuexplorer.core.units import USUAL, Units, duration, memory
from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.lab.events import Placed


def bytes_words(count: float, units: Units = USUAL) -> str:
    """ "24 B", "2 MiB", "7.45 GiB": without noughts that say nothing."""
    read = memory(count, units)
    number = read.number
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {read.unit}"


def seconds_words(seconds: float) -> str:
    """One or two digits, which is all that is known of what is only expected."""
    read = duration(float(f"{seconds:.2g}"))
    number = read.number
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {read.unit}"


def shape_words(shape: Sequence[int]) -> str:
    """ "2×3"; of a tensor without dimensions "one number"."""
    return "×".join(map(str, shape)) or tr("one number")


def beginning(text: str, most: int) -> str:
    """As many whole sentences as there is room for, or words; all of it where it is short."""
    if len(text) <= most:
        return text
    cut = max(text.rfind(". ", 0, most) + 1, text.rfind("\n", 0, most))
    if cut < most // 3:
        cut = text.rfind(" ", 0, most)
    return f"{text[: cut if cut > 0 else most].rstrip()} …"


def targets(thing: Placed, devices: Sequence[BenchDevice]) -> Sequence[BenchDevice]:
    """Where it can be copied to; a model on two devices to either of them."""
    return [
        each
        for each in devices
        if each.name and each.usable and each.name not in (thing.device, "meta")
    ]


def move_line(
    thing: Placed,
    device: BenchDevice,
    taken: Collection[str],
    *,
    fall_back: bool,
    by_host: bool = False,
) -> str:
    """A model goes itself; a tensor's copy has a name of its own. `by_host`: from card to
    card through the host's memory.
    """
    kind, _, number = device.name.partition(":")
    target = f'"{device.name}"'
    if fall_back and kind == "cuda" and number:
        target = f"try_gpu({number})"
    name = thing.name if thing.kind == "model" else _copy_name(thing.name, device, taken)
    here = f"{thing.name}.cpu()" if by_host else thing.name
    return f"{name} = {here}.to({target})"


def save_line(name: str) -> str:
    return f'torch.save({name}.state_dict(), "{name}.pt")'


def delete_line(name: str) -> str:
    return f"del {name}"


def _copy_name(name: str, device: BenchDevice, taken: Collection[str]) -> str:
    """X_1 for the card of that number, X_cpu for the host."""
    kind, _, number = device.name.partition(":")
    first = f"{name}_{number if kind == 'cuda' else kind + number}"
    wanted, again = first, 2
    while wanted in taken:
        wanted, again = f"{first}_{again}", again + 1
    return wanted
