"""Explanation: why no card is read, kept up to date with each look for one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from gpuexplorer.core.cards import HOST_ID, Card
from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import Message, trn
from gpuexplorer.gui.cards.reasons import moment_words
from gpuexplorer.gui.rail.rail import Rail
from gpuexplorer.gui.screens import Screens
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.looked_for import Looked, Thing

if TYPE_CHECKING:
    from gpuexplorer.gui.nothing_found import NothingFoundView


class Explanation(QObject):
    """Puts its screen among the others, once it is needed. A look that finds the same changes
    only its time, so that whoever reads it, or goes through it with the keys, is not disturbed.
    """

    way_on_chosen = Signal()
    practice_asked = Signal()
    look_again_asked = Signal()

    def __init__(
        self,
        settings: Settings,
        screens: Screens,
        navigation: Navigation,
        rail: Rail,
        host: Card,
        can_look_again: bool,
        attempts: Sequence[Attempt],
        looked_for: Sequence[Looked],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings, self._screens, self._navigation = settings, screens, navigation
        self._rail, self._host, self._can_look_again = rail, host, can_look_again
        self._units = settings.choices.units
        self._every: float | None = None
        self._found = [*attempts], [*looked_for]
        self._looked, self._back = _time(), False
        self._view: NothingFoundView | None = None
        screens.explanation_needed.connect(self._make)
        rail.show_looked_for(looked_for)
        settings.changed.connect(self._on_settings_changed)

    def show_search(
        self, attempts: Sequence[Attempt], looked_for: Sequence[Looked] = ()
    ) -> None:
        """What the newest look came to; what stood there before holds where nothing is told."""
        before, self._found = self._found, ([*attempts], [*(looked_for or self._found[1])])
        if self._found == before:
            self.show_rhythm(self._every)
            return
        self._looked = _time()
        if self._view is not None:
            self._make()
        self._rail.show_looked_for(self._found[1])

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

    def open(self) -> None:
        """Over the screens, which stay as they are."""
        self._screens.show_explanation()
        if self._view is not None:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _make(self) -> None:
        from gpuexplorer.gui.nothing_found import (  # noqa: PLC0415 - with cards, never
            NothingFoundView,
            Search,
        )

        attempts, looked_for = self._found
        if looked_for:  # the computer itself is there in any case
            where = trn("{count} core", "{count} cores", self._host.cores or 1)
            if self._host.memory_bytes is not None:
                where = f"{where}, {memory(self._host.memory_bytes, self._units)}"
            read = Message("Read, and listed at the left as the host.")
            looked_for = [*looked_for, Looked(Thing.HOST, where, found=True, sentence=read)]
        search = Search(attempts, looked_for, self._looked)
        view = self._view = NothingFoundView(search, self._can_look_again)
        view.way_on_chosen.connect(self.way_on_chosen)
        view.practice_asked.connect(self.practice_asked)
        view.look_again_asked.connect(self.look_again_asked)
        view.lab_asked.connect(partial(self._navigation.open_screen, "lab"))
        view.host_asked.connect(partial(self._navigation.open_card, HOST_ID))
        view.reasons_asked.connect(partial(self._navigation.open_screen, "overview"))
        view.show_way_on(back=self._back)
        view.show_looked(search.time, self._every)
        self._screens.explain_with(view)

    def _on_settings_changed(self) -> None:
        units = self._settings.choices.units
        if units != self._units:
            self._units = units
            if self._view is not None:
                self._make()


def _time() -> str:
    now = SystemClock().wall()
    return moment_words(now, now)
