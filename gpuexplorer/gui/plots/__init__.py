"""Plots: every chart of the program, on pyqtgraph's views, axes, lines, regions and images."""
