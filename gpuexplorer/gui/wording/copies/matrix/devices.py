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
    gone: str = ""  # why nothing can be copied to or from it now; sentences

    @property
    def is_host(self) -> bool:
        return self.name == "cpu"


def heads_of(devices: Sequence[BenchDevice]) -> tuple[Head, ...]:
    return tuple(_head(each) for each in devices)


def gone_words(heads: Sequence[Head]) -> str:
    """Of all that cannot be measured; empty where all can."""
    gone = [head.words for head in heads if head.gone]
    if not gone:
        return ""
    if len(gone) > 1:
        return f"{len(gone)} cards cannot be measured now; their cells say why"
    return f"{gone[0][:1].upper()}{gone[0][1:]} cannot be measured now; its cells say why"


def pair_words(heads: Mapping[str, Head], source: str, target: str) -> str:
    """ "Card 6 to card 1", "Inside card 2"."""
    here, there = _of(heads, source), _of(heads, target)
    if source == target:
        return f"Inside the {here}" if source == "cpu" else f"Inside {here}"
    return f"{here[:1].upper()}{here[1:]} to {there}"


def _of(heads: Mapping[str, Head], name: str) -> str:
    head = heads.get(name)
    return name if head is None else head.words


def _head(device: BenchDevice) -> Head:
    words = _words(device)
    if device.usable:
        return Head(device.name, device.chip, device.colour, words)
    gone = f"{device.reason} {device.way_out}".strip() or "It cannot be used."
    return Head(device.name, device.chip, None, words, gone)


def _words(device: BenchDevice) -> str:
    return "host" if device.is_host else f"card {device.chip}"
