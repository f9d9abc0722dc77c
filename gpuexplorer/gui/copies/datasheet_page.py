"""DatasheetPage: what a card promises, reached and costs, with other cards beside it."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from operator import attrgetter

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QToolTip, QWidget

from gpuexplorer.copies.datasheet.cards_table import (
    Origin,
    OtherCard,
    What,
    cards_table,
    listed,
    number_of,
)
from gpuexplorer.copies.datasheet.costs import (
    CAPTIONS,
    Asked,
    Cost,
    TypedIn,
    costs_of,
    sheet_as_csv,
    sheet_as_json,
    short_number,
)
from gpuexplorer.copies.datasheet.products import PowerLog
from gpuexplorer.copies.datasheet.sheet import ASKED, Row, Sheet, Subject, sheet_of
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core.cards import HOST_ID, Card, CardId, Sample
from gpuexplorer.core.units import GIB, memory, plain
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.copies.copies_page import CopiesPage, PageCommand, ResultsSaving, on_keys
from gpuexplorer.gui.copies.datasheet_facts import (
    all_of,
    below,
    numbers_of,
    said,
    sentences_of,
    titled,
)
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.cell import Cell, Chip, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon, icon_of
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.card_chips import CardChips
from gpuexplorer.gui.widgets.controls.fields import (
    Choice,
    FieldRow,
    Labelled,
    SearchField,
    show_text,
    text_field,
)
from gpuexplorer.gui.widgets.controls.keyboard import line_up
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    Space,
    add,
    column,
    row,
    say,
    wrapped_label,
)
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.gui.widgets.painted import ChipRow
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.telemetry.facts import Fact
from gpuexplorer.telemetry.topology import Topology

_GAP, _ROW, _OFFERS, _SEARCH = 12, 40, 300, 210
_OTHERS, _COSTS = "copies/datasheet/others", "copies/datasheet/costs"
_FACE = attrgetter("name", "chip", "colour", "label", "reason", "usable")
_LETTERS = "ABC"  # of as many cards as lie beside one at most
# By the key of their column: what it is of, its heading, its width, and when it goes.
_OFFERED = {
    "bandwidth": (What.MEMORY, mark("Memory GB/s"), 104, 0),
    "fp32": (What.FP32, mark("FP32 TFLOP/s"), 104, 0),
    "bf16": (What.BF16, mark("BF16 TFLOP/s"), 104, 0),
    "link": (What.TO_CARD, mark("Host GB/s, one way"), 132, 3),
    "peers": (What.PEER, mark("Peer GB/s, one way"), 132, 4),
    "power": (What.POWER, mark("Watts"), 64, 5),
}


_FIGURE_KEYS = (
    ("Up Down Home End", mark("To another figure, and all that is known of it")),
    ("Enter Space", mark("All that is known of this one")),
)
_CARD_KEYS = (
    ("Up Down PgUp PgDown", mark("To another card")),
    ("Enter Space", mark("Compare with it, or take it away")),
)


class DatasheetPage(CopiesPage):
    """The sheet of one card, those that lie beside it, its costs, and all cards to choose."""

    key_groups = (
        (mark("Figures of a card"), _FIGURE_KEYS),
        (mark("Table of other cards"), _CARD_KEYS),
    )

    def __init__(self, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(copies, parent)
        self._settings = copies.lab.machine.settings
        remembered = self._settings.remembered(_OTHERS) or ""
        self.others = [name for name in remembered.split("\n") if name][: len(_LETTERS)]
        self._device = ""  # the key of the one that is shown
        self._seen: tuple[object, ...] = ()
        self._power = PowerLog()
        self._unnamed: tuple[Topology | None, Routes | None] = (None, None)
        content, pictured = QWidget(), QWidget()
        pictured.setProperty("panel", "page")
        self._costs, self._offers = CostsPanel(self._settings), OffersPanel()
        column(self._sheet_panel(), self._costs, within=pictured, gap=_GAP)
        column(pictured, self._offers, GROWS, within=content, gap=_GAP)
        self.show_scrolled(content)
        self._measure = self.primary_button(tr("Measure"), self.measure)
        title, what = tr("Datasheet"), tr("datasheet")
        self._saving = ResultsSaving(self, "datasheet", title, what, pictured)
        self.tools = (self._saving.button, self._measure)
        self._offers.turned.connect(self.turn)
        copies.lab.machine.session.attach(self._take)  # also while nobody looks

    def _sheet_panel(self) -> Panel:
        self._card = Panel("")
        self._chip, self._chips, self._figures = ChipRow(), CardChips(), SheetTable()
        self._modelled = ElidedLabel(look().letters.caption, Tone.QUIET, tr("modelled"))
        self._first, self._more = (wrapped_label("", Tone.TEXT) for _ in range(2))
        self._reason = wrapped_label("", Tone.QUIET)
        self._names = [ToolButton("word", Icon.CLOSE, letter) for letter in _LETTERS]
        for at, name in enumerate(self._names):
            name.clicked.connect(lambda _=False, at=at: self.turn(self._chosen()[at].name))
        self._card.head.insertWidget(0, self._chip)
        add(self._card.head, self._modelled, self._chips)
        add(self._card.body, row(*self._names, FREE), self._figures, Space(10))
        add(self._card.body, self._first, self._more, self._reason)
        self._chips.chosen.connect(self.choose)
        return self._card

    def commands(self) -> Sequence[PageCommand]:
        return (
            (tr("Measure the datasheet"), "Ctrl+Return", self.measure),
            (tr("Datasheet of the next card"), "", partial(self._chips.step, 1)),
            (tr("Datasheet of the previous card"), "", partial(self._chips.step, -1)),
            (tr("Find a card to compare with"), "", self._offers.start_search),
            (tr("Take all other cards away"), "", partial(self._lay, [])),
            *self._saving.commands(),
        )

    def start_search(self) -> bool:
        self._offers.start_search()
        return True

    def pull(self) -> None:
        if self._news() != self._seen:
            self.begin()

    def stop(self) -> None:
        self.copies.lab.machine.session.detach(self._take)

    def choose(self, device: str) -> None:
        """The card that the page is about, from now on: its id, or "cpu"."""
        self._device = device
        self.begin()

    def turn(self, name: str) -> None:
        """That card lies beside it, or no longer."""
        if name in self.others:
            self._lay([each for each in self.others if each != name])
        elif len(self.others) < len(_LETTERS):
            self._lay([*self.others, name])
        else:
            full = mark("Three cards are compared with it already. Take one away first.")
            self.note.show_refused(tr(full))

    def measure(self) -> None:
        """All rows of the card that is shown. Nothing happens while something is measured."""
        device = self._shown()
        if device is not None and device.usable:
            self.copies.measure([*self._subject(device).jobs.values()])

    def csv(self) -> str:
        """Promises and their sources beside what was measured."""
        return sheet_as_csv(*self._saved()) if self._shown() else ""

    def json(self) -> str:
        told = sheet_as_json(*self._saved()) if self._shown() else {}
        return json.dumps(told, indent=1) + "\n"

    def _saved(self) -> tuple[Sheet, Sequence[OtherCard], TypedIn]:
        device = self._shown() or self._devices()[0]
        return self._sheet(self._subject(device)), self._chosen(), self._costs.typed_in

    def begin(self) -> None:
        """All of the page, from what is known now."""
        devices, device, self._seen = self._devices(), self._shown(), self._news()
        usable = device is not None and device.usable
        self._measure.setEnabled(usable and not self.copies.running)
        if device is None:
            return
        subject = self._subject(device)
        sheet = self._sheet(subject)
        choices, names, here = [], {HOST: tr("the host")}, dict[str, list[Chip]]()
        for each in devices:
            said = tr("Card {number}, {name}", number=each.chip, name=each.label)
            key = CardId(each.card or each.name)
            choices.append(Choice(key, each.chip, said, colour=each.colour, typed=False))
            if each.card is not None:
                names[each.name] = tr("card {chip}", chip=each.chip)
            card = self._driver_card(each)
            own = None if card is None else listed(card.name, card.memory_bytes)
            if own is not None:
                here.setdefault(own.name, []).append(Chip(each.chip, each.colour))
        self._chips.show_choices(choices, CardId(device.card or device.name))
        called = tr("The host") if device.is_host else tr("Card {chip}", chip=device.chip)
        size = str(memory(device.total_bytes)) if device.total_bytes else ""
        self._card.show_heading(", ".join(filter(None, (device.label, size))))
        self._chip.show_chips([Chip(device.chip, device.colour)])
        self._chip.setAccessibleName(called)
        chosen = dict(zip(_LETTERS, self._chosen(), strict=False))
        self._figures.names, self._figures.others = names, chosen
        self._figures.colour, self._figures.measuring = device.colour, self._measuring(subject)
        self._figures.show_sheet(sheet)
        link, letters = subject.jobs.get(What.TO_CARD), look().letters
        result = self.copies.results.get(link) if isinstance(link, CopyJob) else None
        note = "" if result is None or result.route is None else result.route.note
        sentences = sentences_of(sheet, names, called, note)
        self._first.setFont((letters.strong if sentences else letters.body).font)
        say(self._first, [*sentences, tr("Nothing has been measured yet.")][0])
        say(self._more, "\n".join(sentences[1:]))
        say(self._reason, paragraph([device.reason, device.way_out]))
        self._modelled.setVisible(sheet.modelled)
        self._costs.show_sheet(sheet)
        self._measure.setText(tr("Measure again") if sheet.measured else tr("Measure"))
        self._measure.setToolTip(tr(device.reason) or tr("Measure all rows of this sheet"))
        for name, letter in zip(self._names, _LETTERS, strict=True):
            other = chosen.get(letter)
            name.setVisible(other is not None)
            if other is not None:
                brief = other.name.removeprefix(f"{other.vendor} ").removeprefix("GeForce ")
                size = str(memory(other.memory_bytes)) if other.memory_bytes else ""
                name.show_words("  ".join(filter(None, (letter, brief, size))))
                away = tr("{letter}: {card}. Take away", letter=letter, card=other.name)
                name.setAccessibleName(away)
                name.setToolTip(tr("Take {card} away", card=other.name))
        self._offers.show_cards({card.name: letter for letter, card in chosen.items()}, here)
        chips = self._chips.findChildren(QAbstractButton)
        line_up([*chips, self._figures, *self._names, *self._costs.stops, *self._offers.stops])

    def _lay(self, names: list[str]) -> None:
        self.others = names
        self._settings.remember(_OTHERS, "\n".join(names))
        self.begin()

    def _chosen(self) -> Sequence[OtherCard]:
        """In the order in which they were chosen."""
        known = {card.name: card for card in cards_table()}
        return [known[name] for name in self.others if name in known]

    def _devices(self) -> Sequence[BenchDevice]:
        """All cards, also those that PyTorch cannot use: what they promise is known all the
        same. The host comes last, where no model stands for it.
        """
        known = self.copies.lab.devices()
        cards = [each for each in known if each.is_card]
        host = [] if cards and self.copies.modelled else [e for e in known if e.is_host]
        return [*cards, *host]

    def _shown(self) -> BenchDevice | None:
        """The one that was chosen, else the first."""
        known = self._devices()
        chosen = (each for each in known if (each.card or each.name) == self._device)
        return next(chosen, known[0] if known else None)

    def _news(self) -> tuple[object, ...]:
        """All that the page shows hangs on these, and on what was measured."""
        device = self._shown()
        subject = None if device is None else self._subject(device)
        measuring = None if subject is None else self._measuring(subject)
        faces = [*map(_FACE, self._devices())]
        return faces, subject, self.copies.running, measuring

    def _measuring(self, subject: Subject) -> What | None:
        """Which row is measured now; None: none of this device's."""
        job = None if self.copies.progress is None else self.copies.progress.job
        return next((what for what, each in subject.jobs.items() if each == job), None)

    def _sheet(self, subject: Subject) -> Sheet:
        copies = self.copies
        measured = copies.results, copies.products, self._power
        return sheet_of(subject, *measured, simulated=copies.modelled)

    def _subject(self, device: BenchDevice) -> Subject:
        card, routes = self._driver_card(device), self.copies.ways.routes
        reading = None if card is None else self.copies.lab.machine.session.reading(card.id)
        values = {} if reading is None else reading.values
        missing = {} if reading is None else reading.missing
        return Subject(
            device.name or _stand_in(device.chip),
            card,
            routes if device.name else self._unnamed_routes(),
            {metric: values[metric] for metric in ASKED if metric in values},
            {metric: missing[metric] for metric in ASKED if metric in missing},
            device.label,
        )

    def _driver_card(self, device: BenchDevice) -> Card | None:
        machine = self.copies.lab.machine
        shown = None if device.card is None else machine.shown(device.card)
        return None if shown is None else shown.card

    def _unnamed_routes(self) -> Routes | None:
        """Of cards for which PyTorch has no name: their wires promise the same."""
        topology, shown = self.copies.ways.wiring.topology, self.copies.lab.machine.cards()
        if topology is not None and self._unnamed[0] is not topology:
            names = {_stand_in(each.number): each.card.id for each in shown}
            self._unnamed = topology, Routes(topology, [each.card for each in shown], names)
        return self._unnamed[1]

    def _take(self, fact: Fact) -> None:
        """What cards draw while something is measured. From the sampler's thread."""
        if self.copies.running and isinstance(fact, Sample) and fact.card != HOST_ID:
            self._power.take(fact)


