"""CardProcess: one program's use of one card, as far as it can be told."""

from collections.abc import Mapping
from typing import NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.newer_python import StrEnum


class ProcessUse(StrEnum):
    """What a process does with the card; the letters nvidia-smi uses."""

    COMPUTE = "C"
    GRAPHICS = "G"
    BOTH = "C+G"


class ProcessFigure(StrEnum):
    """What can be known of a process on a card; each has a value or a reason."""

    MEMORY = "memory"  # bytes of the card's memory
    SM = "sm"  # ratios of the card, from here on
    MEMORY_CONTROLLER = "memory_controller"
    ENCODER = "encoder"
    DECODER = "decoder"


class CardProcess(NamedTuple):
    """One process on one card or MIG instance, before anybody looked the pid up."""

    card: CardId
    pid: int
    use: ProcessUse
    values: Mapping[ProcessFigure, float] = {}
    missing: Mapping[ProcessFigure, Absence] = {}
    simulated_command: str | None = None  # make-believe processes bring their own name
    simulated_user: str | None = None
