"""Player: how far somebody came in a lesson, and what came of each of its parts."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, Protocol

from gpuexplorer.core.records import UnreadableError, from_text
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import Began, Evaluated, Event, Failed, Finished, Worth
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.printed import error_words
from gpuexplorer.lessons.lesson import Check, Code, Lesson, Part, Predict, Step, Text, Why
from gpuexplorer.lessons.values import (
    AT_FAULT,
    Checked,
    Prediction,
    Readings,
    Revealed,
    checked,
    predicted,
    revealed,
    values_of,
)

NEVER_MEANT = ("cancelled", "worker lost")  # causes of a failure
_STOPPED = Message("The cell was stopped before its end. It can be run again.")
_VERSION = 1


class Rig(Protocol):
    """The lab in which a lesson is played."""

    @property
    def ledger(self) -> Ledger: ...

    @property
    def simulated(self) -> bool: ...

    def run(self, code: str) -> int:
        """The command's number; what comes of it arrives by `Player.apply`."""
        ...

    def evaluate(self, sources: Sequence[str], values: Mapping[str, object]) -> int:
        """The number of an Evaluate; answered by Evaluated or Failed, by `Player.apply`."""
        ...

    def measure(self, then: Callable[[Readings], None]) -> None:
        """All cards and the host, read after now; `then` may be called at once."""
        ...

    def limit(self, source: str, target: str) -> float | None:
        """Bytes per second of the narrowest wire between two devices; None: not known."""
        ...


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
    cells: dict[int, int] = field(default_factory=dict)  # command numbers, of the latest run
    predictions: dict[int, Prediction] = field(default_factory=dict)
    revealed: dict[int, Revealed] = field(default_factory=dict)
    checked: dict[int, Checked] = field(default_factory=dict)
    before: Readings | None = None  # as its first cell began

    @property
    def predicts(self) -> Sequence[Predict]:
        return [each for each in self.step.parts if isinstance(each, Predict)]

    @property
    def held_back(self) -> Sequence[Part]:
        """What would give an answer away: the texts behind an open question, or behind the
        first of the cells that answer it.
        """
        if self.state in (StepState.DONE, StepState.SKIPPED):
            return []
        held: list[Part] = []
        texts: list[Part] = []  # behind the newest question
        cells = asked = False
        for part in self.step.parts:
            match part:
                case Predict():
                    held += texts if asked else ()
                    texts, cells, asked = [], False, part.line not in self.revealed
                case Code() if not cells:
                    texts, cells = [], True
                case Text() | Why():
                    texts.append(part)
        return held + texts if asked else held


@dataclass(frozen=True)
class Kept:
    """What is remembered of a lesson that somebody began. Steps are known by their titles: a
    lesson may be edited meanwhile.
    """

    lesson: str
    at: int = 0
    states: Mapping[str, StepState] = field(default_factory=dict)
    # By step and question.
    predictions: Mapping[str, Mapping[str, Prediction]] = field(default_factory=dict)
    version: int = _VERSION


def kept_of(text: str) -> Kept | None:
    """None for what is broken, or a newer program wrote."""
    try:
        kept: Kept = from_text(Kept, text)
    except UnreadableError:
        return None
    return kept if kept.version == _VERSION else None


class _Asked(NamedTuple):
    """What is being worked out, and in which life of the ledger it can be answered."""

    command: int
    life: int
    sources: int  # how many
    take: Callable[[Sequence[Worth]], None]


