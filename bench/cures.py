"""Scripts with a known fault each, before and after the cure they are told of, simulated."""

from pathlib import Path
from tempfile import TemporaryDirectory

from bench.table import Figure
from gpuexplorer.core.units import duration
from gpuexplorer.programs.findings import findings
from tests.programs.expected import CLEAN, FAULTY, Script
from tests.programs.running import trained_in, watched


def figures() -> list[Figure]:
    clean = watched(CLEAN.file, *CLEAN.arguments, flops=CLEAN.flops)
    return [
        *(_cured(each) for each in FAULTY),
        Figure(
            f"{CLEAN.name}: findings", str(len(findings(clean))), "0", met=not findings(clean)
        ),
    ]


def _cured(script: Script) -> Figure:
    """The time of its loop; what was found before, and that it is gone."""
    before = watched(script.file, *script.arguments, flops=script.flops)
    with TemporaryDirectory() as folder:
        cured = script.cured(Path(folder))
        after = watched(cured, *script.arguments, flops=script.flops)
    found, left = findings(before), findings(after)
    gain = sum(each.seconds or 0.0 for each in found)
    matters = ", ".join(each.matter.value for each in found) or "nothing"
    return Figure(
        f"{script.name}: {matters}, then {len(left)} findings",
        f"{duration(trained_in(before))} to {duration(trained_in(after))}",
        f"at most {duration(gain)} less",
        met=[each.matter for each in found] == [script.matter] and not left,
    )
