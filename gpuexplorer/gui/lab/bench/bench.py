"""Bench: the devices side by side, with blocks on them that can be carried over."""

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QBrush,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QFrame, QListWidget, QWidget

from gpuexplorer.core.cards import short_name
from gpuexplorer.core.units import USUAL, Units, memory, trimmed
from gpuexplorer.core.words import paragraph, tr, trn
from gpuexplorer.gui.lab.bench.block_list import THING, BenchActions, BlockList, ValuesOf, hue
from gpuexplorer.gui.lab.bench.blocks import (
    FEW_COLUMNS,
    FEW_ROWS,
    Block,
    Key,
    amount,
    blocks_by_device,
)
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run, plain_tip
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage, stage_words
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone, faded, mixed
from gpuexplorer.gui.widgets.laid_out import GROWS, row, say, wrapped_label
from gpuexplorer.gui.widgets.laid_out import column as stacked
from gpuexplorer.gui.widgets.line import ElidedLabel, Line, Wording
from gpuexplorer.gui.widgets.live_view import scrolled
from gpuexplorer.gui.widgets.painted import ChipRow, Painted, Sign
from gpuexplorer.lab.events import Event, Peeked

_EDGE, _GAP, _SIDE = 24, 8, 12
# Pixels of a column: a block can be read; the host without any; nothing is left free beside it.
_LEAST, _FOLDED, _SLIM = 112, 104, 150
_MOST_COLUMNS = 10  # the host, eight cards and meta
_BAR, _LEGEND, _HAIR = 12.0, 18.0, 2.0


