"""Column menu: which columns are shown, and by which of them rows are sorted."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from gpuexplorer.gui.views.processes.columns import COLUMNS, Column, Spec
from gpuexplorer.gui.views.processes.table_layout import USUAL, TableLayout

Choose = Callable[[TableLayout], None]
_ALWAYS = (Column.CARD, Column.COMMAND)


def fill(menu: QMenu, layout: TableLayout, shown: frozenset[Column], choose: Choose) -> None:
    """`shown` is what stands there now, chosen or because it fits."""
    fit = menu.addAction("As many as fit")
    fit.setCheckable(True)
    fit.setChecked(layout.shown is None)
    fit.triggered.connect(
        lambda: choose(replace(layout, shown=shown if layout.shown is None else None))
    )
    menu.addSeparator()
    for spec in COLUMNS:
        if spec.column in _ALWAYS:
            continue
        action = menu.addAction(spoken(spec))
        action.setCheckable(True)
        action.setChecked(spec.column in shown)
        action.triggered.connect(
            lambda _=False, column=spec.column: choose(replace(layout, shown=shown ^ {column}))
        )
    menu.addSeparator()
    _fill_order(menu.addMenu("Sort by"), layout, choose)
    menu.addSeparator()
    reset = menu.addAction("Columns as they were at first")
    reset.triggered.connect(lambda: choose(replace(USUAL, grouping=layout.grouping)))


def _fill_order(menu: QMenu, layout: TableLayout, choose: Choose) -> None:
    columns = QActionGroup(menu)
    for spec in COLUMNS:
        action = menu.addAction(spoken(spec))
        action.setCheckable(True)
        action.setChecked(spec.column is layout.sorted_by)
        columns.addAction(action)
        action.triggered.connect(
            lambda _=False, spec=spec: choose(
                replace(layout, sorted_by=spec.column, falling=spec.largest_first)
            )
        )
    menu.addSeparator()
    orders = QActionGroup(menu)
    for words, falling in (("Smallest first", False), ("Largest first", True)):
        action = menu.addAction(words)
        action.setCheckable(True)
        action.setChecked(layout.falling is falling)
        orders.addAction(action)
        action.triggered.connect(
            lambda _=False, falling=falling: choose(replace(layout, falling=falling))
        )


def spoken(spec: Spec) -> str:
    """Longer than its caption, where there is room."""
    return _LONG.get(spec.column, spec.caption)


_LONG = {
    Column.MEMORY: "Memory of the card",
    Column.SM: "SM (computing)",
    Column.HISTORY: "SM of the last 4 minutes",
    Column.CONTROLLER: "Memory controller",
    Column.ENCODER: "Video encoder",
    Column.DECODER: "Video decoder",
    Column.CPU: "Processor (CPU)",
    Column.HOST_MEMORY: "Memory of the computer",
    Column.SINCE: "Started at",
    Column.USE: "Kind (computes, draws)",
}
