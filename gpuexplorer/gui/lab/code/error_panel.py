"""ErrorPanel: what an error means here, and possible fixes with what each would cost."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from gpuexplorer.core.units import USUAL, Units, bytes_words, seconds_words
from gpuexplorer.core.words import NOTHING, listed, mark, tr, trn
from gpuexplorer.gui.lab.code.cell_words import briefly
from gpuexplorer.gui.lab.inside.inside import DeviceChips
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import GROWS, add, column, label, row, wrapped_label
from gpuexplorer.gui.widgets.live_view import scrolled
from gpuexplorer.lab.cell_source import card_number
from gpuexplorer.lab.cures import Copying, Cure, cures
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.remote.stream import made_up
from gpuexplorer.simulation.reached import way_between, way_to_host
from gpuexplorer.simulation.specs import MachineSpec

_MARGINS, _GAP = (12, 8, 12, 8), 6
# Nothing about the cell itself was wrong.
_NOT_EXPLAINED_UNASKED = frozenset({"cancelled", "worker lost"})
# How long a copy would take, and over which wires; None where nobody can tell.
Expect = Callable[[Copying], tuple[float, str] | None]


class ErrorPanel(QFrame):
    """As high as what it says; where there is less room, it scrolls."""

    cure_chosen = Signal(object, int)  # a Cure; the command of the cell that failed
    typed = Signal(str)  # somebody writes a cell in place of pressing one

    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self._lab = lab
        self._shown: tuple[object, ...] = ()
        self.cell: int | None = None  # the command of the cell that is explained
        self.setProperty("panel", "notice")
        self.setProperty("tone", Tone.BAD.value)
        self._buttons: list[CureButton] = []
        self._area = scrolled(QWidget())
        self._area.verticalScrollBar().rangeChanged.connect(self._show_focused)
        self._column = column(self._area, within=self)
        self.hide()

    def show_selected(self, selected: int | None) -> None:
        """The selected cell where it failed, else the newest where that one did."""
        cell, letters, lab = self._failed(selected), look().letters, self._lab
        meaning = tr(lab.course.meanings.get(cell.id, NOTHING)) if cell else ""
        backend = made_up(lab.machine.session.backend)
        units = lab.machine.settings.choices.units
        expect: Expect = lambda _: None  # noqa: E731 - nothing is claimed about real cards
        if backend is not None:
            expect = partial(expected_copy, backend.machine.spec, lab.switches.visible)
        found = [(each, price_words(each, expect, units)) for each in self._cures(cell)]
        if not (meaning or found):
            cell = None  # what there is to say stands at the cell
        if (shown := (cell and cell.id, meaning, found)) == self._shown:
            return
        self._shown, self.cell, self._buttons = shown, None, []
        self.setVisible(cell is not None)
        if cell is None or cell.failed is None:
            return
        self.cell = cell.id
        title = tr("Cell {number}: {reason}", number=cell.number, reason=briefly(cell.failed))
        self.setAccessibleName(f"{title} {meaning}".strip())
        content = QWidget()
        content.setProperty("panel", "clear")
        self._column = column(within=content, gap=_GAP, margins=_MARGINS)
        add(self._column, wrapped_label(title, Tone.BAD, letters.strong))
        if meaning:
            add(self._column, wrapped_label(meaning, Tone.TEXT))
        if found:
            modelled = backend is not None and any(cure.copies for cure, _ in found)
            words = mark("Possible fixes (the times are modelled)")
            words = tr(words if modelled else mark("Possible fixes"))
            add(self._column, label(words, letters.caption, Tone.QUIET))
        for cure, price in found:
            self._buttons.append(button := CureButton(lab, cure, price))
            button.clicked.connect(partial(self.cure_chosen.emit, cure, cell.id))
            add(self._column, button)
        before = self._area.takeWidget()
        before.deleteLater()  # it may be a button of it that is pressed
        self._area.setWidget(content)
        self._fit()

    def begin(self) -> None:
        """Give the keyboard to the first fix."""
        if self._buttons:
            self._buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)
            self._show_focused()

    def _fit(self) -> None:
        self.setMaximumHeight(self._column.totalHeightForWidth(self.width() - 2) + 2)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(0, self.maximumHeight())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What no button takes: somebody would rather write a cell."""
        text, leaves = event.text(), event.key() == Qt.Key.Key_Escape
        if leaves or (text and text.isprintable()):
            self.typed.emit("" if leaves else text)
        else:
            super().keyPressEvent(event)

    def _failed(self, selected: int | None) -> Cell | None:
        ledger = self._lab.ledger
        chosen = None if selected is None else ledger.cell(selected)
        if chosen is not None and chosen.failed is not None:
            return chosen
        current = reversed(ledger.cells[ledger.first :])
        newest = next((each for each in current if each.state != "cancelled"), None)
        failed = None if newest is None else newest.failed
        return newest if failed and failed.cause not in _NOT_EXPLAINED_UNASKED else None

    def _cures(self, cell: Cell | None) -> Sequence[Cure]:
        """As things lie on the shelf now."""
        ledger, devices = self._lab.ledger, self._lab.devices()
        if cell is None or cell.failed is None or cell.cured_by is not None:
            return ()
        free = {each.name: each.free_bytes for each in devices if each.free_bytes is not None}
        current = cell in ledger.cells[ledger.first :]
        return cures(cell.failed, cell, ledger, free) if current else ()

    def _show_focused(self) -> None:
        for each in self._buttons:
            if each.hasFocus():
                self._area.ensureWidgetVisible(each, 0, _MARGINS[1])


