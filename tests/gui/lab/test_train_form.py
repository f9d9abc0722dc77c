"""The form of a training run as a person uses it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.state.lab.lab import Lab
from tests.gui.lab.conftest import ScriptedWorker, tensor
from tests.gui.lab.form_panels import (
    NET,
    click,
    ctrl_enter,
    held,
    pick,
    shelf,
    shown_forms,
    write,
)


@pytest.fixture
def window(qtbot: QtBot, lab: Lab) -> Iterator[QWidget]:
    window = shown_forms(qtbot, lab)
    yield window
    window.close()


def test_a_tensor_that_is_chosen_does_not_change_the_model_to_train(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    other = replace(NET, name="other")
    shelf(lab, worker, qtbot, tensor("X"), tensor("T"), NET, other)
    click(window, "Train")
    lab.selection.choose(things={"other"})
    lab.selection.choose(things={"X"})
    assert held(window, "Model").startswith("other")


def test_a_model_learns_in_a_loop_that_a_form_wrote(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    shelf(lab, worker, qtbot, tensor("X"), tensor("T", shape=(2, 1)), NET)
    click(window, "Train")
    write(window, "Steps", "20")
    write(window, "Batch", "2")
    ctrl_enter(window)
    begun = ("opt = torch.optim.SGD(net.parameters(), lr=0.1)", "losses = []")
    assert worker.cells[-1].splitlines()[:3] == [*begun, "for step in range(20):"]
    assert lab.ledger.cells[-1].by_form
    click(window, "save")
    ctrl_enter(window)
    assert worker.cells[-1] == 'torch.save(net.state_dict(), "net.pt")'


def test_the_loss_of_one_run_is_not_what_the_next_one_learns(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    loss = tensor("loss", shape=(), requires_grad=True)
    shelf(lab, worker, qtbot, tensor("X"), loss, NET)
    click(window, "Train")
    assert held(window, "Targets").startswith("X")
    pick(window, "Targets", "loss")
    assert held(window, "Targets").startswith("loss")
