"""The lab by hand: things are made by forms, carried to other cards, looked into, trained."""

import pytest

from tests.lab.processes import needs_torch
from tests.screens.at_the_bench import X_ON_0, asks_for_menu, drags, open_lab, sees_line
from tests.screens.conftest import OpenProgram

pytestmark = [needs_torch, pytest.mark.qt_log_ignore("This plugin does not support")]


def test_a_tensor_made_by_the_form_lies_on_its_card_with_shape_and_bytes(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program)
    person.sees("cuda:1, nothing on it")
    person.type_into("Shape", "4, 5")
    person.choose("Device", "cuda:1")
    person.sees('A = torch.ones(4, 5, device="cuda:1")', "it fits")
    person.click("Create on cuda:1")
    person.sees("A, tensor, 4×5, 80 B", "cuda:1, 1 object", "cuda:0, nothing on it")
    sees_line(person, 'A = torch.ones(4, 5, device="cuda:1")', state="done")


def test_a_shape_that_cannot_be_is_refused_in_a_sentence_and_nothing_is_made(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program)
    for shape, sentence in (
        ("2, -3", "A size cannot be -3. It counts elements: 0 or more."),
        ("2.5", "'2.5' is not a whole number."),
        ("2,, 3", "A size is missing between two commas."),
    ):
        person.type_into("Shape", shape)
        person.sees(sentence, "Nothing to run yet")
    person.press("Ctrl+Return")
    person.type_into("Shape", "100000, 100000")
    person.sees("Does not fit: 37.3 GiB")
    person.sees("No tensors yet.", "Worker: Not started")


def test_a_thing_dragged_to_another_card_is_copied_by_a_line(open_program: OpenProgram) -> None:
    person = open_lab(open_program, X_ON_0)
    drags(person, "X, tensor", "cuda:1, nothing on it")
    person.sees("X_1, tensor, 2×3, 24 B", "cuda:1, 1 object")
    sees_line(person, "X_1 = X.cuda(1)", "Copied 24 B, cuda:0 → cuda:1")


def test_the_menu_of_a_thing_copies_it_to_another_device_and_deletes_it(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program, X_ON_0)
    asks_for_menu(person, "X, tensor")
    person.click("Copy to")
    person.click("X_cpu = X.cpu()")
    person.sees("X_cpu, tensor, 2×3, 24 B")
    sees_line(person, "X_cpu = X.cpu()", state="done")
    asks_for_menu(person, "X, tensor")
    person.click("Delete")
    sees_line(person, "del X", state="done")
    person.sees("cuda:0, nothing on it")


def test_looking_into_a_tensor_shows_its_values_and_what_it_is(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program, 'X = torch.full((2, 3), 7.5, device="cuda:0")')
    person.click("X, tensor")
    person.press("Return")
    person.sees("X[0, 0] is 7.5", "Minimum", "Mean", "24 B", "3 float32 on cuda:0")
    person.sees("Made by", "cell 1")
    person.press("Escape")
    person.sees("Bench", "X, tensor, 2×3")
    person.does_not_see("Mean")


def test_a_model_made_by_the_form_lies_on_its_card(open_program: OpenProgram) -> None:
    person = open_lab(open_program)
    person.choose("What to do", "Model")
    person.sees('net = nn.Sequential(nn.Linear(3, 1)).to("cuda:0")', "4 parameters")
    person.click("Create on cuda:0")
    person.sees("net, model, Linear(3, 1), 16 B", "cuda:0, 1 object")


def test_looking_into_a_model_shows_its_layers(open_program: OpenProgram) -> None:
    person = open_lab(open_program, _TWO_LAYERS)
    person.click("net, model")
    person.press("Return")
    person.sees(
        "3 layers, 49 parameters on cuda:0",
        "0 Linear(in_features=4, out_features=8, bias=True): 40 parameters, 160 B",
        "net[0].weight",
        "float32 on cuda:0",
    )
    person.click("Layers")
    person.press("End")
    person.sees("2 Linear(in_features=8, out_features=1, bias=True): 9 parameters, 36 B")


def test_training_takes_its_steps_and_can_be_stopped(open_program: OpenProgram) -> None:
    person = open_lab(open_program, *_TRAINABLE)
    person.choose("What to do", "Train")
    person.choose("Inputs", "X")
    person.choose("Targets", "Y")
    person.type_into("Steps", "300")
    person.press("Ctrl+Return")
    sees_line(person, "range(300)", "modelled", state="done")
    person.type_into("Steps", "100000")
    person.press("Ctrl+Return")
    person.sees("Worker: Busy")
    person.click("Stop")
    sees_line(person, "range(100000)", state="cancelled")
    person.sees("net, model", "Worker: Ready")


_TWO_LAYERS = 'net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).to("cuda:0")'
_TRAINABLE = (
    'X = torch.ones(2, 3, device="cuda:0")',
    'Y = torch.ones(2, 1, device="cuda:0")',
    'net = nn.Linear(3, 1).to("cuda:0")',
)
