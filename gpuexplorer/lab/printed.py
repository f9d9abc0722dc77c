"""What is printed, as far as a person is shown it."""

import re
import time
from collections.abc import Callable, Sequence

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Failed

MOST_PRINTED = 200_000  # letters of one cell, or of a program at once
PRINTED_RATE = 20_000  # letters a second that a program may go on with
_LAST = 4_000  # letters that are shown at the end all the same


class Flow:
    """Lets through what a program prints, for however long it runs. Of what comes faster than
    it can be shown the end alone is kept.
    """

    def __init__(self, clock: "Callable[[], float]" = time.monotonic) -> None:
        self._clock = clock
        self._room = float(MOST_PRINTED)
        self._at = clock()
        self._held = ""  # the end of what is left out

    def take(self, text: str) -> "Sequence[str]":
        """What is shown for it, a sentence of the lab's own among it."""
        now, text = self._clock(), overwritten(text)
        self._room = min(MOST_PRINTED, self._room + PRINTED_RATE * (now - self._at))
        self._at = now
        room = 0 if self._held and self._room < PRINTED_RATE else int(self._room)
        shown, rest = text[:room], text[room:]
        # A line that is written over and over, as by a progress bar, fills nothing.
        if "\n" in shown or "\r" not in shown:
            self._room -= len(shown)
        cut = ""
        if rest and not self._held:
            cut = Message("This prints faster than the lab shows: some is left out.")
        self._held = (self._held + rest)[-_LAST:] if rest else ""
        return [each for each in (shown, cut) if each]

    def finish(self) -> "Sequence[str]":
        """The end of what was left out last: a result, or an error."""
        return [self._held] if self._held else []


def overwritten(text: str) -> str:
    """Without what a line wrote and took back itself, as progress bars do."""
    if "\r" not in text:
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(
        each if "\r" not in each[1:] else "\r" + each.rstrip("\r").rpartition("\r")[2]
        for each in lines
    )


_LONGEST_ROW = 2000
# Colours and movements of a terminal, and letters that are layout to Qt.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\].*?(?:\x07|\x1b\\)|.)")
_STRANGE = {
    **dict.fromkeys((*range(9), *range(14, 32), 127), "␦"),
    **dict.fromkeys((11, 12), " "),
    **dict.fromkeys((133, 8232, 8233), "␤"),
    **dict.fromkeys((64976, 64977, 65532, 65279), "�"),
}


def error_words(failed: Failed) -> str:
    """PyTorch's own message, with the type of the error before it."""
    if failed.message:
        return f"{failed.error}: {failed.message}"
    return "" if failed.error in ("", "Trouble", "Cancelled") else failed.error


def clean(text: str) -> str:
    """As a terminal would show it, without what would be layout here."""
    text = _ESCAPES.sub("", text) if "\x1b" in text else text
    text = overwritten(text).replace("\r", "")
    return text.translate(_STRANGE)


def shortened(row: str) -> str:
    """Laying out a row takes longer than it is long."""
    return row if len(row) <= _LONGEST_ROW else f"{row[:_LONGEST_ROW]} …"