class Player:
    """Leads through a lesson. Nothing runs before somebody asks for it: `go` enters a step."""

    def __init__(self, lesson: Lesson, rig: Rig, kept: Kept | None = None) -> None:
        self.lesson = lesson
        self.steps = [StepPlay(each) for each in lesson.steps]
        self.at = 0
        self.must_ask = lesson.outside  # nobody has allowed its cells yet
        # Called when anything changed here; set by whoever shows it.
        self.changed: Callable[[], object] = tuple
        self._rig = rig
        self._queue: deque[tuple[StepPlay, Code]] = deque()
        # What is measured or worked out; of an earlier one nobody waits any more.
        self._pending: _Asked | object | None = None
        self._shown: set[int] = set()  # predictions that are revealed though nobody predicted
        if kept is not None:
            self._take_up(kept)

    @property
    def step(self) -> StepPlay:
        return self.steps[self.at]

    @property
    def kept(self) -> Kept:
        states = {each.step.title: each.state for each in self.steps}
        said = {
            each.step.title: {
                part.question: each.predictions[part.line]
                for part in each.predicts
                if part.line in each.predictions
            }
            for each in self.steps
            if each.predictions
        }
        return Kept(self.lesson.name, self.at, states, said)

    @property
    def replay_needed(self) -> Sequence[Code]:
        """Cells of earlier steps that have not run in the session there is."""
        return [part for _, part in self._missing()]

    def go(self, at: int) -> None:
        """Also over what is not done: nobody is locked in."""
        if at > self.at:
            self._close(leaving=True)
        self.at = at
        self._queue.clear()
        self._pending = None
        self._enter()
        self.changed()

    def predict(self, part: Predict, said: str) -> None:
        """A number, or a choice's words or its number from 1. Raises Trouble for others."""
        if part.line in self.step.revealed:
            raise Trouble(
                "What was measured is shown already.", "To predict anew, run the cells again."
            )
        self.step.predictions[part.line] = predicted(part, said)
        self._go_on()
        self.changed()

    def reveal(self, part: Predict) -> None:
        """Without a prediction, where no cell behind it will reveal it."""
        self._shown.add(part.line)
        self._go_on()
        self.changed()

    def run(self, part: Code) -> None:
        """At once, or when what runs is done. Raises Trouble before it is allowed."""
        self._queue_up([(self.step, part)])

    def run_next(self) -> bool:
        """The first cell of this step that has not run; False: there is none."""
        part = self.next_cell()
        if part is not None:
            self.run(part)
        return part is not None

    def replay(self) -> None:
        """Run `replay_needed`, one after another, up to one that fails."""
        self._queue_up(self._missing())

    def check_again(self) -> None:
        """On what the lab and the cards say now."""
        step = self.step
        step.checked = {line: each for line, each in step.checked.items() if each.held}
        if step.state is StepState.FAILED:
            step.state = StepState.BEGUN
        self._pending = None
        self._go_on()
        self.changed()

    def allow(self) -> None:
        """A person said that the cells of this lesson may run."""
        self.must_ask = False
        self._enter()
        self.changed()

    def apply(self, event: Event) -> None:
        """Each event of the lab, once the ledger knows of it."""
        asked = self._pending if isinstance(self._pending, _Asked) else None
        match event:
            case Evaluated() | Failed() if asked is not None and event.id == asked.command:
                self._take_answer(asked, event)
            case Began():
                self._take_beginning(event.id)
            case Finished() | Failed():
                self._take_end(event.id)
            case _:
                return
        self.changed()

    def cell(self, part: Code) -> Cell | None:
        """What the ledger has of it."""
        command = next((e.cells[part.line] for e in self.steps if part.line in e.cells), None)
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

    def _take_up(self, kept: Kept) -> None:
        """What was begun begins anew: its cells are of another session."""
        for each in self.steps:
            if kept.states.get(each.step.title) is StepState.DONE:
                each.state = StepState.DONE
            said = kept.predictions.get(each.step.title, {})
            for part in each.predicts:
                if part.question in said:
                    each.predictions[part.line] = said[part.question]
        self.at = max(0, min(kept.at, len(self.steps) - 1))

    def _queue_up(self, cells: Sequence[tuple[StepPlay, Code]]) -> None:
        if self.must_ask:
            raise Trouble(
                "This lesson did not come with the program, and nobody has said yet that its"
                " cells may run.",
                "Read them, and allow it.",
            )
        self._queue.extend(cells)
        self._go_on()
        self.changed()

    def _enter(self) -> None:
        step = self.step
        if step.state not in (StepState.AHEAD, StepState.SKIPPED):
            self._go_on()
        elif not step.step.needs:
            self._begin()
        elif not self.must_ask:
            self._ask([each.expression.source for each in step.step.needs], self._take_needs)

    def _take_needs(self, worths: Sequence[Worth]) -> None:
        for need, worth in zip(self.step.step.needs, worths, strict=True):
            if not worth.truth:
                self.step.state = StepState.SKIPPED
                self.step.reason = told(need.otherwise, worth.error)
                return
        self._begin()

    def _begin(self) -> None:
        step = self.step
        step.state, step.reason = StepState.BEGUN, ""

        def take_before(readings: Readings) -> None:
            step.before = readings
            self._go_on()

        if step.step.cells:
            self._measure(take_before)
        else:
            self._go_on()

    def _go_on(self) -> None:
        """What comes next, where nothing else is being done."""
        if self._waits() or self.step.state is StepState.AHEAD:
            return
        settled = self.must_ask or self.step.state in (StepState.DONE, StepState.SKIPPED)
        due = [] if settled else [each for each in self.step.step.parts if self._is_due(each)]
        sources = [each for part in due for each in sources_of(part)]
        if sources:
            self._ask(sources, lambda worths: self._take_due(due, worths))
        elif due:
            self._take_due(due, ())
        elif self._queue:
            self._start(*self._queue.popleft())
        else:
            self._close()

    def _waits(self) -> bool:
        """For a reading, for an answer of a worker that is still there, or for a cell."""
        if isinstance(self._pending, _Asked) and self._rig.ledger.life > self._pending.life:
            self._pending = None
        cells = [self.cell(part) for step in self.steps for part in step.step.cells]
        runs = any(each is not None and each.state in ("waiting", "running") for each in cells)
        return self._pending is not None or runs

    def _start(self, step: StepPlay, part: Code) -> None:
        cells = step.step.cells
        begins = part is cells[0] or not any(map(self._is_right, cells))

        def run(before: Readings | None = None) -> None:
            step.before = before or step.before
            step.cells[part.line] = self._rig.run(part.source)

        if begins and step is self.step:
            self._measure(run)
        else:
            run()

    def _is_right(self, part: Code) -> bool:
        """It ran in the session there is, and came to the end that the lesson means."""
        cell = self.cell(part)
        if cell is None or cell.life != self._rig.ledger.life:
            return False
        if cell.state == "failed" and cell.failed is not None:
            return part.fails and cell.failed.cause not in NEVER_MEANT
        return cell.state == "done" and not part.fails

    def _missing(self) -> Sequence[tuple[StepPlay, Code]]:
        """Cells of the steps before, whose names are not in the session: nobody ran them, or
        what they made went with its worker.
        """
        ledger = self._rig.ledger
        there = {
            each.code.strip()
            for each in ledger.cells
            if each.state == "done" and each.life == ledger.life
        }
        return [
            (step, part)
            for step in self.steps[: self.at]
            if step.state is not StepState.SKIPPED
            and not (step.state is StepState.AHEAD and step.step.needs)
            for part in step.step.cells
            if not part.fails and part.source.strip() not in there
        ]

    def _is_due(self, part: Part) -> bool:
        """Whether it can be worked out, and is not yet."""
        step = self.step
        match part:
            case Check() if self._is_open(part):
                before = [each for each in step.step.cells if each.line < part.line]
                return all(map(self._is_right, before))
            case Predict() if self._is_open(part):
                wanted = part.line in step.predictions or part.line in self._shown
                cells = behind(step.step, part)
                return all(map(self._is_right, cells)) if cells else wanted
        return False

    def _is_open(self, part: Part) -> bool:
        match part:
            case Code():
                return not self._is_right(part)
            case Check():
                return part.line not in self.step.checked
            case Predict():
                return part.line not in self.step.revealed
        return False

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
                if not step.checked[part.line].held:
                    self._queue.clear()
        self._go_on()

    def _close(self, *, leaving: bool = False) -> None:
        """What one only reads, or could predict, is done when one goes on behind it."""
        step, parts = self.step, self.step.step.parts
        if step.state is not StepState.BEGUN:
            return
        if leaving:
            done = not any(isinstance(each, Code | Check) for each in parts)
        else:
            last = self.at == len(self.steps) - 1
            tasks = any(isinstance(each, Code | Check | Predict) for each in parts)
            done = (tasks or last) and not any(map(self._is_open, parts))
        faults = [each.fault for each in step.revealed.values() if each.fault]
        if faults:
            step.state, step.reason = StepState.FAILED, Message(AT_FAULT, line=faults[0])
        elif any(not each.held for each in step.checked.values()):
            step.state = StepState.FAILED
        elif done:
            step.state = StepState.DONE

    def _measure(self, then: Callable[[Readings], None]) -> None:
        mine = self._pending = object()

        def read(readings: Readings) -> None:
            if self._pending is mine:
                self._pending = None
                then(replace(readings, memory=dict(self._rig.ledger.memory)))
                self.changed()

        self._rig.measure(read)

    def _ask(self, sources: Sequence[str], take: Callable[[Sequence[Worth]], None]) -> None:
        step, rig = self.step, self._rig

        def ask(now: Readings) -> None:
            cells = [self.cell(each) for each in step.step.cells]
            ran = [each for each in cells if each is not None]
            values = values_of(
                rig.ledger, ran, now, step.before or now, rig.limit, simulated=rig.simulated
            )
            # A worker that is yet to start begins another life of the ledger.
            life = rig.ledger.life + (rig.ledger.hello is None)
            self._pending = _Asked(rig.evaluate(sources, values), life, len(sources), take)

        self._measure(ask)

    def _take_answer(self, asked: _Asked, event: Evaluated | Failed) -> None:
        self._pending = None
        worths = (Worth(error=event.told),) if isinstance(event, Failed) else event.worths
        # What was given up before its turn says why, as the last one did.
        last = worths[-1] if worths and worths[-1].error else Worth(error=_STOPPED)
        asked.take([*worths, *[last] * (asked.sources - len(worths))])

    def _take_beginning(self, command: int) -> None:
        cell, following = self._rig.ledger.cell(command), self.next_cell()
        if cell is None:
            return
        place = self._place(cell)
        if place is None and following and cell.code.strip() == following.source.strip():
            self.step.cells[following.line] = cell.id  # typed by hand
            place = self.step, following
        if place is not None and place[0] is self.step:
            self._take_back(place[1])

    def _place(self, cell: Cell) -> tuple[StepPlay, Code] | None:
        """Which of the lesson's cells that is."""
        for each in self.steps:
            for part in each.step.cells:
                if each.cells.get(part.line) == cell.id:
                    return each, part
        return None

    def _take_back(self, part: Code) -> None:
        """What came of the parts behind it, as it runs again."""
        step = self.step
        self._pending = None
        step.state, step.reason = StepState.BEGUN, ""
        for each in step.step.parts:
            after = each.line > part.line
            if after or (isinstance(each, Predict) and part in behind(step.step, each)):
                step.revealed.pop(each.line, None)
                self._shown.discard(each.line)
            if after:
                step.checked.pop(each.line, None)
                step.cells.pop(each.line, None)

    def _take_end(self, command: int) -> None:
        cell = self._rig.ledger.cell(command)
        place = None if cell is None else self._place(cell)
        if cell is None or place is None:
            return
        step, part = place
        if not self._is_right(part) and cell.state in ("done", "failed", "cancelled"):
            self._queue.clear()
            if step is self.step and not self._rig.ledger.gone(cell):
                step.state, step.reason = StepState.FAILED, _why_wrong(cell)
        self._go_on()


def sources_of(part: Part) -> Sequence[str]:
    """The expressions that have to be worked out for it; none for a choice."""
    match part:
        case Check(conditions=conditions):
            return [each.expression.source for each in conditions]
        case Predict(number=number, limit=limit) if number is not None:
            return [number.source, *([limit.expression.source] if limit is not None else [])]
    return []


def behind(step: Step, predict: Predict) -> Sequence[Code]:
    """The cells up to the next prediction; those that follow each other share theirs."""
    found: list[Code] = []
    for each in step.parts:
        if each.line <= predict.line:
            continue
        if isinstance(each, Predict) and found:
            break
        if isinstance(each, Code):
            found.append(each)
    return found


def _why_wrong(cell: Cell) -> Message:
    """A sentence, for one that did not end as the lesson means it."""
    failed = cell.failed
    if failed is None or cell.state == "done":
        return Message(
            "This cell was there to fail, and it did not. Run the cells of this step again, in"
            " order."
        )
    if failed.cause == "cancelled":
        return _STOPPED
    words = error_words(failed).partition("\n")[0]
    if not words:
        return failed.told
    if words[-1] not in ".!?":
        words += "."
    return told(Message("The cell failed: {error}", error=words), failed.told)
