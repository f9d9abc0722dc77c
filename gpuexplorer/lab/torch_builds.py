"""TorchBuild: what a PyTorch was built for, by its files, and whether that suits the cards."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuexplorer.core.cards import Card
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.lab.oldest import torch_too_old

# PyTorch's own index, which alone has every build; a folder below it for each.
INDEX = "https://download.pytorch.org/whl"
Capability = tuple[int, int]

_ASSIGNMENT = re.compile(r"""^(\w+)(?:\s*:[^=\n]+)?\s*=\s*['"]([^'"\n]*)['"]""", re.MULTILINE)

# The oldest driver that runs programs made for a CUDA of this first number.
_OLDEST_DRIVER = {11: 450, 12: 525, 13: 580}
# The cards before it are known to no driver after the 580 line.
_OLDEST_AFTER_580 = (7, 5)
# The builds of PyTorch on offer, and the cards each was made for: first and last capability.
# The one for CUDA 12.8 ends with PyTorch 2.11, and is what a new card has under an old driver.
_FLAVOURS: Sequence[tuple[str, Capability, Capability]] = (
    ("13.0", (7, 5), (12, 9)),
    ("12.6", (5, 0), (9, 0)),
    ("12.8", (7, 5), (12, 9)),
)


@dataclass(frozen=True, slots=True)
class TorchBuild:
    """One installed PyTorch."""

    version: str
    cuda: str | None
    hip: str | None = None
    xpu: str | None = None
    architectures: Sequence[str] = ()  # "sm_86", "compute_120"; empty: not asked

    @property
    def too_old(self) -> bool:
        """For the lab."""
        return torch_too_old(self.version)

    @property
    def label(self) -> Message:
        said = mark("PyTorch {version}, built for the processor only")
        if self.cuda:
            said = mark("PyTorch {version}, built for CUDA {cuda}")
        elif self.hip:
            said = mark("PyTorch {version}, built for AMD cards (ROCm {rocm})")
        elif self.xpu:
            said = mark("PyTorch {version}, built for Intel cards")
        return Message(said, version=self.version, cuda=self.cuda, rocm=self.hip)

    def runs_on(self, card: Card) -> bool | None:
        """A card runs code for its own generation up to its own number, and any older PTX.
        None: it cannot be told.
        """
        own = card.compute_capability
        if own is None or not self.cuda:
            return None
        if not self.architectures:
            return self._probably_runs_on(own)
        for kind, first, last in re.findall(
            r"(sm|compute)_(\d+)(\d)", " ".join(self.architectures)
        ):
            built = int(first), int(last)
            if built <= own and (kind == "compute" or built[0] == own[0]):
                return True
        return False

    def _probably_runs_on(self, own: Capability) -> bool | None:
        """By what the official builds of a line hold; others may be built otherwise."""
        cuda, line = _numbers(self.cuda), _numbers(self.version)
        if cuda < (11, 8):
            return True if own <= (8, 6) else None
        if cuda < (12, 8):
            return (5, 0) <= own < (10, 0)
        kept_volta = cuda < (13, 0) and (2, 8) <= line <= (2, 10)
        return own >= ((7, 0) if kept_volta else (7, 5))


@dataclass(frozen=True, slots=True)
class Suits:
    """Whether a build suits this computer, and what to do where it does not."""

    verdict: Verdict
    sentence: Message
    do: Message = NOTHING
    install: str | None = None  # the CUDA of a build that would suit, for the same Python


def read_build(version_file: Path) -> TorchBuild | None:
    """From torch/version.py, without importing anything; None where it says no version."""
    try:
        said = dict(_ASSIGNMENT.findall(version_file.read_text("utf-8", "replace")))
    except OSError:
        return None
    version = said.get("__version__")
    if version is None:
        return None
    return TorchBuild(version, said.get("cuda"), said.get("hip"), said.get("xpu"))


def suits(build: TorchBuild, cards: Sequence[Card], driver_version: str | None) -> Suits:
    if not cards and driver_version is None:
        without = "Without an NVIDIA card it works on the processor and on simulated cards."
        return Suits(Verdict.FINE, Message(without))
    capabilities = [card.compute_capability for card in cards if card.compute_capability]
    cuda = flavour(driver_version, capabilities)
    do = advice(cuda, driver_version, capabilities)
    if not build.cuda:
        sentence = Message("It does not use NVIDIA cards; it is enough for simulated ones.")
        return Suits(Verdict.LOOK, sentence, do, cuda)
    driver, own = _major(driver_version), _major(build.cuda)
    needed = _OLDEST_DRIVER.get(own or 0)
    if driver is not None and needed is not None and driver < needed:
        too_old = Message(
            "CUDA {cuda} needs driver {needed} or newer; this one is {driver}.",
            cuda=own,
            needed=needed,
            driver=driver_version,
        )
        update = Message("{advice} Or update the driver to {needed}.", advice=do, needed=needed)
        return Suits(Verdict.BROKEN, too_old, update)
    wanting = [card for card in cards if build.runs_on(card) is False]
    if not wanting:
        fine = Message("It suits the driver and the cards.")
        return Suits(Verdict.FINE, fine if cards else Message("It suits the driver."))
    no_code = mark("It holds no code for {cards} (compute capability {capabilities}).")
    if not build.architectures:
        no_code = mark(
            "It probably holds no code for {cards} (compute capability {capabilities})."
        )
    numbers = {card.compute_capability for card in wanting if card.compute_capability}
    sentence = Message(
        no_code,
        cards=", ".join(sorted({card.name for card in wanting})),
        capabilities=", ".join("{}.{}".format(*each) for each in sorted(numbers)),
    )
    if len(wanting) == len(cards):
        return Suits(Verdict.BROKEN, sentence, do, cuda)
    return Suits(Verdict.LOOK, told(sentence, Message("It suits the others.")), do, cuda)


def flavour(driver_version: str | None, capabilities: Collection[Capability]) -> str | None:
    """The CUDA of the build that suits driver and cards; None where no single one does."""
    driver = _major(driver_version)
    for cuda, first, last in _FLAVOURS:
        new_enough = driver is None or driver >= _OLDEST_DRIVER[_major(cuda) or 0]
        if new_enough and all(first <= one <= last for one in capabilities):
            return cuda
    return None


def advice(
    cuda: str | None, driver_version: str | None, capabilities: Collection[Capability]
) -> Message:
    if cuda:
        return Message("Install PyTorch built for CUDA {cuda} into this Python.", cuda=cuda)
    if any(one < (5, 0) for one in capabilities):
        return Message(
            "No PyTorch of today is built for the oldest card here; it can only be watched."
        )
    driver, then = _major(driver_version), flavour("580", capabilities)
    if driver is None or driver >= _OLDEST_DRIVER[13] or then is None:
        return Message(
            "No single build suits all these cards; use one Python for the old, one for the "
            "new."
        )
    update = mark(
        "Update NVIDIA's driver to 580 or newer, then install PyTorch built for CUDA {cuda}."
    )
    if any(one < _OLDEST_AFTER_580 for one in capabilities):
        update = mark(
            "Update NVIDIA's driver to 580, the last for the oldest card here, then install "
            "PyTorch built for CUDA {cuda}."
        )
    return Message(update, cuda=then)


def _numbers(version: str | None) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version or "")[:2]))


def _major(version: str | None) -> int | None:
    return next(iter(_numbers(version)), None)
