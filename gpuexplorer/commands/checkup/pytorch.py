"""The Pythons of this computer that have PyTorch, and whether they suit driver and cards; and
CUDA toolkits and cuDNN. Files are read; at most nvcc is started, and PyTorch, in a process of
its own, and without its CUDA, which would wake the cards.
"""

import glob
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import NamedTuple

from gpuexplorer.commands.checkup.probe import Probe, Topic
from gpuexplorer.core.doctor import doctor
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import NOTHING, Message, all_of, told
from gpuexplorer.lab.pythons import (
    INDEX,
    OLDEST_PYTHON,
    OLDEST_TORCH,
    LabPython,
    flavour,
    suits,
)
from gpuexplorer.telemetry.looked_for import find_library, is_library, is_there

_PATIENCE = 60.0
# Both are compiled in. Asking torch.cuda or torch.backends for them would start CUDA and wake
# the cards.
ASK_TORCH = """
import sys, torch
flags = getattr(torch._C, "_cuda_getArchFlags", str)()
sys.stdout.write("TORCH " + (flags or "") + "\\n")
cudnn = getattr(torch._C, "_cudnn", None)
if cudnn:
    sys.stdout.write("CUDNN " + ".".join(map(str, cudnn.getRuntimeVersion())) + "\\n")
"""
# They are built for one PyTorch, so they are replaced with it.
_COMPANIONS = ("torchvision", "torchaudio")
_HOMES = ("CUDA_HOME", "CUDA_PATH")
_NVCC_PATIENCE = 5.0
_CUDNN = "libcudnn.so"
_REQUIRED = re.compile(r"^Requires-Dist: nvidia-cudnn-cu\d+\s*\(?==([\d.]+)", re.MULTILINE)


@dataclass(slots=True)
class Cudnn:
    """What one PyTorch has of it."""

    version: str | None = None
    where: str | None = None
    trouble: Message | None = None  # why PyTorch cannot use it


def pythons(topic: Topic, probe: Probe) -> None:
    looked_at: dict[tuple[str, str], LabPython] = {}
    for python in probe.pythons:
        if python.prefix:  # however many programs start it
            looked_at.setdefault((python.prefix, python.release), python)
    have = [python for python in looked_at.values() if _has(python, "torch")]
    cards = probe.cards
    driver = probe.session.source.driver_version or probe.module
    capabilities = [card.compute_capability for card in cards if card.compute_capability]
    cuda = flavour(driver, capabilities) if driver or cards else None
    found = [_looked_at(probe, python, driver, cuda) for python in have]
    lab = next((python.prefix for python in have if python.usable), None)
    listed = [one.facts for one in found]
    topic.facts = {"looked_at": len(looked_at), "with_torch": listed, "lab": lab}
    # Where the program is, it can fetch PyTorch; on another computer it is not installed.
    fetch = NOTHING
    if doctor() == doctor(""):
        fetch = Message("`{doctor} --get-pytorch` installs it.", doctor=doctor())
    counted = Message(
        "PyTorch is in {count} of {looked} Pythons that were looked at.",
        count=len(found),
        looked=len(looked_at),
    )
    if not found and cards:
        build = Message("PyTorch built for CUDA {version}", version=cuda) if cuda else "PyTorch"
        install = "To compute with PyTorch, install {build} into any of your Pythons."
        topic.look(counted, told(fetch, Message(install, build=build)))
        return
    if not found:
        topic.fine(told(counted, Message("Only the lab needs one."), fetch))
        return
    found.sort(key=lambda one: [*Verdict].index(one.verdict))
    topic.details = [told(*one.details) for one in found]
    if lab is not None:
        topic.detail(
            "The lab takes {python}, unless another was chosen as “Python of the lab”.",
            python=lab,
        )
    else:
        topic.detail(
            "The lab takes none of them: it needs Python {python} and PyTorch {torch}, or"
            " newer.",
            python=".".join(map(str, OLDEST_PYTHON)),
            torch=".".join(map(str, OLDEST_TORCH)),
        )
    best, good = found[0], sum(one.verdict is Verdict.FINE for one in found)
    suited = Message("In {good} of them it suits the computer.", good=good)
    do = Message("For {python}: {do}", python=best.topic, do=best.do) if best.do else NOTHING
    topic.judge(best.verdict, told(counted, suited), do)


