"""Screens: those of one session, each made when it is first opened; or why there are none. And
LessonPlace, with the lesson beside them.
"""

import sys
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QMenu, QSplitter, QStackedWidget, QWidget

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.desk import VIEWS, WITHOUT_CARDS, Desk
from gpuexplorer.gui.event_loop import FrameClock
from gpuexplorer.gui.nothing_found import NothingFoundView
from gpuexplorer.gui.rail import NARROW
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.live_view import EmptyState, LiveView
from gpuexplorer.gui.window_commands import Do, WindowCommands

if TYPE_CHECKING:
    from gpuexplorer.gui.lessons.lesson_column import LessonColumn, Pointer
    from gpuexplorer.gui.state.lessons import LessonsState

# Brought in when the window stands, a module a turn, so that screens open at once. What needs
# others comes after them.
_LATER = ("lab", "copies", "gui.state", "gui.widgets", *(f"gui.{each.name}" for each in VIEWS))
_TURN = 20  # milliseconds
# Pixels of a lesson, and beside it, in which every screen can be used.
_LESSON, _LEAST_SCREEN = 340, 500
_OF_LESSON = [each for each in Do if each.name.startswith("LESSON")]
_TAB = QSize(16, 56)  # in the margin that every screen has


def made(name: str, desk: Desk) -> LiveView:
    """Brought in when it is first opened: the window does not wait for what nobody looks at."""
    more = []
    if name == "machines":
        from gpuexplorer.gui.state.groups import MachinesSource  # noqa: PLC0415

        more = [MachinesSource(desk.machines, desk.navigation)]
    module = import_module(f"gpuexplorer.gui.{name}{'' if name == 'events' else '.view'}")
    view: LiveView = getattr(module, f"{name.capitalize()}View")(desk, *more)
    view.setAccessibleName(next(tr(each.title) for each in VIEWS if each.name == name))
    view.setObjectName(name)
    return view


def _modules() -> Iterator[str]:
    for each in _LATER:
        package = import_module(f"gpuexplorer.{each}")
        found = walk_packages(getattr(package, "__path__", []), f"{package.__name__}.")
        yield from (module.name for module in found if module.name not in sys.modules)


