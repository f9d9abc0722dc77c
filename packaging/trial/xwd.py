"""What an X server without a screen shows: read from its memory, written as a PNG."""

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

_HEADER = struct.Struct(">25I")
_COLOUR_BYTES = 12  # of each entry of the map before the pixels
_LEAST_COLOURS = 24
_MOST_ASTRAY = 0.02  # of the pixels looked at: curves move on, and a clock's hands
_EVERY = 37  # so that a look at a thousandth of the pixels meets every column


@dataclass(frozen=True)
class Shown:
    """A picture: three bytes for each pixel, row by row."""

    wide: int
    high: int
    pixels: bytes

    @property
    def colours(self) -> int:
        return len(set(self._looked_at()))

    @property
    def drawn(self) -> bool:
        """Whether there is more than an empty screen, or an empty window on it."""
        return self.colours >= _LEAST_COLOURS

    def is_like(self, other: "Shown") -> bool:
        """Whether nothing opened, closed or faded between the two."""
        mine, theirs = self._looked_at(), other._looked_at()
        if len(mine) != len(theirs):
            return False
        changed = sum(a != b for a, b in zip(mine, theirs, strict=True))
        return changed <= _MOST_ASTRAY * len(mine)

    def _looked_at(self) -> "list[bytes]":
        return [self.pixels[at : at + 3] for at in range(0, len(self.pixels), 3 * _EVERY)]

    def as_png(self) -> bytes:
        row = self.wide * 3
        rows = (self.pixels[at : at + row] for at in range(0, len(self.pixels), row))
        packed = zlib.compress(b"".join(b"\0" + each for each in rows), 6)
        size = struct.pack(">2I5B", self.wide, self.high, 8, 2, 0, 0, 0)
        chunks = ((b"IHDR", size), (b"IDAT", packed), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def shown_in(file: Path) -> Shown:
    """Of a file in the format of `xwd`, with 32 bits for each pixel."""
    data = file.read_bytes()
    fields = _HEADER.unpack_from(data)
    head, wide, high, low_first, bits, row = (fields[at] for at in (0, 4, 5, 7, 11, 12))
    if bits != 32 or low_first != 0:
        raise ValueError(f"{bits} bits for each pixel, in an order that nobody expected")
    start = head + fields[19] * _COLOUR_BYTES
    lines = (data[start + row * line : start + row * line + wide * 4] for line in range(high))
    raw = b"".join(lines)
    pixels = bytearray(wide * high * 3)
    for channel in range(3):
        pixels[channel::3] = raw[2 - channel :: 4]
    return Shown(wide, high, bytes(pixels))


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)
