"""Values: what the lab and the cards said, as JSON for the expressions of a lesson."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuexplorer.core.cards import Card, Sample
from gpuexplorer.lab.events import Memory


@dataclass(frozen=True)
class Read:
    """One card, or the host, and all that it said."""

    card: Card
    sample: Sample


@dataclass(frozen=True)
class Readings:
    """All cards and the host at one moment; and what PyTorch held then, by device."""

    cards: Sequence[Read]  # in CUDA's order
    host: Read
    memory: Mapping[str, Memory] = field(default_factory=dict)  # filled in by the player
