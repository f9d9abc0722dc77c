"""PyTorch: which Pythons of this computer have it, and which of them suit driver and cards."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpuexplorer.commands.checkup.answer import Answer
from gpuexplorer.commands.checkup.finding import Fact, Topic, Verdict, counted
from gpuexplorer.commands.checkup.interpreters import Interpreter, interpreters
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.words import Message
from gpuexplorer.lab.oldest import OLDEST_PYTHON, OLDEST_TORCH
from gpuexplorer.lab.torch_builds import (
    Suits,
    TorchBuild,
    flavour,
    read_build,
    suits,
)
from gpuexplorer.telemetry.looked_for import is_there, module_version

_TITLE = "PyTorch"
_PATIENCE = 30.0
# The flags are compiled in. Asking torch.cuda for them would start CUDA and wake the cards.
_ASK_TORCH = (
    "import json, torch;"
    " print('ARCHITECTURES', json.dumps((torch._C._cuda_getArchFlags() or '').split()))"
)


@dataclass(frozen=True, slots=True)
class _PythonWithTorch:
    interpreter: Interpreter
    build: TorchBuild | None  # None: the installation is incomplete
    suits: Suits
    trouble: str = ""  # why it could not be asked more closely

    @property
    def sentence(self) -> str:
        what = self.build.label if self.build else "PyTorch"
        told = f"{self.interpreter.label}: {what}. {self.suits.sentence}"
        if self.build and self.build.architectures:
            told += f" It holds code for {' '.join(self.build.architectures)}."
        return f"{told} {self.trouble}".strip()

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
    looked = f"{counted(len(looked_at), 'Python')} looked at"
    if not found:
        if not answer.answering:
            sentence = "No Python with PyTorch was found; only the lab needs one."
            return Topic(_TITLE, Verdict.FINE, sentence, "", [f"{looked}."], facts)
        capabilities = [c.compute_capability for c in answer.answering if c.compute_capability]
        suited = flavour(driver_version, capabilities)
        which = f"PyTorch built for CUDA {suited}" if suited else "PyTorch"
        how = "" if suited else " (`pip install torch`)"
        return Topic(
            _TITLE,
            Verdict.LOOK,
            f"No Python with PyTorch was found, {looked}.",
            f"To compute with PyTorch, install {which} into any of your Pythons{how}.",
            facts=facts,
        )
    about_lab = _about_the_lab(found)
    facts["lab"] = None if (lab := _of_the_lab(found)) is None else lab.interpreter.prefix
    found.sort(key=lambda one: one.suits.verdict.rank)
    best = found[0]
    details = [*(f"{one.suits.verdict}: {one.sentence}" for one in found), about_lab]
    number = counted(len(found), "Python has PyTorch", "Pythons have PyTorch")
    if best.suits.verdict is Verdict.FINE:
        good = [one for one in found if one.suits.verdict is Verdict.FINE]
        which = (
            "" if len(good) == len(found) else f", {len(good)} of them fit for this computer"
        )
        sentence = f"{number}{which}, {looked}."
        return Topic(_TITLE, Verdict.FINE, sentence, "", details, facts)
    sentence = (
        f"{number}, {looked}. It does not suit all of this computer's cards."
        if len(found) == 1
        else f"{number}, {looked}. None of them suits all of this computer's cards."
    )
    do = f"For {best.interpreter.prefix}: {best.suits.do}" if best.suits.do else ""
    return Topic(_TITLE, best.suits.verdict, sentence, do, details, facts)


def _about_the_lab(found: Sequence[_PythonWithTorch]) -> str:
    lab = _of_the_lab(found)
    if lab is None:
        python, torch = (".".join(map(str, each)) for each in (OLDEST_PYTHON, OLDEST_TORCH))
        needed = f"Python {python} and PyTorch {torch}, or newer"
        return f"The lab takes none of them: it needs {needed}."
    chosen = "unless another was chosen as “Python of the lab”"
    return f"The lab takes {lab.interpreter.prefix}, {chosen}."


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
    if build is None:
        program = probe.shown(interpreter.program(probe))
        do = Message(
            "Install it anew: `{python} -m pip install --force-reinstall torch`", python=program
        )
        incomplete = Suits(Verdict.BROKEN, Message("Its files are incomplete."), do)
        return _PythonWithTorch(interpreter, None, incomplete)
    trouble = ""
    ours = interpreter.prefix == probe.prefix
    if build.cuda and (deep or (ours and answer.answering)):
        build, trouble = _asked(probe, interpreter, build)
    return _PythonWithTorch(
        interpreter, build, suits(build, answer.answering, driver_version), trouble
    )


def _asked(probe: Probe, interpreter: Interpreter, build: TorchBuild) -> tuple[TorchBuild, str]:
    program = str(interpreter.program(probe))
    ran = probe.run_program([program, "-c", _ASK_TORCH], _PATIENCE)
    for line in ran.output.splitlines():
        if ran.well and line.startswith("ARCHITECTURES "):
            names = json.loads(line.removeprefix("ARCHITECTURES "))
            return replace(build, architectures=[str(name) for name in names]), ""
    last = (ran.output.strip().splitlines() or [""])[-1][:200]
    trouble = ran.trouble or "gave no answer"
    said = f" Its last words: {last}" if last else ""
    return build, f"Asked which cards it holds code for, it {trouble}.{said}"


def _torch_folder(interpreter: Interpreter) -> Path | None:
    return next((f / "torch" for f in interpreter.packages if is_there(f / "torch")), None)
