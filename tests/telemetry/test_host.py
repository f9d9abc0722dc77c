"""The computer itself: how busy its processors are."""

import psutil
import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.metrics import CPU_UTILIZATION, MEMORY_USED, SWAP_TOTAL, SWAP_USED
from gpuexplorer.telemetry.backend import NoCards
from gpuexplorer.telemetry.backends import host
from gpuexplorer.telemetry.backends.host import HostReader
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.system import ProcessorTime

ASKED = frozenset({CPU_UTILIZATION})
SWAP = frozenset({SWAP_USED, SWAP_TOTAL})


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[ProcessorTime | None]:
    """What the system will say, one after another, on a computer with two processors."""
    coming: list[ProcessorTime | None] = []
    monkeypatch.setattr(host, "processor_time", lambda: coming.pop(0))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    return coming


def test_looks_too_close_together_have_a_reason_and_no_figure(
    looks: list[ProcessorTime | None],
) -> None:
    looks += [ProcessorTime(100.08, 50.08), ProcessorTime(100.2, 50.1)]
    reader = HostReader(looked_before=ProcessorTime(total=100.0, idle=50.0))
    assert reader.read(ASKED).missing == {CPU_UTILIZATION: Absence.TOO_SOON}
    assert reader.read(ASKED).values[CPU_UTILIZATION] == pytest.approx(0.5)


def test_a_computer_without_swap_space_says_so_in_the_place_of_a_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    none = psutil.swap_memory()._replace(total=0, used=0, free=0)
    monkeypatch.setattr(psutil, "swap_memory", lambda: none)
    sample = HostReader().read(SWAP)
    assert sample.values == {SWAP_TOTAL: 0}
    assert sample.missing == {SWAP_USED: Absence.NO_SWAP}


def remembered(session: Session) -> int:
    """Readings of the computer's memory that are kept."""
    return len(session.past.trace(HOST_ID, MEMORY_USED, 0.0, session.clock.now()))


def test_a_session_keeps_the_computers_past_from_its_start_and_unasked() -> None:
    session = remembering(session_on(NoCards()))
    session.start()
    assert session.wait_for_sweeps(1, 10.0)
    assert session.stop(5.0)
    assert remembered(session) == 1
    reading = session.reading(HOST_ID)
    assert reading is not None
    assert reading.values[MEMORY_USED] > 0
