"""The page of copies: what a cell copied is drawn, listed, explained and cured."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.moving.copies_panel import CopiesPanel, CopiesTable
from gpuexplorer.gui.copies.moving.copy_sheets import CureSheet, NewCopySheet, expected_words
from gpuexplorer.gui.copies.moving.travel_panel import FigureStrip, TravelHead, TravelPanel
from gpuexplorer.gui.copies.moving.view import MovingPage
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from gpuexplorer.gui.widgets.saving import PlotNote
from gpuexplorer.lab.events import Placed
from gpuexplorer.lab.wire import Run
from tests.copies.made import routes
from tests.gui.copies.moves import across, cell, drawing, moving_page, read, rows, show_at
from tests.gui.frame.steps import called
from tests.gui.hands import button, click, texts, the
from tests.gui.lab.conftest import ScriptedWorker, hello, tensor
from tests.gui.topology.screen_hands import place_of

LOOP = "log = []\nfor i in range(1000):\n    log.append(loss.item())  # kept"


@pytest.fixture
def page(lab: LabState, worker: ScriptedWorker, qtbot: QtBot) -> Iterator[MovingPage]:
    window = moving_page(lab, qtbot)
    yield window.page
    window.close()


def two_cells(lab: LabState, worker: ScriptedWorker, qtbot: QtBot) -> None:
    with qtbot.waitSignal(lab.changed):
        cell(lab, worker, "Z = X.cuda(1)", across)
        cell(lab, worker, LOOP, lambda number: read(number, line=3))


def pick(page: MovingPage, *places: int) -> None:
    table = the(CopiesTable, page)
    flag = QItemSelectionModel.SelectionFlag
    model = table.selectionModel()
    for at, place in enumerate(places):
        index = table.model().index(place, 0)
        model.select(index, (flag.ClearAndSelect if at == 0 else flag.Select) | flag.Rows)


def test_a_copy_is_a_row_and_its_way_is_lit(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(lab.changed):
        cell(lab, worker, "Z = X.cuda(1)", across)
    assert rows(page) == ["1 Z 0 to 1"]
    assert drawing(page).lanes_lit == 1  # a bridge
    assert the(TravelHead, page).accessibleName() == "Z, 256 MiB, 0 to 1, NVLink x2"
    said = the(FigureStrip, page).accessibleDescription()
    assert said == ("Rate, modelled 46.0 GB/s, 92 % of the narrowest wire, 50.0 GB/s one way")


def test_the_block_that_travels_leaves_the_cards_at_its_ends_to_be_read(
    lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    window = moving_page(lab, qtbot, motion=True)
    with qtbot.waitSignal(lab.changed):
        cell(lab, worker, "Z = X.cuda(1)", across)
    drawn = drawing(window.page)
    playback = the(TravelPanel, window).playback
    for share in (0.0, 0.1, 0.9, 1.0):
        playback.go_to(share)
        block = drawn.block_place().adjusted(1, 1, -1, -1)
        assert not block.isEmpty()
        for card in lab.machine.cards():
            tile = place_of(drawn, Part(Kind.CARD, card.card.id))
            assert not tile.isEmpty()
            assert not block.intersects(tile)
    window.close()


def test_repeats_are_one_row_and_the_dearest_unasked_is_explained(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    two_cells(lab, worker, qtbot)
    assert rows(page) == ["2:3 loss.item() 0 to H", "1 Z 0 to 1"]
    table = the(CopiesTable, page)
    model = table.model()
    said = [str(model.index(0, column).data()) for column in range(model.columnCount())]
    assert "direct, ×1000" in said
    assert "all latency" in said
    assert any(
        each.startswith("loss.item() moved 4 B to the host 1000 times. 15.0 of 16.0 ms")
        for each in texts(page)
    )


def test_a_loop_that_waits_for_a_card_is_told_what_that_holds_up(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    two_cells(lab, worker, qtbot)
    held_up = (
        "Python runs one line at a time (its interpreter lock): while it waited for cuda:0, "
        "this line gave no card new work."
    )
    qtbot.waitUntil(lambda: any(held_up in each for each in texts(the(CopiesPanel, page))))
    pick(page, rows(page).index("1 Z 0 to 1"))
    qtbot.waitUntil(lambda: not any(held_up in each for each in texts(the(CopiesPanel, page))))


def test_a_row_that_is_chosen_selects_its_line_everywhere(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    two_cells(lab, worker, qtbot)
    pick(page, 1)
    first = lab.ledger.cells[1].id
    assert lab.selection.cell == first
    assert the(TravelHead, page).accessibleName().startswith("Z, 256 MiB")
    with qtbot.waitSignal(lab.selection.changed):
        lab.selection.choose(lab.ledger.cells[2].id)
    assert the(TravelHead, page).accessibleName().startswith("loss.item(), 4 B ×1000")


def test_captions_sort_and_what_has_no_figure_stands_last(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    two_cells(lab, worker, qtbot)
    columns = the(CopiesTable, page).columns
    columns.sort_by("rate", falling=False)
    assert rows(page)[0] == "1 Z 0 to 1"
    columns.sort_by("rate", falling=True)
    assert rows(page)[0] == "1 Z 0 to 1"
    columns.sort_by("cell", falling=False)
    assert [each[0] for each in rows(page)] == ["1", "2"]


def test_what_arrives_wrong_has_no_rate_and_says_what_to_do(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(lab.changed):
        cell(lab, worker, "Z = X.cuda(1)", lambda number: across(number, intact=False))
    assert the(FigureStrip, page).accessibleDescription().startswith("Rate, modelled WRONG")
    assert "Z arrived WRONG on cuda:1." in texts(page)
    assert any("ACS" in each for each in texts(page))
    click(page, "Show the cure")
    assert "Z = X.cpu().cuda(1)" in texts(the(CureSheet, page.window()))
    told = json.loads(page.saving.json())["copies"][0]
    assert (told["intact"], told["rate_gbs"]) == (False, None)


def test_what_arrives_wrong_though_it_was_staged_is_not_sent_through_the_host_again(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(lab.changed):
        cell(
            lab,
            worker,
            "Z = X.cuda(1)",
            lambda number: across(number, intact=False, direct=False),
        )
    assert any("no other way is left" in each for each in texts(page))
    assert the(CopiesPanel, page).said.code == ""


def test_a_copy_that_copies_nothing_says_so(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(lab.changed):
        cell(
            lab,
            worker,
            "Z = X.cuda(0)",
            lambda number: across(
                number, target="cuda:0", bytes=0, intact=None, what="X.cuda(0)"
            ),
        )
    assert "Z is on cuda:0 already: nothing was copied." in texts(page)
    assert drawing(page).lanes_lit == 0


def test_files_say_that_it_is_modelled(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    two_cells(lab, worker, qtbot)
    told = json.loads(page.saving.json())
    assert (told["simulated"], told["modelled"]) == (True, True)
    assert told["copies"][0]["copies"] == 1000
    assert told["copies"][0]["missing"] == "rate: all latency; intact: not compared"
    head, first, _ = page.saving.csv().strip().split("\n")
    assert head.split(",")[-3:] == ["modelled", "simulated", "missing"]
    assert ",yes,yes," in first


def test_a_new_copy_runs_the_labs_own_line(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(lab.changed):
        cell(
            lab,
            worker,
            "X = torch.ones(2, 3, device='cuda:0')",
            lambda n: tensor("X", number=n),
        )
    page.ask_new_copy()
    sheet = the(NewCopySheet, page.window())
    assert list(sheet.lines) == ["X_1 = X.cuda(1)"]
    assert any("NVLink x2" in each for each in texts(sheet))
    with qtbot.waitSignal(sheet.begun):
        called(QAbstractButton, sheet, "Run the copy in the lab").click()
    assert worker.cells[-1] == "X_1 = X.cuda(1)"


def test_with_an_empty_shelf_a_new_copy_makes_what_it_copies(page: MovingPage) -> None:
    page.ask_new_copy()
    assert list(the(NewCopySheet, page.window()).lines) == [
        'X = torch.rand(16, 1024, 1024, device="cuda:0")',
        "X_1 = X.cuda(1)",
    ]


def test_a_copy_that_fails_is_a_sentence(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    page.ask_new_copy()
    called(QAbstractButton, the(NewCopySheet, page.window()), "Run the copy in the lab").click()
    last = worker.last()
    assert isinstance(last, Run)
    worker.fail("out of memory", "OutOfMemoryError", "CUDA out of memory. Tried to allocate")
    note = the(PlotNote, page)
    said = "CUDA out of memory. Tried to allocate"
    qtbot.waitUntil(lambda: note.isVisible() and note.accessibleName() == said)


def test_copies_keep_their_cards_when_the_lab_is_shown_others_later(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(lab.changed):
        cell(lab, worker, "Z = X.cuda(1)", across)
    lab.release()
    lab.choose(replace(lab.switches, visible=(1,)))
    first, second = hello().devices[0], hello().devices[2]
    only = replace(second, name="cuda:0")
    worker.hello = replace(hello(), devices=(first, only))
    with qtbot.waitSignal(lab.changed):
        cell(lab, worker, "Y = X.cuda(0)", lambda n: read(n, 1))
    qtbot.waitUntil(lambda: len(rows(page)) == 2)
    assert rows(page) == ["2 loss.item() 1 to H", "1 Z 0 to 1"]
    pick(page, 1)
    assert the(TravelHead, page).accessibleName() == "Z, 256 MiB, 0 to 1, NVLink x2"


def test_columns_are_shown_and_put_away_and_text_is_copied_of_those_that_are_shown(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    two_cells(lab, worker, qtbot)
    columns = the(CopiesTable, page).columns
    for column in columns.listed.columns:
        if column.kept:
            columns.show_column(column.key, shown=column.key in ("best", "intact"))
    pick(page, 1)
    page.copy_text()
    headings, row = QGuiApplication.clipboard().text().splitlines()[-2:]
    assert headings.split("\t") == ["Cell", "What", "From, to", "Of best, %", "Intact"]
    assert row.split("\t") == [
        *("1", "Z", "0 to 1", "100"),
        "Compared: it arrived as it was sent.",
    ]


def test_the_copies_are_a_sound_model(
    page: MovingPage,
    lab: LabState,
    worker: ScriptedWorker,
    qtbot: QtBot,
    qtmodeltester: ModelTester,
) -> None:
    two_cells(lab, worker, qtbot)
    model = the(CopiesTable, page).model()
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]  # pytest-qt says no types


def test_without_motion_the_way_stays_lit_and_nothing_travels(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    two_cells(lab, worker, qtbot)
    pick(page, 1)
    assert not the(TravelPanel, page).playback.playing
    assert drawing(page).block_place().isEmpty()
    # What else went over the wires goes out; the way of the chosen one stays.
    qtbot.waitUntil(lambda: drawing(page).lanes_lit == 1)


def test_a_copy_travels_slowed_and_rests_when_it_has_arrived(
    lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    window = moving_page(lab, qtbot, motion=True)
    page = window.page
    with qtbot.waitSignal(lab.changed):
        cell(lab, worker, "Z = X.cuda(1)", across)
    playback = the(TravelPanel, page).playback
    assert playback.playing
    assert playback.slowed is not None
    assert playback.slowed.words == "slowed ×360"
    first = drawing(page).block_place()
    assert not first.isEmpty()
    qtbot.waitUntil(lambda: drawing(page).block_place() != first)
    qtbot.waitUntil(lambda: not playback.playing, timeout=5000)
    assert playback.share == 1.0
    playback.go_to(0.5)
    assert playback.slowed.done(playback.share) == ("2.92", "5.84 ms")
    assert not playback.playing


def test_a_thousand_copies_a_second_are_lit_lanes_and_one_block(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(lab.changed):
        for number in range(500):
            cell(lab, worker, f"A{number} = X.cuda(1)", across)
            cell(lab, worker, f"float(s{number})", lambda n: read(n, 1))
    qtbot.waitUntil(lambda: len(rows(page)) == 1000)
    # The bridge, and the way up to the host.
    assert 1 < drawing(page).lanes_lit <= 6


def test_the_page_can_be_seen_in_a_narrow_window(
    page: MovingPage, lab: LabState, worker: ScriptedWorker, qtbot: QtBot, tmp_path: Path
) -> None:
    two_cells(lab, worker, qtbot)
    show_at(page, 740, 520)
    qtbot.waitUntil(lambda: the(TravelPanel, page).width() > 600)
    assert button(page, "Show the cure").isVisible()
    assert page.grab().save(str(tmp_path / "page.png"))


@pytest.mark.parametrize(
    ("size", "said"),
    [(4, "At this size, latency dominates."), (1 << 30, "so at least 68 ms.")],
)
def test_before_a_copy_the_least_that_it_takes_is_told(size: int, said: str) -> None:
    thing = Placed(1, "X", "tensor", "cpu", "", bytes=size)
    assert expected_words(thing, routes("2xTitanRTX").route("cpu", "cuda:0")).endswith(said)
