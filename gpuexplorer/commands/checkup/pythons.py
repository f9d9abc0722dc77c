"""PyTorch: which Pythons of this computer have it, and which of them suit driver and cards."""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.commands.checkup.answer import Answer
from gpuexplorer.commands.checkup.cudnn import Cudnn, cudnn_of
from gpuexplorer.commands.checkup.finding import Fact, Subject, Topic, Verdict
from gpuexplorer.commands.checkup.probe import Probe, Ran
from gpuexplorer.core.cards import Card
from gpuexplorer.core.doctor import doctor
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.pythons import (
    INDEX,
    OLDEST_PYTHON,
    OLDEST_TORCH,
    Capability,
    LabPython,
    Suits,
    TorchBuild,
    flavour,
    suits,
)
from gpuexplorer.telemetry.looked_for import module_version
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.place import is_there

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
class _PythonWithTorch:
    python: LabPython
    label: Message
    build: TorchBuild | None  # None: the installation is incomplete
    suits: Suits
    cudnn: Cudnn
    trouble: Message = NOTHING  # why it could not be asked more closely

    @property
    def sentence(self) -> Message:
        what = Message(
            "{verdict}: {python}: {torch}.",
            verdict=self.suits.verdict.word,
            python=self.label,
            torch=self.build.label if self.build else "PyTorch",
        )
        holds = NOTHING
        if self.build and self.build.architectures:
            names = " ".join(self.build.architectures)
            holds = Message("It holds code for {architectures}.", architectures=names)
        return told(what, self.suits.sentence, holds, self.cudnn.sentence, self.trouble)

    @property
    def facts(self) -> Mapping[str, Fact]:
        build = self.build
        return {
            "prefix": self.python.prefix,
            "python": self.python.release,
            "torch": build.version if build else None,
            "cuda": build.cuda if build else None,
            "hip": build.hip if build else None,
            "architectures": list(build.architectures) if build else [],
            "cudnn": self.cudnn.facts,
            "verdict": self.suits.verdict,
            "sentence": self.suits.sentence,
            "do": self.suits.do,
        }


def pythons(
    probe: Probe, answer: Answer, asked: Sequence[Asked[LabPython]], *, deep: bool
) -> Topic:
    """Imports PyTorch, in a process of its own, only where `deep` or the cards ask for it."""
    looked_at = _each_once(each.result() for each in asked if each.answered_within(_GIVEN_UP))
    driver_version = (
        answer.source.driver_version if answer.source is not None else module_version(probe)
    )
    found = [
        _judged(probe, one, answer, driver_version, deep=deep)
        for one in looked_at
        if _has(one, "torch")
    ]
    facts: dict[str, Fact] = {
        "looked_at": len(looked_at),
        "with_torch": [one.facts for one in found],
    }
    looked = Message.counted(
        "{count} Python was looked at.", "{count} Pythons were looked at.", len(looked_at)
    )
    if not found:
        if not answer.answering:
            return Topic(Subject.PYTORCH, [looked], facts).fine(
                told(
                    Message("No Python with PyTorch was found; only the lab needs one."),
                    _fetch(),
                )
            )
        nothing = told(Message("No Python with PyTorch was found."), looked)
        cuda = flavour(driver_version, _capabilities(answer.answering))
        do = _install(cuda)
        if cuda and looked_at and looked_at[0].prefix == probe.prefix:
            do = told(do, _into_this_one(probe, looked_at[0], cuda))
        do = told(_fetch(), do)
        return Topic(Subject.PYTORCH, facts=facts).look(nothing, do)
    about_lab = _about_the_lab(found)
    facts["lab"] = None if (lab := _of_the_lab(found)) is None else lab.python.prefix
    found.sort(key=lambda one: one.suits.verdict.rank)
    best = found[0]
    details = [*(one.sentence for one in found), about_lab]
    if best.suits.verdict is Verdict.FINE:
        good = sum(one.suits.verdict is Verdict.FINE for one in found)
        return Topic(Subject.PYTORCH, details, facts).fine(
            told(_have_torch(len(found), good), looked)
        )
    unsuited = Message.counted(
        "It does not suit the computer.",
        "None of them suits the computer.",
        len(found),
    )
    sentence = told(_have_torch(len(found), len(found)), looked, unsuited)
    do = (
        Message("For {python}: {do}", python=best.python.prefix, do=best.suits.do)
        if best.suits.do
        else NOTHING
    )
    return Topic(Subject.PYTORCH, details, facts, best.suits.verdict, sentence, do)