class CureButton(QPushButton):
    """Its code, its price, and between which devices it copies."""

    def __init__(self, lab: Lab, cure: Cure, price: str) -> None:
        super().__init__()
        self.setProperty("kind", "cure")
        self.setAutoDefault(True)  # so that Enter presses it
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if lab.recorded:
            self.setEnabled(False)
            self.setToolTip(tr(RECORDED))
        letters, said = look().letters, ["; ".join(cure.shown), price]
        code = wrapped_label("\n".join(cure.shown), Tone.TEXT, letters.mono)
        words = column(code, wrapped_label(price, Tone.QUIET, letters.caption), gap=2)
        self._beside = row(words, GROWS, within=self, gap=5, margins=(10, 6, 10, 6))
        if cure.copies:
            sources = list(dict.fromkeys(each.source for each in cure.copies))
            target, chips = cure.copies[0].target, [DeviceChips(), DeviceChips()]
            add(self._beside, chips[0], wrapped_label("→", Tone.QUIET), chips[1])
            chips[0].show_devices(", ".join(sources), lab.devices())
            chips[1].show_devices(target, lab.devices())
            path = {"sources": listed(sources), "target": target}
            said.append(tr("From {sources} to {target}", **path))
        for each in self.findChildren(QWidget):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(". ".join(said))

    def sizeHint(self) -> QSize:
        return self._beside.totalSizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


def price_words(cure: Cure, expect: Expect, units: Units = USUAL) -> str:
    """What a cure costs, or changes, said before it is pressed."""
    said = [tr(cure.label)]
    if cure.copies:
        said = [_price_of_copies(cure.copies, expect, units)]
        target, staying = cure.copies[0].target, [e.name for e in cure.copies if e.stays]
        if staying:
            one = mark("{model} is on {device} from then on")
            many = mark("{model} are on {device} from then on")
            said.append(trn(one, many, len(staying), model=listed(staying), device=target))
        if cure.again:
            said.append(tr("Each time that line runs, it copies again"))
    elif cure.frees_bytes:
        frees = bytes_words(cure.frees_bytes, units)
        said = [tr("Gives back {size}; then the cell again", size=frees)]
    if cure.anew:
        said.append(tr("The cells before run again first"))
    return ". ".join(said)


def _price_of_copies(copies: Sequence[Copying], expect: Expect, units: Units) -> str:
    sizes = [bytes_words(each.bytes, units) for each in copies]
    said = " + ".join(sizes)
    if len(set(sizes)) == 1 and len(sizes) > 1:
        said = f"{len(sizes)} × {sizes[0]}"
    target = copies[0].target
    where = tr("the processor") if target == "cpu" else target
    known = [found for found in map(expect, copies) if found is not None]
    if len(known) < len(copies):
        return tr("{sizes}; then it runs on {device}", sizes=said, device=where)
    return tr(
        "{sizes} over {ways}, about {time}; then it runs on {device}",
        sizes=said,
        ways=listed(list(dict.fromkeys(way for _, way in known))),
        time=seconds_words(sum(seconds for seconds, _ in known)),
        device=where,
    )


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
