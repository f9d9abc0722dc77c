"""The program's words: help, versions, unknown commands, the topology, no display."""

import json
import os
import subprocess
import sys

import pytest

import gpuexplorer
from gpuexplorer.__main__ import VERBS, main

Out = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--version", [gpuexplorer.__version__]),
        ("--help", list(VERBS)),
        *((f"{verb} --help", [f"usage: gpuexplorer {verb}"]) for verb in VERBS),
    ],
)
def test_what_there_is_is_told(capsys: Out, words: str, told: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(words.split())
    assert left.value.code == 0
    out = capsys.readouterr().out
    assert [each for each in told if each not in out] == []


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


def test_topology_shows_matrix_legend_and_rates(capsys: Out) -> None:
    assert main(["topology", "--simulate", "4xH100+nvlink"]) == 0
    text = capsys.readouterr().out
    for words in ("SIMULATED", "NV18", "host", "450 GB/s", "NUMA", "Peer to peer"):
        assert words in text
    assert main(["topology", "--json", "--simulate", "2xTitanRTX"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["simulated"] is True
    [pair] = [link for link in told["links"] if link["b"] != "HOST"]
    assert pair["path"] == "NV2"
    theory = {"unit": "B/s", "kind": "theoretical, each direction"}
    assert pair["rate"] == {"value": 50_000_000_000, **theory}


@pytest.mark.parametrize("width", [30, 100])
def test_topology_of_64_cards_fits_a_terminal(
    capsys: Out, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(["topology", "--simulate", "64xH200"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    titles = [word for line in lines if line.startswith("  ") for word in line.split()]
    assert {str(card) for card in range(64)} <= {*titles}, "a column is left out"
