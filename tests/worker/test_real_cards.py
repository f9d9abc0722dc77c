"""On real cards: copies and products, a whole datasheet, and a worker whose cells fail."""

import contextlib
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from gpuexplorer.__main__ import main
from gpuexplorer.copies.datasheet.cards_table import What
from gpuexplorer.lab.events import Device
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session
from tests.real_cards import snapshots
from tests.worker.measurements import (
    beyond_caches,
    measured_on,
    memory_rate,
    rate_of,
    skip_without_cards,
    usual,
)

pytestmark = pytest.mark.gpu

SIZE = 64 << 20
PLACE = 12_345_678
FASTEST_LINK = 500e9  # bytes per second: NVLink from host to card, the widest there is
SLOWEST_LINK = 0.5e9
WAYS = [("cpu", "cuda:0"), ("cuda:0", "cpu"), ("cuda:0", "cuda:0")]


@pytest.fixture(autouse=True)
def a_card() -> None:
    skip_without_cards(1)


@pytest.fixture
def two_cards() -> None:
    skip_without_cards(2)


class Flipping(TorchCards):
    """The real cards, but of each copy that is measured one byte comes wrong."""

    # Any: tensors are PyTorch's.
    def copy(self, target: Any, source: Any, *, wait: bool) -> None:
        super().copy(target, source, wait=wait)
        if not wait:
            if not target.is_cuda:
                torch.cuda.synchronize()
            target[PLACE] ^= 1


@pytest.mark.parametrize(("source", "target"), WAYS)
def test_a_copy_is_gated_arrives_and_is_as_fast_as_can_be(source: str, target: str) -> None:
    size = beyond_caches(SIZE) if source == target else SIZE
    measured = measured_on(TorchCards(), source, target, bytes=size, samples=7)
    assert measured.gated, measured.notes
    assert measured.intact, measured.notes
    assert len(measured.samples_s) == 7
    assert usual(measured) < 1.2 * min(measured.samples_s)
    if source == target:
        assert 10e9 < 2 * rate_of(measured, size) < 1.1 * memory_rate()
    else:
        assert SLOWEST_LINK < rate_of(measured, size) < FASTEST_LINK


@pytest.mark.parametrize(("source", "target"), [WAYS[0], WAYS[2]])
def test_a_byte_flipped_on_purpose_is_found(source: str, target: str) -> None:
    measured = measured_on(Flipping(), source, target, bytes=SIZE, samples=1)
    assert measured.intact is False
    [wrong] = measured.wrong
    assert (wrong.first, wrong.bytes) == (PLACE, 1)


@pytest.mark.parametrize(
    ("mode", "changes"),
    [
        ("copy", {"both_ways": True}),
        ("copy", {"pieces": 64}),
        ("copy", {"beside": (("cuda:0", "cpu"),)}),
        ("overlap", {}),
        ("blocking", {}),
        ("blocking", {"pinned": False}),
        ("latency", {"bytes": 16}),
    ],
)
def test_each_way_to_copy_arrives(mode: str, changes: dict[str, Any]) -> None:
    measured = measured_on(TorchCards(), mode=mode, **{"bytes": SIZE, **changes})
    assert measured.intact
    assert all(each > 0 for each in measured.samples_s)
    assert measured.gated in (None, True)


@pytest.mark.parametrize("mode", ["copy", "staged"])
@pytest.mark.usefixtures("two_cards")
def test_from_card_to_card(mode: str) -> None:
    measured = measured_on(TorchCards(), "cuda:0", "cuda:1", bytes=SIZE, mode=mode)
    assert measured.intact, measured.notes
    assert measured.direct is not None
    # Without a direct way the driver carries the bytes itself, and keeps the host waiting.
    if measured.direct or mode == "staged":
        assert measured.gated, measured.notes


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


@pytest.fixture
def session() -> Iterator[Session]:
    """In a process of its own, that has not touched a card yet."""
    found = Session(cards=())
    try:
        if "cuda:0" not in usable(found):
            pytest.skip("no card that PyTorch can use")
        yield found
    finally:
        found.stop()


def usable(session: Session) -> dict[str, Device]:
    devices = session.worker.listener.hello.devices
    return {each.name: each for each in devices if each.usable}


@needs_torch
def test_a_broken_card_is_told_and_a_new_worker_makes_its_shelf_again(session: Session) -> None:
    session.run("X = torch.rand(4, device='cuda:0')", "Y = X * 2", "H = torch.ones(3)")
    before = session.text("Y.tolist()")
    failed = session.run("Z = X[torch.tensor([9], device='cuda:0')]").failed
    assert failed is not None
    assert failed.cause == "device assert"
    assert failed.error in ("AcceleratorError", "RuntimeError")  # before PyTorch 2.8
    assert "device-side assert" in failed.message
    assert failed.sentence.startswith("A kernel met a value that it cannot take")
    assert failed.hint
    assert [each.line for each in failed.frames] == [1]
    assert not session.ledger.things
    session.stop()
    session.start()
    session.again(session.ledger.replay())
    assert set(session.ledger.things) == {"X", "Y", "H"}
    assert session.text("Y.tolist()") == before


@needs_torch
def test_a_card_without_room_says_so_and_the_worker_goes_on(session: Session) -> None:
    card = usable(session)["cuda:0"]
    assert card.total_bytes is not None
    session.run("X = torch.ones(3, device='cuda:0')")
    line = f"A = torch.empty({2 * card.total_bytes}, dtype=torch.uint8, device='cuda:0')"
    failed = session.run(line).failed
    assert failed is not None
    assert (failed.cause, failed.error) == ("out of memory", "OutOfMemoryError")
    assert failed.sentence == "It does not fit into the memory that is free."
    [memory] = failed.memory
    assert memory.device == "cuda:0"
    assert 0 < (memory.free_bytes or 0) < card.total_bytes
    assert session.run("Y = X + 1").finished
    assert set(session.ledger.things) == {"X", "Y"}
