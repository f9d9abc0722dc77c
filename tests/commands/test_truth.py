"""Every command on a driver of any mood: it ends with words, tells nothing that is not so, and
each figure is the same in every way it is told.
"""

import csv
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

import pytest

from gpuexplorer.core.metrics import METRICS
from gpuexplorer.telemetry.exporter_names import served_name
from tests.commands.test_serve import samples, serve
from tests.nvml_stub.stub import environment
from tests.remote.conftest import FakeSsh, fake_ssh
from tests.screens.truth import (
    ALIKE,
    FAULTS,
    FAULTS_AT_START,
    Truth,
    figures_in,
    untold,
    untold_in_rows,
)

__all__ = ["fake_ssh"]

COMMANDS = tuple(
    tuple(each.split())
    for each in (
        *("snapshot", "snapshot --json", "snapshot --csv", "topology", "topology --json"),
        *("doctor", "doctor --json"),
    )
)
# Nothing of this holds these cards back.
NEVER = ("power limit", "slowdown", "its group", "Too warm", "Much too hot", "Power brake")
# Seconds. A command lives for about one, so it meets some of them.
FLICKERS = (0.0, 0.1)

Said = dict[Sequence[str], str]


def said_by(command: Sequence[str], config: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "gpuexplorer", *command],
        env={**environment(config), "PYTHONWARNINGS": "error", "COLUMNS": "200"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    called = f"{' '.join(command)} on {config}: {done.returncode}\n{done.stderr}"
    assert done.returncode in (0, 1), called
    assert "Traceback" not in done.stderr, called
    assert done.stdout or done.stderr, called
    return done.stdout


def said_on(config: str) -> Said:
    with ThreadPoolExecutor(2) as two:
        said = two.map(lambda command: said_by(command, config), COMMANDS)
        return dict(zip(COMMANDS, said, strict=True))


@pytest.fixture(scope="module")
def healthy() -> Said:
    said = said_on(ALIKE)
    assert all(said.values())
    return said


def check(said: Said, healthy: Said) -> None:
    for command in ("snapshot", "topology", "doctor"):
        truth = Truth()
        truth.learn(healthy[command,])
        assert all(" of it free" in each for each in truth.lies_in(said[command,])), said
        assert not [word for word in NEVER if word in said[command,]], said[command,]
    for command in ("snapshot", "topology", "doctor"):
        if said[command, "--json"]:
            told = json.loads(said[command, "--json"], parse_constant=pytest.fail)
            if command == "snapshot":
                assert not untold(told, json.loads(healthy[command, "--json"]))
    rows = said["snapshot", "--csv"]
    assert not untold_in_rows(rows, healthy["snapshot", "--csv"])


def test_no_command_tells_what_is_not_so(healthy: Said) -> None:
    check(said_on(f"{ALIKE};{FAULTS['all of them at once']};flicker=0.1"), healthy)


@pytest.mark.long
@pytest.mark.parametrize("fault", [*FAULTS, *FAULTS_AT_START])
@pytest.mark.parametrize("flicker", FLICKERS, ids=["steady", "flickering"])
def test_no_command_lies_on_any_fault(healthy: Said, fault: str, flicker: float) -> None:
    config = {**FAULTS, **FAULTS_AT_START}[fault]
    check(said_on(f"{ALIKE};{config};flicker={flicker}"), healthy)


Figures: TypeAlias = Mapping[tuple[str, str], float]
MOST = {"temp": 90, "util": 100, "memory_util": 100, "clock_sm": 1900, "pcie_replays": 10**6}
WATTS, BYTES = (60_000, 690_000), (1 << 30, 70 << 30)


def drawn(seed: int) -> str:
    """Cards whose figures stand still."""
    draw = random.Random(seed)
    kinds = draw.choices(["h100", "rtx4090", "t4"], k=2)
    words = [f"kind={number}:{kind}" for number, kind in enumerate(kinds)]
    for number in range(2):
        words += [f"{name}={number}:{draw.randint(0, most)}" for name, most in MOST.items()]
        words.append(f"power={number}:{draw.randint(*WATTS)}")
        words.append(f"used={number}:{draw.randint(*BYTES) // 5 >> 20 << 20}")
    return "cards=2;clock=10;" + ";".join(words)


def said(cards: str, *words: str) -> str:
    env = {**environment(cards), "PATH": os.environ["PATH"], "COLUMNS": "200"}
    command = [sys.executable, "-m", "gpuexplorer", *words]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout


def in_json(told: str) -> Figures:
    return {
        (card["id"], metric): value["value"]
        for card in json.loads(told)["cards"]
        for metric, value in card["values"].items()
    }


def in_rows(told: str) -> Figures:
    return {
        (row["id"], column.partition(" [")[0]): float(cell)
        for row in csv.DictReader(told.splitlines())
        for column, cell in row.items()
        if column in COLUMNS and cell
    }


def in_an_export(told: str) -> Figures:
    """The first figure of each column."""
    found: dict[tuple[str, str], float] = {}
    rows = (line for line in told.splitlines() if not line.startswith("#"))
    for row in csv.DictReader(rows):
        for column, cell in row.items():
            card, _, metric = column.partition(" [")[0].partition(" ")
            if cell and metric in METRICS:
                found.setdefault((card, metric), float(cell))
    return found


def served(cards: str) -> Figures:
    with serve(stub=cards) as shown:
        told = samples(shown.page())
    names = {metric: served_name(each) for metric, each in METRICS.items()}
    return {
        (labels["UUID"], str(metric)): value / name.factor
        for metric, name in names.items()
        for labels, value in told.get(name.name, ())
        if "UUID" in labels and name.labels.items() <= labels.items()
    }


COLUMNS = {f"{metric.id} [{metric.unit.value}]" for metric in METRICS.values()}


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(n, marks=pytest.mark.long) for n in range(2, 9))]
)
def test_a_figure_is_the_same_in_each_way(seed: int, tmp_path: Path, fake_ssh: FakeSsh) -> None:
    cards, file = drawn(seed), str(tmp_path / "it.gpurec")
    truth = in_json(said(cards, "snapshot", "--json"))
    said(cards, "record", file, "--duration", "1s")
    ways = {
        "CSV": in_rows(said(cards, "snapshot", "--csv")),
        "ssh": in_json(said(cards, "snapshot", "--json", "--host", "there")),
        "serve": served(cards),
        "export": in_an_export(said(cards, "export", file, "--format", "csv")),
    }
    for way, told in ways.items():
        both = truth.keys() & told.keys()
        assert len(both) > 60, way
        assert {each: told[each] for each in both} == pytest.approx(
            {each: truth[each] for each in both}, rel=1e-6
        ), way
    table = said(cards, "snapshot")
    rows = [line for line in table.splitlines() if re.search(r"^\d .* of .* GiB", line)]
    shown = [value for row in rows for _, value in figures_in(row)]
    assert len(shown) > 8
    for each in shown:
        assert any(each == pytest.approx(true, rel=0.03) for true in truth.values()), table
