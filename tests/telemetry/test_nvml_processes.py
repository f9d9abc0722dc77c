"""Who uses a card, by lists of the driver that change their layout and may be garbage."""

import sys
from pathlib import Path

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure, ProcessUse
from tests.telemetry.conftest import Nvml

NONE = 0xFFFFFFFF


def listed(backend: NvmlBackend) -> list[CardProcess]:
    """Who uses the first card."""
    rows = backend.processes(backend.cards()[0].id)
    assert rows is not None
    return list(rows)


def test_programs_are_listed_with_their_use_and_impossible_shares_are_left_out(
    nvml: Nvml,
) -> None:
    rows = listed(nvml.open("cards=1;pids=0:90b,1234,5678g;util=66"))
    uses = {row.pid: row.use for row in rows}
    assert uses == {90: ProcessUse.BOTH, 1234: ProcessUse.COMPUTE, 5678: ProcessUse.GRAPHICS}
    for row in rows:
        for figure in set(ProcessFigure) - {ProcessFigure.MEMORY}:
            assert figure in row.missing or 0 <= row.values[figure] <= 1
        assert row.values[ProcessFigure.SM] == 0.22  # and not the sample of tomorrow


@pytest.mark.parametrize("version", ["535.43.02", "535.54.03", "535.86.05", "535.98", "580.95"])
def test_every_program_is_itself_whatever_the_version_of_the_driver(
    nvml: Nvml, version: str
) -> None:
    rows = listed(nvml.open(f"cards=1;procs=0:32;driver_version={version}"))
    expected = [(4180000 + n, (n + 1) * 2**28) for n in range(32)]
    assert [(row.pid, row.values[ProcessFigure.MEMORY]) for row in rows] == expected


def test_a_list_of_nothing_but_garbage_says_nothing_about_who_uses_the_card(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;pids=0:11")
    card = backend.cards()[0].id
    nvml.set(f"pids=0:{NONE},{NONE}g")
    assert backend.processes(card) is None
    nvml.set("procs=0:0")
    assert backend.processes(card) == []


@pytest.mark.skipif(sys.platform != "linux", reason="on Windows the reason is always that")
@pytest.mark.parametrize("windows", [True, False])
def test_memory_the_driver_does_not_know_is_explained_and_never_zero(
    nvml: Nvml, monkeypatch: pytest.MonkeyPatch, windows: bool
) -> None:
    """Its subsystem for Linux is told by a device."""
    monkeypatch.setattr(Path, "exists", lambda path: windows and path == Path("/dev/dxg"))
    [row] = listed(nvml.open("cards=1;wddm=0;pids=0:11"))
    expected = Absence.WINDOWS_KEEPS_IT if windows else Absence.NOT_AVAILABLE
    assert row.missing[ProcessFigure.MEMORY] is expected
