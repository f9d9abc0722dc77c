"""Plan: what a form is about to do, as a person reads it before pressing its button."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.lab.events import Placed


@dataclass(frozen=True, slots=True)
class Training:
    """A training run, by the names on the shelf."""

    model: str
    inputs: str
    targets: str
    optimiser: str
    loss: str
    steps: int
    batch: int


@dataclass(frozen=True, slots=True)
class Plan:
    """With a problem nothing can run; with a warning everything still can."""

    button: str
    lines: Sequence[str] = ()
    shown: str = ""  # where that is not the lines
    facts: Sequence[str] = ()
    warnings: Sequence[str] = ()
    problems: Mapping[str, str] = field(default_factory=dict)  # a sentence by the field's name
    training: Training | None = None

    @property
    def ready(self) -> bool:
        return not self.problems and bool(self.lines or self.training)

    @property
    def code(self) -> str:
        return self.shown or "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a form knows of the lab when it makes its plan."""

    things: Mapping[str, Placed] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()  # names that lines under way will make
    devices: Sequence[BenchDevice] = ()
    contexts: Mapping[str, int] = field(default_factory=dict)  # expected, by device
    fall_back: bool = True
    memory_share: float | None = None
    units: Units = USUAL

    def device(self, name: str) -> BenchDevice | None:
        return next((each for each in self.devices if each.name == name), None)

    @property
    def taken(self) -> frozenset[str]:
        return frozenset(self.things) | self.waiting
