"""The Pythons of this computer that have PyTorch, and whether they suit driver and cards. Files
are read; PyTorch is loaded, in a process of its own, only where that is asked for.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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
from gpuexplorer.commands.checkup.toolkits import Cudnn, cudnn_of
from gpuexplorer.core.cards import Card
from gpuexplorer.core.doctor import doctor
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.pythons import (
    INDEX,
    OLDEST_PYTHON,
    OLDEST_TORCH,
    LabPython,
    Suits,
    TorchBuild,
    flavour,
    suits,
)
from gpuexplorer.telemetry.looked_for import is_there, module_version

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


@dataclass(frozen=True, slots=True)
class _Found:
    """A Python with PyTorch."""

    python: LabPython
    suits: Suits
    sentence: Message
    facts: Mapping[str, Fact]


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
    build, cudnn, last_words = python.build, Cudnn(), NOTHING
    inside = python.prefix == probe.parts  # of this very program, and no Python to start
    worth_asking = probe.deep
    if build is not None and build.cuda:
        cudnn = cudnn_of(probe, python, cards)
        worth_asking = probe.deep or bool(cards and python.prefix == probe.prefix)
    anew = Message(
        "Reinstall it: `{command}`",
        command=f"{_pip(probe, python, 'install')} --force-reinstall torch",
    )
    steps = _install_torch(probe, python, cuda) if cuda else anew
    ran = None
    if worth_asking and build is not None and not inside:
        ran = probe.run_program([str(python.path), "-c", ASK_TORCH], _PATIENCE)
        build, cudnn, last_words = _told_by_itself(ran, build, cudnn)
    if build is None:
        judged = Suits(BROKEN, Message("Its files are incomplete."), steps)
    elif cudnn.trouble:
        do = Message("Install PyTorch anew, so that it comes with the cuDNN it needs.")
        if cudnn.package:
            command = f"{_pip(probe, python, 'install')} --force-reinstall {cudnn.package}"
            do = Message("Run: `{command}`", command=command)
        judged = Suits(BROKEN, suits(build, cards, driver).sentence, do)
    elif ran is not None and ran.code:
        judged = Suits(BROKEN, Message("It cannot be loaded."), steps)
    else:
        judged = suits(build, cards, driver)
        if judged.verdict is not FINE and cuda and not inside:
            judged = replace(judged, do=told(judged.do, steps))
    holds = NOTHING
    if build and build.architectures:
        names = " ".join(build.architectures)
        holds = Message("It holds code for {architectures}.", architectures=names)
    what = Message(
        "{verdict}: {python}: {torch}.",
        verdict=judged.verdict.word,
        python=_named(probe, python),
        torch=build.label if build else "PyTorch",
    )
    has = (
        Message("It has cuDNN {version}.", version=cudnn.version) if cudnn.version else NOTHING
    )
    facts = {
        "prefix": python.prefix,
        "python": python.release,
        "torch": build.version if build else None,
        "cuda": build.cuda if build else None,
        "hip": build.hip if build else None,
        "architectures": list(build.architectures) if build else [],
        "cudnn": {
            "version": cudnn.version,
            "where": cudnn.where,
            "trouble": cudnn.trouble,
        },
        "verdict": judged.verdict,
        "sentence": judged.sentence,
        "do": judged.do,
    }
    sentence = told(what, judged.sentence, holds, cudnn.trouble or has, last_words)
    return _Found(python, judged, sentence, facts)


def _named(probe: Probe, python: LabPython) -> Message:
    """Its folder, and how it was found."""
    environment, prefix, here = probe.environment, python.prefix, probe.environment.get("PWD")
    on_the_path = environment.get("PATH", "").split(os.pathsep)
    whys = (
        (Message("inside this program"), prefix == probe.parts),
        (Message("the one that runs this"), prefix == probe.prefix),
        (
            Message("the active environment"),
            prefix in (environment.get("VIRTUAL_ENV"), environment.get("CONDA_PREFIX")),
        ),
        (Message("in this folder"), here and prefix in (f"{here}/.venv", f"{here}/venv")),
        (Message("conda"), _by_conda(probe, python)),
        (Message("on the PATH"), probe.shown(python.path.parent) in on_the_path),
    )
    known = {"folder": prefix, "version": python.release}
    for why, holds in whys:
        if holds:
            return Message("{folder} (Python {version}, {why})", why=why, **known)
    return Message("{folder} (Python {version})", **known)


def _told_by_itself(
    ran: Ran, build: TorchBuild, cudnn: Cudnn
) -> tuple[TorchBuild, Cudnn, Message]:
    """What PyTorch says of itself, which goes before what its files say; and how it ended."""
    for line in ran.text.splitlines() if ran.code == 0 else ():
        if line.startswith("TORCH "):
            build = replace(build, architectures=line.split()[1:])
        elif line.startswith("CUDNN "):
            cudnn = cudnn._replace(version=line.split()[1])
    last = (ran.text.strip().splitlines() or [""])[-1][:200]
    if ran.code is None:
        said = Message(
            "It was loaded for {seconds:g} s, and did not answer.", seconds=_PATIENCE
        )
    elif ran.code == 0:
        said = Message("It was started, and loads.")
    else:
        said = Message(
            "It ended with code {code}. Its last words: {words}", code=ran.code, words=last
        )
    return build, cudnn, said


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
