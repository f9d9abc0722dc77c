"""On a real NVIDIA card: what we read, beside what nvidia-smi says. Run with `-m gpu`."""

import re
from typing import Any  # JSON is whatever the program printed

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from tests.real_cards import smi, snapshots, whole_cards

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
def test_each_figure_is_what_nvidia_smi_says(
    ours: list[dict[str, Any]], metric: MetricId
) -> None:
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


def test_memory_adds_up_on_the_real_card(ours: list[dict[str, Any]]) -> None:
    cards = [card for card in ours if "memory_total" in card["values"]]
    if not cards:
        pytest.skip("no card here has memory of its own")
    for card in cards:
        used, free, total = (
            card["values"][f"memory_{part}"]["value"] for part in ("used", "free", "total")
        )
        # A driver before 510 counts it as used.
        reserved = card["values"].get("memory_reserved", {"value": 0})["value"]
        assert abs(used + free + reserved - total) <= MIB
