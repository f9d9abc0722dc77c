"""A driver's library that ends its process, or cannot be loaded: told, and never fatal."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.nvml_stub.stub import SONAME, build, compiler

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or compiler() is None,
    reason="only Linux tries a library in a child, and the tests need a C compiler",
)

SEGMENTATION_FAULT = "it reached for memory that is not there (segmentation fault)"
CRASHES = {
    "load": SEGMENTATION_FAULT,
    "init": "it gave up by itself (abort)",
    "exit": "it ended the program with exit status 7",
    "handle": SEGMENTATION_FAULT,
}
# Opens the cards in a thread beside the main one, as the program does.
OPEN = """
import json, sys
import psutil
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.sources import first_that_answers

forks = []
sys.addaudithook(lambda event, words: forks.append(event) if event == "os.fork" else None)
opening = Asked(first_that_answers)
assert opening.answered_within(30)
backend, attempts = opening.result()
if backend is not None:
    backend.close()
while psutil.Process().children():
    pass
print(json.dumps({
    "cards": None if backend is None else [card.name for card in backend.cards()],
    "why": [attempt.note for attempt in attempts],
    "forks": len(forks),
}))
"""
# The window as it starts, which ends by itself as soon as it says why there is no card.
OPEN_WINDOW = """
import argparse, sys
from PySide6.QtCore import QTimer
from gpuexplorer.app import App
from gpuexplorer.app import create_application
from tests.gui.hands import texts

application = create_application([])
words = dict.fromkeys(("simulate", "open", "view", "theme", "size", "screenshot"))
app = App(argparse.Namespace(**words, or_simulate=False, fault="", seed=0))
app.window.show()

def look():
    found = [text for text in texts(app.window) if "A trial run" in text]
    if found:
        print(found[0])
        application.quit()

timer = QTimer(interval=20)
timer.timeout.connect(look)
timer.start()
application.exec()
app.stop()
"""


@pytest.fixture(scope="session")
def crashing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("crashing") / "libcrashing.so"
    source = Path(__file__).with_name("crashing_library.c")
    words = [str(compiler()), "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(words, check=True)
    return library


@pytest.fixture(scope="session")
def cut_short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("cut") / SONAME
    whole = build().read_bytes()
    library.write_bytes(whole[: len(whole) // 2])
    return library


def python(
    code: str, library: Path | None, *words: str, **more: str
) -> "subprocess.CompletedProcess[str]":
    chosen = {} if library is None else {"GPUEXPLORER_NVML": str(library)}
    return subprocess.run(
        [sys.executable, *(["-c", code] if code else ["-m", "gpuexplorer"]), *words],
        env={**os.environ, "PYTHONWARNINGS": "error", **chosen, **more},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def opened(library: Path | None, **more: str) -> dict[str, Any]:
    done = python(OPEN, library, **more)
    assert done.stderr == ""
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def told_in_one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("place", CRASHES)
def test_a_library_that_crashes_is_told_by_snapshot(crashing: Path, place: str) -> None:
    done = python("", crashing, "snapshot", CRASH_AT=place)
    assert (done.returncode, done.stderr) == (0, "")
    said = told_in_one_line(done.stdout)
    assert f"The NVIDIA driver's library {crashing} is not usable." in said
    assert f"A trial run with it crashed: {CRASHES[place]}." in said
    assert "Unset GPUEXPLORER_NVML, or install the NVIDIA driver again." in said
    assert "the computer" in said


@pytest.mark.long
@pytest.mark.parametrize("command", ["snapshot", "doctor"])
def test_a_library_that_hangs_while_it_is_loaded_is_told(crashing: Path, command: str) -> None:
    done = python("", crashing, command, CRASH_AT="hang")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"library {crashing} hangs while it is loaded" in told_in_one_line(done.stdout)


@pytest.mark.long
def test_the_window_opens_and_says_why_there_is_no_card(crashing: Path) -> None:
    done = python(OPEN_WINDOW, crashing, CRASH_AT="load", QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 0, done.stderr
    assert f"A trial run with it crashed: {SEGMENTATION_FAULT}." in done.stdout


def test_a_library_that_was_cut_short_is_told(cut_short: Path) -> None:
    done = python("", cut_short, "snapshot")
    assert (done.returncode, done.stderr) == (0, "")
    assert "its file is shorter than it has to be (bus error)" in told_in_one_line(done.stdout)


def test_after_a_start_that_did_not_come_through_the_next_one_says_why(crashing: Path) -> None:
    assert opened(crashing)["cards"] == ["NVIDIA Crashing Card"]
    assert python(OPEN, crashing, CRASH_AT="init").returncode != 0
    told = opened(crashing, CRASH_AT="init")
    assert CRASHES["init"] in told["why"][0]


def test_a_library_that_ended_the_program_later_is_told_by_the_next_start_alone() -> None:
    code = "from gpuexplorer.telemetry.sources import first_that_answers as opened\n"
    code += "backend = opened()[0]; print(*backend.notes())\n"
    read = "card = backend.cards()[0]; backend.read(card.id, {'power_draw'})"
    power = "nvmlDeviceGetPowerUsage"
    ended = python(code + read, build(), NVML_STUB=f"cards=1;crash={power}:11")
    assert (ended.returncode, ended.stdout) == (-11, "\n")
    told = [python(code, build(), NVML_STUB="cards=1").stdout for _ in range(2)]
    assert f"(Segmentation fault, in {power})" in told[0]
    assert told[1] == "\n"


@pytest.mark.parametrize("chosen", [True, False])
def test_a_file_that_cannot_be_loaded_is_named(tmp_path: Path, chosen: bool) -> None:
    file = tmp_path / SONAME
    file.write_text("GROUP ( /usr/lib/libnvidia-ml.so.1 )")
    [why] = opened(file if chosen else None, LD_LIBRARY_PATH=str(tmp_path))["why"]
    assert "cannot be loaded" in why
    assert str(file) in why
    assert ("Unset GPUEXPLORER_NVML" if chosen else "Install the NVIDIA driver again.") in why
