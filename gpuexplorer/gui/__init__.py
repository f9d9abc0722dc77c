"""Everything Qt: the window and what is in it."""

from gpuexplorer.gui.plots import import_pyqtgraph

import_pyqtgraph()
