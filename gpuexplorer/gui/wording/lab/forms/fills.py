"""Fills: with what a new tensor can be filled, and what has to be said for each."""

from collections.abc import Mapping
from dataclasses import dataclass

from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.gui.wording.lab.forms.dtypes import Kind

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
