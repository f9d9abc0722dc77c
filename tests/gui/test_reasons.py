"""Every reason for a missing figure has words that fit on a tile."""

import pytest
from PySide6.QtGui import QFont
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.gui.cards.reasons import short_reasons, state_mark
from gpuexplorer.gui.theme.look import look

NARROWEST_COLUMN = 90


@pytest.mark.parametrize("absence", Absence)
def test_every_reason_has_words_that_fit_the_narrowest_place(
    qtbot: QtBot, absence: Absence
) -> None:
    words = short_reasons(absence)
    widths = [look().letters.caption.width(text) for text in words]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] <= NARROWEST_COLUMN


@pytest.mark.parametrize("state", [s for s in CardState if s is not CardState.WORKING])
def test_every_state_but_working_has_a_mark_with_an_icon(state: CardState) -> None:
    mark = state_mark(state)
    assert mark is not None
    assert mark.icon is not None


def test_figures_have_equal_widths() -> None:
    body = look().letters.body
    assert isinstance(body.font, QFont)
    assert len({body.metrics.horizontalAdvance(figure) for figure in "0123456789"}) == 1