class Screens(QStackedWidget):
    """Follows the navigation. What nobody has looked at yet costs nothing."""

    rested = Signal()  # all parts of the program are there, some seconds after its start

    def __init__(
        self, navigation: Navigation, explanation: NothingFoundView, clock: FrameClock
    ) -> None:
        super().__init__()
        self._navigation, self._explanation = navigation, explanation
        self._views: dict[MachineState, dict[str, LiveView]] = {}
        self._desk: Desk | None = None
        self._nothing_there = EmptyState(Icon.CARDS)
        self._nothing_there.way_on_chosen.connect(partial(navigation.open_card, HOST_ID))
        clock.ticked.connect(self._on_ticked)
        self.addWidget(explanation)
        self.addWidget(self._nothing_there)
        self._modules = _modules()
        self._turns = QTimer(self, interval=_TURN)
        self._turns.timeout.connect(self._on_turn)
        navigation.asked.connect(self.show_screen)

    @property
    def view(self) -> LiveView | None:
        """The one that is seen; None while it is explained why nothing is."""
        shown = self.currentWidget()
        return shown if isinstance(shown, LiveView) else None

    def show_desk(self, desk: Desk, keeps: Collection[MachineState] = ()) -> None:
        """From now on the screens of this session. The screens of those that it `keeps` are
        there again as they were left.
        """
        # Asked before they go: Qt then hands the keyboard on to whoever comes next.
        within = self.isAncestorOf(self.window().focusWidget())
        self._turns.stop()
        for machine in self._views.keys() - {*keeps, desk.machine}:
            for view in self._views.pop(machine).values():
                view.stop()
                self.removeWidget(view)
                view.deleteLater()
        self._desk = desk
        self.show_screen()
        self._turns.start()
        if within:
            self.take_keyboard()

    def take_keyboard(self) -> None:
        if (shown := self.currentWidget()) is not None:
            shown.setFocus()

    def show_reasons(self) -> None:
        """Over the screens, which stay as they are."""
        self._explanation.show_screen("")
        self._show(self._explanation)
        self.take_keyboard()

    def show_screen(self) -> None:
        """The screen that was chosen last, or the first. Where the session reads no card, the
        reasons stand in the place of all screens that show nothing else.
        """
        name, desk = self._navigation.screen, self._desk
        if not name:
            self._navigation.open_screen(VIEWS[0].name)  # which comes back here
            return
        if desk is None:
            return  # the window is being put together, and what is remembered comes first
        machine = desk.machine
        views = self._views.setdefault(machine, {})
        if machine.session.bare and name not in WITHOUT_CARDS:
            if not machine.name:
                self._explanation.show_screen(name)
                self._show(self._explanation)
                return
            heading = tr("No graphics card answers on {machine}", machine=machine.name)
            attempts = machine.session.stream.attempts
            why = paragraph([part for each in attempts for part in (each.sentence, each.hint)])
            self._nothing_there.show_words(heading, why, tr("See its processor and memory"))
            self.setCurrentWidget(self._nothing_there)
            return
        if name not in views:
            views[name] = made(name, desk)
            self.addWidget(views[name])
        self._show(views[name])

    def commands_here(self) -> Sequence[QAction]:
        """What can be done on this screen; first of all with what has the keyboard on it."""
        view, focused = self.view, self.window().focusWidget()
        if view is None:
            return ()
        first = [focused] if view.isAncestorOf(focused) else []
        rest = [each for each in view.findChildren(QWidget) if each.isVisible()]
        found: dict[str, QAction] = {}
        for each in (*first, view, *rest):
            for action in each.actions():
                found.setdefault(action.text(), action)
        return list(found.values())

    def step(self, by: int) -> None:
        """To the next screen, or the one before; round and round."""
        several, seen = self._desk and self._desk.machines.several, self._navigation.screen
        names = [e.name for e in VIEWS if several or not e.several or e.name == seen]
        self._navigation.open_screen(names[(names.index(seen) + by) % len(names)])

    def stop(self) -> None:
        """Nothing is pulled after this. Harmless when called twice."""
        self._turns.stop()
        for view in [view for views in self._views.values() for view in views.values()]:
            view.stop()

    def _on_ticked(self) -> None:
        """A card may answer after all."""
        there, desk = self.currentWidget() is self._nothing_there, self._desk
        if there and desk is not None and not desk.machine.session.bare:
            self.show_screen()

    def _on_turn(self) -> None:
        module = next(self._modules, None)
        if module is not None:
            import_module(module)
        else:
            self._turns.stop()
            self.rested.emit()

    def _show(self, screen: QWidget) -> None:
        """Who goes through the rail with the keys stays there."""
        focused = self.window().focusWidget()
        self.setCurrentWidget(screen)
        if focused in (None, self.window()) or self.isAncestorOf(focused):
            screen.setFocus()