class SheetTable(Table[Row]):
    """A row per figure. Arrow keys say all that is known about each."""

    def __init__(self) -> None:
        self.names: Mapping[str, str] = {}  # what people call PyTorch's devices
        self.others: Mapping[str, OtherCard] = {}  # by their letters
        self.colour: int | None = None
        self.measuring: What | None = None
        model = TableModel[Row]([], attrgetter("what"))
        super().__init__(tr("Promised and reached"), model, row_height=_ROW)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)

    def show_sheet(self, sheet: Sheet) -> None:
        spoken = partial(said, names=self.names)
        columns = [
            Column("figure", "", self._name, width=190, stretches=True, spoken=spoken),
            Column("bar", "", self._bar, width=104, right=True, copied=False, kept=1),
            Column("reached", tr("reached"), self._reached, width=70, right=True),
            Column("promised", tr("promised"), _promised, width=104, right=True),
            Column("share", tr("share"), _share, width=58, right=True),
            Column("watts", tr("watts"), _watts, width=54, right=True, kept=2),
        ]
        for letter, card in self.others.items():
            other = partial(self._other, card)
            columns.append(
                Column(letter, letter, other, meaning=card.name, width=90, right=True)
            )
        self.listed.show_columns(columns)
        self.show_rows(sheet.rows)
        self.show_all_rows()
        self.columns.fit()

    def _whole(self, row: Row) -> float:
        """What the longest bar of the row stands for."""
        others = (card.figures[row.what].value for card in self.others.values())
        return max(filter(None, (row.reached.value, row.promised.value, *others)), default=1.0)

    def _other(self, card: OtherCard, row: Row) -> Cell:
        share = (card.figures[row.what].value or 0.0) / self._whole(row)
        return _figure(row.what, card, numbers_of(row)[2], Gauge(share, None))

    def _name(self, row: Row) -> Cell:
        return Cell(titled(row, self.names), below=below(row), hint=all_of(row))

    def _bar(self, row: Row) -> Cell:
        """Without a promise there is no scale."""
        reached, promised = row.reached.value, row.promised.value
        if reached is None or not promised:
            return Cell()
        whole = self._whole(row)
        return Cell(gauge=Gauge(reached / whole, self.colour, promised / whole))

    def _reached(self, row: Row) -> Cell:
        hint = all_of(row)
        if row.wrong or row.reached.value is not None:
            words = tr("WRONG") if row.wrong else numbers_of(row)[0]
            return Cell(words, wrong=row.wrong, hint=hint)
        if row.what is self.measuring:
            return Cell(absent=(tr("measuring"), "…"), hint=hint)
        return Cell(absent=() if row.reached.origin is Origin.NOT_YET else ("–",), hint=hint)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        asked = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        before = self.currentIndex()
        if not asked:
            super().keyPressEvent(event)
        index = self.currentIndex()
        shown = self.listed.thing(index)
        if shown is not None and (asked or index != before):
            corner = self.visualRect(index).bottomLeft() + QPoint(120, -4)
            QToolTip.showText(self.viewport().mapToGlobal(corner), all_of(shown), self)


