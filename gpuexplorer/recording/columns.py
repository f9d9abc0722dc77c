"""Columns of figures as bytes, and back: doubles, and for a missing figure a NaN that
holds the number of its reason.
"""

import struct
import sys
import zlib
from array import array
from collections.abc import Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState

# A quiet NaN has 51 bits to spare.
_NAN = 0x7FF8_0000_0000_0000
_WIDTH = 8
_FAST = 1  # zlib's level
# By number, from 1 on; 0 is a NaN of another origin. A file holds these lists itself.
REASONS = tuple(Absence)
STATES = tuple(CardState)
NANS = {
    reason: struct.unpack("<d", struct.pack("<Q", _NAN | number))[0]
    for number, reason in enumerate(REASONS, 1)
}


class DamagedError(ValueError):
    """These bytes are not what was written."""


def raw(values: Sequence[float]) -> bytes:
    """One reading, as a row of the tail holds it."""
    column = array("d", values)
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()


def from_raw(data: bytes, count: int) -> "array[float]":
    """Raises DamagedError where it does not hold so many."""
    if len(data) != count * _WIDTH:
        raise DamagedError
    column = array("d")
    column.frombytes(data)
    if sys.byteorder == "big":
        column.byteswap()
    return column


def packed(values: Sequence[float]) -> bytes:
    # Percents and milliwatts as doubles repeat in whole: sorting their bytes makes it worse.
    return zlib.compress(raw(values), _FAST)


def unpacked(data: bytes, count: int) -> "array[float]":
    """Raises DamagedError where that is not what was written."""
    try:
        # Never more than was promised, whatever the bytes would unfold to.
        plain = zlib.decompressobj().decompress(data, count * _WIDTH + 1)
    except zlib.error as error:
        raise DamagedError from error
    return from_raw(plain, count)


def reason_number(value: float) -> int:
    """Of a NaN: the number of its reason, 0 where it has none."""
    bits: int = struct.unpack("<Q", struct.pack("<d", value))[0]
    return bits & 0xFFFF
