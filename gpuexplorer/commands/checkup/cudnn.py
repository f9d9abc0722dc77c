"""The cuDNN that a PyTorch has: which version, and whether it is there and whole. Reads files
only; `torch.backends.cudnn.version()` would start CUDA and wake the cards.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuexplorer.commands.checkup.finding import Fact
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.cards import Card
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.telemetry.place import find_library, is_library

_LIBRARY = re.compile(r"libcudnn\.so\.\d+|cudnn64_\d+\.dll")
_NUMBER = re.compile(r"#define CUDNN_(?:MAJOR|MINOR|PATCHLEVEL)\s+(\d+)")
_REQUIRED = re.compile(r"^Requires-Dist: (nvidia-cudnn-cu\d+)\s*\(?==([\d.]+)", re.MULTILINE)
_INSTALLED = re.compile(r"nvidia_cudnn_cu\d+-([\d.]+)\.dist-info")
# From this version on it has no code for cards before Turing, and PyTorch refuses to use it.
_WITHOUT_VOLTA, _TURING = (9, 11), (7, 5)


@dataclass(frozen=True, slots=True)
class Cudnn:
    """What one PyTorch has of it."""

    version: str | None = None
    where: str | None = None
    trouble: Message = NOTHING  # why PyTorch cannot use it; empty where it can
    package: str | None = None  # what to install anew, where pip brought it: name==version

    @property
    def sentence(self) -> Message:
        if self.trouble:
            return self.trouble
        if self.version is None:
            return NOTHING
        return Message("It has cuDNN {version}.", version=self.version)

    @property
    def facts(self) -> Mapping[str, Fact]:
        return {"version": self.version, "where": self.where, "trouble": self.trouble or None}


def cudnn_of(probe: Probe, python: LabPython, cards: Sequence[Card]) -> Cudnn:
    """Of a PyTorch that was built for CUDA."""
    package, wanted = _required(python)
    libraries = list(_libraries(probe, python))
    if not libraries:
        if package is None or probe.platform != "linux":
            return Cudnn()  # built without it, or it is in PyTorch itself
        missing = Message(
            "Its cuDNN {version} is missing, so that it cannot be loaded.", version=wanted
        )
        return Cudnn(trouble=missing, package=f"{package}=={wanted}")
    library = next((each for each in libraries if is_library(each)), None)
    named = f"{package}=={wanted}" if package else None
    where = probe.shown(library or libraries[0])
    if library is None:
        broken = Message("Its cuDNN, {file}, is no library: the file is damaged.", file=where)
        return Cudnn(where=where, trouble=broken, package=named)
    version = _version(probe, python, library)
    trouble = _unusable(version, wanted, cards)
    return Cudnn(version, where, trouble, named if trouble else None)


def version_in(header: str) -> str | None:
    """What cudnn_version.h says."""
    return ".".join(_NUMBER.findall(header)) or None


def _unusable(version: str | None, wanted: str | None, cards: Sequence[Card]) -> Message:
    if version is None:
        return NOTHING
    has, needs = numbers_of(version)[:2], numbers_of(wanted)[:2]
    if needs and (has[:1] != needs[:1] or has < needs):
        return Message(
            "It has cuDNN {version} but was built with {wanted}, and refuses an older one.",
            version=version,
            wanted=wanted,
        )
    old = [card for card in cards if (card.compute_capability or _TURING) < _TURING]
    if old and has >= _WITHOUT_VOLTA:
        return Message(
            "It has cuDNN {version}, which no longer runs on {cards}.",
            version=version,
            cards=", ".join(sorted({card.name for card in old})),
        )
    return NOTHING


def _required(python: LabPython) -> tuple[str | None, str | None]:
    """The package of cuDNN and its version that this PyTorch asks for, where pip brought it."""
    for folder in python.packages:
        for metadata in folder.glob("torch-*.dist-info/METADATA"):
            try:
                found = _REQUIRED.search(metadata.read_text("utf-8", "replace"))
            except OSError:
                continue
            if found:
                return found[1], found[2]
    return None, None


def _libraries(probe: Probe, python: LabPython) -> Iterator[Path]:
    """Beside PyTorch, in it, in a conda environment, and where the loader looks."""
    folders = [each / inside for each in python.packages for inside in _INSIDE]
    folders.append(probe.at(f"{python.prefix}/lib"))
    for folder in folders:
        try:
            names = sorted(each.name for each in folder.iterdir())
        except OSError:
            continue
        yield from (folder / name for name in names if _LIBRARY.fullmatch(name))
    if probe.platform == "linux":
        for name in ("libcudnn.so.9", "libcudnn.so.8"):
            if library := find_library(probe, name):
                yield library


_INSIDE = ("nvidia/cudnn/lib", "nvidia/cudnn/bin", "torch/lib")


def _version(probe: Probe, python: LabPython, library: Path) -> str | None:
    header = library.parent.parent / "include" / "cudnn_version.h"
    found = version_in(probe.read(probe.shown(header)) or "")
    if found:
        return found
    names = [
        entry.name
        for folder in python.packages
        if library.is_relative_to(folder / "nvidia")
        for entry in probe.entries(probe.shown(folder))
    ]
    return next((each[1] for name in names if (each := _INSTALLED.fullmatch(name))), None)


def numbers_of(version: str | None) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", version or ""))
