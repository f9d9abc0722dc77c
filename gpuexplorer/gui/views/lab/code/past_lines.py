"""PastLines: the lines of the session, one after another with the arrow keys."""

from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.lab.wire import Run


class PastLines:
    """What was begun before is kept, and comes back after the newest."""

    def __init__(self, lab: LabState) -> None:
        self._lab = lab
        self._back = 0  # how many lines; 0 is what is being typed
        self._begun = ""

    def before(self, typed: str) -> str | None:
        """None where there is no earlier one."""
        lines = self._lines()
        if self._back > 0 and (self._back > len(lines) or lines[-self._back] != typed):
            self._back = 0  # it was changed, and is a beginning of its own
        if self._back >= len(lines):
            return None
        if self._back == 0:
            self._begun = typed
        self._back += 1
        return lines[-self._back]

    def after(self, typed: str) -> str | None:
        del typed
        if self._back == 0:
            return None
        self._back -= 1
        return self._lines()[-self._back] if self._back else self._begun

    def begin_anew(self) -> None:
        self._back, self._begun = 0, ""

    def _lines(self) -> list[str]:
        """Those that were run twice in a row stand there once."""
        found: list[str] = []
        for entry in self._lab.ledger.entries:
            command = entry.command
            if isinstance(command, Run) and "\n" not in command.line:
                line = command.line.strip()
                if not found or found[-1] != line:
                    found.append(line)
        return found
