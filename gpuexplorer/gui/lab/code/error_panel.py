"""ErrorPanel: what an error means here, and the ways on with what each would cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.cells.cell_faces import CellFaces
from gpuexplorer.gui.lab.cells.words import briefly
from gpuexplorer.gui.lab.code.words import CureFace, cure_face
from gpuexplorer.gui.lab.inside.inside import DeviceChips
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row, wrapped_label
from gpuexplorer.gui.widgets.live_view import scrolled
from gpuexplorer.lab.cell_source import card_number
from gpuexplorer.lab.cures import Copying, Cure, cures
from gpuexplorer.lab.events import Failed
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.remote.stream import made_up
from gpuexplorer.simulation.reached import way_between, way_to_host
from gpuexplorer.simulation.specs import MachineSpec

_MARGIN, _ABOVE, _GAP, _AFTER_CAPTION = 12, 8, 6, 2
_BESIDE = 5


@dataclass(frozen=True, slots=True)
class ErrorFace:
    """PyTorch's own words stand at the cell itself."""

    cell: int  # its command
    title: str  # which cell, and briefly why
    meaning: str
    cures: tuple[CureFace, ...]
    modelled: bool = False


class ErrorPanel(QFrame):
    """As high as what it says, and no higher than it is told; then it scrolls."""

    cure_chosen = Signal(int)  # counted from 0
    typed = Signal(str)  # somebody writes a cell in place of pressing one

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self.face: ErrorFace | None = None
        self.setProperty("panel", "notice")
        self.setProperty("tone", Tone.BAD.value)
        self._title = wrapped_label("", Tone.BAD)
        self._title.setFont(look().letters.strong.font)
        self._meaning = wrapped_label("", Tone.TEXT)
        self._caption = label("", look().letters.caption, Tone.QUIET)
        self._buttons: list[CureButton] = []
        content = _Content()
        content.setProperty("panel", "clear")
        said = (self._title, self._meaning, self._caption)
        margins = (_MARGIN, _ABOVE, _MARGIN, _ABOVE)
        self._column = column(*said, within=content, gap=_GAP, margins=margins)
        self._area = scrolled(content)
        # Whichever comes last.
        content.laid_out.connect(self._show_focused)
        self._area.verticalScrollBar().rangeChanged.connect(self._show_focused)
        column(self._area, within=self)
        self.hide()

    def show_face(self, face: ErrorFace | None) -> bool:
        """Whether it is another now."""
        if face == self.face:
            return False
        before, self.face = self.face, face
        self.setVisible(face is not None)
        if face is None:
            return True
        self._title.setText(face.title)
        self._meaning.setText(face.meaning)
        self._meaning.setVisible(bool(face.meaning))
        modelled = tr("Ways on (the times are modelled)")
        self._caption.setText(modelled if face.modelled else tr("Ways on"))
        self._caption.setVisible(bool(face.cures))
        self.setAccessibleName(f"{face.title} {face.meaning}".strip())
        if before is None or before.cures != face.cures:
            self._make_buttons(face.cures)
        self._area.verticalScrollBar().setValue(0)
        return True

    def begin(self) -> bool:
        """Give the keyboard to the first way on; False where there is none."""
        if not self._buttons:
            return False
        self._buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_focused()
        return True

    def fit(self, width: int, most: int) -> None:
        """Be as high as what it says needs at that width, and no higher than `most`."""
        room = width - 2 * self.frameWidth()
        self.setFixedHeight(max(0, min(most, self._column.totalHeightForWidth(room) + 2)))

    def _make_buttons(self, cures: Sequence[CureFace]) -> None:
        for button in self._buttons:
            button.hide()
            self._column.removeWidget(button)
            button.deleteLater()
        self._buttons = []
        for number, cure in enumerate(cures):
            button = CureButton(self._lab, cure)
            button.clicked.connect(partial(self.cure_chosen.emit, number))
            button.typed.connect(self.typed)
            self._column.addWidget(button)
            button.show()  # else it has no height yet
            self._buttons.append(button)

    def _show_focused(self) -> None:
        found = next((each for each in self._buttons if each.hasFocus()), None)
        if found is not None:
            self._area.ensureWidgetVisible(found, 0, _ABOVE)


class _Content(QWidget):
    laid_out = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.laid_out.emit()


