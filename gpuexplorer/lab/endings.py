"""Why the other process ended, in a sentence: by its exit status and what it wrote last,
and which cells cannot be run again in the next.
"""

import re
import signal
from collections.abc import Sequence

from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.lab.events import Failed, Finished, Frame
from gpuexplorer.lab.program_pipes import PROGRAM

# By its exit status, before it said hello. What it said last says more.
CANNOT_START = {
    3: mark("The lab needs Python 3.10 or newer; this is {said}."),
    4: mark("PyTorch cannot be loaded by this Python: {said}."),
    5: mark("The lab needs PyTorch 2.4 or newer; this is {said}."),
    6: mark("This PyTorch lacks what the lab needs: {said}."),
}
LINES_KEPT = 40  # of what it wrote on standard error
_FRAME = re.compile(r'\s*File "<cell (\d+)>", line (\d+) in (.+)')
PIPE_CLOSED = mark("Code in the worker closed its pipe to the window.")  # status 7
_KILLED = {
    2: mark("{what} was interrupted."),
    4: mark("{what} was killed by an illegal instruction."),
    6: mark("{what} was killed by an abort in its own code."),
    7: mark("{what} was killed by a memory error (SIGBUS)."),
    8: mark("{what} was killed by an arithmetic fault."),
    9: mark("{what} was killed by somebody, or by the system for want of memory (SIGKILL)."),
    11: mark("{what} was killed by a memory fault of its own (SIGSEGV)."),
    15: mark("{what} was killed by somebody who asked it to end (SIGTERM)."),
}


def of_worker(status: int, said: str) -> Message:
    if said and status in CANNOT_START:
        return Message(CANNOT_START[status], said=said)
    if status == 7:
        return Message(PIPE_CLOSED)
    if status < 0:
        return _killed(Message("The worker"), -status)
    if not said:
        return Message("The worker ended by itself with status {status}.", status=status)
    return Message(
        "The worker ended by itself with status {status}: {said}.",
        status=status,
        said=said.rstrip("."),
    )


def of_program(status: int) -> Message:
    if status < 0:
        return _killed(Message("The program"), -status)
    if status:
        return Message("The program ended with status {status}.", status=status)
    return Message("The program ended.")


def _killed(what: Message, number: int) -> Message:
    if number in _KILLED:
        return Message(_KILLED[number], what=what)
    return Message("{what} was killed by signal {number}.", what=what, number=number)


def outcome(
    said: "Finished | Failed | None", status: int, took: float, why: Message, *, greeted: bool
) -> "Finished | Failed":
    """What a program says of its end itself is more, but it does not know its status."""
    if isinstance(said, Failed):
        return said
    if status == 0 and greeted:
        return said or Finished(PROGRAM, took)
    cause = "ended" if greeted else "cannot start"
    cause = "cancelled" if status == -signal.SIGINT else cause
    seconds = took if said is None else said.host_seconds
    return Failed(PROGRAM, cause, "", "", why, host_seconds=seconds)


def unanswered(command: int, lines: "Sequence[str]", why: Message) -> Failed:
    """What becomes of a command of a worker that is gone, by its last lines. They say where in
    the person's code Python broke off, as its fault handler writes it.
    """
    found = [each for words in reversed(lines) if (each := _FRAME.fullmatch(words))]
    return Failed(
        command,
        "worker lost",
        "",
        "\n".join(lines),
        why,
        Message("What was on the shelf is gone with it. The session can be run again."),
        frames=tuple(
            Frame(int(cell), int(line), "" if name == "<module>" else name)
            for cell, line, name in (each.groups() for each in found)
        ),
    )


def left_out(numbers: "Sequence[int]", cards: "Sequence[str]") -> Message:
    """Empty where there are none."""
    if not numbers:
        return NOTHING
    return Message.counted(
        "Cell {cells} needs a card that is lost ({cards}) and is left out.",
        "Cells {cells} need a card that is lost ({cards}) and are left out.",
        len(numbers),
        cells=", ".join(str(each) for each in numbers),
        cards=", ".join(cards),
    )


def not_again(numbers: "Sequence[int]", first: Failed) -> Message:
    """Which cells failed in a replay, and why the first of them did."""
    return Message.counted(
        "Cell {cells} could not be run again: {why}",
        "Cells {cells} could not be run again. The first: {why}",
        len(numbers),
        cells=", ".join(str(each) for each in numbers),
        why=first.sentence or first.message,
    )
