"""CopyColumns: what can be told of a copy, in the order in which it is offered."""

from typing import Any

from gpuexplorer.core.words import tr
from gpuexplorer.gui.tables.column import Column
from gpuexplorer.gui.views.copies.moving.copy_cells import CopyCells
from gpuexplorer.gui.wording.copies.moving.cells import path_words
from gpuexplorer.gui.wording.copies.moving.moved import Moved

LINE = "line"


def copy_columns(cells: CopyCells) -> list[Column[Moved]]:
    """Repeats are one row: their bytes and times are told all together."""
    return [
        Column(
            LINE,
            tr("Line"),
            cells.line,
            lambda moved: moved.numbers[0],  # in the order of lines, and of copies within one
            tr("The line of the lab that copied; in dashes where nobody asked for the copy."),
            width=56,
            largest_first=True,
        ),
        Column(
            "what",
            tr("What"),
            cells.what,
            lambda moved: moved.what.lower(),
            tr("The thing that was copied, or the word that copied it."),
            width=72,
            stretches=True,
        ),
        Column(
            "way",
            tr("From, to"),
            cells.way,
            lambda moved: f"{moved.row.source} {moved.row.target}",
            tr("H is the host, a number is a card."),
            width=80,
        ),
        Column(
            "size",
            tr("Size"),
            cells.size,
            lambda moved: moved.row.bytes,
            tr("Bytes, of repeats all together."),
            **_figure(74, kept=12),
        ),
        Column(
            "device",
            tr("Device ms"),
            cells.device,
            lambda moved: moved.row.device_seconds,
            tr("How long the device's engine took, of repeats all together."),
            **_figure(76, kept=11),
        ),
        Column(
            "host",
            tr("Host ms"),
            cells.host,
            lambda moved: moved.row.host_seconds,
            tr("For how long Python was kept, of repeats all together."),
            **_figure(66, kept=10),
        ),
        Column(
            "rate",
            tr("GB/s"),
            cells.rate,
            lambda moved: moved.row.rate,
            tr(
                "Bytes by the device's time. Of less than 64 KiB there is none: all is latency."
            ),
            **_figure(54, kept=13),
        ),
        Column(
            "share",
            tr("Of limit, %"),
            cells.share,
            lambda moved: moved.row.share,
            tr("Of what the narrowest wire of the way could carry in theory."),
            **_figure(96, kept=9),
        ),
        Column(
            "best",
            tr("Of best, %"),
            cells.best,
            cells.of_best,
            tr("Of the best rate that was reached on this way in this session."),
            **_figure(74, kept=3),
        ),
        Column(
            "host_side",
            tr("Host side"),
            cells.host_side,
            lambda moved: tr(moved.row.host_side) or None,
            tr(
                "Whether the host's memory was pinned. "
                "From pageable memory the driver copies twice."
            ),
            width=78,
            kept=6,
        ),
        Column(
            "path",
            tr("Path"),
            cells.path,
            lambda moved: path_words(moved)[0] or None,
            tr("The way of the bytes, and how often they went it."),
            width=106,
            kept=8,
        ),
        Column(
            "blocking",
            tr("Waited"),
            cells.waited,
            lambda moved: moved.row.transfer.blocking,
            tr("Whether Python waited until the bytes had arrived."),
            width=62,
            kept=2,
        ),
        Column(
            "intact",
            tr("Intact"),
            cells.intact,
            # What is wrong comes first of what was checked.
            lambda moved: None if moved.row.intact is None else not moved.row.intact,
            tr("Whether what arrived was compared with what was sent, and was the same."),
            width=68,
            kept=14,  # WRONG is seen in any case
        ),
    ]


def _figure(width: int, kept: int) -> dict[str, Any]:
    return {"width": width, "kept": kept, "right": True, "largest_first": True}
