"""The screen of events: what a person reads, finds, copies and goes to, and its rows."""

import csv
import io
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gpuexplorer.core.axes import moment_word
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import throttle
from gpuexplorer.core.words import Message
from gpuexplorer.gui.events import EventsView
from gpuexplorer.gui.state.event_list import EventList
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.happenings import EventGroup, Happening, Kind
from gpuexplorer.telemetry.session import Session
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import NVML, SIMULATED, card, session_of, working
from tests.gui.hands import press, texts, the

ZERO, ONE = CardId("GPU-0"), CardId("GPU-1")
LIMIT = "At its power limit"


def happening(at: float, kind: Kind, card: CardId | None, words: str = "") -> Happening:
    about = throttle("sw_power_cap") if kind.name.startswith("THROTTLING") else ""
    return Happening(at, 1e9 + at, kind, card, Message(words or kind.sentence), about)


BEGAN = happening(1.0, Kind.THROTTLING_BEGAN, ZERO, LIMIT)
OVER = happening(34.0, Kind.THROTTLING_ENDED, ZERO, f"{LIMIT}: ended")._replace(lasted=33.0)
LOST = happening(40.0, Kind.CARD_LOST, ONE)
GONE = happening(50.0, Kind.DRIVER_GONE, None)
SILENT = happening(30.0, Kind.NO_ANSWER, ONE)
BACK = happening(60.0, Kind.CARD_BACK, ONE)._replace(lasted=20.0)
NAME = Message("{name} ({pid})", name="train", pid=7)
CAME = happening(1.0, Kind.PROCESS_APPEARED, ZERO)._replace(
    sentence=Message("{program} uses the card", program=NAME), about="7"
)


@pytest.fixture
def session() -> Session:
    """Two simulated cards that only work; a test tells what else took place."""
    return session_of({card(0): working(), card(1): working()}, SIMULATED)


@pytest.fixture
def view(open_window: OpenWindow, session: Session) -> EventsView:
    window = open_window(session)
    window.navigation.open_screen("events")
    return the(EventsView, window)


def at(seconds: float) -> str:
    return moment_word(1e9 + seconds, 0.0)


@pytest.fixture
def rows(session: Session) -> EventList:
    return EventList(MachineState(session, Settings()))


def said(rows: EventList, key: str) -> Sequence[str]:
    column = next(each for each in rows.columns() if each.key == key)
    return [column.cell(row).said for row in rows.rows]


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ([BEGAN], [(LIMIT, at(1), "ongoing", "")]),
        (
            [BEGAN, OVER, LOST],
            [("The card is lost", at(40), "ongoing", ""), (LIMIT, at(1), at(34), "33 s")],
        ),
        ([LOST._replace(kind=Kind.XID)], [("The card is lost", at(40), "", "")]),
        ([OVER._replace(lasted=None)], [(f"{LIMIT}: ended", "not seen", at(34), "")]),
        ([CAME], [("train (7) uses the card", at(1), "still using it", "")]),
        (
            [CAME, CAME._replace(at=9.0, kind=Kind.PROCESS_ENDED, lasted=8.0)],
            [("train (7) used the card", at(1), at(1), "8 s")],
        ),
        # One that is lost does not also keep us waiting.
        (
            [SILENT, LOST, BACK],
            [
                ("The card is lost", at(40), at(60), "20 s"),
                ("The card does not answer", at(30), at(40), "10 s"),
            ],
        ),
        (
            [BEGAN, OVER._replace(kind=Kind.THROTTLING_UNKNOWN, lasted=12.0)],
            [(LIMIT, at(1), f"not known since {at(34)}", "12 s")],
        ),
        (
            [BEGAN, LOST._replace(card=ZERO)],
            [
                ("The card is lost", at(40), "ongoing", ""),
                (LIMIT, at(1), f"not known since {at(40)}", ""),
            ],
        ),
    ],
)
def test_what_began_and_ended_is_one_row_that_says_how_it_stands(
    rows: EventList, log: list[Happening], told: list[tuple[str, ...]]
) -> None:
    rows.show_log(log)
    columns = (said(rows, key) for key in ("sentence", "began", "ended", "lasted"))
    assert list(zip(*columns, strict=True)) == told


