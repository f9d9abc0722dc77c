"""nvidia-smi of simulated cards: what nvidia-smi's users look for stands where they look."""

from datetime import UTC, datetime

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.lab.starting import smi_of
from gpuexplorer.simulation.models import MIB
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.nvidia_smi import nvidia_smi
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.clocks import ManualClock

NOON = datetime(2026, 3, 1, 12, 0, 5, 250_000, tzinfo=UTC)
FIRST = """\
|   0  NVIDIA TITAN RTX               Off |   00000000:17:00.0 Off |                  N/A |
| 30%   30C    P8            13W /   280W |       6MiB /  24576MiB |      0%      Default |
|                                         |                        |                  N/A |"""


def machine(spec: str = "2xTitanRTX+idle", faults: str = "") -> SimulatedBackend:
    backend = simulated(spec, faults, clock=ManualClock())
    assert isinstance(backend, SimulatedBackend)
    return backend


def said(arguments: str = "", backend: SimulatedBackend | None = None) -> list[str]:
    return nvidia_smi(arguments, backend or machine(), NOON).splitlines()


def test_the_table_shows_each_card_as_nvidia_smi_does() -> None:
    lines = said()
    assert lines[0] == "Sun Mar  1 12:00:05 2026"
    assert "Driver Version: N/A" in lines[2]
    assert "CUDA Version: N/A" in lines[2]
    (first,) = (at for at, line in enumerate(lines) if line.startswith("|   0"))
    assert "\n".join(lines[first : first + 3]) == FIRST
    assert "|  No running processes found" in "\n".join(lines)


@pytest.mark.parametrize(
    "spec", ["2xTitanRTX+idle", "8xH100", "1xT4", "2xB200,1xRTX4090", "64xA100"]
)
def test_all_lines_of_the_table_are_of_one_width(spec: str) -> None:
    backend = machine(spec)
    for index in range(len(backend.cards())):
        backend.machine.hold(index, 0.0, 919 * MIB)
    assert {len(line) for line in said(backend=backend)[1:] if line} == {91}


def test_the_labs_worker_is_among_the_processes_with_its_memory() -> None:
    backend = machine()
    backend.machine.hold(1, 0.0, 919 * MIB)
    lines = said(backend=backend)
    (process,) = (line for line in lines if "gpuexplorer worker" in line)
    assert process.split()[1:6] == ["1", "N/A", "N/A", "4000", "C"]
    assert process.endswith(" 919MiB |")
    assert any(" 925MiB /  24576MiB " in line for line in lines)


def test_a_card_whose_readings_hang_keeps_nobody_waiting() -> None:
    lines = said("--query-gpu=index,memory.used --format=csv", machine(faults="hung:1@0s"))
    assert lines == ["index, memory.used [MiB]", "0, 6 MiB", "1, [N/A]"]


def test_cards_are_listed_and_picked_by_number_or_uuid() -> None:
    both = ["GPU 0: NVIDIA TITAN RTX (UUID: SIM-0)", "GPU 1: NVIDIA TITAN RTX (UUID: SIM-1)"]
    assert said("-L") == both
    assert said("-L -i 1") == both[1:]
    assert said("--list-gpus --id=SIM-0") == both[:1]


@pytest.mark.parametrize(
    ("field", "head", "text"),
    [
        ("name", "name", "NVIDIA TITAN RTX"),
        ("memory.used", "memory.used [MiB]", "6 MiB"),
        ("utilization.gpu", "utilization.gpu [%]", "0 %"),
        ("power.draw", "power.draw [W]", "12.95 W"),
        ("clocks.current.sm", "clocks.current.sm [MHz]", "300 MHz"),
        ("pstate", "pstate", "P8"),
        ("clocks_event_reasons.gpu_idle", "clocks_event_reasons.gpu_idle", "Active"),
        ("compute_cap", "compute_cap", "7.5"),
        ("mig.mode.current", "mig.mode.current", "[N/A]"),
        ("driver_version", "driver_version", "[N/A]"),
        ("timestamp", "timestamp", "2026/03/01 12:00:05.250"),
    ],
)
def test_a_field_is_asked_for_by_its_name(field: str, head: str, text: str) -> None:
    assert said(f"--query-gpu={field} --format=csv")[:2] == [head, text]


def test_programs_that_compute_are_queried_likewise() -> None:
    backend = machine()
    backend.machine.hold(0, 0.0, 919 * MIB)
    query = "--query-compute-apps=pid,process_name,used_memory,gpu_bus_id --format=csv"
    assert said(query, backend) == [
        "pid, process_name, used_memory [MiB], gpu_bus_id",
        "4000, gpuexplorer worker, 919 MiB, 00000000:17:00.0",
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence", "hint"),
    [
        ("-l 1", "the cell would wait for ever", "show the same figures live"),
        (
            "--query-compute-apps=pids --format=csv",
            "have no field 'pids'.",
            "Did you mean pid?",
        ),
        ("-q", "Simulated cards have no `nvidia-smi -q`.", "--query-gpu="),
        (
            "--query-gpu=memory.usd --format=csv",
            "have no field 'memory.usd'.",
            "Did you mean memory.used?",
        ),
        ("--query-gpu=name", "A query needs --format=csv.", "--format=csv"),
        ("-i 7", "There is no card 7 here.", "-i 0"),
        ("-i '", "A quotation mark of this line is not closed.", ""),
    ],
)
def test_what_is_not_offered_is_refused_with_what_is(
    arguments: str, sentence: str, hint: str
) -> None:
    with pytest.raises(Trouble) as refused:
        said(arguments)
    assert sentence in refused.value.sentence
    assert hint in refused.value.hint


def test_what_the_lab_prints_says_that_the_machine_is_simulated() -> None:
    smi = smi_of(remembering(session_on(machine())))
    assert smi is not None
    listed, refused = smi("-L"), smi("-l")
    assert listed is not None
    assert listed.splitlines()[-1] == "These cards are simulated: every figure is made up."
    assert refused is not None
    assert refused.startswith("Asked for again and again")
