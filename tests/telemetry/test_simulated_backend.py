"""Simulated cards through the same door as real ones, their faults, and their nvidia-smi."""

from datetime import UTC, datetime

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.lab.starting import smi_of
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.models import MIB
from gpuexplorer.simulation.specs import parse_machine
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.nvidia_smi import nvidia_smi
from gpuexplorer.telemetry.process_book import ProcessNames, end, has_ended
from gpuexplorer.telemetry.processes import NamedProcess, Way
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from gpuexplorer.telemetry.topology import Link, PathKind, pcie_rate
from tests.clocks import ManualClock

SIM_0, SIM_1 = CardId("SIM-0"), CardId("SIM-1")
ALL = frozenset(METRICS)


def backend(
    machine: str, faults: str = "", clock: ManualClock | None = None
) -> SimulatedBackend:
    spec = parse_machine(machine)
    ordered = parse_faults(faults, len(spec.cards))
    made = SimulatedBackend(spec, ordered, clock or ManualClock())
    made.open()
    return made


def link(of: SimulatedBackend, a: int, b: int) -> Link:
    found = of.topology().link(CardId(f"SIM-{a}"), CardId(f"SIM-{b}"))
    assert found is not None
    return found


def test_a_program_that_is_ended_gives_the_card_back_and_the_next_run_begins_anew() -> None:
    clock = ManualClock()
    made = backend("1xTitanRTX", clock=clock)
    names = ProcessNames(told_of=made.told_of)

    def look() -> dict[str | None, NamedProcess]:
        every = names.of_card(SIM_0, made.processes(SIM_0) or ())
        return {each.command: each for each in every}

    train = next(each for each in look().values() if "train.py" in (each.command or ""))
    assert None not in (train.cpu, train.memory_bytes, train.started_at)
    before = made.now(SIM_0, ALL).values
    clock.advance(1.0)
    end(train, Way.ASK)
    assert has_ended(train)
    assert train.command not in look()
    clock.advance(1.0)
    after = made.now(SIM_0, ALL).values
    for metric in (m.MEMORY_USED, m.GPU_UTILIZATION, m.POWER_DRAW):
        assert after[metric] < before[metric] / 2
    for _ in range(100):
        clock.advance(10.0)
        if again := look().get(train.command):
            assert again.process.pid != train.process.pid
            return
    pytest.fail("it never began again")


def test_impossible_figures_come_out_as_such_and_gaps_stay_gaps() -> None:
    clock = ManualClock()
    cards = backend("2xT4", "garbage:1@15s-20s", clock)
    sane = cards.read(SIM_1, ALL)
    clock.advance(16.0)
    sample = cards.read(SIM_1, ALL)
    assert sample.state is CardState.WORKING
    assert sample.values == {}
    assert all(sample.missing[metric] is Absence.IMPOSSIBLE for metric in sane.values)
    assert all(sample.missing[metric] is reason for metric, reason in sane.missing.items())
    clock.advance(5.0)
    assert cards.read(SIM_1, ALL).values.keys() == sane.values.keys()


NOT, PART = Absence.NOT_SUPPORTED, Absence.NO_PART


@pytest.mark.parametrize(
    ("model", "told", "missing"),
    [
        (
            "TitanRTX",
            "power_draw_instant",
            {"power_draw_average": NOT, "ecc_mode": NOT, "cpu_utilization": NOT},
        ),
        (
            "T4",
            "ecc_corrected retired_pages_pending",
            {"fan_speed": PART, "nvlink_receive": PART},
        ),
        (
            "A100",
            "power_draw_average memory_temperature nvlink_11_receive",
            {"sm_activity": NOT, "nvlink_12_receive": PART},
        ),
        ("A6000", "ecc_mode", {"ecc_corrected": NOT}),
        ("RTX3090", "fan_1_rpm", {"fan_2_rpm": PART}),
        (
            "H100",
            "temperature_margin nvlink_17_receive mig_mode remapped_rows_failed",
            {"retired_pages_pending": NOT, "pcie_generation_slot_max": NOT},
        ),
    ],
)
def test_each_model_lacks_what_the_real_one_lacks(
    model: str, told: str, missing: dict[str, Absence]
) -> None:
    sample = backend(f"2x{model}").read(SIM_0, ALL)
    assert set(told.split()) <= sample.values.keys()
    assert missing.items() <= sample.missing.items()