class CureButton(QPushButton):
    """`typed`: somebody would rather write a cell."""

    typed = Signal(str)

    def __init__(self, lab: Lab, face: CureFace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.face = face
        self.setProperty("kind", "cure")
        self.setAutoDefault(True)  # so that Enter presses it
        self.setAccessibleName(face.words)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        code = wrapped_label("\n".join(face.lines), Tone.TEXT)
        code.setFont(look().letters.mono.font)
        price = wrapped_label(face.price, Tone.QUIET)
        price.setFont(look().letters.caption.font)
        for each in (code, price):
            each.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        path = [_Path(lab, face)] if face.target else []
        words = column(code, price, gap=_AFTER_CAPTION)
        row(words, GROWS, *path, within=self, margins=(10, 6, 10, 6))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Down:
                self.focusNextChild()
            case Qt.Key.Key_Up:
                self.focusPreviousChild()
            case Qt.Key.Key_Escape:
                self.typed.emit("")
            case Qt.Key.Key_Space | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                super().keyPressEvent(event)
            case _ if event.text().isprintable() and event.text():
                self.typed.emit(event.text())
            case _:
                super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        layout = self.layout()
        assert layout is not None
        return layout.totalSizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


class _Path(QWidget):
    """From which devices to which, as chips in their colours."""

    def __init__(self, lab: Lab, face: CureFace) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        arrow = wrapped_label("\N{RIGHTWARDS ARROW}", Tone.QUIET)
        sources, target = (DeviceChips() for _ in range(2))
        row(sources, arrow, target, within=self, gap=_BESIDE)
        # Only now: what is shown before it has a parent is a window of its own.
        sources.show_devices(", ".join(face.sources), lab.devices())
        target.show_devices(face.target, lab.devices())


# Nothing about the cell itself was wrong.
_NOT_EXPLAINED_UNASKED = frozenset({"cancelled", "worker lost"})


def error_face(lab: Lab, faces: CellFaces, selected: int | None) -> ErrorFace | None:
    """The selected cell where it failed, else the newest where that one did."""
    cell = _cell(lab.ledger, selected)
    if cell is None or cell.failed is None:
        return None
    found = () if cell.cured_by is not None else _ways_on(lab, cell, cell.failed)
    units = lab.machine.settings.choices.units
    cures = tuple(cure_face(each, partial(_expected, lab), units) for each in found)
    modelled = made_up(lab.machine.session.backend) is not None  # no recording
    timed = modelled and any(each.copies for each in found)
    meaning = faces.meaning(cell.id)
    if not meaning and not cures:
        return None  # what there is to say stands at the cell
    reason = briefly(cell.failed)
    title = tr("Cell {number}: {reason}", number=cell.number, reason=reason)
    return ErrorFace(cell.id, title, meaning, cures, timed)


def _cell(ledger: Ledger, selected: int | None) -> Cell | None:
    chosen = None if selected is None else ledger.cell(selected)
    if chosen is not None and chosen.failed is not None:
        return chosen
    current = ledger.cells[ledger.first :]
    newest = next((each for each in reversed(current) if each.state != "cancelled"), None)
    failed = None if newest is None else newest.failed
    explains = failed is not None and failed.cause not in _NOT_EXPLAINED_UNASKED
    return newest if explains else None


def _ways_on(lab: Lab, cell: Cell, failed: Failed) -> Sequence[Cure]:
    """As things lie on the shelf now."""
    ledger = lab.ledger
    if cell not in ledger.cells[ledger.first :]:
        return ()
    devices = lab.devices()
    free = {each.name: each.free_bytes for each in devices if each.free_bytes is not None}
    return cures(failed, cell, ledger, free)


def _expected(lab: Lab, copying: Copying) -> tuple[float, str] | None:
    """None for real cards: nothing is claimed about them."""
    backend = made_up(lab.machine.session.backend)
    if backend is None:
        return None
    return expected_copy(backend.machine.spec, lab.switches.visible, copying)


def expected_copy(
    spec: MachineSpec, visible: Sequence[int] | None, copying: Copying
) -> tuple[float, str] | None:
    """How many seconds it would take, before anybody asks for it, and over which wires: all is
    modelled. By PyTorch's names of the devices; None where there is no way between them.
    """
    ends, size = (copying.source, copying.target), copying.bytes
    shown = dict(enumerate(range(len(spec.cards)) if visible is None else visible))
    numbers = [card_number(each) for each in ends if each != "cpu"]
    cards = [None if each is None else shown.get(each) for each in numbers]
    match cards if len({*ends}) > 1 else []:
        case [int(one)]:
            return way_to_host(spec.cards[one].model).seconds(size, pinned=False), "PCIe"
        case [int(one), int(other)]:
            way = way_between(spec, *sorted((one, other)))
            name = "NVLink" if spec.nvlinks_between(one, other) else "PCIe"
            return way.seconds(size, pinned=False), name
    return None
