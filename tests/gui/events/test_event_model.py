"""The list of events as Qt asks for it, also when the oldest have to make room."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.views.events.event_choice import EventChoice, counted
from gpuexplorer.gui.views.events.event_model import Column, EventModel
from gpuexplorer.gui.wording.events.event_words import Group
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.remembering import RememberingSession

ZERO, ONE = CardId("GPU-0"), CardId("GPU-1")
LIMIT = "At its power limit"
BEGAN = Happening(1.0, 1e9, Kind.THROTTLING_BEGAN, ZERO, LIMIT, LIMIT)
OVER = Happening(34.0, 1e9 + 33, Kind.THROTTLING_ENDED, ZERO, f"{LIMIT}: over", LIMIT, 33.0)
LOST = Happening(40.0, 1e9 + 39, Kind.CARD_LOST, ONE, "The card is lost")
GONE = Happening(50.0, 1e9 + 49, Kind.DRIVER_GONE, None, "The driver is gone")


@pytest.fixture
def model(qtbot: object, qtmodeltester: ModelTester, session: RememberingSession) -> EventModel:
    model = EventModel(MachineState(session, Settings()))
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]  # pytest-qt says no types
    return model


def said(model: EventModel, column: Column) -> Sequence[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_the_newest_stands_on_top_and_what_is_over_says_after_how_long(
    model: EventModel,
) -> None:
    model.show_log([BEGAN])
    assert said(model, Column.RESULT) == ["still so"]
    model.show_log([BEGAN, OVER, LOST])
    assert said(model, Column.SENTENCE) == ["The card is lost", f"{LIMIT}: over", LIMIT]
    assert said(model, Column.RESULT) == ["still so", "after 33 s", ""]
    assert said(model, Column.CARD) == ["1", "0", "0"]


def test_a_program_that_uses_the_card_still_uses_it_until_it_lets_go(model: EventModel) -> None:
    came = Happening(1.0, 1e9, Kind.PROCESS_APPEARED, ZERO, "train uses the card", "7")
    went = Happening(9.0, 1e9 + 8, Kind.PROCESS_ENDED, ZERO, "train let the card go", "7", 8.0)
    model.show_log([came])
    assert said(model, Column.RESULT) == ["still uses it"]
    model.show_log([came, went])
    assert said(model, Column.RESULT) == ["after 8 s", ""]


def test_of_a_card_that_tells_nothing_nobody_says_that_it_is_throttled_still(
    model: EventModel,
) -> None:
    model.show_log([BEGAN, replace(LOST, card=ZERO)])
    assert said(model, Column.RESULT) == ["still so", ""]


@pytest.mark.parametrize(
    ("choice", "left"),
    [
        (EventChoice(Group.THROTTLING), [f"{LIMIT}: over", LIMIT]),
        (EventChoice(Group.FAULT), ["The driver is gone", "The card is lost"]),
        # What is about the driver is about each of its cards.
        (EventChoice(card=ONE), ["The driver is gone", "The card is lost"]),
        (EventChoice(words="POWER over"), [f"{LIMIT}: over"]),
        (EventChoice(words="card 1"), ["The card is lost"]),
        (EventChoice(words="nothing such"), []),
    ],
)
def test_it_can_be_narrowed_down(
    model: EventModel, choice: EventChoice, left: Sequence[str]
) -> None:
    model.show_log([BEGAN, OVER, LOST])
    model.choose(choice)
    model.show_log([BEGAN, OVER, LOST, GONE])
    assert said(model, Column.SENTENCE) == left


def test_the_oldest_make_room_also_where_not_all_are_listed(model: EventModel) -> None:
    many = [
        replace(BEGAN if number % 2 else LOST, at=float(number), sentence=f"Number {number}")
        for number in range(12)
    ]
    model.choose(EventChoice(Group.FAULT))
    model.show_log(many[:8])
    model.show_log(many[3:12])
    assert said(model, Column.SENTENCE) == [f"Number {number}" for number in (10, 8, 6, 4)]
    model.choose(EventChoice())
    assert said(model, Column.SENTENCE) == [f"Number {n}" for n in range(11, 2, -1)]


def test_a_log_that_is_new_from_end_to_end_replaces_all(model: EventModel) -> None:
    model.show_log([BEGAN, OVER])
    model.show_log([LOST, GONE])
    assert said(model, Column.SENTENCE) == ["The driver is gone", "The card is lost"]


def test_a_card_that_is_no_longer_listed_keeps_its_lasting_name(model: EventModel) -> None:
    model.show_log([replace(LOST, card=CardId("MIG-7-1"))])
    assert said(model, Column.CARD) == ["MIG-7-1"]


def test_each_kind_is_counted_in_the_group_people_look_for() -> None:
    counts = counted([BEGAN, OVER, LOST, GONE, replace(LOST, kind=Kind.ASLEEP)])
    assert counts == {Group.THROTTLING: 2, Group.FAULT: 2, Group.SLEEP: 1}


def test_a_day_of_events_is_taken_in_and_searched(model: EventModel) -> None:
    many = [replace(BEGAN, at=float(number)) for number in range(10_000)]
    model.show_log(many)
    assert model.rowCount() == 10_000
    model.choose(EventChoice(words="limit"))
    assert model.rowCount() == 10_000


def test_the_same_on_several_cards_at_once_is_one_row(model: EventModel) -> None:
    also = replace(BEGAN, at=1.9, wall=1e9 + 0.9, card=ONE)
    later = replace(BEGAN, at=9.0, wall=1e9 + 8, card=CardId("GPU-7"))
    model.show_log([BEGAN, also, later])
    assert model.rowCount() == 2
    index = model.index(1, Column.CARD)
    assert index.data() == "0 1"
    assert "cards 0, 1: At its power limit" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert index.data(Qt.ItemDataRole.ToolTipRole).count("still so") == 2
    model.choose(EventChoice(card=ONE))
    assert said(model, Column.CARD) == ["1"]


def test_a_row_takes_in_another_card_that_comes_a_moment_later(
    model: EventModel, qtbot: QtBot
) -> None:
    model.show_log([BEGAN])
    also = replace(BEGAN, at=1.5, card=ONE)
    with qtbot.waitSignal(model.dataChanged):
        model.show_log([BEGAN, also])
    assert said(model, Column.CARD) == ["0 1"]
    model.show_log([BEGAN, also, OVER])
    assert said(model, Column.RESULT) == ["after 33 s", "differs by card"]


def test_programs_of_one_name_that_begin_at_once_are_one_row(model: EventModel) -> None:
    def began(pid: str, card: CardId) -> Happening:
        sentence = f"python train.py ({pid}) uses the card"
        return Happening(1.0, 1e9, Kind.PROCESS_APPEARED, card, sentence, pid)

    model.show_log([began("71", ZERO), began("72", ONE), began("73", ZERO)])
    assert said(model, Column.SENTENCE) == [
        "python train.py (73) uses the card",
        "python train.py uses the card",
    ]
    assert len(model.listed()) == 3
