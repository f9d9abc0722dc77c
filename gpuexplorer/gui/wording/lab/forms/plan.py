"""Plan: what a form is about to do, as a person reads it before pressing its button."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpuexplorer.core.units import USUAL, Units, memory
from gpuexplorer.core.words import tr
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


@dataclass(frozen=True, slots=True)
class Fit:
    """`warning` holds where it does not fit; `facts` are true either way."""

    facts: tuple[str, ...]
    warning: str = ""


def fit(needed: int, device: BenchDevice | None, around: Surroundings) -> Fit:
    """On a card that was not used yet, the context's cost counts too."""
    found = _fit(needed, device, around)
    special = tr(device.reason) if device is not None else ""
    return replace(found, facts=(*found.facts, special)) if special else found


def _fit(needed: int, device: BenchDevice | None, around: Surroundings) -> Fit:
    size = str(memory(needed, around.units))
    if device is None:
        return Fit((size,))
    if device.name == "meta":
        return Fit((tr("{size} with values; meta keeps only the shape", size=size),))
    if device.free_bytes is None:
        unknown = tr(
            "{size}; what is free on {device} is not known", size=size, device=device.name
        )
        return Fit((unknown,))
    free = str(memory(device.free_bytes, around.units))
    context, words = _context(device, around)
    # What PyTorch keeps for later can hold it as well.
    kept = max(0, (device.cache_bytes or 0) - (device.tensor_bytes or 0))
    if needed + context > device.free_bytes + kept:
        if needed <= device.free_bytes + kept:
            short = tr(
                "Does not fit with the context: {size} of {free} free", size=size, free=free
            )
        else:
            short = tr("Does not fit: {size} of {free} free", size=size, free=free)
        return Fit(words, short)
    cap = _cap(device, around)
    if cap is not None and needed > cap:
        left = memory(max(0, cap), around.units)
        short = tr("Does not fit under the cap: {size} of {left} left", size=size, left=left)
        return Fit(words, short)
    short = _host_short(needed, device, around)
    return Fit((tr("{size} of {free} free: it fits", size=size, free=free), *words), short)


def _context(device: BenchDevice, around: Surroundings) -> tuple[int, tuple[str, ...]]:
    if not device.is_card or device.context_bytes:
        return 0, ()
    known = around.contexts.get(device.name)
    if known is None:
        return 0, (tr("First use adds the context"),)
    size = memory(known, around.units)
    return known, (tr("First use adds the context, {size}", size=size),)


def _cap(device: BenchDevice, around: Surroundings) -> int | None:
    share = around.memory_share
    if share is None or not device.is_card or device.total_bytes is None:
        return None
    return round(share * device.total_bytes) - (device.tensor_bytes or 0)


def _host_short(needed: int, device: BenchDevice, around: Surroundings) -> str:
    """The values of a simulated card lie in this computer's own memory."""
    host = around.device("cpu")
    if not device.modelled or host is None or host.free_bytes is None:
        return ""
    if needed <= host.free_bytes:
        return ""
    free = memory(host.free_bytes, around.units)
    return tr(
        "It fits on the card, but its values need this computer's memory: {free} free",
        free=free,
    )
