"""EventsView: what took place and when, to be narrowed down and looked at on the plots."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.events.event_choice import EventChoice, counted
from gpuexplorer.gui.views.events.event_panel import EventPanel
from gpuexplorer.gui.views.events.event_rows import EventRows, Told
from gpuexplorer.gui.views.events.event_tools import EventTools
from gpuexplorer.gui.widgets.live_view import LiveView
from gpuexplorer.gui.widgets.saving import CSV, Saving, Write, suggested_name
from gpuexplorer.gui.wording.events.event_words import Group, event_face
from gpuexplorer.gui.wording.key_words import EVENT_KEYS
from gpuexplorer.gui.wording.moments import moment_words
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.whole_file import write_whole

_MARGIN, _TOP, _GAP = 24, 20, 12
_NOTHING_LISTED = mark("No event is listed that could be copied.")
SIMULATED_LINE = mark("SIMULATED: these events are made up")
_CAPTIONS = (
    *("time", "simulated", "kind", "card", "card_id", "what_happened", "how_it_came_out"),
    "lasted [s]",
)


class EventsView(LiveView):
    """The newest on top. Enter or a double click leads to the moment on the card's plots."""

    key_groups = (EVENT_KEYS,)

    def __init__(
        self,
        look: Look,
        machine: MachineState,
        time_window: TimeWindow,
        navigation: Navigation,
        frame_clock: FrameClock,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(machine, time_window, frame_clock, processes=True, parent=parent)
        self._navigation = navigation
        self._counts: Counter[Group] = Counter()
        self._listed = 0
        self._rows = EventRows(machine)
        self._tools = EventTools(look, machine)
        self._tools.choice_changed.connect(self._on_choice_changed)
        self._tools.list_asked.connect(self._on_list_asked)
        self._panel = EventPanel(look, self._rows)
        self._saving = Saving(machine.settings, self)
        self._saving.done.connect(self._panel.say)
        self._saving.refused.connect(self._panel.say)
        self._copy = self.add_command(tr("Copy events"), "Ctrl+C", self._on_copy_asked)
        self._export = self.add_command(tr("Export as CSV…"), "Ctrl+S", self._on_export_asked)
        self.add_command(tr("Choose columns…"), "", self._on_columns_asked)
        self._tools.copy_asked.connect(self._copy.trigger)
        self._tools.export_asked.connect(self._export.trigger)
        self._panel.all_asked.connect(self._on_all_asked)
        self._table = self._panel.table
        self._table.columns.remember_in(machine.settings, "events/columns")
        self._rows.choose(self._tools.choice)
        self._table.activated.connect(self._on_activated)
        self._table.customContextMenuRequested.connect(self._on_menu_asked)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, _TOP, _MARGIN, _TOP)
        column.setSpacing(_GAP)
        column.addWidget(self._tools)
        column.addWidget(self._panel, 1)
        self.begin_at(self._table)

    def pull(self) -> None:
        log = self.machine.session.happenings()
        if self._rows.show_log(log):
            self._counts = counted(log)
            self._listed = len(self._rows.listed)
            self._panel.refresh()
        self._say()

    def start_search(self) -> bool:
        self._tools.start_search()
        return True

    def stop(self) -> None:
        self._saving.stop()
        super().stop()

    def _say(self) -> None:
        total = len(self._rows.log)
        self._tools.show_counts(total, self._counts)
        self._panel.show_state(total, self._listed, chosen=not self._rows.choice.all)

    def _selected(self) -> list[Happening]:
        return [each for m in self._table.picked() for each in reversed(m.happenings)]

    def _open(self, happening: Happening) -> None:
        """On the plots of its card, or of all where it is about none that is listed."""
        shown = self.machine.shown(happening.card)
        self.time_window.centre_on(happening.at)
        self.time_window.mark(happening.at, event_face(happening, shown).told)
        if shown is not None and happening.card is not None:
            self._navigation.open_card(happening.card)
        else:
            self._navigation.open_screen("overview")

    def _csv(self, path: Path) -> Write:
        rows = self._rows.told(self._rows.listed)
        return partial(_write, path, rows, simulated=self.machine.session.simulated)

    def _on_choice_changed(self, choice: EventChoice) -> None:
        self._rows.choose(choice)
        self._listed = len(self._rows.listed)
        self._panel.refresh()
        self._panel.say("")
        self._say()

    def _on_all_asked(self) -> None:
        self._tools.show_all()
        self._table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_list_asked(self) -> None:
        self._table.setFocus(Qt.FocusReason.OtherFocusReason)
        if not self._table.currentIndex().isValid():
            self._table.setCurrentIndex(self._table.model().index(0, 0))

    def _on_activated(self, index: QModelIndex) -> None:
        moment = self._panel.moment_at(index)
        if moment is not None:
            self._open(moment.first)

    def _on_copy_asked(self) -> None:
        """What is selected, or all that is listed."""
        chosen = self._selected() or list(self._rows.listed)
        if not chosen:
            self._panel.say(tr(_NOTHING_LISTED))
            return
        session = self.machine.session
        rows, now = self._rows.told(chosen), session.clock.wall()
        text = as_text(rows, now, simulated=session.simulated)
        QGuiApplication.clipboard().setText(text)
        self._panel.say(trn("{count} event copied.", "{count} events copied.", len(chosen)))

    def _on_export_asked(self) -> None:
        if not self._rows.listed:
            self._panel.say(tr(_NOTHING_LISTED))
            return
        session = self.machine.session
        name = suggested_name("events", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Export the events that are listed"), name, [CSV], self._csv)

    def _on_columns_asked(self) -> None:
        self._table.open_column_menu()

    def _on_menu_asked(self, place: QPoint) -> None:
        moment = self._panel.moment_at(self._table.indexAt(place))
        if moment is None:
            return
        happening = moment.first
        menu = QMenu(self)
        show = menu.addAction(tr("Show this moment on the plots"))
        show.triggered.connect(lambda: self._open(happening))
        menu.addAction(self._copy)
        menu.addSeparator()
        kind = tr(happening.kind.value)
        only = menu.addAction(tr("Only the kind “{kind}”", kind=kind))
        only.triggered.connect(lambda: self._tools.show_words(kind))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._table.viewport().mapToGlobal(place))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tools.fit(event.size().width() - 2 * _MARGIN)


def _write(path: Path, rows: Sequence[Told], *, simulated: bool) -> None:
    write_whole(path, [as_csv(rows, simulated=simulated).encode("utf-8")])


def as_text(rows: Sequence[Told], now: float, *, simulated: bool) -> str:
    """With tabs between, so that a spreadsheet takes it as a table. `now`: the time of day."""
    lines = [tr(SIMULATED_LINE)] if simulated else []
    for row in rows:
        time = moment_words(row.happening.wall, now)
        said = (time, row.number, row.happening.sentence, row.result)
        lines.append("\t".join(said).rstrip())
    return "\n".join(lines) + "\n"


def as_csv(rows: Sequence[Told], *, simulated: bool) -> str:
    """The time with its zone, and lengths in seconds. For any thread: it may take long."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CAPTIONS)
    for row in rows:
        happening = row.happening
        moment = datetime.fromtimestamp(happening.wall).astimezone()
        writer.writerow(
            (
                moment.isoformat(timespec="milliseconds"),
                "yes" if simulated else "no",
                happening.kind.value,
                row.number,
                happening.card or "",
                happening.sentence,
                row.result,
                "" if happening.lasted is None else f"{happening.lasted:.6g}",
            )
        )
    return text.getvalue()
