"""GB and degrees Fahrenheit, where a person wants them, on every screen and from at once."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.conftest import OpenWindow

# Not in sentences that explain what a GiB is.
OTHERWISE = re.compile(r"\d\s*(GiB|MiB|°C)|, (GiB|°C)$")


@pytest.fixture
def session() -> Iterator[Session]:
    made = remembering(session_on(simulated("2xTitanRTX,1xH100"), interval=0.1))
    yield made
    made.stop()


def all_words(window: QWidget) -> set[str]:
    """All that can be read, heard or asked for."""
    words: set[str] = set()
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        words |= {widget.accessibleName(), widget.accessibleDescription(), widget.toolTip()}
        if isinstance(widget, QLabel):
            words.add(widget.text())
        if isinstance(widget, Painted):
            words |= set(widget.hints())
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            words |= set(cells_below(widget, QModelIndex()))
    return words


def cells_below(view: QAbstractItemView, parent: QModelIndex) -> Iterator[str]:
    model = view.model()
    for row in range(model.rowCount(parent)):
        flat = isinstance(model, QAbstractListModel)  # which keeps its one column to itself
        for column in range(1 if flat else model.columnCount(parent)):
            index = model.index(row, column, parent)
            for role in (
                Qt.ItemDataRole.DisplayRole,
                Qt.ItemDataRole.AccessibleDescriptionRole,
            ):
                yield str(index.data(role))
        yield from cells_below(view, model.index(row, 0, parent))


# What a lesson says of itself is its author's.
@pytest.mark.parametrize("name", [e.name for e in VIEWS if e.name != "lessons"])
def test_every_screen_is_in_the_units_a_person_chose(
    open_window: OpenWindow, session: Session, qtbot: QtBot, name: str
) -> None:
    settings = Settings()
    window: MainWindow = open_window(session, settings=settings)
    window.resize(1600, 1000)
    window.navigation.open_screen(name)
    qtbot.waitUntil(lambda: any("°C" in words or "GiB" in words for words in all_words(window)))
    settings.choose(replace(settings.choices, decimal_memory=True, fahrenheit=True))
    taken = session.beats().taken

    def as_chosen() -> None:
        window.grab()
        assert {words for words in all_words(window) if OTHERWISE.search(words)} == set()

    # A second and more, so that what is worked out rarely is worked out anew.
    qtbot.waitUntil(lambda: session.beats().taken > taken + 12)
    qtbot.waitUntil(as_chosen)
