"""A card that is lost stays in the matrix, with the reason in its cells."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardState
from gpuexplorer.gui.copies.matrix.pair_views import PairPanel
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.copies.matrix_pages import OpenMatrix, choose_cell, maps, measure_all, told
from tests.gui.hands import texts, the

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
SECOND = ("cpu", "cuda:1")


@pytest.fixture
def machine(qtbot: QtBot) -> Iterator[MachineState]:
    session = remembering(session_on(simulated("2xTitanRTX", "lost:1@0s"), interval=0.1))
    session.start()
    parent = QObject()
    want = session.want()

    def is_lost() -> bool:
        reading = session.reading(session.cards()[1].id)
        return reading is not None and reading.state is CardState.LOST

    qtbot.waitUntil(is_lost)
    yield MachineState(session, Settings(), parent)
    session.release(want)
    session.stop()


def test_its_row_stays_with_the_reason_and_is_not_measured(
    open_matrix: OpenMatrix, qtbot: QtBot, kept_jobs: list[CopyJob]
) -> None:
    page = open_matrix()
    assert ("cuda:1", "cuda:1") in maps(page)[0].pairs.cells
    measure_all(page, qtbot)
    assert {(each.source, each.target) for each in kept_jobs} == {
        (one, other) for one in ("cpu", "cuda:0") for other in ("cpu", "cuda:0")
    }
    assert "Card 1: The driver has lost this card" in told(page, SECOND)
    assert "Card 1 cannot be measured now; its cells say why" in texts(page)
    panel = the(PairPanel, page)
    choose_cell(maps(page)[0], SECOND)
    assert not panel.measure.isVisible()
    assert any("lost this card" in each for each in texts(panel))
    choose_cell(maps(page)[0], ("cpu", "cuda:0"))
    assert panel.measure.isVisible()
