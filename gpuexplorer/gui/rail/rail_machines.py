"""RailMachines: which machine the screens show, and how the others are."""

from PySide6.QtCore import QModelIndex, QSize, Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import plain_tip
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.icons import icon_of
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel

_SIDE, _HEIGHT = 20, 32


class RailMachines(QWidget):
    """There only where there is more than one machine. A narrow rail has no room for names."""

    def __init__(self, machines: MachinesState, navigation: Navigation) -> None:
        super().__init__()
        self._machines, self._navigation = machines, navigation
        self._most, self._narrow = 1, False
        self.setAccessibleName(tr("Machines of this window"))
        self.setObjectName("rail.machines")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._heading = ElidedLabel(look().letters.caption, Tone.QUIET, tr("Machine"))
        self.list = QListWidget()
        self.list.setIconSize(QSize(24, 16))
        self.list.setProperty("kind", "bare")
        self.list.setAccessibleName(tr("Machine"))
        self.list.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.list.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        head = row(self._heading, FREE, margins=(_SIDE, 12, _SIDE, 4))
        column(head, row(self.list, margins=(16, 0, 8, 0)), within=self, gap=0)
        self.list.clicked.connect(self._on_chosen)
        self.list.activated.connect(self._on_chosen)
        for signal in (machines.changed, look().changed):
            signal.connect(self._show)
        self._show()

    def show_within(self, height: int, *, narrow: bool) -> None:
        self._most, self._narrow = min(5, max(1, (height - 650) // 40)), narrow
        self._heading.setVisible(not narrow)
        policy = Qt.ScrollBarPolicy
        bar = policy.ScrollBarAlwaysOff if narrow else policy.ScrollBarAsNeeded
        self.list.setVerticalScrollBarPolicy(bar)
        self._show()

    def _show(self) -> None:
        """Where there is little room, the machine that is shown stands alone."""
        rows, at, letters = self._machines.rows(), self.list.currentRow(), look().letters
        self.list.clear()
        for each in rows:
            words = tr("{machine}: {state}", machine=each.name, state=tr(each.standing.word))
            name = "" if self._narrow else each.name
            item = QListWidgetItem(icon_of(*each.standing.sign), name, self.list)
            item.setSizeHint(QSize(0, _HEIGHT))
            item.setToolTip(plain_tip(words))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
            item.setFont((letters.strong if each.shown else letters.body).font)
            if each.shown:
                item.setBackground(look().theme.selection)
        self.list.setCurrentRow(at)
        self.list.setFixedHeight(min(len(rows), self._most) * _HEIGHT)
        self.list.scrollToItem(self.list.item([each.shown for each in rows].index(True)))
        self.setVisible(len(rows) > 1)

    def _on_chosen(self, index: QModelIndex) -> None:
        self._navigation.open_machine(self._machines.rows()[index.row()].key)
