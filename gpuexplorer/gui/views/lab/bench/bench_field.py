"""BenchField: the columns side by side, the list of the rest, and what lies over them."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.bench.column import BenchColumn, ValuesOf
from gpuexplorer.gui.views.lab.bench.overlay import BenchOverlay, End
from gpuexplorer.gui.views.lab.bench.rest_list import RestList
from gpuexplorer.gui.views.lab.bench.shelves import Shelf
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Key

_LEAST_HEIGHT = 220
GAP = 8
_HOLDING = 192  # a block can be read
_EMPTY = 136  # the head and the foot can
_MOST_COLUMNS = 10  # the host, eight cards and meta


class BenchField(QWidget):
    """As wide as it has to be; the bench around it scrolls."""

    column_made = Signal(BenchColumn)
    arranged = Signal()

    def __init__(self, look: Look, values_of: ValuesOf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._values_of = values_of
        self._columns: dict[str, BenchColumn] = {}
        self._holding: Sequence[bool] = ()
        self._room = 0
        self.setProperty("panel", "clear")
        self._rest = RestList(look)
        self._rest_area = QScrollArea(self)
        self._rest_area.setProperty("panel", "clear")
        self._rest_area.setWidgetResizable(True)
        self._rest_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._rest_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._rest_area.setWidget(self._rest)
        self._rest_area.hide()
        self.overlay = BenchOverlay(look, self)

    @property
    def columns(self) -> Sequence[BenchColumn]:
        """From left to right."""
        return list(self._columns.values())

    def show_shelves(
        self,
        shelves: Sequence[Shelf],
        words: Sequence[tuple[str, ...]],
        direction: Callable[[str], int],
    ) -> None:
        """`words`: where no block lies; `direction`: from where new blocks come in."""
        hosts = [each.device.is_host for each in shelves]
        in_column = in_columns([each.used for each in shelves], hosts)
        shown = [each for each, column in zip(shelves, in_column, strict=True) if column]
        rest = [each for each, column in zip(shelves, in_column, strict=True) if not column]
        rows = max((_rows(each) for each in shown), default=0)
        before = list(self._columns)
        said = dict(zip(map(_name, shelves), words, strict=True))
        self._take(shown)
        for shelf in shown:
            column = self._columns[_name(shelf)]
            column.show_face(shelf.face, rows)
            column.show_empty(said[_name(shelf)])
            column.show_blocks(shelf.blocks, direction(shelf.device.name))
        self._rest.show_faces([each.face for each in rest])
        holding = [bool(each.blocks) for each in shown]
        if holding and not any(holding):
            holding[0] = True  # what stands there in words wants as much room
        listed = self._rest_area.isVisibleTo(self) is not bool(rest)
        if holding != self._holding or before != list(self._columns) or listed:
            self._holding = holding
            self._rest_area.setVisible(bool(rest))
            self._arrange()

    def show_names(self, names: frozenset[str]) -> None:
        for column in self._columns.values():
            column.show_names(names)

    def show_target(self, device: str | None, possible: bool) -> None:
        for column in self._columns.values():
            column.show_target(possible if device == column.device and device else None)
        self._rest.show_target(device if possible else None)

    def show_room(self, width: int) -> None:
        if width != self._room:
            self._room = width
            self._arrange()

    def offer_to_tab_key(self, chosen: BenchColumn) -> None:
        """One stop for the Tab key; the arrow keys go from column to column."""
        for column in self._columns.values():
            here = column is chosen
            column.setFocusPolicy(
                Qt.FocusPolicy.StrongFocus if here else Qt.FocusPolicy.ClickFocus
            )

    def bring_into_sight(self, names: frozenset[str]) -> BenchColumn | None:
        """The newest of them, within its column; that one comes back, to be shown itself."""
        for column in reversed(self.columns):
            if column.bring_into_sight(names):
                return column
        return None

    def go_beside(self, column: BenchColumn, side: int) -> None:
        columns = self.columns
        there = columns.index(column) + side
        if 0 <= there < len(columns):
            at = column.view.at
            y = None if at is None else column.place_of_block(at).center().y()
            columns[there].enter_at(y)

    def device_at(self, place: QPoint) -> str | None:
        for column in self._columns.values():
            if column.geometry().contains(place):
                return column.device or None
        if self._rest_area.isVisible() and self._rest_area.geometry().contains(place):
            return self._rest.device_at(self._rest.mapFrom(self, place)) or None
        return None

    def end_of(self, key: Key) -> End | None:
        """Where a line from a block begins."""
        place = self.place_of(key)
        column = next((each for each in self.columns if each.device == key.device), None)
        if place is None or column is None:
            return None
        return End(place, free_above=column.parts()[0] == key)

    def place_of(self, key: Key) -> QRectF | None:
        """In its own coordinates."""
        column = next((each for each in self.columns if each.device == key.device), None)
        if column is None or column.block(key) is None:
            return None
        return column.place_of_block(key).translated(column.pos())

    def _take(self, shown: Sequence[Shelf]) -> None:
        names = [_name(each) for each in shown]
        if names == list(self._columns):
            return
        for name in [name for name in self._columns if name not in names]:
            column = self._columns.pop(name)
            column.hide()
            column.deleteLater()
        columns = {}
        for shelf in shown:
            columns[_name(shelf)] = self._columns.get(_name(shelf)) or self._make(shelf)
        self._columns = columns
        first = next((each for each in columns.values() if each.hasFocus()), None)
        for column in [first] if first else list(columns.values())[:1]:
            self.offer_to_tab_key(column)
        # Screen readers go by the order of children; the Tab key goes by its own.
        for column in columns.values():
            column.raise_()
        ring: Sequence[QWidget] = (self._rest, *columns.values(), self._rest)
        for one, other in pairwise(ring):
            QWidget.setTabOrder(one, other)
        self.overlay.raise_()

    def _make(self, shelf: Shelf) -> BenchColumn:
        column = BenchColumn(self._look, shelf.face, self._values_of, self)
        column.show()
        self.column_made.emit(column)
        return column

    def _arrange(self) -> None:
        listed = self._rest_area.isVisibleTo(self)
        widths = list(column_widths([*self._holding, *([True] if listed else [])], self._room))
        places = [*self._columns.values(), *([self._rest_area] if listed else [])]
        left = 0
        for width, widget in zip(widths, places, strict=False):
            widget.setGeometry(left, 0, width, self.height())
            left += width + GAP
        self.setMinimumWidth(max(0, left - GAP))
        self.overlay.setGeometry(self.rect())
        self.arranged.emit()

    def sizeHint(self) -> QSize:
        return QSize(self.minimumWidth(), _LEAST_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.minimumWidth(), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()


def _name(shelf: Shelf) -> str:
    """Cards that PyTorch cannot use have no name of its own."""
    return shelf.device.name or f"card {shelf.device.chip}"


def _rows(shelf: Shelf) -> int:
    return len(shelf.face.rows) + bool(shelf.face.footnotes)


def column_widths(holding: Sequence[bool], room: int) -> Sequence[int]:
    """Alike where there is room; else empty ones give way, and then the bench scrolls."""
    count = len(holding)
    if not count:
        return ()
    room -= GAP * (count - 1)
    if room // count >= _HOLDING:
        return _shared([0] * count, room)
    least = [_HOLDING if each else _EMPTY for each in holding]
    return _shared(least, room - sum(least))


def in_columns(holding: Sequence[bool], host: Sequence[bool]) -> Sequence[bool]:
    """Where there are very many, only those that hold something; the others are listed."""
    if len(holding) <= _MOST_COLUMNS:
        return [True] * len(holding)
    return [held or is_host for held, is_host in zip(holding, host, strict=True)]


def _shared(widths: list[int], rest: int) -> Sequence[int]:
    """What is left over goes to all alike."""
    if rest <= 0:
        return widths
    each, more = divmod(rest, len(widths))
    return [width + each + (at < more) for at, width in enumerate(widths)]
