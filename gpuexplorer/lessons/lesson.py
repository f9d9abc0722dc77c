"""Lesson: what a lesson's file says, step by step, or what is wrong with it; and what it can
point at in the window. Plain values that know no lab.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True)
class Control:
    """`words` are read after "Show me". Without a screen it is always there. `place` is the
    object name in the window, where that is not the name itself.
    """

    words: str
    screen: str = ""
    place: str = ""


CONTROLS: Mapping[str, Control] = {
    "overview": Control(mark("the overview"), "overview"),
    "card": Control(mark("the screen of one card"), "card"),
    "processes": Control(mark("the processes"), "processes"),
    "topology": Control(mark("the topology"), "topology"),
    "events": Control(mark("the events"), "events"),
    "lab": Control(mark("the lab"), "lab"),
    "copies": Control(mark("the copies"), "copies"),
    "rail": Control(mark("the screens at the left")),
    "rail.overview": Control(mark("where the overview opens")),
    "rail.card": Control(mark("where a single card opens")),
    "rail.processes": Control(mark("where the processes open")),
    "rail.topology": Control(mark("where the topology opens")),
    "rail.events": Control(mark("where the events open")),
    "rail.lab": Control(mark("where the lab opens")),
    "rail.copies": Control(mark("where the copies open")),
    "rail.devices": Control(mark("the cards at the left")),
    "rail.python": Control(mark("which Python runs the lab")),
    "top.source": Control(mark("where the figures come from")),
    "top.time": Control(mark("how much time the plots show")),
    "top.pause": Control(mark("what holds the plots still")),
    "top.search": Control(mark("where one searches all commands")),
    "overview.curves": Control(mark("the curves of all cards"), "overview"),
    "overview.tiles": Control(mark("the cards' tiles"), "overview"),
    "overview.processes": Control(mark("the programs on the cards"), "overview"),
    "overview.events": Control(mark("what happened last"), "overview"),
    "card.cards": Control(mark("where one chooses the card"), "card"),
    "card.memory": Control(mark("what fills the card's memory"), "card"),
    "card.plots": Control(mark("the card's plots"), "card"),
    "card.facts": Control(mark("the facts about the card"), "card"),
    "processes.table": Control(mark("the table of processes"), "processes"),
    "topology.machine": Control(mark("how the machine is wired"), "topology"),
    "topology.matrix": Control(mark("the table of connections"), "topology"),
    "topology.facts": Control(mark("what is known of the chosen part"), "topology"),
    "events.table": Control(mark("the list of events"), "events"),
    "lab.editor": Control(mark("where one types a cell"), "lab"),
    "lab.run": Control(mark("where a cell is typed and run"), "lab", "lab.editor"),
    "lab.cells": Control(mark("the cells with what each took"), "lab"),
    "lab.copies": Control(mark("where a cell says what it copied"), "lab", "lab.cells"),
    "lab.bench": Control(mark("the shelves of the devices"), "lab"),
    "lab.devices": Control(mark("the devices and what lies on them"), "lab", "lab.bench"),
    "lab.memory": Control(mark("how full each device is"), "lab", "lab.bench"),
    "lab.forms": Control(mark("the forms that write cells"), "lab"),
    "lab.strips": Control(mark("the cards' curves below the lab"), "lab"),
    "lab.placement": Control(mark("the switch that tells where operations run"), "lab"),
    "lab.cap": Control(mark("the cap on the cards' memory"), "lab"),
    "lab.switches": Control(mark("more switches of the lab"), "lab"),
    "lab.visible": Control(mark("where one chooses visible cards"), "lab", "lab.switches"),
    "lab.release": Control(mark("what gives the cards back"), "lab"),
    "lab.open": Control(mark("where a program or notebook is opened"), "lab"),
    "lab.watch": Control(mark("where a program is watched"), "lab"),
    "lab.save": Control(mark("where the session is saved"), "lab"),
    "copies.copies": Control(mark("the page of single copies"), "copies"),
    "copies.matrix": Control(mark("the page that measures all pairs"), "copies"),
    "copies.sweep": Control(mark("the page that measures all sizes"), "copies"),
    "copies.comparisons": Control(mark("the page that compares ways"), "copies"),
    "copies.datasheet": Control(mark("the page of datasheets and prices"), "copies"),
}
