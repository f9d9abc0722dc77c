"""The JSON and the CSV of measured copies, as other programs read them."""

import csv
import io
import json

import pytest

from gpuexplorer.copies.jobs import Kind
from gpuexplorer.copies.result import as_csv, as_json, result_as_json
from gpuexplorer.lab.events import Wrong
from gpuexplorer.lab.wire import CopyJob
from tests.copies.made import all_pairs, bench, measured, one_way, real


def test_the_json_is_the_one_that_is_promised() -> None:
    results = all_pairs("2xTitanRTX", Kind.ONE_WAY)
    told = json.loads(json.dumps(as_json(results, simulated=True)))
    assert (told["schema"], told["simulated"], told["modelled"]) == (1, True, True)
    assert len(told["results"]) == 9
    pairs = {(each["source"], each["target"]): each for each in told["results"]}
    pair = pairs["cuda:0", "cuda:1"]
    assert len(pair.pop("samples_s")) == 7
    exact = {
        "bytes": 256 << 20, "mode": "copy", "pinned": None, "direction": "one",
        "path": "NVLink x2", "direct": True, "limit_gbs": 50, "gated": None, "intact": None,
        "notes": ["Modelled: no bytes were moved."],
    }  # fmt: skip
    assert {name: pair[name] for name in exact} == exact
    assert pair["rate_gbs"] == pytest.approx(45.9, abs=0.1)
    assert pair["share_of_limit"] == pytest.approx(0.918, abs=0.001)
    assert pair["median_s"] > 0


def test_what_was_not_measured_is_null_and_a_note_says_why() -> None:
    result = measured(bench("2xT4"), CopyJob("cpu", "cuda:5", 64))
    told = result_as_json(result)
    for name in ("rate_gbs", "median_s", "intact", "in_cache", "compared_samples"):
        assert told[name] is None
    assert told["samples_s"] == []
    assert told["notes"][0] == "Not measured: There is no cuda:5."  # type: ignore[index]  # a list


def test_a_wrong_copy_has_no_rate_and_says_what_was_wrong() -> None:
    wrong = Wrong(3, 7, 4096, 8192, zeros=True)
    result = real("cuda:6", "cuda:1", 1 << 20, 0.1, 0.2, intact=False, wrong=(wrong,))
    told = result_as_json(result)
    assert told["intact"] is False
    assert told["rate_gbs"] is None
    assert told["wrong"] == [
        {"rounds": 3, "checked": 7, "bytes": 4096, "first": 8192, "zeros": True}
    ]
    assert "It arrived WRONG: a wrong copy has no rate." in told["notes"]  # type: ignore[operator]  # a list


def test_the_csv_has_a_line_for_each_and_leaves_empty_what_there_is_not() -> None:
    good, bad = (
        one_way("2xTitanRTX", "cuda:0", "cuda:1"),
        real("cuda:6", "cuda:1", 64, 0.5, intact=False),
    )
    rows = list(csv.DictReader(io.StringIO(as_csv([good, bad], simulated=True))))
    assert [row["source"] for row in rows] == ["cuda:0", "cuda:6"]
    assert (rows[0]["simulated"], rows[0]["modelled"]) == ("yes", "yes")
    assert rows[0]["direct"] == "yes"
    assert float(rows[0]["min_s"]) <= float(rows[0]["median_s"]) <= float(rows[0]["max_s"])
    assert rows[1]["rate_gbs"] == ""
    assert rows[1]["min_s"] == ""
    assert rows[1]["intact"] == "no"
