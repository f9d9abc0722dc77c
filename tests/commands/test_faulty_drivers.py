"""Every command on a faulty driver: it ends with words, and tells nothing that is not so."""

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.nvml_stub.stub import environment
from tests.screens.truth import ALIKE, FAULTS, FAULTS_AT_START, Truth, untold, untold_in_rows

COMMANDS = (
    ("snapshot",),
    ("snapshot", "--json"),
    ("snapshot", "--csv"),
    ("topology",),
    ("topology", "--json"),
    ("doctor",),
    ("doctor", "--json"),
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
        assert not truth.lies_in(said[command,]), said[command,]
        assert not [word for word in NEVER if word in said[command,]], said[command,]
    for command in ("snapshot", "topology", "doctor"):
        if said[command, "--json"]:
            told = json.loads(said[command, "--json"], parse_constant=pytest.fail)
            if command == "snapshot":
                assert not untold(told, json.loads(healthy[command, "--json"]))
    rows = said["snapshot", "--csv"]
    assert not untold_in_rows(rows, healthy["snapshot", "--csv"])


@pytest.mark.parametrize("flicker", FLICKERS, ids=["steady", "flickering"])
def test_no_command_tells_what_is_not_so(healthy: Said, flicker: float) -> None:
    check(said_on(f"{ALIKE};{FAULTS['all of them at once']};flicker={flicker}"), healthy)


@pytest.mark.long
@pytest.mark.parametrize("fault", [*list(FAULTS)[1:], *FAULTS_AT_START])
@pytest.mark.parametrize("flicker", FLICKERS, ids=["steady", "flickering"])
def test_no_command_tells_what_is_not_so_of_any_fault(
    healthy: Said, fault: str, flicker: float
) -> None:
    config = {**FAULTS, **FAULTS_AT_START}[fault]
    check(said_on(f"{ALIKE};{config};flicker={flicker}"), healthy)
