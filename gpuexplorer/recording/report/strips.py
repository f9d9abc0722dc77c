"""Strips: what many cards did, a row of colours for each, as a picture in the page."""

import base64
import struct
import zlib
from collections.abc import Sequence
from html import escape

from gpuexplorer.core.html_page import theme_colours
from gpuexplorer.core.words import tr
from gpuexplorer.recording.report.card_sums import CardSums
from gpuexplorer.recording.report.courses import COLUMNS, Courses, Step

Lines = Sequence[tuple[CardSums, Sequence[Step]]]  # what each card did
_LEVELS = 48
_EXPONENT = 1.15  # as the window's strips have it
_HIGH, _LEAST, _MOST = 400, 4, 14  # pixels: of all rows, and of one


def strip(
    courses: Courses, lines: Lines, cards: Sequence[CardSums], top: float, highest: str
) -> str:
    """Where nothing was read there is no colour. `highest`: what the full colour stands for."""
    steps = {card.number: each for card, each in lines}
    rows = [_row(courses, steps.get(card.number, ()), top) for card in cards]
    light, dark = (_url(rows, theme) for theme in ("light", "dark"))
    each = max(_LEAST, min(_MOST, _HIGH // len(cards)))
    every = -(-12 // each)  # rows from one number to the next
    numbers = "".join(
        f'<span style="top:{at * each}px">{escape(card.number)}</span>'
        for at, card in enumerate(cards)
        if at % every == 0
    )
    alone = tr("the darker the more, up to {highest}", highest=highest)
    return (
        f'<div class="numbers">{numbers}</div><picture>'
        f'<source media="screen and (prefers-color-scheme:dark)" srcset="{dark}">'
        f'<img class="strip" style="height:{each * len(cards)}px" src="{light}"'
        f' alt="{escape(alone)}"></picture><p class="scale"><i></i>{escape(highest)}</p>'
    )


def _row(courses: Courses, steps: Sequence[Step], top: float) -> bytes:
    row = bytearray(COLUMNS)
    for step in steps:
        first = min(COLUMNS - 1, int(courses.share(step.begin) * COLUMNS))
        last = max(first + 1, round(courses.share(step.end) * COLUMNS))
        share = min(1.0, max(0.0, step.mean / top)) ** _EXPONENT
        row[first:last] = bytes([1 + round(share * (_LEVELS - 1))]) * (last - first)
    return bytes(row)


def _url(rows: Sequence[bytes], theme: str) -> str:
    """A PNG of one pixel for each column and card; the first of its colours is none."""
    colours = theme_colours(theme)
    low, high = (bytes.fromhex(colours[f"heat-{end}"][1:]) for end in ("low", "high"))
    palette = bytes(3) + b"".join(
        bytes(round(a + (b - a) * at / (_LEVELS - 1)) for a, b in zip(low, high, strict=True))
        for at in range(_LEVELS)
    )
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", COLUMNS, len(rows), 8, 3, 0, 0, 0)),
        (b"PLTE", palette),
        (b"tRNS", b"\0"),
        (b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows), 9)),
        (b"IEND", b""),
    )
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"
