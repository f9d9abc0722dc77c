"""COMPARISONS: all that are offered, in the order in which they are shown."""

from gpuexplorer.gui.wording.copies.comparisons.crowd import CROWD
from gpuexplorer.gui.wording.copies.comparisons.layout import LAYOUT
from gpuexplorer.gui.wording.copies.comparisons.overlap import OVERLAP
from gpuexplorer.gui.wording.copies.comparisons.pieces import PIECES
from gpuexplorer.gui.wording.copies.comparisons.pinned import PINNED
from gpuexplorer.gui.wording.copies.comparisons.staged import STAGED

COMPARISONS = (PINNED, STAGED, OVERLAP, CROWD, PIECES, LAYOUT)
