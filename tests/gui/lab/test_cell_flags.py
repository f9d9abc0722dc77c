"""Which card a line had to do with, when, and how flags that touch become one."""

from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.plots.flags import flags_of
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.lab_course import (
    devices_in,
    strip_order,
)
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.lab.events import Began, Transferred
from tests.gui.lab.conftest import ScriptedWorker, finished, memory, run, tensor

FIRST, SECOND = CardId("SIM-0"), CardId("SIM-1")
EVER = (float("-inf"), float("inf"))


def numbers(lab: Lab, card: CardId) -> list[int]:
    return [each.number for each in lab.flags.of(card, *EVER)]


def settle(lab: Lab, qtbot: QtBot) -> None:
    def all_over() -> bool:
        return all(each.state in ("done", "failed") for each in lab.ledger.cells)

    qtbot.waitUntil(all_over)


def test_a_line_has_to_do_with_the_card_it_worked_on(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, 'X = torch.ones(2, 3, device="cuda:0")', tensor("X"))
    lab.run("Y = X.cuda(1)")
    number = lab.ledger.cells[-1].id
    copied = Transferred(number, "cuda:0", "cuda:1", 24, 1e-6)
    there = (tensor("Y", "cuda:1"), finished(number, busy=(("cuda:1", 1e-6),)))
    worker.say(Began(number), copied, *there)
    lab.run("print(1)")
    worker.done(busy=())
    settle(lab, qtbot)
    # The scripted worker's memory appears on both cards with the first line.
    assert numbers(lab, FIRST) == [1, 2]
    assert numbers(lab, SECOND) == [1, 2]


def test_a_failed_line_stands_on_the_cards_of_its_message(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.run("1 + 1")
    worker.fail("devices differ", "RuntimeError", "found two devices, cuda:0 and cuda:1!")
    lab.run("torch.ones(9)")
    worker.fail("out of memory", "OutOfMemoryError", "GPU 1 has a total capacity of 24 GiB")
    settle(lab, qtbot)
    assert numbers(lab, FIRST) == [1]
    flags = flags_of(lab.flags, SECOND, *EVER)
    assert [each.tone for each in flags] == [Tone.BAD, Tone.BAD]
    assert flags[0].text == "Cell 1 of the lab: 1 + 1"


def test_a_line_that_never_began_has_no_flag(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.run('X = torch.ones(2, device="cuda:0")')
    assert numbers(lab, FIRST) == []
    worker.done(tensor("X"))
    settle(lab, qtbot)
    assert numbers(lab, FIRST) == [1]


def test_flags_are_of_the_time_that_is_seen(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, 'X = torch.ones(2, device="cuda:0")', tensor("X"))
    settle(lab, qtbot)
    at = lab.course.began_at.get(lab.ledger.cells[0].id)
    assert at is not None
    assert list(lab.flags.of(FIRST, at + 1, at + 2)) == []
    assert len(lab.flags.of(FIRST, at - 1, at + 1)) == 1


def test_a_line_names_its_cards_in_many_ways() -> None:
    assert devices_in('torch.ones(2, device="cuda:1")') == {"cuda:1"}
    assert devices_in("X.cuda(1) + Y.cuda()") == {"cuda:0", "cuda:1"}
    assert devices_in("torch.ones(2, device=try_gpu(2))") == {"cuda:2"}
    assert devices_in("X.to('cuda')") == {"cuda:0"}
    assert devices_in("X.cpu()") == set()


def test_where_not_all_have_room_cards_that_hold_something_come_first() -> None:
    devices = [
        BenchDevice("cpu", "", "H"),
        *(BenchDevice(f"cuda:{n}", "", str(n), n, CardId(f"SIM-{n}")) for n in range(4)),
        BenchDevice("", "old", "9", None, CardId("SIM-9"), usable=False),
    ]
    holding = {"cuda:2": memory("cuda:2")}
    ordered = strip_order(devices, holding, room=3)
    assert [each.name for each in ordered] == ["cuda:2", "cuda:0", "cuda:1", "cuda:3"]
    all_seen = strip_order(devices, holding, room=4)
    assert [each.name for each in all_seen] == ["cuda:0", "cuda:1", "cuda:2", "cuda:3"]
