"""The list of events as Qt asks for it, also when the oldest have to make room."""

from collections.abc import Sequence

import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.catalogue.clocks import throttle
from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.views.events.event_choice import EventChoice, counted
from gpuexplorer.gui.views.events.event_rows import EventRows
from gpuexplorer.gui.wording.events.event_words import Group
from gpuexplorer.gui.wording.moments import moment_words
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.remembering import RememberingSession

ZERO, ONE = CardId("GPU-0"), CardId("GPU-1")
LIMIT = "At its power limit"
SW_POWER_CAP = throttle("sw_power_cap")
BEGAN = Happening(1.0, 1e9, Kind.THROTTLING_BEGAN, ZERO, Message(LIMIT), SW_POWER_CAP)
OVER = Happening(
    34.0, 1e9 + 33, Kind.THROTTLING_ENDED, ZERO, Message(f"{LIMIT}: over"), SW_POWER_CAP, 33.0
)
LOST = Happening(40.0, 1e9 + 39, Kind.CARD_LOST, ONE, Message("The card is lost"))
GONE = Happening(50.0, 1e9 + 49, Kind.DRIVER_GONE, None, Message("The driver is gone"))


WHEN_LOST = moment_words(LOST.wall, LOST.wall)
RESULT, CARD, SENTENCE = "result", "card", "sentence"


@pytest.fixture
def rows(session: RememberingSession) -> EventRows:
    return EventRows(MachineState(session, Settings()))


def said(rows: EventRows, key: str) -> Sequence[str]:
    column = next(each for each in rows.columns() if each.key == key)
    return [column.cell(moment).said for moment in rows.moments]


def test_the_newest_stands_on_top_and_what_is_over_says_after_how_long(
    rows: EventRows,
) -> None:
    rows.show_log([BEGAN])
    assert said(rows, RESULT) == ["ongoing"]
    rows.show_log([BEGAN, OVER, LOST])
    assert said(rows, SENTENCE) == ["The card is lost", f"{LIMIT}: over", LIMIT]
    assert said(rows, RESULT) == ["ongoing", "after 33 s", ""]
    assert said(rows, CARD) == ["1", "0", "0"]


def test_a_program_that_uses_the_card_still_uses_it_until_it_lets_go(rows: EventRows) -> None:
    came = Happening(1.0, 1e9, Kind.PROCESS_APPEARED, ZERO, Message("train uses the card"), "7")
    went = Happening(
        9.0,
        1e9 + 8,
        Kind.PROCESS_ENDED,
        ZERO,
        Message("train no longer uses the card"),
        "7",
        8.0,
    )
    rows.show_log([came])
    assert said(rows, RESULT) == ["still using it"]
    rows.show_log([came, went])
    assert said(rows, RESULT) == ["after 8 s", ""]


def test_of_a_card_that_tells_nothing_nobody_says_that_it_is_throttled_still(
    rows: EventRows,
) -> None:
    rows.show_log([BEGAN, LOST._replace(card=ZERO)])
    assert said(rows, RESULT) == ["ongoing", f"not known since {WHEN_LOST}"]


@pytest.mark.parametrize("kind", [Kind.NO_FIGURES, Kind.NO_ANSWER, Kind.PROCESSES_UNKNOWN])
def test_who_uses_a_card_is_not_known_while_nothing_is_heard_of_it(
    rows: EventRows, kind: Kind
) -> None:
    came = BEGAN._replace(kind=Kind.PROCESS_APPEARED, sentence=Message("train uses the card"))
    rows.show_log([came, LOST._replace(card=ZERO, kind=kind)])
    assert said(rows, RESULT) == ["ongoing", f"not known since {WHEN_LOST}"]


def test_a_card_that_is_lost_after_it_was_silent_is_no_longer_silent(rows: EventRows) -> None:
    silent = LOST._replace(kind=Kind.NO_ANSWER, at=30.0)
    back = LOST._replace(kind=Kind.CARD_BACK, at=60.0, lasted=20.0)
    rows.show_log([silent, LOST])
    assert said(rows, RESULT) == ["ongoing", ""]
    rows.show_log([silent, LOST, back])
    assert said(rows, RESULT) == ["after 20 s", "", ""]


def test_what_is_told_only_when_it_lasts_comes_and_goes(rows: EventRows) -> None:
    restless = LOST._replace(kind=Kind.RESTLESS, sentence=Message("again and again"))
    rows.show_log([LOST, restless])
    assert said(rows, RESULT) == ["ongoing", "comes and goes"]


