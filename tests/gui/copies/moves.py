"""Copies as a worker would tell them, and the page that shows them."""

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.moving.copies_panel import CopiesTable
from gpuexplorer.gui.copies.moving.travel_panel import TravelDrawing
from gpuexplorer.gui.copies.moving.view import MovingPage
from gpuexplorer.gui.state.copies.benches import copies_of
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Motion, look
from gpuexplorer.lab.events import Began, Event, Transferred
from tests.gui.hands import the
from tests.gui.lab.conftest import ScriptedWorker, finished

MIB = 1 << 20


def across(number: int, **fields: object) -> Transferred:
    """From card to card, 256 MiB in 5.84 ms."""
    usual: dict[str, object] = {
        "source": "cuda:0",
        "target": "cuda:1",
        "bytes": 256 * MIB,
        "seconds": 5.84e-3,
        "modelled": True,
        "what": "X.cuda(1)",
        "how": "cuda",
        "cell": number,
        "line": 1,
        "blocking": False,
        "direct": True,
        "host_seconds": 5e-6,
        "asked_at": 1e-6,
        "begin": 2e-6,
        "end": 2e-6 + 5.84e-3,
        "intact": True,
    }
    given = {**usual, **fields}
    return Transferred(number, **given)  # type: ignore[arg-type]  # by name


def read(number: int, times: int = 1000, **fields: object) -> Transferred:
    """So many numbers of four bytes that came to the host unasked."""
    usual: dict[str, object] = {
        "modelled": True,
        "copies": times,
        "what": "loss.item()",
        "asked": False,
        "cell": number,
        "line": 1,
        "how": "item",
        "pinned": False,
        "blocking": True,
        "host_seconds": 15e-6 * times,
        "asked_at": 0.0,
        "begin": 1e-6,
        "end": 15e-6 * times,
    }
    given = {**usual, **fields}
    return Transferred(number, "cuda:0", "cpu", 4 * times, 1e-5 * times, **given)  # type: ignore[arg-type]  # by name


def cell(lab: LabState, worker: ScriptedWorker, code: str, *events: object) -> int:
    """A cell that is carried out at once. What can be called is given its number."""
    number = lab.run(code)
    told: list[Event] = [each(number) if callable(each) else each for each in events]  # type: ignore[misc]  # events
    last = finished(number, host_seconds=16e-3)
    worker.say(Began(number), *told, last)
    return number


class PageWindow(QWidget):
    """Holds the page; to be kept as long as it is looked at."""

    def __init__(self, copies: CopiesState) -> None:
        super().__init__()
        self.page = MovingPage(copies, self)
        for tool in self.page.tools:
            tool.setParent(self)


def moving_page(lab: LabState, qtbot: QtBot, *, motion: bool = False) -> PageWindow:
    """Filling, with the wiring told."""
    look().motion_wanted = Motion.FULL if motion else Motion.REDUCED
    copies = copies_of(lab)
    copies.setParent(lab)
    with qtbot.waitSignal(copies.ways.changed):
        copies.ways.look()
    window = PageWindow(copies)
    qtbot.addWidget(window)
    show_at(window.page, 1340, 800)
    with qtbot.waitExposed(window):
        window.show()
    return window


def show_at(page: MovingPage, width: int, height: int) -> None:
    """As large as the window in which it is."""
    page.window().resize(width, height)
    page.resize(width, height)


def rows(page: MovingPage) -> list[str]:
    """What each row is about: cell, thing, way."""
    model = the(CopiesTable, page).model()
    return [
        " ".join(str(model.index(row, column).data()) for column in range(3))
        for row in range(model.rowCount())
    ]


def drawing(page: MovingPage) -> TravelDrawing:
    return the(TravelDrawing, page)
