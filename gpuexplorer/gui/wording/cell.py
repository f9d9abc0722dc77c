"""Cell under the name that tables of copies still know it by."""

from gpuexplorer.gui.tables.cell import NO_CELL, Cell, Chip, Gauge, Spark

__all__ = ["NO_CELL", "Cell", "Chip", "Gauge", "Spark"]
