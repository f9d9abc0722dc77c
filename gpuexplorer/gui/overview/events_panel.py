"""EventsPanel: the last few things that took place, the newest on top."""

from collections.abc import Sequence
from dataclasses import replace

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.cards.reasons import nothing_told
from gpuexplorer.gui.overview.short_table import ShortTable
from gpuexplorer.gui.state.event_list import BEGAN, CARD, ENDED, LASTED, EventList
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.cell import PADDING, chips_width
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import wrapped_label
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.telemetry.happenings import Happening

_WIDTHS = {BEGAN: 84, CARD: round(chips_width(2)), "sentence": 190, LASTED: 66}
_NOTHING = mark(
    "Nothing yet. Lost cards, throttling, memory errors and programs that come and go are "
    "listed here."
)


class EventsPanel(Panel):
    """One row an episode, as many as there is room for. A row leads to its moment."""

    def __init__(self, machine: MachineState) -> None:
        super().__init__(tr("Events"))
        self._machine = machine
        self._events = EventList(machine)
        self._cards: Sequence[Shown] = ()
        self.all = link_button(tr("All events"))
        self.head.addWidget(self.all)
        self._nothing = wrapped_label(tr(_NOTHING), Tone.QUIET)
        columns = [
            replace(each, width=_WIDTHS.get(each.key, each.width))
            for each in self._events.columns()
            if each.key != ENDED
        ]
        self.table = ShortTable(tr("Events"), columns, id)
        side = round(PADDING)
        self.body.setContentsMargins(16 - side, 14, 16 - side, 12)
        for each in (self.head, self._nothing):
            each.setContentsMargins(side, 0, side, 0)
        self.body.addWidget(self._nothing)
        self.body.addWidget(self.table, 1)

    def show_happenings(self, log: Sequence[Happening], cards: Sequence[Shown]) -> None:
        if self._events.show_log(log) or cards is not self._cards:
            self._cards = cards
            self.table.show_first(self._events.rows)
            if not self._events.rows:
                self._nothing.setText(nothing_told(self._machine.session, _NOTHING))
            self._nothing.setVisible(not self._events.rows)
