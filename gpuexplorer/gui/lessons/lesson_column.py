"""LessonColumn: the lesson that is played, beside whatever screen is seen; its Presentation on
a projector; and the Pointer to what it speaks of.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import shiboken6
from PySide6.QtCore import QDeadlineTimer, QEvent, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QCloseEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFrame,
    QMenu,
    QRadioButton,
    QScrollArea,
    QWidget,
)

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import listed, mark, paragraph, tr, trn
from gpuexplorer.gui.lab.code.notice_bar import LabNotice, NoticeBar
from gpuexplorer.gui.lessons.step_page import StepHost, StepPage, next_part
from gpuexplorer.gui.state.lab.worker_slot import Stage, stage_words
from gpuexplorer.gui.state.lessons import LessonsState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.icons import Icon, icon_of
from gpuexplorer.gui.theme.letters import Letterings
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import (
    IconButton,
    MenuButton,
    PrimaryButton,
    open_below,
)
from gpuexplorer.gui.widgets.controls.keyboard import pressed_by_enter
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Grow, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import LiveView, scrolled
from gpuexplorer.gui.widgets.saving import FileKind, Saving, Write, suggested_name
from gpuexplorer.gui.widgets.sheets.python_sheet import PyTorchNotice
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.lessons.lesson import CONTROLS, Code, Point, Predict, screen_of
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
_STAYS, _OFTEN, _AROUND = 6000, 50, 5  # milliseconds of the pointer; pixels
_ICONS = {
    StepState.DONE: Icon.CHECK,
    StepState.FAILED: Icon.WARNING,
    StepState.SKIPPED: Icon.NEXT,
}
# Pixels of a presentation whose letters have their usual size; at most how many times as large.
_SMALLEST, _MOST = (820, 460), 3.0
_WIDEST = 760  # of what is read, at that size
_PAGES = 0.85  # of the height; a few lines stay
_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right)


class LessonColumn(QFrame):
    """The lesson that is played, until another one is or it is left."""

    fold_asked = Signal()
    more_asked = Signal(QMenu)  # what else can be done with the lesson, to be filled in

    def __init__(
        self, player: Player, lessons: LessonsState, navigation: Navigation, pointer: "Pointer"
    ) -> None:
        super().__init__()
        lesson, self._lab = player.lesson, lessons.lab
        self._player, self._lessons = player, lessons
        self._navigation, self._pointer = navigation, pointer
        self._presentation: Presentation | None = None
        self._at = -1
        self.setProperty("panel", "rail")
        self.setAccessibleName(tr("Lesson: {title}", title=lesson.title))
        title = ElidedLabel(look().letters.title, Tone.TEXT, lesson.title)
        self._steps = MenuButton(tr("Steps of the lesson"))
        self._steps.about_to_open.connect(self._fill_steps)
        more = IconButton(Icon.MENU, tr("What can be done with the lesson"))
        more.clicked.connect(partial(self._on_more_asked, more))
        fold = IconButton(Icon.FOLD, tr("Fold the lesson"), "Ctrl+Shift+B")
        fold.clicked.connect(self.fold_asked)
        self._saving = Saving(self._lab.machine.settings, self)
        self._saving.done.connect(lambda said: self._tell(said, Tone.QUIET))
        self._saving.refused.connect(self._tell)
        self._notice = NoticeBar()
        needed = PyTorchNotice(self._lab if "pytorch" in lesson.needs else None, self)
        self._page, paper = StepPage(player, self), QWidget()
        paper.setProperty("panel", "clear")
        column(self._page, FREE, within=paper, margins=(16, 4, 12, 16))
        self._area = scrolled(paper)
        self._area.setAccessibleName(lesson.title)
        self._area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._page.came.connect(partial(self._area.ensureWidgetVisible, ymargin=_ABOVE))
        bar = self._area.verticalScrollBar()
        bar.valueChanged.connect(self._show_foot)
        bar.rangeChanged.connect(self._show_foot)
        self._back = IconButton(Icon.PREVIOUS, tr("Step before"), "Alt+PgUp")
        self._back.clicked.connect(partial(self.turn, -1))
        self._next = PrimaryButton("Ctrl+Shift+Enter")
        self._next.clicked.connect(self.do_next)
        self._stop = IconButton(Icon.STOP, tr("Stop the cell"))
        self._stop.clicked.connect(self._lab.cancel)
        self._over = IconButton(Icon.NEXT)
        self._over.clicked.connect(partial(self.turn, 1))
        head = (title, GROWS, self._steps, more, fold)
        foot = (self._back, self._next, GROWS, self._stop, self._over)
        parts = (
            row(*head, gap=4, margins=(16, 10, 9, 8)),
            column(self._notice, needed, margins=(16, 0, 12, 6)),
            self._area,
            GROWS,
            row(*foot, gap=6, margins=(12, 8, 9, 12)),
        )
        column(*parts, within=self, gap=0, margins=(0, 0, 1, 0))
        lessons.changed.connect(self._show)
        self._show()

    def take_keyboard(self) -> None:
        """Where one reads: the arrow keys scroll, and Tab goes through the parts."""
        self._area.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def turn(self, by: int) -> None:
        """To another step, whether this one is done or not."""
        if 0 <= self._player.at + by < len(self._player.steps):
            self._player.go(self._player.at + by)

    def do_next(self) -> None:
        """The one thing that comes next: predict, run, read on, or the next step."""
        self._coming()[1]()

    def open_steps(self) -> None:
        self._steps.click()

    def present(self) -> None:
        """Over the whole screen, for a class."""
        if self._presentation is None:
            self._presentation = Presentation(self._player, self, self.window())
            self._presentation.left.connect(self._on_presentation_left)
            self._presentation.open()

    def export(self) -> None:
        """As far as it was played: a page to be read and printed."""
        player, lab, session = self._player, self._lab, self._lab.machine.session

        def page(path: Path) -> Write:
            from gpuexplorer.lessons.html import contents  # noqa: PLC0415 - rarely needed

            data = contents(player, lab.ledger, machine=lab.machine.name)
            return partial(write_whole, path, [data])

        wall, simulated = session.clock.wall(), session.simulated
        name = suggested_name(player.lesson.name, wall, simulated=simulated)
        self._saving.ask(tr("Export the lesson"), name, (_PAGE,), page)

    def run(self, cells: Sequence[Code]) -> bool:
        """Whether they run, now or soon; else it is asked or told why not."""
        try:
            if not self._player.must_ask:
                self._player.run(*cells)
                return True
            self._ask_first()
        except Trouble as trouble:
            self._tell(trouble.told)
        return False

    def show_control(self, name: str) -> None:
        self._leave_presentation()
        if refused := self._pointer.show_control(name):
            self._tell(refused)

    def open_lesson(self, name: str) -> None:
        if (lesson := self._lessons.shelf.named(name)) is not None:
            self._lessons.play(lesson)
        else:
            self._tell(tr("There is no lesson {name!r} on the list.", name=name))

    def edit(self, code: str) -> None:
        self._leave_presentation()
        self._navigation.open_screen("lab")
        self._lab.code_offered.emit(code)

    def stop(self) -> None:
        """For good."""
        self._lessons.changed.disconnect(self._show)
        self._area.verticalScrollBar().blockSignals(True)  # noqa: FBT003 - it tells while it goes
        self._pointer.end()
        self._leave_presentation()

    def _show(self, told: LabNotice | None = None) -> None:
        """`told`: what was just refused, or done; until something changes."""
        player = self._player
        another, self._at = player.at != self._at, player.at
        here = self._has_keyboard()
        if another and here:
            self.take_keyboard()  # on a part that goes, Qt would scroll to whoever gets it then
        self._page.show_step()
        if here and not self._has_keyboard():
            self.take_keyboard()  # it was on an answer that is not asked for any more
        if another:
            self._area.verticalScrollBar().setValue(0)
            self._pointer.end()
            points = (each for each in player.step.step.parts if isinstance(each, Point))
            if (point := next(points, None)) is not None:
                self._pointer.show_control(
                    point.control, go=False
                )  # if it is on the screen that is seen
        if self._presentation is not None:
            self._presentation.show_step()
        at, count = player.at + 1, len(player.steps)
        self._steps.show_words(tr("{number} of {count}", number=at, count=count))
        self._notice.show_notice(told or self._notice_now())
        self._show_foot()

    def _show_foot(self) -> None:
        player, busy = self._player, self._player.busy()
        self._next.show_words(self._coming()[0])
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

    def _coming(self) -> tuple[str, Callable[[], object]]:
        """What comes next in words, and what does it: predict, then run, then go on. Nobody is
        led over an explanation that was not seen.
        """
        player, step, bar = self._player, self._player.step, self._area.verticalScrollBar()
        part = next_part(player)
        if player.busy():
            return tr("Running"), tuple
        if isinstance(part, Predict):
            return tr("Predict first"), self._page.do_next
        if part is not None:
            one = len(step.step.cells) == 1
            return tr("Run the cell") if one else tr("Run next cell"), self._page.do_next
        if step.state is StepState.FAILED and any(not e.held for e in step.checked.values()):
            return tr("Check again"), player.check_again
        if bar.value() + _ABOVE < bar.maximum():
            page = self._area.viewport().height() - _SEEN
            return tr("Read on"), lambda: bar.setValue(bar.value() + page)
        if player.at + 1 < len(player.steps):
            return tr("Next step"), partial(self.turn, 1)
        return tr("Finish"), self._finish

    def _notice_now(self) -> LabNotice:
        """The gravest first."""
        lab, lost, player = self._lab, self._lessons.lost, self._player
        ended, gone = tr(lab.sentence), player.replay_needed
        if lab.stage is Stage.HANGING:
            stage, ways = stage_words(lab.stage), {tr("Restart the worker"): lab.restart}
            return LabNotice(stage.sentence, stage.tone, ways)
        if lab.pythons.lacking and ended:
            opens = partial(self._navigation.open_screen, "lab")
            return LabNotice(ended, Tone.BAD, {tr("Open the lab"): opens})
        if lab.machine.session.bare and {"card", "two cards"} & {*player.lesson.needs}:
            ask = self._navigation.idle_cards_asked.emit
            return LabNotice(tr(NO_CARDS), Tone.WARN, {tr("Use two simulated cards"): ask})
        if lost:
            ended = tr(
                "{cards} does not answer any more; what lay there is lost. Go on with another "
                "card, or when it is back.",
                cards=listed(lost),
            )
        # A step that is done needed none of them.
        if not gone or player.step.state is StepState.DONE or player.busy():
            return LabNotice(ended, Tone.WARN)
        said = trn(
            "{count} cell of the steps before is not in the lab's session, and this step may "
            "need what it makes.",
            "{count} cells of the steps before are not in the lab's session, and this step may "
            "need what they make.",
            len(gone),
        )
        again = trn("Run that cell", "Run those {count} cells", len(gone))
        tone = Tone.WARN if ended else Tone.QUIET
        return LabNotice(paragraph((ended, said)), tone, {again: partial(self.run, gone)})

    def _has_keyboard(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is self._area or self._area.isAncestorOf(focused or self)

    def _finish(self) -> None:
        self._lessons.finish()
        self._navigation.open_screen("lessons")

    def _ask_first(self) -> None:
        """Nothing of a lesson from outside runs before somebody has seen its cells."""
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
        sheet.add_code("\n\n".join(cells), tr("All cells of the lesson"))
        later = tr("Nothing runs by itself: each cell still waits until you run it.")
        sheet.add_sentence(later, Tone.QUIET)
        sheet.add_button(tr("Don't run them"), ROLE.RejectRole, default=True)
        sheet.add_button(tr("Let it run"), ROLE.AcceptRole)
        sheet.accepted.connect(self._player.allow)
        sheet.open()

    def _tell(self, sentence: str, tone: Tone = Tone.BAD) -> None:
        self._show(LabNotice(sentence, tone))
        if self._presentation is not None:
            self._presentation.tell(sentence)

    def _leave_presentation(self) -> None:
        if self._presentation is not None:
            self._presentation.close()

    def _on_presentation_left(self) -> None:
        self._presentation = None

    def _fill_steps(self, menu: QMenu) -> None:
        for at, each in enumerate(self._player.steps):
            title = each.step.title.replace("&", "&&")
            words = tr("{number} {title}", number=at + 1, title=title)
            action = menu.addAction(words, partial(self.turn, at - self._at))
            action.setToolTip(each.reason)
            if each.state in _ICONS:
                action.setIcon(icon_of(_ICONS[each.state]))
            if at == self._at:
                menu.setDefaultAction(action)

    def _on_more_asked(self, button: QWidget) -> None:
        menu = QMenu(self)
        self.more_asked.emit(menu)
        open_below(menu, button)


class Presentation(QWidget):
    """A window of its own, over the whole screen; it is gone when it is left. For some of
    what is asked one leaves it.
    """

    left = Signal()

    def __init__(self, player: Player, host: StepHost, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._player, self._host, self._window = player, host, parent
        self._content = QWidget()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setWindowTitle(player.lesson.title)
        self.setAccessibleName(tr("Presentation of {lesson}", lesson=player.lesson.title))
        self._place = column(self._content, within=self)
        full = Qt.WindowState.WindowFullScreen
        for keys, act in (
            ("PgDown", partial(self._read_on, 1)),
            ("Space", partial(self._read_on, 1)),
            ("PgUp", partial(self._read_on, -1)),
            ("Right", partial(self._go, 1)),
            ("Left", partial(self._go, -1)),
            ("Esc", self.close),
            # Out of it, the window can be drawn to the projector's screen.
            ("F11", lambda: self.setWindowState(self.windowState() ^ full)),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)
        self._make(1.0)
        look().changed.connect(self._dress)

    def open(self) -> None:
        # Where no window manager makes it so, it is as large all the same.
        self.setGeometry(self.screen().geometry())
        self.showFullScreen()
        self.activateWindow()
        self.setFocus()

    def show_step(self) -> None:
        """To be told after each `Player.changed`."""
        self._page.show_step()
        at, count = self._player.at + 1, len(self._player.steps)
        self._step.setText(tr("{step} of {count}", step=at, count=count))
        keys = tr("Arrows or Page keys: another step. Enter: what comes next. Esc: leave.")
        self.tell(keys)

    def _make(self, scale: float) -> None:
        """In other letters."""
        self._scale, letters = scale, Letterings(scale)
        with look().in_letters(letters):
            page = self._page = StepPage(self._player, self._host, brief=True)
        page.setMaximumWidth(round(_WIDEST * scale))
        title = ElidedLabel(letters.caption, Tone.QUIET, self._player.lesson.title)
        self._step = label("", letters.caption, Tone.QUIET)
        self._foot = ElidedLabel(letters.caption, Tone.FAINT)
        ground, content = QWidget(), QWidget()
        ground.setProperty("panel", "clear")
        content.setProperty("panel", "page")
        line = row(FREE, page, Grow(100), FREE)
        column(line, FREE, within=ground, margins=round(12 * scale))
        self.area = scrolled(ground)
        page.came.connect(self.area.ensureWidgetVisible)
        side, end = round(20 * scale), round(10 * scale)
        parts = (row(title, GROWS, self._step), self.area, GROWS, self._foot)
        column(*parts, within=content, margins=(side, end, side, end))
        self._content.hide()
        self._content.deleteLater()
        self._content = content
        self._place.addWidget(content)
        content.show()
        self._dress()
        self.show_step()

    def _dress(self) -> None:
        # Under a style sheet, larger letters do not come down from what a button is in.
        size = self._page.letters.body.font.pixelSize()
        letters = f"QPushButton, QLineEdit {{ font-size: {size}px; }}"
        self._content.setStyleSheet(look().style_sheet(self._scale) + letters)

    def tell(self, sentence: str) -> None:
        self._foot.show_text(sentence)

    def _read_on(self, by: int) -> None:
        """What is below or above, then another step."""
        bar = self.area.verticalScrollBar()
        if bar.value() == (bar.maximum() if by > 0 else 0):
            self._go(by)
        else:
            bar.setValue(bar.value() + round(by * _PAGES * self.area.height()))

    def _go(self, by: int) -> None:
        at = self._player.at + by
        if 0 <= at < len(self._player.steps):
            self._player.go(at)
            self.area.verticalScrollBar().setValue(0)
            self.setFocus()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            # A button takes the space bar, and a row of choices the arrows.
            marked, key = QApplication.focusWidget(), event.key()
            pressed = key == Qt.Key.Key_Space and isinstance(marked, QAbstractButton)
            if pressed or (key in _ARROWS and isinstance(marked, QRadioButton)):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if pressed_by_enter(self, event):
            return
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        if next_part(self._player) is None:
            self._read_on(1)
            return
        self._page.do_next()
        if isinstance(part := next_part(self._player), Predict):
            choose = tr("Predict first: arrows and Space choose, Enter predicts.")
            types = tr("Predict first: type, then press Enter.")
            self.tell(choose if part.choices else types)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        fits = min(self.width() / _SMALLEST[0], self.height() / _SMALLEST[1])
        scale = round(min(_MOST, max(1.0, fits)), 1)
        if scale != self._scale:
            self._make(scale)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        if self.isActiveWindow():
            self._window.activateWindow()
        self.left.emit()


class Pointer(QFrame):
    """A ring around a control of the window that a lesson speaks of, by its name in `CONTROLS`.
    It stands over the window, and neither the mouse nor the keyboard notices it.
    """

    def __init__(self, navigation: Navigation, window: QWidget) -> None:
        super().__init__(window)
        self._navigation, self._window = navigation, window
        self._control, self._until = window, QDeadlineTimer()
        self.setProperty("panel", "pointer")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self._follows = QTimer(self, interval=_OFTEN)
        self._follows.timeout.connect(self._place)

    def show_control(self, name: str, *, go: bool = True) -> str:
        """`go`: to its screen first. Why it cannot be shown; empty where it is."""
        self.end()
        words, window, there = tr(CONTROLS[name]), self._window, screen_of(name)
        if go and there not in ("", self._navigation.screen):
            self._navigation.open_screen(there)
        view = next((each for each in window.findChildren(LiveView) if each.isVisible()), None)
        named = window.findChildren(QWidget, name)
        # Another machine has the same screens, put aside.
        named.sort(key=lambda each: view is None or not view.isAncestorOf(each))
        found = next(iter(named), None)
        if view is not None and found is not None:
            view.reveal(found)
        while found is not None and not found.isVisible():
            found = found.parentWidget()  # the menu that holds it where the window is narrow
        away = there not in ("", self._navigation.screen)
        if away or found in (None, window) or (found is view and found not in named):
            return tr("Not to be seen just now: {control}.", control=words)
        for area in window.findChildren(QScrollArea):
            if area.isAncestorOf(found):
                area.ensureWidgetVisible(found)
        self._control, self._until = found, QDeadlineTimer(_STAYS)
        self._follows.start()
        self._place()
        self.setAccessibleName(tr("Here: {control}", control=words))
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
        return ""

    def end(self) -> None:
        self._follows.stop()
        self.hide()

    def _place(self) -> None:
        """Around what is seen of the control; a screen may be gone, with its session."""
        control, window, more = self._control, self._window, _AROUND
        gone = self._until.hasExpired() or not shiboken6.isValid(control)
        if gone or not control.isVisible():
            self.end()
            return
        seen = control.visibleRegion().boundingRect()
        ring = QRect(control.mapTo(window, seen.topLeft()), seen.size())
        self.setGeometry(ring.adjusted(-more, -more, more, more) & window.rect())
        self.show()
        self.raise_()
