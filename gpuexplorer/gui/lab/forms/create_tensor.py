"""The form that makes a tensor."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.lab.forms import reading
from gpuexplorer.gui.lab.forms.creating import CREATE, DEVICE, create_on, creation
from gpuexplorer.gui.lab.forms.form import (
    Around,
    Control,
    Entered,
    Field,
    LabForm,
    Plan,
    Values,
    where,
)
from gpuexplorer.gui.lab.forms.reading import elements, next_letter, read_name
from gpuexplorer.gui.widgets.controls.fields import Choice


class ElementKind(StrEnum):
    """What an element is, in the order in which PyTorch promotes them."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    COMPLEX = "complex"


@dataclass(frozen=True, slots=True)
class Dtype:
    """`remark` tells it from its neighbours, in marked words."""

    name: str
    bytes: int
    kind: ElementKind
    remark: str

    @property
    def can_learn(self) -> bool:
        """Only these can have a gradient."""
        return self.kind in (ElementKind.FLOAT, ElementKind.COMPLEX)


_DTYPES_ALL = (
    Dtype("float32", 4, ElementKind.FLOAT, mark("4 B, the usual")),
    Dtype("float64", 8, ElementKind.FLOAT, mark("8 B, exact and slow")),
    Dtype("float16", 2, ElementKind.FLOAT, mark("2 B, up to 65504")),
    Dtype("bfloat16", 2, ElementKind.FLOAT, mark("2 B, wide range")),
    Dtype("int64", 8, ElementKind.INT, "8 B"),
    Dtype("int32", 4, ElementKind.INT, "4 B"),
    Dtype("int16", 2, ElementKind.INT, "2 B"),
    Dtype("int8", 1, ElementKind.INT, mark("1 B, −128 to 127")),
    Dtype("uint8", 1, ElementKind.INT, mark("1 B, 0 to 255")),
    Dtype("bool", 1, ElementKind.BOOL, "1 B"),
    Dtype("complex64", 8, ElementKind.COMPLEX, "8 B"),
    Dtype("complex128", 16, ElementKind.COMPLEX, "16 B"),
)
DTYPES: Mapping[str, Dtype] = {each.name: each for each in _DTYPES_ALL}

# What PyTorch takes where a line does not say.
USUAL_OF = {
    ElementKind.BOOL: "bool",
    ElementKind.INT: "int64",
    ElementKind.FLOAT: "float32",
    ElementKind.COMPLEX: "complex64",
}
_ORDER = tuple(ElementKind)


def kind_of(value: object) -> ElementKind:
    """The kind of a number, or the highest among the numbers in a list."""
    if isinstance(value, list | tuple):
        kinds = [kind_of(each) for each in value]
        # PyTorch makes an empty list float32.
        return max(kinds, key=_ORDER.index, default=ElementKind.FLOAT)
    if isinstance(value, bool):
        return ElementKind.BOOL
    if isinstance(value, int):
        return ElementKind.INT
    return ElementKind.COMPLEX if isinstance(value, complex) else ElementKind.FLOAT


_ANY = frozenset(ElementKind)
_REAL = frozenset({ElementKind.INT, ElementKind.FLOAT})


@dataclass(frozen=True, slots=True)
class Fill:
    """`word` is PyTorch's, `remark` marked; `kinds` the elements that it can make."""

    word: str
    remark: str
    shaped: bool = True
    random: bool = False
    kinds: frozenset[ElementKind] = _ANY


_FRACTIONS = frozenset({ElementKind.FLOAT, ElementKind.COMPLEX})

_ALL = (
    Fill("ones", mark("all 1")),
    Fill("zeros", mark("all 0")),
    Fill("full", mark("all the same")),
    Fill("rand", mark("uniform, 0 to 1"), random=True, kinds=_FRACTIONS),
    Fill("randn", mark("normal, mean 0"), random=True, kinds=_FRACTIONS),
    Fill("randint", mark("whole numbers"), random=True, kinds=_ANY - {ElementKind.COMPLEX}),
    Fill("arange", mark("in steps"), shaped=False, kinds=_REAL),
    Fill("linspace", mark("evenly spaced"), shaped=False, kinds=_ANY - {ElementKind.BOOL}),
    Fill("eye", mark("1 on the diagonal"), shaped=False),
    Fill("tensor", mark("typed-in values"), shaped=False),
)
FILLS: Mapping[str, Fill] = {each.word: each for each in _ALL}


_FORMATS = {  # what stands in the brackets first
    "full": "{shape_tuple}, {value}",
    "randint": "{low}, {high}, {shape_tuple}",
    "arange": "{start}, {end}, {step}",
    "linspace": "{from}, {to}, {steps}",
    "eye": "{size}",
    "tensor": "{values}",
}


def _fills(values: Values, around: Around) -> Sequence[Choice]:
    return [Choice(each.word, each.word, tr(each.remark)) for each in FILLS.values()]


def _dtypes(values: Values, around: Around) -> Sequence[Choice]:
    fill = FILLS[values["fill"]]
    return [
        Choice(
            each.name,
            each.name,
            tr(each.remark),
            refused="" if each.kind in fill.kinds else tr("not with {fill}", fill=fill.word),
        )
        for each in DTYPES.values()
    ]


def _usual(values: Values, around: Around) -> str:
    """The type that PyTorch takes by itself for these values."""
    told = {
        "full": [values["value"]],
        "arange": [values["start"], values["end"], values["step"]],
        "linspace": [values["from"], values["to"], "0.0"],
        "tensor": [values["values"]],
        "randint": ["0"],
    }.get(values["fill"], ["0.0"])
    try:
        return USUAL_OF[kind_of([reading.read_values(each)[0] for each in told])]
    except Trouble:
        return "float32"


