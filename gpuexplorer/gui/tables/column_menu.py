"""Column menu: which columns are shown, and by which of them rows are sorted."""

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from gpuexplorer.core.words import tr
from gpuexplorer.gui.tables.columns_shown import ColumnsShown


def fill_column_menu(menu: QMenu, columns: ColumnsShown) -> None:
    """Lists every column that can be hidden, shown or not."""
    shown = {column.key for column in columns.in_order()}
    _add(
        menu,
        tr("As many as fit"),
        columns.fitting,
        partial(columns.show_fitting, not columns.fitting),
    )
    menu.addSeparator()
    for column in columns.all:
        if column.kept:
            key, there = column.key, column.key in shown
            _add(menu, column.named, there, partial(columns.show_column, key, shown=not there))
    menu.addSeparator()
    sortable = [column for column in columns.all if column.sorts is not None]
    if sortable:
        sorting = menu.addMenu(tr("Sort by"))
        by, falling = columns.sorted_by
        group = QActionGroup(sorting)
        for column in sortable:
            sort = partial(columns.sort_by, column.key, falling=column.largest_first)
            group.addAction(_add(sorting, column.named, column.key == by, sort))
        sorting.addSeparator()
        group = QActionGroup(sorting)
        for words, order in ((tr("Smallest first"), False), (tr("Largest first"), True)):
            turn = partial(columns.sort_by, by, falling=order)
            action = _add(sorting, words, bool(by) and falling is order, turn)
            action.setEnabled(bool(by))
            group.addAction(action)
        menu.addSeparator()
    menu.addAction(tr("Reset the columns")).triggered.connect(columns.reset)


def _add(menu: QMenu, words: str, checked: bool, run: Callable[[], None]) -> QAction:
    action = menu.addAction(words)
    action.setCheckable(True)
    action.setChecked(checked)
    action.triggered.connect(lambda _=False: run())
    return action
