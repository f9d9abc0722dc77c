"""What is handed on of a recording, what lab and copies said in it, and its page in docs/."""

import base64
import csv
import io
import json
import math
import re
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, Sample
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.lab import events as ev
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.recording import lab_said as ls
from gpuexplorer.recording.export import chosen, exported
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.recording.schema import (
    APPLICATION,
    REASONS,
    STATES,
    VERSION,
    Record,
    Topic,
    Turn,
)
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.facts import Cards
from tests.clocks import ManualClock
from tests.recording.made import BEGAN, MACHINE, make_killed, make_recording
from tests.trace_reader import Events, of, opened, whole_trace

BUSY, POWER = MetricId("gpu_utilization"), MetricId("power_draw")
HOSTILE = '=cmd()\n"\x1b[31m,\u2028=1+1'


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recording]:
    """Five minutes of two cards, of which one is lost for a minute."""
    path = tmp_path_factory.mktemp("recordings") / "lived.gpurec"
    recording = open_recording(make_recording(path, "2xT4", 300.0, faults="lost:1@200s-260s"))
    yield recording
    recording.close()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(wall=BEGAN)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "it.gpurec"


def recorder_of(path: Path, clock: ManualClock, name: str = "NVIDIA T4") -> Recorder:
    machine = replace(MACHINE, source=Source("nvml", Message("{name}", name=name)))
    recorder = Recorder(path, machine, clock)
    recorder.put(Cards([Card(CardId(name), 0, name, None)], machine.source))
    return recorder


def beats(recorder: Recorder, clock: ManualClock, count: int, name: str = "NVIDIA T4") -> None:
    for _ in range(count):
        missing = {POWER: Absence.NO_PERMISSION}
        recorder.put(Sample(CardId(name), clock.now(), {BUSY: 0.0}, missing))
        recorder.write_now()
        clock.advance(1.0)


def written(recording: Recording, form: str, **stretch: Any) -> bytes:
    return b"".join(exported(chosen(recording, **stretch), form))


def table(content: bytes) -> tuple[list[str], list[dict[str, str]]]:
    """The comments, and the rows by their headings."""
    lines = content.decode().splitlines(keepends=True)
    comments = [line for line in lines if line.startswith("#")]
    return comments, list(csv.DictReader(lines[len(comments) :]))


def lines(content: bytes) -> list[Mapping[str, Any]]:
    def refused(constant: str) -> float:
        raise AssertionError(f"{constant} is no JSON")

    return [json.loads(each, parse_constant=refused) for each in content.decode().splitlines()]


def trace(recording: Recording, **stretch: Any) -> tuple[Mapping[str, Any], Events]:
    whole = whole_trace(written(recording, "perfetto", **stretch))
    return whole["otherData"], whole["traceEvents"]


def test_every_reading_stands_in_the_table_and_nothing_else_does(lived: Recording) -> None:
    _, rows = table(written(lived, "csv"))
    seen = 0
    for card in (*(card.id for card in lived.cards()), HOST_ID):
        for metric in lived.metrics(card):
            column = f"{card} {metric} [{METRICS[metric].unit}]"
            readings = lived.readings(card, metric, lived.began, lived.ended)
            values = [each for each in readings.values if not math.isnan(each)]
            found = [float(row[column]) for row in rows if row[column]]
            assert found == pytest.approx(values, rel=1e-6), column
            seen += len(values)
    for row in rows[::100]:
        at = datetime.fromisoformat(row["time"])
        assert at.utcoffset() is not None
        assert at.timestamp() - BEGAN == float(row["steady_s"])
    assert len(rows) == 301
    assert seen > 10_000


def test_what_was_not_read_is_blank_and_a_nought_one(path: Path, clock: ManualClock) -> None:
    recorder = recorder_of(path, clock)
    beats(recorder, clock, 3)
    recorder.stop()
    with closing(open_recording(path)) as recording:
        _, rows = table(written(recording, "csv"))
        samples = [
            each for each in lines(written(recording, "jsonl")) if each["is"] == "sample"
        ]
        _, events = trace(recording)
    assert [row["NVIDIA T4 gpu_utilization [ratio]"] for row in rows] == ["0"] * 3
    assert [row["NVIDIA T4 power_draw [W]"] for row in rows] == [""] * 3
    assert samples[0]["values"] == {"gpu_utilization": 0.0}
    assert samples[0]["missing"] == {"power_draw": "this user may not read it"}
    assert [each["args"] for each in of(events, "C")] == [{"ratio": 0.0}] * 2  # begins and ends


