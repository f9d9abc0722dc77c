"""Whatever ends a recording, the file opens, and at most its last two seconds are missing."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import tr
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.recording import open_recording
from tests.clocks import ManualClock
from tests.recording.made import CARD, MACHINE

METRICS = tuple(MetricId(each) for each in ("gpu_utilization", "power_draw", "temperature"))
MOST_LOST = 2.0


def newest(path: Path) -> float:
    """Also looks whether all of the file is sound."""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        ((at,),) = database.execute(
            "SELECT max(at) FROM (SELECT at FROM tail UNION SELECT last FROM chunk)"
        )
    with closing(open_recording(path)) as recording:
        assert recording.ended > at - 0.5  # a look at processes is no reading
    return float(at)


def killed_after(path: Path, seconds: float) -> float:
    """When it was killed, in seconds since 1970."""
    words = ("record", str(path), "--simulate", "4xH100", "--interval", "0.1", "--all")
    process = subprocess.Popen([sys.executable, "-m", "gpuexplorer", *words])
    while not (path.exists() and path.stat().st_size):
        with suppress(subprocess.TimeoutExpired):
            assert process.wait(0.01) is None
    with suppress(subprocess.TimeoutExpired):
        process.wait(1.5 + seconds)
    process.kill()
    at = time.time()
    assert process.wait() == -signal.SIGKILL
    return at


_OFTEN = [random.Random(seed).uniform(0.0, 4.0) for seed in range(50)]


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signal")
@pytest.mark.parametrize(
    "seconds", [0.0, 0.7, 1.3, *(pytest.param(each, marks=pytest.mark.long) for each in _OFTEN)]
)
def test_a_recording_that_is_killed_lacks_two_seconds_at_most(
    tmp_path: Path, seconds: float
) -> None:
    path = tmp_path / "it.gpurec"
    at = killed_after(path, seconds)
    assert at - newest(path) < MOST_LOST


def fill(recorder: Recorder, clock: ManualClock, seconds: int) -> float:
    """A reading each second, of figures that no packing makes small; when the newest was
    written.
    """
    chance = random.Random(7)
    written = clock.wall()
    for _ in range(seconds):
        for card in range(8):
            values = {metric: chance.random() for metric in METRICS}
            recorder.put(Sample(CardId(f"GPU-{card}"), clock.now(), values))
        recorder.write_now()
        if recorder.trouble is not None:
            break
        written = clock.wall()
        clock.advance(1.0)
    return written


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only an administrator of Linux may mount a file system")
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=10m", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_runs_full_ends_it_with_a_sentence_and_the_file_opens(
    small_disk: Path,
) -> None:
    path, clock = small_disk / "it.gpurec", ManualClock()
    recorder = Recorder(path, MACHINE, clock)
    written = fill(recorder, clock, 200_000)
    assert recorder.trouble is not None
    assert recorder.trouble.told == (
        "The recording ended: the disk is full."
        f" What was recorded until then is in {path}. Look at the disk, and begin another."
    )
    assert recorder.stop()
    assert newest(path) == written
    with closing(open_recording(path)) as recording:
        assert recording.runs[-1].whole
        [note] = recording.notes()
        assert tr(note) == "The recording ended: the disk is full."
    assert [each.name for each in small_disk.iterdir()] == [path.name]  # and lies there alone


def test_nobody_waits_for_a_disk_that_hangs(tmp_path: Path) -> None:
    path = tmp_path / "it.gpurec"
    recorder = Recorder(path, MACHINE, SystemClock())
    # Somebody else holds the file, and nothing can be written.
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        recorder.start()
        began = time.perf_counter()
        for _ in range(5000):
            recorder.put(Sample(CARD, SystemClock().now(), dict.fromkeys(METRICS, 1.0)))
        assert time.perf_counter() - began < 0.5
        assert not recorder.stop(1.5)
        other.rollback()
    assert recorder.stop(10.0)
    assert recorder.trouble is None
    with closing(open_recording(path)) as recording:
        assert len(recording.readings(CARD, METRICS[0], 0.0, 4e9).times) == 5000


def test_a_batch_that_could_not_be_written_is_written_with_the_next(tmp_path: Path) -> None:
    path = tmp_path / "it.gpurec"
    clock = ManualClock()
    recorder = Recorder(path, MACHINE, clock)
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        fill(recorder, clock, 2)
        other.rollback()
    written = fill(recorder, clock, 1)
    assert newest(path) == written
    recorder.stop()
    assert recorder.trouble is None
