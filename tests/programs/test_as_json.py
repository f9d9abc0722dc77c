"""A program's run as other programs read it."""

import json
from typing import Any

from gpuexplorer.lab.events import Failed, Finished, Frame, Printed, Trip, Watched, Why
from gpuexplorer.programs.as_json import as_json
from tests.programs.made import FILE, MIB, idle, loader, moved, program, read, seen

DONE = Finished(1, 41.0)


# Any: as json reads it.
def told(*events: Watched | Finished | Failed, status: int | None = 0) -> dict[str, Any]:
    run = program(*events, status=status)
    run.cells[0].outputs.append(Printed(1, "loss 0.3\n"))
    read_back: dict[str, Any] = json.loads(json.dumps(as_json(run), allow_nan=False))
    return read_back


def test_a_cell_has_its_text_its_output_its_copies_and_how_long_the_host_took() -> None:
    cell = told(seen(copies=[moved()]), DONE)["cells"][0]
    about = [cell[each] for each in ("number", "text", "output", "error", "host_seconds")]
    assert about == [1, "import torch\n", [{"stream": "out", "text": "loss 0.3\n"}], None, 41.0]
    copy = cell["copies"][0]
    assert (
        copy
        | {
            "source": "cpu",
            "target": "cuda:0",
            "bytes": 12_000 * MIB,
            "copies": 12_000,
            "asked": True,
            "file": str(FILE),
            "line": 30,
            "expression": 'x.to("cuda")',
            "pinned": False,
            "limit": 15.75e9,
        }
        == copy
    )


def test_what_was_watched_is_told_by_the_rows_of_its_copies() -> None:
    trip = Trip(2, 1, "cuda:0", 9, 9, changed=True)
    waits = [idle(Why.READ, 3.1)]
    events = seen(copies=[read(), moved()], idle=waits, loaders=[loader()], trips=[trip])
    cell = told(events, DONE)["cells"][0]
    assert [each["row"] for each in cell["copies"]] == [1, 2]
    whole = cell["seen"]
    assert (whole["steps"], whole["step"], whole["sampled"]) == (12_000, "optimizer", False)
    assert (whole["idle"][0]["why"], whole["idle"][0]["seconds"]) == ("read", 3.1)
    assert (whole["loaders"][0]["workers"], whole["trips"][0]["out"]) == (0, 1)


def test_what_is_not_known_is_null_and_says_why() -> None:
    cell = told(Failed(1, "worker lost", "", ""), status=-9)["cells"][0]
    assert cell["seen"] is None
    assert cell["missing"] == {
        "host_seconds": "it did not come to an end",
        "seen": "it was not watched",
    }
    copy = told(seen(copies=[read()]), DONE)["cells"][0]["copies"][0]
    assert (copy["rate"], copy["missing"]["rate"]) == (None, "all latency")


def test_an_error_has_its_type_its_text_and_its_lines() -> None:
    failed = Failed(1, "error", "KeyError", "'x'", frames=(Frame(0, 12, file=str(FILE)),))
    error = told(failed, status=1)["cells"][0]["error"]
    assert (error["type"], error["text"], error["sentence"]) == ("KeyError", "'x'", None)
    assert (error["frames"][0]["file"], error["frames"][0]["line"]) == (str(FILE), 12)


def test_findings_have_their_place_their_figures_and_what_a_cure_gives_back() -> None:
    found = told(seen(copies=[read()], idle=[idle(Why.READ, 3.1)]), DONE)["findings"][0]
    about = [found[each] for each in ("matter", "file", "line", "expression")]
    assert about == ["read", str(FILE), 84, "loss.item()"]
    assert found["figures"] == {"times": 12_000, "seconds": 3.1, "bytes": 48_000}
    assert found["sentence"].startswith("train.py:84 `loss.item()` 12\u202f000 times")