def test_lines_of_json_hold_what_the_recording_holds_in_order_of_time(lived: Recording) -> None:
    first, *rest = lines(written(lived, "jsonl"))
    assert first["is"] == "recording"
    assert first["schema"] == 1
    assert [card["id"] for card in first["cards"]] == ["SIM-0", "SIM-1", "HOST"]
    assert first["metrics"]["power_draw"] == {"unit": "W", "label": "Power"}
    assert [each["steady_s"] for each in rest] == sorted(each["steady_s"] for each in rest)
    assert {each["is"] for each in rest} == {
        *("sample", "processes", "happening", "cards", "clock", "topology")
    }
    wiring = next(each["value"] for each in rest if each["is"] == "topology")
    assert list(wiring) == ["cards", "links", "numa_nodes", "cpu_affinity", "node_memory"]
    samples = [each for each in rest if each["is"] == "sample" and each["card"] == "SIM-0"]
    powers = [
        each["values"]["power_draw"] for each in samples if "power_draw" in each["values"]
    ]
    readings = lived.readings(CardId("SIM-0"), POWER, lived.began, lived.ended)
    assert powers == list(readings.values)
    told = [each for each in rest if each["is"] == "happening"]
    assert [each["sentence"] for each in told] == [each.sentence for each in lived.happenings()]
    lost = next(each for each in rest if each["is"] == "processes" and not each["processes"])
    assert (lost["card"], lost["processes"], lost["steady_s"]) == ("SIM-1", None, 200.0)
    [program, *_] = next(each for each in rest if each["is"] == "processes")["processes"]
    assert program["pid"] > 0
    assert program["values"]["memory"] > 0


def test_a_trace_opens_with_curves_processes_and_events(lived: Recording) -> None:
    about, events = trace(lived)
    assert about["began_unix_s"] == BEGAN
    assert opened(events)[0] == []
    names = [each["args"]["name"] for each in events if each["name"] == "process_name"]
    assert sorted(names) == [
        *("0 Tesla T4", "1 Tesla T4"),
        f"host {lived.runs[-1].machine.host.name}",
    ]
    curve = [each for each in of(events, "C") if each["name"] == "Power" and each["pid"] == 1]
    readings = lived.readings(CardId("SIM-0"), POWER, lived.began, lived.ended)
    read = {
        round((at - lived.began) * 1e6): value
        for at, value in zip(readings.times, readings.values, strict=True)
    }
    assert len(curve) > 100
    assert all(read[round(each["ts"])] == each["args"]["W"] for each in curve)
    assert curve[-1]["ts"] == pytest.approx((readings.times[-1] - lived.began) * 1e6)
    programs = [each for each in of(events, "X") if each["cat"] == "processes"]
    assert {each["args"]["pid"] for each in programs} >= {
        each.facts.pid for each in lived.processes(CardId("SIM-0"), BEGAN + 100) or ()
    }
    assert programs
    assert len(of(events, "i")) == len([*lived.happenings()])


