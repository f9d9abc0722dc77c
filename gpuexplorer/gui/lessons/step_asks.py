"""StepAsks: what a person wants in a step of a lesson that others have to do."""

from PySide6.QtCore import QObject, Signal


class StepAsks(QObject):
    """Handed to each part that tells any of it: in the column and on a projector the same."""

    lesson = Signal(str)  # a link leads there: the name of its folder
    control = Signal(str)  # "Show me": a name of gpuexplorer.lessons.controls
    edit = Signal(str)  # this code is wanted in the lab's editor
    allow = Signal()  # a cell is to run, and of this lesson nobody has allowed any yet
    refused = Signal(str)  # a sentence: why a cell did not run