def test_what_cannot_be_read_any_more_lasted_until_it_was_read_last(rows: EventRows) -> None:
    rows.show_log([BEGAN, OVER._replace(kind=Kind.THROTTLING_UNKNOWN, lasted=12.0)])
    assert said(rows, RESULT) == ["after 12 s", ""]


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
    rows: EventRows, choice: EventChoice, left: Sequence[str]
) -> None:
    rows.show_log([BEGAN, OVER, LOST])
    rows.choose(choice)
    rows.show_log([BEGAN, OVER, LOST, GONE])
    assert said(rows, SENTENCE) == left


def test_the_oldest_make_room_also_where_not_all_are_listed(rows: EventRows) -> None:
    many = [
        (BEGAN if number % 2 else LOST)._replace(
            at=float(number), sentence=Message(f"Number {number}")
        )
        for number in range(12)
    ]
    rows.choose(EventChoice(Group.FAULT))
    rows.show_log(many[:8])
    rows.show_log(many[3:12])
    assert said(rows, SENTENCE) == [f"Number {number}" for number in (10, 8, 6, 4)]
    rows.choose(EventChoice())
    assert said(rows, SENTENCE) == [f"Number {n}" for n in range(11, 2, -1)]


def test_a_log_that_is_new_from_end_to_end_replaces_all(rows: EventRows) -> None:
    rows.show_log([BEGAN, OVER])
    rows.show_log([LOST, GONE])
    assert said(rows, SENTENCE) == ["The driver is gone", "The card is lost"]


def test_a_card_that_is_no_longer_listed_keeps_its_lasting_name(rows: EventRows) -> None:
    rows.show_log([LOST._replace(card=CardId("MIG-7-1"))])
    assert said(rows, CARD) == ["MIG-7-1"]


def test_each_kind_is_counted_in_the_group_people_look_for() -> None:
    counts = counted([BEGAN, OVER, LOST, GONE, LOST._replace(kind=Kind.ASLEEP)])
    assert counts == {Group.THROTTLING: 2, Group.FAULT: 2, Group.SLEEP: 1}


def test_a_day_of_events_is_taken_in_and_searched(rows: EventRows) -> None:
    many = [BEGAN._replace(at=float(number)) for number in range(10_000)]
    rows.show_log(many)
    assert len(rows.moments) == 10_000
    rows.choose(EventChoice(words="limit"))
    assert len(rows.moments) == 10_000


def test_the_same_on_several_cards_at_once_is_one_row(rows: EventRows) -> None:
    also = BEGAN._replace(at=1.9, wall=1e9 + 0.9, card=ONE)
    later = BEGAN._replace(at=9.0, wall=1e9 + 8, card=CardId("GPU-7"))
    rows.show_log([BEGAN, also, later])
    assert len(rows.moments) == 2
    assert said(rows, CARD)[1] == "0 1"
    column = next(each for each in rows.columns() if each.key == CARD)
    assert column.spoken is not None
    assert "cards 0, 1: At its power limit" in column.spoken(rows.moments[1])
    assert column.cell(rows.moments[1]).hint.count("ongoing") == 2
    rows.choose(EventChoice(card=ONE))
    assert said(rows, CARD) == ["1"]


def test_a_row_takes_in_another_card_that_comes_a_moment_later(rows: EventRows) -> None:
    rows.show_log([BEGAN])
    also = BEGAN._replace(at=1.5, card=ONE)
    rows.show_log([BEGAN, also])
    assert said(rows, CARD) == ["0 1"]
    rows.show_log([BEGAN, also, OVER])
    assert said(rows, RESULT) == ["after 33 s", "not the same for all"]


def test_programs_of_one_name_that_begin_at_once_are_one_row(rows: EventRows) -> None:
    def began(pid: str, card: CardId) -> Happening:
        sentence = Message(
            "{program} ({pid}) uses the card", program="python train.py", pid=int(pid)
        )
        return Happening(1.0, 1e9, Kind.PROCESS_APPEARED, card, sentence, pid)

    rows.show_log([began("71", ZERO), began("72", ONE), began("73", ZERO)])
    assert said(rows, SENTENCE) == [
        "python train.py (73) uses the card",
        "python train.py uses the card",
    ]
    assert len(rows.listed) == 3


def test_a_card_that_came_back_with_its_driver_is_not_missing_any_more(
    rows: EventRows,
) -> None:
    gone = Happening(30.0, 1e9 + 30, Kind.DRIVER_GONE, None, Message("The driver is gone"))
    back = gone._replace(kind=Kind.DRIVER_BACK, at=40.0, lasted=10.0)
    unlisted = LOST._replace(kind=Kind.CARD_UNLISTED)
    rows.show_log([unlisted, gone])
    assert said(rows, RESULT) == ["ongoing", ""]
    rows.show_log([unlisted, gone, back])
    assert said(rows, RESULT) == ["after 10 s", "", ""]