def _install(cuda: str | None) -> Message:
    if cuda is None:
        return Message(
            "To compute with PyTorch, install it into any of your Pythons: `pip install torch`."
        )
    return Message(
        "To compute with PyTorch, install PyTorch built for CUDA {version} into any of your"
        " Pythons.",
        version=cuda,
    )


def _fetch() -> Message:
    """Where the program is, it can fetch PyTorch; on another computer it is not installed."""
    if doctor() != doctor(""):
        return NOTHING
    return Message("`{doctor} --get-pytorch` installs it.", doctor=doctor())


def _into_this_one(probe: Probe, python: LabPython, cuda: str) -> Message:
    return Message(
        "Into the one that runs this: {steps}", steps=install_torch(probe, python, cuda)
    )


def _have_torch(number: int, good: int) -> Message:
    if good == number:
        return Message.counted(
            "{count} Python has PyTorch.", "{count} Pythons have PyTorch.", number
        )
    return Message.counted(
        "{count} Python has PyTorch, {good} of them suited to the computer.",
        "{count} Pythons have PyTorch, {good} of them suited to the computer.",
        number,
        good=good,
    )


def _about_the_lab(found: Sequence[_PythonWithTorch]) -> Message:
    lab = _of_the_lab(found)
    if lab is None:
        python, torch = (".".join(map(str, each)) for each in (OLDEST_PYTHON, OLDEST_TORCH))
        return Message(
            "The lab takes none of them: it needs Python {python} and PyTorch {torch},"
            " or newer.",
            python=python,
            torch=torch,
        )
    return Message(
        "The lab takes {python}, unless another was chosen as “Python of the lab”.",
        python=lab.python.prefix,
    )


def _of_the_lab(found: Sequence[_PythonWithTorch]) -> _PythonWithTorch | None:
    """The first it could use, as it goes through them itself: in this order."""
    return next((one for one in found if one.python.usable), None)


def _each_once(asked: Iterable[LabPython]) -> list[LabPython]:
    """Those that answered, however many programs start them."""
    found: dict[tuple[str, str], LabPython] = {}
    for one in asked:
        if one.prefix:
            found.setdefault((one.prefix, one.release), one)
    return list(found.values())


def _label(probe: Probe, python: LabPython) -> Message:
    environment, prefix = probe.environment, python.prefix
    here = environment.get("PWD")
    why = NOTHING
    if prefix == probe.parts:
        why = Message("inside this program")
    elif prefix == probe.prefix:
        why = Message("the one that runs this")
    elif prefix in (environment.get("VIRTUAL_ENV"), environment.get("CONDA_PREFIX")):
        why = Message("the active environment")
    elif here and prefix in (f"{here}/.venv", f"{here}/venv"):
        why = Message("in this folder")
    elif _by_conda(probe, python):
        why = Message("conda")
    elif probe.shown(python.path.parent) in environment.get("PATH", "").split(os.pathsep):
        why = Message("on the PATH")
    number = Message("Python {version}", version=python.release)
    if not why:
        return Message("{folder} ({python})", folder=prefix, python=number)
    return Message("{folder} ({python}, {why})", folder=prefix, python=number, why=why)


def _judged(
    probe: Probe,
    python: LabPython,
    answer: Answer,
    driver_version: str | None,
    *,
    deep: bool,
) -> _PythonWithTorch:
    label, build, cards = _label(probe, python), python.build, answer.answering
    cuda = flavour(driver_version, _capabilities(cards)) if driver_version or cards else None
    if build is None:
        incomplete = Message("Its files are incomplete.")
        anew = Suits(Verdict.BROKEN, incomplete, _install_anew(probe, python, cuda))
        return _PythonWithTorch(python, label, None, anew, Cudnn())
    cudnn = cudnn_of(probe, python, cards) if build.cuda else Cudnn()
    ran = None
    ours = python.prefix == probe.prefix
    inside = python.prefix == probe.parts  # of this very program, and no Python to start
    if not inside and (deep or (build.cuda and ours and cards)):
        ran = probe.run_program([str(python.path), "-c", ASK_TORCH], _PATIENCE)
        build, cudnn = _told_by_itself(ran, build, cudnn)
    judged = suits(build, cards, driver_version)
    if cudnn.trouble:
        judged = Suits(Verdict.BROKEN, judged.sentence, _mend(probe, python, cudnn))
    elif ran is not None and ran.code:
        broken = Message("It cannot be loaded.")
        judged = Suits(Verdict.BROKEN, broken, _install_anew(probe, python, cuda))
    elif judged.verdict is not Verdict.FINE and cuda and not inside:
        steps = install_torch(probe, python, cuda)
        judged = replace(judged, do=told(judged.do, steps))
    return _PythonWithTorch(python, label, build, judged, cudnn, _last_words(ran))


