"""The Pythons of this computer that have PyTorch, and whether they suit driver and cards and
have their cuDNN; and the CUDA toolkits, which are for compiling. Files are read; PyTorch is
loaded, in a process of its own, only where that is asked for.
"""

import json
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
from gpuexplorer.core.words import NOTHING, Message, told
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
            cudnn = _cudnn_of(probe, python)
        if probe.deep and not inside:
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
        python=Message(
            "{folder} (Python {version})", folder=python.prefix, version=python.release
        ),
        torch=build.label if build else "PyTorch",
    )
    facts = {
        "prefix": python.prefix,
        "python": python.release,
        "torch": build.version if build else None,
        "cuda": build.cuda if build else None,
        "verdict": judged.verdict,
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


def _cudnn_of(probe: Probe, python: LabPython) -> _Cudnn:
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
    """Which CUDA is installed for compiling, beside those within PyTorch."""
    home = next(filter(None, map(probe.environment.get, ("CUDA_HOME", "CUDA_PATH"))), None)
    nvcc = "nvcc.exe" if probe.platform == "win32" else "nvcc"
    path = probe.environment.get("PATH", "").split(";" if probe.platform == "win32" else ":")
    # Where programs that compile for CUDA look for it.
    folders = [*([f"{home}/bin"] if home else []), *filter(None, path), "/usr/local/cuda/bin"]
    found = [f"{each}/{nvcc}" for each in folders if probe.exists(f"{each}/{nvcc}")]
    compilers = {each: _nvcc_version(probe, each) for each in dict.fromkeys(found)}
    details = [
        Message("CUDA {version}: {path}", version=version or "?", path=each)
        for each, version in compilers.items()
    ]
    versions = {_numbers(each)[:2] for each in compilers.values() if each}
    able = _numbers(answer.source.cuda_version if answer.source else None)[:1]
    not_needed = Message(
        "PyTorch brings its own CUDA; a toolkit is needed only to compile programs."
    )
    none = told(Message("No CUDA toolkit is installed."), not_needed)
    judged: Judged = FINE, not_needed if compilers else none, NOTHING
    if home and not probe.exists(home):
        lost = Message(
            "CUDA_HOME or CUDA_PATH names {folder}, which is not there.", folder=home
        )
        correct = Message("Correct or remove it; programs that compile for CUDA look there.")
        judged = LOOK, lost, correct
    elif len(versions) > 1:
        several = Message("There are several CUDA compilers of different versions.")
        judged = LOOK, several, Message("Let PATH and CUDA_HOME name the same toolkit.")
    elif able and max(versions, default=())[:1] > able:
        too_new = Message(
            "A toolkit is of CUDA {version}, the driver can run up to CUDA {most}.",
            version=max(versions)[0],
            most=able[0],
        )
        update = Message("Update the driver, or compile with an older toolkit.")
        judged = LOOK, too_new, update
    return Topic(Subject.TOOLKITS, *judged, details)


def _nvcc_version(probe: Probe, nvcc: str) -> str | None:
    ran = probe.run_program([str(probe.at(nvcc)), "--version"], 5.0)
    version = re.search(r"release (\d+\.\d+)", ran.text)
    return version[1] if version and ran.code == 0 else None
