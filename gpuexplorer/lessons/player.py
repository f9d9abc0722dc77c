"""Player: how far somebody came in a lesson, and what came of each of its parts."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import Began, Evaluated, Event, Failed, Finished, Worth
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lessons.keeping import Kept, kept_of, take_up
from gpuexplorer.lessons.lesson import Check, Code, Lesson, Part, Predict
from gpuexplorer.lessons.predicting import prediction
from gpuexplorer.lessons.ran import STOPPED, Ran, why_wrong
from gpuexplorer.lessons.revealing import behind, checked, revealed, sources_of
from gpuexplorer.lessons.step_play import Rig, StepPlay, StepState
from gpuexplorer.lessons.values import Readings, values_of


@dataclass(frozen=True)
class _Asked:
    """What is being worked out, and in which life of the ledger it can be answered."""

    command: int
    life: int
    count: int  # of expressions
    take: Callable[[Sequence[Worth]], None]


class Player:
    """Leads through a lesson. Nothing runs before somebody asks for it: `go` enters a step."""

    def __init__(self, lesson: Lesson, rig: Rig, kept: Kept | None = None) -> None:
        self.lesson = lesson
        self.steps = [StepPlay(each) for each in lesson.steps]
        self.at = 0
        self.must_ask = lesson.outside  # nobody has allowed its cells yet
        # Called when anything changed here; set by whoever shows it.
        self.changed: Callable[[], None] = _nobody
        self._rig = rig
        self._ran = Ran(self.steps, lambda: rig.ledger)
        self._queue: deque[tuple[StepPlay, Code]] = deque()
        self._measuring = False
        self._asked: _Asked | None = None
        self._turn = 0  # what was measured or asked in an earlier one is of no use any more
        self._shown: set[int] = set()  # predictions that are revealed though nobody predicted
        if kept is not None:
            self.at = take_up(kept, self.steps)

    @property
    def step(self) -> StepPlay:
        return self.steps[self.at]

    @property
    def finished(self) -> bool:
        """Each step is done or skipped."""
        return all(each.state in (StepState.DONE, StepState.SKIPPED) for each in self.steps)

    @property
    def kept(self) -> Kept:
        return kept_of(self.lesson.name, self.at, self.steps)

    @property
    def replay_needed(self) -> Sequence[Code]:
        """Cells of earlier steps that have not run in the session there is."""
        return [part for _, part in self._ran.missing(self.at)]

    def go(self, at: int) -> None:
        """Also over what is not done: nobody is locked in."""
        if at > self.at:
            self._close(leaving=True)
        self.at = at
        self._queue.clear()
        self._renew()
        self._enter()
        self.changed()

    def predict(self, part: Predict, said: str) -> None:
        """A number, or a choice's words or its number from 1. Raises Trouble for others."""
        if part.line in self.step.revealed:
            raise Trouble(
                "What was measured is shown already.", "To predict anew, run the cells again."
            )
        self.step.predictions[part.line] = prediction(part, said)
        self._go_on()
        self.changed()

    def reveal(self, part: Predict) -> None:
        """Without a prediction, where no cell behind it will reveal it."""
        self._shown.add(part.line)
        self._go_on()
        self.changed()

    def run(self, part: Code) -> None:
        """At once, or when what runs is done. Raises Trouble before it is allowed."""
        self._check_allowed()
        self._queue.append((self.step, part))
        self._go_on()
        self.changed()

    def run_next(self) -> bool:
        """The first cell of this step that has not run; False: there is none."""
        part = self.next_cell()
        if part is not None:
            self.run(part)
        return part is not None

    def replay(self) -> None:
        """Run `replay_needed`, one after another, up to one that fails."""
        self._check_allowed()
        self._queue.extend(self._ran.missing(self.at))
        self._go_on()
        self.changed()

    def check_again(self) -> None:
        """On what the lab and the cards say now."""
        step = self.step
        step.checked = {line: each for line, each in step.checked.items() if each.held}
        if step.state is StepState.FAILED:
            step.state = StepState.BEGUN
        self._renew()
        self._go_on()
        self.changed()

    def allow(self) -> None:
        """A person said that the cells of this lesson may run."""
        self.must_ask = False
        self._enter()
        self.changed()

    def apply(self, event: Event) -> None:
        """Each event of the lab, once the ledger knows of it."""
        match event:
            case Evaluated() | Failed() if self._asked and event.id == self._asked.command:
                self._take_answer(event)
            case Began():
                self._take_beginning(event.id)
            case Finished() | Failed():
                self._take_end(event.id)
            case _:
                return
        self.changed()

    def cell(self, part: Code) -> Cell | None:
        """What the ledger has of it."""
        return self._ran.cell(part)

    def gone(self, part: Code) -> bool:
        """It ran, and what it made went with its worker."""
        cell = self.cell(part)
        return cell is not None and self._rig.ledger.gone(cell)

    def next_cell(self) -> Code | None:
        """The first of this step that has not run, or not as it should."""
        if self.step.state is StepState.DONE:
            return None
        return next(
            (each for each in self.step.step.cells if not self._ran.is_right(each)), None
        )

    def busy(self) -> bool:
        """A cell waits or runs, or something is being worked out."""
        return bool(self._queue) or self._waits()

    def _check_allowed(self) -> None:
        if self.must_ask:
            raise Trouble(
                "This lesson did not come with the program, and nobody has said yet that its"
                " cells may run.",
                "Read them, and allow it.",
            )

    def _enter(self) -> None:
        step = self.step
        if step.state not in (StepState.AHEAD, StepState.SKIPPED):
            self._go_on()
        elif not step.step.needs:
            self._begin()
        elif not self.must_ask:
            self._ask([each.expression.source for each in step.step.needs], self._take_needs)

    def _take_needs(self, worths: Sequence[Worth]) -> None:
        needs = zip(self.step.step.needs, worths, strict=True)
        unmet = next((each for each in needs if not each[1].truth), None)
        if unmet is None:
            self._begin()
            return
        need, worth = unmet
        self.step.state = StepState.SKIPPED
        self.step.reason = told(need.otherwise, worth.error)

    def _begin(self) -> None:
        step = self.step
        step.state, step.reason = StepState.BEGUN, ""
        if step.step.cells:
            self._measure(self._take_before)
        else:
            self._go_on()

    def _take_before(self, readings: Readings) -> None:
        self.step.before = readings
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
        asked = self._asked is not None and self._rig.ledger.life <= self._asked.life
        return self._measuring or asked or self._ran.going_on()

    def _start(self, step: StepPlay, part: Code) -> None:
        cells = step.step.cells
        begins = part is cells[0] or not any(map(self._ran.is_right, cells))

        def run(before: Readings | None = None) -> None:
            step.before = before or step.before
            step.cells[part.line] = self._rig.run(part.source)

        if begins and step is self.step:
            self._measure(run)
        else:
            run()

    def _is_due(self, part: Part) -> bool:
        """Whether it can be worked out, and is not yet."""
        step = self.step
        match part:
            case Check() if self._is_open(part):
                before = [each for each in step.step.cells if each.line < part.line]
                return all(map(self._ran.is_right, before))
            case Predict() if self._is_open(part):
                wanted = part.line in step.predictions or part.line in self._shown
                cells = behind(step.step, part)
                return all(map(self._ran.is_right, cells)) if cells else wanted
            case _:
                return False

    def _take_due(self, due: Sequence[Part], worths: Sequence[Worth]) -> None:
        step, left = self.step, iter(worths)
        for part in due:
            its = [next(left) for _ in sources_of(part)]
            if isinstance(part, Predict):
                said = step.predictions.get(part.line)
                step.revealed[part.line] = revealed(
                    part, said, its, modelled=self._rig.simulated and not part.real
                )
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
            step.state = StepState.FAILED
            step.reason = Message("Line {line} of the lesson is at fault.", line=faults[0])
        elif any(not each.held for each in step.checked.values()):
            step.state = StepState.FAILED
        elif done:
            step.state = StepState.DONE

    def _is_open(self, part: Part) -> bool:
        match part:
            case Code():
                return not self._ran.is_right(part)
            case Check():
                return part.line not in self.step.checked
            case Predict():
                return part.line not in self.step.revealed
            case _:
                return False

    def _measure(self, then: Callable[[Readings], None]) -> None:
        turn = self._turn
        self._measuring = True

        def read(readings: Readings) -> None:
            if turn == self._turn and self._measuring:
                self._measuring = False
                then(replace(readings, memory=dict(self._rig.ledger.memory)))
                self.changed()

        self._rig.measure(read)

    def _ask(self, sources: Sequence[str], take: Callable[[Sequence[Worth]], None]) -> None:
        step, rig = self.step, self._rig

        def ask(now: Readings) -> None:
            ran = self._ran.of(step)
            if ran:
                step.after = now
            values = values_of(
                rig.ledger, ran, now, step.before or now, rig.limit, simulated=rig.simulated
            )
            # A worker that is yet to start begins another life of the ledger.
            life = rig.ledger.life + (rig.ledger.hello is None)
            command = rig.evaluate(sources, values)
            self._asked = _Asked(command, life, len(sources), take)

        self._measure(ask)

    def _take_answer(self, event: Evaluated | Failed) -> None:
        assert self._asked is not None
        asked, self._asked = self._asked, None
        worths = (Worth(error=event.told),) if isinstance(event, Failed) else event.worths
        # What was given up before its turn says why, as the last one did.
        last = worths[-1] if worths and worths[-1].error else Worth(error=STOPPED)
        asked.take([*worths, *[last] * (asked.count - len(worths))])

    def _take_beginning(self, command: int) -> None:
        cell = self._rig.ledger.cell(command)
        if cell is None:
            return
        place, following = self._ran.place(cell), self.next_cell()
        if place is None and following is not None:
            if cell.code.strip() != following.source.strip():
                return
            self.step.cells[following.line] = cell.id  # typed by hand
            place = self.step, following
        if place is not None and place[0] is self.step:
            self._take_back(place[1])

    def _take_back(self, part: Code) -> None:
        """What came of the parts behind it, as it runs again."""
        step = self.step
        self._renew()
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
        place = None if cell is None else self._ran.place(cell)
        if cell is None or place is None:
            return
        step, part = place
        if not self._ran.is_right(part) and cell.state in ("done", "failed", "cancelled"):
            self._queue.clear()
            if step is self.step and not self._rig.ledger.gone(cell):
                step.state, step.reason = StepState.FAILED, why_wrong(cell)
        self._go_on()

    def _renew(self) -> None:
        """What is being measured or worked out is not waited for."""
        self._turn += 1
        self._measuring = False
        self._asked = None


def _nobody() -> None:
    """Nobody shows it."""
