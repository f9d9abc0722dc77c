"""A scripted worker's answers to looks: of values, of a model, and that it cannot be."""

from collections.abc import Sequence
from math import isfinite

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Failed, Layer, Opened, Part, Peeked
from gpuexplorer.lab.wire import Peek
from tests.gui.lab.conftest import ScriptedWorker, finished

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
