"""LessonPlace: the screens, and beside them the lesson while one is played."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QSplitter

from gpuexplorer.core.words import tr
from gpuexplorer.gui.rail.rail import NARROW
from gpuexplorer.gui.screens import Screens
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.window_commands import Do, WindowCommands

if TYPE_CHECKING:
    from gpuexplorer.gui.lessons.lesson_column import LessonColumn, Pointer
    from gpuexplorer.gui.state.lessons import LessonsState

_LEAST_SCREEN = 500  # pixels, in which every screen can be used
_WIDTH = "lessons/width"
_TAB = QSize(16, 56)  # in the margin that every screen has
_IN_MENU = (Do.LESSON_PRESENT, Do.LESSON_EXPORT, Do.LESSON_ANEW, Do.LESSON_LEAVE)


class LessonPlace(QSplitter):
    """Whichever screen is opened, the lesson stays. Where there is no room for both, one of
    them is seen: folding the lesson shows the screen.
    """

    arranged = Signal()  # the screens have more or less room than before

    def __init__(
        self,
        settings: Settings,
        navigation: Navigation,
        screens: Screens,
        commands: WindowCommands,
    ) -> None:
        super().__init__()
        self._settings, self._navigation = settings, navigation
        self._screens, self._commands = screens, commands
        self._lab: Lab | None = None
        self._lessons: LessonsState | None = None
        self._column: LessonColumn | None = None
        self._pointer: Pointer | None = None
        self._folded = False
        # Once more, when the screen has made itself small: before, it needs more room.
        self._again = QTimer(self, singleShot=True, interval=0)
        self._again.timeout.connect(self._arrange)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.addWidget(screens)
        # The way back to a folded lesson takes no room from the screens.
        self._tab = IconButton(Icon.UNFOLD, tr("Unfold the lesson"), "Ctrl+Shift+B")
        self._tab.setParent(screens)
        self._tab.setFixedSize(_TAB)
        self._tab.setIconSize(QSize(14, 14))
        self._tab.hide()
        self._tab.clicked.connect(self._on_fold_asked)
        screens.currentChanged.connect(self._tab.raise_)
        self._acts: dict[Do, Callable[[LessonColumn], None]] = {
            Do.LESSON_DO: lambda column: column.do_next(),
            Do.LESSON_NEXT: lambda column: column.turn(1),
            Do.LESSON_BEFORE: lambda column: column.turn(-1),
            Do.LESSON_KEYBOARD: self._move_keyboard,
            Do.LESSON_FOLD: lambda _: self._on_fold_asked(),
            Do.LESSON_STEPS: self._open_steps,
            Do.LESSON_PRESENT: lambda column: column.present(),
            Do.LESSON_EXPORT: lambda column: column.export(),
            Do.LESSON_ANEW: lambda _: self.lessons().play_anew(),
            Do.LESSON_LEAVE: lambda _: self.lessons().leave(),
        }
        for each in self._acts:
            commands[each].triggered.connect(partial(self._on_command_given, each))
        navigation.asked.connect(self._on_screen_asked)
        self.splitterMoved.connect(self._on_dragged)
        self._offer_commands()

    @property
    def taken(self) -> int:
        """Pixels that the lesson takes from the screens."""
        return 0 if self._column is None or self._column.isHidden() else self._width()

    def lessons(self) -> "LessonsState":
        """Made when somebody first looks at them."""
        if self._lessons is None:
            from gpuexplorer.gui.state.lessons import LessonsState  # noqa: PLC0415

            assert self._lab is not None  # a session is shown before a screen
            self._lessons = LessonsState(self._settings, self._lab, self)
            self._lessons.opened.connect(self._on_opened)
        return self._lessons

    def show_lab(self, lab: Lab) -> None:
        """The lab of the session that is shown from now on."""
        self._lab = lab
        if self._lessons is not None:
            self._lessons.follow(lab)

    def stop(self) -> None:
        """Nothing is run after this. Harmless when called twice."""
        self._again.stop()
        if self._lessons is not None:
            self._lessons.stop()
        column, self._column = self._column, None
        if column is not None:
            column.stop()

    @property
    def _room(self) -> int:
        """Where the lesson takes too much of it, the rail makes itself narrow."""
        return max(self.width(), self.window().width() - NARROW)

    def _width(self) -> int:
        from gpuexplorer.gui.lessons.lesson_column import LEAST, USUAL  # noqa: PLC0415

        kept = self._settings.remembered(_WIDTH) or ""
        wanted = int(kept) if kept.isdecimal() else USUAL
        return max(LEAST, min(wanted, self._room - _LEAST_SCREEN))

    def _arrange(self) -> None:
        column = self._column
        self._tab.setVisible(column is not None and self._folded)
        self._tab.move(0, (self.height() - _TAB.height()) // 2)
        self._tab.raise_()
        if column is None or self._folded:
            self._screens.show()
        if column is None:
            return
        column.setHidden(self._folded)
        narrow = self._room < self._width() + _LEAST_SCREEN and not self._folded
        self._screens.setHidden(narrow)
        width = self.width() if narrow else self._width()
        column.setMinimumWidth(0 if narrow else 300)
        self.setSizes([width, max(0, self.width() - width)])

    def _offer_commands(self) -> None:
        played = self._lessons is not None and self._lessons.player is not None
        for each in self._acts:
            self._commands[each].setVisible(played)

    def _fold(self, folded: bool) -> None:
        self._folded = folded
        self._arrange()
        self.arranged.emit()
        self._again.start()

    def _move_keyboard(self, column: "LessonColumn") -> None:
        """To the lesson, and from there back to the screen."""
        if self._has_keyboard(column):
            self._navigation.asked.emit()
            self._give_screen_keyboard()
            return
        if self._folded:
            self._fold(False)  # noqa: FBT003 - as setVisible
        column.take_keyboard()

    def _open_steps(self, column: "LessonColumn") -> None:
        if self._folded:
            self._fold(False)  # noqa: FBT003 - as setVisible
        column.open_steps()

    def _has_keyboard(self, column: "LessonColumn") -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and column.isAncestorOf(focused)

    def _give_screen_keyboard(self) -> None:
        view = self._screens.currentWidget()
        if view is not None:
            view.setFocus()

    def _on_opened(self) -> None:
        """Another lesson, the same on other cards, or none any more."""
        from gpuexplorer.gui.lessons.lesson_column import (  # noqa: PLC0415
            LessonColumn,
            Pointer,
        )

        before, player = self._column, self.lessons().player
        focused = before is not None and self._has_keyboard(before)
        self._column = None
        if before is not None:
            before.stop()
            before.hide()
            before.deleteLater()
        if player is not None:
            pointer = self._pointer = self._pointer or Pointer(self._navigation, self.window())
            self._column = LessonColumn(player, self.lessons(), self._navigation, pointer)
            self._column.fold_asked.connect(self._on_fold_asked)
            self._column.more_asked.connect(self._on_more_asked)
            self.insertWidget(0, self._column)
            self.setStretchFactor(1, 1)
        self._offer_commands()
        if before is None or player is None:
            self._fold(False)  # noqa: FBT003 - as setVisible
        else:
            self._arrange()
        if focused and self._column is not None and not self._folded:
            self._column.take_keyboard()
        elif focused:
            self._give_screen_keyboard()

    def _on_command_given(self, do: Do) -> None:
        if self._column is not None:
            self._acts[do](self._column)

    def _on_fold_asked(self) -> None:
        self._fold(not self._folded)

    def _on_more_asked(self, menu: QMenu) -> None:
        menu.addActions([self._commands[each] for each in _IN_MENU])

    def _on_screen_asked(self) -> None:
        """Where the lesson hides it, it gives way to what was asked for."""
        if self._screens.isHidden():
            self._fold(True)  # noqa: FBT003 - as setVisible

    def _on_dragged(self) -> None:
        if self._column is not None and not self._folded and self._screens.isVisible():
            self._settings.remember(_WIDTH, str(self._column.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