@pytest.mark.parametrize(
    ("fault", "state", "reason", "all_of_them"),
    [
        ("lost:1@5s-15s", CardState.LOST, Absence.LOST, False),
        ("unlisted:1@5s-15s", CardState.UNLISTED, Absence.UNLISTED, False),
        ("refused:1@5s-15s", CardState.REFUSED, Absence.NO_PERMISSION, False),
        ("driver@5s", CardState.NO_DRIVER, Absence.NO_DRIVER, True),
    ],
)
def test_a_card_that_says_nothing_says_why_and_comes_back_when_ordered(
    fault: str, state: CardState, reason: Absence, all_of_them: bool
) -> None:
    clock = ManualClock()
    cards = backend("2xT4", fault, clock)
    assert cards.read(SIM_1, ALL).state is CardState.WORKING
    clock.advance(6.0)
    _assert_silent(cards.read(SIM_1, ALL), state, reason)
    assert cards.processes(SIM_1) is None
    other = cards.read(SIM_0, ALL).state
    assert other is (state if all_of_them else CardState.WORKING)
    clock.advance(10.0)
    assert cards.read(SIM_1, ALL).state is CardState.WORKING


def test_a_slow_card_takes_a_second_a_reading_and_a_hung_one_until_the_fault_ends() -> None:
    clock = ManualClock()
    cards = backend("2xT4", "slow:0@10s,hung:1@15s-2m", clock)
    clock.advance(10.0)
    before = clock.now()
    sample = cards.read(SIM_0, ALL)
    assert (clock.now() - before, sample.at) == (1.0, clock.now())
    assert sample.state is CardState.WORKING
    cards.read(SIM_1, ALL)
    assert clock.now() - before == 1.0
    clock.advance(5.0)
    assert cards.read(SIM_1, ALL).state is CardState.WORKING
    assert cards.elapsed == pytest.approx(120.0)


def test_it_says_that_it_is_simulated_and_what_and_which_faults_were_ordered() -> None:
    cards = backend("2xT4", "lost:1@20s,driver@30s")
    assert (cards.source.name, cards.source.simulated) == ("simulated", True)
    assert cards.source.label == "Simulated: 2 x Tesla T4"
    assert cards.source.driver_version is None
    assert cards.notes() == (
        "These cards are simulated: every figure is made up.",
        "Card 1 is lost, as ordered. It begins at 20 s.",
        "The driver is gone, as ordered. It begins at 30 s and ends at 40 s.",
    )
    cards.close()
    cards.close()
    assert cards.wait_for_fault(5.0) == ()
    cards.open()
    assert cards.read(SIM_0, ALL).state is CardState.WORKING


@pytest.mark.parametrize(
    ("machine", "b", "path", "rate", "peer"),
    [
        ("4xH100", 3, PathKind.NVLINK, 450e9, ""),
        ("2xRTX3090", 1, PathKind.NVLINK, 56.25e9, ""),
        (
            "2xRTX4090",
            1,
            PathKind.HOST_BRIDGE,
            pcie_rate(4, 16),
            "the driver of this card does not offer it",
        ),
        (
            "1xH100,1xT4",
            1,
            PathKind.SWITCH,
            pcie_rate(3, 16),
            "the two cards are of different models",
        ),
        ("8xL40S", 1, PathKind.SWITCH, pcie_rate(4, 16), ""),
        ("8xL40S", 2, PathKind.NODE, pcie_rate(4, 16), ""),
        ("8xL40S", 4, PathKind.SYSTEM, pcie_rate(4, 16), ""),
        ("64xH200", 8, PathKind.SYSTEM, pcie_rate(5, 16), ""),
    ],
)
def test_a_pair_says_its_path_its_rate_and_why_it_has_no_direct_way(
    machine: str, b: int, path: PathKind, rate: float, peer: str
) -> None:
    pair = link(backend(machine), 0, b)
    assert pair.path is path
    assert pair.rate == pytest.approx(rate)
    assert (pair.peer_reason, pair.peer_to_peer) == (peer, not peer)


def _assert_silent(sample: Sample, state: CardState, reason: Absence) -> None:
    assert sample.state is state
    assert sample.values == {}
    assert sample.missing == dict.fromkeys(ALL, reason)


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


@pytest.mark.parametrize(
    ("arguments", "sentence", "hint"),
    [
        ("-l 1", "the cell would wait for ever", "show the same figures live"),
        ("-q", "Simulated cards have no `nvidia-smi -q`.", "--query-gpu="),
        ("--query-gpu=memory.usd --format=csv", "have no field 'memory.usd'.", "memory.used?"),
        ("--query-gpu=name", "A query needs --format=csv.", "--format=csv"),
        ("-i 7", "There is no card 7 here.", "-i 0"),
    ],
)
def test_what_is_not_offered_is_refused(arguments: str, sentence: str, hint: str) -> None:
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
