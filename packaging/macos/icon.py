"""The icon as macOS keeps it: one file with a picture for each size, at one and at two pixels a
point.
"""

from collections.abc import Iterator
from pathlib import Path

from program_icon import as_png, be32, channels, fitting

# Pixels of each kind that is a PNG; the lower half of these is a smaller icon at two pixels.
PNG_KINDS = {
    b"ic07": 128,
    b"ic08": 256,
    b"ic09": 512,
    b"ic10": 1024,
    b"ic11": 32,
    b"ic12": 64,
    b"ic13": 256,
    b"ic14": 512,
}
# The two smallest at one pixel a point are not shown by the Dock where they are PNG.
PLAIN_KINDS = {(b"is32", b"s8mk"): 16, (b"il32", b"l8mk"): 32}


def write_icon(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(icon())
    return path


def icon() -> bytes:
    body = b"".join(kind + be32(8 + len(content)) + content for kind, content in _pictures())
    return b"icns" + be32(8 + len(body)) + body


def _pictures() -> Iterator[tuple[bytes, bytes]]:
    for (colours, mask), side in PLAIN_KINDS.items():
        alpha, *planes = channels(fitting(side))
        yield colours, b"".join(map(packed, planes))
        yield mask, alpha
    for kind, side in PNG_KINDS.items():
        yield kind, as_png(fitting(side))


def packed(plane: bytes) -> bytes:
    """Runs of 3 to 130 equal bytes as two; between them, up to 128 bytes as they are."""
    out = bytearray()
    plain = bytearray()
    at = 0
    while at < len(plane):
        run = 1
        while run < 130 and plane[at + run : at + run + 1] == plane[at : at + 1]:
            run += 1
        if run >= 3:
            _write_plain(out, plain)
            out += bytes((run + 125, plane[at]))
        else:
            plain += plane[at : at + run]
        at += run
    _write_plain(out, plain)
    return bytes(out)


def _write_plain(out: bytearray, plain: bytearray) -> None:
    for start in range(0, len(plain), 128):
        piece = plain[start : start + 128]
        out.append(len(piece) - 1)
        out += piece
    plain.clear()
