"""Which card a line had to do with, when, and how flags that touch become one."""

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.plots.flags import flags_of
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.lab_course import devices_in, strip_order
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.lab.events import Began, Transferred
from tests.gui.lab.conftest import ScriptedWorker, finished, memory, tensor

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
            [each.number for each in self.lab.course.flags_of(card, *EVER)] for card in cards
        ]


@pytest.fixture
def flags(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Flags:
    return Flags(lab, worker, qtbot)


def test_a_cell_has_to_do_with_the_card_it_worked_on_in_the_time_that_is_seen(
    flags: Flags,
) -> None:
    lab, worker = flags.lab, flags.worker
    lab.run('X = torch.ones(2, 3, device="cuda:0")')
    assert not lab.course.flags_of(FIRST, *EVER)  # it has not begun
    worker.done(tensor("X"))
    number = lab.run("Y = X.cuda(1)")
    copied = Transferred(number, "cuda:0", "cuda:1", 24, 1e-6)
    there = (tensor("Y", "cuda:1"), finished(number, busy=(("cuda:1", 1e-6),)))
    worker.say(Began(number), copied, *there)
    lab.run("print(1)")
    worker.done(busy=())
    # The scripted worker's memory appears on both cards with the first cell.
    assert flags.numbers() == [[1, 2], [1, 2]]
    at = lab.course.began_at[number]
    seen = [[each.number for each in lab.course.flags_of(FIRST, at, to)] for to in (at, at + 1)]
    assert seen == [[2], [2]]


def test_a_failed_cell_stands_on_the_cards_of_its_message(flags: Flags) -> None:
    flags.lab.run("1 + 1")
    flags.worker.fail("devices differ", "RuntimeError", "two devices, cuda:0 and cuda:1!")
    flags.lab.run("torch.ones(9)")
    flags.worker.fail("out of memory", "OutOfMemoryError", "GPU 1 has a total capacity of 24")
    assert flags.numbers() == [[1], [1, 2]]
    shown = flags_of(flags.lab.course, SECOND, *EVER)
    assert [each.tone for each in shown] == [Tone.BAD, Tone.BAD]
    assert shown[0].text == "Cell 1 of the lab: 1 + 1"


@pytest.mark.parametrize(
    ("code", "cards"),
    [
        ('torch.ones(2, device="cuda:1")', {"cuda:1"}),
        ("X.cuda(1) + Y.cuda()", {"cuda:0", "cuda:1"}),
        ("torch.ones(2, device=try_gpu(2))", {"cuda:2"}),
        ("X.to('cuda')", {"cuda:0"}),
        ("X.cpu()", set()),
    ],
)
def test_a_cell_names_its_cards_in_many_ways(code: str, cards: set[str]) -> None:
    assert devices_in(code) == cards


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
