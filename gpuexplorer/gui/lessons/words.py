"""What the list of lessons and the column say."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from PySide6.QtGui import QTextDocument

from gpuexplorer.core.words import Message, listed, mark, paragraph, tr, trn
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.lessons.lesson import Code, Lesson, Point, Predict, screen_of
from gpuexplorer.lessons.player import Player, StepPlay, StepState

NEEDS = {"pytorch": mark("PyTorch"), "card": mark("a card"), "two cards": mark("two cards")}
NO_CARD = mark("no card")
NO_CARDS = mark(
    "No graphics card answers here. Two simulated ones can take its place: values are real "
    "there, times are modelled, and every screen says SIMULATED."
)


CHECKED = {
    StepState.DONE: Icon.CHECK,
    StepState.FAILED: Icon.WARNING,
    StepState.SKIPPED: Icon.NEXT,
}


class Way(StrEnum):
    """What a person can do about what the column tells."""

    RESTART = "restart"
    REPLAY = "replay"
    SIMULATE = "simulate"
    LAB = "lab"


@dataclass(frozen=True, slots=True)
class LessonNotice:
    """Empty where there is nothing to say."""

    sentence: str = ""
    tone: Tone = Tone.QUIET
    way: Way | None = None
    words: str = ""  # of the button


class Next(StrEnum):
    """What comes next in a step: the button that stands out does it."""

    PREDICT = "predict"
    RUN = "run"
    WAIT = "wait"
    CHECK = "check"
    READ = "read"  # what stands further down
    GO_ON = "go on"
    END = "end"


@lru_cache(maxsize=64)
def plain(markdown: str) -> str:
    """On one line, without the marks."""
    text = QTextDocument()
    text.setMarkdown(markdown)
    return " ".join(text.toPlainText().split())


def needs_words(lesson: Lesson) -> str:
    return listed([tr(NEEDS.get(each, each)) for each in lesson.needs]) or tr("nothing")


def first_screen(lesson: Lesson) -> str:
    """Where its first step is done: what it points at first, or the lab."""
    points = [each.control for each in lesson.steps[0].parts if isinstance(each, Point)]
    return (screen_of(points[0]) if points else "") or "lab"


def here_words(lesson: Lesson, lab: Lab) -> Message:
    """What this machine lacks for it, and what is done about that."""
    session, cards = lab.machine.session, len(lab.machine.cards())
    if "pytorch" in lesson.needs and lab.pythons.lacking:
        return Message("no PyTorch")
    wanted = 2 if "two cards" in lesson.needs else 1 if "card" in lesson.needs else 0
    if wanted and session.bare:
        return Message(NO_CARD)
    if cards < wanted:
        return Message("one card")
    on_simulated = wanted and session.simulated
    return Message("simulated cards") if on_simulated else Message("nothing is missing")


def progress_words(done: int, steps: int, *, begun: bool) -> str:
    if begun and done >= steps:
        return tr("done")
    if not begun:
        return tr("not begun")
    return trn("{done} of {count} step", "{done} of {count} steps", steps, done=done)


def step_words(at: int, steps: Sequence[StepPlay]) -> str:
    return tr("{number} of {count}", number=at + 1, count=len(steps))


def next_of(player: Player) -> Next:
    """Predict, then run, then go on; whoever does not want to predict need not."""
    step, part = player.step, next_part(player)
    if player.busy():
        return Next.WAIT
    if step.state is not StepState.SKIPPED and part is not None:
        return Next.PREDICT if isinstance(part, Predict) else Next.RUN
    if step.state is StepState.FAILED and any(not e.held for e in step.checked.values()):
        return Next.CHECK
    return Next.GO_ON if player.at + 1 < len(player.steps) else Next.END


def next_part(player: Player) -> Predict | Code | None:
    """What to do first of what is not done: a question nobody answered, or a cell."""
    step, cell = player.step, player.next_cell()
    for part in step.step.parts:
        if isinstance(part, Code) and part is cell:
            return part
        if isinstance(part, Predict) and part.line not in {*step.predictions, *step.revealed}:
            return part
    return None


def notice_of(player: Player, lab: Lab, lost: Sequence[str] = ()) -> LessonNotice:
    """The gravest first."""
    lesson, session = player.lesson, lab.machine.session
    if lab.stage is Stage.HANGING:
        said = tr(
            "The cell was asked to stop and does not come back. A new worker can take the "
            "place of this one; the lesson goes on from here."
        )
        return LessonNotice(said, Tone.WARN, Way.RESTART, tr("Restart the worker"))
    if lab.pythons.lacking and lab.sentence:
        return LessonNotice(tr(lab.sentence), Tone.BAD, Way.LAB, tr("Open the lab"))
    if session.bare and {"card", "two cards"} & {*lesson.needs}:
        words = tr("Use two simulated cards")
        return LessonNotice(tr(NO_CARDS), Tone.WARN, Way.SIMULATE, words)
    over = player.step.state is StepState.DONE  # it needed none of them
    gone = () if over or player.busy() else player.replay_needed
    ended = tr(lab.sentence)
    if lost:
        ended = tr(
            "{cards} does not answer any more; what lay there is lost. Go on with another "
            "card, or when it is back.",
            cards=listed(lost),
        )
    if gone:
        count = len(gone)
        said = trn(
            "{count} cell of the steps before is not in the lab's session, and this step may "
            "need what it makes.",
            "{count} cells of the steps before are not in the lab's session, and this step may "
            "need what they make.",
            count,
        )
        again = trn("Run that cell", "Run those {count} cells", count)
        tone = Tone.WARN if ended else Tone.QUIET
        return LessonNotice(paragraph((ended, said)), tone, Way.REPLAY, again)
    return LessonNotice(ended, Tone.WARN) if ended else LessonNotice()
