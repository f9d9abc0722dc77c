"""On a real NVIDIA card, at rest and at work, beside nvidia-smi. Run with `-m gpu`."""

import re
import time
from typing import Any  # JSON is whatever the program printed

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.telemetry.topology import pcie_rate
from tests.real_cards import AtWork, Snapshot, smi, snapshots, whole_cards

pytestmark = pytest.mark.gpu
MIB = 2.0**20
QUERY_FIELD = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")
# How many of ours make one of nvidia-smi's.
SCALES = {
    Unit.RATIO: 0.01,
    Unit.BYTES: MIB,
    Unit.HERTZ: 1e6,
    Unit.WATTS: 1.0,
    Unit.CELSIUS: 1.0,
    Unit.COUNT: 1.0,
    Unit.GENERATION: 1.0,
    Unit.LANES: 1.0,
}
# What moves between two readings may differ by this much, in nvidia-smi's unit: then it is the
# unit and the question that are compared.
MOVING = {
    Unit.RATIO: 100.0,
    Unit.WATTS: 1000.0,
    Unit.CELSIUS: 15.0,
    Unit.HERTZ: 2500.0,
    Unit.BYTES: 4096.0,
}
MOVES = {  # though its unit does not say so: a link at rest goes down
    m.PCIE_GENERATION: 6.0,
    m.PCIE_WIDTH: 16.0,
}
STANDS = {m.MEMORY_TOTAL: 1.0, m.MEMORY_RESERVED: 1.0}
# Read off the bus by the kernel's word, which a container or a virtual machine may not have.
OF_THE_KERNEL = {m.PCIE_GENERATION_SLOT, m.PCIE_WIDTH_SLOT}
ABSENT = ("n/a", "not supported", "unknown", "not active", "requires")


@pytest.fixture(scope="module")
def ours() -> list[dict[str, Any]]:
    smi("gpu", "uuid")  # where a card sleeps, this wakes it
    [snapshot] = snapshots()
    return whole_cards(snapshot)


def compared() -> list[MetricId]:
    return [
        metric.id
        for metric in METRICS.values()
        if metric.smi and QUERY_FIELD.fullmatch(metric.smi) and metric.unit in SCALES
    ]


def allowed(metric: MetricId) -> float:
    if metric in STANDS or metric in MOVES:
        return {**STANDS, **MOVES}[metric]
    if "max" in metric or "limit" in metric:
        return 1.0
    return MOVING.get(METRICS[metric].unit, 0.0)


def test_the_same_cards_are_there(ours: list[dict[str, Any]]) -> None:
    assert [[card["id"], card["name"]] for card in ours] == smi("gpu", "uuid,name")


@pytest.mark.parametrize("metric", compared())
def test_each_is_what_nvidia_smi_says(ours: list[dict[str, Any]], metric: MetricId) -> None:
    entry = METRICS[metric]
    theirs = smi("gpu", entry.smi)
    if theirs is None:
        pytest.skip(f"this nvidia-smi does not know {entry.smi}")
    scale = SCALES[entry.unit]
    for card, [text] in zip(ours, theirs, strict=True):
        if metric in OF_THE_KERNEL and metric not in card["values"]:
            continue
        if any(word in text.lower() for word in ABSENT):
            assert metric in card["missing"], (text, card["values"].get(metric))
            continue
        assert metric in card["values"], (text, card["missing"].get(metric))
        figure = card["values"][metric]["value"] / scale
        assert abs(figure - float(text)) <= allowed(metric), (figure, text)


LEAST_CONTEXT, MOST_CONTEXT = 50 * MIB, 3 << 30


@pytest.fixture(scope="module")
def card() -> str:
    """The UUID of the first that a program of ours may use whole."""
    smi("gpu", "uuid")  # where a card sleeps, this wakes it
    for each in whole_cards(snapshots()[0]):
        mig = each["values"].get("mig_mode", {"value": 0})["value"]
        if mig or each["cuda_index"] is None:
            continue
        try:
            with AtWork(each["id"], "hold"):
                return str(each["id"])
        except RuntimeError as error:
            pytest.skip(str(error))
    pytest.skip("CUDA sees no whole card here: MIG is on, or CUDA_VISIBLE_DEVICES hides it")


