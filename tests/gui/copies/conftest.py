"""The lab's fixtures, the screen of copies, and copies as a worker tells of them."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.moving.copies_panel import CopiesTable
from gpuexplorer.gui.copies.moving.view import MovingPage
from gpuexplorer.gui.copies.view import CopiesView
from gpuexplorer.gui.state.copies.copies_state import copies_of
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import Motion, look
from gpuexplorer.lab.events import Began, Event, Transferred
from tests.gui.desks import desk_of
from tests.gui.hands import the
from tests.gui.lab.conftest import ScriptedWorker, faults, finished, lab, machine, worker

MIB = 1 << 20
_TOLD = Transferred(0, "cuda:0", "cuda:1", 256 * MIB, 5.84e-3, modelled=True, line=1)
_ACROSS = replace(_TOLD, what="X.cuda(1)", how="cuda", blocking=False, direct=True, intact=True)
_READ = replace(_TOLD, target="cpu", what="loss.item()", how="item", asked=False, pinned=False)


def across(number: int, **fields: object) -> Transferred:
    """From card to card, 256 MiB in 5.84 ms."""
    when = {"host_seconds": 5e-6, "asked_at": 1e-6, "begin": 2e-6, "end": 2e-6 + 5.84e-3}
    given = {"id": number, "cell": number, **when, **fields}
    return replace(_ACROSS, **given)  # type: ignore[arg-type]  # by name


def read(number: int, times: int = 1000, **fields: object) -> Transferred:
    """So many numbers of four bytes that came to the host, implicitly."""
    sums = {"copies": times, "bytes": 4 * times, "seconds": 1e-5 * times}
    when = {"host_seconds": 15e-6 * times, "asked_at": 0.0, "begin": 1e-6, "end": 15e-6 * times}
    given = {"id": number, "cell": number, "blocking": True, **sums, **when, **fields}
    return replace(_READ, **given)  # type: ignore[arg-type]  # by name


def cell(lab: Lab, worker: ScriptedWorker, code: str, *events: object) -> None:
    """A cell that is carried out at once. What can be called is given its number."""
    number = lab.run(code)
    told: list[Event] = [each(number) if callable(each) else each for each in events]  # type: ignore[misc]  # events
    worker.say(Began(number), *told, finished(number, host_seconds=16e-3))


def moving_page(lab: Lab, qtbot: QtBot, *, motion: bool = False) -> tuple[MovingPage, QWidget]:
    """With the wiring told, and its window, which is to be kept as long as it is looked at."""
    look().motion_wanted = Motion.FULL if motion else Motion.REDUCED
    copies, window = copies_of(lab), QWidget()
    copies.setParent(lab)
    with qtbot.waitSignal(copies.ways.changed):
        copies.ways.look()
    page = MovingPage(copies, window)
    for tool in page.tools:
        tool.setParent(window)
    qtbot.addWidget(window)
    for each in (window, page):
        each.resize(1340, 800)
    with qtbot.waitExposed(window):
        window.show()
    return page, window


def rows(page: MovingPage) -> list[str]:
    """What each row is about: cell, thing, way."""
    model = the(CopiesTable, page).model()
    at = range(model.rowCount())
    return [" ".join(str(model.index(row, i).data()) for i in range(3)) for row in at]


__all__ = ["faults", "lab", "machine", "worker"]


@pytest.fixture
def view(lab: Lab, qtbot: QtBot) -> Iterator[CopiesView]:
    window = QWidget()
    qtbot.addWidget(window)
    made = CopiesView(desk_of(lab.machine.session, window, lab=lab))
    QVBoxLayout(window).addWidget(made)
    window.resize(1400, 900)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    yield made
    made.stop()
