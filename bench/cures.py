"""Scripts with a known fault each, before and after the cure they are told of, simulated."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.table import Figure
from gpuexplorer.core.units import duration
from gpuexplorer.lab.events import Printed
from gpuexplorer.programs.findings import findings
from gpuexplorer.programs.program_run import ProgramRun
from tests.programs.faulty import CLEAN, FAULTY, Script


def figures() -> list[Figure]:
    clean = findings(_watched(CLEAN, CLEAN.text))
    name = f"{CLEAN.name}: findings"
    return [
        *(_cured(each) for each in FAULTY),
        Figure(name, str(len(clean)), "0", met=not clean),
    ]


def _watched(script: Script, text: str) -> ProgramRun:
    with TemporaryDirectory() as folder:
        return script.watched(Path(folder), text)


def _cured(script: Script) -> Figure:
    """The time of its loop; what was found before, and that it is gone."""
    before, after = _watched(script, script.text), _watched(script, script.cured)
    found, left = findings(before), findings(after)
    gain = sum(each.seconds or 0.0 for each in found)
    matters = ", ".join(each.matter.value for each in found) or "nothing"
    return Figure(
        f"{script.name}: {matters}, then {len(left)} findings",
        f"{duration(_trained_in(before))} to {duration(_trained_in(after))}",
        f"at most {duration(gain)} less",
        met=[each.matter for each in found] == [script.matter] and not left,
    )


def _trained_in(run: ProgramRun) -> float:
    """The seconds that a script says its loop took, on the clock of the simulated cards."""
    printed = "".join(each.text for each in run.cells[0].outputs if isinstance(each, Printed))
    (said,) = re.findall(r"trained in (\d+\.\d+) s", printed)
    return float(said)
