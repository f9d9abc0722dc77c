"""End words: what is asked before a process is ended, and what came of it."""

from collections.abc import Sequence

from gpuexplorer.core.units import Units, memory
from gpuexplorer.gui.wording.processes.process_words import Held, counted, listed, on_cards
from gpuexplorer.gui.wording.processes.program_name import program_name
from gpuexplorer.telemetry.ending import Way
from gpuexplorer.telemetry.process_names import NamedProcess
from gpuexplorer.telemetry.processes import ProcessUse

_LONG = 5.0


def heading(processes: Sequence[NamedProcess]) -> str:
    if len(processes) > 1:
        return f"End {counted(len(processes), 'process', 'processes')}?"
    [named] = processes
    return f"End {called(named)}?"


def called(named: NamedProcess) -> str:
    if named.command is None:
        return f"process {named.process.pid}"
    return program_name(named.command)


def who(named: NamedProcess, held: Held, units: Units) -> str:
    """ "pid 41873, started by ana, 17.9 GiB on card 0"."""
    parts = [f"pid {named.process.pid}"]
    if named.user:
        parts.append(f"started by {named.user}")
    if named.container:
        parts.append(f"in container {named.container}")
    return ", ".join([*parts, *on_cards(held, units)])


def loss(held: Held, processes: Sequence[NamedProcess], units: Units) -> Sequence[str]:
    """What cannot be had back, and what is won."""
    they = "it has" if len(processes) == 1 else "they have"
    told = {number: known for number, known in held.items() if known is not None}
    untold = [number for number in held if number not in told]
    won = [f"{memory(known, units)} on card {number}" for number, known in told.items()]
    won += [f"what is held on card {number}" for number in untold]
    become = "becomes" if len(won) == 1 and untold else "become"
    sentences = [f"What {they} not saved is lost; {listed(won)} {become} free."]
    drawing = (ProcessUse.GRAPHICS, ProcessUse.BOTH)
    if any(named.process.use in drawing for named in processes):
        sentences.append("It draws on a screen: windows close with it, perhaps all of them.")
    return sentences


def left_out_words(count: int) -> str:
    if count == 1:
        return "Another that was picked is left out: it may not be ended from here."
    return f"{count} others that were picked are left out: they may not be ended from here."


def asked_words(*, can_ask: bool) -> str:
    if not can_ask:
        return "Windows does not ask programs: it ends at once and can save nothing."
    return "Asked, it may save its work first, or not listen. Killed, it can do neither."


def ended_words(count: int, left: int, seconds: float, way: Way) -> str:
    """How far it came."""
    after = "at once" if seconds < 1 else f"after {seconds:.0f} s"
    if left == 0:
        return f"It has ended {after}." if count == 1 else f"All {count} have ended {after}."
    if count > 1:
        words = f"{count - left} of {count} have ended, {left} have not"
        return f"{words} for {seconds:.0f} s." if seconds >= 1 else f"{words} yet."
    if way is Way.KILL:
        if seconds < _LONG:
            return "It was killed and is about to go."
        return (
            f"It was killed {seconds:.0f} s ago and is still there: the system waits for "
            "something of it, often the driver."
        )
    if seconds < _LONG:
        return "It was asked to end and has not yet."
    return (
        f"It has not ended for {seconds:.0f} s. It may be saving what it has, or not listen; "
        "killed, it can do neither."
    )
