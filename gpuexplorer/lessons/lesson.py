"""Lesson: what a lesson's file says, step by step, or what is wrong with it; and what it can
point at in the window. Plain values that know no lab.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark

LESSON_FILE = "lesson.md"
WEB = ("http://", "https://", "mailto:")  # where a link may lead
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
    words: str = ""  # what is told where it is not true; or what a limit is


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
    limit: Expression | None = None  # what the hardware could do at best
    real: bool = False  # computed or measured for real also where the cards are simulated
    # Or choices: which of them is right, counted from 0.
    choices: Sequence[str] = ()
    right: int = -1


@dataclass(frozen=True)
class Check:
    """What must be true to go on, in order; the first that is not is told."""

    line: int
    conditions: Sequence[Expression]


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
    needs: Sequence[Expression] = ()  # one that is not true: the step is skipped, and told why

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


class Problem(NamedTuple):
    line: int  # 0: it is the whole file's
    sentence: Message
    cure: Message


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


# What can be shown, by its object name in the window, in words that are read after "Show me".
CONTROLS = {
    "overview": mark("the overview"),
    "card": mark("the screen of one card"),
    "processes": mark("the processes"),
    "topology": mark("the topology"),
    "events": mark("the events"),
    "lab": mark("the lab"),
    "copies": mark("the copies"),
    "rail": mark("the screens at the left"),
    "rail.devices": mark("the cards at the left"),
    "rail.python": mark("which Python runs the lab"),
    "top.source": mark("where the figures come from"),
    "top.time": mark("how much time the plots show"),
    "top.pause": mark("what holds the plots still"),
    "top.search": mark("where one searches all commands"),
    "overview.curves": mark("the curves of all cards"),
    "overview.tiles": mark("the cards' tiles"),
    "overview.processes": mark("the programs on the cards"),
    "overview.events": mark("what happened last"),
    "card.cards": mark("where one chooses the card"),
    "card.memory": mark("what fills the card's memory"),
    "card.plots": mark("the card's plots"),
    "card.facts": mark("the facts about the card"),
    "processes.table": mark("the table of processes"),
    "topology.machine": mark("how the machine is wired"),
    "topology.matrix": mark("the table of connections"),
    "topology.facts": mark("what is known of the chosen part"),
    "events.table": mark("the list of events"),
    "lab.editor": mark("where one types a cell"),
    "lab.cells": mark("the cells with what each took and copied"),
    "lab.bench": mark("the shelves of the devices"),
    "lab.forms": mark("the forms that write cells"),
    "lab.strips": mark("the cards' curves below the lab"),
    "lab.switches": mark("the menu of the lab's switches"),
    "lab.release": mark("what gives the cards back"),
    "lab.open": mark("where a program or notebook is opened"),
    "lab.watch": mark("where a program is watched"),
    "lab.save": mark("where the session is saved"),
    "copies.copies": mark("the page of single copies"),
    "copies.matrix": mark("the page that measures all pairs"),
    "copies.sweep": mark("the page that compares ways"),
    "copies.datasheet": mark("the page of datasheets and prices"),
}


def screen_of(control: str) -> str:
    """Empty where it is there without a screen, as the rail is."""
    screen = control.partition(".")[0]
    return "" if screen in ("rail", "top") else screen
