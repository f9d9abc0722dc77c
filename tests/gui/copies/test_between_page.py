"""The page of rates between machines, on ranks that a test makes up and on real ones."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.copies.matrix.between_page import BetweenPage
from gpuexplorer.gui.copies.matrix.details_panel import FactGrid
from gpuexplorer.gui.copies.matrix.pair_table import PairTable
from gpuexplorer.gui.copies.view import CopiesView
from gpuexplorer.gui.state.copies.between_machines import (
    Remembered,
    Tell,
    between,
    measured,
)
from gpuexplorer.gui.state.far_machines import Wanted
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.machines import MachineRow, MachinesState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.controls.buttons import PrimaryButton
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
WIRE = 125e6
PATH = Message("eth0 10.0.0.1 to eth0 10.0.0.2")


def result(
    source: str, target: str, count: int, seconds: float, *, way: Way = Way.ONE_WAY
) -> RankResult:
    times = [seconds * each for each in (0.9, 1.0, 1.0, 1.0, 1.2)]
    return RankResult(
        way,
        source,
        target,
        count,
        times,
        intact=True,
        ranks=2,
        backend="gloo",
        path=PATH,
        promised=WIRE,
    )


class Ranks:
    """What measures; it tells what a test says, and goes on when the test lets it."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.asked: Asked | None = None
        self.goes_on = threading.Event()
        self.trouble: Trouble | None = None
        self.was_cancelled = False

    def __call__(
        self,
        members: Sequence[Member],
        asked: Asked,
        cancelled: threading.Event,
        tell: Tell,
    ) -> None:
        self.names = [each.name for each in members]
        self.asked = asked
        one, other = self.place, self.names[1]
        tell(Met("gloo", {}, [Message("gloo moves the bytes.")]))
        tell(Message("{number}: {source} to {target}", number=1, source=one, target=other))
        tell(result(one, other, 8, 250e-6))
        tell(result(one, other, 16 << 20, (16 << 20) / 117.5e6))
        tell(Message("{number}: {source} to {target}", number=2, source=other, target=one))
        while not self.goes_on.wait(0.01):
            if cancelled.is_set():
                self.was_cancelled = True
                raise CancelledError
        if self.trouble is not None:
            raise self.trouble
        tell(result(other, one, 8, 250e-6))
        tell(result(other, one, 16 << 20, (16 << 20) / 60e6))
        tell(Message("{number}: {source} to {target}", number=3, source=ALL, target=ALL))
        tell(result(ALL, ALL, 8, 400e-6, way=Way.ALL_REDUCE))
        tell(result(ALL, ALL, 16 << 20, (16 << 20) / 100e6, way=Way.ALL_REDUCE))

    place = ""


class Screen:
    """The copies of a window with this computer and machines that a test connects."""

    def __init__(self, lab: Lab, window: QWidget) -> None:
        self.room = Room(Settings())
        self.machines: MachinesState = self.room.state
        self.between = between(self.machines, lambda _: sys.executable)
        self.between.member_of = _member_of
        self.ranks = self.between.measure_them = Ranks()
        self.ranks.place = self.machines.rows()[0].name
        self.view = CopiesView(
            desk_of(lab.machine.session, window, lab=lab, machines=self.machines)
        )
        column(self.view, within=window)

    @property
    def here(self) -> str:
        return self.ranks.place

    @property
    def page(self) -> BetweenPage:
        return the(BetweenPage, self.view)

    @property
    def button(self) -> PrimaryButton:
        return next(
            each for each in self.view.findChildren(PrimaryButton) if each in self.page.tools
        )

    @property
    def together(self) -> str:
        """What is said of all-reduce."""
        grids = self.page.findChildren(FactGrid)
        return " ".join(each.accessibleDescription() for each in grids)

    def add(self, name: str, state: LinkState = LinkState.UP) -> None:
        self.machines.add(Wanted(name))
        self.room.made[name].becomes(state)

    def cell(self, source: str, target: str) -> tuple[str, str]:
        """Its figure, and what one is told by pointing at it."""
        pairs = the(PairTable, self.page).pairs
        cell = pairs.cell(pairs.index_of((source, target)))
        return " ".join(filter(None, (cell.text, cell.below))), pairs.words((source, target))[1]


def _member_of(row: MachineRow, name: str, remembered: Remembered) -> Member | None:
    assert row.name == name
    return member(name)


@pytest.fixture
def screen(lab: Lab, qtbot: QtBot) -> Iterator[Screen]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1400, 900)
    made = Screen(lab, window)
    with qtbot.waitExposed(window):
        window.show()
    yield made
    made.ranks.goes_on.set()
    made.view.stop()
    made.machines.stop()


def wait(qtbot: QtBot, true: Callable[[], bool]) -> None:
    qtbot.waitUntil(true, timeout=PATIENCE)


def opened(screen: Screen, qtbot: QtBot, *names: str) -> None:
    for name in names:
        screen.add(name)
    hosts = [each.name for each in screen.between.hosts if each.member is not None]
    wait(qtbot, lambda: screen.between.able)
    assert len(hosts) == len(names) + 1
    screen.view.open_page("machines")


def test_there_is_nothing_between_machines_while_there_is_one(screen: Screen) -> None:
    tab = screen.view.findChild(QAbstractButton, "copies.machines")
    assert tab is not None
    assert not tab.isVisible()
    screen.view.open_page("machines")
    assert not screen.view.findChildren(BetweenPage)
    screen.add("b")
    assert tab.isVisible()


