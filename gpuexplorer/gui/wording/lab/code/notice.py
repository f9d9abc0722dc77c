"""Notice: what stands above the entry field while something wants an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.units import duration
from gpuexplorer.core.words import NOTHING, Message, tr, trn
from gpuexplorer.gui.theme.palette import Tone

# A line that is done sooner needs no button.
_SHORT = 0.4


class Answer(StrEnum):
    """What a person can do about it."""

    STOP = "stop"
    RESTART = "restart"
    REBUILD = "rebuild"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Notice:
    """Empty where there is nothing to say."""

    sentence: str = ""
    tone: Tone = Tone.QUIET
    answers: tuple[tuple[Answer, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LabNow:
    """What a notice is made of."""

    hanging: bool = False
    starting: bool = False
    failed: str = ""  # why no worker can be started
    ended: str = ""  # why the last one ended
    lost_lines: int = 0
    running: int | None = None  # the line's number
    seconds: float = 0.0
    waiting: int = 0
    rebuilding: int = 0  # lines that are still to be run again
    said: str = ""  # of a file that was saved, or text that was copied


def notice(now: LabNow) -> Notice:
    """The gravest first."""
    if now.hanging:
        return Notice(
            tr(
                "It does not come back: what the line does cannot be interrupted. A new worker "
                "can take the place of this one; what is on the shelf can be made again."
            ),
            Tone.WARN,
            ((Answer.RESTART, tr("Restart the worker")),),
        )
    if now.failed:
        return Notice(now.failed, Tone.BAD)
    if now.lost_lines:
        ready = tr("A new worker starts.") if now.starting else tr("A new worker is ready.")
        rebuild = trn(
            "Rebuild the shelf ({count} line)",
            "Rebuild the shelf ({count} lines)",
            now.lost_lines,
        )
        return Notice(
            f"{now.ended or _unknown()} {ready}",
            Tone.WARN,
            ((Answer.REBUILD, rebuild), (Answer.EMPTY, tr("Start with an empty shelf"))),
        )
    if now.starting and now.waiting:
        return Notice(tr("PyTorch starts in a process of its own; then the lines run."))
    if now.rebuilding and not now.starting:
        return _stoppable(
            trn(
                "The shelf is made again: {count} line is still to be run",
                "The shelf is made again: {count} lines are still to be run",
                now.rebuilding,
            )
        )
    if now.running is not None and now.seconds >= _SHORT:
        number, time = now.running, duration(now.seconds)
        if not now.waiting:
            return _stoppable(tr("Line {number} runs, {time}", number=number, time=time))
        return _stoppable(
            trn(
                "Line {number} runs, {time}; {count} line waits behind it",
                "Line {number} runs, {time}; {count} lines wait behind it",
                now.waiting,
                number=number,
                time=time,
            )
        )
    if now.running is None and now.waiting and not now.starting:
        return _stoppable(
            trn(
                "{count} line waits for what runs before",
                "{count} lines wait for what runs before",
                now.waiting,
            )
        )
    if now.ended:
        return Notice(now.ended, Tone.WARN)
    return Notice(now.said)


def _stoppable(words: str) -> Notice:
    return Notice(words, Tone.QUIET, ((Answer.STOP, tr("Stop")),))


def _unknown() -> str:
    return tr("The worker ended, and it is not known why.")


def left_out_words(numbers: Sequence[int], cards: Sequence[str]) -> Message:
    """Empty where there are none."""
    if not numbers:
        return NOTHING
    return Message.counted(
        "Line {lines} needs a card that is lost ({cards}) and is left out.",
        "Lines {lines} need a card that is lost ({cards}) and are left out.",
        len(numbers),
        lines=", ".join(str(each) for each in numbers),
        cards=", ".join(cards),
    )
