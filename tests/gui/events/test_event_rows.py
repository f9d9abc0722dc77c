"""The list of events as Qt asks for it, also when the oldest have to make room."""

import csv
import io
from collections.abc import Sequence
from datetime import datetime

import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import throttle
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.reasons import EventGroup, moment_words
from gpuexplorer.gui.state.event_list import EventList
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.session import Session

ZERO, ONE = CardId("GPU-0"), CardId("GPU-1")
LIMIT = "At its power limit"
SW_POWER_CAP = throttle("sw_power_cap")
BEGAN = Happening(1.0, 1e9, Kind.THROTTLING_BEGAN, ZERO, Message(LIMIT), SW_POWER_CAP)
OVER = Happening(
    34.0, 1e9 + 33, Kind.THROTTLING_ENDED, ZERO, Message(f"{LIMIT}: ended"), SW_POWER_CAP, 33.0
)
LOST = Happening(40.0, 1e9 + 39, Kind.CARD_LOST, ONE, Message("The card is lost"))
GONE = Happening(50.0, 1e9 + 49, Kind.DRIVER_GONE, None, Message("The driver is gone"))


def at(seconds: float) -> str:
    return moment_words(1e9 + seconds, 0.0)


BEGINNING, ENDED, LASTED = "began", "ended", "lasted"
CARD, SENTENCE = "card", "sentence"


@pytest.fixture
def rows(session: Session) -> EventList:
    return EventList(MachineState(session, Settings()))


def said(rows: EventList, key: str) -> Sequence[str]:
    column = next(each for each in rows.columns() if each.key == key)
    return [column.cell(row).said for row in rows.rows]


def test_what_began_and_ended_is_one_row_with_begin_end_and_duration(rows: EventList) -> None:
    rows.show_log([BEGAN])
    assert said(rows, BEGINNING) == [at(0)]
    assert said(rows, ENDED) == ["ongoing"]
    assert said(rows, LASTED) == [""]
    rows.show_log([BEGAN, OVER, LOST])
    assert said(rows, SENTENCE) == ["The card is lost", LIMIT]
    assert said(rows, BEGINNING) == [at(39), at(0)]
    assert said(rows, ENDED) == ["ongoing", at(33)]
    assert said(rows, LASTED) == ["", "33 s"]
    assert said(rows, CARD) == ["1", "0"]


@pytest.mark.parametrize(
    ("told", "began", "ended", "sentence"),
    [
        ([LOST._replace(kind=Kind.XID)], at(39), "", "The card is lost"),
        ([OVER._replace(lasted=None)], "not seen", at(33), f"{LIMIT}: ended"),
    ],
)
def test_what_has_no_end_or_no_beginning_says_so(
    rows: EventList, told: list[Happening], began: str, ended: str, sentence: str
) -> None:
    rows.show_log(told)
    assert [said(rows, key) for key in (BEGINNING, ENDED, LASTED, SENTENCE)] == [
        [began],
        [ended],
        [""],
        [sentence],
    ]


def test_a_program_that_is_gone_used_the_card(rows: EventList) -> None:
    came = Happening(
        1.0,
        1e9,
        Kind.PROCESS_APPEARED,
        ZERO,
        Message(
            "{program} uses the card", program=Message("{name} ({pid})", name="train", pid=7)
        ),
        "7",
    )
    went = came._replace(at=9.0, wall=1e9 + 8, kind=Kind.PROCESS_ENDED, lasted=8.0)
    rows.show_log([came])
    assert said(rows, ENDED) == ["still using it"]
    assert said(rows, SENTENCE) == ["train (7) uses the card"]
    rows.show_log([came, went])
    assert said(rows, SENTENCE) == ["train (7) used the card"]
    assert said(rows, ENDED) == [at(8)]
    assert said(rows, LASTED) == ["8 s"]


@pytest.mark.parametrize("kind", [Kind.CARD_LOST, Kind.NO_FIGURES, Kind.PROCESSES_UNKNOWN])
@pytest.mark.parametrize("began", [Kind.PROCESS_APPEARED, Kind.THROTTLING_BEGAN])
def test_of_a_card_that_tells_nothing_nobody_says_that_anything_goes_on(
    rows: EventList, kind: Kind, began: Kind
) -> None:
    if (kind, began) != (Kind.PROCESSES_UNKNOWN, Kind.THROTTLING_BEGAN):
        rows.show_log([BEGAN._replace(kind=began), LOST._replace(card=ZERO, kind=kind)])
        assert said(rows, ENDED) == ["ongoing", f"not known since {at(39)}"]


def test_a_card_that_is_lost_after_it_was_silent_is_no_longer_silent(rows: EventList) -> None:
    silent = LOST._replace(kind=Kind.NO_ANSWER, at=30.0, wall=1e9 + 29)
    back = LOST._replace(kind=Kind.CARD_BACK, at=60.0, wall=1e9 + 59, lasted=20.0)
    rows.show_log([silent, LOST])
    assert said(rows, ENDED) == ["ongoing", at(39)]
    assert said(rows, LASTED) == ["", "10 s"]
    rows.show_log([silent, LOST, back])
    assert said(rows, ENDED) == [at(59), at(39)]


def test_what_cannot_be_read_any_more_lasted_until_it_was_read_last(rows: EventList) -> None:
    rows.show_log([BEGAN, OVER._replace(kind=Kind.THROTTLING_UNKNOWN, lasted=12.0)])
    assert said(rows, ENDED) == [f"not known since {at(33)}"]
    assert said(rows, LASTED) == ["12 s"]


