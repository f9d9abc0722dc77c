"""MachinesState: this computer and every machine that is reached from it, as screens see them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.remembering import RememberingSession

HERE = ""  # the key of this computer


class Standing(Enum):
    """How a machine is reached just now: `LinkState`, and this computer, which needs no link."""

    HERE = auto()
    CONNECTING = auto()
    ASKING = auto()
    UP = auto()
    BROKEN = auto()
    REFUSED = auto()
    ENDED = auto()

    @property
    def answers(self) -> bool:
        return self in (Standing.HERE, Standing.UP)


@dataclass(frozen=True, slots=True)
class MachineRow:
    """One machine as it stands just now. Times are those of `MachinesState.now()`."""

    key: str  # what `show`, `remove` and the like take; HERE for this computer
    name: str  # as it was typed, and nothing in it was checked: never taken for markup
    standing: Standing
    why: Message = NOTHING  # why there is no connection, and the way out
    hint: Message = NOTHING
    since: float = 0.0  # it stands so
    retry_at: float | None = None
    session: RememberingSession | None = None  # None until it answered for the first time
    shown: bool = False  # the screens show this one


class MachinesState(QObject):
    """Each machine's session goes on being read while another is looked at."""

    changed = Signal()  # a machine came or went, its link changed, or another is shown
    add_asked = Signal()  # somebody pressed "Add a machine…": whoever hears it opens the sheet

    def __init__(
        self,
        here: RememberingSession,
        parent: QObject | None = None,
        *,
        name_here: Callable[[], str] = lambda: "",
    ) -> None:
        super().__init__(parent)
        self._here = here
        self._name_here = name_here

    def rows(self) -> Sequence[MachineRow]:
        """This computer first, then the others as they were added."""
        return [
            MachineRow(HERE, self._name_here(), Standing.HERE, session=self._here, shown=True)
        ]

    def now(self) -> float:
        return self._here.clock.now()

    def show(self, key: str) -> None:
        """The screens show this one from now on, or as soon as it answers."""

    def retry(self, key: str) -> None:
        """Now, instead of when it would be tried by itself."""

    def disconnect_from(self, key: str) -> None:
        """Its past stays to be looked at; `retry` connects again."""

    def remove(self, key: str) -> None:
        """With its past, and its lab."""
