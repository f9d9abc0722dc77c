"""Bad input for charts: what cannot be drawn is left out, and nothing is said on a terminal."""

from contextlib import suppress

import pytest
from PySide6.QtCore import QEvent, QRectF
from PySide6.QtGui import QColor, QFocusEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.matrix.pair_question import Head
from gpuexplorer.gui.copies.matrix.pair_table import PairTable
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.plots.curves import TraceItem
from tests.gui.pixels import colours_of
from tests.gui.plots.made import steady


def test_a_view_that_is_squeezed_to_nothing_draws_nothing(qtbot: QtBot) -> None:
    graph = Graph()
    qtbot.addWidget(graph)
    view, drawn = graph.add_plot(), TraceItem()
    view.addItem(drawn, ignoreBounds=True)
    view.setRange(xRange=(9_700, 10_000), yRange=(0, 1), padding=0)
    drawn.show_trace(steady(0.5), QColor("red"), fill=True)
    graph.grid.setContentsMargins(0, 0, 0, 40)
    graph.resize(100, 40)
    with qtbot.waitExposed(graph):
        graph.show()
    graph.grab()  # the warnings of a painter without a picture would fail this test


def test_a_map_of_no_devices_is_drawn_empty(qtbot: QtBot) -> None:
    shown = PairTable("Rates", lambda pair: pair)
    qtbot.addWidget(shown)
    shown.show_heads(
        [
            Head("cuda:0", "0", 0, "Card 0", words="card 0"),
            Head("cuda:1", "1", 1, "Card 1", words="card 1"),
        ]
    )
    with qtbot.waitExposed(shown):
        shown.show()
    shown.show_heads([])
    assert len(colours_of(shown.grab().toImage())) == 1


class Broken(Graph):
    """What a mistake in the program looks like, wherever it is."""

    def __init__(self) -> None:
        super().__init__()
        self.broken = ""
        self.add_sheet(self._draw).put(QRectF(0, 0, 50, 50))

    def _break(self, what: str) -> None:
        """As Python itself raises; a `raise` of one's own does less harm."""
        if what == self.broken:
            float("no number")

    def _draw(self, _: Drawing) -> None:
        self._break("drawing")

    def fill(self) -> None:
        self._break("size")

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt calls it
        self._break("focus")


@pytest.mark.parametrize("broken", ["drawing", "size", "focus"])
def test_a_mistake_in_a_chart_is_reported_and_does_not_end_the_program(
    qtbot: QtBot, broken: str
) -> None:
    graph = Broken()
    qtbot.addWidget(graph)
    with qtbot.waitExposed(graph):
        graph.show()
    graph.broken = broken
    with qtbot.captureExceptions() as reported, suppress(ValueError):
        graph.resize(300, 200)
        QApplication.sendEvent(graph, QFocusEvent(QEvent.Type.FocusIn))
        graph.grab()
    graph.broken = ""
    assert all(kind is ValueError for kind, _, _ in reported)
    graph.grab()
