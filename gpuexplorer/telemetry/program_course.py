"""ProgramCourse: which programs use one card, from look to look: who came and who went."""

from collections.abc import Callable, Sequence

from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.condition import Condition, News
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.processes import CardProcess

_LONGEST_NAME = 48
_ABOUT = "processes"


class ProgramCourse:
    """Not for several threads: its owner has a lock."""

    def __init__(self) -> None:
        self._condition = Condition(_ABOUT)
        self._called: dict[int, str] | None = None  # None: never told
        self._listed_at = 0.0
        self._listed = True

    def consider(
        self,
        at: float,
        processes: Sequence[CardProcess],
        command: Callable[[CardProcess], str | None],
    ) -> list[News]:
        """As they are now; `command` says how a program was started, where that is known."""
        by_pid = {process.pid: process for process in processes}
        before = self._called
        found = self._condition.consider(at, None)
        self._called = {
            pid: before[pid] if before and pid in before else _called(command(process))
            for pid, process in by_pid.items()
        }
        if before is not None:
            # What ended while nobody saw it was last seen before that.
            seen = at if self._listed else self._listed_at
            for pid in sorted(by_pid.keys() - before.keys()):
                began = _uses(self._called[pid], pid)
                found.append(News(Kind.PROCESS_APPEARED, began, at, str(pid)))
            for pid in sorted(before.keys() - by_pid.keys()):
                ended = _uses_no_more(before[pid], pid)
                found.append(News(Kind.PROCESS_ENDED, ended, seen, str(pid)))
        self._listed_at, self._listed = at, True
        return found

    def unknown(self, at: float, *, card_well: bool) -> list[News]:
        """Of a card that does not work nobody expects to know it."""
        self._listed = False
        if self._called is None or not card_well:
            return []
        return self._condition.consider(at, Kind.PROCESSES_UNKNOWN)


def _uses(program: str, pid: int) -> Message:
    if not program:
        return Message("Process {pid} uses the card", pid=pid)
    return Message("{program} ({pid}) uses the card", program=program, pid=pid)


def _uses_no_more(program: str, pid: int) -> Message:
    if not program:
        return Message("Process {pid} no longer uses the card", pid=pid)
    return Message("{program} ({pid}) no longer uses the card", program=program, pid=pid)


def _called(command: str | None) -> str:
    """Enough of the command to know it again; empty where it is not known."""
    words = (command or "").split()
    if not words:
        return ""
    name = [words[0].rsplit("/", 1)[-1]]
    for word in words[1:]:
        if word == "-m" or not word.startswith("-"):
            name.append(word.rstrip("/").rsplit("/", 1)[-1])
        if not word.startswith("-"):
            break
    return " ".join(name)[:_LONGEST_NAME]
