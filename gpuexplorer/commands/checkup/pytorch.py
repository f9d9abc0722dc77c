"""The Pythons of this computer that have PyTorch, and whether they suit driver and cards; and
CUDA toolkits and cuDNN. Files are read; at most nvcc is started, and PyTorch, in a process of
its own, and without its CUDA, which would wake the cards.
"""

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path, PurePath
from typing import NamedTuple

from gpuexplorer.commands.checkup.probe import Probe, Topic
from gpuexplorer.core.cards import Card
from gpuexplorer.core.doctor import doctor
from gpuexplorer.core.records import KEPT_HERE
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
_GIVEN_UP = 20.0  # earlier, each gives up by itself
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
_ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")
_HOMES = ("CUDA_HOME", "CUDA_PATH")
_NVCC_PATIENCE = 5.0
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
_OF_PYTORCH = ("nvidia/cudnn/lib", "nvidia/cudnn/bin", "torch/lib")
_CUDNN_FILES = ("libcudnn.so.[0-9]", "cudnn64_[0-9].dll")
_REQUIRED = re.compile(r"^Requires-Dist: (nvidia-cudnn-cu\d+)\s*\(?==([\d.]+)", re.MULTILINE)
# From this version on it has no code for cards before Turing, and PyTorch refuses to use it.
_WITHOUT_VOLTA, _TURING = (9, 11), (7, 5)


@dataclass(slots=True)
class Cudnn:
    """What one PyTorch has of it."""

    version: str | None = None
    where: str | None = None
    trouble: Message | None = None  # why PyTorch cannot use it
    # What to install anew, where pip brought it: name==version.
    package: str | None = field(default=None, metadata=KEPT_HERE)


def pythons(topic: Topic, probe: Probe) -> None:
    looked_at: dict[tuple[str, str], LabPython] = {}
    for each in probe.pythons:
        if each.answered_within(_GIVEN_UP) and (python := each.result()).prefix:
            # However many programs start it.
            looked_at.setdefault((python.prefix, python.release), python)
    have = [python for python in looked_at.values() if _has(python, "torch")]
    driver, cards = _driver(probe), probe.answer.cards
    capabilities = [card.compute_capability for card in cards if card.compute_capability]
    cuda = flavour(driver, capabilities) if driver or cards else None
    found = [_looked_at(probe, python, cuda) for python in have]
    lab = next((python.prefix for python in have if python.usable), None)
    topic.facts = {
        "looked_at": len(looked_at),
        "with_torch": [one.facts for one in found],
        "lab": lab,
    }
    looked = Message.counted(
        "{count} Python was looked at.", "{count} Pythons were looked at.", len(looked_at)
    )
    if not found:
        _without_torch(topic, looked, cuda, here=bool(cards))
        return
    found.sort(key=lambda one: one.verdict.rank)
    best, good = found[0], sum(one.verdict is Verdict.FINE for one in found)
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
    number, unsuited = len(found), NOTHING
    torches = Message.counted(
        "{count} Python has PyTorch.", "{count} Pythons have PyTorch.", number
    )
    if not good:
        unsuited = Message.counted(
            "It does not suit the computer.", "None of them suits the computer.", number
        )
    elif good < number:
        torches = Message(
            "{count} Pythons have PyTorch, {good} of them suited to the computer.",
            count=number,
            good=good,
        )
    do = Message("For {python}: {do}", python=best.topic, do=best.do) if best.do else NOTHING
    topic.judge(best.verdict, told(torches, looked, unsuited), do)


def _without_torch(topic: Topic, looked: Message, cuda: str | None, *, here: bool) -> None:
    # Where the program is, it can fetch PyTorch; on another computer it is not installed.
    fetch = Message("`{doctor} --get-pytorch` installs it.", doctor=doctor())
    if doctor() != doctor(""):
        fetch = NOTHING
    if not here:
        only = Message("No Python with PyTorch was found; only the lab needs one.")
        topic.fine(told(only, fetch))
        return
    install = Message(
        "To compute with PyTorch, install it into any of your Pythons: `pip install torch`."
    )
    if cuda is not None:
        install = Message(
            "To compute with PyTorch, install PyTorch built for CUDA {version} into any of your"
            " Pythons.",
            version=cuda,
        )
    none = Message("No Python with PyTorch was found.")
    topic.look(told(none, looked), told(fetch, install))


