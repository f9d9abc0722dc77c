"""NowPanel: very many cards as cells, board by board."""

from PySide6.QtWidgets import QPushButton

from gpuexplorer.core.words import tr
from gpuexplorer.gui.overview.tiles.tile_grid import TileGrid
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel

_ABOVE_AND_BELOW, _BESIDE = 62, 34  # heading, margins and edge


class NowPanel(Panel):
    """Its heading says how a cell is read."""

    def __init__(self, grid: TileGrid) -> None:
        super().__init__(tr("Now"))
        self._grid = grid
        legend = ElidedLabel(look().letters.body, Tone.QUIET)
        legend.show_text(tr("busy in %, memory below it, index in the corner"))
        self.hidden = hidden_link()
        power = ElidedLabel(look().letters.caption, Tone.QUIET)
        power.show_text(tr("Power"))
        self.head.insertSpacing(1, 8)
        self.head.insertWidget(2, legend, 100)
        self.head.addWidget(self.hidden)
        self.head.addSpacing(12)
        self.head.addWidget(power)
        self.body.addWidget(grid, 1)

    def least_height(self, width: float) -> float:
        return self._grid.least_height(width - _BESIDE) + _ABOVE_AND_BELOW

    def most_height(self, width: float) -> float:
        return self._grid.most_height(width - _BESIDE) + _ABOVE_AND_BELOW

    def show_hidden(self, words: str) -> None:
        show_link(self.hidden, words)


def hidden_link() -> QPushButton:
    """ "2 cards hidden: show all"."""
    link = link_button("")
    link.setFont(look().letters.caption.font)
    link.hide()
    return link


def show_link(link: QPushButton, words: str) -> None:
    if link.text() != words:
        link.setText(words)
        link.setAccessibleName(words)
    link.setVisible(bool(words))
