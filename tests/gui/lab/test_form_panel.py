"""The forms as a person uses them: fields, lists and the button, by mouse and by keys."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListView, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.forms.form_panel import FormPanel
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from tests.gui.hands import texts, the
from tests.gui.lab.conftest import ScriptedWorker, hello, run, tensor
from tests.gui.lab.form_panels import (
    NET,
    button,
    choose_device,
    click,
    ctrl_enter,
    device_row,
    named,
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


def test_a_tensor_is_created_without_the_mouse_and_the_next_has_a_name(
    window: QWidget, worker: ScriptedWorker
) -> None:
    write(window, "Shape", "4, 4")
    assert named(window, "It will run").accessibleName() == (
        'It will run: A = torch.ones(4, 4, device="cuda:0")'
    )
    ctrl_enter(window)
    assert worker.cells == ['A = torch.ones(4, 4, device="cuda:0")']
    ctrl_enter(window)
    assert worker.cells[1] == 'B = torch.ones(4, 4, device="cuda:0")'


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        ("-1", "A size cannot be -1. It counts elements: 0 or more."),
        ("2,,3", "A size is missing between two commas. Such as: 2, 3"),
        ("1e9 x 1e9", "'1e9' is not a whole number. Write 1000000000."),
    ],
)
def test_a_bad_shape_is_told_beside_its_field_and_nothing_runs(
    window: QWidget, worker: ScriptedWorker, shape: str, sentence: str
) -> None:
    field = write(window, "Shape", shape)
    assert sentence in texts(window)
    assert field.accessibleDescription() == sentence
    assert not button(window).isEnabled()
    named(window, "Name").setFocus()
    ctrl_enter(window)
    assert worker.sent == []
    assert field.hasFocus()
    write(window, "Shape", "2")
    assert sentence not in texts(window)
    assert button(window).isEnabled()


def test_the_keyboard_stays_in_the_panel_when_its_field_goes_or_its_button_is_off(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    panel = the(FormPanel, window)
    named(window, "Shape").setFocus()
    click(window, "Compute")
    tabs = named(window, "What to do")
    assert isinstance(tabs, Segmented)
    assert tabs.holder().hasFocus()
    click(window, "Create")
    button(window).setFocus()
    click(window, "Train")  # there is nothing to train
    assert not button(window).isEnabled()
    focus = QApplication.focusWidget()
    assert focus is not None
    assert panel.isAncestorOf(focus)


def test_elements_bytes_and_whether_it_fits_are_said_before(window: QWidget) -> None:
    assert "6 elements" in texts(window)
    assert any("24 B of" in each and "it fits" in each for each in texts(window))
    assert any("First use adds the context, 0.90 GiB" in each for each in texts(window))
    write(window, "Shape", "100000, 100000")
    assert any(each.startswith("Does not fit: 37.3 GiB") for each in texts(window))
    assert button(window).isEnabled()


def test_a_device_is_chosen_by_a_click_or_an_arrow(
    window: QWidget, worker: ScriptedWorker
) -> None:
    choose_device(window, "cuda:1")
    assert button(window).accessibleName() == "Create on cuda:1"
    devices = named(window, "Device")
    devices.setFocus()
    QTest.keyClick(devices, Qt.Key.Key_Up)
    QTest.keyClick(devices, Qt.Key.Key_Up)
    assert button(window).accessibleName() == "Create on cpu"
    ctrl_enter(window)
    assert worker.cells == ["A = torch.ones(2, 3)"]


def test_a_card_that_torch_cannot_use_is_there_with_its_reason(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "torch.ones(2)")
    said = hello()
    no_cards = replace(said, build="CPU", devices=(said.devices[0], said.devices[3]))
    with qtbot.waitSignal(lab.changed):
        worker.say(no_cards)
    row = device_row(window, "NVIDIA TITAN RTX")
    assert not row.flags() & Qt.ItemFlag.ItemIsEnabled
    assert "a build for the processor only" in row.data(Qt.ItemDataRole.AccessibleTextRole)
    assert any("a build for the processor only" in each for each in texts(window))
    assert button(window).accessibleName() == "Create on cpu"


def test_what_it_is_filled_with_brings_its_fields_along(
    window: QWidget, worker: ScriptedWorker
) -> None:
    pick(window, "Filled with", "randi")
    write(window, "Below", "7")
    write(window, "Seed", "42")
    ctrl_enter(window)
    assert worker.cells == [
        'torch.manual_seed(42)\nA = torch.randint(0, 7, (2, 3), device="cuda:0")'
    ]
    pick(window, "Type", "float6")
    ctrl_enter(window)
    assert "dtype=torch.float64" in worker.cells[-1]


def test_gradients_are_offered_to_what_can_have_them(
    window: QWidget, worker: ScriptedWorker
) -> None:
    click(window, "requires_grad")
    assert not named(window, "pinned").isEnabled()
    ctrl_enter(window)
    assert worker.cells[-1].endswith("requires_grad=True)")
    pick(window, "Type", "int8")
    assert not named(window, "requires_grad").isEnabled()
    ctrl_enter(window)
    assert "requires_grad" not in worker.cells[-1]
    choose_device(window, "cpu")
    click(window, "pinned")
    ctrl_enter(window)
    assert worker.cells[-1].endswith("pin_memory=True)")


def test_a_name_that_is_taken_is_replaced_with_a_warning(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    shelf(lab, worker, qtbot, tensor("X"))
    write(window, "Name", "X")
    assert "X is there already: it would be replaced." in texts(window)
    assert button(window).isEnabled()
    write(window, "Name", "2x")
    assert any("'2x' is not a name." in each for each in texts(window))
    assert not button(window).isEnabled()


def test_a_model_is_written_out_in_its_cell(window: QWidget, worker: ScriptedWorker) -> None:
    click(window, "Model")
    pick(window, "Model", "tiny")
    assert any("29\N{NARROW NO-BREAK SPACE}275 parameters" in each for each in texts(window))
    ctrl_enter(window)
    assert worker.cells[-1].startswith("class TransformerBlock(nn.Module):")
    assert worker.cells[-1].endswith('blocks=2, longest=64\n).to("cuda:0")')
    pick(window, "Model", "lin")
    ctrl_enter(window)
    assert worker.cells[-1] == 'net2 = nn.Sequential(nn.Linear(3, 1)).to("cuda:0")'


def test_two_devices_are_warned_of_and_the_line_still_runs(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    shelf(lab, worker, qtbot, tensor("X"), tensor("Y", "cuda:1"))
    click(window, "Compute")
    assert any("Operands on two devices" in each for each in texts(window))
    ctrl_enter(window)
    assert worker.cells[-1] == "X + Y"


def test_what_is_chosen_on_the_bench_is_the_left_operand(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    shelf(lab, worker, qtbot, tensor("X"), tensor("Y", "cuda:1"), NET)
    click(window, "Compute")
    lab.selection.choose(things={"Y"})
    click(window, "cuda")
    assert named(window, "Left").toolTip().startswith("Y, ")
    assert named(window, "Left").toolTip().endswith(", on 1")
    ctrl_enter(window)
    assert worker.cells[-1] == "A = Y.cuda(0)"
    lab.selection.choose(things={"net"})
    assert button(window).accessibleName() == "Run"
    ctrl_enter(window)
    assert worker.cells[-1] == "out = net(X)"


def test_an_empty_shelf_says_what_to_do_first(window: QWidget) -> None:
    click(window, "Compute")
    assert "Nothing is on the shelf yet: create something first." in texts(window)
    assert not button(window).isEnabled()
    click(window, "Train")
    assert any("No model is on the shelf yet" in each for each in texts(window))


def test_what_went_with_the_worker_is_no_longer_offered(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    shelf(lab, worker, qtbot, tensor("X"))
    click(window, "Compute")
    assert button(window).isEnabled()
    with qtbot.waitSignal(lab.changed):
        worker.end("The worker was killed by somebody.")
    qtbot.waitUntil(lambda: not button(window).isEnabled())
    assert "Nothing is on the shelf yet: create something first." in texts(window)


def test_a_thousand_tensors_are_offered_without_a_widget_for_each(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    things = [tensor(f"T{number}", f"cuda:{number % 2}") for number in range(1000)]
    shelf(lab, worker, qtbot, *things)
    click(window, "Compute")
    before = len(window.findChildren(QWidget))
    click(window, "Left")
    (choices,) = [each for each in window.findChildren(QListView) if each.isVisible()]
    assert choices.model().rowCount() == 1000
    assert len(window.findChildren(QWidget)) - before < 20
    QTest.keyClicks(choices, "T77")
    QTest.keyClick(choices, Qt.Key.Key_Return)
    assert named(window, "Left").toolTip().startswith("T77, ")
    assert named(window, "Left").toolTip().endswith(", on 1")


def test_tab_goes_through_the_fields_from_top_to_bottom(window: QWidget) -> None:
    named(window, "What to do").setFocus()
    seen = []
    for _ in range(9):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        seen.append(focused.accessibleName().split(":")[0].split(",")[0])
    assert seen[:5] == ["Tensor", "Name", "Filled with", "Shape", "Type"]
    assert seen[5] == "Device"
    assert seen[6] == "requires_grad"
    assert seen[7] == "It will run"  # a long cell is scrolled by keys
    assert seen[8].startswith("Create on cuda")


def test_fields_that_come_later_stand_in_the_order_of_the_tab_key_too(window: QWidget) -> None:
    pick(window, "Filled with", "randi")
    named(window, "Filled with").setFocus()
    seen = []
    for _ in range(6):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        seen.append(focused.accessibleName().split(",")[0])
    assert seen == ["From", "Below", "Shape", "Type", "Device", "Seed"]


def test_an_operation_is_chosen_by_arrow_keys(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    shelf(lab, worker, qtbot, tensor("X"), tensor("Y"))
    click(window, "Compute")
    named(window, "+").setFocus()
    QTest.keyClick(named(window, "+"), Qt.Key.Key_Down)
    QTest.keyClick(named(window, "@"), Qt.Key.Key_Right)
    assert named(window, "is").hasFocus()
    ctrl_enter(window)
    assert worker.cells[-1] == "X is Y"
