"""Sheet: a card's datasheet as rows, each with what is promised and what was reached here."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuexplorer.copies.datasheet.figure import Figure, Origin, Unit, What
from gpuexplorer.core.words import Message

_NOT_YET = Figure.missing(Message("it was not measured yet"), origin=Origin.NOT_YET)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the sheet. `what.unit` counts promised and reached alike."""

    what: What
    title: Message  # "Memory bandwidth", "Peer link, one way to cuda:1"
    promised: Figure
    reached: Figure = _NOT_YET
    watts: Figure = _NOT_YET  # the mean while it was measured
    lowest: float | None = None  # of the samples, as `reached` counts
    highest: float | None = None
    variation: float | None = None  # standard deviation as a share of the mean
    wrong: bool = False  # what came of it was wrong, so it has no figure
    notes: tuple[Message, ...] = ()  # sentences
    modelled: bool = False

    @property
    def all_notes(self) -> tuple[Message, ...]:
        """Also that it is modelled, where it is."""
        if not self.modelled:
            return self.notes
        copied = Message("Modelled: no bytes were moved.")
        multiplied = Message("Modelled: nothing was multiplied.")
        return (multiplied if self.what.unit is Unit.COMPUTE else copied, *self.notes)

    @property
    def share(self) -> float | None:
        """Of what is promised, what was reached."""
        if self.reached.value is None or not self.promised.value:
            return None
        return self.reached.value / self.promised.value


@dataclass(frozen=True, slots=True)
class OtherCard:
    """A card of the table, for somebody who wants to buy one."""

    name: str
    vendor: str
    architecture: str
    year: int | None
    memory_bytes: int | None
    figures: Mapping[What, Figure] = field(default_factory=dict)
    is_this: bool = False  # the same model as the card of the sheet
    driver_name: str = ""  # as NVML says it; empty: the program cannot meet this card

    def figure(self, what: What) -> Figure:
        return self.figures.get(
            what, Figure.missing(Message("the table of cards does not say"))
        )


@dataclass(frozen=True, slots=True)
class Sheet:
    """Of one card, at one moment; `modelled`: what was reached is a model's, not measured."""

    device: str  # "cuda:0"
    card: str  # "NVIDIA TITAN RTX"
    simulated: bool
    modelled: bool
    rows: tuple[Row, ...]
    beside: tuple[OtherCard, ...] = ()
    notes: tuple[Message, ...] = ()  # sentences, such as which row of the table was broken

    def row(self, what: What) -> Row | None:
        return next((row for row in self.rows if row.what is what), None)