def _looked_at(probe: Probe, python: LabPython, cuda: str | None) -> Topic:
    """A Python with PyTorch, as programs read it; its details are the sentences about it."""
    one, build, cards = Topic(python.prefix), python.build, probe.answer.cards
    inside = python.prefix == str(probe.parts)  # of this very program, and no Python to start
    cudnn = _cudnn_of(probe, python, cards) if build and build.cuda else Cudnn()
    own = build and build.cuda and cards and python.prefix == probe.prefix
    code: int | None = 0
    loads = NOTHING
    if build and not inside and (probe.deep or own):
        code, text = probe.run_program([str(python.path), "-c", ASK_TORCH], _PATIENCE)
        said = dict(re.findall(r"^(TORCH|CUDNN) (.*)", text, re.MULTILINE))
        # What PyTorch says of itself goes before what its files say.
        build = replace(build, architectures=said.get("TORCH", "").split())
        cudnn.version = said.get("CUDNN", cudnn.version)
        last = (text.strip().splitlines() or [""])[-1][:200]
        loads = Message("It was started, and loads.")
        if code is None:
            loads = Message(
                "It was loaded for {seconds:g} s, and did not answer.", seconds=_PATIENCE
            )
        elif code:
            loads = Message(
                "It ended with code {code}. Its last words: {words}", code=code, words=last
            )
    anew = f"{_pip(probe, python, 'install')} --force-reinstall"
    steps = Message("Reinstall it: `{command}`", command=f"{anew} torch")
    if cuda:
        steps = _install_torch(probe, python, cuda)
    judged = suits(build, cards, _driver(probe)) if build else None
    if judged is None:
        one.broken("Its files are incomplete.", steps)
    elif cudnn.trouble:
        do = Message("Install PyTorch anew, so that it comes with the cuDNN it needs.")
        if cudnn.package:
            do = Message("Run: `{command}`", command=f"{anew} {cudnn.package}")
        one.broken(judged.sentence, do)
    elif code:
        one.broken("It cannot be loaded.", steps)
    else:
        wants = judged.verdict is not Verdict.FINE and cuda and not inside
        do = told(judged.do, steps) if wants else judged.do
        one.judge(judged.verdict, judged.sentence, do)
    version, built_for, hip, architectures = astuple(build) if build else (None, None, None, ())
    one.facts = {
        "prefix": python.prefix,
        "python": python.release,
        "torch": version,
        "cuda": built_for,
        "hip": hip,
        "architectures": architectures,
        "cudnn": cudnn,
        "verdict": one.verdict,
        "sentence": one.sentence,
        "do": one.do,
    }
    named = Message(
        "{verdict}: {python}: {torch}.",
        verdict=one.verdict.word,
        python=_named(probe, python),
        torch=build.label if build else "PyTorch",
    )
    one.details = [named, one.sentence]
    if architectures:
        one.detail("It holds code for {architectures}.", architectures=" ".join(architectures))
    if cudnn.version and not cudnn.trouble:
        one.detail("It has cuDNN {version}.", version=cudnn.version)
    one.details += [cudnn.trouble or NOTHING, loads]
    return one


def _driver(probe: Probe) -> str | None:
    source = probe.answer.source
    return source.driver_version if source else probe.module


def _named(probe: Probe, python: LabPython) -> Message:
    """Its folder, and how it was found."""
    variable, here = probe.environment.get, probe.environment.get("PWD")
    path = variable("PATH", "").split(os.pathsep)
    whys = (
        (Message("inside this program"), [str(probe.parts)]),
        (Message("the one that runs this"), [probe.prefix]),
        (
            Message("the active environment"),
            [variable("VIRTUAL_ENV"), variable("CONDA_PREFIX")],
        ),
        (Message("in this folder"), [f"{here}/.venv", f"{here}/venv"]),
        (Message("conda"), [python.prefix] if _by_conda(probe, python) else []),
    )
    why = next((why for why, folders in whys if python.prefix in folders), None)
    if why is None and probe.shown(python.path.parent) in path:
        why = Message("on the PATH")
    known = {"folder": python.prefix, "version": python.release}
    if why is None:
        return Message("{folder} (Python {version})", **known)
    return Message("{folder} (Python {version}, {why})", why=why, **known)


def _install_torch(probe: Probe, python: LabPython, cuda: str) -> Message:
    """Steps that replace its PyTorch by the build for this CUDA."""
    if _by_conda(probe, python):
        return Message(
            "Run: `{command}` conda chooses the CUDA that the driver can run.",
            command=f"conda install -p {_quoted(python.prefix)} -c conda-forge pytorch-gpu",
        )
    index = f"--index-url {INDEX}/cu{cuda.replace('.', '')}"
    if probe.exists(f"{python.prefix}/lib/python{python.release}/EXTERNALLY-MANAGED"):
        return Message(
            "This Python belongs to the system, so make one of your own: `{make}`, then"
            " `{install}`.",
            make=f"{_quoted(probe.shown(python.path))} -m venv ~/torch",
            install=f"~/torch/bin/pip install torch {index}",
        )
    packages = " ".join(["torch", *(name for name in _COMPANIONS if _has(python, name))])
    return Message(
        "Run `{remove}`, then `{install}`.",
        remove=f"{_pip(probe, python, 'uninstall')} {packages}",
        install=f"{_pip(probe, python, 'install')} {packages} {index}",
    )


