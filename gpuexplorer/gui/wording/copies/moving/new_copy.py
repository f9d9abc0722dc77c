"""New copy: what can be copied where, and the lines of the lab that do it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.route import Route
from gpuexplorer.core.units import rate
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.wording.lab.amounts import bytes_words, move_line, seconds_words, targets
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.forms.names import device_word
from gpuexplorer.lab.events import Placed

NEW_BYTES = 64 << 20
_NEW_SHAPE = "16, 1024, 1024"  # of float32, so many bytes


@dataclass(frozen=True, slots=True)
class Thing:
    """Of the shelf, or one that is made first: then `placed` is None."""

    device: str
    placed: Placed | None = None

    @property
    def words(self) -> str:
        return tr("a new tensor") if self.placed is None else self.placed.name

    @property
    def bytes(self) -> int:
        return NEW_BYTES if self.placed is None else self.placed.bytes

    @property
    def key(self) -> str:
        return f"new {self.device}" if self.placed is None else f"thing {self.placed.name}"


def things(shelf: Mapping[str, Placed], devices: Sequence[BenchDevice]) -> Sequence[Thing]:
    """What lies on the shelf, the newest first; then what could be made for it."""
    there = [each for each in shelf.values() if each.kind in ("tensor", "model")]
    able = {each.name for each in devices}
    known = [Thing(each.device, each) for each in reversed(there) if each.device in able]
    return [*known, *(Thing(each.name) for each in devices if each.computes)]


def possible(thing: Thing, devices: Sequence[BenchDevice]) -> Sequence[BenchDevice]:
    """Where it can go."""
    if thing.placed is not None:
        return targets(thing.placed, devices)
    return [each for each in devices if each.usable and each.name != thing.device]


def lines_for(
    thing: Thing,
    target: BenchDevice,
    taken: Collection[str],
    *,
    fall_back: bool,
    by_host: bool = False,
) -> Sequence[str]:
    if thing.placed is not None:
        placed = thing.placed
        return (move_line(placed, target, taken, fall_back=fall_back, by_host=by_host),)
    name = _free_name(taken)
    made = Placed(0, name, "tensor", thing.device, "")
    where = device_word(thing.device, fall_back=fall_back)
    given = "" if thing.device == "cpu" else f", device={where}"
    return (
        f"{name} = torch.rand({_NEW_SHAPE}{given})",
        move_line(made, target, [*taken, name], fall_back=fall_back, by_host=by_host),
    )


def expected_words(thing: Thing, route: Route | None) -> str:
    """What is known of the way before anything is pressed."""
    size = bytes_words(thing.bytes)
    if route is None:
        return tr("{size}; the way is not known.", size=size)
    begin = tr("{size}.", size=size)
    if route.words:
        begin = tr("{size}, {way}.", size=size, way=route.words)
    if route.limit:
        least = seconds_words(thing.bytes / route.limit)
        end = tr("At most {rate}, so at least {time}.", rate=str(rate(route.limit)), time=least)
    elif route.limit_reason:
        end = tr("No limit: {reason}.", reason=route.limit_reason)
    else:
        end = ""
    return paragraph((begin, end))


def _free_name(taken: Collection[str]) -> str:
    for name in ("X", "A", "B", "C", "D"):
        if name not in taken:
            return name
    number = 1
    while f"X{number}" in taken:
        number += 1
    return f"X{number}"
