"""The Pythons of this computer that have PyTorch, and whether they suit driver and cards and
have their cuDNN; and the CUDA toolkits, which are for compiling. Files are read; PyTorch is
loaded, in a process of its own, only where that is asked for.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuexplorer.commands.checkup.probe import (
    BROKEN,
    FINE,
    LOOK,
    Answer,
    Fact,
    Judged,
    Probe,
    Ran,
    Subject,
    Topic,
)
from gpuexplorer.core.cards import Card
from gpuexplorer.core.doctor import doctor
from gpuexplorer.core.words import NOTHING, Message, all_of, told
from gpuexplorer.lab.oldest import OLDEST_PYTHON, OLDEST_TORCH
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.lab.torch_builds import INDEX, Suits, TorchBuild, flavour, suits
from gpuexplorer.telemetry.looked_for import find_library, is_there, module_version

_PATIENCE = 60.0
_GIVEN_UP = 20.0  # earlier, each gives up by itself
# All of it is compiled in. Asking torch.cuda or torch.backends.cudnn for it would start CUDA
# and wake the cards.
ASK_TORCH = """
import json, torch
flags = getattr(torch._C, "_cuda_getArchFlags", str)()
cudnn = getattr(torch._C, "_cudnn", None)
print("TORCH", json.dumps({
    "architectures": (flags or "").split(),
    "cudnn": cudnn and ".".join(map(str, cudnn.getRuntimeVersion())),
}))
"""
# They are built for one PyTorch, so they are replaced with it.
_COMPANIONS = ("torchvision", "torchaudio")
# From this version on cuDNN has no code for cards before Turing, and PyTorch refuses to use it.
_WITHOUT_VOLTA, _TURING = (9, 11), (7, 5)
_HOMES = ("CUDA_HOME", "CUDA_PATH")
_INCLUDES = ("/usr/include", "/usr/include/x86_64-linux-gnu", "/usr/local/include")


@dataclass(frozen=True, slots=True)
class _Found:
    """A Python with PyTorch."""

    python: LabPython
    suits: Suits
    sentence: Message
    facts: Mapping[str, Fact]


class _Cudnn(NamedTuple):
    """What one PyTorch has of it."""

    version: str | None = None
    trouble: Message = NOTHING  # why PyTorch cannot use it
    package: str | None = None  # what to install anew then, where pip brought it: name==version


def pythons(probe: Probe, answer: Answer) -> Topic:
    looked_at: dict[tuple[str, str], LabPython] = {}
    for each in answer.pythons:
        one = each.result() if each.answered_within(_GIVEN_UP) else LabPython(probe.root)
        if one.prefix:  # however many programs start it
            looked_at.setdefault((one.prefix, one.release), one)
    driver = answer.source.driver_version if answer.source else module_version(probe)
    capabilities = [c.compute_capability for c in answer.answering if c.compute_capability]
    cuda = flavour(driver, capabilities) if driver or answer.answering else None
    found = [
        _judged(probe, python, answer.answering, driver, cuda)
        for python in looked_at.values()
        if _has(python, "torch")
    ]
    looked = Message.counted(
        "{count} Python was looked at.", "{count} Pythons were looked at.", len(looked_at)
    )
    lab = next((one.python.prefix for one in found if one.python.usable), None)
    facts: dict[str, Fact] = {
        "looked_at": len(looked_at),
        "with_torch": [one.facts for one in found],
        "lab": lab,
    }
    if not found:
        return Topic(Subject.PYTORCH, *_none(answer, looked, cuda), facts=facts)
    found.sort(key=lambda one: one.suits.verdict.rank)
    details = [*(one.sentence for one in found), _taken(lab)]
    best, good = found[0], sum(one.suits.verdict is FINE for one in found)
    have = Message.counted(
        "{count} Python has PyTorch.", "{count} Pythons have PyTorch.", len(found)
    )
    if 0 < good < len(found):
        have = Message(
            "{count} Pythons have PyTorch, {good} of them suited to the computer.",
            count=len(found),
            good=good,
        )
    if good:
        return Topic(Subject.PYTORCH, FINE, told(have, looked), NOTHING, details, facts)
    unsuited = Message.counted(
        "It does not suit the computer.", "None of them suits the computer.", len(found)
    )
    do = Message("For {python}: {do}", python=best.python.prefix, do=best.suits.do)
    return Topic(
        Subject.PYTORCH,
        best.suits.verdict,
        told(have, looked, unsuited),
        do if best.suits.do else NOTHING,
        details,
        facts,
    )


def _none(answer: Answer, looked: Message, cuda: str | None) -> Judged:
    # Where the program is, it can fetch PyTorch; on another computer it is not installed.
    fetch = Message("`{doctor} --get-pytorch` installs it.", doctor=doctor())
    if doctor() != doctor(""):
        fetch = NOTHING
    if not answer.answering:
        only = Message("No Python with PyTorch was found; only the lab needs one.")
        return FINE, told(only, fetch), NOTHING
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
    return LOOK, told(none, looked), told(fetch, install)


def _taken(lab: str | None) -> Message:
    if lab is not None:
        return Message(
            "The lab takes {python}, unless another was chosen as “Python of the lab”.",
            python=lab,
        )
    return Message(
        "The lab takes none of them: it needs Python {python} and PyTorch {torch}, or newer.",
        python=".".join(map(str, OLDEST_PYTHON)),
        torch=".".join(map(str, OLDEST_TORCH)),
    )


def _judged(
    probe: Probe,
    python: LabPython,
    cards: Sequence[Card],
    driver: str | None,
    cuda: str | None,
) -> _Found:
    build, cudnn, last_words = python.build, _Cudnn(), NOTHING
    inside = python.prefix == probe.parts  # of this very program, and no Python to start
    anew = Message(
        "Reinstall it: `{command}`",
        command=f"{_pip(probe, python, 'install')} --force-reinstall torch",
    )
    steps = _install_torch(probe, python, cuda) if cuda else anew
    if build is None:
        judged = Suits(BROKEN, Message("Its files are incomplete."), steps)
    else:
        loads = True
        if build.cuda:
            cudnn = _cudnn_of(probe, python, cards)
        ours = build.cuda and python.prefix == probe.prefix and cards
        if not inside and (probe.deep or ours):
            ran = probe.run_program([str(python.path), "-c", ASK_TORCH], _PATIENCE)
            loads, last_words = not ran.code, _last_words(ran)
            build, cudnn = _told_by_itself(ran, build, cudnn)
        judged = suits(build, cards, driver)
        if cudnn.trouble:
            mend = Message("Install PyTorch anew, so that it comes with the cuDNN it needs.")
            if cudnn.package:
                install = f"{_pip(probe, python, 'install')} --force-reinstall {cudnn.package}"
                mend = Message("Run: `{command}`", command=install)
            judged = Suits(BROKEN, judged.sentence, mend)
        elif not loads:
            judged = Suits(BROKEN, Message("It cannot be loaded."), steps)
        elif judged.verdict is not FINE and cuda and not inside:
            judged = replace(judged, do=told(judged.do, steps))
    holds = NOTHING
    if build and build.architectures:
        names = " ".join(build.architectures)
        holds = Message("It holds code for {architectures}.", architectures=names)
    cudnn_words = cudnn.trouble
    if cudnn.version and not cudnn.trouble:
        cudnn_words = Message("It has cuDNN {version}.", version=cudnn.version)
    what = Message(
        "{verdict}: {python}: {torch}.",
        verdict=judged.verdict.word,
        python=_label(probe, python),
        torch=build.label if build else "PyTorch",
    )
    facts = {
        "prefix": python.prefix,
        "python": python.release,
        "torch": build.version if build else None,
        "cuda": build.cuda if build else None,
        "hip": build.hip if build else None,
        "architectures": list(build.architectures) if build else [],
        "cudnn": {"version": cudnn.version, "trouble": cudnn.trouble or None},
        "verdict": judged.verdict,
        "sentence": judged.sentence,
        "do": judged.do,
    }
    sentence = told(what, judged.sentence, holds, cudnn_words, last_words)
    return _Found(python, judged, sentence, facts)


def _told_by_itself(ran: Ran, build: TorchBuild, cudnn: _Cudnn) -> tuple[TorchBuild, _Cudnn]:
    """What PyTorch says of itself, which goes before what its files say."""
    for line in ran.text.splitlines():
        if ran.code == 0 and line.startswith("TORCH "):
            said = json.loads(line.removeprefix("TORCH "))
            build = replace(build, architectures=[str(name) for name in said["architectures"]])
            if said["cudnn"] and not cudnn.trouble:
                cudnn = cudnn._replace(version=said["cudnn"])
    return build, cudnn


def _last_words(ran: Ran) -> Message:
    """What became of a PyTorch that was started."""
    if ran.code == 0:
        return Message("It was started, and loads.")
    if ran.code is None:
        return Message(
            "It was asked which cards it holds code for, and did not say within {seconds:g} s.",
            seconds=_PATIENCE,
        )
    last = (ran.text.strip().splitlines() or [""])[-1][:200]
    return Message(
        "It ended with code {code}. Its last words: {words}", code=ran.code, words=last
    )


def _label(probe: Probe, python: LabPython) -> Message:
    environment, prefix = probe.environment, python.prefix
    here, path = environment.get("PWD"), environment.get("PATH", "").split(os.pathsep)
    number = Message("Python {version}", version=python.release)
    whys = (
        (prefix == probe.parts, Message("inside this program")),
        (prefix == probe.prefix, Message("the one that runs this")),
        (
            prefix in (environment.get("VIRTUAL_ENV"), environment.get("CONDA_PREFIX")),
            Message("the active environment"),
        ),
        (
            bool(here) and prefix in (f"{here}/.venv", f"{here}/venv"),
            Message("in this folder"),
        ),
        (_by_conda(probe, python), Message("conda")),
        (probe.shown(python.path.parent) in path, Message("on the PATH")),
    )
    for holds, why in whys:
        if holds:
            return Message("{folder} ({python}, {why})", folder=prefix, python=number, why=why)
    return Message("{folder} ({python})", folder=prefix, python=number)


def _install_torch(probe: Probe, python: LabPython, cuda: str) -> Message:
    """Steps that replace its PyTorch by the build for this CUDA."""
    program = _quoted(probe.shown(python.path))
    if _by_conda(probe, python):
        return Message(
            "Run: `{command}` conda chooses the CUDA that the driver can run.",
            command=f"conda install -p {_quoted(python.prefix)} -c conda-forge pytorch-gpu",
        )
    index = f"{INDEX}/cu{cuda.replace('.', '')}"
    if probe.exists(f"{python.prefix}/lib/python{python.release}/EXTERNALLY-MANAGED"):
        return Message(
            "This Python belongs to the system, so make one of your own: `{make}`, then"
            " `{install}`.",
            make=f"{program} -m venv ~/torch",
            install=f"~/torch/bin/pip install torch --index-url {index}",
        )
    packages = " ".join(["torch", *(name for name in _COMPANIONS if _has(python, name))])
    return Message(
        "Run `{remove}`, then `{install}`.",
        remove=f"{_pip(probe, python, 'uninstall')} {packages}",
        install=f"{_pip(probe, python, 'install')} {packages} --index-url {index}",
    )


def _pip(probe: Probe, python: LabPython, verb: str) -> str:
    """The beginning of a command that installs into, or uninstalls from, just this Python."""
    program = _quoted(probe.shown(python.path))
    settings = probe.read(f"{python.prefix}/pyvenv.cfg") or ""
    if not _has(python, "pip") and re.search(r"^uv\s*=", settings, re.MULTILINE):
        return f"uv pip {verb} --python {program}"
    return f"{program} -m pip {verb}{' --yes' if verb == 'uninstall' else ''}"


def _by_conda(probe: Probe, python: LabPython) -> bool:
    return probe.exists(f"{python.prefix}/conda-meta")


def _has(python: LabPython, package: str) -> bool:
    return any(is_there(folder / package) for folder in python.packages)


def _quoted(path: str) -> str:
    return f'"{path}"' if " " in path else path


def _cudnn_of(probe: Probe, python: LabPython, cards: Sequence[Card]) -> _Cudnn:
    """Of a PyTorch that was built for CUDA: beside it, in it, in a conda environment, or where
    the loader looks. `torch.backends.cudnn.version()` would start CUDA and wake the cards.
    """
    package, wanted = _cudnn_required(probe, python)
    named = f"{package}=={wanted}" if package else None
    homes = [f"{probe.shown(folder)}/nvidia/cudnn" for folder in python.packages]
    headers = [f"{home}/include/cudnn_version.h" for home in (*homes, python.prefix)]
    version = next(filter(None, (_cudnn_version(probe, each) for each in headers)), None)
    if version is None:
        there = find_library(probe, "libcudnn.so.9") or find_library(probe, "libcudnn.so.8")
        if named and not there and probe.platform == "linux":
            missing = Message(
                "Its cuDNN {version} is missing, so that it cannot be loaded.", version=wanted
            )
            return _Cudnn(None, missing, named)
        return _Cudnn()  # built without it, or it is in PyTorch itself
    has, needs = _numbers(version)[:2], _numbers(wanted)[:2]
    if needs and (has[:1] != needs[:1] or has < needs):
        older = Message(
            "It has cuDNN {version} but was built with {wanted}, and refuses an older one.",
            version=version,
            wanted=wanted,
        )
        return _Cudnn(version, older, named)
    old = {card.name for card in cards if (card.compute_capability or _TURING) < _TURING}
    if old and has >= _WITHOUT_VOLTA:
        dropped = Message(
            "It has cuDNN {version}, which no longer runs on {cards}.",
            version=version,
            cards=", ".join(sorted(old)),
        )
        return _Cudnn(version, dropped, named)
    return _Cudnn(version)


def _cudnn_required(probe: Probe, python: LabPython) -> tuple[str | None, str | None]:
    """The package of cuDNN and its version that this PyTorch asks for, where pip brought it."""
    for folder in python.packages:
        for metadata in folder.glob("torch-*.dist-info/METADATA"):
            text = probe.read(probe.shown(metadata)) or ""
            wants = r"^Requires-Dist: (nvidia-cudnn-cu\d+)\s*\(?==([\d.]+)"
            if found := re.search(wants, text, re.MULTILINE):
                return found[1], found[2]
    return None, None


def _cudnn_version(probe: Probe, header: str) -> str | None:
    defined = r"#define CUDNN_(?:MAJOR|MINOR|PATCHLEVEL)\s+(\d+)"
    return ".".join(re.findall(defined, probe.read(header) or "")) or None


def _numbers(version: str | None) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", version or ""))


def toolkits(probe: Probe, answer: Answer) -> Topic:
    """Which CUDA and cuDNN are installed for compiling, beside those within PyTorch."""
    kits = _kits(probe)
    libraries = {
        header: version
        for folder in (*(f"{kit}/include" for kit in kits), *_INCLUDES)
        if (version := _cudnn_version(probe, header := f"{folder}/cudnn_version.h"))
    }
    nvcc = "nvcc.exe" if probe.platform == "win32" else "nvcc"
    path = probe.environment.get("PATH", "").split(";" if probe.platform == "win32" else ":")
    on_path = [f"{each}/{nvcc}" for each in path if each and probe.exists(f"{each}/{nvcc}")]
    compiler, version = next(iter(on_path), None), None
    if compiler is not None:
        ran = probe.run_program([str(probe.at(compiler)), "--version"], 5.0)
        told_by_it = re.search(r"release (\d+\.\d+)", ran.text)
        version = told_by_it[1] if told_by_it and ran.code == 0 else None
    details = [
        Message("CUDA {version}: {path}", version=each or "?", path=kit)
        for kit, each in kits.items()
    ]
    details += [
        Message("cuDNN {version}: {path}", version=each, path=header)
        for header, each in libraries.items()
    ]
    if version:
        details.append(
            Message("nvcc on the PATH is {version}: {path}", version=version, path=compiler)
        )
    facts: dict[str, Fact] = {
        "cuda": [{"version": each, "where": kit} for kit, each in kits.items()],
        "cudnn": [{"version": each, "where": where} for where, each in libraries.items()],
        "nvcc": {"version": version, "where": compiler} if version else None,
    }
    judged = _kits_judged(probe, answer, kits, compiler, version)
    return Topic(Subject.TOOLKITS, *judged, details, facts)


def _kits_judged(
    probe: Probe,
    answer: Answer,
    kits: Mapping[str, str | None],
    compiler: str | None,
    version: str | None,
) -> Judged:
    chosen = {name: probe.environment[name] for name in _HOMES if probe.environment.get(name)}
    lost = {name: folder for name, folder in chosen.items() if not probe.exists(folder)}
    if lost:
        names = Message.counted(
            "{variables} names a folder that is not there.",
            "{variables} name folders that are not there.",
            len(lost),
            variables=all_of([f"{name}={folder}" for name, folder in lost.items()]),
        )
        correct = Message(
            "Correct or remove {variables}; programs that compile for CUDA look there.",
            variables=all_of(list(lost)),
        )
        return LOOK, names, correct
    if compiler is not None and version is None:
        mute = Message(
            "nvcc is on the PATH ({path}), but did not say its version.", path=compiler
        )
        return LOOK, mute, Message("Reinstall the CUDA toolkit, if you compile with it.")
    for folder in chosen.values():
        other = kits.get(folder)
        if version and other and _numbers(version)[:2] != _numbers(other)[:2]:
            mixed = Message(
                "nvcc on the PATH is of CUDA {version}, but {path} is CUDA {other}.",
                version=version,
                path=folder,
                other=other,
            )
            return LOOK, mixed, Message("Let PATH and CUDA_HOME name the same toolkit.")
    newest = max((_numbers(each)[:1] for each in kits.values()), default=())
    able = _numbers(answer.source.cuda_version if answer.source else None)[:1]
    if able and newest > able:
        too_new = Message(
            "A toolkit is of CUDA {version}, the driver can run up to CUDA {most}.",
            version=newest[0],
            most=able[0],
        )
        return LOOK, too_new, Message("Update the driver, or compile with an older toolkit.")
    if kits:
        installed = Message.counted(
            "{count} CUDA toolkit is installed, for compiling programs.",
            "{count} CUDA toolkits are installed, for compiling programs.",
            len(kits),
        )
        return FINE, installed, NOTHING
    only = Message("No CUDA toolkit is installed.")
    if version is not None:
        only = Message("A CUDA compiler is installed, version {version}.", version=version)
    not_needed = Message(
        "PyTorch brings its own CUDA; a toolkit is needed only to compile programs."
    )
    return FINE, told(only, not_needed), NOTHING


def _kits(probe: Probe) -> dict[str, str | None]:
    """Folders and versions: each toolkit once, however many names lead to it."""
    environment = probe.environment
    folders = [environment[name] for name in _HOMES if environment.get(name)]
    programs = environment.get("PROGRAMFILES", "C:\\Program Files")
    parent = f"{programs}/NVIDIA GPU Computing Toolkit/CUDA"
    if probe.platform != "win32":
        parent = "/usr/local"
    versioned = [each for each in probe.entries(parent) if re.match(r"cuda-|v\d", each.name)]
    folders += [probe.shown(each) for each in versioned]
    folders += ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"]
    found: dict[str, tuple[str, str | None]] = {}
    for folder in folders:
        said = "".join(probe.read(f"{folder}/version.{kind}") or "" for kind in ("json", "txt"))
        tells = r'"cuda"\s*:\s*\{[^}]*"version"\s*:\s*"([\d.]+)"|CUDA Version ([\d.]+)'
        version = re.search(rf"{tells}|[\\/](?:cuda-|v)(\d+\.\d+)$", f"{said}{folder}")
        if probe.exists(folder) and (version or probe.exists(f"{folder}/bin/nvcc")):
            number = next(filter(None, version.groups())) if version else None
            found.setdefault(os.path.realpath(probe.at(folder)), (folder, number))
    return dict(found.values())