def test_where_only_means_are_kept_their_lowest_and_highest_stand_beside_them(
    path: Path, clock: ManualClock
) -> None:
    recorder = recorder_of(path, clock)
    for second in range(3600):
        recorder.put(Sample(CardId("NVIDIA T4"), clock.now(), {BUSY: second % 7 / 7}))
        if second % 50 == 0:
            recorder.write_now()
        clock.advance(1.0)
    recorder.stop()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DELETE FROM chunk WHERE last < ?", (BEGAN + 1200,))
    with closing(open_recording(path)) as recording:
        comments, rows = table(written(recording, "csv", metrics=[BUSY]))
        json_lines = lines(written(recording, "jsonl", metrics=[BUSY]))
        buckets = recording.strand(CardId("NVIDIA T4"), BUSY).sums(
            BUSY, BEGAN, BEGAN + 900, forgotten=True
        )
    name = "NVIDIA T4 gpu_utilization [ratio]"
    assert any("means of the 60 s" in each for each in comments)
    of_means = [row for row in rows if row[f"{name} min"]]
    assert 15 <= len(of_means) < len(rows)
    assert [float(row[name]) for row in of_means[:12]] == pytest.approx(
        list(buckets[3, :12]), rel=1e-6
    )
    assert all(
        float(row[f"{name} min"]) <= float(row[name]) <= float(row[f"{name} max"])
        for row in of_means
    )
    means = [each for each in json_lines if each["is"] == "means"]
    assert len(means) == len(of_means)
    assert means[0]["seconds"] == 60
    assert means[0]["lowest"]["gpu_utilization"] == buckets[1, 0]


def test_what_lab_and_copies_said_is_told_and_no_more(path: Path, clock: ManualClock) -> None:
    recorder = recorder_of(path, clock)

    def say(what: ls.Noted) -> None:
        told = ls.line_of(what)
        assert told is not None
        recorder.put_said(*told)

    say(ls.Sent(7, "x = a.cuda()\ny = 1", 3))
    say(ev.Began(7))
    clock.advance(2.0)
    say(ev.Transferred(7, "cpu", "cuda:0", 1024, 0.5, what="a", begin=0.25, end=0.75))
    say(ev.Finished(7, 2.0))
    say(CopyResult(CopyJob("cpu", "cuda:0", 1024), None, None))
    recorder.put_said(Topic.EVENT, "{this is no JSON")
    recorder.put_said(Topic.COPY, "[" * 100_000)
    beats(recorder, clock, 1)
    recorder.stop()
    with closing(open_recording(path)) as recording:
        said = [each for each in lines(written(recording, "jsonl")) if "said" in each]
        _, events = trace(recording)
    kinds = ["sent", "began", "transferred", "finished", "copyresult"]
    assert [each["what"] for each in said] == kinds
    assert said[0]["said"]["code"] == "x = a.cuda()\ny = 1"
    assert said[-1]["said"]["target"] == "cuda:0"
    stretches = {each["name"]: (each["ts"], each["dur"]) for each in of(events, "X")}
    assert stretches == {"cell 3: x = a.cuda()": (0.0, 2e6), "a to cuda:0": (0.25e6, 0.5e6)}
    assert [each["name"] for each in of(events, "i")] == ["cpu to cuda:0"]


def test_hostile_names_stay_text(path: Path, clock: ManualClock) -> None:
    recorder = recorder_of(path, clock, HOSTILE)
    beats(recorder, clock, 2, HOSTILE)
    recorder.stop()
    with closing(open_recording(path)) as recording:
        content = written(recording, "csv")
        cells = [cell for row in csv.reader(io.StringIO(content.decode())) for cell in row]
        comments, rows = table(content)
        json_lines = written(recording, "jsonl").decode().splitlines()
    assert len(rows) == 2
    assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for cell in cells)
    assert "\x1b" not in content.decode()
    assert all(line.startswith("# ") for line in comments)
    assert all(json.loads(line)["is"] for line in json_lines)


COPY = ev.Transferred(1, "cpu", "cuda:0", 8, 1e-6, what="X.cuda()", line=1, cell=1)
SAID: Sequence[ls.Noted] = (
    ls.Sent(3, "X = 1", 2, cures=1, by_form=True, outside="a.py", again=True),
    ls.Answered(3),
    ls.Gone(Message("It ended with {signal}.", signal="SIGKILL"), ("cuda:1",)),
    ls.StartedOver(),
    ev.Hello(
        0, "3.12", "2.9", "CPU", simulated=True, devices=(ev.Device("cuda:0", "H100", "U"),)
    ),
    COPY,
    ev.Spans(1, (ev.Span("cuda:0", 0.0, 1.0, 0.5),)),
    ev.Placed(1, "X", "tensor", "cuda:0", "2×3", (2, 3), "float32", 24),
    ev.Printed(1, "שלום\n\x1b[1m<b>bold</b>\0"),
    ev.Finished(1, 0.1, busy=(("cuda:0", 0.05),)),
    ev.Failed(1, "out of memory", "RuntimeError", "no", Message("{n} B", n=1)),
    ls.Forgot(),
    ls.OfProgram(ls.ProgramChosen("/home/ada/train.py", "import torch\n", ("--epochs", "3"))),
    ls.OfProgram(ls.ProgramStands("killed", -9, Message("It was killed."))),
    ls.OfProgram(ev.Watched(1, 2.0, 1.0, copies=(COPY,))),
)


