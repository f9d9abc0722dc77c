"""The lab's fixtures, and what copies need beside them."""

from tests.gui.copies.matrix_pages import kept_jobs, open_matrix
from tests.gui.lab.conftest import lab, machine, worker

__all__ = ["kept_jobs", "lab", "machine", "open_matrix", "worker"]
