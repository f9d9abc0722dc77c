"""Names of devices as people read them beside a matrix, and in sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.words import paragraph, tr, trn
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
    def titled(self) -> str:
        """At the head of a line."""
        return tr("Host") if self.is_host else tr("Card {chip}", chip=self.chip)

    @property
    def is_host(self) -> bool:
        return self.name == "cpu"


def heads_of(devices: Sequence[BenchDevice]) -> tuple[Head, ...]:
    return tuple(_head(each) for each in devices)


def gone_words(heads: Sequence[Head]) -> str:
    """Of all that cannot be measured; empty where all can."""
    gone = [head.titled for head in heads if head.gone]
    if not gone:
        return ""
    return trn(
        "{device} cannot be measured now; its cells say why",
        "{count} cards cannot be measured now; their cells say why",
        len(gone),
        device=gone[0],
    )


def pair_words(heads: Mapping[str, Head], source: str, target: str) -> str:
    """ "Card 6 to card 1", "Inside card 2"."""
    here, there = heads.get(source), heads.get(target)
    begin = source if here is None else here.titled
    if source == target:
        if source == "cpu":
            return tr("Inside the host")
        return tr("Inside {device}", device=source if here is None else here.words)
    end = target if there is None else there.words
    return tr("{source} to {target}", source=begin, target=end)


def _head(device: BenchDevice) -> Head:
    words = _words(device)
    if device.usable:
        return Head(device.name, device.chip, device.colour, words)
    gone = paragraph((device.reason, device.way_out)) or tr("It cannot be used.")
    return Head(device.name, device.chip, None, words, gone)


def _words(device: BenchDevice) -> str:
    return tr("host") if device.is_host else tr("card {chip}", chip=device.chip)
