"""CopiesPanel: the table of the copies with its filters and columns, what is to be said of one,
and the rows that are shown as files: SI units, and whether they are modelled.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QPushButton, QStackedLayout, QWidget

from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.result import gigabytes, rounded
from gpuexplorer.core.harmless import csv_of, harmless
from gpuexplorer.core.units import duration, gigabytes_per_second, memory
from gpuexplorer.core.words import Message, mark, paragraph, tr
from gpuexplorer.gui.copies.copies_page import TablesSaving
from gpuexplorer.gui.copies.moving.moved import CopiesNow, Moved, Said, called
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.devices import chip_of
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton, open_below
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, row, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel, Tag
from gpuexplorer.gui.widgets.live_view import EmptyState
from gpuexplorer.gui.widgets.saving import CSV, JSON
from gpuexplorer.gui.widgets.sheets.sheet import line_between

SIMULATED_LINE = mark("SIMULATED: these cards do not exist, their times are modelled")
_COMPACT_BELOW, _MOST_SEARCH, _BELOW = 560, 220, 70
# Whether the line was written for the copy; None: either.
_WHICH: Sequence[tuple[bool | None, str]] = (
    (None, mark("All {count}")),
    (True, mark("Explicit {count}")),
    (False, mark("Implicit {count}")),
)
_COLUMNS = "copies/columns"
# Of a row, under the same names in a file.
_FACTS = (
    *("cell", "line", "code", "what", "within", "thread", "how", "asked", "source", "target"),
    *("bytes", "copies", "pinned", "blocking", "direct", "path", "intact"),
)
_Sorts = Callable[[Moved], float | str | None]
_FIGURES = ("size", "device", "host", "rate", "share", "best")
_MEANINGS = {
    "cell": mark("The cell whose code copied, and the line in it; dashed: it is implicit."),
    "what": mark("The name that it was given, or the expression that copied it."),
    "way": mark("H is the host, a number is a card."),
    "size": mark("Bytes, of repeats all together."),
    "device": mark("How long the device's engine took, of repeats all together."),
    "host": mark("For how long Python was kept, of repeats all together."),
    "rate": mark("Bytes by the device's time. Of less than 64 KiB there is none: latency."),
    "share": mark("Of what the narrowest wire of the way could carry one way, in theory."),
    "best": mark("Of the best rate that was reached on this way in this session."),
    "host_side": mark("Whether the host's memory was pinned. Pageable memory is copied twice."),
    "path": mark("The way of the bytes, and how often they went it."),
    "blocking": mark("Whether Python waited until the bytes had arrived."),
    "intact": mark("Whether what arrived was compared with what was sent, and was the same."),
}


class CopiesPanel(QFrame):
    """Where there are no rows, a sentence and a way on stand in their place."""

    new_copy_asked = Signal()

    def __init__(self, copies: CopiesState, now: CopiesNow) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("All copies"))
        self._copies, self._now = copies, now
        self._asked: bool | None = None
        self.settled = True  # rows stand in their order
        machine = copies.lab.machine
        self.table = CopiesTable(now, machine)
        self.saving = CopiesSaving(machine, self.table, now)
        self._which = Segmented(tr("Which copies"), [(each, "") for each, _ in _WHICH])
        self._which.chosen.connect(self._on_which_chosen)
        remark = ElidedLabel(look().letters.caption, Tone.QUIET)
        remark.setText(tr("times modelled") if copies.modelled else "")
        self.search = SearchField(tr("Filter"))
        self.search.setToolTip(tr("What, its code, from and to, the path"))
        self.search.setMaximumWidth(_MOST_SEARCH)
        self.search.textChanged.connect(self.refresh)
        self.search.left.connect(self.table.setFocus)
        pick = IconButton(Icon.COLUMNS, tr("Choose columns"))
        pick.clicked.connect(partial(self.table.open_column_menu, None))
        meaning = tr("Save the rows that are shown, as CSV or JSON")
        self._export = ToolButton("framed", Icon.EXPORT, tr("Export"), meaning)
        self._export.clicked.connect(self._on_export_asked)
        self.said = Said()  # of one copy, below the table
        self._flag, self.cure = Tag("place"), QPushButton(tr("Show the cure"))
        self._sentence = wrapped_label("", Tone.TEXT)
        self._cure = wrapped_label("", Tone.QUIET, look().letters.caption)
        self._empty = EmptyState(Icon.COPIES)
        self._empty.way_on_chosen.connect(self._on_way_on_chosen)
        self._below = QWidget()
        # As high in every case, so that the table above it stands still.
        self._below.setMinimumHeight(_BELOW)
        words = column(FREE, self._sentence, self._cure, FREE, gap=2)
        said = row(self._flag, words, GROWS, self.cure, gap=12)
        column(line_between(), said, GROWS, within=self._below)
        tools = row(self._which, remark, GROWS, self.search, GROWS, pick, self._export)
        self._stack = QStackedLayout()
        sides = (12, 10, 12, 8)
        column(tools, self._stack, GROWS, self._below, within=self, gap=4, margins=sides)
        # Of a layout that belongs to nobody yet, its first part would be a window of its own.
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty)

    def refresh(self, *_: object, in_order: bool = True) -> None:
        rows, words = self._now.rows, self.search.text().lower().split()
        shown = [
            each
            for each in rows
            if self._asked in (None, each.asked)
            and (not words or all(word in each.found_in for word in words))
        ]
        for which, template in _WHICH:
            count = sum(which in (None, each.asked) for each in rows)
            self._which.show_words(which, tr(template, count=count))
        self._which.show_choice(self._asked)
        self.settled = in_order or self.table.may_move()
        self.table.show_rows(shown, in_order=in_order)
        self._export.setEnabled(bool(shown))
        self._below.setVisible(bool(shown))
        self._stack.setCurrentWidget(self.table if shown else self._empty)
        if not shown:
            self._empty.show_words(*self._nothing())

    def show_said(self, said: Said) -> None:
        self.said = said
        say(self._flag, said.place)
        self._flag.setAccessibleName(tr("Cell {number}", number=said.place))
        restyle(self._flag, "kind", "place" if said.asked else "unasked")
        self._sentence.setText(said.sentence)
        restyle(self._sentence, "tone", (Tone.BAD if said.bad else Tone.TEXT).value)
        say(self._cure, said.cure)
        self.cure.setVisible(bool(said.code))

    def settle(self) -> None:
        """Once nobody reads along any more."""
        if not self.settled and self.table.may_move():
            self.refresh()

    def _nothing(self) -> tuple[str, str, str]:
        """Why there is no row, what there is to say to it, and a way on."""
        if self._now.rows:
            return tr("No copy matches"), "", tr("Show all copies")
        if self._copies.lab.recorded:
            return tr("Nothing had been copied until then"), tr(RECORDED), ""
        if len(self._copies.devices()) < 2:
            only = tr("The lab has one device here: a copy needs two.")
            return tr("Nothing can be copied"), only, ""
        how = tr(
            "Every copy that a cell of the lab makes is listed here, explicit or implicit. "
            "Try X.cuda(1) in the lab, or make a copy here."
        )
        return tr("Nothing has been copied yet"), how, tr("New copy")

    def _on_way_on_chosen(self) -> None:
        if self._now.rows:
            self._asked = None
            self.search.clear()
            self.refresh()
        else:
            self.new_copy_asked.emit()

    def _on_which_chosen(self, asked: bool | None) -> None:
        self._asked = asked
        self.refresh()

    def _on_export_asked(self) -> None:
        menu = QMenu(self._export)
        menu.addAction(tr("Save as CSV…"), partial(self.saving.ask_as, CSV))
        menu.addAction(tr("Save as JSON…"), partial(self.saving.ask_as, JSON))
        menu.addAction(tr("Copy as a table"), self.saving.copy_table)
        open_below(menu, self._export)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        compact = self.width() < _COMPACT_BELOW
        self._which.show_compact(compact)
        self._export.show_compact(compact)


class CopiesTable(Table[Moved]):
    """Repeats are one row: bytes and times are told all together. Escape chooses none."""

    def __init__(self, now: CopiesNow, machine: MachineState) -> None:
        self._now, self._settings = now, machine.settings
        model = TableModel(self._columns(), attrgetter("number"))
        super().__init__(tr("Copies of the lab"), model, machine.session.desk)
        self.columns.sort_by("cell", falling=True)
        self.columns.remember_in(machine.settings, _COLUMNS)

    def _columns(self) -> list[Column[Moved]]:
        by = attrgetter
        # The name, its heading, the cell, what it is sorted by, its width, and how long it is
        # kept where there is little room. Cells stand in their order, and so do copies within
        # one; WRONG is seen in any case.
        table: Sequence[tuple[str, str, Callable[[Moved], Cell], _Sorts, int, int]] = (
            ("cell", tr("Cell"), _cell, by("numbers"), 56, 0),
            ("what", tr("What"), _what, by("names"), 112, 0),
            ("way", tr("From, to"), self._way, lambda moved: str(moved.way[:2]), 80, 0),
            ("size", tr("Size"), self._size, by("bytes"), 74, 12),
            ("device", tr("Device ms"), _device, by("seconds"), 76, 11),
            ("host", tr("Host ms"), _host, by("host_seconds"), 66, 10),
            ("rate", tr("GB/s"), _rate, by("rate"), 54, 13),
            ("share", tr("Of limit, %"), self._share, by("share"), 96, 9),
            ("best", tr("Of best, %"), self._best, self._of_best, 74, 3),
            ("host_side", tr("Host side"), _host_side, by("host_side"), 78, 6),
            ("path", tr("Path"), _path, _path_words, 106, 8),
            ("blocking", tr("Waited"), _waited, by("blocking"), 62, 2),
            ("intact", tr("Intact"), _intact, by("wrong"), 68, 14),
        )
        return [
            Column(
                name,
                heading,
                cell,
                sorts,
                tr(_MEANINGS[name]),
                width=width,
                kept=kept,
                right=name in _FIGURES,
                largest_first=name in ("cell", *_FIGURES),
                stretches=name == "what",
            )
            for name, heading, cell, sorts, width, kept in table
        ]

    def _way(self, moved: Moved) -> Cell:
        ends = moved.source, moved.target
        chips = tuple(chip_of(end, self._now.devices, moved.card(end)) for end in ends)
        source, target = map(called, ends)
        hint = tr("From {source} to {target}", source=source, target=target)
        return Cell(chips=chips, joined=True, hint=hint)

    def _size(self, moved: Moved) -> Cell:
        units, hint = self._settings.choices.units, ""
        size = memory(moved.bytes, units)
        if moved.times:
            each = str(memory(moved.bytes / moved.copies, units))
            hint = tr("{count} copies of {size}", count=moved.copies, size=each)
        return Cell(size.number, unit=size.unit, hint=hint)

    def _share(self, moved: Moved) -> Cell:
        if moved.no_rate is not None:
            return Cell(absent=(tr(moved.no_rate.sentence), "–"), hint=_no_rate(moved))
        if moved.share is None or moved.limit is None:
            hint = tr("No share: {reason}.", reason=moved.why_limit)
            return Cell(absent=(tr("no limit known"), "–"), hint=hint)
        limit = gigabytes_per_second(moved.limit)
        hint = tr("Of {limit} GB/s one way: {reason}", limit=limit, reason=moved.why_limit)
        gauge = Gauge(moved.share, self._now.colour(moved))
        return Cell(f"{moved.share * 100:.0f}", gauge=gauge, hint=hint)

    def _of_best(self, moved: Moved) -> float | None:
        best = self._now.book.best(moved)
        return moved.rate / best if moved.rate is not None and best else None

    def _best(self, moved: Moved) -> Cell:
        share, best = self._of_best(moved), self._now.book.best(moved)
        if share is None or best is None:
            return Cell(hint=_no_rate(moved) or tr("Nothing to compare it with yet."))
        hint = tr("The best so far: {rate} GB/s.", rate=gigabytes_per_second(best))
        return Cell(f"{share * 100:.0f}", hint=hint)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.picked():
            self.setCurrentIndex(QModelIndex())
            self.clearSelection()
        else:
            super().keyPressEvent(event)


def _cell(moved: Moved) -> Cell:
    implicit = "" if moved.asked else tr("Implicit: nobody asked for this copy.")
    flag = "solid" if moved.asked else "dashed"
    return Cell(moved.place, flag=flag, hint=paragraph([implicit, *_where(moved)]))


def _what(moved: Moved) -> Cell:
    tone = Tone.TEXT if moved.asked and not moved.already_there else Tone.QUIET
    hint = paragraph([moved.what, *_where(moved)])
    return Cell(moved.names, mono=True, tone=tone, hint=hint)


def _where(moved: Moved) -> list[Message]:
    """The code that copied, what ran it, and inside which library."""
    place = mark("Cell {cell}, line {line}: {code}.")
    place = place if moved.line else mark("Cell {cell}: {code}.")
    said = [Message(place, cell=moved.cell, line=moved.line, code=moved.code)]
    if moved.ran != moved.cell:
        said.append(Message("Cell {cell} called it.", cell=moved.ran))
    if moved.within:
        one = mark("It was copied inside {within}, {count} call from there.")
        many = mark("It was copied inside {within}, {count} calls from there.")
        said.append(Message.counted(one, many, max(1, moved.deep), within=moved.within))
    if moved.thread == "autograd":
        said.append(Message("A thread of PyTorch's own, which computes gradients, copied it."))
    elif moved.thread:
        said.append(Message("The thread {name} copied it.", name=moved.thread))
    return said


def _no_rate(moved: Moved) -> str:
    """A sentence; empty where there is a rate."""
    why = moved.no_rate
    return "" if why is None else tr("No rate: {reason}.", reason=why.sentence)


def _device(moved: Moved) -> Cell:
    return _seconds(moved, moved.seconds, _no_rate(moved))


def _host(moved: Moved) -> Cell:
    return _seconds(moved, moved.host_seconds, tr("The host's time is not known."))


def _seconds(moved: Moved, seconds: float | None, reason: str) -> Cell:
    """Such that figures of one column end below each other: "12.040", "0.002"."""
    if seconds is None or moved.wrong or (moved.already_there and not seconds):
        return Cell(hint=_no_rate(moved) if moved.wrong else reason)
    hint = tr("Modelled") if moved.modelled else ""
    if moved.times:
        each = mark("{time} each, modelled") if moved.modelled else mark("{time} each")
        hint = tr(each, time=duration(seconds / moved.copies))
    if 0 < seconds < 5e-7:
        return Cell("<0.001", hint=hint)
    return Cell(f"{seconds * 1e3:.3f}" if seconds < 100 else f"{seconds * 1e3:.0f}", hint=hint)


def _rate(moved: Moved) -> Cell:
    if moved.rate is None:
        return Cell(hint=_no_rate(moved))
    return Cell(gigabytes_per_second(moved.rate), hint=tr("Modelled") if moved.modelled else "")


def _host_side(moved: Moved) -> Cell:
    none = tr("The host's memory has no part in it, or it is not known.")
    side = tr(moved.host_side)
    return Cell(side, tone=Tone.QUIET, hint="" if side else none)


def _path_words(moved: Moved) -> str:
    path = tr(moved.path)
    if moved.buffered:
        path = tr("buffered")
    elif HOST in (moved.source, moved.target) and not moved.already_there:
        path = tr("direct")
    return f"{path}, {moved.times}" if path and moved.times else path


def _path(moved: Moved) -> Cell:
    said = [Message("Way: {way}.", way=moved.path)] if moved.path else []
    said += moved.route.notes if moved.route is not None else ()
    if moved.buffered:
        through = mark("It goes through a pinned buffer of the driver: the memory is pageable.")
        said.append(Message(through))
    hint = paragraph(said) or tr("The way is not known.")
    return Cell(_path_words(moved), tone=Tone.QUIET, hint=hint)


def _waited(moved: Moved) -> Cell:
    if moved.blocking is None:
        return Cell(hint=tr("It is not known."))
    if moved.already_there:
        return Cell(hint=tr("There was nothing to wait for."))
    return Cell(tr("yes") if moved.blocking else tr("no"), tone=Tone.QUIET)


def _intact(moved: Moved) -> Cell:
    if moved.wrong:
        hint = tr("What arrived was not what was sent.")
        return Cell(tr("WRONG"), wrong=True, tone=Tone.BAD, hint=hint)
    if moved.intact is None:
        not_checked = tr("What arrived was not compared with what was sent.")
        return Cell(hint="" if moved.already_there else not_checked)
    hint = tr("Compared: it arrived as it was sent.")
    return Cell(icon=Icon.CHECK, tone=Tone.GOOD, hint=hint)


class CopiesSaving(TablesSaving):
    """The rows as they stand. What was not told is blank, and `missing` says why."""

    def __init__(self, machine: MachineState, table: CopiesTable, now: CopiesNow) -> None:
        super().__init__(machine, "copies", tr("Export copies"), table)
        self._table, self._now = table, now

    def csv(self) -> str:
        rows = [
            {name: harmless(e) if isinstance(e, str) else e for name, e in row.items()}
            for row in self._facts()
        ]
        return csv_of(list(rows[0]) if rows else [], rows)

    def json(self) -> str:
        rows = self._facts()
        modelled = any(each["modelled"] for each in rows)
        head = {"schema": 2, "simulated": self.simulated, "modelled": modelled}
        return json.dumps({**head, "copies": rows}, indent=1, ensure_ascii=False) + "\n"

    def _facts(self) -> list[dict[str, object]]:
        return [self._told(each) for each in self._table.listed.things]

    def _told(self, moved: Moved) -> dict[str, object]:
        missing = []
        if moved.no_rate is not None:
            missing.append(f"rate: {moved.no_rate.sentence}")
        elif moved.limit is None:
            missing.append(f"limit: {moved.why_limit}")
        if not moved.line:
            missing.append("line: a thread of PyTorch's own copied")
        if moved.intact is None:
            missing.append("intact: not compared")
        return {
            **{name: getattr(moved, name) for name in _FACTS},
            "line": moved.line or None,
            "what": moved.names,
            "device_s": moved.seconds,
            "host_s": moved.host_seconds,
            "rate_gbs": gigabytes(moved.rate),
            "limit_gbs": gigabytes(moved.limit),
            "share_of_limit": rounded(moved.share),
            "best_gbs": gigabytes(self._now.book.best(moved)),
            "modelled": moved.modelled,
            "simulated": self.simulated,
            "missing": "; ".join(missing),
        }
