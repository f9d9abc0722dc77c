"""TorchBuild: what a PyTorch was built for, by its files, and whether that suits the cards."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuexplorer.core.cards import Card
from gpuexplorer.core.verdict import Verdict, listed
from gpuexplorer.lab.oldest import torch_too_old

Capability = tuple[int, int]

_ASSIGNMENT = re.compile(r"""^(\w+)(?:\s*:[^=\n]+)?\s*=\s*['"]([^'"\n]*)['"]""", re.MULTILINE)

# The oldest driver that runs programs made for a CUDA of this first number.
_OLDEST_DRIVER = {11: 450, 12: 525, 13: 580}
# The builds of PyTorch on offer, and the cards each was made for: first and last capability.
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
    def label(self) -> str:
        if self.cuda:
            return f"PyTorch {self.version}, built for CUDA {self.cuda}"
        if self.hip:
            return f"PyTorch {self.version}, built for AMD cards (ROCm {self.hip})"
        if self.xpu:
            return f"PyTorch {self.version}, built for Intel cards"
        return f"PyTorch {self.version}, built for the processor only"


@dataclass(frozen=True, slots=True)
class Suits:
    """Whether a build suits this computer, in words that follow its label."""

    verdict: Verdict
    sentence: str
    do: str = ""


def read_build(version_file: Path) -> TorchBuild | None:
    """From torch/version.py, without importing anything; None where it says no version."""
    try:
        text = version_file.read_text("utf-8", "replace")
    except OSError:
        return None
    said: dict[str, str] = dict(_ASSIGNMENT.findall(text))
    version = said.get("__version__")
    if version is None:
        return None
    return TorchBuild(version, said.get("cuda"), said.get("hip"), said.get("xpu"))


def suits(build: TorchBuild, cards: Sequence[Card], driver_version: str | None) -> Suits:
    if not cards and driver_version is None:
        sentence = "Without an NVIDIA card it works on the processor and on simulated cards."
        return Suits(Verdict.FINE, sentence)
    capabilities = [card.compute_capability for card in cards if card.compute_capability]
    advice = _advice(driver_version, capabilities)
    if not build.cuda:
        sentence = "It does not use NVIDIA cards; it is enough for simulated ones."
        return Suits(Verdict.LOOK, sentence, advice)
    driver, needed = major(driver_version), _OLDEST_DRIVER.get(major(build.cuda) or 0)
    if driver is not None and needed is not None and driver < needed:
        return Suits(
            Verdict.BROKEN,
            f"CUDA {major(build.cuda)} needs driver {needed} or newer;"
            f" this one is {driver_version}.",
            f"Update the driver to {needed} or newer, or: {advice[:1].lower()}{advice[1:]}",
        )
    wanting = [card for card in cards if _runs_on(build, card.compute_capability) is False]
    if not wanting:
        return Suits(
            Verdict.FINE,
            "It suits the driver and the cards." if cards else "It suits the driver.",
        )
    names = listed(sorted({_called(card) for card in wanting}))
    probably = "" if build.architectures else "probably "
    sentence = f"It {probably}holds no code for {names}"
    if len(wanting) < len(cards):
        return Suits(Verdict.LOOK, f"{sentence}, and suits the others.", advice)
    return Suits(Verdict.BROKEN, f"{sentence}.", advice)


def flavour(driver_version: str | None, capabilities: Collection[Capability]) -> str | None:
    """The CUDA of the build that suits driver and cards; None where no single one does."""
    driver = major(driver_version)
    for cuda, first, last in _FLAVOURS:
        new_enough = driver is None or driver >= _OLDEST_DRIVER[major(cuda) or 0]
        if new_enough and all(first <= one <= last for one in capabilities):
            return cuda
    return None


def major(version: str | None) -> int | None:
    found = re.match(r"\d+", version or "")
    return int(found.group()) if found else None


def _advice(driver_version: str | None, capabilities: Collection[Capability]) -> str:
    if suited := flavour(driver_version, capabilities):
        return f"Install PyTorch built for CUDA {suited} into this Python."
    if any(one < (5, 0) for one in capabilities):
        return "No PyTorch of today is built for the oldest card here; it can only be watched."
    driver = major(driver_version)
    if driver is not None and driver < _OLDEST_DRIVER[13]:
        suited = flavour("580", capabilities)
        then = f", then install PyTorch built for CUDA {suited}" if suited else ""
        return f"Update NVIDIA's driver to 580 or newer{then}."
    return "No single build suits all these cards; use one Python for the old, one for the new."


def _runs_on(build: TorchBuild, card: Capability | None) -> bool | None:
    """A card runs code for its own generation up to its own number, and any older PTX."""
    if card is None or not build.cuda:
        return None
    if not build.architectures:
        return _probably_runs_on(build, card)
    for architecture in build.architectures:
        kind, _, digits = architecture.partition("_")
        digits = re.sub(r"\D", "", digits)
        if len(digits) < 2:
            continue
        built = (int(digits[:-1]), int(digits[-1]))
        if kind == "compute" and built <= card:
            return True
        if kind == "sm" and built[0] == card[0] and built[1] <= card[1]:
            return True
    return False


def _probably_runs_on(build: TorchBuild, card: Capability) -> bool | None:
    """By what the official builds of a line hold; others may be built otherwise."""
    cuda = tuple(int(n) for n in re.findall(r"\d+", build.cuda or ""))[:2]
    line = tuple(int(n) for n in re.findall(r"\d+", build.version))[:2]
    if cuda < (11, 8):
        return True if card <= (8, 6) else None
    if cuda < (12, 8):
        return (5, 0) <= card < (10, 0)
    if cuda >= (13, 0):
        return card >= (7, 5)
    kept_volta = (2, 8) <= line <= (2, 10)
    return card >= ((7, 0) if kept_volta else (7, 5))


def _called(card: Card) -> str:
    number = "{}.{}".format(*card.compute_capability) if card.compute_capability else "?"
    return f"{card.name} (compute capability {number})"
