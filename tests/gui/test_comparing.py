"""A second past lies behind the plots: another time, or another recording."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.metrics import GPU_UTILIZATION, MetricId
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.plots.content import PlotLine
from gpuexplorer.gui.state.comparing import Comparing
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.gui.window_commands import Do
from gpuexplorer.recording.recorded_session import RecordedSession
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.telemetry.trace import Trace
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import card, session_of, working
from tests.gui.hands import texts
from tests.gui.plots.made import NOW, line, plot, stack_of, steady
from tests.recording.made import make_recording


class PastOf:
    """The same at any time of any card, with the second as its figure."""

    began, ended = 0.0, None

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        times = np.arange(np.ceil(start), end + 1)
        return Trace(times, times, times, times, np.ones(times.size, np.int64), 1.0)


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return open_recording(make_recording(tmp_path / "other.gpurec", "2xH100", 120, seed=3))


def test_an_earlier_time_lies_where_the_present_is() -> None:
    comparing = Comparing(PastOf())
    comparing.with_span(-3600.0, "an hour earlier")
    assert comparing.beside is not None
    beside = comparing.beside.trace(CardId("GPU-0"), GPU_UTILIZATION, 5000.0, 5010.0)
    assert beside.times[0] == 5000.0
    assert beside.means[0] == 1400.0
    assert comparing.beside.began == 3600.0


def test_the_crosshair_tells_both_figures_and_how_far_apart_they_are(qtbot: QtBot) -> None:
    stack = stack_of([plot(replace(line("GPU", 0.75), beside=steady(0.5)))])
    qtbot.addWidget(stack)
    stack.time_window.point_at(NOW - 100)
    assert "Utilisation GPU: 75 %, compared: 50 %, +25 %" in stack.words_at_crosshair()


def test_cards_are_told_apart_by_their_uuid_then_by_their_number(recording: Recording) -> None:
    known = list(recording.cards())
    stranger = Card(CardId("GPU-x"), 1, "H100", 1)
    third = Card(CardId("GPU-y"), 2, "H100", 1)
    comparing = Comparing(PastOf())
    comparing.with_recording(recording, 0.0, "other", [known[0], stranger, third])
    beside = comparing.beside
    assert beside is not None
    assert beside.cards is not None
    assert beside.cards[known[0].id] == known[0].id
    assert beside.cards[stranger.id] == known[1].id
    assert beside.remarks == [
        "Card 1 is another one there: compared by its number.",
        "Card 2 is not in it.",
    ]
    assert len(beside.trace(third.id, GPU_UTILIZATION, 0.0, 100.0)) == 0
    found = beside.trace(stranger.id, GPU_UTILIZATION, 0.0, 100.0)
    assert 0.0 <= found.times[0] <= 1.0
    comparing.end()


def test_another_recording_lies_behind_the_plots_until_a_click_ends_it(
    open_window: OpenWindow, recording: Recording, qtbot: QtBot, tmp_path: Path
) -> None:
    here = open_recording(make_recording(tmp_path / "here.gpurec", "2xH100", 120))
    window = open_window(RecordedSession(here))
    qtbot.waitUntil(lambda: bool(shown_lines(window)))
    window._comparing.compare_with(recording.path)
    qtbot.waitUntil(
        lambda: any(e.startswith("Dotted lines: other.gpurec") for e in texts(window))
    )
    qtbot.waitUntil(
        lambda: any(e.beside is not None and len(e.beside) for e in shown_lines(window))
    )
    end = next(e for e in window.findChildren(QPushButton) if e.text() == "End the comparison")
    end.click()
    assert all(each.beside is None for each in shown_lines(window))
    buttons = window.findChildren(QPushButton)
    assert "End the comparison" not in [e.text() for e in buttons if e.isVisible()]
    recording.close()


def test_an_hour_earlier_is_a_command_and_the_mark_waits_for_one(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(session_of({card(0): working()}))
    assert not window.commands[Do.COMPARE_MARK].isEnabled()
    assert not window.commands[Do.COMPARE_END].isVisible()
    window.commands[Do.COMPARE_HOUR].trigger()
    earlier = "Dotted lines: an hour earlier. Nothing was read before "
    qtbot.waitUntil(lambda: any(each.startswith(earlier) for each in texts(window)))
    window.commands[Do.COMPARE_END].trigger()
    qtbot.waitUntil(lambda: not any(each.startswith(earlier) for each in texts(window)))
    window.time_window.mark(window.time_window.now() - 5, "here")
    assert window.commands[Do.COMPARE_MARK].isEnabled()
    window.commands[Do.COMPARE_MARK].trigger()
    qtbot.waitUntil(lambda: any(e.startswith("Dotted lines: from ") for e in texts(window)))


def shown_lines(window: MainWindow) -> list[PlotLine]:
    stacks = window.findChildren(PlotStack)
    return [one for stack in stacks for content in stack.contents for one in content.lines]
