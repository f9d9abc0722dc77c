"""FirstRun: what a lesson from outside would run, before anything of it does."""

from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.lessons.lesson import Lesson

_CODE_HEIGHT = 200


class FirstRun(Sheet):
    """Accepted: its cells may run, as long as it is open."""

    def __init__(self, look: Look, lesson: Lesson, parent: QWidget) -> None:
        super().__init__(look, tr("Let this lesson run its cells?"), parent, width=600)
        self.add_sentence(
            tr(
                "It did not come with GPU Explorer: {file}. Its cells, and what it checks, are "
                "Python that runs as you, with your files.",
                file=str(lesson.file),
            )
        )
        cells = [each.source.rstrip() for step in lesson.steps for each in step.cells]
        code = self.add_code("\n\n".join(cells), tr("All cells of the lesson"))
        code.setFixedHeight(_CODE_HEIGHT)
        self.add_sentence(
            tr("Nothing runs by itself: each cell still waits until you run it."), Tone.QUIET
        )
        self.add_button(tr("Don't run them"), ROLE.RejectRole, default=True)
        self.add_button(tr("Let it run"), ROLE.AcceptRole)
