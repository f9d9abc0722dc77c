"""Names of devices as people read them beside a matrix, and in sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

# From one more card on, chips have no colours, and a row of outlined boxes would be no help.
MOST_CHIPS = 8


@dataclass(frozen=True, slots=True)
class Head:
    """One row and one column."""

    name: str  # "cpu", "cuda:0"
    chip: str
    colour: int | None
    words: str  # "host", "card 3"

    @property
    def is_host(self) -> bool:
        return self.name == "cpu"


def heads_of(devices: Sequence[BenchDevice]) -> tuple[Head, ...]:
    return tuple(Head(each.name, each.chip, each.colour, _words(each)) for each in devices)


def pair_words(heads: Mapping[str, Head], source: str, target: str) -> str:
    """ "Card 6 to card 1", "Inside card 2"."""
    here, there = _of(heads, source), _of(heads, target)
    if source == target:
        return f"Inside the {here}" if source == "cpu" else f"Inside {here}"
    return f"{here[:1].upper()}{here[1:]} to {there}"


def _of(heads: Mapping[str, Head], name: str) -> str:
    head = heads.get(name)
    return name if head is None else head.words


def _words(device: BenchDevice) -> str:
    return "host" if device.is_host else f"card {device.chip}"
