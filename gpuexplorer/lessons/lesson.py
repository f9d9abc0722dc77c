"""Lesson: what a lesson's file says, step by step; plain values that know no lab."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LESSON_FILE = "lesson.md"
# What a lesson may need; nothing of it where it says "none".
NEEDS = ("pytorch", "card", "two cards")


@dataclass(frozen=True)
class Text:
    """Markdown between two blocks, as it stands in the file."""

    line: int
    markdown: str


@dataclass(frozen=True)
class Code:
    """A cell that the reader runs."""

    line: int
    source: str
    fails: bool = False  # it is there to be seen failing; that it succeeds would be wrong


@dataclass(frozen=True)
class Expression:
    """Python over what the lab and the cards said."""

    line: int
    source: str


@dataclass(frozen=True)
class Condition:
    """What must be true, and what is told where it is not."""

    expression: Expression
    otherwise: str = ""


@dataclass(frozen=True)
class Limit:
    """What the hardware could do at best, beside what was predicted and measured."""

    expression: Expression
    name: str  # "what PCIe 4.0 x16 can carry"


@dataclass(frozen=True)
class Predict:
    """Asks for a number, or for one of several choices, before the cells behind it run."""

    line: int
    question: str
    # A number: what was measured, in that unit; and how far one may be off.
    number: Expression | None = None
    unit: str = ""
    within: float = 0.2  # a share of what was measured, more or less
    factor: float = 0.0  # or, where it is said: so many times as much, or as little
    limit: Limit | None = None
    real: bool = False  # computed or measured for real also where the cards are simulated
    # Or choices: which of them is right, counted from 0.
    choices: Sequence[str] = ()
    right: int = -1


@dataclass(frozen=True)
class Check:
    """What must be true to go on, in order; the first that is not is told."""

    line: int
    conditions: Sequence[Condition]


@dataclass(frozen=True)
class Point:
    """A control of the window that is highlighted, by its name."""

    line: int
    control: str


@dataclass(frozen=True)
class Why:
    """Unfolds when somebody asks why."""

    line: int
    question: str
    markdown: str


Part = Text | Code | Predict | Check | Point | Why


@dataclass(frozen=True)
class Step:
    """A heading, and what stands under it."""

    line: int
    title: str
    parts: Sequence[Part]
    needs: Sequence[Condition] = ()  # one that is not met: the step is skipped, and told why
    heading: str = ""  # its title as Markdown

    @property
    def cells(self) -> Sequence[Code]:
        return [each for each in self.parts if isinstance(each, Code)]


@dataclass(frozen=True)
class Lesson:
    """`name` is its folder's: "04-tensors"; `outside`: it did not come with the program."""

    name: str
    title: str
    minutes: int
    needs: Sequence[str]  # words of NEEDS, such as "pytorch"
    about: str  # Markdown before the first step
    steps: Sequence[Step]
    file: Path
    outside: bool = False
    heading: str = ""  # its title as Markdown