class Bench(QWidget):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed."""

    open_asked = Signal(str)  # the name of an object to look into

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._made_of: tuple[object, ...] = ()
        self._there: Mapping[str, Sequence[Block]] = {}
        # Of which object, and after how many cells, a name's values were asked for last.
        self._asked: dict[str, tuple[int, int]] = {}
        self._actions = BenchActions(lab, self)
        self._made_by: int | None = None  # the newest cell of which something is here
        # Also those that are not shown just now: a block may be dragged from one that goes.
        self._made: dict[str, BenchColumn] = {}
        self._columns: list[BenchColumn] = []
        self._places: list[QWidget] = []  # with the list of the rest
        self._taken: list[str] = []  # their devices, and those that are listed
        self._listed: list[BenchDevice] = []
        self._field = QWidget()
        self._field.setProperty("panel", "clear")
        self._area = scrolled(self._field, sideways=True)
        self._rest = QListWidget()  # devices that hold nothing, where there are very many
        self._rest.setProperty("kind", "sections")
        self._row = row(self._rest, within=self._field, gap=_GAP)
        self._note = wrapped_label("", Tone.TEXT)
        self._note.setProperty("kind", "refusal")
        self._note.hide()
        self._reading = QTimer(self, singleShot=True, interval=6000)  # to be read
        stacked(self._area, GROWS, self._note, within=self, gap=_GAP)
        self.setAccessibleName(tr("Bench"))
        self.setAcceptDrops(True)
        self._actions.opened.connect(self.open_asked)
        self._actions.refused.connect(self._on_refused)
        self._reading.timeout.connect(self._on_refused)
        lab.told.connect(self._on_told)
        lab.changed.connect(self._on_lab_changed)
        lab.stage_changed.connect(self._on_lab_changed)
        lab.selection.changed.connect(self._on_selection_changed)

    def pull(self) -> None:
        """What is read live: free memory, say."""
        lab, units = self._lab, self._lab.machine.settings.choices.units
        blocks = self._there
        devices = [each for each in lab.devices() if each.name != "meta" or "meta" in blocks]
        self._actions.devices = shown = devices
        if len(devices) > _MOST_COLUMNS:
            # Only those that hold something, be it their context; the others are listed.
            shown = [e for e in devices if e.is_host or e.context_bytes or blocks.get(e.name)]
        self._listed = rest = [each for each in devices if each not in shown]
        taken = [*map(key_of, shown), "", *map(key_of, rest)]
        if taken != self._taken:
            self._taken = taken
            self._take(shown, rest)
        rows = max((len(parts_of(each)) for each in devices), default=0)
        first = next((each for each in shown if each.is_card and each.usable), None)
        for column, device in zip(self._columns, shown, strict=True):
            there = blocks.get(device.name, ())
            empty = ""
            if any(blocks.values()):
                words = tr("the host") if device.is_host else device.name
                empty = tr("Nothing here. Drop a block to copy it to {device}.", device=words)
            elif device is (first or shown[0]):
                empty = self._why_nothing()
            column.folded = device.is_host and not there and len(devices) > 1
            column.blocks.show_blocks(there, device, units)
            column.show_device(device, units, rows, empty)
        for at, device in enumerate(rest):
            free, name = device.free_bytes, device.name or device.label
            words = (
                name
                if free is None
                else tr("{device}: {amount} free", device=name, amount=memory(free, units))
            )
            self._rest.item(at).setText(words)
            self._rest.item(at).setToolTip(plain_tip(tr(device.reason) or device.label))
        self._arrange()

    def _why_nothing(self) -> str:
        lab = self._lab
        if lab.can_replay:
            return tr("What lay here went with the worker that ended.")
        if lab.stage is Stage.RESTING and lab.ledger.cells:
            return tr("All was given back: the next cell starts PyTorch again.")
        waits = lab.stage not in (Stage.READY, Stage.BUSY)
        how = stage_words(lab.stage, tr(lab.sentence)).sentence if waits else ""
        return paragraph((tr("No tensors yet."), how))

    def _take(self, shown: Sequence[BenchDevice], rest: Sequence[BenchDevice]) -> None:
        self._rest.clear()
        self._rest.addItems([each.name for each in rest])
        more = trn("{count} more, empty", "{count} more, empty", len(rest))
        self._rest.setAccessibleName(more)
        for column in self._columns:
            column.hide()
        for at, device in enumerate(shown):
            if key_of(device) not in self._made:
                made = BenchColumn(device, self._actions, self._values, self._field)
                self._made[key_of(device)] = made
                made.blocks.gone_sideways.connect(partial(self._on_gone_sideways, made))
                made.blocks.seen_changed.connect(self._on_seen_changed)
                made.blocks.walked.connect(partial(self._on_walked, made))
            column = self._made[key_of(device)]
            self._row.insertWidget(at, column)
            column.show()
            column.raise_()  # screen readers go by the order of children
        self._columns = [self._made[key_of(each)] for each in shown]
        self._rest.setVisible(bool(rest))
        self._places = [*self._columns, *([self._rest] if rest else [])]
        self._show_names()

    def _arrange(self) -> None:
        """Whole columns, as many as have room; the others are come to by scrolling."""
        folded = [each for each in self._columns if each.folded]
        room = self.width() + _GAP - len(folded) * (_FOLDED + _GAP)
        count = len(self._places) - len(folded)
        fitting = max(1, min(count, room // (_LEAST + _GAP)))
        for each in self._places:
            width = _FOLDED if each in folded else max(1, room // fitting - _GAP)
            side = _SIDE // 2 if width > _SLIM else 0
            each.setContentsMargins(side, 0, side, 0)
            each.setFixedWidth(width)

    def _show_names(self) -> None:
        for column in self._columns:
            column.blocks.show_names(self._lab.selection.things)

    def _bring_into_sight(self, names: frozenset[str]) -> None:
        """The last of them."""
        there = [each for each in self._columns if each.blocks.bring_into_sight(names)]
        for column in there[-1:]:
            self._area.ensureWidgetVisible(column, 0, 0)

    def _device_at(self, place: QPoint) -> BenchDevice | None:
        there = self._field.mapFrom(self, place)
        found = (each for each in self._places if each.geometry().contains(there))
        column = next(found, None)
        device = column.device if isinstance(column, BenchColumn) else None
        if column is self._rest:
            row = self._rest.indexAt(self._rest.viewport().mapFrom(self._field, there)).row()
            device = self._listed[row] if row >= 0 else None
        return device if device is not None and device.name else None

    def _values(self, block: Block) -> Peeked | None:
        """What was seen before stays until new ones come; inside, more of it may be seen."""
        thing = block.placed
        seen = None if thing is None else self._lab.course.peeked.get(thing.name)
        if thing is None or seen is None or (len(seen.rows), len(seen.rows[0])) != block.grid:
            return None
        return seen if self._lab.recorded or seen.id > thing.id else None

    def _on_told(self, event: Event) -> None:
        for column in self._columns if isinstance(event, Peeked) else ():
            column.blocks.viewport().update()

    def _on_lab_changed(self) -> None:
        """Where the newest cell made something, the bench scrolls to it."""
        if not self.isVisible():
            return  # put together when it is seen again
        ledger = self._lab.ledger
        unnamed = {device: ledger.unnamed_bytes(device) for device in ledger.memory}
        # A cell that was only sent changes nothing on a shelf.
        if self._made_of != (ledger, ledger.shelf, unnamed):
            self._made_of = ledger, ledger.shelf, unnamed
            self._there = blocks_by_device(ledger.things, unnamed)
        self.pull()
        self._show_names()
        newest = next((each for each in reversed(ledger.cells) if each.placed), None)
        if newest is not None and newest.id != self._made_by:
            self._made_by = newest.id
            self._bring_into_sight(frozenset(newest.placed))
        self._on_seen_changed()

    def _on_selection_changed(self) -> None:
        self._show_names()
        self._bring_into_sight(self._lab.selection.things)

    def _on_seen_changed(self) -> None:
        """Values are asked for only between two cells: a look would wait behind a long one, and
        be old by then. Each cell may have changed them.
        """
        cells = len(self._lab.ledger.cells)
        asking = self.isVisible() and self._lab.stage is Stage.READY
        read = [each.blocks.read() for each in self._columns if asking]
        for thing in [e.placed for blocks in read for e in blocks if e.placed and e.grid]:
            if self._asked.get(thing.name) != (thing.id, cells):
                self._asked[thing.name] = (thing.id, cells)
                self._lab.look_into(thing.name, rows=FEW_ROWS, columns=FEW_COLUMNS)

    def _on_walked(self, column: "BenchColumn") -> None:
        if column.blocks.hasFocus():
            self._area.ensureWidgetVisible(column, 0, 0)

    def _on_gone_sideways(self, column: "BenchColumn", side: int) -> None:
        there = self._columns.index(column) + side
        if 0 <= there < len(self._columns):
            blocks = column.blocks
            place = blocks.visualRect(blocks.currentIndex())
            self._columns[there].blocks.enter_at(place.center().y() if blocks.at else None)

    def _on_refused(self, words: str = "") -> None:
        """Empty: it was read, or a person does something else."""
        say(self._note, words)
        if words:
            self._reading.start()
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _carried(self, event: QDropEvent) -> Block | None:
        """The block that is held; None where it has gone meanwhile."""
        mime = event.mimeData()
        key = Key(mime.data(THING).toStdString(), mime.text())
        return next((each for each in self._there.get(key.device, ()) if each.key == key), None)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(THING):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """At the edge, devices that are not seen come into sight."""
        event.acceptProposedAction()
        place, bar = event.position().toPoint(), self._area.horizontalScrollBar()
        if not _EDGE <= place.x() <= self.width() - _EDGE:
            bar.setValue(bar.value() + (_EDGE if place.x() > _EDGE else -_EDGE))
        device, held = self._device_at(place), self._carried(event)
        possible = held is None or device is None or not self._actions.why_not(held, device)
        self._show_target(device, possible=possible)

    def _show_target(self, device: BenchDevice | None, *, possible: bool = True) -> None:
        """A block is held over it."""
        for column in self._columns:
            column.show_held(possible if device == column.device else None)
        listed = self._listed.index(device) if device in self._listed and possible else -1
        self._rest.setCurrentRow(listed)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._show_target(None)

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self._show_target(None)
        device, held = self._device_at(event.position().toPoint()), self._carried(event)
        if held is not None and device is not None:
            self._actions.carry(held, device)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_lab_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()


class BenchColumn(QFrame):
    """One device: its memory, and what lies on it. The list of blocks speaks for the whole."""

    def __init__(
        self, device: BenchDevice, actions: BenchActions, values_of: ValuesOf, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.device, self.folded = device, False  # folded: a host that holds nothing
        self._actions = actions
        self.setProperty("panel", "card")
        letters = look().letters
        self._chip = ChipRow()
        self._title = ElidedLabel(letters.title, Tone.TEXT)
        # It can be used, and something is special about it: told on asking.
        self._special = Sign(Icon.NOTE, Tone.QUIET, QSize(16, 16))
        self._label = ElidedLabel(letters.caption, Tone.QUIET)
        self._free = Line(height=28)
        self._memory = DeviceMemory()
        self._said = wrapped_label("", Tone.QUIET)
        self._count = ElidedLabel(letters.caption, Tone.QUIET)
        self.blocks = BlockList(device, actions, values_of)
        self.blocks.walked.connect(self.show_held)
        self.setFocusProxy(self.blocks)
        self._said.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        head = row(self._chip, self._title, GROWS, self._special)
        above = (head, self._label, self._free, self._memory, self._said, self._count)
        margins = (_SIDE // 2, _SIDE, _SIDE // 2, _GAP)
        stacked(*above, self.blocks, GROWS, within=self, gap=5, margins=margins)

    def show_device(self, device: BenchDevice, units: Units, rows: int, empty: str) -> None:
        """`rows`: the parts of the device with most of them; `empty`: where no block lies."""
        self.device = device
        letters, whole = look().letters, device.usable and device.computes
        name = device.name or tr("Card {number}", number=device.chip)
        label = short_name(device.label)
        if device.modelled and device.usable:
            label = tr("{name}, modelled", name=label)
        colour = device.colour if whole and not device.is_host else None
        self._chip.show_chips([Chip(device.chip, colour)] if device.chip else [])
        self._title.show_text(name)
        self._special.setVisible(device.usable and bool(device.reason))
        self._label.show_text(label)
        self._label.setVisible(not self.folded)
        said = "" if device.name == "meta" else tr("free memory is not known")
        free: list[Wording] = [((said, letters.caption, Tone.FAINT),)]
        if device.free_bytes is not None:
            left = amount(device.free_bytes, device, units)
            said, rest = tr("{amount} free", amount=left), [tr("{unit} free", unit=left.unit)]
            if device.total_bytes:
                total = trimmed(amount(device.total_bytes, device, units).number)
                rest.insert(0, tr("{unit} free of {total}", unit=left.unit, total=total))
            number = left.number, letters.number, Tone.TEXT if whole else Tone.QUIET
            words = [f"{THIN_SPACE}{each}" for each in (*rest, left.unit)]
            free = [(number, (each, letters.body, Tone.QUIET)) for each in words]
        self._free.show_wordings(free)
        facts = [device.label, said]
        for part, size, _ in parts_of(device):
            known = tr("not known") if size is None else amount(size, device, units)
            facts.append(f"{part} {known}")
        blocks, facts = self.blocks.blocks, [*filter(None, facts)]
        why = [*filter(None, (tr(device.reason), tr(device.way_out)))]
        say(self._said, "" if blocks else empty if device.usable else "\n".join(why))
        if device.is_card:
            why.append(tr("Others: also what the driver keeps, on an idle card too."))
        self._memory.show_memory(device, units, 0 if self.folded else rows)
        objects = trn("{count} object", "{count} objects", len(blocks))
        self._count.show_text(objects)
        self._count.setVisible(bool(blocks))
        self.setToolTip(plain_tip("\n".join([*facts, *why])))
        objects = objects if blocks else tr("nothing on it")
        self.blocks.setAccessibleName(f"{name}, {objects}")
        self.blocks.setAccessibleDescription(paragraph([f"{', '.join(facts)}.", *why]))

    def show_held(self, can_come: bool | None = None) -> None:
        """A block is held over it that can, or cannot, come; or it has the keyboard itself."""
        focused = self.blocks.hasFocus() and self.blocks.at is None
        held = "focus" if focused else "" if can_come is None else f"{can_come}"
        restyle(self, "held", held)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.blocks.setFocus(Qt.FocusReason.MouseFocusReason)
            self._actions.choose(None)


def key_of(device: BenchDevice) -> str:
    return device.name or f"card {device.chip}"  # PyTorch has no name for it


# Its words, its size, and its strength of the colour: 0 is not ours, and hatched.
Part = tuple[str, int | None, float]
_CACHE, _TENSORS, _CONTEXT, _HOST = 0.62, 1.0, 0.36, 0.55


def parts_of(device: BenchDevice) -> Sequence[Part]:
    """Of its memory, as they stand below the bar; None: it is not known."""
    if device.name == "meta":
        return ()
    tensors = device.tensor_bytes
    rest = (tr("Others"), device.others_bytes, 0.0)
    if device.is_host:
        return ((tr("Tensors"), tensors, _HOST), rest)
    cache = (tr("Cache"), device.cache_bytes, _CACHE)
    context = (tr("Context"), device.context_bytes, _CONTEXT)
    within = (tr("Tensors"), tensors, _TENSORS)
    return (cache, within, context, rest) if device.usable else (rest,)


class DeviceMemory(Painted):
    """A bar of all there is, true to scale but for the hair that shows where little is; its
    parts in figures below.
    """

    _shown = (BenchDevice("", "", ""), USUAL)

    def show_memory(self, device: BenchDevice, units: Units, rows: int) -> None:
        """`rows`: as many as the device with most has, so that all are alike."""
        self._shown = (device, units)
        self.setFixedHeight(round(_BAR + 6 + rows * _LEGEND))
        self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters, (device, units) = drawing.theme, drawing.letters, self._shown
        bar, parts = QRectF(0, 0, self.width(), _BAR), parts_of(device)
        left, pixel = 0.0, self.width() / (device.total_bytes or 1)
        if device.total_bytes:
            drawing.filled(bar, theme.well, 4)
        for _, size, strength in reversed(parts) if device.total_bytes else ():
            tensors = (device.tensor_bytes or 0) if strength == _CACHE else 0  # lie within it
            taken = max(0, (size or 0) - tensors)
            place = QRectF(left, 0, max(_HAIR, taken * pixel), _BAR) & bar
            left += place.width() if taken else 0.0
            if taken:
                self._fill(drawing, place, strength)
        shown = parts if self.height() > _BAR + _LEGEND else ()
        for at, (words, size, strength) in enumerate(shown):
            middle = _BAR + 6 + (at + 0.5) * _LEGEND
            x = 14.0 if strength == _TENSORS and self.width() > 120 else 0.0  # in that above
            self._fill(drawing, QRectF(x, middle - 4, 8, 8), strength)
            runs = [Run(tr("not known"), letters.caption, theme.faint)]
            if size is not None:
                known = amount(size, device, units)
                unit = Run(f"{THIN_SPACE}{known.unit}", letters.caption, theme.quiet)
                runs = [Run(known.number, letters.body, theme.text), unit]
            baseline, x = middle + letters.caption.cap_height / 2, x + 12.0
            room = drawing.runs_right(self.width(), baseline, runs) - 2 - x
            label = Run(words, letters.caption, theme.quiet)
            drawing.elided(x, baseline, label, max(0.0, room))

    def _fill(self, drawing: Drawing, place: QRectF, strength: float) -> None:
        theme, painter, ink = drawing.theme, drawing.painter, drawing.theme.quiet
        colour = hue(theme, self._shown[0])
        if strength:
            painter.fillRect(place, mixed(theme.surface, colour, strength))
        else:
            painter.fillRect(place, faded(ink, 0.16))
            painter.fillRect(place, QBrush(faded(ink, 0.75), Qt.BrushStyle.BDiagPattern))
