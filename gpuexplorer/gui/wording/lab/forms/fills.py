"""Fills: with what a new tensor can be filled, and what has to be said for each."""

from collections.abc import Mapping
from dataclasses import dataclass

from gpuexplorer.gui.wording.lab.forms.dtypes import Kind

_ANY = frozenset(Kind)
_REAL = frozenset({Kind.INT, Kind.FLOAT})


@dataclass(frozen=True, slots=True)
class Blank:
    """A field to fill in, and what stands there at first."""

    key: str
    label: str
    first: str


@dataclass(frozen=True, slots=True)
class Fill:
    """`word` is PyTorch's; `kinds` the elements that it can make."""

    word: str
    remark: str
    shaped: bool = True
    random: bool = False
    blanks: tuple[Blank, ...] = ()
    kinds: frozenset[Kind] = _ANY


_ALL = (
    Fill("ones", "all 1"),
    Fill("zeros", "all 0"),
    Fill("full", "all the same", blanks=(Blank("value", "Value", "7.0"),)),
    Fill("rand", "uniform, 0 to 1", random=True, kinds=frozenset({Kind.FLOAT, Kind.COMPLEX})),
    Fill("randn", "normal, mean 0", random=True, kinds=frozenset({Kind.FLOAT, Kind.COMPLEX})),
    Fill(
        "randint",
        "whole numbers",
        random=True,
        blanks=(Blank("low", "From", "0"), Blank("high", "Below", "10")),
        kinds=frozenset({Kind.BOOL, Kind.INT, Kind.FLOAT}),
    ),
    Fill(
        "arange",
        "in steps",
        shaped=False,
        blanks=(
            Blank("start", "From", "0"),
            Blank("end", "Below", "12"),
            Blank("step", "Step", "1"),
        ),
        kinds=_REAL,
    ),
    Fill(
        "linspace",
        "evenly spaced",
        shaped=False,
        blanks=(
            Blank("start", "From", "0"),
            Blank("end", "To", "1"),
            Blank("steps", "Values", "5"),
        ),
        kinds=frozenset({Kind.INT, Kind.FLOAT, Kind.COMPLEX}),
    ),
    Fill("eye", "1 on the diagonal", shaped=False, blanks=(Blank("size", "Rows", "3"),)),
    Fill(
        "tensor",
        "typed-in values",
        shaped=False,
        blanks=(Blank("values", "Values", "[[1.0, 2.0], [3.0, 4.0]]"),),
    ),
)
FILLS: Mapping[str, Fill] = {each.word: each for each in _ALL}

_MAKES = {
    Kind.BOOL: "no yes and no",
    Kind.INT: "no whole numbers",
    Kind.FLOAT: "no fractions",
    Kind.COMPLEX: "no complex numbers",
}


def cannot_make(fill: Fill, kind: Kind) -> str:
    """Why this fill has no such elements; empty where it has."""
    return "" if kind in fill.kinds else f"{fill.word} makes {_MAKES[kind]}"