def _told_by_itself(ran: Ran, build: TorchBuild, cudnn: Cudnn) -> tuple[TorchBuild, Cudnn]:
    """What PyTorch says of itself, which goes before what its files say."""
    for line in ran.output.splitlines():
        if ran.well and line.startswith("TORCH "):
            said = json.loads(line.removeprefix("TORCH "))
            build = replace(build, architectures=[str(name) for name in said["architectures"]])
            if said["cudnn"] and not cudnn.trouble:
                cudnn = replace(cudnn, version=said["cudnn"])
    return build, cudnn


def _last_words(ran: Ran | None) -> Message:
    """What became of a PyTorch that was started."""
    if ran is None:
        return NOTHING
    if ran.well:
        return Message("It was started, and loads.")
    last = (ran.output.strip().splitlines() or [""])[-1][:200]
    unasked = Message("It was asked which cards it holds code for, and did not say.")
    words = Message("Its last words: {words}", words=last) if last else NOTHING
    return told(unasked, ran.trouble, words)


def _install_anew(probe: Probe, python: LabPython, cuda: str | None) -> Message:
    if cuda:
        return install_torch(probe, python, cuda)
    command = f"{pip(probe, python, 'install')} --force-reinstall torch"
    return Message("Reinstall it: `{command}`", command=command)


def _mend(probe: Probe, python: LabPython, cudnn: Cudnn) -> Message:
    """The way to a cuDNN that this PyTorch can use."""
    if cudnn.package is None:
        return Message("Install PyTorch anew, so that it comes with the cuDNN it needs.")
    command = f"{pip(probe, python, 'install')} --force-reinstall {cudnn.package}"
    return Message("Run: `{command}`", command=command)


def _capabilities(cards: Sequence[Card]) -> Sequence[Capability]:
    return [card.compute_capability for card in cards if card.compute_capability]


def install_torch(probe: Probe, python: LabPython, cuda: str) -> Message:
    """Steps that replace its PyTorch, or bring the first one, by the build for this CUDA."""
    if _by_conda(probe, python):
        command = f"conda install -p {_quoted(python.prefix)} -c conda-forge pytorch-gpu"
        run = Message("Run: `{command}`", command=command)
        return told(run, Message("conda chooses the CUDA that the driver can run."))
    index = f"{INDEX}/cu{cuda.replace('.', '')}"
    if _kept_by_the_system(probe, python):
        return Message(
            "This Python belongs to the system, so make one of your own: `{make}`, then"
            " `{install}`.",
            make=f"{_program(probe, python)} -m venv ~/torch",
            install=f"~/torch/bin/pip install torch --index-url {index}",
        )
    packages = " ".join(["torch", *(name for name in _COMPANIONS if _has(python, name))])
    if not _has(python, "torch"):
        command = f"{pip(probe, python, 'install')} torch --index-url {index}"
        return Message("Run: `{command}`", command=command)
    return Message(
        "Run `{remove}`, then `{install}`.",
        remove=f"{pip(probe, python, 'uninstall')} {packages}",
        install=f"{pip(probe, python, 'install')} {packages} --index-url {index}",
    )


def pip(probe: Probe, python: LabPython, verb: str) -> str:
    """The beginning of a command that installs into, or uninstalls from, just this Python."""
    program = _program(probe, python)
    settings = probe.read(f"{python.prefix}/pyvenv.cfg") or ""
    if not _has(python, "pip") and re.search(r"^uv\s*=", settings, re.MULTILINE):
        return f"uv pip {verb} --python {program}"
    return f"{program} -m pip {verb}{' --yes' if verb == 'uninstall' else ''}"


def _by_conda(probe: Probe, python: LabPython) -> bool:
    return probe.exists(f"{python.prefix}/conda-meta")


def _kept_by_the_system(probe: Probe, python: LabPython) -> bool:
    return probe.exists(f"{python.prefix}/lib/python{python.release}/EXTERNALLY-MANAGED")


def _has(python: LabPython, package: str) -> bool:
    return any(is_there(folder / package) for folder in python.packages)


def _program(probe: Probe, python: LabPython) -> str:
    return _quoted(probe.shown(python.path))


def _quoted(path: str) -> str:
    return f'"{path}"' if " " in path else path
