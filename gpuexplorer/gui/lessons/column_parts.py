"""What stands above and below a step, and over it: a notice, the way on, what would run."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lessons.words import LessonNotice, Next, Way
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, PrimaryButton
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, row, wrapped_label
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.lessons.lesson import Lesson

_CODE_HEIGHT = 200


class ColumnNotice(QFrame):
    """A sentence, and what can be done about it."""

    way_chosen = Signal(Way)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._notice: LessonNotice | None = None
        self.setProperty("panel", "notice")
        self._label = wrapped_label("", Tone.TEXT)
        self._button = QPushButton()
        self._button.setAutoDefault(True)
        self._button.clicked.connect(self._on_clicked)
        buttons = row(self._button, FREE)
        column(self._label, buttons, within=self, margins=(12, 8, 12, 8))
        self.hide()

    def show_notice(self, notice: LessonNotice) -> None:
        if notice == self._notice:
            return
        self._notice = notice
        self._label.setText(notice.sentence)
        self.setAccessibleName(notice.sentence)
        self._button.setText(notice.words)
        self._button.setVisible(bool(notice.words))
        restyle(self, "tone", notice.tone.value)
        self.setVisible(bool(notice.sentence))

    def _on_clicked(self) -> None:
        if self._notice is not None and self._notice.way is not None:
            self.way_chosen.emit(self._notice.way)


class ColumnFoot(QWidget):
    """What comes next, whose button stands out here or in the step; beside it back and over."""

    next_asked = Signal()
    stop_asked = Signal()
    back_asked = Signal()
    skip_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._back = IconButton(Icon.PREVIOUS, tr("Step before"), "Alt+PgUp")
        self._stop = IconButton(Icon.STOP, tr("Stop the cell"))
        self._over = IconButton(Icon.NEXT)
        self._next = PrimaryButton("Ctrl+Shift+Enter")
        pairs = (
            (self._back, self.back_asked),
            (self._stop, self.stop_asked),
            (self._over, self.skip_asked),
            (self._next, self.next_asked),
        )
        for button, asked in pairs:
            button.clicked.connect(asked)
        parts = (self._back, self._next, GROWS, self._stop, self._over)
        row(*parts, within=self, gap=6, margins=(12, 8, 9, 12))

    def show_next(
        self, coming: Next, cells: int, *, over: bool, first: bool, last: bool
    ) -> None:
        run = tr("Run the cell") if cells == 1 else tr("Run the next cell")
        words = {
            Next.PREDICT: tr("Predict first"),
            Next.RUN: run,
            Next.WAIT: tr("It runs…"),
            Next.CHECK: tr("Check again"),
            Next.READ: tr("Read on"),
            Next.GO_ON: tr("Next step"),
            Next.END: tr("Finish"),
        }
        self._next.show_words(words[coming])
        self._next.setEnabled(coming is not Next.WAIT)
        # What is done in the step has its own button there, which stands out.
        there = coming in (Next.PREDICT, Next.RUN)
        restyle(self._next, "kind", "quiet" if there else "primary")
        self._stop.setVisible(coming is Next.WAIT)
        meaning = tr("Next step") if over else tr("Skip this step")
        self._over.show_meaning(Icon.NEXT, meaning, "Alt+PgDown")
        self._over.setEnabled(not last)
        self._back.setEnabled(not first)


class FirstRun(Sheet):
    """What a lesson from outside would run, before anything of it does. Accepted: its cells
    may run, as long as it is open.
    """

    def __init__(self, lesson: Lesson, parent: QWidget) -> None:
        super().__init__(tr("Let this lesson run its cells?"), parent, width=600)
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
