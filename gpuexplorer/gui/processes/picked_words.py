"""What is said of the processes that are picked, before one is ended, and what came of it."""

import time
from collections.abc import Sequence

from gpuexplorer.core.units import Units, memory
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.programs import name_reason, program_name, short_since
from gpuexplorer.gui.processes.model import PickedProcesses, together
from gpuexplorer.gui.processes.words import Held
from gpuexplorer.telemetry.processes import NamedProcess, ProcessUse, Way

_LONG = 5.0
_USES = {
    ProcessUse.COMPUTE: mark("computes"),
    ProcessUse.GRAPHICS: mark("draws on a screen"),
    ProcessUse.BOTH: mark("computes and draws on a screen"),
}


def commands(picked: PickedProcesses) -> Sequence[str]:
    names = [row.named for row in picked.rows]
    return list(dict.fromkeys(named.command or name_reason(named)[1] for named in names))


def facts(picked: PickedProcesses, units: Units, wall: float) -> str:
    if len(picked.rows) > 1:
        held = on_cards(together(picked.held.values()), units)
        return trn(
            "{count} process: {held}",
            "{count} processes: {held}",
            len(picked.rows),
            held=listed(held),
        )
    [row] = picked.rows
    named = row.named
    parts = [tr("pid {pid}", pid=named.process.pid), named.user or ""]
    parts += [tr(_USES[named.process.use]), *on_cards(picked.held[named.process.pid], units)]
    if named.container:
        parts.append(tr("container {name}", name=named.container))
    if named.started_at is not None:
        since, lasts = short_since(named.started_at, wall), lasted(wall - named.started_at)
        parts.append(tr("since {time}, for {duration}", time=since, duration=lasts))
    return " · ".join(part for part in parts if part)


def long_since(started: float, now: float) -> str:
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(started))
    return tr("Since {moment}, for {time}", moment=moment, time=lasted(now - started))


def lasted(seconds: float) -> str:
    """The two largest parts: "3 days 4 h", "2 h 10 min"."""
    minutes = max(0, int(seconds)) // 60
    if minutes < 1:
        return f"{max(0, int(seconds))} s"
    if minutes < 60:
        return f"{minutes} min"
    hours = minutes // 60
    if hours < 48:
        return f"{hours} h {minutes % 60} min"
    days = trn("{count} day", "{count} days", hours // 24)
    return f"{days} {hours % 24} h"


def on_cards(held: Held, units: Units) -> list[str]:
    """ "17.9 GiB on card 0", or "card 0" where nobody knows how much."""
    return [
        tr("card {number}", number=number)
        if known is None
        else tr("{amount} on card {number}", amount=memory(known, units), number=number)
        for number, known in held.items()
    ]


def heading(processes: Sequence[NamedProcess], machine: str) -> str:
    """`machine`: another than this computer, or empty."""
    if len(processes) > 1:
        what = trn("{count} process", "{count} processes", len(processes))
    else:
        what = called(processes[0])
    if machine:
        return tr("End {what} on {machine}?", what=what, machine=machine)
    return tr("End {what}?", what=what)


def called(named: NamedProcess) -> str:
    if named.command is None:
        return tr("process {pid}", pid=named.process.pid)
    return program_name(named.command)


def who(named: NamedProcess, held: Held, units: Units) -> str:
    """ "pid 41873, started by ana, 17.9 GiB on card 0"."""
    parts = [tr("pid {pid}", pid=named.process.pid)]
    if named.user:
        parts.append(tr("started by {user}", user=named.user))
    if named.container:
        parts.append(tr("in container {name}", name=named.container))
    return ", ".join([*parts, *on_cards(held, units)])


def loss(held: Held, processes: Sequence[NamedProcess], units: Units) -> Sequence[str]:
    """What cannot be had back, and what is won."""
    told = {number: known for number, known in held.items() if known is not None}
    won = [
        tr("{amount} on card {number}", amount=memory(known, units), number=number)
        for number, known in told.items()
    ]
    won += [
        tr("what is held on card {number}", number=number)
        for number in held
        if number not in told
    ]
    sentences = [
        trn(
            "What it has not saved is lost.",
            "What they have not saved is lost.",
            len(processes),
        ),
        tr("This becomes free: {memory}.", memory=listed(won)),
    ]
    drawing = (ProcessUse.GRAPHICS, ProcessUse.BOTH)
    if any(named.process.use in drawing for named in processes):
        sentences.append(
            tr("It draws on a screen: windows close with it, perhaps all of them.")
        )
    return sentences


def left_out_words(count: int) -> str:
    return trn(
        "Another that was picked is left out: it may not be ended from here.",
        "{count} others that were picked are left out: they may not be ended from here.",
        count,
    )


def asked_words(*, can_ask: bool) -> str:
    if not can_ask:
        return tr("Windows does not ask programs: it ends at once and can save nothing.")
    return tr("Asked, it may save its work first, or not listen. Killed, it can do neither.")


def ended_words(count: int, left: int, seconds: float, way: Way) -> str:
    """How far it came."""
    if left == 0 and seconds < 1:
        return trn("It has ended at once.", "All {count} have ended at once.", count)
    if left == 0:
        return trn(
            "It has ended after {seconds:.0f} s.",
            "All {count} have ended after {seconds:.0f} s.",
            count,
            seconds=seconds,
        )
    if count > 1 and seconds < 1:
        return trn(
            "{ended} of {count} has ended, {left} have not yet.",
            "{ended} of {count} have ended, {left} have not yet.",
            count,
            ended=count - left,
            left=left,
        )
    if count > 1:
        return trn(
            "{ended} of {count} has ended, {left} have not for {seconds:.0f} s.",
            "{ended} of {count} have ended, {left} have not for {seconds:.0f} s.",
            count,
            ended=count - left,
            left=left,
            seconds=seconds,
        )
    if way is Way.KILL:
        if seconds < _LONG:
            return tr("It was killed and is about to go.")
        return tr(
            "It was killed {seconds:.0f} s ago and is still there: the system waits for "
            "something of it, often the driver.",
            seconds=seconds,
        )
    if seconds < _LONG:
        return tr("It was asked to end and has not yet.")
    return tr(
        "It has not ended for {seconds:.0f} s. It may be saving what it has, or not listen; "
        "killed, it can do neither.",
        seconds=seconds,
    )
