"""PyTorch: which Pythons of this computer have it, and which of them suit driver and cards."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpuexplorer.commands.checkup.answer import Answer
from gpuexplorer.commands.checkup.cudnn import Cudnn, cudnn_of
from gpuexplorer.commands.checkup.finding import Fact, Topic, Verdict
from gpuexplorer.commands.checkup.interpreters import Interpreter, interpreters
from gpuexplorer.commands.checkup.probe import Probe, Ran
from gpuexplorer.core.cards import Card
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.oldest import OLDEST_PYTHON, OLDEST_TORCH
from gpuexplorer.lab.torch_builds import (
    Capability,
    Suits,
    TorchBuild,
    flavour,
    read_build,
    suits,
)
from gpuexplorer.telemetry.looked_for import module_version
from gpuexplorer.telemetry.place import is_there

_TITLE = Message("PyTorch")
_PATIENCE = 60.0
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
_INDEX = "https://download.pytorch.org/whl/cu{tag}"
# They are built for one PyTorch, so they are replaced with it.
_COMPANIONS = ("torchvision", "torchaudio")


@dataclass(frozen=True, slots=True)
class _PythonWithTorch:
    interpreter: Interpreter
    build: TorchBuild | None  # None: the installation is incomplete
    suits: Suits
    cudnn: Cudnn
    trouble: Message = NOTHING  # why it could not be asked more closely

    @property
    def sentence(self) -> Message:
        what = Message(
            "{verdict}: {python}: {torch}.",
            verdict=self.suits.verdict.word,
            python=self.interpreter.label,
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
            "prefix": self.interpreter.prefix,
            "python": self.interpreter.version,
            "torch": build.version if build else None,
            "cuda": build.cuda if build else None,
            "hip": build.hip if build else None,
            "architectures": list(build.architectures) if build else [],
            "cudnn": self.cudnn.facts,
            "verdict": self.suits.verdict,
            "sentence": self.suits.sentence,
            "do": self.suits.do,
        }


def pythons(probe: Probe, answer: Answer, *, deep: bool) -> Topic:
    """Imports PyTorch, in a process of its own, only where `deep` or the cards ask for it."""
    looked_at = list(interpreters(probe))
    driver_version = (
        answer.source.driver_version if answer.source is not None else module_version(probe)
    )
    found = [
        _judged(probe, one, answer, driver_version, deep=deep)
        for one in looked_at
        if _torch_folder(one) is not None
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
            sentence = Message("No Python with PyTorch was found; only the lab needs one.")
            return Topic(_TITLE, Verdict.FINE, sentence, details=[looked], facts=facts)
        nothing = told(Message("No Python with PyTorch was found."), looked)
        cuda = flavour(driver_version, _capabilities(answer.answering))
        do = _install(cuda)
        if cuda and looked_at and looked_at[0].prefix == probe.prefix:
            do = told(do, _into_this_one(probe, looked_at[0], cuda))
        return Topic(_TITLE, Verdict.LOOK, nothing, do, facts=facts)
    about_lab = _about_the_lab(found)
    facts["lab"] = None if (lab := _of_the_lab(found)) is None else lab.interpreter.prefix
    found.sort(key=lambda one: one.suits.verdict.rank)
    best = found[0]
    details = [*(one.sentence for one in found), about_lab]
    if best.suits.verdict is Verdict.FINE:
        good = sum(one.suits.verdict is Verdict.FINE for one in found)
        have = told(_have_torch(len(found), good), looked)
        return Topic(_TITLE, Verdict.FINE, have, details=details, facts=facts)
    unsuited = Message.counted(
        "It is not fit for this computer.",
        "None of them is fit for this computer.",
        len(found),
    )
    sentence = told(_have_torch(len(found), len(found)), looked, unsuited)
    do = (
        Message("For {python}: {do}", python=best.interpreter.prefix, do=best.suits.do)
        if best.suits.do
        else NOTHING
    )
    return Topic(_TITLE, best.suits.verdict, sentence, do, details, facts)


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


def _into_this_one(probe: Probe, python: Interpreter, cuda: str) -> Message:
    return Message(
        "Into the one that runs this: {steps}", steps=install_torch(probe, python, cuda)
    )


def _have_torch(number: int, good: int) -> Message:
    if good == number:
        return Message.counted(
            "{count} Python has PyTorch.", "{count} Pythons have PyTorch.", number
        )
    return Message.counted(
        "{count} Python has PyTorch, {good} of them fit for this computer.",
        "{count} Pythons have PyTorch, {good} of them fit for this computer.",
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
        python=lab.interpreter.prefix,
    )


def _of_the_lab(found: Sequence[_PythonWithTorch]) -> _PythonWithTorch | None:
    """The first it could use, as it goes through them itself: in this order."""
    return next((one for one in found if one.build and _new_enough(one)), None)


def _new_enough(one: _PythonWithTorch) -> bool:
    number = [int(each) for each in re.findall(r"\d+", one.interpreter.version or "")]
    too_old = one.build is not None and one.build.too_old
    return not too_old and (not number or tuple(number) >= OLDEST_PYTHON)


def _judged(
    probe: Probe,
    interpreter: Interpreter,
    answer: Answer,
    driver_version: str | None,
    *,
    deep: bool,
) -> _PythonWithTorch:
    folder = _torch_folder(interpreter)
    build = read_build(folder / "version.py") if folder is not None else None
    cards = answer.answering
    cuda = flavour(driver_version, _capabilities(cards)) if driver_version or cards else None
    if build is None:
        incomplete = Message("Its files are incomplete.")
        anew = Suits(Verdict.BROKEN, incomplete, _install_anew(probe, interpreter, cuda))
        return _PythonWithTorch(interpreter, None, anew, Cudnn())
    cudnn = cudnn_of(probe, interpreter, cards) if build.cuda else Cudnn()
    ran = None
    ours = interpreter.prefix == probe.prefix
    inside = interpreter.prefix == probe.parts  # of this very program, and no Python to start
    if not inside and (deep or (build.cuda and ours and cards)):
        ran = probe.run_program([str(interpreter.program(probe)), "-c", ASK_TORCH], _PATIENCE)
        build, cudnn = _told_by_itself(ran, build, cudnn)
    judged = suits(build, cards, driver_version)
    if cudnn.trouble:
        judged = Suits(Verdict.BROKEN, judged.sentence, _mend(probe, interpreter, cudnn))
    elif ran is not None and ran.code:
        broken = Message("It cannot be loaded.")
        judged = Suits(Verdict.BROKEN, broken, _install_anew(probe, interpreter, cuda))
    elif judged.verdict is not Verdict.FINE and cuda and not inside:
        steps = install_torch(probe, interpreter, cuda)
        judged = replace(judged, do=told(judged.do, steps))
    return _PythonWithTorch(interpreter, build, judged, cudnn, _last_words(ran))


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


def _install_anew(probe: Probe, interpreter: Interpreter, cuda: str | None) -> Message:
    if cuda:
        return install_torch(probe, interpreter, cuda)
    command = f"{pip(probe, interpreter, 'install')} --force-reinstall torch"
    return Message("Reinstall it: `{command}`", command=command)


def _mend(probe: Probe, interpreter: Interpreter, cudnn: Cudnn) -> Message:
    """The way to a cuDNN that this PyTorch can use."""
    if cudnn.package is None:
        return Message("Install PyTorch anew, so that it comes with the cuDNN it needs.")
    command = f"{pip(probe, interpreter, 'install')} --force-reinstall {cudnn.package}"
    return Message("Run: `{command}`", command=command)


def _capabilities(cards: Sequence[Card]) -> Sequence[Capability]:
    return [card.compute_capability for card in cards if card.compute_capability]


def _torch_folder(interpreter: Interpreter) -> Path | None:
    return next((f / "torch" for f in interpreter.packages if is_there(f / "torch")), None)


def install_torch(probe: Probe, python: Interpreter, cuda: str) -> Message:
    """Steps that replace its PyTorch, or bring the first one, by the build for this CUDA."""
    if probe.exists(f"{python.prefix}/conda-meta"):
        command = f"conda install -p {_quoted(python.prefix)} -c conda-forge pytorch-gpu"
        run = Message("Run: `{command}`", command=command)
        return told(run, Message("conda chooses the CUDA that the driver can run."))
    index = _INDEX.format(tag=cuda.replace(".", ""))
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


def pip(probe: Probe, python: Interpreter, verb: str) -> str:
    """The beginning of a command that installs into, or uninstalls from, just this Python."""
    program = _program(probe, python)
    settings = probe.read(f"{python.prefix}/pyvenv.cfg") or ""
    if not _has(python, "pip") and re.search(r"^uv\s*=", settings, re.MULTILINE):
        return f"uv pip {verb} --python {program}"
    return f"{program} -m pip {verb}{' --yes' if verb == 'uninstall' else ''}"


def _kept_by_the_system(probe: Probe, python: Interpreter) -> bool:
    return probe.exists(f"{python.prefix}/lib/python{python.version}/EXTERNALLY-MANAGED")


def _has(python: Interpreter, package: str) -> bool:
    return any(is_there(folder / package) for folder in python.packages)


def _program(probe: Probe, python: Interpreter) -> str:
    return _quoted(probe.shown(python.program(probe)))


def _quoted(path: str) -> str:
    return f'"{path}"' if " " in path else path
