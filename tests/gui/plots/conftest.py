"""Stacks of plots in a window, closed afterwards."""

from collections.abc import Sequence

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.plots.content import PlotContent
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from tests.clocks import ManualClock
from tests.gui.plots.made import MakeStack, stack_of


@pytest.fixture
def open_stack(qtbot: QtBot) -> MakeStack:
    """Shown, and a screen of its own as far as it can tell."""

    def open_one(
        contents: Sequence[PlotContent],
        size: tuple[int, int] = (900, 400),
        clock: ManualClock | None = None,
    ) -> PlotStack:
        stack = stack_of(contents, size, clock)
        qtbot.addWidget(stack)
        with qtbot.waitExposed(stack):
            stack.show()
        return stack

    return open_one
