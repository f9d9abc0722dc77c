"""StepPage: one step of a lesson with all its parts, as one reads and does it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.lessons.player import Player


class StepPage(QWidget):
    """Shows `player.step`, as high as it is; whoever holds it lets it scroll. `show_step` brings
    it up to date: after each `Player.changed`, and after `go`.
    """

    lesson_asked = Signal(str)  # a link leads there: the name of its folder
    control_asked = Signal(str)  # "Show me": a name of gpuexplorer.lessons.controls
    edit_asked = Signal(str)  # this code is wanted in the lab's editor
    allow_asked = Signal()  # a cell is to run, and of this lesson nobody has allowed any yet
    refused = Signal(str)  # a sentence: why a cell did not run

    def __init__(
        self, look: Look, player: Player, parent: QWidget | None = None, *, brief: bool = False
    ) -> None:
        """`brief`: for a projector, with the first paragraph of each text."""
        super().__init__(parent)

    def show_step(self) -> None:
        raise NotImplementedError
