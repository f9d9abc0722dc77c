"""Explanation: why no card is read, kept up to date with each look for one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.cards import HOST_ID, Card
from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import Message, trn
from gpuexplorer.gui.cards.reasons import moment_words
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.window_commands import Do, WindowCommands
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.looked_for import Looked, Thing

if TYPE_CHECKING:
    from gpuexplorer.gui.nothing_found import NothingFoundView


class Explanation(QObject):
    """A look that finds the same changes only its time, so that whoever reads it, or goes
    through it with the keys, is not disturbed.
    """

    way_on_chosen = Signal()

    def __init__(
        self,
        settings: Settings,
        navigation: Navigation,
        commands: WindowCommands,
        host: Card,
        attempts: Sequence[Attempt],
        looked_for: Sequence[Looked],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._settings, self._navigation, self._commands = settings, navigation, commands
        self._host, self._found = host, ([*attempts], [*looked_for])
        self._every: float | None = None
        self._looked, self._back = _time(), False
        self._view: NothingFoundView | None = None
        settings.changed.connect(self._show_found)

    @property
    def plugged_in(self) -> int:
        """Cards that are there and cannot be read."""
        return sum(each.found and each.what is Thing.NVIDIA_CARDS for each in self._found[1])

    def view(self) -> "NothingFoundView":
        """Made when somebody first needs it; with cards, never."""
        if self._view is None:
            from gpuexplorer.gui.nothing_found import NothingFoundView  # noqa: PLC0415

            go, commands = self._navigation, self._commands
            view = self._view = NothingFoundView()
            view.way_on_chosen.connect(self.way_on_chosen)
            for asked, slot in (
                (view.practice_asked, commands[Do.PRACTISE].trigger),
                (view.look_again_asked, commands[Do.LOOK_AGAIN].trigger),
                (view.lab_asked, partial(go.open_screen, "lab")),
                (view.host_asked, partial(go.open_card, HOST_ID)),
                (view.reasons_asked, partial(go.open_screen, "overview")),
            ):
                asked.connect(slot)
            view.show_way_on(back=self._back)
            self._show_found()
        return self._view

    def show_search(
        self, attempts: Sequence[Attempt], looked_for: Sequence[Looked] = ()
    ) -> None:
        """What the newest look came to; what stood there before holds where nothing is told."""
        before, self._found = self._found, ([*attempts], [*(looked_for or self._found[1])])
        self.show_rhythm(self._every)
        if self._found != before:
            self._show_found()

    def show_way_on(self, *, back: bool) -> None:
        """`back`: simulated cards are there already."""
        self._back = back
        if self._view is not None:
            self._view.show_way_on(back=back)

    def look_again(self, look: Callable[[], object]) -> None:
        """Says so until the answer is there, which may take seconds."""
        if self._view is not None:
            self._view.show_looking()
        look()

    def show_rhythm(self, every: float | None) -> None:
        """So many seconds after each look comes another by itself; None where none comes."""
        self._every, self._looked = every, _time()
        if self._view is not None:
            self._view.show_looked(self._looked, every)

    def _show_found(self) -> None:
        if self._view is None:
            return
        attempts, looked_for = self._found
        if looked_for:  # the computer itself is there in any case
            where = trn("{count} core", "{count} cores", self._host.cores or 1)
            if self._host.memory_bytes is not None:
                units = self._settings.choices.units
                where = f"{where}, {memory(self._host.memory_bytes, units)}"
            read = Message("Read, and listed at the left as the host.")
            looked_for = [*looked_for, Looked(Thing.HOST, where, found=True, sentence=read)]
        self._view.show_found(attempts, looked_for)
        self._view.show_looked(self._looked, self._every)


def _time() -> str:
    now = SystemClock().wall()
    return moment_words(now, now)
