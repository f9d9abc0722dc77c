"""The line that makes a tensor, from the fields of its form."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, tr
from gpuexplorer.gui.wording.lab.forms import reading
from gpuexplorer.gui.wording.lab.forms.fills import (
    DTYPES,
    FILLS,
    USUAL_OF,
    Kind,
    cannot_make,
    kind_of,
    lacks,
)
from gpuexplorer.gui.wording.lab.forms.names import device_word, name_problem, replaced
from gpuexplorer.gui.wording.lab.forms.plan import Plan, Surroundings, fit
from gpuexplorer.lab.grammar import LONGEST_LINE

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TensorWish:
    """The fields as they are. Without a dtype, what PyTorch takes by itself."""

    name: str
    fill: str = "ones"
    shape: str = "2, 3"
    blanks: Mapping[str, str] = field(default_factory=dict)
    device: str = "cpu"
    dtype: str | None = None
    seed: str = ""
    requires_grad: bool = False
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """What the fields say. `arguments` is what stands in the brackets first."""

    arguments: str = ""
    shape: tuple[int, ...] = ()
    usual: str = "float32"  # the dtype where the line does not say
    problems: Mapping[str, str] = field(default_factory=dict)

    @property
    def elements(self) -> int:
        return math.prod(self.shape)


def tensor_plan(wish: TensorWish, around: Surroundings) -> Plan:
    read = read_wish(wish)
    problems = dict(read.problems)
    device = around.device(wish.device)
    button = tr("Create on {device}", device=wish.device) if wish.device else tr("Create")
    if problem := name_problem(wish.name):
        problems["name"] = problem
    if device is None or not device.usable:
        problems["device"] = tr("Choose a device that can be used.")
    chosen = DTYPES[wish.dtype or read.usual]
    fill = FILLS[wish.fill]
    if problem := cannot_make(fill, chosen.kind) or lacks(wish.device, chosen.name):
        problems["dtype"] = tr(problem)
    lines = []
    size = 0
    try:
        size = reading.check_size(read.shape, chosen.bytes)
    except Trouble as trouble:
        problems["shape"] = trouble.told
    try:
        seed = reading.read_seed(wish.seed) if fill.random else None
        if seed is not None:
            lines.append(f"torch.manual_seed({seed})")
    except Trouble as trouble:
        problems["seed"] = trouble.told
    line = _line(wish, read, around)
    if len(line) > LONGEST_LINE:
        where = "values" if wish.fill == "tensor" else "name"
        problems[where] = tr("The line may have at most {most} letters.", most=LONGEST_LINE)
    if problems:
        return Plan(button, problems=problems)
    fits = fit(size, device, around)
    warnings = [*replaced(wish.name, around.taken), *([fits.warning] if fits.warning else [])]
    return Plan(button, (*lines, line), facts=fits.facts, warnings=warnings)


def read_wish(wish: TensorWish) -> Read:
    """Never raises: what cannot be read is a problem of its field."""
    reader = _Reader(wish)
    match wish.fill:
        case "arange":
            return _arange(reader)
        case "linspace":
            return _linspace(reader)
        case "eye":
            size = reader.whole("size", Message("The number of rows"), 0)
            return Read(str(size), (size, size), problems=reader.problems)
        case "tensor":
            return _typed(reader)
        case "full":
            shape = reader.shape()
            value = reader.number("value", Message("The value"))
            usual = USUAL_OF[kind_of(value)]
            return Read(f"{_tuple(shape)}, {value}", shape, usual, reader.problems)
        case "randint":
            return _randint(reader)
        case _:
            shape = reader.shape()
            sizes = ", ".join(map(str, shape)) if shape else "()"
            return Read(sizes, shape, problems=reader.problems)


def _randint(reader: "_Reader") -> Read:
    shape = reader.shape()
    low = reader.whole("low", Message("The lowest"))
    high = reader.whole("high", Message("The upper end"))
    if not reader.problems and high <= low:
        reader.problems["high"] = tr(
            "It has to be above {low}: it is never drawn itself.", low=low
        )
    return Read(f"{low}, {high}, {_tuple(shape)}", shape, "int64", reader.problems)


def _arange(reader: "_Reader") -> Read:
    start = reader.real("start", Message("The first"))
    end = reader.real("end", Message("The end"))
    step = reader.real("step", Message("The step"))
    problems = reader.problems
    count = 0
    if not problems and step == 0:
        problems["step"] = tr("With a step of 0 it would never end.")
    elif not problems and (end - start) * step < 0:
        problems["step"] = tr(
            "Steps of {step} do not lead from {start} to {end}.",
            step=step,
            start=start,
            end=end,
        )
    elif not problems:
        try:
            count = max(0, math.ceil((end - start) / step))
        except OverflowError:
            problems["step"] = tr("These are more values than PyTorch can count.")
    whole = all(isinstance(each, int) for each in (start, end, step))
    usual = "int64" if whole else "float32"
    return Read(f"{start}, {end}, {step}", (count,), usual, problems)


def _linspace(reader: "_Reader") -> Read:
    start = reader.number("start", Message("The first"))
    end = reader.number("end", Message("The last"))
    steps = reader.whole("steps", Message("The number of values"), 0)
    kind = Kind.COMPLEX if Kind.COMPLEX in (kind_of(start), kind_of(end)) else Kind.FLOAT
    return Read(f"{start}, {end}, {steps}", (steps,), USUAL_OF[kind], reader.problems)


def _typed(reader: "_Reader") -> Read:
    nothing: tuple[object, tuple[int, ...]] = (0, ())
    value, shape = reader.tried(
        "values", lambda: reading.read_values(reader.text("values")), nothing
    )
    usual = USUAL_OF[kind_of(value)]
    text = " ".join(reader.text("values").split())
    return Read(text, shape, usual, reader.problems)


def _tuple(shape: tuple[int, ...]) -> str:
    return f"({shape[0]},)" if len(shape) == 1 else f"({', '.join(map(str, shape))})"


def _line(wish: TensorWish, read: Read, around: Surroundings) -> str:
    words = [read.arguments]
    if wish.dtype is not None and wish.dtype != read.usual:
        words.append(f"dtype=torch.{wish.dtype}")
    if wish.device != "cpu":
        words.append(f"device={device_word(wish.device, fall_back=around.fall_back)}")
    if wish.requires_grad and DTYPES[wish.dtype or read.usual].can_learn:
        words.append("requires_grad=True")
    if wish.pinned and wish.device == "cpu":
        words.append("pin_memory=True")
    return f"{wish.name} = torch.{wish.fill}({', '.join(words)})"


class _Reader:
    """Reads field by field, and notes what is wrong with which."""

    def __init__(self, wish: TensorWish) -> None:
        self._wish = wish
        self.problems: dict[str, str] = {}

    def text(self, key: str) -> str:
        return self._wish.blanks.get(key, "")

    def tried(self, key: str, read: Callable[[], T], otherwise: T) -> T:
        try:
            return read()
        except Trouble as trouble:
            self.problems[key] = trouble.told
            return otherwise

    def shape(self) -> tuple[int, ...]:
        return self.tried("shape", lambda: reading.read_shape(self._wish.shape), ())

    def whole(self, key: str, what: Message, least: int | None = None) -> int:
        return self.tried(key, lambda: reading.read_whole(self.text(key), what, least), 0)

    def number(self, key: str, what: Message) -> bool | int | float | complex:
        nothing: bool | int | float | complex = 0
        return self.tried(key, lambda: reading.read_number(self.text(key), what), nothing)

    def real(self, key: str, what: Message) -> int | float:
        value = self.number(key, what)
        if isinstance(value, bool | complex):
            self.problems[key] = tr("{what} has to be a plain number.", what=what)
            return 0
        return value