class LessonPlace(QSplitter):
    """The screens, and beside them the lesson while one is played: whichever screen is opened,
    it stays. Where there is no room for both, folding the lesson shows the screen.
    """

    arranged = Signal()  # the screens have more or less room than before

    def __init__(
        self,
        settings: Settings,
        navigation: Navigation,
        screens: Screens,
        commands: WindowCommands,
        lab: Lab,
    ) -> None:
        """`lab` is that of the session that is shown."""
        super().__init__(childrenCollapsible=False, handleWidth=1)
        self._settings, self._navigation = settings, navigation
        self._screens, self._commands = screens, commands
        self._lab = lab
        self._lessons: LessonsState | None = None
        self._column: LessonColumn | None = None
        self._pointer: Pointer | None = None
        self._folded = False
        self.addWidget(screens)
        # The way back to a folded lesson takes no room from the screens.
        self._tab = IconButton(Icon.UNFOLD, tr("Unfold the lesson"), "Ctrl+Shift+B")
        self._tab.setParent(screens)
        self._tab.setFixedSize(_TAB)
        self._tab.hide()
        self._tab.clicked.connect(self._on_fold_asked)
        commands.carry_out(
            {
                Do.LESSON_DO: lambda: self._played().do_next(),
                Do.LESSON_NEXT: lambda: self._played().turn(1),
                Do.LESSON_BEFORE: lambda: self._played().turn(-1),
                Do.LESSON_KEYBOARD: self._on_keyboard_asked,
                Do.LESSON_FOLD: self._on_fold_asked,
                Do.LESSON_STEPS: lambda: self._unfolded().open_steps(),
                Do.LESSON_PRESENT: lambda: self._played().present(),
                Do.LESSON_EXPORT: lambda: self._played().export(),
                Do.LESSON_ANEW: lambda: self.lessons().play_anew(),
                Do.LESSON_LEAVE: lambda: self.lessons().leave(),
            }
        )
        commands.offer(dict.fromkeys(_OF_LESSON, False))
        screens.currentChanged.connect(self._tab.raise_)
        navigation.asked.connect(self._on_screen_asked)

    @property
    def taken(self) -> int:
        """Pixels that the lesson takes from the screens."""
        column = self._column
        return 0 if column is None or self._folded else max(column.width(), _LESSON)

    def lessons(self) -> "LessonsState":
        """Made when somebody first looks at them."""
        if self._lessons is None:
            from gpuexplorer.gui.state.lessons import LessonsState  # noqa: PLC0415

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
        column, self._column = self._column, None
        for each in (self._lessons, column):
            if each is not None:
                each.stop()

    def _arrange(self) -> None:
        column, seen = self._column, self._column is not None and not self._folded
        # Where the lesson takes too much of the room, the rail makes itself narrow.
        alone = seen and self.window().width() - NARROW < _LESSON + _LEAST_SCREEN
        self._tab.setVisible(column is not None and not seen)
        self._tab.move(0, (self.height() - _TAB.height()) // 2)
        again = self._screens.isHidden() and not alone
        self._screens.setHidden(alone)
        if column is not None:
            column.setHidden(not seen)
            if again:
                self._share()

    def _share(self) -> None:
        self.setSizes([_LESSON, max(0, self.width() - _LESSON)])

    def _fold(self, *, folded: bool) -> None:
        self._folded = folded
        self._arrange()
        self.arranged.emit()

    def _played(self) -> "LessonColumn":
        """Nothing of a lesson can be asked for while there is none."""
        assert self._column is not None
        return self._column

    def _unfolded(self) -> "LessonColumn":
        if self._folded:
            self._fold(folded=False)
        return self._played()

    def _has_keyboard(self) -> bool:
        column = self._column
        return column is not None and column.isAncestorOf(self.window().focusWidget())

    def _on_opened(self) -> None:
        """Another lesson, the same on other cards, or none any more."""
        from gpuexplorer.gui.lessons.lesson_column import (  # noqa: PLC0415
            LessonColumn,
            Pointer,
        )

        focused, player = self._has_keyboard(), self.lessons().player
        before, self._column = self._column, None
        if before is not None:
            before.stop()
            before.hide()
            before.deleteLater()
        if player is not None:
            pointer = self._pointer = self._pointer or Pointer(self._navigation, self.window())
            self._column = LessonColumn(player, self.lessons(), self._navigation, pointer)
            self._column.setMinimumWidth(300)
            self._column.fold_asked.connect(self._on_fold_asked)
            self._column.more_asked.connect(self._on_more_asked)
            self.insertWidget(0, self._column)
            self.setStretchFactor(1, 1)
            self._share()
        self._commands.offer(dict.fromkeys(_OF_LESSON, player is not None))
        self._fold(folded=self._folded and None not in (before, player))
        if focused:
            (self._column if self.taken and self._column else self._screens).take_keyboard()

    def _on_keyboard_asked(self) -> None:
        if self._has_keyboard():
            self._navigation.asked.emit()
            self._screens.take_keyboard()
        else:
            self._unfolded().take_keyboard()

    def _on_fold_asked(self) -> None:
        self._fold(folded=not self._folded)

    def _on_more_asked(self, menu: QMenu) -> None:
        menu.addActions([self._commands[each] for each in _OF_LESSON[-4:]])

    def _on_screen_asked(self) -> None:
        """Where the lesson hides it, it gives way to what was asked for."""
        if self._screens.isHidden():
            self._fold(folded=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
