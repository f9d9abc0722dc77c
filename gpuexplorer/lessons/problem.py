"""Problem: what is wrong with a lesson's file, in which line, and what to do about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark


@dataclass(frozen=True)
class Problem:
    line: int  # 0: it is the whole file's
    sentence: Message
    cure: Message


class Problems:
    """Collects them while a file is read: a teacher wants to know of all at once."""

    def __init__(self) -> None:
        self._found: dict[Problem, None] = {}

    @property
    def found(self) -> list[Problem]:
        return sorted(self._found, key=lambda each: each.line)

    def wrong(self, template: str, cure: str, line: int, /, **values: object) -> None:
        """Both are templates, filled in with the same values."""
        self._found[Problem(line, Message(template, **values), Message(cure, **values))] = None


class LessonError(Trouble):
    """A lesson cannot be read. Its sentence is about the first problem; `problems` are all."""

    def __init__(self, file: Path | str, problems: Sequence[Problem]) -> None:
        self.file, self.problems = file, problems
        first = problems[0]
        with_line, without = mark("{file}, line {line}: {problem}"), mark("{file}: {problem}")
        super().__init__(
            with_line if first.line else without,
            first.cure,
            file=str(file),
            line=first.line,
            problem=first.sentence,
        )

    @classmethod
    def wrong(
        cls, template: str, cure: str, file: Path | str, line: int = 0, /, **values: object
    ) -> "LessonError":
        """Of one problem that hides all others."""
        return cls(file, [Problem(line, Message(template, **values), Message(cure, **values))])
