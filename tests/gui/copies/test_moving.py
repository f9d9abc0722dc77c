"""The page of copies: what a cell copied is drawn, listed, explained and cured."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QItemSelectionModel
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.moving.copies_panel import CopiesPanel, CopiesTable
from gpuexplorer.gui.copies.moving.copy_sheets import NewCopySheet, expected_words
from gpuexplorer.gui.copies.moving.travel_panel import TravelDrawing, TravelPanel
from gpuexplorer.gui.copies.moving.view import MovingPage
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from gpuexplorer.gui.widgets.saving import PlotNote
from gpuexplorer.lab.events import Placed
from tests.copies.made import routes
from tests.gui.copies.moves import across, cell, moving_page, read, rows
from tests.gui.frame.steps import called
from tests.gui.hands import texts, the
from tests.gui.lab.conftest import ScriptedWorker, hello, tensor
from tests.gui.topology.conftest import place_of

ACROSS = "Z = X.cuda(1)"
LOOP = "log = []\nfor i in range(1000):\n    log.append(loss.item())  # kept"
Runs = Callable[..., None]


@pytest.fixture
def page(lab: Lab, qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[MovingPage]:
    page, window = moving_page(lab, qtbot, motion=bool(getattr(request, "param", False)))
    yield page
    window.close()


@pytest.fixture
def runs(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Runs:
    def run(*cells: tuple[str, Callable[[int], object]]) -> None:
        with qtbot.waitSignal(lab.changed):
            for code, event in cells:
                cell(lab, worker, code, event)

    return run


def two_cells(runs: Runs) -> None:
    runs((ACROSS, across), (LOOP, lambda number: read(number, line=3)))


def pick(page: MovingPage, row: int) -> None:
    table, flag = the(CopiesTable, page), QItemSelectionModel.SelectionFlag
    index = table.model().index(row, 0)
    table.selectionModel().select(index, flag.ClearAndSelect | flag.Rows)


def head(page: MovingPage) -> str:
    return the(TravelPanel, page).head.accessibleName()


def told(page: MovingPage, words: str) -> bool:
    return any(words in each for each in texts(page))


@pytest.mark.parametrize("page", [True], indirect=True)
def test_a_copy_is_a_row_and_travels_slowed_past_the_cards(
    page: MovingPage, runs: Runs, qtbot: QtBot
) -> None:
    runs((ACROSS, across))
    assert rows(page) == ["1 Z 0 to 1"]
    assert head(page) == "Z, 256 MiB, 0 to 1, NVLink x2"
    assert the(TravelPanel, page).strip.accessibleDescription() == (
        "Rate, modelled 46.0 GB/s, 92 % of the narrowest wire, 50.0 GB/s one way"
    )
    playback, drawn = the(TravelPanel, page).playback, the(TravelDrawing, page)
    assert drawn.lanes_lit == 1  # a bridge
    assert playback.playing
    assert "slowed ×360" in [each.accessibleName() for each in page.findChildren(QWidget)]
    first = drawn.block_place()
    qtbot.waitUntil(lambda: drawn.block_place() != first)
    qtbot.waitUntil(lambda: not playback.playing, timeout=5000)
    assert playback.share == 1.0
    for share in (0.0, 0.1, 0.5, 0.9, 1.0):
        playback.go_to(share)
        block = drawn.block_place().adjusted(1, 1, -1, -1)
        assert not block.isEmpty()
        for card in page.copies.lab.machine.cards():
            assert not block.intersects(place_of(drawn, Part(Kind.CARD, card.card.id)))


def test_repeats_are_one_row_and_the_dearest_implicit_one_is_explained(
    page: MovingPage, lab: Lab, runs: Runs, qtbot: QtBot
) -> None:
    two_cells(runs)
    assert rows(page) == ["2:3 loss.item() 0 to H", "1 Z 0 to 1"]
    model = the(CopiesTable, page).model()
    said = [str(model.index(0, column).data()) for column in range(model.columnCount())]
    assert {"direct, ×1000", "all latency"} <= {*said}
    held_up = "while it waited for cuda:0, this line gave no card new work."
    assert told(page, "loss.item() moved 4 B to the host 1000 times. 15.0 of 16.0 ms")
    assert told(page, held_up)
    pick(page, 1)
    assert told(page, "Z moved 256 MiB from cuda:0 to cuda:1. It took 5.84 ms, modelled.")
    assert not told(page, held_up)
    assert lab.selection.cell == lab.ledger.cells[1].id
    # Without motion what else went over the wires goes out; the way of the chosen one stays.
    assert the(TravelDrawing, page).block_place().isEmpty()
    qtbot.waitUntil(lambda: the(TravelDrawing, page).lanes_lit == 1)
    with qtbot.waitSignal(lab.selection.changed):
        lab.selection.choose(lab.ledger.cells[2].id)
    assert head(page).startswith("loss.item(), 4 B ×1000")


@pytest.mark.parametrize(
    ("direct", "advice", "cure"),
    [(True, "ACS", "Z = X.cpu().cuda(1)"), (False, "no other way is left", "")],
)
def test_what_arrives_wrong_has_no_rate_and_is_sent_through_the_host_if_it_was_not(
    page: MovingPage, runs: Runs, direct: bool, advice: str, cure: str
) -> None:
    runs((ACROSS, lambda number: across(number, intact=False, direct=direct)))
    said = the(TravelPanel, page).strip.accessibleDescription()
    assert said.startswith("Rate, modelled WRONG")
    assert told(page, "Z arrived WRONG on cuda:1.")
    assert told(page, advice)
    assert the(CopiesPanel, page).said.code == cure
    saved = json.loads(page.saving.json())["copies"][0]
    assert (saved["intact"], saved["rate_gbs"]) == (False, None)


def test_a_copy_that_copies_nothing_says_so(page: MovingPage, runs: Runs) -> None:
    nothing = {"target": "cuda:0", "bytes": 0, "intact": None, "what": "X.cuda(0)"}
    runs(("Z = X.cuda(0)", lambda number: across(number, **nothing)))
    assert told(page, "Z is on cuda:0 already: nothing was copied.")
    assert the(TravelDrawing, page).lanes_lit == 0


def test_files_and_text_say_what_is_modelled_and_what_is_missing(
    page: MovingPage, runs: Runs, qtmodeltester: ModelTester
) -> None:
    two_cells(runs)
    saved = json.loads(page.saving.json())
    assert (saved["simulated"], saved["modelled"]) == (True, True)
    assert saved["copies"][0]["copies"] == 1000
    assert saved["copies"][0]["missing"] == "rate: all latency; intact: not compared"
    first, second, _ = page.saving.csv().strip().split("\n")
    assert first.split(",")[-3:] == ["modelled", "simulated", "missing"]
    assert ",yes,yes," in second
    table = the(CopiesTable, page)
    qtmodeltester.check(table.model())  # type: ignore[no-untyped-call]  # pytest-qt says no types
    for column in table.columns.listed.columns:
        if column.kept:
            table.columns.show_column(column.key, shown=column.key in ("best", "intact"))
    pick(page, 1)
    page.copy_text()
    headings, row = QGuiApplication.clipboard().text().splitlines()[-2:]
    assert headings.split("\t") == ["Cell", "What", "From, to", "Of best, %", "Intact"]
    assert row.split("\t")[:4] == ["1", "Z", "0 to 1", "100"]


@pytest.mark.parametrize("made", [[], ['X = torch.rand(16, 1024, 1024, device="cuda:0")']])
def test_a_new_copy_runs_the_labs_own_line_and_what_fails_is_a_sentence(
    page: MovingPage, runs: Runs, worker: ScriptedWorker, qtbot: QtBot, made: list[str]
) -> None:
    if not made:
        runs(("X = torch.ones(2, 3, device='cuda:0')", lambda n: tensor("X", number=n)))
    page.ask_new_copy()
    sheet, lines = the(NewCopySheet, page.window()), [*made, "X_1 = X.cuda(1)"]
    assert list(sheet.lines) == lines
    assert any("NVLink x2" in each for each in texts(sheet))
    with qtbot.waitSignal(sheet.asked):
        called(QAbstractButton, sheet, "Run the copy in the lab").click()
    assert worker.cells[-1] == "\n".join(lines)
    worker.fail("out of memory", "OutOfMemoryError", "CUDA out of memory.")
    note = the(PlotNote, page)
    qtbot.waitUntil(lambda: note.accessibleName() == "CUDA out of memory.")


def test_copies_keep_their_cards_when_the_lab_is_shown_others_later(
    page: MovingPage, lab: Lab, worker: ScriptedWorker, runs: Runs, qtbot: QtBot
) -> None:
    runs((ACROSS, across))
    lab.release()
    lab.choose(replace(lab.switches, visible=(1,)))
    first, second = hello().devices[0], hello().devices[2]
    worker.hello = replace(hello(), devices=(first, replace(second, name="cuda:0")))
    runs(("Y = X.cuda(0)", lambda n: read(n, 1)))
    qtbot.waitUntil(lambda: rows(page) == ["2 loss.item() 1 to H", "1 Z 0 to 1"])
    pick(page, 1)
    assert head(page) == "Z, 256 MiB, 0 to 1, NVLink x2"


def test_before_a_copy_the_least_that_it_takes_is_told() -> None:
    way, thing = (
        routes("2xTitanRTX").route("cpu", "cuda:0"),
        Placed(1, "X", "tensor", "cpu", ""),
    )
    said = [expected_words(replace(thing, bytes=size), way) for size in (4, 1 << 30)]
    assert said[0].endswith("At this size, latency dominates.")
    assert said[1].endswith("so at least 68 ms.")