def test_cells_have_rates_with_their_share_and_tell_the_rest(
    screen: Screen, qtbot: QtBot
) -> None:
    opened(screen, qtbot, "b")
    assert screen.cell(screen.here, "b") == ("", "Not measured yet.")
    screen.button.click()
    screen.ranks.goes_on.set()
    wait(qtbot, lambda: not screen.between.running)
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
    assert "algbw: 100 MB/s; busbw: 100 MB/s; Share: 80 %" in screen.together


def test_no_machine_stands_apart_from_the_others(screen: Screen, qtbot: QtBot) -> None:
    opened(screen, qtbot, "b", "c")
    names = [screen.here, "b", "c"]
    place_of = the(PairTable, screen.page).place_of
    lefts = [place_of((names[0], each)).left() for each in names]
    tops = [place_of((each, names[0])).top() for each in names]
    assert lefts[1] - lefts[0] == lefts[2] - lefts[1] > 0
    assert tops[1] - tops[0] == tops[2] - tops[1] > 0


def test_a_pair_that_fails_says_its_sentence_and_the_others_that_it_ended(
    screen: Screen, qtbot: QtBot
) -> None:
    opened(screen, qtbot, "b")
    screen.ranks.trouble = Trouble("Our part on b was killed.")
    screen.button.click()
    screen.ranks.goes_on.set()
    wait(qtbot, lambda: not screen.between.running)
    assert screen.cell("b", screen.here) == ("–", "Our part on b was killed.")
    assert screen.cell(screen.here, "b")[0] == "0.12 94 %"
    assert "Our part on b was killed." in texts(screen.page)
    assert screen.button.isEnabled()


def test_a_machine_without_connection_is_not_asked_and_says_why(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.add("gone", LinkState.BROKEN)
    screen.add("b")
    screen.view.open_page("machines")
    wait(qtbot, lambda: screen.between.able)
    screen.button.click()
    screen.ranks.goes_on.set()
    wait(qtbot, lambda: not screen.between.running)
    assert screen.ranks.names == [screen.here, "b"]
    why = "gone is not asked: There is no connection to it."
    assert screen.cell(screen.here, "gone") == ("–", why)
    assert why in texts(screen.page)


def test_a_machine_that_a_person_leaves_out_is_not_asked(screen: Screen, qtbot: QtBot) -> None:
    opened(screen, qtbot, "b", "c")
    box = next(
        each
        for each in screen.page.findChildren(QCheckBox)
        if each.accessibleName() == "Measure b"
    )
    box.click()
    assert screen.cell(screen.here, "b") == ("–", "b is not asked: It is left out.")
    screen.button.click()
    screen.ranks.goes_on.set()
    wait(qtbot, lambda: not screen.between.running)
    assert screen.ranks.names == [screen.here, "c"]
    box.click()
    assert screen.cell(screen.here, "b") == ("", "Not measured yet.")


def test_stopping_ends_it_and_keeps_what_was_measured(screen: Screen, qtbot: QtBot) -> None:
    opened(screen, qtbot, "b")
    screen.button.click()
    wait(qtbot, lambda: len(screen.between.results) == 2)
    assert screen.button.accessibleName() == "Stop"
    screen.button.click()
    wait(qtbot, lambda: not screen.between.running)
    assert screen.ranks.was_cancelled
    assert screen.cell(screen.here, "b")[0] == "0.12 94 %"
    assert "It was stopped. What was measured stays." in texts(screen.page)
    assert screen.button.accessibleName() == "Measure all"


def test_the_end_of_the_window_ends_it(screen: Screen, qtbot: QtBot) -> None:
    opened(screen, qtbot, "b")
    screen.button.click()
    wait(qtbot, lambda: len(screen.between.results) == 2)
    screen.machines.stop()
    assert screen.ranks.was_cancelled


@pytest.mark.long
@needs_torch
@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX runs it")
@pytest.mark.parametrize("stops", [False, True])
def test_two_real_ranks_fill_the_matrix_and_nothing_is_left(
    screen: Screen, qtbot: QtBot, *, stops: bool
) -> None:
    screen.between.measure_them = measured
    screen.between.choose_bytes(1 << 20)
    opened(screen, qtbot, "far-b")
    screen.button.click()
    wait(qtbot, lambda: bool(screen.between.results) or screen.between.trouble is not None)
    assert screen.between.trouble is None
    if stops:
        screen.button.click()
    wait(qtbot, lambda: not screen.between.running)
    assert not left_of("far-b")
    figure, said = screen.cell(screen.here, "far-b")
    assert "Latency of 8 bytes" in said
    if not stops:
        assert "Arrived: intact" in said
        assert float(figure) > 0
        assert "busbw" in screen.together


@pytest.mark.long
@needs_torch
@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX runs it")
def test_a_real_rank_that_is_killed_is_told_in_its_cell_and_nothing_is_left(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.between.measure_them = measured
    screen.between.choose_bytes(64 << 20)
    opened(screen, qtbot, "far-c")
    screen.button.click()
    wait(qtbot, lambda: bool(screen.between.results) or screen.between.trouble is not None)
    rank_on("far-c").kill()
    wait(qtbot, lambda: not screen.between.running)
    assert not left_of("far-c")
    killed = "Our part on far-c was killed."
    assert killed in screen.cell(*(screen.between.failed_pair or ("", "")))[1]
    assert killed in texts(screen.page)
