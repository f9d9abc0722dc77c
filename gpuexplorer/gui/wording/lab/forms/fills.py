"""Fills: with what a new tensor can be filled, and what has to be said for each."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.words import NOTHING, Message, mark


class Kind(StrEnum):
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
    kind: Kind
    remark: str

    @property
    def can_learn(self) -> bool:
        """Only these can have a gradient."""
        return self.kind in (Kind.FLOAT, Kind.COMPLEX)


_DTYPES_ALL = (
    Dtype("float32", 4, Kind.FLOAT, mark("4 B, the usual")),
    Dtype("float64", 8, Kind.FLOAT, mark("8 B, exact and slow")),
    Dtype("float16", 2, Kind.FLOAT, mark("2 B, up to 65504")),
    Dtype("bfloat16", 2, Kind.FLOAT, mark("2 B, wide range")),
    Dtype("int64", 8, Kind.INT, "8 B"),
    Dtype("int32", 4, Kind.INT, "4 B"),
    Dtype("int16", 2, Kind.INT, "2 B"),
    Dtype("int8", 1, Kind.INT, mark("1 B, −128 to 127")),
    Dtype("uint8", 1, Kind.INT, mark("1 B, 0 to 255")),
    Dtype("bool", 1, Kind.BOOL, "1 B"),
    Dtype("complex64", 8, Kind.COMPLEX, "8 B"),
    Dtype("complex128", 16, Kind.COMPLEX, "16 B"),
)
DTYPES: Mapping[str, Dtype] = {each.name: each for each in _DTYPES_ALL}

# What PyTorch takes where a line does not say.
USUAL_OF = {
    Kind.BOOL: "bool",
    Kind.INT: "int64",
    Kind.FLOAT: "float32",
    Kind.COMPLEX: "complex64",
}
_ORDER = tuple(Kind)


def kind_of(value: object) -> Kind:
    """The kind of a number, or the highest among the numbers in a list."""
    if isinstance(value, list | tuple):
        kinds = [kind_of(each) for each in value]
        # PyTorch makes an empty list float32.
        return max(kinds, key=_ORDER.index, default=Kind.FLOAT)
    if isinstance(value, bool):
        return Kind.BOOL
    if isinstance(value, int):
        return Kind.INT
    return Kind.COMPLEX if isinstance(value, complex) else Kind.FLOAT


def lacks(device: str, dtype: str) -> Message:
    """Why a device has no such elements; empty where it has, or nobody knows."""
    if device.startswith("mps") and dtype in ("float64", "complex128"):
        return Message("Apple's cards have no {dtype}.", dtype=dtype)
    return NOTHING


_ANY = frozenset(Kind)
_REAL = frozenset({Kind.INT, Kind.FLOAT})


@dataclass(frozen=True, slots=True)
class Blank:
    """A field to fill in with its marked label, and what stands there at first."""

    key: str
    label: str
    first: str


@dataclass(frozen=True, slots=True)
class Fill:
    """`word` is PyTorch's, `remark` marked; `kinds` the elements that it can make."""

    word: str
    remark: str
    shaped: bool = True
    random: bool = False
    blanks: tuple[Blank, ...] = ()
    kinds: frozenset[Kind] = _ANY


_ALL = (
    Fill("ones", mark("all 1")),
    Fill("zeros", mark("all 0")),
    Fill("full", mark("all the same"), blanks=(Blank("value", mark("Value"), "7.0"),)),
    Fill(
        "rand",
        mark("uniform, 0 to 1"),
        random=True,
        kinds=frozenset({Kind.FLOAT, Kind.COMPLEX}),
    ),
    Fill(
        "randn",
        mark("normal, mean 0"),
        random=True,
        kinds=frozenset({Kind.FLOAT, Kind.COMPLEX}),
    ),
    Fill(
        "randint",
        mark("whole numbers"),
        random=True,
        blanks=(Blank("low", mark("From"), "0"), Blank("high", mark("Below"), "10")),
        kinds=frozenset({Kind.BOOL, Kind.INT, Kind.FLOAT}),
    ),
    Fill(
        "arange",
        mark("in steps"),
        shaped=False,
        blanks=(
            Blank("start", mark("From"), "0"),
            Blank("end", mark("Below"), "12"),
            Blank("step", mark("Step"), "1"),
        ),
        kinds=_REAL,
    ),
    Fill(
        "linspace",
        mark("evenly spaced"),
        shaped=False,
        blanks=(
            Blank("start", mark("From"), "0"),
            Blank("end", mark("To"), "1"),
            Blank("steps", mark("Values"), "5"),
        ),
        kinds=frozenset({Kind.INT, Kind.FLOAT, Kind.COMPLEX}),
    ),
    Fill(
        "eye",
        mark("1 on the diagonal"),
        shaped=False,
        blanks=(Blank("size", mark("Rows"), "3"),),
    ),
    Fill(
        "tensor",
        mark("typed-in values"),
        shaped=False,
        blanks=(Blank("values", mark("Values"), "[[1.0, 2.0], [3.0, 4.0]]"),),
    ),
)
FILLS: Mapping[str, Fill] = {each.word: each for each in _ALL}

_CANNOT_MAKE = {
    Kind.BOOL: mark("{fill} makes no yes and no."),
    Kind.INT: mark("{fill} makes no whole numbers."),
    Kind.FLOAT: mark("{fill} makes no fractions."),
    Kind.COMPLEX: mark("{fill} makes no complex numbers."),
}


def cannot_make(fill: Fill, kind: Kind) -> Message:
    """Why this fill has no such elements; empty where it has."""
    return NOTHING if kind in fill.kinds else Message(_CANNOT_MAKE[kind], fill=fill.word)
