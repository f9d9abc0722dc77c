"""On a real card: a whole datasheet, with plausible shares and the watts of its products."""

import contextlib
import io
import json
from typing import Any

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.copies.datasheet.cards_table import What
from tests.real_cards import snapshots

pytestmark = pytest.mark.gpu

# Of what is promised: a card may run above the clock that its maker counts with.
LEAST, MOST = 0.3, 1.25


# Any throughout: as it is in the JSON.
@pytest.fixture(scope="module")
def sheets() -> list[dict[str, Any]]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = main(["copies", "--datasheet", "--json"])
    assert status == 0
    told = json.loads(out.getvalue())
    assert told["complete"]
    found: list[dict[str, Any]] = told["sheets"]
    if found[0]["device"] == "cpu":
        pytest.skip("no card that PyTorch can use")
    if any(card["kind"] == "mig" for card in snapshots()[0]["cards"]):
        pytest.skip("MIG is on: a slice reaches a part of what its card promises")
    return found


def test_what_was_reached_is_a_plausible_share(sheets: list[dict[str, Any]]) -> None:
    for sheet in sheets:
        rows = {row["what"]: row for row in sheet["rows"]}
        for what in (What.MEMORY, What.TO_CARD, What.FROM_CARD, What.FP32):
            row = rows[what.value]
            assert row["reached_reason"] if row["reached"] is None else row["reached"] > 0
        for name, row in rows.items():
            if row["share"] is not None:
                assert LEAST < row["share"] < MOST, (name, row)
        limit, watts = rows[What.POWER.value]["promised"], rows[What.FP32.value]["watts"]
        if watts is None:
            assert rows[What.FP32.value]["watts_reason"]
        elif limit is not None:
            assert 0.2 * limit < watts < 1.1 * limit
