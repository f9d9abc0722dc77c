"""The program's words: help, versions, what is typed behind them, the topology, no window."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main

Out = pytest.CaptureFixture[str]


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


_WITHOUT = """
import sys
from gpuexplorer.__main__ import main
sys.modules[sys.argv[1]] = None
raise SystemExit(main(["--simulate", "1xH100", "--quit-after", "0.1"]))
"""


@pytest.mark.parametrize("part", ["pyqtgraph", "PySide6.QtWidgets", "numpy"])
def test_a_window_that_lacks_a_part_names_it_and_who_says_more(part: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT, part],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "What draws the window cannot be loaded here: " in done.stderr
    assert part in done.stderr
    assert "`gpuexplorer doctor` says more." in done.stderr


FILES = {
    "train.py": "open('ran', 'w')\n",
    "lesson.ipynb": "{}",
    "notes.txt": "",
    "python": "#!/bin/sh\necho hello\n",
    "taken": "",
    "letter.gpurec": "Dear reader, this is no recording. " * 100,
    "ca.pem": "no certificate",
    "login.toml": 'ca_file = "ca.pem"',
}
SNAPSHOT = (
    ("--simulate 4xH1000", "H1000"),
    ("--simulate 2xH100 --fault lost:7@2s", "card 7"),
    ("--fault driver@3s", "--fault goes with --simulate.\nAdd --simulate."),
    ("--loop 0.01", "0.1 to 60"),
    ("--count 3", "--count goes with --loop."),
    ("--cards 9 --simulate 2xT4", "There are: 0, 1"),
    ("--host a --host b", "This command reads one computer at a time"),
    ("--host=-oProxyCommand=ls", "cannot begin with a hyphen"),
    ("--host a,b", "named one at a time, and not with commas: a,b."),
    ("--host-python python3.12", "--host-python goes with --host."),
    ("--host a --fault lost:1@2s", "--fault goes with --simulate."),
)
COPIES = (
    ("--sizes big", "'big' is not a size."),
    ("--devices cuda:9", "--devices names 'cuda:9', and no device here is called so."),
    ("--mode sideways", "--mode names 'sideways', which is not known."),
    ("--json --csv", "--json and --csv exclude each other."),
    ("--python /x", "--simulate and --python exclude each other."),
    ("--fault wrong:0", "'wrong:0' is not how this fault is written."),
    ("--devices cpu --mode staged", "there is nothing to measure as staged."),
    ("--many", "There is no argument --many."),
    ("--datasheet --beside Voodoo", "--beside names 'Voodoo', and the table of"),
    ("--datasheet --mode all", "--datasheet and --mode exclude each other."),
    ("--hosts a,b", "--hosts and --simulate exclude each other."),
)
HOSTS = (
    ("a", "--hosts needs two machines or more, with commas"),
    ("'a,b\x1b[2J'", "cannot hold spaces or control characters"),
    ("a,b --mode pageable", "--mode names 'pageable', which does not go between"),
    ("a,b --host a", "--hosts and --host exclude each other."),
)
RECORD = (
    ("--duration soon", "'soon' is no length of time; write it as 90"),
    ("--duration -5m", "That is not understood"),
    ("--interval 0.01", "An interval of 0.01 s is not possible."),
    ("--cards 7", "--cards names '7', and no card is called so."),
)
LAB = (
    ("nothere.py", "nothere.py cannot be read: No such file or directory."),
    (".", " is neither a Python program nor a notebook."),
    ("lesson.ipynb --x", "A notebook takes no arguments"),
    ("--host b train.py --x", "nor does a file on another computer, and --x stands behind it"),
    ("--trace a.py train.py", "The trace would be written over a.py."),
    ("--fault lost:0@0s train.py", "--fault goes with --simulate."),
    ("", "required: FILE."),
    ("--json", "The right form: gpuexplorer lab [-h] [--json] [--trace FILE]"),
)
LESSON = tuple(
    (words, "The right form: gpuexplorer lesson")
    for words in ("", "play", "list more", "check", "new", "run", "run --no")
)
SERVE = (
    ("", "Such as: gpuexplorer serve --prometheus"),
    *(
        (f"--prometheus '{address}'", "no address with a port.\nSuch as: 127.0.0.1:9410")
        for address in ("", "host:", "::1:9410", "h:70000")
    ),
)
DOCTOR = (
    ("--into x", "--into goes with --get-pytorch."),
    ("--get-pytorch --json", "--get-pytorch and --json exclude each other."),
    ("--host a --bundle b.zip", "--bundle and --host exclude each other."),
)
WINDOW = (
    ("--size 10x10", "'10x10' is not a size that is possible; from 560x420 to 7680x4320 is"),
    ("--theme pink", "invalid choice: 'pink' (choose from"),
    ("--quit-after -3", "'-3' is no length of time"),
    ("--after 1e9 --screenshot x", "no length of time up to a day"),
    ("--view all", "A window opens on one screen and has one theme."),
    ("--theme both", "Say which, or ask for pictures"),
    ("--screenshot x --quit-after 3", "--screenshot and --quit-after exclude each other."),
    ("a.gpurec --open b.gpurec", "--open and recording exclude each other."),
    ("--match a='b'", "--match goes with --prometheus."),
    ("--prometheus x --host-label a-b", "is no name of a label"),
    ("snapshot", "has to come first"),
    ("snapshit", "'snapshit' is no recording, and a command has to come first.\nThe commands"),
)
UNUSABLE = (
    (
        "--screenshot taken",
        "overview-dark.png was not saved. The system says: Not a directory.",
    ),
    ("--diagnostics .", "There is a folder of that name."),
    ("--diagnostics no/cost.json", "That folder does not exist."),
    ("--open letter.gpurec", "letter.gpurec"),
    ("--prometheus ftp://x", "is no address of a Prometheus"),
    ("--prometheus http://me:word@x", "could be read by others"),
    ("--prometheus x --prometheus-login none.toml", "cannot be read"),
    ("--prometheus https://x --prometheus-login login.toml", "holds no certificates"),
    ("lab --trace no/x train.py", "cannot be written to no/x: No such file or directory."),
    ("lab --python ./python train.py", "did not answer as a Python does"),
    ("copies --python ./nopython --sizes 4K", "cannot be the lab's Python"),
    ("doctor --bundle no/all.zip", "all.zip was not saved. That folder does not exist."),
)
ALL = (
    ("--simulate 2xT4", WINDOW, 2),
    ("snapshot", SNAPSHOT, 2),
    ("copies --simulate 2xT4", COPIES, 2),
    ("copies --hosts", HOSTS, 2),
    ("record it.gpurec --simulate 2xH100 --interval 0.1", RECORD, 2),
    ("lab", LAB, 2),
    ("lesson", LESSON, 2),
    ("serve", SERVE, 2),
    ("doctor", DOCTOR, 2),
    ("", UNUSABLE, 1),
)


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (f"{verb} {words}", status, sentence)
        for verb, table, status in ALL
        for words, sentence in table
    ],
)
def test_it_is_said_in_a_sentence_and_nothing_is_done(
    capsys: Out,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    words: str,
    status: int,
    sentence: str,
) -> None:
    monkeypatch.setenv("GPUEXPLORER_NVML", "/no/libnvidia-ml.so.1")  # whatever driver is here
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("python").chmod(0o755)
    try:
        ended: object = main(shlex.split(words))
    except SystemExit as left:
        ended = left.code
    out, complaints = capsys.readouterr()
    assert (ended, out) == (status, "")
    assert sentence in complaints
    assert {each.name for each in Path().iterdir()} == {*FILES}
