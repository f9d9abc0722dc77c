"""The JSON and the CSV of measured copies, as other programs read them."""

import csv
import io
import json
from collections.abc import Sequence

import pytest

from gpuexplorer.copies.plan import Kind, job_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import as_csv, as_json, result_as_json
from gpuexplorer.lab.events import Wrong
from gpuexplorer.lab.wire import CopyJob
from tests.copies.made import all_pairs, bench, measured, one_way, real


def test_the_json_is_the_one_that_is_promised() -> None:
    told = json.loads(
        json.dumps(as_json(all_pairs("2xTitanRTX", Kind.ONE_WAY), simulated=True))
    )
    assert (told["schema"], told["simulated"], told["modelled"]) == (1, True, True)
    assert len(told["results"]) == 9
    promised = {
        "source", "target", "bytes", "mode", "pinned", "direction", "samples_s", "median_s",
        "rate_gbs", "limit_gbs", "share_of_limit", "path", "direct", "gated", "intact", "notes",
    }  # fmt: skip
    for result in told["results"]:
        assert promised <= set(result)
    pair = next(
        r for r in told["results"] if (r["source"], r["target"]) == ("cuda:0", "cuda:1")
    )
    assert (pair["bytes"], pair["mode"], pair["direction"]) == (256 << 20, "copy", "one")
    assert pair["path"] == "NVLink x2"
    assert pair["direct"] is True
    assert pair["limit_gbs"] == 50
    assert pair["rate_gbs"] == pytest.approx(45.9, abs=0.1)
    assert pair["share_of_limit"] == pytest.approx(0.918, abs=0.001)
    assert len(pair["samples_s"]) == 7
    assert pair["notes"] == ["Modelled: no bytes were moved."]


def test_what_was_not_measured_is_null_and_a_note_says_why() -> None:
    result = measured(bench("2xT4"), CopyJob("cpu", "cuda:5", 64))
    told = result_as_json(result)
    assert told["rate_gbs"] is None
    assert told["median_s"] is None
    assert told["intact"] is None
    assert told["samples_s"] == []
    assert told["notes"][0] == "Not measured: There is no cuda:5."  # type: ignore[index]  # a list


def test_where_nobody_tells_a_limit_the_reason_stands_in_the_notes() -> None:
    told = result_as_json(one_way("1xT4", "cpu", "cpu"))
    assert told["limit_gbs"] is None
    assert told["share_of_limit"] is None
    assert "No limit: it is not known how fast the memory of the computer is." in told["notes"]  # type: ignore[operator]  # a list


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


def test_a_real_copy_is_neither_simulated_nor_modelled() -> None:
    told = as_json([real("cpu", "cpu", 1 << 20, 0.1, intact=True)], simulated=False)
    assert (told["simulated"], told["modelled"]) == (False, False)


def test_what_was_compared_is_said_in_figures_and_in_words() -> None:
    told = result_as_json(
        real("cpu", "cpu", 64, 0.1, intact=True, compared_samples=7, compared_copies=41)
    )
    assert (told["compared_samples"], told["compared_copies"]) == (7, 41)
    assert told["notes"][0] == (  # type: ignore[index]  # a list
        "The last copy of each of 7 samples was compared with what was sent. 41 more were "
        "compared one by one."
    )


def test_a_copy_within_one_device_is_labelled_as_bytes_and_as_memory_traffic() -> None:
    told = result_as_json(real("cuda:0", "cuda:0", 1 << 30, 0.001, intact=True))
    assert told["rate_gbs"] == 1073.741824
    notes = told["notes"]
    assert isinstance(notes, Sequence)
    assert "Copied bytes count once: memory traffic is 2147 GB/s." in notes


def test_both_ways_are_called_both_and_tell_the_way_back() -> None:
    job = job_of(Kind.BOTH_WAYS, "cpu", "cuda:0")
    assert job is not None
    told = result_as_json(measured(bench("1xT4"), job))
    assert told["direction"] == "both"
    assert told["back_rate_gbs"] == pytest.approx(told["rate_gbs"])


def test_the_csv_has_a_line_for_each_and_leaves_empty_what_there_is_not() -> None:
    results: list[CopyResult] = [
        one_way("2xTitanRTX", "cuda:0", "cuda:1"),
        real("cuda:6", "cuda:1", 64, 0.5, intact=False),
    ]
    rows = list(csv.DictReader(io.StringIO(as_csv(results, simulated=True))))
    assert [row["source"] for row in rows] == ["cuda:0", "cuda:6"]
    assert (rows[0]["simulated"], rows[0]["modelled"]) == ("yes", "yes")
    assert rows[0]["direct"] == "yes"
    assert float(rows[0]["min_s"]) <= float(rows[0]["median_s"]) <= float(rows[0]["max_s"])
    assert rows[1]["rate_gbs"] == ""
    assert rows[1]["min_s"] == ""
    assert rows[1]["intact"] == "no"
