"""A recording is opened: the same screens show what was so where its playhead stands."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QDialog, QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.app import App
from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS, POWER_DRAW
from gpuexplorer.gui.card.view import CardView
from gpuexplorer.gui.overview.card_tile import CardTile
from gpuexplorer.gui.plots.content import PlotLine, Stretch, summarise
from gpuexplorer.gui.topology.view import TopologyView
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.gui.window_commands import Do
from gpuexplorer.recording.recorded_session import RecordedPast, RecordedSession
from gpuexplorer.recording.recorder import Recorder, machine_of
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.telemetry.backend import NoCards
from gpuexplorer.telemetry.session import session_on
from tests.clocks import ManualClock
from tests.gui.hands import rows_of, shown, texts, the
from tests.recording.made import BEGAN, CARD, MACHINE, Life, make_recording

SECONDS = 300.0
Start = Callable[..., App]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recordings")
    return make_recording(folder / "a.gpurec", seconds=SECONDS, faults="lost:1@200s")


@pytest.fixture
def start(qtbot: QtBot) -> Iterator[Start]:
    """On simulated cards of another kind than those of the recording."""
    apps: list[App] = []

    def start_one(opened: Path | None = None) -> App:
        arguments = argparse.Namespace(
            simulate="1xTitanRTX",
            open=opened,
            or_simulate=False,
            fault="",
            seed=0,
            **dict.fromkeys(("view", "theme", "size", "screenshot")),
        )
        app = App(arguments, patience=5.0)
        apps.append(app)
        qtbot.addWidget(app.window)
        app.window.resize(1400, 900)
        app.window.show()
        return app

    yield start_one
    for app in apps:
        app.window.close()
        app.stop()


def recorded(app: App) -> RecordedSession:
    assert isinstance(app.session, RecordedSession)
    return app.session


def says(app: App, words: str) -> bool:
    return any(words in text for text in texts(app.window))


def cards_on_tiles(app: App) -> list[str]:
    return [each.face.name for each in app.window.findChildren(CardTile) if each.isVisible()]


def busy_is(app: App, busy: float) -> bool:
    tiles = [each for each in app.window.findChildren(CardTile) if each.isVisible()]
    face = next(each.face for each in tiles if each.face.id == "SIM-0")
    return face.reading.values.get(GPU_UTILIZATION) == busy


def test_named_at_the_start_all_of_it_is_shown_and_the_playhead_stands_at_its_end(
    start: Start, path: Path
) -> None:
    app = start(path)
    recording = recorded(app).recording
    assert cards_on_tiles(app) == ["NVIDIA H100 80GB HBM3"] * 2
    assert "SIMULATED" in app.window.windowTitle()
    assert app.window.time_window.stretch() == (recording.began, recording.ended)
    assert not recorded(app).playhead.playing
    trace = shown(PlotStack, app.window).contents[0].lines[0].trace
    assert trace.times[0] <= recording.began + 2.0
    assert trace.times[-1] >= recording.ended - 5.0


def test_opened_from_the_window_it_takes_the_place_of_live_cards_that_are_read_on(
    start: Start, path: Path, qtbot: QtBot
) -> None:
    app = start()
    live = app.session
    assert cards_on_tiles(app) == ["NVIDIA TITAN RTX"]
    qtbot.waitUntil(lambda: live.past.began is not None)
    began = live.past.began
    app.window.open_recording(path)
    qtbot.waitUntil(lambda: len(cards_on_tiles(app)) == 2)
    before = live.beats().taken
    qtbot.waitUntil(lambda: live.beats().taken > before, timeout=5000)
    app.window.commands[Do.CLOSE_RECORDING].trigger()
    qtbot.waitUntil(lambda: cards_on_tiles(app) == ["NVIDIA TITAN RTX"])
    assert app.session is live
    assert live.past.began == began


def test_wherever_the_playhead_is_put_the_figures_are_of_then(
    start: Start, path: Path, qtbot: QtBot
) -> None:
    app = start(path)
    session = recorded(app)
    for second in (40.0, 250.0, 120.0):
        at = session.recording.began + second
        told = session.recording.sample(CardId("SIM-0"), {GPU_UTILIZATION}, at)
        busy = told.values[GPU_UTILIZATION]
        session.playhead.seek(at)
        qtbot.waitUntil(partial(busy_is, app, busy))


def test_a_card_that_is_lost_later_works_before_and_its_loss_is_no_event_yet(
    start: Start, path: Path, qtbot: QtBot
) -> None:
    app = start(path)
    app.window.navigation.open_screen("events")

    def says_lost() -> bool:
        return any("The card is lost" in row for row in rows_of(app.window, "Events"))

    qtbot.waitUntil(says_lost)
    session = recorded(app)
    for _ in range(2):
        session.playhead.seek(session.recording.began + 100.0)
        qtbot.waitUntil(lambda: not says_lost())
        session.playhead.seek(session.recording.ended)
        qtbot.waitUntil(says_lost)


def test_while_it_plays_the_plots_that_follow_it_move(
    start: Start, path: Path, qtbot: QtBot
) -> None:
    app = start(path)
    session, window = recorded(app), app.window.time_window
    session.playhead.seek(session.recording.began + 100.0)
    window.choose_span(60.0)
    window.back_to_now()
    assert window.stretch()[1] == session.clock.now()
    session.playhead.play(50.0)
    qtbot.waitUntil(lambda: window.stretch()[1] > session.recording.began + 110.0)
    session.playhead.pause()


def test_nothing_is_asked_or_copied_in_it(start: Start, path: Path, qtbot: QtBot) -> None:
    app = start(path)
    app.window.navigation.open_screen("topology")
    view = the(TopologyView, app.window)
    qtbot.waitUntil(lambda: says(app, "How the cards are wired"))
    again = [each for each in view.findChildren(ToolButton) if each.text() == "Ask again"]
    assert [each.isVisible() for each in again] == [False]
    app.window.navigation.open_screen("copies")
    buttons = [each for each in app.window.findChildren(QPushButton) if each.isVisible()]
    assert not any(each.isEnabled() for each in buttons if each.text() == "New copy")


def test_one_that_is_dropped_on_the_window_is_opened(
    start: Start, path: Path, qtbot: QtBot
) -> None:
    app = start()
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(path))])
    how = Qt.DropAction.CopyAction, dropped, Qt.MouseButton.LeftButton
    event = QDropEvent(QPointF(200, 200), *how, Qt.KeyboardModifier.NoModifier)
    app.window.dropEvent(event)
    qtbot.waitUntil(lambda: len(cards_on_tiles(app)) == 2)


def test_cards_that_are_simulated_meanwhile_take_its_place(
    start: Start, path: Path, qtbot: QtBot
) -> None:
    app = start(path)
    app.window.commands[Do.PRACTISE].trigger()
    qtbot.waitUntil(lambda: not isinstance(app.session, RecordedSession))
    assert not app.window.findChildren(QDialog)
    app.window.navigation.open_screen("overview")
    qtbot.waitUntil(lambda: len(cards_on_tiles(app)) == 2)
    assert app.window.time_window.following


def test_of_a_computer_without_cards_the_computer_itself_is_shown(
    start: Start, tmp_path: Path, qtbot: QtBot
) -> None:
    clock = ManualClock(wall=BEGAN)
    session = session_on(NoCards(), clock=clock)
    machine = machine_of(session)
    recorder = Recorder(tmp_path / "bare.gpurec", machine, clock, anonymous=True)
    for _ in range(20):
        host = session.stream.host_now()
        recorder.put(Sample(host.card, host.at, host.values, host.missing, host.state))
        clock.advance(1.0)
    session.stop()
    recorder.stop()
    app = start(tmp_path / "bare.gpurec")
    assert app.window.navigation.screen == "card"
    assert the(CardView, app.window).isVisible()
    assert not cards_on_tiles(app)
    assert says(app, "A computer whose name was left out")


@pytest.mark.parametrize("after", [0.1, 0.95])
def test_a_line_that_goes_to_the_end_of_a_recording_has_its_last_figure(
    tmp_path: Path, after: float
) -> None:
    clock = ManualClock(wall=BEGAN)
    life = Life(Recorder(tmp_path / "a.gpurec", MACHINE, clock), clock)
    life.live([1.0] * 3700)
    clock.advance(after)
    said = life.recorder.size
    life.recorder.stop()
    assert said == pytest.approx((tmp_path / "a.gpurec").stat().st_size, rel=0.25)
    with closing(open_recording(tmp_path / "a.gpurec")) as recording:
        past = RecordedPast(recording)
        for seconds in (60, 621, 1800, recording.ended - recording.began):
            start = recording.ended - seconds
            stretch = Stretch(start, recording.ended, following=False, offset=0.0)
            for columns in range(2, 1500, 61):
                trace = past.trace(CARD, POWER_DRAW, start, recording.ended, columns)
                line = PlotLine("card", METRICS[POWER_DRAW], trace)
                assert summarise(line, stretch).now == 300.0, (seconds, columns)