def _pip(probe: Probe, python: LabPython, verb: str) -> str:
    """The beginning of a command that installs into, or uninstalls from, just this Python."""
    program = _quoted(probe.shown(python.path))
    if not _has(python, "pip") and probe.found(f"{python.prefix}/pyvenv.cfg", r"^(uv)\s*="):
        return f"uv pip {verb} --python {program}"
    return f"{program} -m pip {verb}{' --yes' if verb == 'uninstall' else ''}"


def _by_conda(probe: Probe, python: LabPython) -> bool:
    return probe.exists(f"{python.prefix}/conda-meta")


def _has(python: LabPython, package: str) -> bool:
    return any(is_there(folder / package) for folder in python.packages)


def _quoted(path: str) -> str:
    return f'"{path}"' if " " in path else path


def _cudnn_of(probe: Probe, python: LabPython, cards: Sequence[Card]) -> Cudnn:
    """Of a PyTorch that was built for CUDA: beside it, in it, in a conda environment, or where
    the loader looks.
    """
    packages = [glob.escape(probe.shown(folder)) for folder in python.packages]
    asks = None  # for what, where pip brought it
    for metadata in probe.all(*(f"{each}/torch-*.dist-info/METADATA" for each in packages)):
        asks = asks or re.search(_REQUIRED, probe.read(metadata) or "")
    package, wanted = ("{}=={}".format(*asks.groups()), asks[2]) if asks else (None, None)
    folders = [f"{each}/{below}" for each in packages for below in _OF_PYTORCH]
    folders.append(f"{glob.escape(python.prefix)}/lib")
    libraries = probe.all(*(f"{each}/{name}" for each in folders for name in _CUDNN_FILES))
    libraries += _by_the_loader(probe)
    library = next((each for each in libraries if is_library(probe.at(each))), None)
    if library is not None:
        installed = probe.all(*(f"{each}/nvidia_cudnn_cu*.dist-info" for each in packages))
        version = _version_said(probe, f"{PurePath(library).parents[1]}/include")
        if version is None and installed and "/nvidia/" in library:
            version = installed[0].removesuffix(".dist-info").rpartition("-")[2]
        return Cudnn(version, library, _unusable(version, wanted, cards), package)
    if libraries:
        broken = Message(
            "Its cuDNN, {file}, is no library: the file is damaged.", file=libraries[0]
        )
        return Cudnn(None, libraries[0], broken, package)
    if package is None or probe.platform != "linux":
        return Cudnn()  # built without it, or it is in PyTorch itself
    missing = Message(
        "Its cuDNN {version} is missing, so that it cannot be loaded.", version=wanted
    )
    return Cudnn(trouble=missing, package=package)


def _by_the_loader(probe: Probe) -> list[str]:
    """cuDNN, where the loader of Linux finds it."""
    names = ("libcudnn.so.9", "libcudnn.so.8") if probe.platform == "linux" else ()
    return [probe.shown(path) for name in names if (path := find_library(probe, name))]


def _version_said(probe: Probe, folder: str) -> str | None:
    """By cuDNN's header in there."""
    header = probe.read(f"{folder}/cudnn_version.h") or ""
    numbers = re.findall(r"#define CUDNN_(?:MAJOR|MINOR|PATCHLEVEL)\s+(\d+)", header)
    return ".".join(numbers) or None


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


class _Part(NamedTuple):
    """A toolkit, a cuDNN, or a compiler."""

    kind: str
    version: str | None
    where: str


