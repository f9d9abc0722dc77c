"""The lab's fixtures, and what copies need beside them."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.view import CopiesView
from gpuexplorer.gui.state.lab.lab import Lab
from tests.gui.copies.datasheet_pages import open_datasheet
from tests.gui.copies.matrix_pages import kept_jobs, open_matrix
from tests.gui.desks import desk_of
from tests.gui.lab.conftest import faults, lab, machine, worker

__all__ = ["faults", "kept_jobs", "lab", "machine", "open_datasheet", "open_matrix", "worker"]


@pytest.fixture
def view(lab: Lab, qtbot: QtBot) -> Iterator[CopiesView]:
    window = QWidget()
    qtbot.addWidget(window)
    made = CopiesView(desk_of(lab.machine.session, window, lab=lab))
    QVBoxLayout(window).addWidget(made)
    window.resize(1400, 900)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    yield made
    made.stop()