@pytest.mark.parametrize(
    ("group", "card", "words", "left"),
    [
        (EventGroup.THROTTLING, None, "", [LIMIT]),
        (EventGroup.FAULT, None, "", ["The driver is gone", "The card is lost"]),
        # What is about the driver is about each of its cards.
        (None, ONE, "", ["The driver is gone", "The card is lost"]),
        (None, None, "POWER ended", [LIMIT]),
        (None, None, "card 1", ["The card is lost"]),
        (None, None, "nothing such", []),
    ],
)
def test_it_can_be_narrowed_down(
    rows: EventList,
    group: EventGroup | None,
    card: CardId | None,
    words: str,
    left: Sequence[str],
) -> None:
    rows.show_log([BEGAN, OVER, LOST])
    rows.choose(group, card, words)
    rows.show_log([BEGAN, OVER, LOST, GONE])
    assert said(rows, SENTENCE) == left


def test_the_oldest_make_room_also_where_not_all_are_listed(rows: EventList) -> None:
    many = [
        (BEGAN if number % 2 else LOST)._replace(
            at=10.0 * number, sentence=Message(f"Number {number}")
        )
        for number in range(12)
    ]
    rows.choose(EventGroup.FAULT, None, "")
    rows.show_log(many[:8])
    rows.show_log(many[3:12])
    assert said(rows, SENTENCE) == [f"Number {number}" for number in (10, 8, 6, 4)]
    rows.choose(None, None, "")
    assert said(rows, SENTENCE) == [f"Number {n}" for n in range(11, 2, -1)]


def test_the_filter_counts_what_it_would_list(rows: EventList) -> None:
    rows.show_log([BEGAN, OVER, LOST, GONE, LOST._replace(kind=Kind.ASLEEP, at=51.0)])
    counts = {EventGroup.THROTTLING: 1, EventGroup.FAULT: 2, EventGroup.SLEEP: 1}
    assert rows.counts == counts
    rows.choose(EventGroup.FAULT, ZERO, "")
    assert len(rows.rows) == rows.counts[EventGroup.FAULT] == 1
    assert rows.counts[EventGroup.SLEEP] == 0
    assert len(rows.every) == 4


def test_what_goes_on_stays_although_its_beginning_is_in_the_log_no_more(
    rows: EventList,
) -> None:
    rows.show_log([BEGAN, LOST])
    rows.show_log([LOST, GONE])
    assert said(rows, SENTENCE) == ["The driver is gone", "The card is lost", LIMIT]


def test_the_same_on_several_cards_at_once_is_one_row(rows: EventList) -> None:
    also = BEGAN._replace(at=1.9, wall=1e9 + 0.9, card=ONE)
    later = BEGAN._replace(at=9.0, wall=1e9 + 8, card=CardId("GPU-7"))
    rows.show_log([BEGAN, also, later])
    assert len(rows.rows) == 2
    assert said(rows, CARD)[1] == "0 1"
    column = next(each for each in rows.columns() if each.key == CARD)
    assert column.spoken is not None
    for number in (0, 1):
        words = f"Card {number}: At its power limit (ongoing)"
        assert words in column.spoken(rows.rows[1])
    assert column.cell(rows.rows[1]).hint.count("ongoing") == 2
    rows.choose(None, ONE, "")
    assert said(rows, CARD) == ["1"]


def test_a_file_has_a_line_for_each_card_with_its_own_begin_end_and_duration(
    rows: EventList,
) -> None:
    also = BEGAN._replace(at=1.9, wall=1e9 + 0.9, card=ONE)
    name = Message("{program} uses the card now", program="=HYPERLINK(1)")
    program = Happening(60.0, 1e9 + 60, Kind.PROCESS_APPEARED, ZERO, name)
    rows.show_log([BEGAN, also, OVER, program])
    lines = list(csv.DictReader(io.StringIO(rows.as_csv())))
    began = datetime.fromtimestamp(1e9).astimezone().isoformat(timespec="milliseconds")
    assert [(line["card"], line["lasted [s]"], line["state"]) for line in lines] == [
        ("0", "", "still using it"),
        ("1", "", "ongoing"),
        ("0", "33", "ended"),
    ]
    assert lines[2]["began"] == began
    assert lines[0]["what_happened"] == "'=HYPERLINK(1) uses the card now"  # no formula


def test_programs_of_one_name_that_begin_at_once_are_one_row(rows: EventList) -> None:
    def began(pid: str, card: CardId) -> Happening:
        program = Message("{name} ({pid})", name="python train.py", pid=int(pid))
        sentence = Message("{program} uses the card", program=program)
        return Happening(1.0, 1e9, Kind.PROCESS_APPEARED, card, sentence, pid)

    rows.show_log([began("71", ZERO), began("72", ONE), began("73", ZERO)])
    assert said(rows, SENTENCE) == [
        "python train.py (73) uses the card",
        "python train.py uses the card",
    ]
    assert said(rows, CARD) == ["0", "0 1"]


def test_a_card_that_came_back_with_its_driver_is_not_missing_any_more(
    rows: EventList,
) -> None:
    gone = Happening(30.0, 1e9 + 30, Kind.DRIVER_GONE, None, Message("The driver is gone"))
    back = gone._replace(kind=Kind.DRIVER_BACK, at=40.0, lasted=10.0)
    unlisted = LOST._replace(kind=Kind.CARD_UNLISTED, at=29.0)
    rows.show_log([unlisted, gone])
    assert said(rows, ENDED) == ["ongoing", at(30)]
    rows.show_log([unlisted, gone, back])
    assert said(rows, LASTED)[0] == "10 s"
