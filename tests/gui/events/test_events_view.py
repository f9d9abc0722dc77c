"""The screen of events: what a person reads, finds, copies and goes to."""

import csv
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message
from gpuexplorer.gui.events import EventsView
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.telemetry.happenings import EventGroup, Kind
from gpuexplorer.telemetry.session import Session
from tests.gui.events.conftest import OpenEvents
from tests.gui.fakes import NVML, SIMULATED, card, session_of, working
from tests.gui.hands import press, texts, the

# Menus and dialogs of the offscreen screen.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

ONE = CardId("GPU-1")


def sentences(view: EventsView) -> list[str]:
    model = the(Table, view).model()
    return [model.index(row, 3).data() for row in range(model.rowCount())]


def tell_two(session: Session) -> None:
    session.happening_log.tell(Kind.CARD_LOST, ONE, Message("The card is lost"))
    session.happening_log.tell(
        Kind.ALERT_BEGAN, CardId("GPU-0"), Message("Hot for 10 s"), "hot"
    )


def test_what_takes_place_while_one_looks_comes_in_on_top(
    open_events: OpenEvents, session: Session, qtbot: QtBot
) -> None:
    view = open_events(session)
    session.happening_log.tell(Kind.CARD_LOST, ONE, Message("The card is lost"))
    qtbot.waitUntil(lambda: sentences(view) == ["The card is lost"])
    session.happening_log.tell(Kind.CARD_BACK, ONE, Message("The card is back"))
    model = the(Table, view).model()
    qtbot.waitUntil(lambda: model.index(0, 4).data() not in ("", "ongoing"))
    assert sentences(view) == ["The card is lost"]
    assert any(text.startswith("1 event.") for text in texts(view))


def test_the_groups_say_how_many_there_are_and_narrow_the_list_down(
    open_events: OpenEvents, session: Session
) -> None:
    tell_two(session)
    view = open_events(session)
    assert view.choice.segments[EventGroup.FAULT].text() == "Faults  1"
    view.choice.segments[EventGroup.ALERT].click()
    assert sentences(view) == ["Hot for 10 s"]
    assert any(text.startswith("1 of 2 events") for text in texts(view))


@pytest.mark.parametrize("simulated", [True, False])
def test_a_file_holds_what_is_listed_and_whether_it_is_made_up(
    open_events: OpenEvents, tmp_path: Path, simulated: bool, qtbot: QtBot
) -> None:
    source = SIMULATED if simulated else NVML
    session = session_of({card(0): working(), card(1): working()}, source)
    tell_two(session)
    view = open_events(session)
    QTest.keyClicks(the(SearchField, view), "lost")
    moment = datetime.fromtimestamp(session.clock.wall()).astimezone()
    press(view.window(), Qt.Key.Key_S, control=True)
    dialog = the(QFileDialog, view)
    assert [Path(name).name for name in dialog.selectedFiles()] == [
        f"{'simulated-' if simulated else ''}events-{moment:%Y-%m-%d-%H%M}.csv"
    ]
    dialog.fileSelected.emit(str(tmp_path / "e.csv"))
    dialog.close()
    said = f"Saved to {tmp_path / 'e.csv'}."
    qtbot.waitUntil(lambda: any(text.startswith(said) for text in texts(view)))
    with (tmp_path / "e.csv").open(encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert row["what_happened"] == "The card is lost"
    assert row["simulated"] == ("yes" if simulated else "no")
    assert row["card_id"] == ONE
    assert row["state"] == "ongoing"
    assert row["ended"] == row["lasted [s]"] == ""
