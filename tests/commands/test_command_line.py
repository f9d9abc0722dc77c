"""The program's words: help, versions, unknown commands, the topology, no display."""

import json
import os
import subprocess
import sys

import pytest

import gpuexplorer
from gpuexplorer.__main__ import VERBS, main


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out.strip() == gpuexplorer.__version__


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    told = capsys.readouterr().out
    assert all(verb in told for verb in VERBS)


@pytest.mark.parametrize("verb", list(VERBS))
def test_every_command_has_help_of_its_own(
    capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    with pytest.raises(SystemExit) as left:
        main([verb, "--help"])
    assert left.value.code == 0
    assert f"usage: gpuexplorer {verb}" in capsys.readouterr().out


def test_an_unknown_command_names_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["snapshit"]) == 2
    told = capsys.readouterr().err
    assert "'snapshit' is not a command." in told
    assert "snapshot, topology, doctor" in told


def test_a_command_that_comes_too_late_is_told_where_it_belongs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--simulate", "2xT4", "snapshot"]) == 2
    assert "has to come first" in capsys.readouterr().err


def test_without_a_display_the_table_comes_instead_with_one_sentence_why() -> None:
    bare = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    done = subprocess.run(
        [sys.executable, "-m", "gpuexplorer", "--simulate", "2xTitanRTX"],
        env=bare,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert "no display" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "TITAN RTX" in done.stdout


def test_topology_shows_matrix_legend_and_rates(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topology", "--simulate", "4xH100+nvlink"]) == 0
    text = capsys.readouterr().out
    for words in ("SIMULATED", "NV18", "host", "450 GB/s", "NUMA", "Peer to peer"):
        assert words in text


def test_topology_as_json_says_that_rates_are_theory(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["topology", "--json", "--simulate", "2xTitanRTX"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["simulated"] is True
    [pair] = [link for link in told["links"] if link["b"] != "HOST"]
    assert pair["path"] == "NV2"
    assert pair["rate"] == {
        "value": 50_000_000_000,
        "unit": "B/s",
        "kind": "theoretical, each direction",
    }