def _promised(row: Row) -> Cell:
    """Without a promise its unit stands there all the same, for what was reached."""
    reached, promised, unit = numbers_of(row)
    if promised:
        return Cell(promised, unit=unit, tone=Tone.QUIET, hint=all_of(row))
    return Cell("–", unit=unit if reached else "", tone=Tone.FAINT, hint=all_of(row))


def _share(row: Row) -> Cell:
    return Cell() if row.share is None else Cell(f"{row.share * 100:.0f}", unit="%")


def _watts(row: Row) -> Cell:
    if row.what is What.POWER or row.reached.value is None:
        return Cell()
    words = number_of(What.POWER, row.watts.value, "W")
    return Cell(words, () if words else ("–",), hint=tr(row.watts.source or row.watts.reason))


class OffersPanel(Panel):
    """The table of cards one could have, with what is looked for among them. Space, Enter, a
    double click, the button or a click in the first column lays a card beside, or takes it
    away; whoever decides shows it.
    """

    turned = Signal(str)  # the name of a card

    def __init__(self) -> None:
        super().__init__(tr("Other cards"), tr("tick up to three to compare them"))
        self._letters: Mapping[str, str] = {}
        self._here: Mapping[str, Sequence[Chip]] = {}
        self._count = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._button = ToolButton("word", Icon.ADD, tr("Compare"))
        self._search = SearchField(tr("Name, maker, year"))
        self._search.setFixedWidth(_SEARCH)
        none_found = tr("No card has these words. Escape shows all.")
        self._nothing = ElidedLabel(look().letters.body, Tone.QUIET, none_found)
        model = TableModel(self._columns(), attrgetter("name"))
        self._table = Table(tr("Cards one could have"), model)
        self._table.columns.setSectionsMovable(True)
        self._table.columns.sort_by("bandwidth", falling=True)
        self._table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.stops = self._button, self._search, self._table  # where the Tab key comes to
        add(self.head, self._count, self._button, self._search)
        add(self.body, self._nothing, self._table, GROWS)
        self.setMinimumHeight(_OFFERS)
        self._search.textChanged.connect(self._show)
        self._search.left.connect(self._table.setFocus)
        self._button.clicked.connect(self._turn)
        on_keys(self._table, ("Space", "Return", "Enter"), self._turn)
        self._table.doubleClicked.connect(self._turn)
        self._table.clicked.connect(self._on_clicked)
        self._table.selectionModel().currentRowChanged.connect(self._show_button)
        self._show()

    def start_search(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def show_cards(
        self, letters: Mapping[str, str], here: Mapping[str, Sequence[Chip]]
    ) -> None:
        """`letters` by the names of those that lie beside, `here` this machine's cards."""
        if (letters, here) != (self._letters, self._here):
            self._letters, self._here = letters, here
            self._show()

    def _show(self) -> None:
        """All whose words are somewhere in a card, in any order."""
        wanted, cards, found = self._search.text().casefold().split(), cards_table(), []
        for card in cards:
            text = f"{card.name} {card.vendor} {card.architecture} {card.year or ''}".casefold()
            if all(each in text for each in wanted):
                found.append(card)
        # What has the same figure, or none, stands in the order of names.
        self._table.show_rows(sorted(found, key=_model_name))
        words = tr("{found} of {count} cards", found=len(found), count=len(cards))
        self._count.show_text(words)
        self._nothing.setVisible(not found)
        self._show_button()

    def _show_button(self) -> None:
        card = self._table.listed.thing(self._table.currentIndex())
        lies = card is not None and card.name in self._letters
        self._button.show_words(tr("Take away") if lies else tr("Compare"))
        self._button.setIcon(icon_of(Icon.CLOSE if lies else Icon.ADD))
        self._button.setEnabled(card is not None)
        self._button.setToolTip(card.name if card else tr("Choose a card in the table"))

    def _columns(self) -> list[Column[OtherCard]]:
        """Those that only mark cards bring those that are marked to the top."""
        number = partial(Column[OtherCard], right=True, largest_first=True)
        compared = tr("Compared with the card above; Space changes it")
        columns = [
            Column("beside", "", self._beside, self._letter, compared, width=34),
            Column("name", tr("Card"), _model, _model_name, width=168, stretches=True),
            Column("here", tr("Here"), self._of_this, self._is_elsewhere, width=60),
            number("year", tr("Year"), _year, attrgetter("year"), width=60, kept=2),
            number("memory", tr("GiB"), _memory, attrgetter("memory_bytes"), width=54),
        ]
        for key, (what, heading, width, kept) in _OFFERED.items():
            about, cell, value = tr(what.words), partial(_figure, what), partial(_value, what)
            columns.append(number(key, tr(heading), cell, value, about, width=width, kept=kept))
        source = Column("source", tr("Source"), _source_of, width=160, kept=1, stretches=True)
        return [*columns, source]

    def _beside(self, card: OtherCard) -> Cell:
        if letter := self._letter(card):
            return Cell(letter, flag="solid", hint=tr("Compared as {letter}", letter=letter))
        return Cell(flag="dashed", hint=tr("Compare it with the card above"))

    def _letter(self, card: OtherCard) -> str | None:
        return self._letters.get(card.name)

    def _of_this(self, card: OtherCard) -> Cell:
        chips = tuple(self._here.get(card.name, ()))
        return Cell(chips=chips, hint=tr("The machine shown has it") if chips else "")

    def _is_elsewhere(self, card: OtherCard) -> bool:
        return card.name not in self._here

    def _turn(self) -> None:
        card = self._table.listed.thing(self._table.currentIndex())
        if card is not None:
            self.turned.emit(card.name)

    def _on_clicked(self, index: QModelIndex) -> None:
        if index.column() == 0:
            self._turn()


def _model(card: OtherCard) -> Cell:
    return Cell(card.name, hint=f"{card.name}, {card.architecture}")


def _model_name(card: OtherCard) -> str:
    return card.name.casefold()


def _year(card: OtherCard) -> Cell:
    return _known(str(card.year or ""))


def _memory(card: OtherCard) -> Cell:
    return _known(plain(round(card.memory_bytes / GIB, 1)) if card.memory_bytes else "")


def _known(text: str) -> Cell:
    return Cell(text) if text else Cell(absent=("–",), hint=tr("not known"))


def _figure(what: What, card: OtherCard, unit: str = "", gauge: Gauge | None = None) -> Cell:
    figure = card.figures[what]
    number = number_of(what, figure.value, unit or what.unit)
    if not number:
        return Cell(absent=("–",), hint=tr(figure.reason))
    return Cell(number, gauge=gauge, hint=tr(figure.source))


def _value(what: What, card: OtherCard) -> float | None:
    return card.figures[what].value


def _source_of(card: OtherCard) -> Cell:
    """What all its figures share, or each of them, without repeats."""
    details = dict.fromkeys(each.detail for each in card.figures.values() if each.detail)
    return Cell("; ".join(details), tone=Tone.QUIET, hint="\n".join(details))


class CostsPanel(Panel):
    """Prices and hours that a person types in, and what they come to. What is typed in is
    remembered: price and rent for each model of card.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(tr("What it costs"), tr("computed from what you type in"))
        self._settings = settings
        self._sheet: Sheet | None = None
        self._kept: dict[str, str] = json.loads(settings.remembered(_COSTS) or "{}")
        self._fields = {asked: text_field(tr(words)) for asked, words in CAPTIONS.items()}
        form = {each.value: Labelled(tr(CAPTIONS[each]), self._fields[each]) for each in Asked}
        self._form = FieldRow(form)
        for asked, field in self._fields.items():
            field.textEdited.connect(partial(self._on_typed, asked))
        self._fields[Asked.CURRENCY].setMaxLength(8)
        self._fields[Asked.CURRENCY].setPlaceholderText("€")
        self._fields[Asked.HOURS_A_DAY].setPlaceholderText("8")
        columns = [
            Column("title", tr("What"), lambda x: Cell(tr(x.title)), width=200, share=0.3),
            Column("value", tr("Comes to"), _comes_to, width=110, right=True),
            Column("source", tr("From"), _source, width=200, stretches=True),
        ]
        self._table = Table(tr("What it comes to"), TableModel(columns, attrgetter("title")))
        self._table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.stops = *self._fields.values(), self._table  # where the Tab key comes to
        add(self.body, self._form, Space(8), self._table)

    @property
    def typed_in(self) -> TypedIn:
        """For the card that is shown."""
        return TypedIn({asked: self._kept.get(self._key(asked), "") for asked in Asked})

    def show_sheet(self, sheet: Sheet) -> None:
        other = self._sheet is None or self._sheet.card != sheet.card
        self._sheet = sheet
        typed = self.typed_in
        for asked, field in self._fields.items() if other else ():
            show_text(field, typed.texts[asked])
            if asked.of_one_model:
                field.setToolTip(tr("Kept for {card}", card=sheet.card))
        wrong = {asked.value: tr(sentence) for asked, sentence in typed.wrong.items()}
        self._form.show_problems(wrong)
        self._table.show_rows(costs_of(sheet, typed))
        self._table.show_all_rows()

    def _key(self, asked: Asked) -> str:
        card = self._sheet.card if asked.of_one_model and self._sheet is not None else ""
        return f"{asked.value}\n{card}"

    def _on_typed(self, asked: Asked, text: str) -> None:
        self._kept[self._key(asked)] = text
        self._settings.remember(_COSTS, json.dumps(self._kept))
        if self._sheet is not None:
            self.show_sheet(self._sheet)


def _comes_to(cost: Cost) -> Cell:
    if cost.value is None:
        return Cell(absent=("–",), hint=tr(cost.reason))
    return Cell(short_number(cost.value), unit=cost.unit)


def _source(cost: Cost) -> Cell:
    return Cell(tr(cost.reason or cost.source), tone=Tone.FAINT if cost.reason else Tone.QUIET)


def _stand_in(number: str) -> str:
    """No device of PyTorch is called so, and no result is of it."""
    return f"card {number}"
