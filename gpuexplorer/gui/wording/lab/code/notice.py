"""Notice: what stands above the entry field while something wants an answer."""

from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.units import duration
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
            "It does not come back: what the line does cannot be interrupted. A new worker "
            "can take the place of this one; what is on the shelf can be made again.",
            Tone.WARN,
            ((Answer.RESTART, "Restart the worker"),),
        )
    if now.failed:
        return Notice(now.failed, Tone.BAD)
    if now.lost_lines:
        ready = "A new worker starts." if now.starting else "A new worker is ready."
        lines = "1 line" if now.lost_lines == 1 else f"{now.lost_lines} lines"
        return Notice(
            f"{_whole(now.ended)} {ready}",
            Tone.WARN,
            (
                (Answer.REBUILD, f"Rebuild the shelf ({lines})"),
                (Answer.EMPTY, "Start with an empty shelf"),
            ),
        )
    if now.starting and now.waiting:
        return Notice("PyTorch starts in a process of its own; then the lines run.")
    if now.rebuilding and not now.starting:
        lines = "1 line is" if now.rebuilding == 1 else f"{now.rebuilding} lines are"
        words = f"The shelf is made again: {lines} still to be run"
        return Notice(words, Tone.QUIET, ((Answer.STOP, "Stop"),))
    if now.running is not None and now.seconds >= _SHORT:
        behind = f", {_waiting(now.waiting)} behind it" if now.waiting else ""
        words = f"Line {now.running} runs, {duration(now.seconds)}{behind}"
        return Notice(words, Tone.QUIET, ((Answer.STOP, "Stop"),))
    if now.running is None and now.waiting and not now.starting:
        words = f"{_waiting(now.waiting)} for what runs before"
        return Notice(words, Tone.QUIET, ((Answer.STOP, "Stop"),))
    if now.ended:
        return Notice(_whole(now.ended), Tone.WARN)
    return Notice(now.said)


def _waiting(count: int) -> str:
    return "1 line waits" if count == 1 else f"{count} lines wait"


def _whole(sentence: str) -> str:
    if not sentence:
        return "The worker ended, nobody knows why."
    return sentence if sentence.endswith((".", "!")) else f"{sentence}."
