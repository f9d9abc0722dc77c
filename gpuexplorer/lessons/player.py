"""Player: how far somebody came in a lesson, and what came of each of its parts."""

import json
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import Began, Evaluated, Event, Failed, Finished, Worth
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lab.printed import error_words
from gpuexplorer.lessons.lesson import Check, Code, Lesson, Part, Predict, Step, Text, Why
from gpuexplorer.lessons.values import (
    Checked,
    Prediction,
    Readings,
    Revealed,
    Rig,
    checked,
    predicted,
    revealed,
    values_of,
)

NEVER_MEANT = ("cancelled", "worker lost")  # causes of a failure
_STOPPED = Message("The cell was stopped before its end. It can be run again.")


class StepState(StrEnum):
    AHEAD = "ahead"
    BEGUN = "begun"
    DONE = "done"
    FAILED = "failed"  # a check did not hold, or a cell failed that should not, or the reverse
    SKIPPED = "skipped"


@dataclass
class StepPlay:
    """What came of one step's parts, by the part's line in the file."""

    step: Step
    state: StepState = StepState.AHEAD
    reason: str = ""  # why it was skipped, or which cell failed
    predictions: dict[int, Prediction] = field(default_factory=dict)
    revealed: dict[int, Revealed] = field(default_factory=dict)
    checked: dict[int, Checked] = field(default_factory=dict)
    before: Readings | None = None  # as its first cell began

    @property
    def held_back(self) -> Sequence[Part]:
        """What would give an answer away: the texts behind an open question, or behind the
        first of the cells that answer it.
        """
        held: list[Part] = []
        if self.state in (StepState.DONE, StepState.SKIPPED):
            return held
        questions = [each for each in self.step.parts if isinstance(each, Predict)]
        for each in questions:
            if each.line not in self.revealed:
                begin = next((cell.line for cell in behind(self.step, each)), each.line)
                end = next((e.line for e in questions if e.line > begin), math.inf)
                texts = [e for e in self.step.parts if isinstance(e, Text | Why)]
                held += [e for e in texts if begin < e.line < end]
        return held


@dataclass(frozen=True)
class Kept:
    """What is remembered of a lesson that somebody began. Steps are known by their titles: a
    lesson may be edited meanwhile.
    """

    at: int = 0
    states: Mapping[str, StepState] = field(default_factory=dict)


def kept_of(text: str) -> Kept | None:
    """None for what cannot be read."""
    try:
        said = json.loads(text)
        states = {title: StepState(each) for title, each in said["states"].items()}
        return Kept(int(said["at"]), states)
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


@dataclass
class _Asked:
    """What the worker is to work out, once the cards are read."""

    sources: Sequence[str]
    take: Callable[[Sequence[Worth]], None]
    command: int | None = None
    life: float = math.inf  # of the ledger, in which it can be answered