def _looked_at(probe: Probe, python: LabPython, driver: str | None, cuda: str | None) -> Topic:
    """A Python with PyTorch, as programs read it; its details are the sentences about it."""
    one, build, cards = Topic(python.prefix), python.build, probe.cards
    inside = python.prefix == str(probe.parts)  # of this very program, and no Python to start
    for_cuda = build is not None and build.cuda is not None
    cudnn = _cudnn_of(probe, python) if for_cuda else Cudnn()
    own = for_cuda and cards and python.prefix == probe.prefix
    failed, loads = False, NOTHING
    if build and not inside and (probe.deep or own):
        status, text = probe.run_program([str(python.path), "-c", ASK_TORCH], _PATIENCE)
        said = dict(re.findall(r"^(TORCH|CUDNN) (.*)", text, re.MULTILINE))
        # What PyTorch says of itself goes before what its files say.
        build = replace(build, architectures=said.get("TORCH", "").split())
        cudnn.version = said.get("CUDNN", cudnn.version)
        loads = Message("It was started, and loads.")
        if failed := status != 0:
            last = text.strip().rpartition("\n")[2][:200]
            nothing = Message("none within {seconds:g} s", seconds=_PATIENCE)
            loads = Message("It was started. Its last words: {words}", words=last or nothing)
    steps = _install_torch(probe, python, cuda)
    if build is None:
        one.broken("Its files are incomplete.", steps)
    elif failed:
        one.broken("It cannot be loaded.", steps)
    elif cudnn.trouble:
        one.broken(cudnn.trouble, steps)
    else:
        judged = suits(build, cards, driver)
        one.judge(judged.verdict, judged.sentence, judged.do)
        if one.verdict is not Verdict.FINE and cuda and not inside:
            one.do = told(one.do, steps)
    architectures = build.architectures if build else ()
    one.facts = {
        "prefix": python.prefix,
        "python": python.release,
        "torch": build and build.version,
        "cuda": build and build.cuda,
        "hip": build and build.hip,
        "architectures": architectures,
        "cudnn": cudnn,
        "verdict": one.verdict,
        "sentence": one.sentence,
        "do": one.do,
    }
    known = {
        probe.environment.get("VIRTUAL_ENV"): Message(" (the active environment)"),
        probe.environment.get("CONDA_PREFIX"): Message(" (the active environment)"),
        probe.prefix: Message(" (which runs this)"),
        str(probe.parts): Message(" (inside this program)"),
    }
    one.detail(
        "{verdict}: {folder}{how}, Python {version}: {torch}.",
        verdict=one.verdict.sentence,
        folder=python.prefix,
        how=known.get(python.prefix, NOTHING),
        version=python.release,
        torch=build.label if build else "PyTorch",
    )
    one.details.append(one.sentence)
    if architectures:
        one.detail("It holds code for {architectures}.", architectures=" ".join(architectures))
    if cudnn.version and not cudnn.trouble:
        one.detail("It has cuDNN {version}.", version=cudnn.version)
    one.details.append(loads)
    return one


def _install_torch(probe: Probe, python: LabPython, cuda: str | None) -> Message:
    """How its PyTorch is replaced, by the build for this CUDA."""
    program = _quoted(probe.shown(python.path))
    index = f" --index-url {INDEX}/cu{cuda.replace('.', '')}" if cuda else ""
    if probe.exists(f"{python.prefix}/conda-meta"):
        return Message(
            "Run: `{command}` conda chooses the CUDA that the driver can run.",
            command=f"conda install -p {_quoted(python.prefix)} -c conda-forge pytorch-gpu",
        )
    if probe.exists(f"{python.prefix}/lib/python{python.release}/EXTERNALLY-MANAGED"):
        return Message(
            "This Python belongs to the system, so make one of your own: `{make}`, then"
            " `{install}`.",
            make=f"{program} -m venv ~/torch",
            install=f"~/torch/bin/pip install torch{index}",
        )
    pip = f"{program} -m pip install"
    if not _has(python, "pip") and probe.found(f"{python.prefix}/pyvenv.cfg", r"^(uv)\s*="):
        pip = f"uv pip install --python {program}"
    packages = " ".join(["torch", *(name for name in _COMPANIONS if _has(python, name))])
    return Message("Run: `{command}`", command=f"{pip} --force-reinstall {packages}{index}")


def _has(python: LabPython, package: str) -> bool:
    return any(is_there(folder / package) for folder in python.packages)


def _quoted(path: str) -> str:
    return f'"{path}"' if " " in path else path


