"""What a cell printed, raised and took, as text that can be shown."""

import re

from gpuexplorer.core.units import duration, seconds_words
from gpuexplorer.core.words import tr
from gpuexplorer.lab.events import Failed
from gpuexplorer.lab.ledger import Cell

_LONGEST_ROW = 2000
_MOST_DEVICES = 3
# Colours and movements of a terminal, and letters that are layout to Qt.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\].*?(?:\x07|\x1b\\)|.)")
_STRANGE = {
    **dict.fromkeys((*range(9), *range(14, 32), 127), "␦"),
    **dict.fromkeys((11, 12), " "),
    **dict.fromkeys((133, 8232, 8233), "␤"),
    **dict.fromkeys((64976, 64977, 65532, 65279), "�"),
}


def time_words(cell: Cell) -> list[str]:
    """Short labels: how long the cards worked, how long the host, and how that was taken."""
    finished, failed = cell.finished, cell.failed
    if finished is None:
        if failed is None or failed.host_seconds is None:
            return []
        host = tr("host {time}", time=duration(failed.host_seconds))
        return [host, tr("modelled")] if failed.modelled else [host]
    said = []
    busy = sorted(finished.busy, key=lambda each: -each[1])
    if len(busy) == 1 and finished.device_seconds is not None:
        busy = [(busy[0][0], finished.device_seconds)]
    if busy:
        said += [f"{name} {duration(seconds)}" for name, seconds in busy[:_MOST_DEVICES]]
    elif finished.device_seconds is not None:
        said.append(tr("device {time}", time=duration(finished.device_seconds)))
    said.append(tr("host {time}", time=duration(finished.host_seconds)))
    if finished.modelled:
        said.append(tr("modelled"))
    if not finished.watched:
        said.append(tr("not watched"))
    elif finished.watch_seconds:
        watching = seconds_words(finished.watch_seconds)
        said.append(tr("of which watching about {time}", time=watching))
    return said


def error_words(failed: Failed) -> str:
    """PyTorch's own message, with the type of the error before it."""
    if failed.message:
        return f"{failed.error}: {failed.message}"
    return "" if failed.error in ("", "Trouble", "Cancelled") else failed.error


def clean(text: str) -> str:
    """As a terminal would show it, without what would be layout here."""
    text = _ESCAPES.sub("", text) if "\x1b" in text else text
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        text = "\n".join(
            next((part for part in reversed(row.split("\r")) if part), "")
            for row in text.split("\n")
        )
    return text.translate(_STRANGE)


def shortened(row: str) -> str:
    """Laying out a row takes longer than it is long."""
    return row if len(row) <= _LONGEST_ROW else f"{row[:_LONGEST_ROW]} …"
