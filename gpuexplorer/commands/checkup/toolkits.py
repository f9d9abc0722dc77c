"""Which CUDA and cuDNN there are: toolkits, installed to compile programs, and what a PyTorch
has. Files are read, and at most nvcc is started: to ask PyTorch would wake the cards.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gpuexplorer.commands.checkup.probe import (
    FINE,
    LOOK,
    Answer,
    Judged,
    Probe,
    Subject,
    Topic,
)
from gpuexplorer.core.cards import Card
from gpuexplorer.core.words import NOTHING, Message, all_of, told
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.telemetry.looked_for import Place, find_library, is_library

_HOMES = ("CUDA_HOME", "CUDA_PATH")
_PATIENCE = 5.0
# Where a toolkit says its version, and how.
_VERSIONS = {
    "version.json": r'"cuda"\s*:\s*\{[^}]*"version"\s*:\s*"([\d.]+)"',
    "version.txt": r"CUDA Version ([\d.]+)",
    "include/cuda_runtime_api.h": r"#define CUDART_VERSION\s+(\d+)",
    "targets/x86_64-linux/include/cuda.h": r"#define CUDA_VERSION\s+(\d+)",
}
_HEADERS = (
    "/usr/include",
    "/usr/include/x86_64-linux-gnu",
    "/usr/include/aarch64-linux-gnu",
    "/usr/local/include",
)
_CUDNN = ("libcudnn.so.9", "libcudnn.so.8")
_OF_PYTORCH = ("nvidia/cudnn/lib", "nvidia/cudnn/bin", "torch/lib")
# From this version on it has no code for cards before Turing, and PyTorch refuses to use it.
_WITHOUT_VOLTA, _TURING = (9, 11), (7, 5)


class _Found(NamedTuple):
    """A toolkit, a cuDNN, or a compiler."""

    kind: str
    version: str | None
    where: str


def toolkits(probe: Probe, answer: Answer) -> Topic:
    environment, kits = probe.environment, _kits(probe)
    cudnn, (compiler, complaint) = _cudnn(probe, kits), _compiler(probe, kits)
    details = [
        Message(
            "{kind} {version}: {path}", kind=each.kind, version=each.version, path=each.where
        )
        if each.version
        else Message("{kind} of an unknown version: {path}", kind=each.kind, path=each.where)
        for each in (*kits, *cudnn)
    ]
    facts = {
        "cuda": [each._asdict() for each in kits],
        "cudnn": [each._asdict() for each in cudnn],
        "nvcc": compiler._asdict() if compiler else None,
    }
    homes = {name: environment[name] for name in _HOMES if environment.get(name)}
    lost = [name for name, folder in homes.items() if not probe.exists(folder)]
    mixed = None
    if compiler:
        known = {"version": compiler.version, "path": compiler.where}
        details.append(Message("nvcc on the PATH is {version}: {path}", **known))
        ours = _numbers(compiler.version)[:2]  # in more of them, they need not agree
        chosen = [each for each in kits if each.where in homes.values() and each.version]
        mixed = next((each for each in chosen if _numbers(each.version)[:2] != ours), None)
    newest = max((_numbers(each.version)[:1] for each in kits), default=())
    able = _numbers(answer.source.cuda_version if answer.source else None)[:1]
    needless = Message(
        "PyTorch brings its own CUDA; a toolkit is needed only to compile programs."
    )
    judged: Judged
    if lost:
        nowhere = Message.counted(
            "{variables} names a folder that is not there.",
            "{variables} name folders that are not there.",
            len(lost),
            variables=all_of([f"{name}={homes[name]}" for name in lost]),
        )
        correct = Message(
            "Correct or remove {variables}; programs that compile for CUDA look there.",
            variables=all_of(lost),
        )
        judged = LOOK, nowhere, correct
    elif complaint:
        anew = Message("Reinstall the CUDA toolkit, if you compile with it.")
        judged = LOOK, complaint, anew
    elif compiler and mixed:
        mixes = Message(
            "nvcc on the PATH is of CUDA {version}, but {path} is CUDA {other}.",
            version=compiler.version,
            path=mixed.where,
            other=mixed.version,
        )
        judged = LOOK, mixes, Message("Let PATH and CUDA_HOME name the same toolkit.")
    elif able and newest > able:
        too_new = Message(
            "A toolkit is of CUDA {version}, the driver can run up to CUDA {most}.",
            version=newest[0],
            most=able[0],
        )
        older = Message("Update the driver, or compile with an older toolkit.")
        judged = LOOK, too_new, older
    elif kits:
        there = Message.counted(
            "{count} CUDA toolkit is installed, for compiling programs.",
            "{count} CUDA toolkits are installed, for compiling programs.",
            len(kits),
        )
        judged = FINE, there, NOTHING
    elif compiler:
        alone = Message(
            "A CUDA compiler is installed, version {version}.", version=compiler.version
        )
        judged = FINE, told(alone, needless), NOTHING
    else:
        judged = FINE, told(Message("No CUDA toolkit is installed."), needless), NOTHING
    return Topic(Subject.TOOLKITS, *judged, details, facts)


def _kits(probe: Probe) -> Sequence[_Found]:
    """Each toolkit once, however many names lead to it."""
    environment = probe.environment
    folders = [environment.get(name) for name in _HOMES]
    if probe.platform == "win32":
        programs = environment.get("PROGRAMFILES", "C:\\Program Files")
        below = probe.entries(f"{programs}/NVIDIA GPU Computing Toolkit/CUDA")
        folders += map(probe.shown, below)
    else:
        below = probe.entries("/usr/local")
        folders += [probe.shown(each) for each in below if each.name.startswith("cuda-")]
        folders += ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"]
    found: dict[Path, _Found] = {}
    for folder in filter(None, [*folders, environment.get("CONDA_PREFIX")]):
        version = _version_of_kit(probe, folder)
        if version or any(
            probe.exists(f"{folder}/bin/{each}") for each in ("nvcc", "nvcc.exe")
        ):
            found.setdefault(probe.at(folder).resolve(), _Found("CUDA", version, folder))
    return [*found.values()]


def _version_of_kit(place: Place, folder: str) -> str | None:
    for file, said in _VERSIONS.items():
        if version := re.search(said, place.read(f"{folder}/{file}") or ""):
            number = version[1]
            if number.isdigit():  # headers have 13000 for 13.0
                return f"{int(number) // 1000}.{int(number) % 1000 // 10}"
            return number
    return None


def _cudnn(probe: Probe, kits: Sequence[_Found]) -> Sequence[_Found]:
    """Beside the toolkits, and where the system has its headers and libraries."""
    folders = [*(f"{each.where}/include" for each in kits), *_HEADERS]
    if conda := probe.environment.get("CONDA_PREFIX"):
        folders.append(f"{conda}/include")
    found: dict[Path, _Found] = {}
    for header in (f"{folder}/cudnn_version.h" for folder in folders):
        if said := probe.read(header):
            one = _Found("cuDNN", _version_said(said), header)
            found.setdefault(probe.at(header).resolve(), one)
    libraries = _CUDNN if probe.platform == "linux" and not found else ()
    there = [each for name in libraries if (each := find_library(probe, name))]
    return [
        *found.values(),
        *(_Found("cuDNN", each.name.rpartition(".")[2], probe.shown(each)) for each in there),
    ]


def _compiler(probe: Probe, kits: Sequence[_Found]) -> tuple[_Found | None, Message]:
    """nvcc as a shell would find it, and a complaint where it does not work."""
    name, separator = ("nvcc.exe", ";") if probe.platform == "win32" else ("nvcc", ":")
    folders = filter(None, probe.environment.get("PATH", "").split(separator))
    where = next((f"{f}/{name}" for f in folders if probe.exists(f"{f}/{name}")), None)
    if where is None:
        return None, NOTHING
    for kit in kits:
        if kit.version and where == f"{kit.where}/bin/{name}":
            return _Found("nvcc", kit.version, where), NOTHING
    ran = probe.run_program([str(probe.at(where)), "--version"], _PATIENCE)
    version = re.search(r"release (\d+\.\d+)", ran.text)
    if version and ran.code == 0:
        return _Found("nvcc", version[1], where), NOTHING
    silent = NOTHING
    if ran.code is None and not ran.text:
        silent = Message("It did not answer within {seconds:g} s.", seconds=_PATIENCE)
    broken = Message("nvcc is on the PATH ({path}), but did not say its version.", path=where)
    return None, told(broken, silent)


class Cudnn(NamedTuple):
    """What one PyTorch has of it."""

    version: str | None = None
    where: str | None = None
    trouble: Message | None = None  # why PyTorch cannot use it
    package: str | None = None  # what to install anew, where pip brought it: name==version


def cudnn_of(probe: Probe, python: LabPython, cards: Sequence[Card]) -> Cudnn:
    """Of a PyTorch that was built for CUDA."""
    package, wanted = _required(probe, python)
    named = package and f"{package}=={wanted}"
    libraries = [*_libraries(probe, python)]
    library = next((each for each in libraries if is_library(each)), None)
    if library is not None:
        version = _version_of(probe, python, library)
        trouble = _unusable(version, wanted, cards)
        return Cudnn(version, probe.shown(library), trouble, named)
    if libraries:
        where = probe.shown(libraries[0])
        broken = Message("Its cuDNN, {file}, is no library: the file is damaged.", file=where)
        return Cudnn(None, where, broken, named)
    if package is None or probe.platform != "linux":
        return Cudnn()  # built without it, or it is in PyTorch itself
    missing = Message(
        "Its cuDNN {version} is missing, so that it cannot be loaded.", version=wanted
    )
    return Cudnn(None, None, missing, named)


def _required(probe: Probe, python: LabPython) -> tuple[str | None, str | None]:
    """The package and version that this PyTorch asks for, where pip brought it."""
    asks = re.compile(r"^Requires-Dist: (nvidia-cudnn-cu\d+)\s*\(?==([\d.]+)", re.MULTILINE)
    for folder in python.packages:
        for metadata in folder.glob("torch-*.dist-info/METADATA"):
            if found := asks.search(probe.read(probe.shown(metadata)) or ""):
                return found[1], found[2]
    return None, None


def _libraries(probe: Probe, python: LabPython) -> Iterator[Path]:
    """Beside PyTorch, in it, in a conda environment, and where the loader looks."""
    folders = [
        f"{probe.shown(each)}/{below}" for each in python.packages for below in _OF_PYTORCH
    ]
    for folder in (*folders, f"{python.prefix}/lib"):
        for each in probe.entries(folder):
            if re.fullmatch(r"libcudnn\.so\.\d+|cudnn64_\d+\.dll", each.name):
                yield each
    if probe.platform == "linux":
        yield from filter(None, (find_library(probe, name) for name in _CUDNN))


def _version_of(probe: Probe, python: LabPython, library: Path) -> str | None:
    header = probe.shown(library.parent.parent / "include/cudnn_version.h")
    if version := _version_said(probe.read(header) or ""):
        return version
    for folder in python.packages:
        if library.is_relative_to(folder / "nvidia"):
            for each in folder.glob("nvidia_cudnn_cu*-*.dist-info"):
                return each.name.removesuffix(".dist-info").rpartition("-")[2]
    return None


def _unusable(version: str | None, wanted: str | None, cards: Sequence[Card]) -> Message | None:
    has, needs = _numbers(version)[:2], _numbers(wanted)[:2]
    if has and needs and (has[:1] != needs[:1] or has < needs):
        return Message(
            "It has cuDNN {version} but was built with {wanted}, and refuses an older one.",
            version=version,
            wanted=wanted,
        )
    old = {card.name for card in cards if (card.compute_capability or _TURING) < _TURING}
    if old and has >= _WITHOUT_VOLTA:
        return Message(
            "It has cuDNN {version}, which no longer runs on {cards}.",
            version=version,
            cards=", ".join(sorted(old)),
        )
    return None


def _version_said(header: str) -> str | None:
    """By cudnn_version.h."""
    numbers = re.findall(r"#define CUDNN_(?:MAJOR|MINOR|PATCHLEVEL)\s+(\d+)", header)
    return ".".join(numbers) or None


def _numbers(version: str | None) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", version or ""))