def toolkits(topic: Topic, probe: Probe) -> None:
    environment, kits = probe.environment, _kits(probe)
    cudnn, (compiler, complaint) = _cudnn(probe, kits), _compiler(probe, kits)
    topic.facts = {"cuda": kits, "cudnn": cudnn, "nvcc": compiler}
    for each in (*kits, *cudnn):
        if each.version:
            topic.detail("{kind} {version}: {where}", **each._asdict())
        else:
            topic.detail("{kind} of an unknown version: {where}", **each._asdict())
    homes = {name: environment[name] for name in _HOMES if environment.get(name)}
    lost = [name for name, folder in homes.items() if not probe.exists(folder)]
    mixed = None
    if compiler:
        topic.detail("nvcc on the PATH is {version}: {where}", **compiler._asdict())
        ours = _numbers(compiler.version)[:2]  # in more of them, they need not agree
        chosen = [each for each in kits if each.where in homes.values() and each.version]
        mixed = next((each for each in chosen if _numbers(each.version)[:2] != ours), None)
    newest = max((_numbers(each.version)[:1] for each in kits), default=())
    source = probe.answer.source
    able = _numbers(source.cuda_version if source else None)[:1]
    if lost:
        nowhere = Message.counted(
            "{variables} names a folder that is not there.",
            "{variables} name folders that are not there.",
            len(lost),
            variables=all_of([f"{name}={homes[name]}" for name in lost]),
        )
        topic.look(
            nowhere,
            "Correct or remove {variables}; programs that compile for CUDA look there.",
            variables=all_of(lost),
        )
    elif complaint:
        topic.look(complaint, "Reinstall the CUDA toolkit, if you compile with it.")
    elif compiler and mixed:
        topic.look(
            "nvcc on the PATH is of CUDA {version}, but {path} is CUDA {other}.",
            "Let PATH and CUDA_HOME name the same toolkit.",
            version=compiler.version,
            path=mixed.where,
            other=mixed.version,
        )
    elif able and newest > able:
        topic.look(
            "A toolkit is of CUDA {version}, the driver can run up to CUDA {most}.",
            "Update the driver, or compile with an older toolkit.",
            version=newest[0],
            most=able[0],
        )
    elif kits:
        there = Message.counted(
            "{count} CUDA toolkit is installed, for compiling programs.",
            "{count} CUDA toolkits are installed, for compiling programs.",
            len(kits),
        )
        topic.fine(there)
    else:
        alone = Message("No CUDA toolkit is installed.")
        if compiler:
            alone = Message(
                "A CUDA compiler is installed, version {version}.", version=compiler.version
            )
        needless = Message(
            "PyTorch brings its own CUDA; a toolkit is needed only to compile programs."
        )
        topic.fine(told(alone, needless))


def _kits(probe: Probe) -> Sequence[_Part]:
    """Each toolkit once, however many names lead to it."""
    environment = probe.environment
    folders = [environment.get(name, "") for name in _HOMES]
    if probe.platform == "win32":
        programs = environment.get("PROGRAMFILES", "C:\\Program Files")
        folders += probe.all(f"{programs}/NVIDIA GPU Computing Toolkit/CUDA/*")
    else:
        folders += probe.all("/usr/local/cuda-*")
        folders += ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"]
    found: dict[Path, _Part] = {}
    for folder in filter(None, [*folders, environment.get("CONDA_PREFIX")]):
        said = (probe.found(f"{folder}/{file}", how) for file, how in _VERSIONS.items())
        version = next(filter(None, said), None)
        if version and version.isdigit():  # headers have 13000 for 13.0
            version = f"{int(version) // 1000}.{int(version) % 1000 // 10}"
        if version or probe.all(f"{folder}/bin/nvcc", f"{folder}/bin/nvcc.exe"):
            found.setdefault(probe.at(folder).resolve(), _Part("CUDA", version, folder))
    return [*found.values()]


def _cudnn(probe: Probe, kits: Sequence[_Part]) -> Sequence[_Part]:
    """Beside the toolkits, and where the system has its headers, or else its libraries."""
    folders = [*(f"{each.where}/include" for each in kits), *_HEADERS]
    if conda := probe.environment.get("CONDA_PREFIX"):
        folders.append(f"{conda}/include")
    found: dict[Path, _Part] = {}
    for folder in folders:
        for header in probe.all(f"{folder}/cudnn_version.h"):
            part = _Part("cuDNN", _version_said(probe, folder), header)
            found.setdefault(probe.at(header).resolve(), part)
    return [*found.values()] or [
        _Part("cuDNN", each.rpartition(".")[2], each) for each in _by_the_loader(probe)
    ]


def _compiler(probe: Probe, kits: Sequence[_Part]) -> tuple[_Part | None, Message]:
    """nvcc as a shell would find it, and a complaint where it does not work."""
    name, separator = ("nvcc.exe", ";") if probe.platform == "win32" else ("nvcc", ":")
    folders = filter(None, probe.environment.get("PATH", "").split(separator))
    where = next((f"{f}/{name}" for f in folders if probe.exists(f"{f}/{name}")), None)
    if where is None:
        return None, NOTHING
    version = {f"{kit.where}/bin/{name}": kit.version for kit in kits}.get(where)
    if version is not None:
        return _Part("nvcc", version, where), NOTHING
    code, text = probe.run_program([str(probe.at(where)), "--version"], _NVCC_PATIENCE)
    release = re.search(r"release (\d+\.\d+)", text)
    if release and code == 0:
        return _Part("nvcc", release[1], where), NOTHING
    silent = NOTHING
    if code is None and not text:
        silent = Message("It did not answer within {seconds:g} s.", seconds=_NVCC_PATIENCE)
    broken = Message("nvcc is on the PATH ({path}), but did not say its version.", path=where)
    return None, told(broken, silent)


def _numbers(version: str | None) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", version or ""))
