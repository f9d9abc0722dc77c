"""A faulty driver under the running window: nothing untrue is told, and nothing of it stays."""

import csv
import re
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from time import monotonic

import pytest
from PySide6.QtWidgets import QAbstractItemView
from pytestqt.qtbot import QtBot

from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.facts import Attempt
from tests.nvml_stub.stub import Stub
from tests.screens.conftest import OpenProgram
from tests.screens.person import Person
from tests.screens.test_live_screens import busy_cards_are_worth_an_alert
from tests.screens.truth import ALIKE, FAULTS, Truth

GOOD = "fault=none answer=none garbage=none lost=none hung=none slow=none driver=back flicker=0"
# Nothing of this happens to these cards.
NEVER = ("Xid", "power limit", "heat", "ECC", "retired", "remapped", "lanes", "above 95 %")
LOOKED_AT = (1, 4, 6)  # the cards whose own pages are read in turn
SCREENS = ("Overview", "Card", "Processes", "Topology", "Events")
# What is there last: rates need two readings.
COMPLETE = {
    "Card": ("NVLink in: 1.02 GB/s", "PCIe in: 20.0 MB/s", "SM activity: 32 %", "Energy since"),
    "Processes": ("4180701",),
    "Topology": ("NVLinks of card 7", "Now in: 1.02 GB/s", "Now in: 0.02 GB/s"),
}
_CHANGING = re.compile(r"Energy, \d.*$")
_ENERGY = re.compile(r"Energy, [\d minsh]+? ([\d.]+) (k?J|k?Wh)")
_JOULES = {"J": 1.0, "kJ": 1e3, "Wh": 3600.0, "kWh": 3.6e6}
WATTS = 8 * 300.0


class Watcher:
    """Goes from screen to screen and reads all that is said there."""

    def __init__(self, person: Person, qtbot: QtBot, opened: float) -> None:
        self.person = person
        self.opened = opened
        self.truth = Truth()
        self._qtbot = qtbot
        self._cards = cycle(LOOKED_AT)

    def learns(self) -> None:
        for card in LOOKED_AT:
            self._look_at(card)
            self.person.sees(*COMPLETE["Card"])
            self.truth.learn(self.person.said())
        for screen in SCREENS:
            self.person.go_to(screen)
            if screen == "Topology":
                self.person.click("List the parts")
            self.person.sees(*COMPLETE.get(screen, ()))
            self.truth.learn(self._said(screen))

    def sees_nothing_untrue(self, seconds: float) -> None:
        until = monotonic() + seconds
        while monotonic() < until:
            for screen in SCREENS:
                said = self._said(screen, next(self._cards))
                lies = self.truth.lies_in(said)
                assert not lies, "\n".join([f"On the screen {screen}:", *lies])

    def energy_is_possible(self) -> None:
        """No more than the cards can have taken since they were first read."""
        self.person.go_to("Overview")
        found = _ENERGY.search(self.person.said())
        if found is not None:
            most = WATTS * (monotonic() - self.opened) * 1.05
            assert float(found[1]) * _JOULES[found[2]] <= most, found[0]

    def events(self) -> str:
        """Of a card that is only slow there may be none, and then no table."""
        self.person.go_to("Events")
        views = self.person.window.findChildren(QAbstractItemView)
        if not any(
            each.isVisible() and each.accessibleName().startswith("Events") for each in views
        ):
            return self.person.said()
        return "\n".join(" ".join(row) for row in self.person.rows("Events"))

    def of_cards(self) -> list[str]:
        """What the overview says of each, without what moves on."""
        self.person.go_to("Overview")
        return [
            _CHANGING.sub("…", line)
            for line in self.person.said().splitlines()
            if re.match(r"Card \d, |All cards together|Plots", line)  # no event
        ]

    def saves_nothing_untrue(self, path: Path) -> None:
        """Each figure in the CSV of a card's plots is always the same, or was not read."""
        self._said("Card", LOOKED_AT[-1])
        self.person.runs("Save visible data as CSV")
        self.person.saves_as(path)
        self.person.waits(path.exists)
        lines = path.read_text("utf-8").splitlines()
        comments = ("#", '"#')
        rows = list(csv.DictReader(each for each in lines if not each.startswith(comments)))
        for column in rows[0]:
            figures = {float(row[column]) for row in rows if row[column] and "[" in column}
            uneven = figures and max(figures) > 1.03 * min(figures)
            assert not uneven, (column, min(figures), max(figures))

    def _look_at(self, card: int) -> None:
        self.person.go_to("Card")
        self.person.click(f"Card {card}, ", within="Card to look at")

    def _said(self, screen: str, card: int | None = None) -> str:
        self.person.go_to(screen)
        if screen == "Card" and card is not None:
            self._look_at(card)
        self._qtbot.wait(250)  # for readings of that screen, and its sentences
        return self.person.said()