def _count(values: Values, around: Around) -> str:
    try:
        return elements(math.prod(reading.read_shape(values["shape"])))
    except Trouble:
        return ""


def _cannot_learn(values: Values, around: Around) -> str:
    return "" if DTYPES[values["dtype"]].can_learn else tr("fractions only")


def _cannot_pin(values: Values, around: Around) -> str:
    if values["device"] != "cpu":
        return tr("cpu only")
    cards = any(each.is_card and each.usable for each in around.devices)
    return "" if cards else tr("needs a card")


_RANDOM = where("fill", *(each.word for each in _ALL if each.random))
_SHAPED = where("fill", *(each.word for each in _ALL if each.shaped))


def _blank(fill: str, key: str, label: str, first: str, read: Callable[[str], object],
           *, beside: bool = True) -> Field:  # fmt: skip
    """What only this fill needs to be told."""
    return Field(key, label, first=first, read=read, shown=where("fill", fill), beside=beside)


def _read_values(text: str) -> str:
    reading.read_values(text)
    return " ".join(text.split())


_BLANKS = (
    _blank("full", "value", mark("Value"), "7.0", reading.number(Message("The value")),
           beside=False),
    _blank("randint", "low", mark("From"), "0", reading.whole(Message("The lowest")),
           beside=False),
    _blank("randint", "high", mark("Below"), "10", reading.whole(Message("The upper end"))),
    _blank("arange", "start", mark("From"), "0", reading.real(Message("The first")),
           beside=False),
    _blank("arange", "end", mark("Below"), "12", reading.real(Message("The end"))),
    _blank("arange", "step", mark("Step"), "1", reading.real(Message("The step"))),
    _blank("linspace", "from", mark("From"), "0", reading.number(Message("The first")),
           beside=False),
    _blank("linspace", "to", mark("To"), "1", reading.number(Message("The last"))),
    _blank("linspace", "steps", mark("Values"), "5",
           reading.whole(Message("The number of values"), 0)),
    _blank("eye", "size", mark("Rows"), "3", reading.whole(Message("The number of rows"), 0),
           beside=False),
    Field("values", mark("Values"), Control.LINES, "[[1.0, 2.0], [3.0, 4.0]]", _read_values,
          shown=where("fill", "tensor")),
)  # fmt: skip


def _write(entered: Entered, around: Around) -> Plan:
    fill, dtype, device = FILLS[entered["fill"]], DTYPES[entered["dtype"]], entered["device"]
    problem = _problem(entered)
    if problem:
        return Plan(problems=problem)
    try:
        shape = _shape(entered)
        size = reading.check_size(shape, dtype.bytes)
    except Trouble as trouble:
        return Plan(problems={"shape": trouble.told})
    except OverflowError:
        return Plan(problems={"step": tr("These are more values than PyTorch can count.")})
    told = {**entered.read, "shape_tuple": repr(shape)}
    first = _FORMATS.get(fill.word, ", ".join(map(str, shape)) or "()").format(**told)
    words = [first]
    if dtype.name != _usual(entered.values, around):
        words.append(f"dtype=torch.{dtype.name}")
    if device != "cpu":
        words.append(f'device="{device}"')
    words += ["requires_grad=True"] if entered["grad"] else []
    words += ["pin_memory=True"] if entered["pinned"] else []
    line = f"{entered['name']} = torch.{fill.word}({', '.join(words)})"
    return creation(line, size, entered, around)


def _shape(entered: Entered) -> tuple[int, ...]:
    match entered["fill"]:
        case "eye":
            return (entered.whole("size"),) * 2
        case "linspace":
            return (entered.whole("steps"),)
        case "tensor":
            return reading.read_values(entered["values"])[1]
        case "arange":
            start, end, step = (entered.real(each) for each in ("start", "end", "step"))
            return (max(0, math.ceil((end - start) / step)),)
        case _:
            return entered.shape("shape")


def _problem(entered: Entered) -> dict[str, str]:
    match entered["fill"]:
        case "randint" if entered.whole("high") <= entered.whole("low"):
            low = entered["low"]
            said = tr("It has to be above {low}: it is never drawn itself.", low=low)
            return {"high": said}
        case "arange" if entered.real("step") == 0:
            return {"step": tr("With a step of 0 it would never end.")}
        case "arange":
            start, end, step = (entered.real(each) for each in ("start", "end", "step"))
            if (end - start) * step < 0:
                said = tr(
                    "Steps of {step} do not lead from {start} to {end}.",
                    step=step,
                    start=start,
                    end=end,
                )
                return {"step": said}
    return {}


TENSOR = LabForm(
    CREATE, mark("Tensor"), mark("Create a tensor"),
    (
        Field("name", mark("Name"), Control.NAME, lambda _, a: next_letter(a.taken), read_name),
        Field("fill", mark("Filled with"), Control.CHOICE, "ones", offer=_fills, beside=True),
        *_BLANKS,
        Field("shape", mark("Shape"), first="2, 3", read=reading.read_shape,
              placeholder=mark("a single value"), shown=_SHAPED, remark=_count),
        Field("dtype", mark("Type"), Control.CHOICE, _usual, offer=_dtypes, beside=True),
        DEVICE,
        Field("seed", mark("Seed"), read=reading.read_seed, placeholder=mark("none"),
              hint=mark("The same seed draws the same numbers again."), shown=_RANDOM),
        Field("grad", "requires_grad", Control.TICK, refused=_cannot_learn),
        Field("pinned", mark("pinned"), Control.TICK, refused=_cannot_pin),
    ),
    create_on,
    _write,
)  # fmt: skip
