"""Paper: a report in columns that are as wide as their words are in this language."""

import re
import textwrap
from collections.abc import Callable, Sequence

from gpuexplorer.commands.checkup.finding import Verdict
from gpuexplorer.core.words import Message

_GAP = 2  # between a verdict, a title and a text
_WIDE = 80  # below it, no line may be longer
_NARROW = 60  # below it, text stands under its head
_STICKS = "\0"  # stands for a space at which no line may end
_COLOURS = {Verdict.FINE: "32", Verdict.LOOK: "33", Verdict.BROKEN: "31"}


class Paper:
    """`say` translates, or leaves English as it is; `words` is all that may stand first."""

    def __init__(
        self, width: int, say: Callable[[str], str], words: Sequence[Message], *, colour: bool
    ) -> None:
        self.say = say
        self._width = width
        self._colour = colour
        self._first = self.widest(words)

    def widest(self, words: Sequence[str]) -> int:
        """The room that the longest of these takes as a column."""
        return max((len(self.say(word)) for word in words), default=0) + _GAP

    def wrapped(self, text: str) -> list[str]:
        return wrapped(self.say(text), self._width)

    def columns(self, word: Message, title: Message, text: str, room: int) -> list[str]:
        first = f"{self.say(word):<{self._first}}{self.say(title):<{room}}"
        if self._width < _NARROW:
            return [first, *wrapped(self.say(text), self._width, "  ", "  ")]
        return wrapped(self.say(text), self._width, first, " " * len(first))

    def verdict(self, verdict: Verdict, title: Message, text: str, room: int) -> list[str]:
        """The same, with the verdict in its colour."""
        lines = self.columns(verdict.word, title, text, room)
        if self._colour:
            word = self.say(verdict.word)
            lines[0] = f"\x1b[{_COLOURS[verdict]}m{word}\x1b[0m{lines[0][len(word) :]}"
        return lines

    def indented(self, text: str, before: str, room: int) -> list[str]:
        """Under the text of a topic, after `before`."""
        before = f"{before} "
        if self._width < _NARROW:
            return wrapped(self.say(text), self._width, f"  {before}", "    ")
        margin = " " * (self._first + room)
        rest = margin + " " * len(before)
        return wrapped(self.say(text), self._width, margin + before, rest)


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Paths, and commands between backticks, stay whole, so that they can be copied; below
    80 columns only those that fit.
    """
    wide = width >= _WIDE
    room = width - len(rest) - len(".")

    def kept(command: re.Match[str]) -> str:
        fits = wide or len(command[0]) <= room
        return command[0].replace(" ", _STICKS) if fits else command[0]

    lines = textwrap.wrap(
        re.sub("`[^`]*`", kept, text),
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=not wide,
        break_on_hyphens=False,
    )
    return [line.replace(_STICKS, " ") for line in lines] or [first]
