"""The page of rates between machines, on ranks that a test makes up and on real ones."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.copies.matrix.between_page import BetweenPage
from gpuexplorer.gui.copies.matrix.pair_views import FactGrid, PairTable
from gpuexplorer.gui.copies.view import CopiesView
from gpuexplorer.gui.state.copies.between_machines import Tell, between, measured
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.laid_out import column
from gpuexplorer.ranks.measuring import ALL, Asked, CancelledError, Member, Met, RankResult
from gpuexplorer.ranks.wire import Way
from gpuexplorer.remote.link import LinkState
from tests.gui.desks import desk_of
from tests.gui.hands import texts, the
from tests.gui.test_machines_state import Room
from tests.lab.processes import needs_torch
from tests.ranks.hosts import left_of, member, rank_on

PATIENCE = 60_000
SIZE = 16 << 20
PATH = Message("eth0 10.0.0.1 to eth0 10.0.0.2")


def result(ends: tuple[str, str], size: int, seconds: float) -> RankResult:
    way = Way.ALL_REDUCE if ends == (ALL, ALL) else Way.ONE_WAY
    told = RankResult(way, *ends, size, [seconds] * 5, intact=True, ranks=2, backend="gloo")
    return replace(told, path=PATH, promised=125e6)


class Ranks:
    """What measures; it tells what a test says, and goes on when the test lets it."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.names: list[str] = []
        self.goes_on = threading.Event()
        self.trouble: Trouble | None = None
        self.was_cancelled = False

    def __call__(
        self, members: Sequence[Member], asked: Asked, cancelled: threading.Event, tell: Tell
    ) -> None:
        self.names = [each.name for each in members]
        there, back = (self.place, self.names[1]), (self.names[1], self.place)
        tell(Met("gloo", {}, [Message("gloo moves the bytes.")]))
        for ends, rate in ((there, 117.5e6), (back, 60e6), ((ALL, ALL), 100e6)):
            tell(Message("{source} to {target}", source=ends[0], target=ends[1]))
            while ends == back and not self.goes_on.wait(0.01):
                if cancelled.is_set():
                    self.was_cancelled = True
                    raise CancelledError
            if ends == back and self.trouble is not None:
                raise self.trouble
            tell(result(ends, 8, 250e-6))
            tell(result(ends, SIZE, SIZE / rate))


class Screen:
    """The copies of a window with this computer and machines that a test connects."""

    def __init__(self, lab: Lab, window: QWidget, qtbot: QtBot) -> None:
        self.room, self.qtbot = Room(Settings()), qtbot
        self.machines = self.room.state
        self.here = self.machines.rows()[0].name
        self.between = between(self.machines, lambda _: sys.executable)
        self.between.member_of = lambda row, name, remembered: member(name)
        self.ranks = self.between.measure_them = Ranks(self.here)
        session = lab.machine.session
        self.view = CopiesView(desk_of(session, window, lab=lab, machines=self.machines))
        column(self.view, within=window)

    @property
    def page(self) -> BetweenPage:
        return the(BetweenPage, self.view)

    @property
    def button(self) -> QPushButton:
        [found] = self.page.tools
        assert isinstance(found, QPushButton)
        return found

    def add(self, name: str, state: LinkState = LinkState.UP) -> None:
        self.machines.add(name)
        self.room.made[name].becomes(state)

    def open(self, *names: str) -> None:
        for name in names:
            self.add(name)
        self.wait(lambda: self.between.able)
        self.view.open_page("machines")

    def wait(self, true: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(true, timeout=PATIENCE)

    def measure(self) -> None:
        self.button.click()
        self.ranks.goes_on.set()
        self.wait(lambda: not self.between.running)

    def begin(self) -> None:
        self.button.click()
        told = self.between
        self.wait(lambda: len(told.results) > 1 or told.trouble is not None)

    def cell(self, source: str, target: str) -> tuple[str, str]:
        """Its figure, and what one is told by pointing at it."""
        pairs = the(PairTable, self.page).pairs
        cell = pairs.cell(pairs.index_of((source, target)))
        return f"{cell.text} {cell.below}".strip(), pairs.words((source, target))[1]


@pytest.fixture
def screen(lab: Lab, qtbot: QtBot) -> Iterator[Screen]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1400, 900)
    made = Screen(lab, window, qtbot)
    with qtbot.waitExposed(window):
        window.show()
    yield made
    made.ranks.goes_on.set()
    made.view.stop()
    made.machines.stop()


def test_there_is_nothing_between_machines_while_there_is_one(screen: Screen) -> None:
    tab = screen.view.findChild(QAbstractButton, "copies.machines")
    assert tab is not None
    assert not tab.isVisible()
    screen.view.open_page("machines")
    assert not screen.view.findChildren(BetweenPage)
    screen.add("b")
    assert tab.isVisible()


def test_cells_have_rates_with_their_share_and_tell_the_rest(screen: Screen) -> None:
    screen.open("b")
    assert screen.cell(screen.here, "b") == ("", "Not measured yet.")
    screen.measure()
    assert screen.ranks.names == [screen.here, "b"]
    figure, said = screen.cell(screen.here, "b")
    assert figure == "0.12 94 %"
    for told in (
        "Rate, one way: 118 MB/s",
        "Promised: 125 MB/s",
        "Latency of 8 bytes: 250 µs",
        "Quartiles: 143 ms to 143 ms",
        "Arrived: intact",
        "Moved by: gloo (TCP)",
        f"Interface: {PATH}",
    ):
        assert told in said
    grids = [each.accessibleDescription() for each in screen.page.findChildren(FactGrid)]
    assert "algbw: 100 MB/s; busbw: 100 MB/s; Share: 80 %" in " ".join(grids)


def test_a_pair_that_fails_says_its_sentence(screen: Screen) -> None:
    screen.open("b")
    screen.ranks.trouble = Trouble("Our part on b was killed.")
    screen.measure()
    assert screen.cell("b", screen.here) == ("–", "Our part on b was killed.")
    assert screen.cell(screen.here, "b")[0] == "0.12 94 %"
    assert "Our part on b was killed." in texts(screen.page)
    assert screen.button.isEnabled()


def test_stopping_ends_it_and_keeps_what_was_measured(screen: Screen) -> None:
    screen.open("b")
    screen.begin()
    assert screen.button.text() == "Stop"
    screen.button.click()
    screen.wait(lambda: not screen.between.running)
    assert screen.ranks.was_cancelled
    assert screen.cell(screen.here, "b")[0] == "0.12 94 %"
    assert "It was stopped. What was measured stays." in texts(screen.page)
    assert screen.button.text() == "Measure all"


@pytest.mark.long
@needs_torch
@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX runs it")
def test_real_ranks_fill_the_matrix_until_one_is_killed_and_nothing_is_left(
    screen: Screen,
) -> None:
    screen.between.measure_them = measured
    screen.between.choose_bytes(1 << 20)
    screen.open("far")
    screen.begin()
    screen.wait(lambda: not screen.between.running)
    figure, said = screen.cell(screen.here, "far")
    assert "Arrived: intact" in said
    assert float(figure) > 0
    screen.between.choose_bytes(64 << 20)
    screen.begin()
    rank_on("far").kill()
    screen.wait(lambda: not screen.between.running)
    failed = screen.between.failed_pair or ("", "")
    assert "Our part on far was killed." in screen.cell(*failed)[1]
    assert not left_of("far")
