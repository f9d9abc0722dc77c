"""Which card a line had to do with, when, and how flags that touch become one."""

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.lab_course import strip_order
from tests.gui.lab.conftest import ScriptedWorker, memory

FIRST, SECOND = CardId("SIM-0"), CardId("SIM-1")
EVER = (float("-inf"), float("inf"))


class Flags:
    """What stands on each card of a lab whose cells are carried out."""

    def __init__(self, lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> None:
        self.lab, self.worker, self._until = lab, worker, qtbot.waitUntil

    def numbers(self) -> list[list[int]]:
        self._until(
            lambda: {each.state for each in self.lab.ledger.cells} <= {"done", "failed"}
        )
        cards = (FIRST, SECOND)
        return [
            [each.number for each in self.lab.course.flags_of({card}, *EVER)] for card in cards
        ]


@pytest.fixture
def flags(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Flags:
    return Flags(lab, worker, qtbot)


def test_where_not_all_have_room_cards_that_hold_something_come_first() -> None:
    devices = [
        BenchDevice("cpu", "", "H"),
        *(BenchDevice(f"cuda:{n}", "", str(n), n, CardId(f"SIM-{n}")) for n in range(4)),
        BenchDevice("", "old", "9", None, CardId("SIM-9"), usable=False),
    ]
    holding = {"cuda:2": memory("cuda:2")}
    ordered = strip_order(devices, holding, room=3)
    assert [each.name for each in ordered] == ["cuda:2", "cuda:0", "cuda:1", "cuda:3"]
    in_order = strip_order(devices, holding, room=4)
    assert [each.chip for each in in_order] == ["0", "1", "2", "3"]
