"""LessonColumn: the lesson that is played, beside whatever screen is seen; and the Pointer to
what it speaks of.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import shiboken6
from PySide6.QtCore import QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QPen
from PySide6.QtWidgets import QApplication, QFrame, QMenu, QPushButton, QScrollArea, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import listed, mark, paragraph, tr, trn
from gpuexplorer.gui.lessons.presentation import Presentation
from gpuexplorer.gui.lessons.step_page import StepAsks, StepPage, next_part
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.lessons import LessonsState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.icons import Icon, icon_of
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import (
    IconButton,
    MenuButton,
    PrimaryButton,
    open_below,
)
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, row, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import LiveView, scrolled
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.saving import FileKind, Saving, Write, suggested_name
from gpuexplorer.gui.widgets.sheets.python_sheet import PyTorchNotice
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.lessons.lesson import CONTROLS, Point, Predict, screen_of
from gpuexplorer.lessons.player import Player, StepState
from gpuexplorer.telemetry.whole_file import write_whole

LEAST, USUAL = 300, 340
NO_CARDS = mark(
    "No graphics card answers here. Two simulated ones can take its place: values are real "
    "there, times are modelled, and every screen says SIMULATED."
)
_PAGE = FileKind(mark("Page"), "html")
_SEEN = 40  # pixels that stay in sight, when one reads on
_ABOVE = 8  # pixels, over what was just measured: below it stands what comes of it
_CODE_HEIGHT = 200
_ICONS = {
    StepState.DONE: Icon.CHECK,
    StepState.FAILED: Icon.WARNING,
    StepState.SKIPPED: Icon.NEXT,
}
# A sentence and its tone; the words of a button, and what it does.
Notice = tuple[str, Tone, str, Callable[[], object]]


class LessonColumn(QFrame):
    """Follows the lessons; the window makes room for it."""

    fold_asked = Signal()
    more_asked = Signal(QMenu)  # what else can be done with the lesson, to be filled in

    def __init__(
        self, lessons: LessonsState, navigation: Navigation, pointer: "Pointer"
    ) -> None:
        super().__init__()
        self._lessons, self._navigation, self._pointer = lessons, navigation, pointer
        self._player: Player | None = None
        self._page: StepPage | None = None
        self._presentation: Presentation | None = None
        self._act: Callable[[], object] = tuple  # of the notice's button
        self._lab = partial(navigation.open_screen, "lab")
        self._at = -1
        self.setProperty("panel", "rail")
        self._title = ElidedLabel(look().letters.title, Tone.TEXT)
        self._steps = MenuButton(tr("Steps of the lesson"))
        self._steps.about_to_open.connect(self._fill_steps)
        self._more = IconButton(Icon.MENU, tr("What can be done with the lesson"))
        self._more.clicked.connect(self._on_more_asked)
        fold = IconButton(Icon.FOLD, tr("Fold the lesson"), "Ctrl+Shift+B")
        fold.clicked.connect(self.fold_asked)
        self._saving = Saving(lessons.lab.machine.settings, self)
        self._saving.done.connect(lambda said: self._tell(said, Tone.QUIET))
        self._saving.refused.connect(self._tell)
        self._notice, self._sentence = QFrame(), wrapped_label("", Tone.TEXT)
        self._notice.setProperty("panel", "notice")
        self._way = QPushButton()
        self._way.setAutoDefault(True)
        self._way.clicked.connect(lambda _: self._act())
        way = row(self._way, FREE)
        column(self._sentence, way, within=self._notice, margins=(12, 8, 12, 8))
        self._needed = PyTorchNotice(None, self)
        self._area = scrolled(QWidget())
        self._area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        bar = self._area.verticalScrollBar()
        bar.valueChanged.connect(self._show_foot)
        bar.rangeChanged.connect(self._show_foot)
        self._back = IconButton(Icon.PREVIOUS, tr("Step before"), "Alt+PgUp")
        self._back.clicked.connect(partial(self.turn, -1))
        self._next = PrimaryButton("Ctrl+Shift+Enter")
        self._next.clicked.connect(self.do_next)
        self._stop = IconButton(Icon.STOP, tr("Stop the cell"))
        self._stop.clicked.connect(lambda _: lessons.lab.cancel())
        self._over = IconButton(Icon.NEXT)
        self._over.clicked.connect(partial(self.turn, 1))
        asks = self._asks = StepAsks(self)
        asks.lesson.connect(self._on_lesson_asked)
        asks.control.connect(self._on_control_asked)
        asks.edit.connect(self._on_edit_asked)
        asks.allow.connect(self._ask_first)
        asks.refused.connect(self._tell)
        head = (self._title, GROWS, self._steps, self._more, fold)
        foot = (self._back, self._next, GROWS, self._stop, self._over)
        column(
            row(*head, gap=4, margins=(16, 10, 9, 8)),
            column(self._notice, self._needed, margins=(16, 0, 12, 6)),
            self._area,
            GROWS,
            row(*foot, gap=6, margins=(12, 8, 9, 12)),
            within=self,
            gap=0,
            margins=(0, 0, 1, 0),
        )
        lessons.opened.connect(self._on_opened)
        lessons.changed.connect(self._show)
        self._on_opened()

    def take_keyboard(self) -> None:
        """Where one reads: the arrow keys scroll, and Tab goes through the parts."""
        self._area.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def turn(self, by: int) -> None:
        """To another step, whether this one is done or not."""
        if self._player is not None and 0 <= self._player.at + by < len(self._player.steps):
            self._go(self._player.at + by)

    def do_next(self) -> None:
        """The one thing that comes next: predict, run, read on, or the next step."""
        if self._player is not None:
            self._coming(self._player)[1]()

    def open_steps(self) -> None:
        self._steps.click()

    def present(self) -> None:
        """Over the whole screen, for a class."""
        if self._player is not None and self._presentation is None:
            shown = Presentation(self._player, self._asks, self.window())
            self._presentation = shown
            shown.left.connect(self._on_left)
            shown.open()

    def export(self) -> None:
        """As far as it was played: a page to be read and printed."""
        player, lab = self._player, self._lessons.lab
        if player is None:
            return

        def page(path: Path) -> Write:
            from gpuexplorer.lessons.html import contents  # noqa: PLC0415 - rarely needed

            data = contents(player, lab.ledger, machine=lab.machine.name)
            return partial(write_whole, path, [data])

        session, lesson = lab.machine.session, player.lesson
        wall, simulated = session.clock.wall(), session.simulated
        name = suggested_name(lesson.name, wall, simulated=simulated)
        self._saving.ask(tr("Export the lesson"), name, (_PAGE,), page)

    def stop(self) -> None:
        """Nobody is asked any longer. Harmless when called twice."""
        self._area.verticalScrollBar().blockSignals(True)  # noqa: FBT003 - it tells while it goes
        self._end_presentation()

    def _end_presentation(self) -> None:
        if self._presentation is not None:
            self._presentation.close()

    def _go(self, at: int) -> None:
        if self._player is not None:
            self._player.go(at)
            self._show()

    def _show(self, told: Notice | None = None) -> None:
        """`told`: what was just refused, or done; until something changes."""
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
            self._area.verticalScrollBar().setValue(0)
            self._pointer.end()
            points = (e for e in player.step.step.parts if isinstance(e, Point))
            for each in list(points)[:1]:
                self._pointer.hint_at(each.control)  # if it is on the screen that is seen
        if self._presentation is not None:
            self._presentation.show_step()
        at, count = player.at + 1, len(player.steps)
        self._steps.show_words(tr("{number} of {count}", number=at, count=count))
        sentence, tone, words, self._act = told or self._notice_of(player)
        self._sentence.setText(sentence)
        self._notice.setAccessibleName(sentence)
        self._notice.setVisible(bool(sentence))
        restyle(self._notice, "tone", tone.value)
        self._way.setText(words)
        self._way.setVisible(bool(words))
        self._show_foot()

    def _show_foot(self) -> None:
        player = self._player
        if player is None:
            return
        words, _ = self._coming(player)
        busy = player.busy()
        self._next.show_words(words)
        self._next.setEnabled(not busy)
        # What is done in the step has its own button there, which stands out.
        there = next_part(player) is not None and not busy
        restyle(self._next, "kind", "quiet" if there else "primary")
        self._stop.setVisible(busy)
        over = player.step.state in (StepState.DONE, StepState.SKIPPED)
        meaning = tr("Next step") if over else tr("Skip this step")
        self._over.show_meaning(Icon.NEXT, meaning, "Alt+PgDown")
        self._over.setEnabled(player.at + 1 < len(player.steps))
        self._back.setEnabled(player.at > 0)

    def _coming(self, player: Player) -> tuple[str, Callable[[], object]]:
        """What comes next in words, and what does it: predict, then run, then go on. Nobody is
        led over an explanation that was not seen.
        """
        step, part, bar = player.step, next_part(player), self._area.verticalScrollBar()
        if player.busy():
            return tr("Running…"), tuple
        if isinstance(part, Predict):
            return tr("Predict first"), partial(self._lead, answer=True)
        if part is not None:
            one = len(step.step.cells) == 1
            run = partial(self._run, player.run_next)
            return tr("Run the cell") if one else tr("Run next cell"), run
        if step.state is StepState.FAILED and any(not e.held for e in step.checked.values()):
            return tr("Check again"), player.check_again
        if bar.value() + _ABOVE < bar.maximum():
            page = self._area.viewport().height() - _SEEN
            return tr("Read on"), lambda: bar.setValue(bar.value() + page)
        if player.at + 1 < len(player.steps):
            return tr("Next step"), partial(self.turn, 1)
        return tr("Finish"), self._finish

    def _notice_of(self, player: Player) -> Notice:
        """The gravest first."""
        lab, lost, gone = self._lessons.lab, self._lessons.lost, player.replay_needed
        if lab.stage is Stage.HANGING:
            said = tr(
                "The cell was asked to stop and does not come back. A new worker can take the "
                "place of this one; the lesson goes on from here."
            )
            return said, Tone.WARN, tr("Restart the worker"), lab.restart
        ended = tr(lab.sentence)
        if lab.pythons.lacking and ended:
            return ended, Tone.BAD, tr("Open the lab"), self._lab
        if lab.machine.session.bare and {"card", "two cards"} & {*player.lesson.needs}:
            ask = self._navigation.idle_cards_asked.emit
            return tr(NO_CARDS), Tone.WARN, tr("Use two simulated cards"), ask
        if lost:
            ended = tr(
                "{cards} does not answer any more; what lay there is lost. Go on with another "
                "card, or when it is back.",
                cards=listed(lost),
            )
        # A step that is done needed none of them.
        if not gone or player.step.state is StepState.DONE or player.busy():
            return ended, Tone.WARN, "", tuple
        said = trn(
            "{count} cell of the steps before is not in the lab's session, and this step may "
            "need what it makes.",
            "{count} cells of the steps before are not in the lab's session, and this step may "
            "need what they make.",
            len(gone),
        )
        again = trn("Run that cell", "Run those {count} cells", len(gone))
        tone = Tone.WARN if ended else Tone.QUIET
        return paragraph((ended, said)), tone, again, partial(self._run, player.run, *gone)

    def _has_keyboard(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is self._area or self._area.isAncestorOf(focused or self)

    def _lead(self, *, answer: bool) -> None:
        part = self._page.lead(answer=answer) if self._page is not None else None
        if part is not None:
            self._area.ensureWidgetVisible(part)

    def _run(self, run: Callable[..., object], *cells: object) -> None:
        self._lead(answer=False)
        if self._player is not None and self._player.must_ask:
            self._ask_first()
            return
        try:
            run(*cells)
        except Trouble as trouble:
            self._tell(trouble.told)

    def _finish(self) -> None:
        self._lessons.finish()
        self._navigation.open_screen("lessons")

    def _ask_first(self) -> None:
        """Nothing of a lesson from outside runs before somebody has seen its cells."""
        if self._player is None:
            return
        lesson, over = self._player.lesson, self._presentation or self.window()
        sheet = Sheet(tr("Let this lesson run its cells?"), over, width=600)
        sheet.add_sentence(
            tr(
                "It did not come with GPU Explorer: {file}. Its cells, and what it checks, are "
                "Python that runs as you, with your files.",
                file=str(lesson.file),
            )
        )
        cells = [each.source.rstrip() for step in lesson.steps for each in step.cells]
        code = sheet.add_code("\n\n".join(cells), tr("All cells of the lesson"))
        code.setFixedHeight(_CODE_HEIGHT)
        later = tr("Nothing runs by itself: each cell still waits until you run it.")
        sheet.add_sentence(later, Tone.QUIET)
        sheet.add_button(tr("Don't run them"), ROLE.RejectRole, default=True)
        sheet.add_button(tr("Let it run"), ROLE.AcceptRole)
        sheet.accepted.connect(self._player.allow)
        sheet.open()

    def _tell(self, sentence: str, tone: Tone = Tone.BAD) -> None:
        self._show((sentence, tone, "", tuple))

    def _on_opened(self) -> None:
        """Another lesson, the same on other cards, or none any more."""
        self._end_presentation()
        player = self._player = self._lessons.player
        before, self._page = self._page, None
        self._at = -1
        if before is not None:
            self._area.takeWidget().deleteLater()
        if player is None:
            return
        lesson = player.lesson
        self._needed.show_lab(self._lessons.lab if "pytorch" in lesson.needs else None)
        self._page = StepPage(player, self._asks)
        self._page.revealed.connect(partial(self._area.ensureWidgetVisible, ymargin=_ABOVE))
        paper = QWidget()
        paper.setProperty("panel", "clear")
        column(self._page, FREE, within=paper, margins=(16, 4, 12, 16))
        self._area.setWidget(paper)
        self._area.setAccessibleName(lesson.title)
        self._title.show_text(lesson.title)
        self.setAccessibleName(tr("Lesson: {title}", title=lesson.title))
        self._show()

    def _on_left(self) -> None:
        self._presentation = None

    def _on_control_asked(self, name: str) -> None:
        self._end_presentation()
        refused = self._pointer.show_control(name)
        if refused:
            self._tell(refused)

    def _on_lesson_asked(self, name: str) -> None:
        lesson = self._lessons.shelf.named(name)
        if lesson is None:
            self._tell(tr("There is no lesson {name!r} on the list.", name=name))
        else:
            self._lessons.play(lesson)

    def _on_edit_asked(self, code: str) -> None:
        self._end_presentation()
        self._lab()
        self._lessons.lab.code_offered.emit(code)

    def _fill_steps(self, menu: QMenu) -> None:
        for at, each in enumerate(self._player.steps if self._player is not None else ()):
            title = each.step.title.replace("&", "&&")
            words = tr("{number} {title}", number=at + 1, title=title)
            action = menu.addAction(words, partial(self._go, at))
            if each.state in _ICONS:
                action.setIcon(icon_of(_ICONS[each.state]))
            action.setToolTip(each.reason)
            font = action.font()
            font.setBold(at == self._at)
            action.setFont(font)

    def _on_more_asked(self) -> None:
        menu = QMenu(self)
        self.more_asked.emit(menu)
        open_below(menu, self._more)


_STAYS, _OFTEN = 6000, 50  # milliseconds
_AROUND, _WIDTH, _RADIUS = 5, 3, 9


class Pointer(Painted):
    """A ring around a control of the window that a lesson speaks of, by its name in `CONTROLS`.
    It stands over the window, and neither the mouse nor the keyboard notices it.
    """

    def __init__(self, navigation: Navigation, window: QWidget) -> None:
        super().__init__(window)
        self._navigation, self._window = navigation, window
        self._control: QWidget | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self._follows = QTimer(self, interval=_OFTEN)
        self._follows.timeout.connect(self._place)
        self._gone = QTimer(self, singleShot=True, interval=_STAYS)
        self._gone.timeout.connect(self.end)

    def show_control(self, name: str) -> str:
        """Goes to its screen first. Why it cannot be shown; empty where it is."""
        if screen_of(name) not in ("", self._navigation.screen):
            self._navigation.open_screen(screen_of(name))
        return self.hint_at(name)

    def hint_at(self, name: str) -> str:
        """As `show_control`, without going anywhere."""
        self.end()
        words, here = tr(CONTROLS[name]), ("", self._navigation.screen)
        found: QWidget | None = None
        view: QWidget | None = None
        # Another machine has the same screens, put aside.
        for each in self._window.findChildren(QWidget, name):
            above = _above(each, LiveView)
            if found is None or (above is not None and above.isVisible()):
                found, view = each, above
        if found is not None and isinstance(view, LiveView) and view.isVisible():
            view.reveal(found)
        while found is not None and not found.isVisible() and found is not view:
            found = found.parentWidget()  # the menu that holds it where the window is narrow
        if screen_of(name) not in here or found in (None, view) or not found.isVisible():
            return tr("Not to be seen just now: {control}.", control=words)
        area = _above(found, QScrollArea)
        if isinstance(area, QScrollArea):
            area.ensureWidgetVisible(found)
        self._control = found
        self._place()
        self.setAccessibleName(tr("Here: {control}", control=words))
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
        self._follows.start()
        self._gone.start()
        return ""

    def end(self) -> None:
        self._follows.stop()
        self._gone.stop()
        self._control = None
        self.hide()

    def _place(self) -> None:
        """Around what is seen of the control; a screen may be gone, with its session."""
        at, window = self._control, self._window
        if at is None or not shiboken6.isValid(at) or not at.isVisible():
            self.end()
            return
        seen = window.rect()
        while at is not None and at is not window:
            seen &= QRect(at.mapTo(window, QPoint()), at.size())
            at = at.parentWidget()
        more = _AROUND
        self.setGeometry(seen.adjusted(-more, -more, more, more) & window.rect())
        self.show()
        self.raise_()

    def draw(self, drawing: Drawing) -> None:
        drawing.painter.setPen(QPen(drawing.theme.accent, _WIDTH))
        half = _WIDTH / 2
        place = QRectF(self.rect()).adjusted(half, half, -half, -half)
        drawing.painter.drawRoundedRect(place, _RADIUS, _RADIUS)


def _above(widget: QWidget, kind: type[QWidget]) -> QWidget | None:
    at = widget.parentWidget()
    while at is not None and not isinstance(at, kind):
        at = at.parentWidget()
    return at
