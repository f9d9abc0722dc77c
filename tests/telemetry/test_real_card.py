"""On a real NVIDIA card: what we read, beside what nvidia-smi says. Run with `-m gpu`."""

import csv
import io
import json
import re
import subprocess
import sys
from typing import Any  # JSON is whatever the program printed

import pytest

from gpuexplorer.core.metrics import METRICS, MetricId, Unit

pytestmark = pytest.mark.gpu

QUERY_FIELD = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")
# How many of ours make one of nvidia-smi's.
SCALES = {
    Unit.RATIO: 0.01,
    Unit.BYTES: 2.0**20,
    Unit.HERTZ: 1e6,
    Unit.WATTS: 1.0,
    Unit.CELSIUS: 1.0,
    Unit.COUNT: 1.0,
    Unit.GENERATION: 1.0,
    Unit.LANES: 1.0,
}
# What moves between two readings may differ by this much, in nvidia-smi's unit.
MOVING = {Unit.RATIO: 100.0, Unit.WATTS: 150.0, Unit.CELSIUS: 5.0, Unit.HERTZ: 2500.0}
ABSENT = ("n/a", "not supported", "unknown", "not active", "requires")


@pytest.fixture(scope="module")
def ours() -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "gpuexplorer", "snapshot", "--json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    cards: list[dict[str, Any]] = json.loads(done.stdout)["cards"]
    return [card for card in cards if card["kind"] == "gpu"]


def compared() -> list[MetricId]:
    return [
        metric.id
        for metric in METRICS.values()
        if metric.smi and QUERY_FIELD.fullmatch(metric.smi) and metric.unit in SCALES
    ]


def ask(field: str) -> list[str] | None:
    """One answer per card, or None where this nvidia-smi does not know the field."""
    done = subprocess.run(
        ["nvidia-smi", f"--query-gpu={field}", "--format=csv,noheader,nounits"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode != 0:
        return None
    return [row[0].strip() for row in csv.reader(io.StringIO(done.stdout))]


def test_the_same_cards_are_there(ours: list[dict[str, Any]]) -> None:
    assert [card["id"] for card in ours] == ask("uuid")
    assert [card["name"] for card in ours] == ask("name")


@pytest.mark.parametrize("metric", compared())
def test_each_figure_is_what_nvidia_smi_says(
    ours: list[dict[str, Any]], metric: MetricId
) -> None:
    entry = METRICS[metric]
    theirs = ask(entry.smi)
    if theirs is None:
        pytest.fail(f"nvidia-smi does not know {entry.smi}")
    scale = SCALES[entry.unit]
    for card, text in zip(ours, theirs, strict=True):
        if any(word in text.lower() for word in ABSENT):
            assert metric in card["missing"], (text, card["values"].get(metric))
            continue
        assert metric in card["values"], (text, card["missing"].get(metric))
        figure = card["values"][metric]["value"] / scale
        allowed = MOVING.get(entry.unit, 64.0 if entry.unit is Unit.BYTES else 0.0)
        if "max" in metric or "limit" in metric:
            allowed = 1.0
        assert abs(figure - float(text)) <= allowed, (figure, text)


def test_memory_adds_up_on_the_real_card(ours: list[dict[str, Any]]) -> None:
    for card in ours:
        used, free, reserved, total = (
            card["values"][f"memory_{part}"]["value"]
            for part in ("used", "free", "reserved", "total")
        )
        assert used + free + reserved == total