class Player:
    """Leads through a lesson. Nothing runs before somebody asks for it: `go` enters a step."""

    def __init__(self, lesson: Lesson, rig: Rig, kept: Kept | None = None) -> None:
        self.lesson = lesson
        self.steps = [StepPlay(each) for each in lesson.steps]
        self.at = 0
        self.must_ask = lesson.outside  # nobody has allowed its cells yet
        # Called when anything changed here; set by whoever shows it.
        self.changed: Callable[[], object] = tuple
        # By the lines of cells: the command numbers of their latest runs.
        self.cells: dict[int, int] = {}
        self._rig = rig
        self._queue: deque[Code] = deque()
        self._asked: _Asked | None = None  # of an earlier one nobody waits any more
        self._shown: set[int] = set()  # predictions that are revealed though nobody predicted
        if kept is not None:
            self.at = max(0, min(kept.at, len(self.steps) - 1))
            for each in self.steps:  # what was begun begins anew, in another session
                if kept.states.get(each.step.title) is StepState.DONE:
                    each.state = StepState.DONE

    @property
    def step(self) -> StepPlay:
        return self.steps[self.at]

    @property
    def kept(self) -> Kept:
        return Kept(self.at, {each.step.title: each.state for each in self.steps})

    @property
    def replay_needed(self) -> Sequence[Code]:
        """Cells of the steps before, whose names are not in the session: nobody ran them, or
        what they made went with its worker.
        """
        cells, life = self._rig.ledger.cells, self._rig.ledger.life
        there = {e.code.strip() for e in cells if e.state == "done" and e.life == life}
        return [
            part
            for step in self.steps[: self.at]
            if step.state not in (StepState.AHEAD, StepState.SKIPPED) or not step.step.needs
            for part in step.step.cells
            if not part.fails and part.source.strip() not in there
        ]

    def go(self, at: int) -> None:
        """Also over what is not done: nobody is locked in."""
        if at > self.at:
            self._close(leaving=True)
        self.at = at
        self._queue.clear()
        self._asked = None
        if self.step.state is StepState.SKIPPED:
            self.step.state = StepState.AHEAD
        self._go_on()

    def predict(self, part: Predict, said: str) -> None:
        """A number, or a choice's words or its number from 1. Raises Trouble for others."""
        if part.line in self.step.revealed:
            raise Trouble(
                "What was measured is shown already.", "To predict anew, run the cells again."
            )
        self.step.predictions[part.line] = predicted(part, said)
        self._go_on()

    def reveal(self, part: Predict) -> None:
        """Without a prediction, where no cell behind it will reveal it."""
        self._shown.add(part.line)
        self._go_on()

    def run(self, *cells: Code) -> None:
        """One after another, up to one that fails. Raises Trouble before it is allowed."""
        if self.must_ask:
            raise Trouble(
                "This lesson did not come with the program, and nobody has said yet that its"
                " cells may run.",
                "Read them, and allow it.",
            )
        self._queue.extend(cells)
        self._go_on()

    def check_again(self) -> None:
        """On what the lab and the cards say now."""
        step = self.step
        step.checked = {line: each for line, each in step.checked.items() if each.held}
        if step.state is StepState.FAILED:
            step.state = StepState.BEGUN
        self._asked = None
        self._go_on()

    def allow(self) -> None:
        """A person said that the cells of this lesson may run."""
        self.must_ask = False
        self._go_on()

    def apply(self, event: Event) -> None:
        """Each event of the lab, once the ledger knows of it."""
        asked = self._asked
        match event:
            case Evaluated() | Failed() if asked is not None and event.id == asked.command:
                self._asked = None
                why = (Worth(error=event.told),) if isinstance(event, Failed) else ()
                worths = event.worths if isinstance(event, Evaluated) else why
                # What was given up before its turn says why, as the last one did.
                last = worths[-1] if worths and worths[-1].error else Worth(error=_STOPPED)
                asked.take([*worths, *[last] * (len(asked.sources) - len(worths))])
            case Began():
                self._take_beginning(event.id)
            case Finished() | Failed():
                self._take_end(event.id)

    def cell(self, part: Code) -> Cell | None:
        """What the ledger has of it."""
        command = self.cells.get(part.line)
        return None if command is None else self._rig.ledger.cell(command)

    def gone(self, part: Code) -> bool:
        """It ran, and what it made went with its worker."""
        cell = self.cell(part)
        return cell is not None and self._rig.ledger.gone(cell)

    def next_cell(self) -> Code | None:
        """The first of this step that has not run, or not as it should."""
        if self.step.state is StepState.DONE:
            return None
        return next((each for each in self.step.step.cells if not self._is_right(each)), None)

    def busy(self) -> bool:
        """A cell waits or runs, or something is being worked out."""
        return bool(self._queue) or self._waits()

    def _go_on(self) -> None:
        """What comes next, where nothing else is being done."""
        if not self._waits():
            self._do_next()
        self.changed()

    def _do_next(self) -> None:
        step = self.step
        cells, needs = step.step.cells, step.step.needs
        over = step.state in (StepState.DONE, StepState.SKIPPED)
        due = [each for each in step.step.parts if self._is_due(each)]
        if step.state is StepState.AHEAD:
            if not (needs and self.must_ask):
                self._ask([each.source for each in needs], self._begin, anew=bool(cells))
        elif due and not (over or self.must_ask):
            sources = [each for part in due for each in sources_of(part)]
            self._ask(sources, lambda worths: self._take_due(due, worths))
        elif self._queue:
            part = self._queue.popleft()
            begins = part in cells and (part is cells[0] or not any(map(self._is_right, cells)))

            def start(_: object) -> None:
                self.cells[part.line] = self._rig.run(part.source)

            self._ask((), start, anew=begins)
        else:
            self._close()

    def _begin(self, worths: Sequence[Worth]) -> None:
        step = self.step
        step.state, step.reason = StepState.BEGUN, ""
        for need, worth in zip(step.step.needs, worths, strict=True):
            if not worth.truth:
                step.state, step.reason = StepState.SKIPPED, told(need.words, worth.error)
                break
        self._go_on()

    def _waits(self) -> bool:
        """For a reading, for an answer of a worker that is still there, or for a cell."""
        if self._asked is not None and self._rig.ledger.life > self._asked.life:
            self._asked = None
        cells = [self.cell(part) for step in self.steps for part in step.step.cells]
        runs = any(each is not None and each.state in ("waiting", "running") for each in cells)
        return self._asked is not None or runs

    def _is_right(self, part: Code) -> bool:
        """It ran in the session there is, and came to the end that the lesson means."""
        cell = self.cell(part)
        if cell is None or cell.life != self._rig.ledger.life:
            return False
        if cell.state == "failed" and cell.failed is not None:
            return part.fails and cell.failed.cause not in NEVER_MEANT
        return cell.state == "done" and not part.fails

    def _is_open(self, part: Part) -> bool:
        if isinstance(part, Code):
            return not self._is_right(part)
        return part.line not in {*self.step.revealed, *self.step.checked}

    def _is_due(self, part: Part) -> bool:
        """Whether it can be worked out, and is not yet."""
        step = self.step.step
        if not isinstance(part, Check | Predict) or not self._is_open(part):
            return False
        cells = [each for each in step.cells if each.line < part.line]
        if isinstance(part, Predict) and not (cells := behind(step, part)):
            return part.line in {*self.step.predictions, *self._shown}
        return all(map(self._is_right, cells))

    def _take_due(self, due: Sequence[Part], worths: Sequence[Worth]) -> None:
        step, left = self.step, iter(worths)
        for part in due:
            its = [next(left) for _ in sources_of(part)]
            if isinstance(part, Predict):
                modelled = self._rig.simulated and not part.real
                said = step.predictions.get(part.line)
                step.revealed[part.line] = revealed(part, said, its, modelled=modelled)
            elif isinstance(part, Check):
                step.checked[part.line] = checked(part, its)
        if not all(each.held for each in step.checked.values()):
            self._queue.clear()
        self._go_on()

    def _close(self, *, leaving: bool = False) -> None:
        """What one only reads, or could predict, is done when one goes on behind it."""
        step = self.step
        if step.state is not StepState.BEGUN:
            return
        tasks = [e for e in step.step.parts if isinstance(e, Code | Check | Predict)]
        left = [each for each in tasks if self._is_open(each)]
        faults = [each.fault for each in step.revealed.values() if each.fault]
        if faults:
            fault = Message("Line {line} of the lesson is at fault.", line=faults[0])
            step.state, step.reason = StepState.FAILED, fault
        elif any(not each.held for each in step.checked.values()):
            step.state = StepState.FAILED
        elif all(isinstance(each, Predict) for each in left) if leaving else not left:
            last = self.at == len(self.steps) - 1
            step.state = StepState.DONE if leaving or last or tasks else step.state

    def _ask(
        self,
        sources: Sequence[str],
        take: Callable[[Sequence[Worth]], None],
        *,
        anew: bool = False,
    ) -> None:
        """The worker works the sources out on what the cards say now. `anew`: what they say is
        what they said before the step's first cell.
        """
        step, rig = self.step, self._rig
        asked = self._asked = _Asked(sources, take)

        def read(readings: Readings) -> None:
            if self._asked is not asked:
                return
            now = replace(readings, memory=dict(rig.ledger.memory))
            before = step.before = now if anew or step.before is None else step.before
            if sources:
                cells = [cell for each in step.step.cells if (cell := self.cell(each))]
                # A worker that is yet to start begins another life of the ledger.
                asked.life = rig.ledger.life + (rig.ledger.hello is None)
                asked.command = rig.evaluate(sources, values_of(rig, cells, now, before))
            else:
                self._asked = None
                take(())

        if sources or anew:
            rig.measure(read)
        else:
            self._asked = None
            take(())

    def _take_beginning(self, command: int) -> None:
        step, part, following = self.step, self._part(command), self.next_cell()
        cell = self._rig.ledger.cell(command)
        code = cell.code.strip() if cell is not None and part is None else None
        if following is not None and code == following.source.strip():  # typed by hand
            part, self.cells[following.line] = following, command
        if part is None or part not in step.step.cells:
            return
        # What came of the parts behind it is taken back, as it runs again.
        self._asked = None
        step.state, step.reason = StepState.BEGUN, ""
        for each in step.step.parts:
            after = each.line > part.line
            if after or (isinstance(each, Predict) and part in behind(step.step, each)):
                step.revealed.pop(each.line, None)
                self._shown.discard(each.line)
            if after:
                step.checked.pop(each.line, None)
                self.cells.pop(each.line, None)
        self.changed()

    def _take_end(self, command: int) -> None:
        cell, part = self._rig.ledger.cell(command), self._part(command)
        if cell is None or part is None:
            return
        step, failed = self.step, cell.failed
        if not self._is_right(part):
            self._queue.clear()
            if part in step.step.cells and not self._rig.ledger.gone(cell):
                step.state = StepState.FAILED
                if failed is None:
                    step.reason = Message(
                        "This cell is meant to fail, but it succeeded. Run the cells of this"
                        " step again, in order."
                    )
                elif failed.cause == "cancelled":
                    step.reason = _STOPPED
                else:
                    words = error_words(failed).partition("\n")[0].rstrip(".!")
                    why = Message("The cell failed: {error}.", error=words) if words else ""
                    step.reason = told(why, failed.told)
        self._go_on()

    def _part(self, command: int) -> Code | None:
        """Which of the lesson's cells that is."""
        cells = (part for step in self.steps for part in step.step.cells)
        return next((e for e in cells if self.cells.get(e.line) == command), None)


def sources_of(part: Part) -> Sequence[str]:
    """The expressions that have to be worked out for it; none for a choice."""
    match part:
        case Check(conditions=conditions):
            return [each.source for each in conditions]
        case Predict(number=number, limit=limit):
            return [each.source for each in (number, limit) if each is not None]
    return []


def behind(step: Step, predict: Predict) -> list[Code]:
    """The cells up to the next prediction; those that follow each other share theirs."""
    found: list[Code] = []
    for each in step.parts:
        if isinstance(each, Predict) and found:
            break
        if isinstance(each, Code) and each.line > predict.line:
            found.append(each)
    return found
