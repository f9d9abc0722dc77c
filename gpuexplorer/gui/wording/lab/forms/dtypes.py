"""The element types that a form offers: how many bytes one takes, and what it can hold."""

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


_ALL = (
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
DTYPES: Mapping[str, Dtype] = {each.name: each for each in _ALL}

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
