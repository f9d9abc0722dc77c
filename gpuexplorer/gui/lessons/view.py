"""LessonsView: the shelf: what each lesson takes, how far one came, what is missing here."""

from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QFrame, QMenu, QPushButton, QStackedWidget, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.lessons.column_parts import ColumnNotice
from gpuexplorer.gui.lessons.words import (
    NO_CARD,
    NO_CARDS,
    LessonNotice,
    first_screen,
    here_words,
    needs_words,
    plain,
    progress_words,
)
from gpuexplorer.gui.state.lessons.shelf import Shelved
from gpuexplorer.gui.tables.cell import Cell, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row
from gpuexplorer.gui.widgets.live_view import EmptyState, KeyGroup, LiveView
from gpuexplorer.gui.widgets.saving import ask_for_file
from gpuexplorer.lessons.lesson import Lesson

_KEYS: KeyGroup = (
    mark("Lessons"),
    (("Enter", mark("Begin the lesson, or go on with it")),),
)

_LEAST = 380  # pixels, so that a lesson has room beside the list
_MARGIN, _TOP, _GAP = 24, 20, 12
_ROW = 46  # two lines
_KINDS = "Lessons (*.md)"


class LessonsView(LiveView):
    """Enter or a double click begins a lesson, or goes on where one left it."""

    key_groups = (_KEYS,)

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, parent=parent)
        lessons = self._lessons = desk.lessons()
        self._navigation = desk.navigation
        self._model: TableModel[Shelved] = TableModel(
            self._columns(), key=lambda each: str(each.file), parent=self
        )
        self._table = Table(tr("Lessons"), self._model, row_height=_ROW)
        self._table.setSelectionMode(Table.SelectionMode.SingleSelection)
        self._table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._table.columns.remember_in(desk.machine.settings, "lessons/columns")
        self._table.activated.connect(self._on_activated)
        self._table.picked_changed.connect(self._show_state)
        self._table.customContextMenuRequested.connect(self._on_menu_asked)
        self._begin = QPushButton()
        self._begin.setProperty("kind", "primary")
        self._begin.setAutoDefault(True)
        self._begin.clicked.connect(lambda: self._play(self._picked()))
        self._add = ToolButton(
            "framed",
            Icon.OPEN_FILE,
            tr("Open a lesson…"),
            tr("A lesson of your own or of somebody else's: a Markdown file (Ctrl+O)"),
        )
        add = lessons.shelf.add
        file = partial(ask_for_file, tr("Open a lesson"), tr(_KINDS), self, add)
        ask = self.add_command(tr("Open a lesson…"), "Ctrl+O", file)
        folder = partial(ask_for_file, tr("Open a folder with a lesson"), "", self, add)
        self.add_command(tr("Open a folder with a lesson…"), "", folder)
        self._anew = self.add_command(
            tr("Begin the lesson anew"), "", lambda: self._play(self._picked(), anew=True)
        )
        self._forget = self.add_command(
            tr("Take the lesson off the list"), "", self._on_forget_asked
        )
        self._add.clicked.connect(ask.trigger)
        self._notice = ColumnNotice()
        self._empty = EmptyState(Icon.LESSONS)
        self._empty.show_words(tr("The lessons are being read"))
        self._either = QStackedWidget()
        self._either.addWidget(self._empty)
        self._either.addWidget(self._table)
        panel = QFrame()
        panel.setProperty("panel", "card")
        self._either.setMinimumWidth(_LEAST)
        column(self._either, within=panel, gap=6, margins=(8, 4, 8, 8))
        head = row(label(tr("Lessons"), look().letters.title), GROWS, self._add, self._begin)
        margins = (_MARGIN, _TOP, _MARGIN, _TOP)
        column(head, self._notice, panel, GROWS, within=self, gap=_GAP, margins=margins)
        self.begin_at(self._table)
        lessons.shelf.changed.connect(self._on_shelf_changed)
        lessons.shelf.taken.connect(self._on_taken)
        lessons.opened.connect(self._on_opened)
        lessons.shelf.look()
        self._on_shelf_changed()

    def pull(self) -> None:
        """What is here may change at any time: a card, a Python."""
        self._table.show_rows(self._lessons.shelf.lessons, in_order=False)
        self._show_state()

    def posed(self) -> bool:
        return self._lessons.shelf.was_read

    def _columns(self) -> list[Column[Shelved]]:
        return [
            Column("number", tr("No."), _number, right=True, width=44),
            Column("title", tr("Lesson"), self._title, stretches=True, width=300),
            Column("minutes", tr("Minutes"), _minutes, right=True, width=76, kept=2),
            Column("needs", tr("Needs"), _needs, width=150, kept=1),
            Column("here", tr("Here"), self._here, width=160, kept=3),
            Column("progress", tr("How far you are"), self._progress, width=130),
        ]

    def _title(self, shelved: Shelved) -> Cell:
        lesson = shelved.lesson
        if lesson is None:
            told = "" if shelved.trouble is None else shelved.trouble.told
            name = shelved.file.name or tr("Lessons")
            return Cell(name, tone=Tone.BAD, below=told, hint=told)
        about = plain(lesson.about)
        words = tr("from outside") if shelved.outside else ""
        return Cell(lesson.title, below=about, mark=words, hint=f"{lesson.title}\n{about}")

    def _here(self, shelved: Shelved) -> Cell:
        words = tr(here_words(shelved.lesson, self._lessons.lab)) if shelved.lesson else ""
        lacks = self.machine.session.bare and words == tr(NO_CARD)
        return Cell(words, tone=Tone.QUIET, hint=tr(NO_CARDS) if lacks else "")

    def _progress(self, shelved: Shelved) -> Cell:
        lesson, player = shelved.lesson, self._lessons.player
        if lesson is None:
            return Cell(tr("cannot be read"), tone=Tone.BAD)
        done, begun = self._lessons.done(lesson)
        words = progress_words(done, len(lesson.steps), begun=begun)
        if player is not None and player.lesson.file == lesson.file:
            return Cell(words, below=tr("open now"))
        over = begun and done >= len(lesson.steps)
        icon = Icon.CHECK if over else None
        return Cell(words, icon=icon, tone=Tone.TEXT if begun else Tone.FAINT)

    def _picked(self) -> Lesson | None:
        picked = self._table.picked()
        return picked[0].lesson if picked else None

    def _show_state(self) -> None:
        lesson, shelf = self._picked(), self._lessons.shelf
        begun = lesson is not None and self._lessons.done(lesson)[1]
        over = lesson is not None and self._lessons.done(lesson)[0] >= len(lesson.steps)
        words = tr("Look at it again") if over else tr("Go on") if begun else tr("Begin")
        self._begin.setText(words)
        self._begin.setEnabled(lesson is not None)
        self._anew.setEnabled(begun)
        self._forget.setEnabled(any(each.outside for each in self._table.picked()))
        self._either.setCurrentIndex(1 if shelf.was_read else 0)

    def _play(self, lesson: Lesson | None, *, anew: bool = False) -> None:
        """None: what was picked cannot be read."""
        if lesson is not None:
            self._navigation.open_screen(first_screen(lesson))
            self._lessons.play(lesson, anew=anew)

    def _on_shelf_changed(self) -> None:
        self._table.show_rows(self._lessons.shelf.lessons)
        if not self._table.picked() and self._lessons.shelf.lessons:
            files = [str(each.file) for each in self._lessons.shelf.lessons]
            last = self._lessons.last
            self._table.pick(last if last in files else files[0])
        self._show_state()

    def _on_taken(self, shelved: Shelved) -> None:
        """From outside: it is on the list now, or it cannot be read."""
        said = "" if shelved.trouble is None else shelved.trouble.told
        self._notice.show_notice(LessonNotice(said, Tone.BAD))
        if shelved.lesson is not None:
            self._table.pick(str(shelved.file))
            self._show_state()
        self._table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_opened(self) -> None:
        if self.isVisible():
            self.pull()

    def _on_activated(self, index: QModelIndex) -> None:
        shelved = self._model.thing(index)
        self._play(shelved.lesson if shelved is not None else None)

    def _on_forget_asked(self) -> None:
        for each in self._table.picked():
            if each.outside:
                self._lessons.shelf.forget(each.file)

    def _on_menu_asked(self, place: QPoint) -> None:
        shelved = self._model.thing(self._table.indexAt(place))
        if shelved is None:
            return
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        if shelved.lesson is not None:
            menu.addAction(self._begin.text(), self._begin.click)
            menu.addAction(self._anew)
        if shelved.outside:
            menu.addAction(self._forget)
        menu.popup(self._table.viewport().mapToGlobal(place))


def _number(shelved: Shelved) -> Cell:
    """By which it is spoken of, and by which the command line knows it."""
    number = shelved.lesson.name.partition("-")[0] if shelved.lesson else ""
    known = number.isdecimal() and not shelved.outside
    return Cell(str(int(number)) if known else "", tone=Tone.QUIET)


def _minutes(shelved: Shelved) -> Cell:
    return Cell(str(shelved.lesson.minutes) if shelved.lesson else "")


def _needs(shelved: Shelved) -> Cell:
    return Cell(needs_words(shelved.lesson) if shelved.lesson else "", tone=Tone.QUIET)
