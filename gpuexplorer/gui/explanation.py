"""Explanation: why no card is read, kept up to date with each look for one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from gpuexplorer.core.cards import HOST_ID, Card
from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.units import Units, memory
from gpuexplorer.core.words import Message, trn
from gpuexplorer.gui.cards.moments import moment_words
from gpuexplorer.gui.rail.rail import Rail
from gpuexplorer.gui.screens import Screens
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.looked_for import Looked, Thing

if TYPE_CHECKING:
    from gpuexplorer.gui.nothing_found.view import NothingFoundView


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
        self._settings = settings
        self._screens = screens
        self._navigation = navigation
        self._rail = rail
        self._host = host
        self._units = settings.choices.units
        self._can_look_again = can_look_again
        self._attempts, self._looked_for = [*attempts], [*looked_for]
        self._every: float | None = None
        self._looked = self._time()
        self._back = False
        self._view: NothingFoundView | None = None
        screens.explanation_needed.connect(self._make)
        rail.show_looked_for(looked_for)
        settings.changed.connect(self._on_settings_changed)

    def show_search(
        self, attempts: Sequence[Attempt], looked_for: Sequence[Looked] = ()
    ) -> None:
        """What the newest look came to; what stood there before holds where nothing is told."""
        found = [*attempts], [*(looked_for or self._looked_for)]
        if found == (self._attempts, self._looked_for):
            self.show_rhythm(self._every)
            return
        self._attempts, self._looked_for = found
        self._looked = self._time()
        self._make_anew()
        self._rail.show_looked_for(self._looked_for)

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
        self._every, self._looked = every, self._time()
        if self._view is not None:
            self._view.show_looked(self._looked, every)

    def open(self) -> None:
        """Over the screens, which stay as they are."""
        self._screens.show_explanation()
        if self._view is not None:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _make_anew(self) -> None:
        if self._view is not None:
            self._make()

    def _make(self) -> None:
        from gpuexplorer.gui.nothing_found.view import (  # noqa: PLC0415 - with cards, never
            NothingFoundView,
            Search,
        )

        here = [*self._looked_for]
        if here:
            here.append(_host_looked_for(self._host, self._units))
        search = Search(self._attempts, here, self._looked)
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

    def _time(self) -> str:
        now = SystemClock().wall()
        return moment_words(now, now)

    def _on_settings_changed(self) -> None:
        units = self._settings.choices.units
        if units != self._units:
            self._units = units
            self._make_anew()


def _host_looked_for(host: Card, units: Units) -> Looked:
    """The computer itself, which is there in any case."""
    where = trn("{count} core", "{count} cores", host.cores or 1)
    if host.memory_bytes is not None:
        where = f"{where}, {memory(host.memory_bytes, units)}"
    sentence = Message("Read, and listed at the left as the host.")
    return Looked(Thing.HOST, where, found=True, sentence=sentence)
