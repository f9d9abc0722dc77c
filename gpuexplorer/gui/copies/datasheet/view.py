"""DatasheetPage: what a card promises, what it reached here, and other cards beside it."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from gpuexplorer.copies.datasheet.cards_table import OtherCard
from gpuexplorer.copies.datasheet.costs import TypedIn, sheet_as_csv, sheet_as_json
from gpuexplorer.copies.datasheet.sheet import Sheet
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.copies.copies_page import CopiesPage, Heard, PageCommand
from gpuexplorer.gui.copies.datasheet.beside_panel import (
    LETTERS,
    MOST_OTHERS,
    BesidePanel,
    ThisCard,
    groups_of,
    marked,
)
from gpuexplorer.gui.copies.datasheet.costs_panel import CostsPanel
from gpuexplorer.gui.copies.datasheet.model import is_measured, rows_of
from gpuexplorer.gui.copies.datasheet.offers_panel import OffersPanel
from gpuexplorer.gui.copies.datasheet.sheet_panel import SheetPanel
from gpuexplorer.gui.copies.datasheet.words import DATASHEET_KEYS, sentences_of
from gpuexplorer.gui.copies.results_saving import ResultsSaving
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.copies.datasheet_state import DatasheetState, key_of
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.widgets.controls.fields import Choice
from gpuexplorer.gui.widgets.controls.keyboard import line_up
from gpuexplorer.gui.widgets.laid_out import GROWS, Grow, add, column
from gpuexplorer.gui.widgets.live_view import scrolled

_TWO_COLUMNS, _GAP = 1120, 12
_OFFERS = 300
_OTHERS = "copies/datasheet/others"
_TOO_MANY = mark("Three cards are compared with it already. Take one away first.")
# The sheet, the cards that lie beside it and what was typed in; None while there is no sheet.
Saved = Callable[[], tuple[Sheet, Sequence[OtherCard], TypedIn] | None]


class DatasheetPage(CopiesPage):
    """Three panels about the card that is chosen in the first."""

    key_groups = DATASHEET_KEYS

    def __init__(self, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(copies, parent)
        self._state = DatasheetState(copies, self)
        self._devices: Sequence[BenchDevice] = ()
        self._device = ""
        self._shown_now: tuple[object, ...] = ()
        remembered = copies.lab.machine.settings.remembered(_OTHERS) or ""
        self._others = [name for name in remembered.split("\n") if name][:MOST_OTHERS]
        self._sheet = SheetPanel()
        self._beside = BesidePanel()
        self._costs = CostsPanel(copies.lab.machine.settings)
        self._offers = OffersPanel()
        self._offers.setMinimumHeight(_OFFERS)
        content, pictured = QWidget(), QWidget()
        for each in (content, pictured):
            each.setProperty("panel", "page")
        self._above = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._above.setSpacing(_GAP)
        add(self._above, self._sheet, Grow(11), self._beside, Grow(8))
        column(self._above, self._costs, within=pictured, gap=_GAP)
        column(pictured, self._offers, GROWS, within=content, gap=_GAP)
        column(scrolled(content, "page"), within=self)
        self._measure = self.primary_button(tr("Measure"), self.measure)
        self._saving = SheetSaving(copies.lab.machine, self._saved, pictured)
        self.tell_of(self._saving)
        self.tools = (self._saving.button, self._measure)
        self._sheet.chips.chosen.connect(self.choose)
        self._beside.taken_away.connect(self.turn)
        self._offers.table.turned.connect(self.turn)

    @property
    def others(self) -> Sequence[str]:
        """The names of those that lie beside the card."""
        return tuple(self._others)

    def commands(self) -> Sequence[PageCommand]:
        return (
            (tr("Measure the datasheet"), "Ctrl+Return", self.measure),
            (tr("Datasheet of the next card"), "", partial(self._sheet.chips.step, 1)),
            (tr("Datasheet of the previous card"), "", partial(self._sheet.chips.step, -1)),
            (tr("Find a card to compare with"), "", self._offers.start_search),
            (tr("Take all other cards away"), "", self.clear),
            *self._saving.commands(),
        )

    def start_search(self) -> bool:
        self._offers.start_search()
        return True

    def pull(self) -> None:
        devices = self._state.devices()
        if [_face(each) for each in devices] != [_face(each) for each in self._devices]:
            self._devices = devices
            keys = [key_of(each) for each in devices]
            if self._device not in keys:
                self._device = keys[0] if keys else ""
            self._shown_now = ()
        if self._now() != self._shown_now:
            self._show()

    def stop(self) -> None:
        self._state.stop()

    def choose(self, device: str) -> None:
        """The card that the page is about, from now on: its id, or "cpu"."""
        self._device = device
        self._show()

    def turn(self, name: str) -> None:
        """That card lies beside it, or no longer."""
        if name in self._others:
            self._others.remove(name)
        elif len(self._others) < MOST_OTHERS:
            self._others.append(name)
        else:
            self.note.show_refused(tr(_TOO_MANY))
            return
        self._remember()

    def clear(self) -> None:
        self._others = []
        self._remember()

    def measure(self) -> None:
        """All rows of the card that is shown."""
        device = self._shown_device()
        if device is not None:
            self._state.measure(device)

    def heard(self) -> Sequence[Heard]:
        return (
            (self._state.changed, self._show),
            (self.copies.progressed, self._on_progressed),
        )

    def begin(self) -> None:
        self._show()

    def _remember(self) -> None:
        settings = self.copies.lab.machine.settings
        settings.remember(_OTHERS, "\n".join(self._others))
        self._show()

    def _shown_device(self) -> BenchDevice | None:
        return next((each for each in self._devices if key_of(each) == self._device), None)

    def _now(self) -> tuple[object, ...]:
        """All that the page shows hangs on these, and on what was measured."""
        device = self._shown_device()
        if device is None:
            return ()
        subject, measuring = self._state.subject(device), self._state.measuring(device)
        return (*_face(device), subject, self.copies.running, measuring)

    def _show(self) -> None:
        choices = [
            Choice(
                CardId(key_of(each)),
                each.chip,
                tr("Card {number}, {name}", number=each.chip, name=each.label),
                colour=each.colour,
                typed=False,
            )
            for each in self._devices
        ]
        self._sheet.show_devices(choices, self._device)
        self._shown_now = self._now()
        device = self._shown_device()
        if device is None:
            self._measure.setEnabled(False)
            return
        sheet = self._state.sheet(device)
        self._show_sheet(device, sheet)
        self._costs.show_sheet(sheet)
        self._show_others(device, sheet)
        self._measure.setText(tr("Measure again") if is_measured(sheet) else tr("Measure"))
        self._measure.setEnabled(device.usable and not self.copies.running)
        self._measure.setToolTip(tr(device.reason) or _measures(device))

    def _show_sheet(self, device: BenchDevice, sheet: Sheet) -> None:
        names = {each.name: _called(each) for each in self._devices}
        self._sheet.show_sheet(
            device.label,
            device.chip,
            device.colour,
            rows_of(sheet, names, self._state.measuring(device)),
            sentences_of(sheet, names, _titled(device), self._state.link_note(device)),
            paragraph([device.reason, device.way_out, *sheet.notes]),
            modelled=sheet.modelled,
        )

    def _show_others(self, device: BenchDevice, sheet: Sheet) -> None:
        chosen = marked(sheet.beside, self._others)
        this = ThisCard(device.chip, device.colour, device.total_bytes)
        # Alone, its bars would only say again what stands above them.
        groups = groups_of(sheet, this, chosen) if chosen or self._is_wide() else ()
        modelled = sheet.modelled and bool(groups)
        self._beside.show_cards(chosen, groups, modelled=modelled)
        panels = (self._sheet, self._beside, self._costs, self._offers)
        line_up([stop for panel in panels for stop in panel.stops])
        letters = {card.name: LETTERS[at] for at, card in enumerate(chosen)}
        self._offers.show_cards(sheet.beside, letters, self._here())

    def _here(self) -> Mapping[str, Sequence[Chip]]:
        """By the names of the table, this machine's cards."""
        found: dict[str, list[Chip]] = {}
        for device in self._devices:
            card = self._state.in_table(device)
            if card is not None:
                found.setdefault(card.name, []).append(Chip(device.chip, device.colour))
        return found

    def _saved(self) -> tuple[Sheet, Sequence[OtherCard], TypedIn] | None:
        """What is in the files."""
        device = self._shown_device()
        if device is None:
            return None
        sheet = self._state.sheet(device)
        return sheet, marked(sheet.beside, self._others), self._costs.typed_in

    def _on_progressed(self) -> None:
        # Told for every sample, of which nothing is seen here.
        if self._now() != self._shown_now:
            self._show()

    def _is_wide(self) -> bool:
        return self.width() >= _TWO_COLUMNS

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        sideways, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        direction = sideways if self._is_wide() else down
        if direction != self._above.direction():
            self._above.setDirection(direction)
            self._show()


def _face(device: BenchDevice) -> tuple[object, ...]:
    return device.name, device.chip, device.colour, device.label, device.reason, device.usable


def _measures(device: BenchDevice) -> str:
    if device.is_host:
        return tr("Measure all rows of the host")
    return tr("Measure all rows of card {chip}", chip=device.chip)


def _called(device: BenchDevice) -> str:
    return tr("the host") if device.is_host else tr("card {chip}", chip=device.chip)


def _titled(device: BenchDevice) -> str:
    """At the head of a sentence."""
    return tr("The host") if device.is_host else tr("Card {chip}", chip=device.chip)


class SheetSaving(ResultsSaving):
    """Its files hold promises and their sources beside what was measured."""

    def __init__(self, machine: MachineState, saved: Saved, pictured: QWidget) -> None:
        title, what = tr("Datasheet"), tr("datasheet")
        super().__init__(machine, "datasheet", title, what, tuple, pictured)
        self._saved = saved

    def csv(self) -> str:
        saved = self._saved()
        return "" if saved is None else sheet_as_csv(*saved)

    def json(self) -> str:
        saved = self._saved()
        return "" if saved is None else json.dumps(sheet_as_json(*saved), indent=1) + "\n"