def again(noted: ls.Noted) -> ls.Noted:
    line = ls.line_of(noted)
    assert line is not None
    return ls.noted_of(*line)


@pytest.mark.parametrize("noted", SAID, ids=lambda each: type(each).__name__)
def test_what_was_said_comes_back_as_it_was(noted: ls.Noted) -> None:
    assert again(noted) == noted


def png(width: int, height: int) -> str:
    head = struct.pack(">I4sII", 13, b"IHDR", width, height)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + head + bytes(9)).decode()


def test_of_a_flood_the_beginning_and_the_end_are_kept_and_what_is_missing_is_said() -> None:
    bounds, kept = ls.LabBounds(), list[ev.Event]()
    for number in range(100_000):
        kept += bounds.take(ev.Printed(1, f"step {number}\n"), number)
    kept += bounds.take(ev.Finished(1, 1.0), 0.0)
    printed = [each.text for each in kept if isinstance(each, ev.Printed)]
    assert sum(map(len, printed)) < ls.MOST_PRINTED + ls.LAST_PRINTED + 200
    assert printed[0] == "step 0\n"
    assert printed[-1].endswith("step 99999\n")
    [left_out] = [each for each in printed if "Left out" in each]
    whole = sum(len(f"step {number}\n") for number in range(100_000))
    letters = whole - sum(map(len, printed)) + len(left_out)
    assert f"{letters:,} letters" in left_out
    assert isinstance(kept[-1], ev.Finished)


def test_what_is_watched_for_hours_is_kept_every_few_seconds_and_whole_at_its_end() -> None:
    bounds, kept = ls.LabBounds(), list[ev.Event]()
    for number in range(1, 101):
        seen = ev.Watched(1, number / 2, 1.0, copies=(replace(COPY, row=number),))
        kept += bounds.take(seen, number / 2)
    kept += bounds.take(ev.Finished(1, 50.0), 50.0)
    watched = [each for each in kept if isinstance(each, ev.Watched)]
    assert len(watched) < 15
    assert watched[-1].seconds == 50.0
    assert [copy.row for each in watched for copy in each.copies] == [*range(1, 101)]


ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "recordings.md").read_text("utf-8")
[PROGRAM] = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_names_all_of_the_file_and_its_program_reads_one(tmp_path: Path) -> None:
    def said(recording: Path, card: str) -> str:
        words = [sys.executable, "-c", PROGRAM, str(recording), card, "power_draw"]
        return subprocess.run(words, capture_output=True, encoding="utf-8", check=True).stdout

    life = {"spec": "2xT4", "seconds": 700.0, "faults": "lost:1@30s"}
    path = make_recording(tmp_path / "one.gpurec", "2xT4", 700.0, faults="lost:1@30s")
    power = said(path, "SIM-0")
    assert re.match(r"701 readings, \d+\.\d+\nmissing: set\(\)", power)
    assert "missing: {'card lost'}" in said(path, "SIM-1")
    assert said(make_killed(tmp_path / "killed.gpurec", **life), "SIM-0") == power
    with closing(sqlite3.connect(path)) as file:
        tables = [name for (name,) in file.execute("SELECT tbl_name FROM sqlite_schema")]
        [(application,)] = file.execute("PRAGMA application_id")
    for name in (*tables, *Record, *Turn, *Topic):
        assert f"`{name}`" in PAGE, name
    assert str(application) in PAGE
    assert application == APPLICATION
    assert f"## The file, version {VERSION}" in PAGE
    # A file of an older program has its own numbers: these may grow, and never move.
    assert (REASONS[0], STATES[0]) == ("not supported", "working")
