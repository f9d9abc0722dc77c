"""LessonColumn: the lesson that is played, beside whatever screen is seen."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QFrame, QMenu, QPushButton, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.lessons.column_parts import ColumnFoot, ColumnNotice, FirstRun
from gpuexplorer.gui.lessons.pointer import Pointer
from gpuexplorer.gui.lessons.presentation import Presentation
from gpuexplorer.gui.lessons.step_asks import StepAsks
from gpuexplorer.gui.lessons.step_page import StepPage
from gpuexplorer.gui.lessons.words import (
    CHECKED,
    LessonNotice,
    Next,
    Way,
    next_of,
    notice_of,
    step_words,
)
from gpuexplorer.gui.state.lessons.lessons_state import LessonsState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.icons import Icon, icon_of
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, MenuButton
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import scrolled
from gpuexplorer.gui.widgets.saving import FileKind, Saving, Write, suggested_name
from gpuexplorer.gui.widgets.sheets.python_sheet import PyTorchNotice
from gpuexplorer.lessons.lesson import Point, Step
from gpuexplorer.lessons.player import Player, StepState
from gpuexplorer.telemetry.whole_file import write_whole

_PAGE = FileKind(mark("Page"), "html")
LEAST, USUAL, FOLDED = 300, 340, 45
_SEEN = 40  # pixels that stay in sight, when one reads on
_ABOVE = 8  # pixels, over what was just measured: below it stands what comes of it


class LessonColumn(QFrame):
    """Follows the lessons; the window makes room for it. Folded, a strip of it stays."""

    fold_asked = Signal()
    more_asked = Signal(QMenu)  # what else can be done with the lesson, to be filled in

    def __init__(
        self,
        lessons: LessonsState,
        navigation: Navigation,
        pointer: Pointer,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._pointer = pointer
        self._lessons, self._navigation = lessons, navigation
        self._player: Player | None = None
        self._page: StepPage | None = None
        self._presentation: Presentation | None = None
        self._said = LessonNotice()  # what was just refused, until something changes
        self._at = -1
        self.setProperty("panel", "rail")
        self._title = ElidedLabel(look().letters.title, Tone.TEXT)
        self._more = IconButton(Icon.MENU, tr("What can be done with the lesson"))
        self._more.clicked.connect(self._on_more_asked)
        self._fold = IconButton(Icon.FOLD, tr("Fold the lesson"), "Ctrl+Shift+B")
        self._fold.clicked.connect(self.fold_asked)
        self._steps = MenuButton(tr("Steps of the lesson"))
        self._steps.about_to_open.connect(self._on_steps_asked)
        self._saving = Saving(lessons.lab.machine.settings, self)
        self._saving.done.connect(self._on_saved)
        self._saving.refused.connect(self._on_refused)
        self._notice = ColumnNotice()
        self._needed = PyTorchNotice(None, self)
        self._notice.way_chosen.connect(self._on_way_chosen)
        self._area = scrolled(QWidget())
        self._area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._area.verticalScrollBar().valueChanged.connect(self._show_foot)
        self._area.verticalScrollBar().rangeChanged.connect(self._show_foot)
        self._foot = ColumnFoot()
        self._foot.next_asked.connect(self.do_next)
        self._foot.stop_asked.connect(self._on_stop_asked)
        self._foot.back_asked.connect(partial(self.turn, -1))
        self._foot.skip_asked.connect(partial(self.turn, 1))
        parts = (self._title, GROWS, self._steps, self._more, self._fold)
        head = row(*parts, gap=4, margins=(16, 10, 9, 8))
        asks = self._asks = StepAsks(self)
        asks.lesson.connect(self._on_lesson_asked)
        asks.control.connect(self._on_control_asked)
        asks.edit.connect(self._on_edit_asked)
        asks.allow.connect(self._ask_first)
        asks.refused.connect(self._on_refused)
        self._body = QWidget()
        column(
            head,
            column(self._notice, self._needed, margins=(16, 0, 12, 6)),
            self._area,
            GROWS,
            self._foot,
            within=self._body,
            gap=0,
        )
        self._strip = QWidget()
        unfold = IconButton(Icon.UNFOLD, tr("Unfold the lesson"), "Ctrl+Shift+B")
        unfold.clicked.connect(self.fold_asked)
        column(unfold, FREE, within=self._strip, margins=(6, 10, 6, 0))
        column(self._body, self._strip, within=self, gap=0, margins=(0, 0, 1, 0))
        self._strip.hide()
        lessons.opened.connect(self._on_opened)
        lessons.changed.connect(self._on_changed)
        self._on_opened()

    def show_folded(self, folded: bool) -> None:
        self._body.setVisible(not folded)
        self._strip.setVisible(folded)

    def take_keyboard(self) -> None:
        """Where one reads: the arrow keys scroll, and Tab goes through the parts."""
        self._area.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def turn(self, by: int) -> None:
        """To another step, whether this one is done or not."""
        if self._player is not None and 0 <= self._player.at + by < len(self._player.steps):
            self._go(self._player.at + by)

    def do_next(self) -> None:
        """What the button that stands out says."""
        player = self._player
        if player is None:
            return
        match self._coming(player):
            case Next.READ:
                bar = self._area.verticalScrollBar()
                bar.setValue(bar.value() + bar.pageStep() - _SEEN)
            case Next.PREDICT:
                self._lead(answer=True)
            case Next.RUN if player.must_ask:
                self._ask_first()
            case Next.RUN:
                self._lead(answer=False)
                self._try(player.run_next)
            case Next.CHECK:
                player.check_again()
            case Next.GO_ON:
                self.turn(1)
            case Next.END:
                self._lessons.finish()
                self._navigation.open_screen("lessons")

    def open_steps(self) -> None:
        self._steps.click()

    def present(self) -> None:
        """Over the whole screen, for a class."""
        if self._player is not None and self._presentation is None:
            over = self.window()
            shown = Presentation(self._player, self._asks, over)
            self._presentation = shown
            shown.left.connect(self._on_left)
            shown.open()

    def export(self) -> None:
        """As far as it was played: a page to be read and printed."""
        player, session = self._player, self._lessons.lab.machine.session
        if player is not None:
            name = suggested_name(
                player.lesson.name, session.clock.wall(), simulated=session.simulated
            )
            self._saving.ask(tr("Export the lesson"), name, (_PAGE,), self._contents)

    def stop(self) -> None:
        """Nobody is asked any longer. Harmless when called twice."""
        self._area.verticalScrollBar().blockSignals(True)  # noqa: FBT003 - it tells while it goes
        self._end_presentation()

    def _end_presentation(self) -> None:
        if self._presentation is not None:
            self._presentation.close()

    def _contents(self, path: Path) -> Write | None:
        from gpuexplorer.lessons.html import contents  # noqa: PLC0415 - rarely needed

        if self._player is None:
            return None
        lab = self._lessons.lab
        data = contents(self._player, lab.ledger, machine=lab.machine.name)
        return partial(write_whole, path, [data])

    def _go(self, at: int) -> None:
        if self._player is not None:
            self._said = LessonNotice()
            self._player.go(at)
            self._show()

    def _show(self) -> None:
        player, page = self._player, self._page
        if player is None or page is None:
            return
        another, self._at = player.at != self._at, player.at
        here = self._has_keyboard()
        if another and here:
            self.take_keyboard()  # on a part that goes, Qt would scroll to whoever gets it then
        page.show_step()
        if here and not self._has_keyboard():
            self.take_keyboard()  # it was on an answer that is not asked for any more
        if another:
            self._begin_step(player.step.step)
        if self._presentation is not None:
            self._presentation.show_step()
        self._steps.show_words(step_words(player.at, player.steps))
        lessons, said = self._lessons, self._said
        if not said.sentence:
            said = notice_of(player, lessons.lab, lessons.lost)
        self._notice.show_notice(said)
        self._show_foot()

    def _show_foot(self) -> None:
        player = self._player
        if player is None:
            return
        over = player.step.state in (StepState.DONE, StepState.SKIPPED)
        cells = len(player.step.step.cells)
        first, last = player.at == 0, player.at + 1 == len(player.steps)
        self._foot.show_next(self._coming(player), cells, over=over, first=first, last=last)

    def _coming(self, player: Player) -> Next:
        """Nobody is led over an explanation that was not seen."""
        coming, bar = next_of(player), self._area.verticalScrollBar()
        below = bar.value() + _ABOVE < bar.maximum()
        return Next.READ if below and coming in (Next.GO_ON, Next.END) else coming

    def _has_keyboard(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and (
            focused is self._area or self._area.isAncestorOf(focused)
        )

    def _begin_step(self, step: Step) -> None:
        self._area.verticalScrollBar().setValue(0)
        self._pointer.hide()
        point = next((each for each in step.parts if isinstance(each, Point)), None)
        if point is not None:
            self._pointer.hint_at(point.control)  # if it is on the screen that is seen

    def _lead(self, *, answer: bool) -> None:
        """To the part whose button stands out. `answer`: for the keyboard to answer it; who is
        there already has answered.
        """
        buttons = self._page.findChildren(QPushButton) if self._page is not None else ()
        first = next((e for e in buttons if e.property("kind") == "primary"), None)
        part = None if first is None else first.parentWidget()
        if first is None or part is None:
            return
        self._area.ensureWidgetVisible(part)
        focused = QApplication.focusWidget()
        if answer and focused is not None and part.isAncestorOf(focused):
            first.click()
        elif answer:
            inside = (e for e in part.findChildren(QWidget) if e.isVisibleTo(part))
            tab = Qt.FocusPolicy.TabFocus
            stop = next((each for each in inside if each.focusPolicy() & tab), first)
            stop.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _ask_first(self) -> None:
        """Nothing of a lesson from outside runs before somebody has seen its cells."""
        if self._player is not None:
            over = self._presentation or self.window()
            sheet = FirstRun(self._player.lesson, over)
            sheet.accepted.connect(self._on_allowed)
            sheet.open()

    def _on_allowed(self) -> None:
        if self._player is not None:
            self._player.allow()
            self._show()

    def _on_opened(self) -> None:
        """Another lesson, the same on other cards, or none any more."""
        self._end_presentation()
        before, self._page = self._page, None
        self._player, self._at, self._said = self._lessons.player, -1, LessonNotice()
        if before is not None:
            self._area.takeWidget().deleteLater()
        player = self._player
        if player is None:
            return
        needs = "pytorch" in player.lesson.needs
        self._needed.show_lab(self._lessons.lab if needs else None)
        page = self._page = StepPage(player, self._asks)
        page.revealed.connect(self._on_revealed)
        paper = QWidget()
        paper.setProperty("panel", "clear")
        column(page, FREE, within=paper, margins=(16, 4, 12, 16))
        self._area.setWidget(paper)
        self._title.show_text(player.lesson.title)
        self.setAccessibleName(tr("Lesson: {title}", title=player.lesson.title))
        self._area.setAccessibleName(player.lesson.title)
        self._show()

    def _on_revealed(self, part: QWidget) -> None:
        page = part.parentWidget()
        lines = page.layout() if page is not None else None
        if lines is not None:
            lines.activate()  # for the part to be as high as it is now
        self._area.ensureWidgetVisible(part, ymargin=_ABOVE)

    def _on_left(self) -> None:
        self._presentation = None

    def _on_changed(self) -> None:
        self._said = LessonNotice()
        self._show()

    def _try(self, run: Callable[[], object]) -> None:
        try:
            run()
        except Trouble as trouble:
            self._on_refused(trouble.told)

    def _on_refused(self, sentence: str) -> None:
        self._said = LessonNotice(sentence, Tone.BAD)
        self._show()

    def _on_stop_asked(self) -> None:
        self._lessons.lab.cancel()

    def _on_saved(self, sentence: str) -> None:
        self._said = LessonNotice(sentence)
        self._show()

    def _on_control_asked(self, name: str) -> None:
        self._end_presentation()
        refused = self._pointer.show_control(name)
        if refused:
            self._on_refused(refused)

    def _on_lesson_asked(self, name: str) -> None:
        lesson = self._lessons.shelf.named(name)
        if lesson is None:
            self._on_refused(tr("There is no lesson {name!r} on the list.", name=name))
        else:
            self._lessons.play(lesson)

    def _on_edit_asked(self, code: str) -> None:
        self._end_presentation()
        self._navigation.open_screen("lab")
        self._lessons.lab.code_offered.emit(code)

    def _on_way_chosen(self, way: Way) -> None:
        match way:
            case Way.RESTART:
                self._lessons.lab.restart()
            case Way.REPLAY if self._player is not None and self._player.must_ask:
                self._ask_first()
            case Way.REPLAY if self._player is not None:
                self._player.run(*self._player.replay_needed)
            case Way.SIMULATE:
                self._navigation.idle_cards_asked.emit()
            case Way.LAB:
                self._navigation.open_screen("lab")

    def _on_steps_asked(self, menu: QMenu) -> None:
        player = self._player
        for at, each in enumerate(player.steps if player is not None else ()):
            words = tr(
                "{number} {title}", number=at + 1, title=each.step.title.replace("&", "&&")
            )
            action = menu.addAction(words, partial(self._go, at))
            icon = CHECKED.get(each.state)
            if icon is not None:
                action.setIcon(icon_of(icon))
            action.setToolTip(each.reason)
            if player is not None and at == player.at:
                font = action.font()
                font.setBold(True)
                action.setFont(font)

    def _on_more_asked(self) -> None:
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        self.more_asked.emit(menu)
        menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))
