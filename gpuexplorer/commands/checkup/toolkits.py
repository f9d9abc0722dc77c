"""Toolkits: which CUDA and cuDNN are installed for compiling, beside those within PyTorch."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuexplorer.commands.checkup.answer import Answer
from gpuexplorer.commands.checkup.cudnn import numbers_of, version_in
from gpuexplorer.commands.checkup.finding import Fact, Subject, Topic
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.words import NOTHING, Message, all_of, told
from gpuexplorer.telemetry.place import Place, find_library

_HOMES = ("CUDA_HOME", "CUDA_PATH")
_NOT_NEEDED = Message(
    "PyTorch brings its own CUDA; a toolkit is needed only to compile programs."
)


@dataclass(frozen=True, slots=True)
class Found:
    """One toolkit or one cuDNN."""

    kind: str
    version: str | None
    where: str

    @property
    def sentence(self) -> Message:
        if self.version is None:
            return Message(
                "{kind} of an unknown version: {path}", kind=self.kind, path=self.where
            )
        return Message(
            "{kind} {version}: {path}", kind=self.kind, version=self.version, path=self.where
        )

    @property
    def facts(self) -> Mapping[str, Fact]:
        return {"kind": self.kind, "version": self.version, "where": self.where}


def toolkits(probe: Probe, answer: Answer) -> Topic:
    kits = list(_cuda_kits(probe))
    cudnn = list(_cudnn(probe, kits))
    compiler, complaint = _compiler(probe, kits)
    lost = [name for name in _HOMES if _names_nothing(probe, name)]
    facts: dict[str, Fact] = {
        "cuda": [kit.facts for kit in kits],
        "cudnn": [kit.facts for kit in cudnn],
        "nvcc": compiler.facts if compiler else None,
    }
    details = [kit.sentence for kit in (*kits, *cudnn)]
    if compiler is not None:
        details.append(
            Message(
                "nvcc on the PATH is {version}: {path}",
                version=compiler.version,
                path=compiler.where,
            )
        )
    topic = Topic(Subject.TOOLKITS, details, facts)
    if lost:
        values = [f"{name}={probe.environment[name]}" for name in lost]
        return topic.look(
            Message.counted(
                "{variables} names a folder that is not there.",
                "{variables} name folders that are not there.",
                len(values),
                variables=all_of(values),
            ),
            Message(
                "Correct or remove {variables}; programs that compile for CUDA look there.",
                variables=all_of(lost),
            ),
        )
    if complaint:
        return topic.look(
            complaint, Message("Reinstall the CUDA toolkit, if you compile with it.")
        )
    if not kits and compiler is None:
        return topic.fine(told(Message("No CUDA toolkit is installed."), _NOT_NEEDED))
    homes = {probe.environment[name] for name in _HOMES if probe.environment.get(name)}
    chosen = [kit for kit in kits if kit.where in homes and kit.version]
    other = [kit for kit in chosen if compiler is not None and not _same(kit, compiler)]
    if compiler is not None and other:
        return topic.look(
            Message(
                "nvcc on the PATH is of CUDA {version}, but {path} is CUDA {other}.",
                version=compiler.version,
                path=other[0].where,
                other=other[0].version,
            ),
            Message("Let PATH and CUDA_HOME name the same toolkit."),
        )
    newest = max((numbers_of(kit.version)[:1] for kit in kits), default=())
    able = numbers_of(answer.source.cuda_version if answer.source else None)[:1]
    if able and newest > able:
        return topic.look(
            Message(
                "A toolkit is of CUDA {version}, the driver can run up to CUDA {most}.",
                version=newest[0],
                most=able[0],
            ),
            Message("Update the driver, or compile with an older toolkit."),
        )
    if not kits and compiler is not None:
        installed = Message(
            "A CUDA compiler is installed, version {version}.", version=compiler.version
        )
        return topic.fine(told(installed, _NOT_NEEDED))
    return topic.fine(
        Message.counted(
            "{count} CUDA toolkit is installed, for compiling programs.",
            "{count} CUDA toolkits are installed, for compiling programs.",
            len(kits),
        )
    )


def _cuda_kits(probe: Probe) -> Iterator[Found]:
    """Each toolkit once, however many names lead to it."""
    seen: set[Path] = set()
    for folder in _toolkit_folders(probe):
        place = probe.at(folder)
        try:
            known = place.resolve()
        except (OSError, RuntimeError):
            continue
        if known in seen or not _is_toolkit(probe, folder):
            continue
        seen.add(known)
        yield Found("CUDA", _cuda_version(probe, folder), folder)


def _toolkit_folders(probe: Probe) -> Iterator[str]:
    environment = probe.environment
    yield from (environment[name] for name in _HOMES if environment.get(name))
    if probe.platform == "win32":
        programs = environment.get("PROGRAMFILES", "C:\\Program Files")
        parent = f"{programs}/NVIDIA GPU Computing Toolkit/CUDA"
        yield from (probe.shown(folder) for folder in probe.entries(parent))
    else:
        for folder in probe.entries("/usr/local"):
            if folder.name.startswith("cuda-"):
                yield probe.shown(folder)
        yield from ("/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda")
    if conda := environment.get("CONDA_PREFIX"):
        yield conda


def _is_toolkit(place: Place, folder: str) -> bool:
    marks = (
        "bin/nvcc",
        "bin/nvcc.exe",
        "version.json",
        "version.txt",
        "include/cuda_runtime_api.h",
    )
    return any(place.exists(f"{folder}/{mark}") for mark in marks)


def _cuda_version(place: Place, folder: str) -> str | None:
    said = place.read(f"{folder}/version.json") or ""
    if found := re.search(r'"cuda"\s*:\s*\{[^}]*"version"\s*:\s*"([\d.]+)"', said):
        return found.group(1)
    said = place.read(f"{folder}/version.txt") or ""
    if found := re.search(r"CUDA Version ([\d.]+)", said):
        return found.group(1)
    for header in ("include/cuda_runtime_api.h", "targets/x86_64-linux/include/cuda.h"):
        said = place.read(f"{folder}/{header}") or ""
        if found := re.search(r"#define CUDA(?:RT)?_VERSION\s+(\d+)", said):
            number = int(found.group(1))
            return f"{number // 1000}.{number % 1000 // 10}"
    return None


def _cudnn(probe: Probe, kits: Sequence[Found]) -> Iterator[Found]:
    folders = [f"{kit.where}/include" for kit in kits]
    folders += ["/usr/include", "/usr/include/x86_64-linux-gnu"]
    folders += ["/usr/include/aarch64-linux-gnu", "/usr/local/include"]
    if conda := probe.environment.get("CONDA_PREFIX"):
        folders.append(f"{conda}/include")
    seen: set[Path] = set()
    for folder in folders:
        header = f"{folder}/cudnn_version.h"
        said = probe.read(header)
        if said is None or (known := probe.at(header).resolve()) in seen:
            continue
        seen.add(known)
        yield Found("cuDNN", version_in(said), header)
    if not seen and probe.platform == "linux":
        for major in ("9", "8"):
            if library := find_library(probe, f"libcudnn.so.{major}"):
                yield Found("cuDNN", major, probe.shown(library))


def _compiler(probe: Probe, kits: Sequence[Found]) -> tuple[Found | None, Message]:
    """nvcc as a shell would find it, and a complaint where it does not work."""
    name = "nvcc.exe" if probe.platform == "win32" else "nvcc"
    separator = ";" if probe.platform == "win32" else ":"
    folders = filter(None, probe.environment.get("PATH", "").split(separator))
    where = next((f"{f}/{name}" for f in folders if probe.exists(f"{f}/{name}")), None)
    if where is None:
        return None, NOTHING
    for kit in kits:
        if kit.version and where == f"{kit.where}/bin/{name}":
            return Found("nvcc", kit.version, where), NOTHING
    ran = probe.run_program([str(probe.at(where)), "--version"], 5.0)
    version = re.search(r"release (\d+\.\d+)", ran.output)
    if not ran.well or version is None:
        broken = Message(
            "nvcc is on the PATH ({path}), but did not say its version.", path=where
        )
        return None, told(broken, ran.trouble)
    return Found("nvcc", version.group(1), where), NOTHING


def _same(one: Found, other: Found) -> bool:
    """Compiler and toolkit agree in the first two numbers only."""
    return numbers_of(one.version)[:2] == numbers_of(other.version)[:2]


def _names_nothing(probe: Probe, name: str) -> bool:
    value = probe.environment.get(name)
    return bool(value) and not probe.exists(value or "")
