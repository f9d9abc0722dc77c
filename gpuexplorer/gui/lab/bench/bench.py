"""Bench: the devices side by side, with blocks on them that can be carried over."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QBrush,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QMouseEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import Units, trimmed
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.lab.bench.block_list import THING, BenchActions, BlockList, ValuesOf, hue
from gpuexplorer.gui.lab.bench.blocks import (
    FEW_COLUMNS,
    FEW_ROWS,
    Block,
    DeviceQuestion,
    Key,
    Values,
    amount,
    blocks_by_device,
    question_of,
    values_of,
)
from gpuexplorer.gui.lab.device_table import DeviceTable, key_of
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run, plain_tip
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone, faded, mixed
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, row, say, wrapped_label
from gpuexplorer.gui.widgets.laid_out import column as stacked
from gpuexplorer.gui.widgets.line import ElidedLabel, Line, Wording
from gpuexplorer.gui.widgets.live_view import scrolled
from gpuexplorer.gui.widgets.painted import ChipRow, Painted, Sign
from gpuexplorer.lab.events import Event, Failed, Peeked

_EDGE, _GAP, _SIDE = 24, 8, 12
_LEAST, _FOLDED = 136, 104  # pixels of a column: a block can be read; the host without any
_LOW = 380  # pixels of height: below, a column gives up what can be asked for by pointing
_MOST_COLUMNS = 10  # the host, eight cards and meta
_READ = 6000  # milliseconds that a refusal stays to be read
_BAR, _LEGEND, _HAIR = 12.0, 18.0, 2.0
_HATCH = Qt.BrushStyle.BDiagPattern
_STAGES = {
    Stage.SEARCHING: mark("Looking for a Python with PyTorch."),
    Stage.STARTING: mark("PyTorch starts."),
    Stage.FAILED: mark("PyTorch could not be started."),
    Stage.RESTING: mark("No tensors yet: the first cell starts PyTorch."),
}


class Bench(QWidget):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed. Of
    devices that have no room side by side as many are seen as fit; a row above leads to the
    others.
    """

    open_asked = Signal(str)  # the name of an object to look into

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._made_of: tuple[object, ...] = ()
        self._there: Mapping[str, Sequence[Block]] = {}
        self._peeks = Peeks(lab, self)
        self._actions = BenchActions(lab, self)
        self._newest: int | None = None
        # Also those that are not shown just now: a block may be dragged from one that goes.
        self._made: dict[str, BenchColumn] = {}
        self._columns: list[BenchColumn] = []
        self._field = QWidget()
        self._field.setProperty("panel", "clear")
        self._area = scrolled(self._field, sideways=True)
        self._rest = DeviceTable("", self._field)  # of devices that hold nothing
        self._rest.setProperty("panel", "card")
        self._row = row(self._rest, within=self._field, gap=_GAP)
        self._overlay = BenchOverlay(self._field)
        self._refusal = wrapped_label("", Tone.TEXT)
        self._refusal.setProperty("kind", "refusal")
        self._refusal.hide()
        self._reading = QTimer(self, singleShot=True, interval=_READ)
        self._reach: Segmented | None = None  # where not all columns have room
        self._reached: list[str] = []
        self._laid_out = stacked(self._area, GROWS, self._refusal, within=self, gap=_GAP)
        self.setAccessibleName(tr("Bench"))
        self.setAcceptDrops(True)
        self._area.horizontalScrollBar().valueChanged.connect(self._on_scrolled)
        self._actions.opened.connect(self.open_asked)
        self._actions.refused.connect(self._on_refused)
        self._actions.touched.connect(self._refusal.hide)
        self._reading.timeout.connect(self._refusal.hide)
        self._peeks.came.connect(self._on_values_came)
        lab.changed.connect(self._on_lab_changed)
        lab.stage_changed.connect(self._on_stage_changed)
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
        rest = [each for each in devices if each not in shown]
        if [key_of(each) for each in shown] != [key_of(e.device) for e in self._columns]:
            self._take(shown)
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
            column.show_blocks(there, self._direction(device.name))
            column.show_device(device, units, rows, empty)
        words = trn("{count} more, empty", "{count} more, empty", len(rest))
        self._rest.setAccessibleName(words)
        self._rest.show_devices(rest, units, words)
        self._rest.setVisible(bool(rest))
        self._arrange()

    def _why_nothing(self) -> str:
        lab = self._lab
        if lab.can_replay:
            return tr("What lay here went with the worker that ended.")
        if lab.stage is Stage.RESTING and lab.ledger.cells:
            return tr("All was given back: the next cell starts PyTorch again.")
        return tr(_STAGES.get(lab.stage, mark("No tensors yet.")))

    def _direction(self, device: str) -> int:
        """From which side the newest cell brought something there; 0: made on the spot."""
        cell = next((e for e in reversed(self._lab.ledger.cells) if e.finished), None)
        order = {each.name: at for at, each in enumerate(self._actions.devices)}
        for each in () if cell is None else cell.transfers:
            if each.target == device and each.source in order and not each.already_there:
                return -1 if order[each.source] < order[device] else 1
        return 0

    def _take(self, shown: Sequence[BenchDevice]) -> None:
        for column in self._columns:
            self._row.removeWidget(column)
            column.hide()
        for at, device in enumerate(shown):
            column = self._made.get(key_of(device)) or BenchColumn(
                device, self._actions, self._peeks.values, self._field
            )
            if key_of(device) not in self._made:
                self._made[key_of(device)] = column
                column.blocks.gone_sideways.connect(partial(self._on_gone_sideways, column))
                column.blocks.seen_changed.connect(self._on_seen_changed)
                column.blocks.walked.connect(partial(self._on_walked, column))
            self._row.insertWidget(at, column)
            column.show()
            column.raise_()  # screen readers go by the order of children
        self._columns = [self._made[key_of(each)] for each in shown]
        focused = (each for each in self._columns if each.blocks.hasFocus())
        for column in self._columns[:1]:
            self._offer_to_tab_key(next(focused, column))
        # The Tab key has an order of its own.
        for one, other in pairwise((*(each.blocks for each in self._columns), self._rest)):
            QWidget.setTabOrder(one, other)
        self._overlay.raise_()

    @property
    def _places(self) -> list[QWidget]:
        """With the list of the rest."""
        rest = [] if self._rest.isHidden() else [self._rest]
        return [*self._columns, *rest]

    def _arrange(self) -> None:
        """Whole columns, as many as have room; the others are come to by scrolling."""
        places = self._places
        folded = [each for each in self._columns if each.folded]
        room = self.width() + _GAP - len(folded) * (_FOLDED + _GAP)
        count = len(places) - len(folded)
        fitting = max(1, min(count, room // (_LEAST + _GAP)))
        for each in places:
            each.setFixedWidth(_FOLDED if each in folded else max(1, room // fitting - _GAP))
        words = [each.device.chip or each.device.name for each in self._columns]
        if len(places) > len(words):
            words.append(f"+{len(self._actions.devices) - len(words)}")
        if words != self._reached or self._reach is None:
            self._reached = words
            if self._reach is not None:
                self._laid_out.removeWidget(self._reach)
                self._reach.deleteLater()
            self._reach = Segmented(tr("Devices"), list(enumerate(words)), self)
            self._reach.chosen.connect(self._on_device_chosen)
            self._laid_out.insertWidget(0, self._reach)
        self._reach.setVisible(count > fitting)
        self._reach.show_compact(self._reach.full_width() > self.width())
        self._on_scrolled()

    def _show_names(self) -> None:
        """What is selected, and what a failed cell asks."""
        for column in self._columns:
            column.blocks.show_names(self._lab.selection.things)
        question = question_of(self._lab.ledger, self._lab.selection.cell)
        keys = () if question is None else (question.left, question.right)
        ends = [place for key in keys if (place := self._place_of(key)) is not None]
        if len(ends) < 2:
            question = None
        self._overlay.setGeometry(self._field.rect())
        self._overlay.show_question(question, sorted(ends, key=QRect.left))
        words = "" if question is None else question.spoken
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def _place_of(self, key: Key) -> QRect | None:
        """In the field, as far as it is seen."""
        for column in self._columns:
            place = column.blocks.place_of(key)
            if column.device.name == key.device and place is not None:
                corner = column.blocks.viewport().mapTo(self._field, QPoint())
                return place.translated(corner)
        return None

    def _bring_into_sight(self, names: frozenset[str]) -> None:
        """The newest of them."""
        for column in reversed(self._columns):
            if column.blocks.bring_into_sight(names):
                self._area.ensureWidgetVisible(column, 0, 0)
                return

    def _device_at(self, place: QPoint) -> BenchDevice | None:
        there = self._field.mapFrom(self, place)
        found = (each for each in self._places if each.geometry().contains(there))
        column = next(found, None)
        device = column.device if isinstance(column, BenchColumn) else None
        if column is self._rest:
            device = self._rest.device_at(self._rest.mapFrom(self._field, there))
        return device if device is not None and device.name else None

    def _on_lab_changed(self) -> None:
        """Where the newest cell made something, the bench scrolls to it."""
        if not self.isVisible():
            return  # put together when it is seen again
        ledger, causes = self._lab.ledger, self._lab.course.causes
        unnamed = {
            device: (ledger.unnamed_bytes(device), causes.get(device))
            for device in ledger.memory
        }
        # A cell that was only sent changes nothing on a shelf.
        if self._made_of != (ledger, ledger.shelf, unnamed):
            self._made_of = ledger, ledger.shelf, unnamed
            self._there = blocks_by_device(ledger.things, unnamed)
        self.pull()
        self._show_names()
        newest = next((each for each in reversed(ledger.cells) if each.placed), None)
        if newest is not None and newest.id != self._newest:
            self._newest = newest.id
            self._bring_into_sight(frozenset(newest.placed))
        self._on_seen_changed()

    def _on_stage_changed(self) -> None:
        if self.isVisible():
            self.pull()

    def _on_selection_changed(self) -> None:
        self._show_names()
        self._bring_into_sight(self._lab.selection.things)
        self.pull()

    def _on_values_came(self) -> None:
        for column in self._columns:
            column.blocks.viewport().update()

    def _on_seen_changed(self) -> None:
        if self.isVisible():
            self._show_names()
            for column in self._columns:
                self._peeks.ask(column.blocks.read())

    def _on_device_chosen(self, at: int) -> None:
        self._area.horizontalScrollBar().setValue(self._places[at].x())
        if self._reach is not None:
            self._reach.show_choice(at)  # also where it cannot come to the left edge

    def _on_scrolled(self) -> None:
        """The first that is seen as a whole."""
        left = self._area.horizontalScrollBar().value()
        found = (at for at, each in enumerate(self._places) if each.x() >= left)
        if self._reach is not None and self._reached:
            self._reach.show_choice(next(found, 0))

    def _on_walked(self, column: "BenchColumn") -> None:
        if column.blocks.hasFocus():
            self._offer_to_tab_key(column)
            self._area.ensureWidgetVisible(column, 0, 0)

    def _offer_to_tab_key(self, chosen: "BenchColumn") -> None:
        """One stop for the Tab key; the arrow keys go from column to column."""
        strong, click = Qt.FocusPolicy.StrongFocus, Qt.FocusPolicy.ClickFocus
        for column in self._columns:
            column.blocks.setFocusPolicy(strong if column is chosen else click)

    def _on_gone_sideways(self, column: "BenchColumn", side: int) -> None:
        there = self._columns.index(column) + side
        if 0 <= there < len(self._columns):
            at = column.blocks.at
            place = None if at is None else column.blocks.place_of(at.key)
            self._columns[there].blocks.enter_at(None if place is None else place.center().y())

    def _on_refused(self, _block: Block, words: str) -> None:
        self._refusal.setText(words)
        self._refusal.show()
        self._reading.start()
        if QAccessible.isActive():
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
        """At the edge and over the row above, devices that are not seen come into sight."""
        event.acceptProposedAction()
        place, bar = event.position().toPoint(), self._area.horizontalScrollBar()
        if not _EDGE <= place.x() <= self.width() - _EDGE:
            bar.setValue(bar.value() + (_EDGE if place.x() > _EDGE else -_EDGE))
        under = self.childAt(place)
        if isinstance(under, QToolButton):
            under.click()
        device, held, possible = self._device_at(place), self._carried(event), True
        if held is not None and device is not None:
            try:
                self._actions.line_to(held, device)
            except Trouble:
                possible = False
        for column in self._columns:
            column.show_target(possible if device == column.device else None)
        self._rest.show_target(key_of(device) if device is not None and possible else None)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        for column in self._columns:
            column.show_target(None)
        self._rest.show_target(None)

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.dragLeaveEvent(QDragLeaveEvent())
        device, held = self._device_at(event.position().toPoint()), self._carried(event)
        if held is not None and device is not None:
            self._actions.carry(held, device)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_lab_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()


class BenchColumn(Painted):
    """One device: its memory, and what lies on it. The list of blocks speaks for the whole."""

    def __init__(
        self, device: BenchDevice, actions: BenchActions, values_of: ValuesOf, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.device, self.folded = device, False  # folded: a host that holds nothing
        self._actions = actions
        self._target: bool | None = None
        self._known = False
        letters = self.look.letters
        self._chip = ChipRow()
        self._title = ElidedLabel(letters.title, Tone.TEXT)
        # It can be used, and something is special about it: told on asking.
        self._note = Sign(Icon.NOTE, Tone.QUIET, QSize(16, 16))
        self._label = ElidedLabel(letters.caption, Tone.QUIET)
        self._free = Line(height=28)
        self._memory = DeviceMemory()
        self._said = wrapped_label("", Tone.QUIET)
        self._count = ElidedLabel(letters.caption, Tone.QUIET)
        self.blocks = BlockList(device, actions, values_of)
        self.blocks.walked.connect(self.update)
        self.setFocusProxy(self.blocks)
        self._said.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        head = row(self._chip, self._title, GROWS, self._note)
        above = (head, self._label, self._free, self._memory, self._said, self._count)
        margins = (_SIDE, _SIDE, _SIDE, _GAP)
        stacked(*above, self.blocks, GROWS, within=self, gap=5, margins=margins)

    def show_device(self, device: BenchDevice, units: Units, rows: int, empty: str) -> None:
        """`rows`: the parts of the device with most of them; `empty`: where no block lies."""
        self.device = device
        letters, whole = self.look.letters, device.usable and device.computes
        name = device.name or tr("Card {number}", number=device.chip)
        label = device.label.removeprefix("NVIDIA ")
        if device.modelled and device.usable:
            label = tr("{name}, memory modelled", name=label)
        colour = device.colour if whole and not device.is_host else None
        self._chip.show_chips([Chip(device.chip, colour)] if device.chip else [])
        self._title.show_text(name)
        self._note.setVisible(device.usable and bool(device.reason))
        self._label.show_text(label)
        self._label.setVisible(not self.folded and self.height() >= _LOW)
        lacks = "" if device.name == "meta" else tr("free memory is not known")
        free: list[Wording] = [((lacks, letters.caption, Tone.FAINT),)]
        facts = [label, lacks]
        if device.free_bytes is not None:
            left = amount(device.free_bytes, device, units)
            facts[1] = tr("{amount} free", amount=left)
            words = [tr("{unit} free", unit=left.unit), left.unit]
            if device.total_bytes:
                total = trimmed(amount(device.total_bytes, device, units).number)
                words.insert(0, tr("{unit} free of {total}", unit=left.unit, total=total))
            number = left.number, letters.number, Tone.TEXT if whole else Tone.QUIET
            free = [
                (number, (f"{THIN_SPACE}{each}", letters.body, Tone.QUIET)) for each in words
            ]
        self._free.show_wordings(free)
        for part, size, _ in parts_of(device):
            known = tr("not known") if size is None else amount(size, device, units)
            facts.append(f"{part} {known}")
        said, facts = [tr(device.reason), tr(device.way_out)], [e for e in facts if e]
        blocks = self.blocks.blocks
        say(self._said, "" if blocks else empty if device.usable else "\n".join(said).strip())
        chosen, span = self.blocks.chosen, (0, 0)
        if chosen is not None:
            older = blocks[blocks.index(chosen) + 1 :]
            span = (sum(each.own for each in older), chosen.own)
        self._memory.show_memory(device, units, 0 if self.folded else rows, span)
        objects = trn("{count} object", "{count} objects", len(blocks))
        self._count.show_text(objects)
        self._count.setVisible(bool(blocks))
        self.setToolTip(plain_tip("\n".join(filter(None, [*facts, *said]))))
        self.blocks.show_device(device, units)
        objects = objects if blocks else tr("nothing on it")
        self.blocks.setAccessibleName(f"{name}, {objects}")
        self.blocks.setAccessibleDescription(paragraph([f"{', '.join(facts)}.", *said]))

    def show_blocks(self, blocks: Sequence[Block], come_from: int) -> None:
        """`come_from`: from the column at the left (-1), at the right (1), or from none."""
        if blocks != self.blocks.blocks or not self._known:
            moves = self._known and self.look.motion and self.isVisible()
            self.blocks.show_blocks(blocks, come_from if moves else None)
            self._known = True

    def show_target(self, possible: bool | None) -> None:
        """A block is held over it; None: it is not."""
        if possible is not self._target:
            self._target = possible
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, whole = drawing.theme, QRectF(self.rect())
        drawing.tile(whole)
        if self._target is not None:
            edge = theme.accent if self._target else theme.faint
            drawing.tile(whole, faded(edge, 0.08), edge)
        if self.blocks.hasFocus() and self.blocks.at is None:
            drawing.focus_ring(whole)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.blocks.setFocus(Qt.FocusReason.MouseFocusReason)
            self._actions.touched.emit()
            self._actions.choose(None)


Part = tuple[str, int | None, float]  # with its strength of the colour; 0 is not ours: hatched
_CACHE, _TENSORS, _CONTEXT, _HOST = 0.62, 1.0, 0.36, 0.55


def parts_of(device: BenchDevice) -> Sequence[Part]:
    """Of its memory, as they stand below the bar; None: it is not known."""
    # What the driver keeps for itself is there on an idle card too.
    words = tr("Others") if device.is_host else tr("Driver, others")
    others = (words, device.others_bytes, 0.0)
    if device.name == "meta":
        return ()
    if device.is_host:
        return ((tr("Tensors"), device.tensor_bytes, _HOST), others)
    if not device.usable:
        return (others,)
    return (
        (tr("Cache"), device.cache_bytes, _CACHE),
        (tr("Tensors in it"), device.tensor_bytes, _TENSORS),
        (tr("Context"), device.context_bytes, _CONTEXT),
        others,
    )


class DeviceMemory(Painted):
    """A bar of all there is, true to scale but for the hair that shows where little is; its
    parts in figures below.
    """

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[BenchDevice, Units, tuple[int, int]] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_memory(
        self, device: BenchDevice, units: Units, rows: int, span: tuple[int, int]
    ) -> None:
        """`rows`: as many as the device with most has, so that all are alike; `span`: bytes of
        tensors before the block that is selected, and its own.
        """
        if (device, units, span) != self._shown:
            self._shown = (device, units, span)
            self.update()
        self.setFixedHeight(round(_BAR + 6 + rows * _LEGEND))

    def draw(self, drawing: Drawing) -> None:
        if self._shown is None:
            return
        theme, letters = drawing.theme, drawing.letters
        device, units, span = self._shown
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
            if strength in (_TENSORS, _HOST) and span[1]:
                chosen = QRectF(place.left() + span[0] * pixel, 0, span[1] * pixel, _BAR)
                drawing.outlined(chosen & place, QPen(theme.text, 1.5), 1)
        for at, (words, size, strength) in enumerate(parts if self.height() > 20 else ()):
            middle = _BAR + 6 + (at + 0.5) * _LEGEND
            x = 14.0 if strength == _TENSORS else 0.0  # contained in the one above
            self._fill(drawing, QRectF(x, middle - 4, 8, 8), strength)
            runs = [Run(tr("not known"), letters.caption, theme.faint)]
            if size is not None:
                known = amount(size, device, units)
                unit = Run(f"{THIN_SPACE}{known.unit}", letters.caption, theme.quiet)
                runs = [Run(known.number, letters.body, theme.text), unit]
            baseline, x = middle + letters.caption.cap_height / 2, x + 14
            room = drawing.runs_right(self.width(), baseline, runs) - 4 - x
            label = Run(words, letters.caption, theme.quiet)
            drawing.elided(x, baseline, label, max(0.0, room))

    def _fill(self, drawing: Drawing, place: QRectF, strength: float) -> None:
        theme, painter = drawing.theme, drawing.painter
        colour = theme.quiet if self._shown is None else hue(theme, self._shown[0])
        if strength:
            painter.fillRect(place, mixed(theme.surface, colour, strength))
        else:
            painter.fillRect(place, faded(theme.quiet, 0.16))
            painter.fillRect(place, QBrush(faded(theme.quiet, 0.75), _HATCH))


class BenchOverlay(Painted):
    """The question of two blocks on different devices, drawn between them; takes no mouse."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.question: DeviceQuestion | None = None
        self._ends: Sequence[QRect] = ()
        self.hide()

    def show_question(self, question: DeviceQuestion | None, ends: Sequence[QRect]) -> None:
        """`ends` from left to right."""
        if (question, ends) != (self.question, self._ends):
            self.question, self._ends = question, ends
            self.setVisible(question is not None)
            self.raise_()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        if self.question is None:
            return
        theme, letters = drawing.theme, drawing.letters
        left, right = (QRectF(each) for each in self._ends)
        begin = QPointF(left.right() + 1, left.center().y())
        end = QPointF(right.left(), right.center().y())
        low = min(max(left.bottom(), right.bottom()) + 36, self.height() - 48)
        pen = QPen(theme.bad, 1.5)
        pen.setDashPattern([2.7, 2.3])
        drawing.painter.setPen(pen)
        down, up = QPointF(begin.x() + 6, begin.y()), QPointF(end.x() - 6, end.y())
        corners = down, QPointF(down.x(), low), QPointF(up.x(), low), up
        drawing.painter.drawPolyline(QPolygonF([begin, *corners, end]))
        drawing.painter.setPen(Qt.PenStyle.SolidLine)
        sign = Run(self.question.sign, letters.strong, theme.text)
        words = Run(self.question.words, letters.body, theme.text)
        pill = QRectF(0, 0, max(28.0, sign.width + 16), 28)
        pill.moveCenter(QPointF((begin.x() + end.x()) / 2, low))
        box = QRectF(pill.center().x() - words.width / 2 - 8, low + 18, words.width + 16, 24)
        box.moveLeft(min(max(2.0, box.left()), self.width() - box.width() - 2))
        for place, run, edge in ((pill, sign, theme.bad), (box, words, theme.line)):
            drawing.filled(place, theme.raised, place.height() / 2)
            drawing.outlined(place, QPen(edge, 1.5), place.height() / 2)
            baseline = place.center().y() + run.letters.cap_height / 2
            drawing.text(place.center().x() - run.width / 2, baseline, run)


class Peeks(QObject):
    """The values of what is seen. What was seen before stays to be read until new ones come."""

    came = Signal()  # values of something

    def __init__(self, lab: Lab, parent: QObject) -> None:
        super().__init__(parent)
        self._lab = lab
        self._asked: dict[int, str] = {}
        self._newest: dict[str, tuple[int, int]] = {}  # that was asked for
        self._values: dict[str, tuple[int, Values]] = {}  # with what the name stood for
        lab.told.connect(self._on_told)

    def ask(self, blocks: Iterable[Block]) -> None:
        """Only between two cells: a look would wait behind a long one, and be old by then."""
        if self._lab.stage is not Stage.READY:
            return
        # Each cell may have changed values where they are.
        ended = sum(e.state not in ("waiting", "running") for e in self._lab.ledger.cells)
        for thing in [e.placed for e in blocks if e.placed is not None and e.grid is not None]:
            version = (thing.id, ended)
            if self._newest.get(thing.name) != version:
                self._newest[thing.name] = version
                number = self._lab.look_into(thing.name, rows=FEW_ROWS, columns=FEW_COLUMNS)
                self._asked[number] = thing.name

    def values(self, block: Block) -> Values | None:
        if block.placed is None:
            return None
        if self._lab.recorded:
            # As it was last seen; what was seen inside may be more of it than has room here.
            seen = self._lab.course.peeked.get(block.placed.name)
            shape = None if seen is None else (len(seen.rows), len(seen.rows[0]))
            return values_of(seen) if seen is not None and shape == block.grid else None
        kept = self._values.get(block.placed.name)
        return kept[1] if kept is not None and kept[0] == block.placed.id else None

    def _on_told(self, event: Event) -> None:
        if isinstance(event, Peeked | Failed) and event.id in self._asked:
            name = self._asked.pop(event.id)
            thing = self._lab.ledger.things.get(name)
            if isinstance(event, Peeked) and thing is not None:
                self._values[name] = (thing.id, values_of(event))
                self.came.emit()
