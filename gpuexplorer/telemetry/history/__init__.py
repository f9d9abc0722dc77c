"""The past of every card, in memory of a fixed size: an hour in full, a day in outline."""

from gpuexplorer.telemetry.history.history import History
from gpuexplorer.telemetry.history.tables import Lengths

__all__ = ["History", "Lengths"]