def _cudnn_of(probe: Probe, python: LabPython) -> Cudnn:
    """Of a PyTorch that was built for CUDA: pip's, conda's, or the loader's."""
    packages = [glob.escape(probe.shown(folder)) for folder in python.packages]
    metadata = probe.all(*(f"{each}/torch-*.dist-info/METADATA" for each in packages))
    asks = _REQUIRED.search("\n".join(probe.read(each) or "" for each in metadata))
    brought = probe.all(*(f"{each}/nvidia/cudnn/lib/{_CUDNN}.[0-9]" for each in packages))
    others = probe.all(f"{glob.escape(python.prefix)}/lib/{_CUDNN}.[0-9]")
    whole = [path for path in (*brought, *others) if is_library(probe.at(path))]
    there = next(iter([*whole, *_by_the_loader(probe)]), None)
    version = _version_of(probe, there) if there else None
    noted = probe.all(*(f"{each}/nvidia_cudnn_cu*.dist-info" for each in packages))
    if noted and there in brought:
        version = noted[0].removesuffix(".dist-info").rpartition("-")[2]
    trouble, has = None, _numbers(version)[:2]
    if asks and probe.platform == "linux":  # for what pip brought, and refuses an older one
        needs = _numbers(asks[1])[:2]
        if there is None or (has and (has[:1] != needs[:1] or has < needs)):
            trouble = Message(
                "It was built with cuDNN {wanted}, has {version}, and cannot use that.",
                wanted=asks[1],
                version=version or Message("none that is whole"),
            )
    return Cudnn(version, there, trouble)


def _by_the_loader(probe: Probe) -> list[str]:
    """cuDNN, where the loader of Linux finds it."""
    names = (f"{_CUDNN}.{number}" for number in "98" if probe.platform == "linux")
    return [probe.shown(path) for name in names if (path := find_library(probe, name))]


def _version_of(probe: Probe, library: str) -> str:
    """By the file that its name leads to."""
    return probe.at(library).resolve().name.rpartition(".so.")[2]


class _Part(NamedTuple):
    """A toolkit, a cuDNN, or a compiler."""

    kind: str
    version: str | None
    where: str


def toolkits(topic: Topic, probe: Probe) -> None:
    """A toolkit is where there is a compiler, and its version is what that says."""
    name, places = "nvcc", ["/usr/local/cuda*/bin", "/opt/cuda/bin"]
    if probe.platform == "win32":
        programs = probe.environment.get("PROGRAMFILES", "C:\\Program Files")
        name, places = "nvcc.exe", [f"{programs}/NVIDIA GPU Computing Toolkit/CUDA/*/bin"]
    known: dict[Path, _Part] = {}  # each once, however many names lead to it

    def kit(folder: str) -> _Part | None:
        real, place = probe.at(f"{folder}/{name}").resolve(), PurePath(folder)
        if real not in known and is_there(real):
            code, text = probe.run_program([str(real), "--version"], _NVCC_PATIENCE)
            said = re.search(r"release (\d+\.\d+)", text) if code == 0 else None
            where = place.parent if place.name == "bin" else place
            known[real] = _Part("CUDA", said and said[1], str(where))
        return known.get(real)

    path = filter(None, probe.environment.get("PATH", "").split(os.pathsep))
    first = next((each for each in path if kit(each)), "")
    compiler = (found := kit(first)) and found._replace(kind="nvcc", where=f"{first}/{name}")
    homes = {each: folder for each in _HOMES if (folder := probe.environment.get(each))}
    astray = [
        f"{each}={folder}"
        for each, folder in homes.items()
        if not (one := kit(f"{folder}/bin")) or (found and found.version != one.version)
    ]
    for folder in probe.all(*places):
        kit(folder)
    kits, libraries = [*known.values()], _by_the_loader(probe)[:1]
    cudnn = [_Part("cuDNN", _version_of(probe, each), each) for each in libraries]
    topic.facts = {"cuda": kits, "cudnn": cudnn, "nvcc": compiler}
    for each in filter(None, (*kits, *cudnn, compiler)):
        version = each.version or Message("of an unknown version")
        topic.detail(
            "{kind} {version}: {where}", kind=each.kind, version=version, where=each.where
        )
    newest = max((_numbers(each.version)[:1] for each in kits), default=())
    able = _numbers(probe.session.source.cuda_version)[:1]
    if astray:
        topic.look(
            "{variables} names no toolkit, or another one than the PATH.",
            "Correct or remove it: programs that compile for CUDA look there, too.",
            variables=all_of(astray),
        )
    elif compiler and not compiler.version:
        topic.look(
            "nvcc is on the PATH ({path}), but did not say its version.",
            "Reinstall the CUDA toolkit, if you compile with it.",
            path=compiler.where,
        )
    elif able and newest > able:
        topic.look(
            "A toolkit is of CUDA {version}, the driver can run up to CUDA {most}.",
            "Update the driver, or compile with an older toolkit.",
            version=newest[0],
            most=able[0],
        )
    elif kits:
        topic.fine("CUDA toolkits for compiling programs: {count}.", count=len(kits))
    else:
        topic.fine(
            "No CUDA toolkit is installed. PyTorch brings its own CUDA; a toolkit is needed"
            " only to compile programs."
        )


def _numbers(version: str | None) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", version or ""))