def watched(card: str) -> list[Snapshot]:
    """Readings of it a second apart, as `snapshot --loop 1` takes them."""
    return snapshots("--cards", card, "--loop", "1", "--count", "8")


def figures(taken: list[Snapshot], metric: str) -> list[float]:
    """Those there are. Skips with the driver's reason where there are none."""
    cards = [each["cards"][0] for each in taken]
    found = [
        float(each["values"][metric]["value"]) for each in cards if metric in each["values"]
    ]
    if not found:
        pytest.skip(f"{metric}: {cards[-1]['missing'][metric]}")
    return found


@pytest.mark.parametrize(
    ("what", "metric"), [("send", "pcie_receive"), ("fetch", "pcie_transmit")]
)
def test_pcie_traffic_is_what_is_copied(card: str, what: str, metric: str) -> None:
    """Each packet has a head, which the driver counts too: a tenth or two beyond the bytes."""
    with AtWork(card, what) as work:
        begin = time.monotonic()
        taken = watched(card)
        copied = work.rate(begin, time.monotonic())
    told = figures(taken, metric)
    if copied > 1.1 * pcie_limit(taken):
        pytest.skip("faster than this card's PCIe: the bytes take another way")
    shares = [each / copied for each in told]
    assert all(0.9 < each < 1.4 for each in shares), (copied, told)


def test_a_card_that_multiplies_is_seen_to_be_active(card: str) -> None:
    with AtWork(card, "multiply"):
        taken = watched(card)
    assert max(figures(taken, "gpu_utilization")) > 0.9
    activity = figures(taken, "sm_activity")
    assert 0.5 < max(activity) <= 1.0
    assert 0.0 < max(figures(taken, "sm_occupancy")) <= max(activity) + 0.02
    assert 0.1 < max(figures(taken, "tensor_activity")) <= 1.0


def test_programs_are_those_that_nvidia_smi_lists(card: str) -> None:
    with AtWork(card, "hold") as work:
        ours, theirs = programs(card), smi_programs(card)
        again = programs(card)
        if work.pid not in theirs:
            pytest.skip("the driver tells no pids of this container, or tells others")
        assert work.pid in ours
        for pid in set(ours) & set(theirs) & set(again):
            assert ours[pid] == pytest.approx(theirs[pid], abs=64 * MIB)
        # What began or ended meanwhile is in one of the lists alone.
        assert set(theirs) <= set(ours) | set(again)


def test_beside_its_tensors_a_program_holds_a_context(card: str) -> None:
    with AtWork(card, "hold") as work:
        ours = programs(card)
        if work.pid not in ours or ours[work.pid] is None:
            pytest.skip("the driver does not say how much memory this program holds")
        held = ours[work.pid]
        assert held is not None
        assert LEAST_CONTEXT < held - work.reserved_bytes < MOST_CONTEXT


def pcie_limit(taken: list[Snapshot]) -> float:
    """Bytes per second, or without end where the driver does not say."""
    values = taken[-1]["cards"][0]["values"]
    if not {"pcie_generation_max", "pcie_width_max"} <= set(values):
        return float("inf")
    generation, lanes = (
        values[f"pcie_{each}_max"]["value"] for each in ("generation", "width")
    )
    return pcie_rate(int(generation), int(lanes)) or float("inf")


def programs(card: str) -> dict[int, float | None]:
    """Memory by pid, of what computes."""
    [taken] = snapshots("--cards", card)
    return {
        each["pid"]: each["values"].get("memory", {"value": None})["value"]
        for each in taken["processes"]
        if "C" in each["type"]
    }


def smi_programs(card: str) -> dict[int, float]:
    rows = smi("compute-apps", "gpu_uuid,pid,used_memory") or []
    return {
        int(pid): float(memory) * MIB
        for uuid, pid, memory in rows
        if uuid == card and memory.isdigit()
    }
