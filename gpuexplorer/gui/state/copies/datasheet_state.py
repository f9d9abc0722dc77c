"""DatasheetState: the datasheets of this machine's cards, from what was measured until now."""

from collections.abc import Sequence
from functools import cached_property

from PySide6.QtCore import QObject, Signal

from gpuexplorer.copies.datasheet.cards_table import CardsTable, OtherCard, What, cards_table
from gpuexplorer.copies.datasheet.products import PowerLog
from gpuexplorer.copies.datasheet.sheet import ASKED, Sheet, Subject, jobs_of, row_of, sheet_of
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core.cards import HOST_ID, Card, Sample
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.telemetry.facts import Fact
from gpuexplorer.telemetry.topology import Topology


class DatasheetState(QObject):
    """Listens to the cards' power while something is measured, and else asks nobody."""

    changed = Signal()  # something was measured

    def __init__(self, copies: CopiesState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._copies = copies
        self._power = PowerLog()
        self._listening = False
        self._unnamed: tuple[Topology | None, Routes | None] = (None, None)
        copies.changed.connect(self.changed)
        copies.progressed.connect(self._on_progressed)

    @cached_property
    def table(self) -> CardsTable:
        """What makers say. Read when it is first needed."""
        return cards_table()

    def devices(self) -> Sequence[BenchDevice]:
        """All cards, also those that PyTorch cannot use: what they promise is known all the
        same. The host comes last, where no model stands for it.
        """
        known = self._copies.lab.devices()
        cards = [each for each in known if each.is_card]
        if cards and self._copies.modelled:
            return cards
        return [*cards, *(each for each in known if each.is_host)]

    def sheet(self, device: BenchDevice) -> Sheet:
        """Of what is known now."""
        return sheet_of(
            self.subject(device),
            self._copies.results,
            self._copies.products,
            self.table,
            self._power,
            simulated=self._copies.modelled,
        )

    def in_table(self, device: BenchDevice) -> OtherCard | None:
        """What its maker says of the same model."""
        card = self._card(device)
        return None if card is None else self.table.match(card.name, card.memory_bytes)

    def link_note(self, device: BenchDevice) -> Message:
        """Such as "cuda:0 runs at x8: card and slot could do x16."; else empty."""
        for job in self.subject(device).copies()[1:2]:
            result = None if job is None else self._copies.result(job)
            if result is not None and result.route is not None:
                return result.route.note
        return NOTHING

    def measure(self, device: BenchDevice) -> None:
        """All rows. Nothing happens while something is being measured."""
        if device.usable:
            self._copies.measure(jobs_of(self.subject(device)))

    def measuring(self, device: BenchDevice) -> What | None:
        """Which row is measured now; None: none of this device's."""
        progress = self._copies.progress
        job = None if progress is None else progress.job
        if job is None:
            return None
        return row_of(self.subject(device), job)

    def stop(self) -> None:
        """For good. Harmless when called twice."""
        self._listen(on=False)

    def subject(self, device: BenchDevice) -> Subject:
        """All that its sheet is made of, but for what was measured."""
        card = self._card(device)
        session = self._copies.lab.machine.session
        reading = None if card is None else session.reading(card.id)
        values = {} if reading is None else reading.values
        missing = {} if reading is None else reading.missing
        routes = self._copies.ways.routes if device.name else self._unnamed_routes()
        return Subject(
            device.name or _stand_in(device.chip),
            card,
            routes,
            {metric: values[metric] for metric in ASKED if metric in values},
            {metric: missing[metric] for metric in ASKED if metric in missing},
            "" if device.name == HOST and not device.label else device.label,
        )

    def _unnamed_routes(self) -> Routes | None:
        """Of cards for which PyTorch has no name: their wires promise the same."""
        topology = self._copies.ways.wiring.topology
        shown = self._copies.lab.machine.cards()
        if topology is None:
            return None
        if self._unnamed[0] is not topology:
            names = {_stand_in(each.number): each.card.id for each in shown}
            self._unnamed = topology, Routes(topology, [each.card for each in shown], names)
        return self._unnamed[1]

    def _card(self, device: BenchDevice) -> Card | None:
        machine = self._copies.lab.machine
        shown = machine.shown(device.card) if device.card is not None else None
        return None if shown is None else shown.card

    def _listen(self, *, on: bool) -> None:
        session = self._copies.lab.machine.session
        if on is not self._listening:
            self._listening = on
            (session.attach if on else session.detach)(self._take)

    def _take(self, fact: Fact) -> None:
        if isinstance(fact, Sample) and fact.card != HOST_ID:
            self._power.take(fact)

    def _on_progressed(self) -> None:
        # It may begin later than it was asked for: PyTorch may have to be found first.
        self._listen(on=self._copies.running)


def key_of(device: BenchDevice) -> str:
    """Also of a card for which PyTorch has no name."""
    return device.card or device.name


def _stand_in(number: str) -> str:
    """No device of PyTorch is called so, and no result is of it."""
    return f"card {number}"