@pytest.mark.parametrize(
    ("group", "card", "words", "left"),
    [
        (EventGroup.THROTTLING, None, "", [LIMIT]),
        (EventGroup.FAULT, None, "", ["The driver is gone", "The card is lost"]),
        # What is about the driver is about each of its cards.
        (None, ONE, "", ["The driver is gone", "The card is lost"]),
        (None, None, "POWER ended", [LIMIT]),
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
    assert said(rows, "sentence") == left
    assert len(rows.every) == 3
    if group is None:
        assert sum(rows.counts.values()) == len(left)


def test_the_oldest_make_room_but_what_goes_on_stays(rows: EventList) -> None:
    many = [LOST._replace(at=10.0 * n, sentence=Message(f"Number {n}")) for n in range(12)]
    log = [each._replace(kind=Kind.XID) for each in many]
    rows.choose(EventGroup.FAULT, None, "")
    rows.show_log([many[0], BEGAN._replace(at=5.0), *log[1:8]])
    rows.show_log(log[3:12])
    left = [f"Number {number}" for number in range(11, 2, -1)]
    assert said(rows, "sentence") == [*left, "Number 0"]
    rows.choose(None, None, "")
    assert said(rows, "sentence") == [*left, LIMIT, "Number 0"]
    rows.show_log([LOST])  # as when the playhead goes back
    assert said(rows, "sentence") == ["The card is lost"]


def test_the_same_on_several_cards_at_once_is_one_row(rows: EventList) -> None:
    also = BEGAN._replace(at=1.9, card=ONE)
    later = BEGAN._replace(at=9.0, card=CardId("MIG-7-1"))
    rows.show_log([BEGAN])
    rows.show_log([BEGAN, also, later])
    # One that is no longer listed keeps its lasting name.
    assert said(rows, "card") == ["MIG-7-1", "0 1"]
    column = next(each for each in rows.columns() if each.key == "card")
    assert column.spoken is not None
    for number in (0, 1):
        words = f"Card {number}: At its power limit (ongoing)"
        assert words in column.spoken(rows.rows[1])
    rows.show_log([BEGAN, also, later, OVER])
    assert said(rows, "ended") == ["ongoing", "not the same for all"]
    rows.choose(None, ONE, "")
    assert said(rows, "card") == ["1"]


def test_programs_of_one_name_that_begin_at_once_are_one_row(rows: EventList) -> None:
    rows.show_log([CAME, CAME._replace(card=ONE, about="8"), CAME._replace(about="9")])
    assert said(rows, "sentence") == ["train (7) uses the card", "train uses the card"]
    assert said(rows, "card") == ["0", "0 1"]


def test_a_file_has_a_line_for_each_card_with_its_own_begin_end_and_duration(
    rows: EventList,
) -> None:
    program = CAME._replace(at=60.0, sentence=Message("=HYPERLINK(1) uses the card"))
    rows.show_log([BEGAN, BEGAN._replace(at=1.9, card=ONE), OVER, program])
    lines = list(csv.DictReader(io.StringIO(rows.as_csv())))
    began = datetime.fromtimestamp(1e9 + 1).astimezone().isoformat(timespec="milliseconds")
    assert [(line["card"], line["lasted [s]"], line["state"]) for line in lines] == [
        ("0", "", "still using it"),
        ("1", "", "ongoing"),
        ("0", "33", "ended"),
    ]
    assert lines[2]["began"] == began
    assert lines[0]["what_happened"] == "'=HYPERLINK(1) uses the card"  # no formula


def sentences(view: EventsView) -> list[str]:
    model = the(Table, view).model()
    return [model.index(row, 3).data() for row in range(model.rowCount())]


def test_what_takes_place_while_one_looks_comes_in_on_top_and_can_be_narrowed_down(
    view: EventsView, session: Session, qtbot: QtBot
) -> None:
    tell = session.happening_log.tell
    tell(Kind.CARD_LOST, ONE, Message("The card is lost"))
    qtbot.waitUntil(lambda: sentences(view) == ["The card is lost"])
    tell(Kind.CARD_BACK, ONE, Message("The card is back"))
    model = the(Table, view).model()
    qtbot.waitUntil(lambda: model.index(0, 4).data() not in ("", "ongoing"))
    assert sentences(view) == ["The card is lost"]
    assert any(text.startswith("1 event.") for text in texts(view))
    tell(Kind.ALERT_BEGAN, ZERO, Message("Hot for 10 s"), "hot")
    qtbot.waitUntil(lambda: sentences(view) == ["Hot for 10 s", "The card is lost"])
    assert view.choice.segments[EventGroup.FAULT].text() == "Faults  1"
    view.choice.segments[EventGroup.ALERT].click()
    assert sentences(view) == ["Hot for 10 s"]
    assert any(text.startswith("1 of 2 events") for text in texts(view))


@pytest.mark.parametrize("source", [SIMULATED, NVML])
def test_a_file_holds_what_is_listed_and_whether_it_is_made_up(
    open_window: OpenWindow, tmp_path: Path, source: Source, qtbot: QtBot
) -> None:
    session = session_of({card(0): working(), card(1): working()}, source)
    session.happening_log.tell(Kind.CARD_LOST, ONE, Message("The card is lost"))
    session.happening_log.tell(Kind.ALERT_BEGAN, ZERO, Message("Hot for 10 s"), "hot")
    window = open_window(session)
    window.navigation.open_screen("events")
    view = the(EventsView, window)
    QTest.keyClicks(the(SearchField, view), "lost")
    moment = datetime.fromtimestamp(session.clock.wall()).astimezone()
    press(window, Qt.Key.Key_S, control=True)
    dialog = the(QFileDialog, view)
    made_up, [name] = "simulated-" if source.simulated else "", dialog.selectedFiles()
    assert Path(name).name == f"{made_up}events-{moment:%Y-%m-%d-%H%M}.csv"
    dialog.fileSelected.emit(str(tmp_path / "e.csv"))
    dialog.close()
    said = f"Saved to {tmp_path / 'e.csv'}."
    qtbot.waitUntil(lambda: any(text.startswith(said) for text in texts(view)))
    [row] = csv.DictReader((tmp_path / "e.csv").read_text("utf-8").splitlines())
    assert row["what_happened"] == "The card is lost"
    assert row["simulated"] == ("yes" if source.simulated else "no")
    assert (row["card_id"], row["state"]) == (ONE, "ongoing")
    assert row["ended"] == row["lasted [s]"] == ""
