"""Looking inside tensors, models and containers: only what is seen is asked for."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.inside.inside import Inside
from gpuexplorer.gui.lab.inside.value_pane import SpreadChart
from gpuexplorer.gui.lab.inside.values import ValueGrid, writing_of, written
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.fields import NumberField
from gpuexplorer.lab.events import Element, Failed, Held, Layer, Opened, Part, Peeked, Placed
from gpuexplorer.lab.wire import Peek
from tests.gui.hands import press, texts, the
from tests.gui.lab.conftest import ScriptedWorker, finished, run, tensor

Values = Sequence[Sequence[float | None]]


def looks(worker: ScriptedWorker) -> list[Peek]:
    return [each for each in worker.sent if isinstance(each, Peek)]


def answer(
    worker: ScriptedWorker, values: Values, shape: tuple[int, ...] | None = None
) -> None:
    """The plane is all there is of it; the window is the one that was asked for."""
    peek = looks(worker)[-1]
    at = (*peek.at, 0, 0)[: max(2, len(shape or (0, 0)))]
    down, across = slice(at[-2], at[-2] + peek.rows), slice(at[-1], at[-1] + peek.columns)
    window = tuple(tuple(each[across]) for each in values[down])
    numbers = [each for line in values for each in line]
    known = [each for each in numbers if each is not None and isfinite(each)]
    ends = (min(known), max(known), sum(known) / len(known)) if known else (None,) * 3
    spread = *ends, 1.0, len(numbers) - len(known)
    shape = (len(values), len(values[0])) if shape is None else shape
    seen = window, *spread, (1,) * 32, len(numbers), 768
    peeked = Peeked(peek.id, peek.what, "cuda:0", "float32", shape, at, *seen)
    worker.say(peeked, finished(peek.id))


def refuse(worker: ScriptedWorker, sentence: str, cause: str = "bad request") -> None:
    worker.say(Failed(looks(worker)[-1].id, cause, "Trouble", "", Message(sentence)))


def linear(path: str, taken: int, given: int, device: str = "cuda:0") -> Layer:
    text = f"Linear(in_features={taken}, out_features={given}, bias=True)"
    weight = Part("weight", (given, taken), "float32", device, given * taken * 4, trained=True)
    bias = Part("bias", (given,), "float32", device, given * 4, trained=True)
    return Layer(path, "Linear", text, (weight, bias))


def opened(number: int = 1, what: str = "net", *layers: Layer) -> Opened:
    return Opened(number, what, (Layer("", "Sequential", "Sequential"), *layers))


def two_cards(number: int = 1) -> Opened:
    """Four in, eight, two out: the second half on the other card."""
    relu = Layer("1", "ReLU", "ReLU()")
    return opened(number, "net", linear("0", 4, 8), relu, linear("2", 8, 2, "cuda:1"))


def answer_model(worker: ScriptedWorker, model: Opened) -> None:
    peek = looks(worker)[-1]
    worker.say(Opened(peek.id, peek.what, model.layers), finished(peek.id))


SMALL = ((1.1456, -2.0), (0.5, None))
LARGE = tuple(tuple(float(100 * row + column) for column in range(100)) for row in range(100))
NET = Placed(1, "net", "model", "cuda:0, cuda:1", "Sequential", bytes=232)
W = TypeVar("W", bound=QWidget)


class Looking:
    """Somebody who looks inside, and the worker that answers."""

    def __init__(self, lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> None:
        self.lab, self.worker, self.until = lab, worker, qtbot.waitUntil
        self.signal, self.window = qtbot.waitSignal, QWidget()
        qtbot.addWidget(self.window)
        self.window.resize(1100, 900)
        self.inside = Inside(lab, self.window)
        self.inside.setGeometry(0, 0, 1100, 900)
        self.window.show()

    def place(self, thing: Placed, line: str = "") -> None:
        run(self.lab, self.worker, line or f"{thing.name} = torch.ones(2, 3)", thing)
        things = self.lab.ledger.things
        self.until(lambda: self.lab.stage is Stage.READY and thing.name in things)

    def answers(self, what: str, values: Values, shape: tuple[int, ...] | None = None) -> None:
        self.until(lambda: what in [each.what for each in looks(self.worker)[-1:]])
        answer(self.worker, values, shape)

    def at(
        self, thing: Placed, values: Values, shape: tuple[int, ...] | None = None
    ) -> ValueGrid:
        """It is placed and opened, and the first look is answered."""
        self.place(thing)
        self.inside.open(thing.name)
        self.answers(thing.name, values, shape)
        self.until(lambda: "Looking …" not in texts(self.inside))
        return the(ValueGrid, self.inside)

    def at_a_model(self) -> Table[Any]:
        """The table of its layers, with the values of the first."""
        self.place(NET)
        self.inside.open("net")
        self.until(lambda: bool(looks(self.worker)))
        answer_model(self.worker, two_cards())
        self.answers("net[0].weight", ((0.5, -0.25, 0.125, 1.0),) * 8)
        return self.called(Table, "Layers")

    def called(self, kind: type[W], name: str) -> W:
        """The one of this kind that is called so and can be seen."""
        found = [each for each in self.inside.findChildren(kind) if each.isVisible()]
        (one,) = (each for each in found if each.accessibleName() == name)
        return one

    def shows(self, bar: str, word: str) -> QTabBar:
        tabs = self.called(QTabBar, bar)
        at = [tabs.tabText(each) for each in range(tabs.count())].index(word)
        QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(at).center())
        return tabs

    def sees(self, *words: str) -> None:
        self.until(lambda: set(words) <= set(texts(self.inside)))

    def facts(self) -> dict[str, str]:
        """What stands behind each text."""
        said = texts(self.inside)
        return dict(pairwise(said))


@pytest.fixture
def eyes(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Iterator[Looking]:
    eyes = Looking(lab, worker, qtbot)
    yield eyes
    eyes.window.close()


def column(table: Table[Any], heading: str, role: int = 0) -> list[str]:
    model, across = table.model(), Qt.Orientation.Horizontal
    headings = [model.headerData(each, across) for each in range(model.columnCount())]
    at = headings.index(heading)
    return [model.index(row, at).data(role) for row in range(model.rowCount())]


def test_the_chosen_cell_is_told_in_full_and_what_all_have_in_common(eyes: Looking) -> None:
    grid = eyes.at(tensor("W", shape=(2, 2)), SMALL)
    assert grid.accessibleDescription() == "W[0, 0] is 1.1456"
    press(grid, Qt.Key.Key_Right)
    assert grid.accessibleDescription() == "W[0, 1] is −2"
    press(grid, Qt.Key.Key_Down)
    assert grid.accessibleDescription() == "W[1, 1] is NaN"
    cost = "This preview copied 768 B from the card: 31.0 µs, modelled."
    eyes.sees("W[1, 1]", "NaN", "Spread of 4 values", cost)
    assert eyes.facts()["Minimum"] == "−2"
    assert eyes.facts()["NaN or infinite"] == "1"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (((2.5, 2.5),), "All values are 2.5."),
        (((None, None),), "None of its values is a finite number."),
        ((), "It holds no values: one of its dimensions is 0."),
    ],
)
def test_where_there_is_no_spread_a_sentence_says_why(
    eyes: Looking, values: Values, told: str
) -> None:
    eyes.at(tensor("W"), values, None if values else (0, 5))
    eyes.sees(told)
    assert not the(SpreadChart, eyes.inside).isVisible()
    assert ("Minimum" in eyes.facts()) == bool(values)


def test_a_heat_map_shows_64_by_64_together_and_its_cells_are_named(eyes: Looking) -> None:
    plane = tuple(row[:64] for row in LARGE[:64])
    grid = eyes.at(tensor("big", shape=(64, 64)), plane)
    eyes.called(QAbstractButton, "Heat map").click()
    last = grid.model().index(63, 63)

    def known() -> bool:
        answer(eyes.worker, plane)
        return bool(last.data())

    eyes.until(known)
    assert grid.viewport().rect().contains(grid.visualRect(last))
    assert last.data(Qt.ItemDataRole.ToolTipRole) == "big[63, 63] is 6363"
    eyes.called(QAbstractButton, "Figures").click()
    assert grid.window_seen()[2] < 40


@pytest.mark.parametrize(
    ("shape", "names", "typed", "at"),
    [
        ((8, 3, 2, 2), ["Dimension 0, of 8", "Dimension 1, of 3"], "7", (7, 0, 0, 0)),
        ((250_000_000,), ["Dimension 0, of 250000000"], "249999999", (249_999_999,)),
    ],
)
def test_planes_and_what_is_too_long_for_one_table_are_reached_by_fields(
    eyes: Looking, shape: tuple[int, ...], names: list[str], typed: str, at: tuple[int, ...]
) -> None:
    eyes.at(tensor("images", shape=shape), ((0.5,) * 64,) * 2, shape)
    fields = eyes.inside.findChildren(NumberField)
    assert [each.accessibleName() for each in fields] == names
    fields[0].lineEdit().setText(typed)
    press(fields[0], Qt.Key.Key_Return)

    def asked() -> bool:
        answer(eyes.worker, ((0.5,) * 64,) * 2, shape)
        return looks(eyes.worker)[-1].at[-len(at) :] == at

    eyes.until(asked)


@pytest.mark.parametrize("thing", [tensor("M", "meta"), NET])
def test_a_look_that_failed_is_a_sentence_in_its_place(eyes: Looking, thing: Placed) -> None:
    eyes.place(thing)
    eyes.inside.open(thing.name)
    eyes.until(lambda: bool(looks(eyes.worker)))
    refuse(eyes.worker, "A tensor on meta has a shape and no values.")
    eyes.sees("A tensor on meta has a shape and no values.")


def test_what_it_is_stands_beside_its_values(eyes: Looking) -> None:
    held = (Held("cuda:0", "values", 512, 1), Held("cuda:0", "gradients", 512, 2))
    eyes.place(tensor("V", number=2, same_as="W"))
    eyes.at(tensor("W", requires_grad=True, holds=held), SMALL)
    eyes.place(tensor("U"), "U = W.exp()")
    eyes.sees("cell 3")
    assert {
        "Type": "float32, 4 B each", "Bytes": "24 B", "Gradient": "24 B",
        "In the card's cache": "512 B + 512 B", "requires_grad": "True",
        "Made by": "cell 2", "Read by": "cell 3", "The same object as": "V",
    }.items() <= eyes.facts().items()  # fmt: skip


def test_the_values_of_the_chosen_layer_are_looked_at(eyes: Looking) -> None:
    layers = eyes.at_a_model()
    eyes.sees("net[0].weight", "8×4 float32 on cuda:0")
    press(layers, Qt.Key.Key_Down)
    eyes.sees("holds no parameters, so there are no values to look at")
    press(layers, Qt.Key.Key_End)
    eyes.answers("net[2].weight", SMALL)
    eyes.shows("What is shown", "bias")
    eyes.answers("net[2].bias", SMALL)


def test_the_elements_of_a_container_are_looked_into_by_their_paths(eyes: Looking) -> None:
    inner = (
        Element("nets[0]", "model", "cuda:0", "Linear", 64),
        Element("nets[1]", "tensor", "cuda:1", "5, float32", 20),
    )
    eyes.place(Placed(1, "nets", "container", "cuda:0, cuda:1", "", elements=inner, more=3))
    eyes.inside.open("nets")
    elements = eyes.called(Table, "Elements")
    assert column(elements, "What it is") == ["Linear", "5, float32"]
    assert column(elements, "Device") == ["cuda:0", "cuda:1"]
    assert column(elements, "Bytes") == ["64 B", "20 B"]
    eyes.sees("and 3 more")
    elements.setFocus()
    elements.pick("nets[1]")
    press(elements, Qt.Key.Key_Return)
    eyes.until(lambda: [each.what for each in looks(eyes.worker)] == ["nets[1]"])
    eyes.sees("5, float32 on cuda:1")


@pytest.mark.parametrize(
    ("dtype", "most", "value", "text"),
    [
        ("float32", 4.1, -1.5372, "−1.54"),
        ("float32", 0.25, 0.0712, "0.071"),
        ("float32", 1e-9, 1.24e-10, "1.2e−10"),
        ("float32", 4e7, 31e6, "3.1e7"),
        ("int64", 7.0, -3.0, "−3"),
        ("bool", 1.0, 1.0, "True"),
        ("float32", 4.1, None, "NaN"),
        ("float32", 4.1, float("-inf"), "−inf"),
    ],
)
def test_cells_have_the_digits_that_tell_values_apart(
    dtype: str, most: float, value: float | None, text: str
) -> None:
    assert written(value, writing_of(dtype, 0.0, most)) == text
