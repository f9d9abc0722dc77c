"""LessonsView: the shelf: what each lesson takes, how far one came, what is missing here."""

from functools import lru_cache, partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.lessons.lesson_column import NO_CARDS
from gpuexplorer.gui.tables.cell import Cell, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row, say, wrapped_label
from gpuexplorer.gui.widgets.live_view import KeyGroup, LiveView
from gpuexplorer.gui.widgets.saving import ask_for_file
from gpuexplorer.lessons.lesson import LESSON_FILE, Lesson, LessonError, Point, screen_of

_KEYS: KeyGroup = (mark("Lessons"), (("Enter", mark("Begin the lesson, or go on with it")),))
_NEEDS = {"pytorch": mark("PyTorch"), "card": mark("a card"), "two cards": mark("two cards")}
Shelved = Lesson | LessonError
_LEAST = 380  # pixels, so that a lesson has room beside the list
_ROW = 46  # two lines


class LessonsView(LiveView):
    """Enter or a double click begins a lesson, or goes on where one left it."""

    key_groups = (_KEYS,)

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, parent=parent)
        lessons = self._lessons = desk.lessons()
        shelf = self._shelf = lessons.shelf
        columns = [
            Column("number", tr("No."), self._number, right=True, width=44),
            Column("title", tr("Lesson"), self._title, stretches=True, width=300),
            Column("minutes", tr("Minutes"), _minutes, right=True, width=76, kept=2),
            Column("needs", tr("Needs"), _needs, width=150, kept=1),
            Column("here", tr("Here"), self._here, width=160, kept=3),
            Column("progress", tr("Progress"), self._progress, width=130),
        ]
        self._model = TableModel(columns, key=lambda each: str(each.file), parent=self)
        table = self._table = Table(tr("Lessons"), self._model, row_height=_ROW)
        table.setSelectionMode(Table.SelectionMode.SingleSelection)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        table.columns.remember_in(desk.machine.settings, "lessons/columns")
        table.activated.connect(self._play)
        table.picked_changed.connect(self._show_state)
        self._begin = QPushButton()
        self._begin.setProperty("kind", "primary")
        self._begin.setAutoDefault(True)
        self._begin.clicked.connect(self._play)
        self._begins = self.add_command(tr("Begin"), "", self._play)
        words = tr("Open a lesson…")
        about = tr("A lesson of your own or of somebody else's: a Markdown file (Ctrl+O)")
        opens = ToolButton("framed", Icon.OPEN_FILE, words, about)
        kinds, of_folder = tr("Lessons (*.md)"), tr("Open a folder with a lesson")
        file = partial(ask_for_file, tr("Open a lesson"), kinds, self, self._take)
        folder = partial(ask_for_file, of_folder, "", self, self._take)
        opens.clicked.connect(self.add_command(words, "Ctrl+O", file).trigger)
        self.add_command(tr("Open a folder with a lesson…"), "", folder)
        anew, forget = tr("Begin the lesson anew"), tr("Take the lesson off the list")
        self._anew = self.add_command(anew, "", lambda: self._play(anew=True))
        self._forget = self.add_command(forget, "", self._on_forget_asked)
        table.addActions([self._begins, self._anew, self._forget])
        self._trouble = wrapped_label("", Tone.BAD)
        say(self._trouble, "")
        table.setMinimumWidth(_LEAST)
        panel = QFrame()
        panel.setProperty("panel", "card")
        column(table, within=panel, margins=(8, 4, 8, 8))
        head = row(label(tr("Lessons"), look().letters.title), GROWS, opens, self._begin)
        parts = (head, self._trouble, panel, GROWS)
        column(*parts, within=self, gap=12, margins=(24, 20, 24, 20))
        self.begin_at(table)
        shelf.changed.connect(self._on_shelf_changed)
        shelf.look()
        self._on_shelf_changed()

    def pull(self) -> None:
        """What is here may change at any time: a card, a Python."""
        self._table.show_rows(self._shelf.lessons, in_order=False)
        self._show_state()

    def posed(self) -> bool:
        return bool(self._shelf.lessons)

    def _number(self, shelved: Shelved) -> Cell:
        """By which it is spoken of, and by which the command line knows it."""
        number = shelved.name.partition("-")[0] if isinstance(shelved, Lesson) else ""
        known = number.isdecimal() and str(shelved.file) not in self._shelf.outside
        return Cell(str(int(number)) if known else "", tone=Tone.QUIET)

    def _title(self, shelved: Shelved) -> Cell:
        if isinstance(shelved, LessonError):
            file = Path(shelved.file)
            name = file.parent.name if file.name == LESSON_FILE else file.name
            return Cell(name, tone=Tone.BAD, below=shelved.told, hint=shelved.told)
        about = _plain(shelved.about)
        words = tr("from outside") if shelved.outside else ""
        return Cell(shelved.title, below=about, mark=words, hint=f"{shelved.title}\n{about}")

    def _here(self, shelved: Shelved) -> Cell:
        """What this machine lacks for it, and what is done about that."""
        session, cards = self.machine.session, len(self.machine.cards())
        needs = shelved.needs if isinstance(shelved, Lesson) else ()
        wanted = 2 if "two cards" in needs else 1 if "card" in needs else 0
        words, hint = tr("nothing is missing"), ""
        if "pytorch" in needs and self._lessons.lab.pythons.lacking:
            words = tr("no PyTorch")
        elif wanted and session.bare:
            words, hint = tr("no card"), tr(NO_CARDS)
        elif cards < wanted:
            words = tr("one card")
        elif wanted and session.simulated:
            words = tr("simulated cards")
        return Cell(words if isinstance(shelved, Lesson) else "", tone=Tone.QUIET, hint=hint)

    def _progress(self, shelved: Shelved) -> Cell:
        if isinstance(shelved, LessonError):
            return Cell(tr("cannot be read"), tone=Tone.BAD)
        (done, begun), count = self._lessons.done(shelved), len(shelved.steps)
        player, over = self._lessons.player, begun and done >= count
        words = trn("{done} of {count} step", "{done} of {count} steps", count, done=done)
        words = tr("done") if over else words if begun else tr("not begun")
        if player is not None and player.lesson.file == shelved.file:
            return Cell(words, below=tr("open now"))
        tone = Tone.TEXT if begun else Tone.FAINT
        return Cell(words, icon=Icon.CHECK if over else None, tone=tone)

    @property
    def _lesson(self) -> Lesson | None:
        """The one that is picked, where it can be read."""
        picked = next(iter(self._table.picked()), None)
        return picked if isinstance(picked, Lesson) else None

    def _show_state(self) -> None:
        lesson, outside = self._lesson, self._shelf.outside
        done, begun = (0, False) if lesson is None else self._lessons.done(lesson)
        over = lesson is not None and begun and done >= len(lesson.steps)
        words = tr("Look at it again") if over else tr("Go on") if begun else tr("Begin")
        for each in (self._begin, self._begins):
            each.setText(words)
            each.setEnabled(lesson is not None)
        self._anew.setEnabled(begun)
        self._forget.setEnabled(any(str(each.file) in outside for each in self._table.picked()))

    def _play(self, *, anew: bool = False) -> None:
        if (lesson := self._lesson) is not None:
            # Where its first step is done: what it points at first, or the lab.
            points = [each.control for each in lesson.steps[0].parts if isinstance(each, Point)]
            screen = screen_of(points[0]) if points else ""
            self.desk.navigation.open_screen(screen or "lab")
            self._lessons.play(lesson, anew=anew)

    def _take(self, path: Path) -> None:
        """From outside: it is on the list now, or it cannot be read."""
        say(self._trouble, "")
        try:
            self._table.pick(str(self._shelf.add(path).file))
        except LessonError as error:
            say(self._trouble, error.told)
        self._table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_shelf_changed(self) -> None:
        self._table.show_rows(self._shelf.lessons)
        files = [str(each.file) for each in self._shelf.lessons]
        if files and not self._table.picked():
            self._table.pick(self._lessons.last if self._lessons.last in files else files[0])
        self._show_state()

    def _on_forget_asked(self) -> None:
        for each in self._table.picked():
            if str(each.file) in self._shelf.outside:
                self._shelf.forget(each.file)


def _minutes(shelved: Shelved) -> Cell:
    return Cell(str(shelved.minutes) if isinstance(shelved, Lesson) else "")


def _needs(shelved: Shelved) -> Cell:
    if isinstance(shelved, LessonError):
        return Cell()
    words = listed([tr(_NEEDS.get(each, each)) for each in shelved.needs])
    return Cell(words or tr("nothing"), tone=Tone.QUIET)


@lru_cache(maxsize=64)
def _plain(markdown: str) -> str:
    """On one line, without the marks."""
    text = QTextDocument()
    text.setMarkdown(markdown)
    return " ".join(text.toPlainText().split())