@pytest.fixture
def stub() -> Stub:
    return Stub.load()


@pytest.fixture
def watcher(stub: Stub, open_program: OpenProgram, qtbot: QtBot) -> Iterator[Watcher]:
    """Before eight healthy cards that are all alike."""
    stub.configure(ALIKE)

    def real() -> tuple[NvmlBackend, list[Attempt]]:
        backend = NvmlBackend()
        backend.open()
        return backend, []

    opened = monotonic()
    person = open_program(real=real, interval=0.1, size=(1500, 1000))
    busy_cards_are_worth_an_alert(person)
    person.sees("8 cards", "NVLink")
    watcher = Watcher(person, qtbot, opened)
    watcher.learns()
    yield watcher
    stub.configure(ALIKE)


def nothing_stays(watcher: Watcher, before: list[str], patience: float) -> None:
    watcher.person.patience = round(patience * 1000)

    def as_before() -> None:
        assert watcher.of_cards() == before

    watcher.person.waits(as_before)


def nothing_goes_on(watcher: Watcher) -> None:
    """What came and went again and again is over when it was calm for a while."""
    watcher.person.patience = 60_000

    def over() -> None:
        assert "ongoing" not in watcher.events()

    watcher.person.waits(over)


def watched(
    watcher: Watcher,
    stub: Stub,
    folder: Path,
    fault: str,
    steady: float,
    seconds: float,
    flicker: float,
) -> None:
    """First all the time, then on and off; and then the driver is well again."""
    before = watcher.of_cards()
    stub.set(fault)
    watcher.sees_nothing_untrue(steady)
    stub.set(f"flicker={flicker}")
    watcher.sees_nothing_untrue(seconds)
    watcher.energy_is_possible()
    watcher.saves_nothing_untrue(folder / "plots.csv")
    stub.set(GOOD)
    stub.release()
    nothing_stays(watcher, before, patience=20.0 + 2 * seconds)
    watcher.energy_is_possible()
    happened = watcher.events()
    assert not [word for word in NEVER if word in happened], happened


def test_cards_with_every_fault_tell_nothing_untrue(
    watcher: Watcher, stub: Stub, tmp_path: Path
) -> None:
    fault = FAULTS["all of them at once"]
    watched(watcher, stub, tmp_path, fault, steady=2.0, seconds=2.0, flicker=0.3)


@pytest.mark.long
def test_a_driver_that_comes_back_with_fewer_cards_tells_nothing_untrue(
    watcher: Watcher, stub: Stub
) -> None:
    before = watcher.of_cards()
    for cards in (3, 8):
        stub.set("driver=gone")
        watcher.sees_nothing_untrue(1.0)
        stub.set(f"cards={cards} driver=back")
        watcher.sees_nothing_untrue(4.0)
    nothing_stays(watcher, before, patience=20.0)


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_minute_of_faults_each_second_tells_nothing_untrue(
    watcher: Watcher, stub: Stub, tmp_path: Path, fault: str
) -> None:
    watched(watcher, stub, tmp_path, fault, steady=15.0, seconds=60.0, flicker=1.0)
    nothing_goes_on(watcher)
