"""The head of the lab: what is there, how the worker is, and its switches."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QListWidget, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.cards.card_face import arrange
from gpuexplorer.gui.lab.lab_head import LabHead, summary_words
from gpuexplorer.gui.lab.switches import CapSheet, VisibleSheet, caps_in, usual_order
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage, stage_words
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from gpuexplorer.gui.widgets.controls.fields import NumberField
from gpuexplorer.lab.events import Held, Placed
from tests.gui.fakes import card
from tests.gui.frame.steps import called
from tests.gui.hands import click, dialog_called, in_front, press, texts, the
from tests.gui.lab.conftest import MIB, ScriptedWorker, run, tensor

# A dialog of its own is no window that the test platform can hint at.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
MAKE = 'X = torch.ones(2, 3, device="cuda:0")'
CARD = BenchDevice("cuda:0", "TITAN RTX", "0", 0, card(0).id)
CAP = "torch.cuda.set_per_process_memory_fraction"


@pytest.fixture
def head(qtbot: QtBot, lab: Lab) -> Iterator[LabHead]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1360, 800)
    head = LabHead(lab, window)
    head.setGeometry(0, 0, 1360, 40)
    window.show()
    yield head
    window.close()


def menu(head: LabHead) -> dict[str, QAction]:
    """What "More" holds."""
    opened = QMenu(head)
    the(MenuButton, head).about_to_open.emit(opened)
    return {each.text(): each for each in opened.actions() if each.text()}


def says(head: LabHead, qtbot: QtBot, *words: str) -> None:
    qtbot.waitUntil(lambda: all(any(each in one for one in texts(head)) for each in words))


def make(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> None:
    run(lab, worker, MAKE, tensor("X"))
    qtbot.waitUntil(lambda: "X" in lab.ledger.things and lab.stage is Stage.READY)


def test_what_was_made_is_summed_up_beside_how_the_worker_is(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    says(head, qtbot, "No tensors yet. Cells run in", "○ Not started")
    assert not called(QAbstractButton, head, "Release the cards").isEnabled()
    make(lab, worker, qtbot)
    says(head, qtbot, "1 object on 1 card", "Contexts and caches take", "● Ready")


def thing(name: str, device: str, size: int, storage: int) -> Placed:
    held = (Held(device, "values", size, storage),)
    return Placed(1, name, "tensor", device, "", bytes=24, holds=held)


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([("cuda:0", 24, 1), ("cuda:1", 24, 2)], "2 objects on 2 cards: 48 B."),
        ([("cuda:0", 24, 1), ("cuda:0", 24, 1)], "2 objects on 1 card: 24 B."),  # a view
        ([("cuda:0", 512, 1)], "1 object on 1 card: 24 B."),  # in a block of 512
        ([("cpu", 24, 1)], "1 object on the host: 24 B."),
        ([("cpu", 24, 1), ("cuda:0", 24, 2)], "2 objects on 1 card and the host: 48 B."),
        ([], "No tensors yet."),
    ],
)
def test_values_are_counted_once_and_where_they_lie(
    places: Sequence[tuple[str, int, int]], words: str
) -> None:
    things = {f"X{at}": thing(f"X{at}", *place) for at, place in enumerate(places)}
    assert summary_words(things, [], USUAL) == words
    held = replace(CARD, context_bytes=334 * MIB, cache_bytes=2 * MIB)
    assert summary_words(things, [held], USUAL).endswith("Contexts and caches take 336 MiB.")


def test_a_line_that_takes_its_time_is_timed() -> None:
    busy = [stage_words(Stage.BUSY, running=each).words for each in (0.1, 3.24, 75)]
    assert busy == ["Busy", "Busy, 3.24 s", "Busy, 75.0 s"]


def test_the_menu_turns_switches_and_names_their_lines(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    assert "expandable_segments:True" in menu(head)["Growing segments"].toolTip()
    menu(head)["What the switches are in PyTorch and TensorFlow…"].trigger()
    said = texts(dialog_called("The switches of the lab", head.window()))
    assert "allow_soft_placement=True" in " ".join(said)
    for words in ("Growing segments", "Print placement", "Forms only, for a classroom"):
        menu(head)[words].trigger()
        assert menu(head)[words].isChecked()
    assert lab.switches.growing
    assert lab.switches.placement
    assert lab.machine.settings.choices.lab_forms_only
    assert the(MenuButton, head).text() == "More, 2 on"
    assert worker.sent == []
    next_time = Lab(lab.machine, lab.pythons, worker.start)
    qtbot.addWidget(LabHead(next_time))
    assert next_time.switches == lab.switches
    next_time.stop()


def test_a_cap_is_a_cell_for_each_card(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    menu(head)["Memory cap…"].trigger()
    sheet = in_front(CapSheet, head.window())
    assert "9.60 GiB of 24.0 GiB" in texts(sheet)
    first, second = sheet.findChildren(NumberField)
    first.lineEdit().setText("25")
    second.setFocus()
    assert "6.00 GiB of 24.0 GiB" in texts(sheet)
    second.lineEdit().setText("100")
    press(second, Qt.Key.Key_Return)  # without a click on "Cap"
    assert worker.cells[-1] == f"{CAP}(0.25, 0)"
    worker.done()
    qtbot.waitUntil(lambda: the(MenuButton, head).text() == "More, 1 on")
    assert menu(head)["Memory cap…"].isChecked()


def test_caps_are_read_from_the_cells_the_last_one_holds() -> None:
    lines = [f"{CAP}(0.5, 0)", f"{CAP}(.4)", f"{CAP}(0.3, 'cuda:1')", f"{CAP}(1.0, device=1)"]
    assert caps_in(lines[:3]) == {"cuda:0": 0.4, "cuda:1": 0.3}
    assert caps_in(lines) == {"cuda:0": 0.4}


def test_visible_cards_are_chosen_and_ordered_and_need_a_new_worker(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    menu(head)["Visible cards and their order…"].trigger()
    sheet = in_front(VisibleSheet, head.window())
    cards = the(QListWidget, sheet)

    def said() -> str:
        return " ".join(texts(sheet))

    assert "CUDA_VISIBLE_DEVICES=0,1" in said()
    called(QAbstractButton, sheet, "Move down").click()
    assert "CUDA_VISIBLE_DEVICES=1,0" in said()
    assert cards.item(1).text().endswith(": cuda:1")
    for _ in range(2):
        press(cards, Qt.Key.Key_Space)
        press(cards, Qt.Key.Key_Up)
    assert "At least one card is needed." in said()
    use = [each for each in sheet.findChildren(QPushButton) if "use this" in each.text()]
    assert not use[0].isEnabled()
    press(cards, Qt.Key.Key_Space)
    click(sheet, "Release the cards and use this")
    assert not worker.stopped
    click(dialog_called("Release the cards?", head.window()), "Release the cards and use this")
    assert lab.switches.visible == (1,)
    qtbot.waitUntil(lambda: worker.stopped and lab.stage is Stage.RESTING)


def test_cards_stand_in_cudas_order_and_those_without_a_number_last() -> None:
    numbers = {0: 1, 1: None, 2: 0}
    cards = [replace(card(at), cuda_index=number) for at, number in numbers.items()]
    assert list(usual_order(arrange(cards))) == [2, 0, 1]


def test_what_hangs_can_be_restarted(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.run(MAKE)
    qtbot.waitUntil(lambda: lab.stage is Stage.BUSY)
    lab.cancel()
    says(head, qtbot, "● Does not come back")
    restart = called(QAbstractButton, head, "Restart")
    restart.click()
    assert worker.killed
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    assert not restart.isVisible()


def test_nothing_of_a_recording_can_be_turned(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    recorded = Lab(lab.machine, lab.pythons, worker.start, recorded=True)
    head = LabHead(recorded)
    qtbot.addWidget(head)
    head.show()
    says(head, qtbot, "○ Recorded")
    assert not any(each.isVisible() for each in head.findChildren(QAbstractButton))
    recorded.stop()
