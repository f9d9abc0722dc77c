"""Screens: those of one session, each made when it is first opened; or why there are none."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.words import tr
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.view_list import LATER, VIEWS
from gpuexplorer.gui.warming import Warming
from gpuexplorer.gui.widgets.live_view import KeyGroup, LiveView

if TYPE_CHECKING:
    from gpuexplorer.gui.nothing_found import NothingFoundView, NothingThere


class Screens(QStackedWidget):
    """Follows the navigation. What nobody has looked at yet costs nothing."""

    rested = Signal()  # all parts of the program are there, some seconds after its start
    explanation_needed = Signal()  # for the first time: whoever hears it explains

    def __init__(self, navigation: Navigation) -> None:
        super().__init__()
        self._navigation = navigation
        self._views: dict[str, LiveView] = {}
        self._by_machine: dict[MachineState, dict[str, LiveView]] = {}
        self._desk: Desk | None = None
        self._explanation: NothingFoundView | None = None
        self._nothing_there: NothingThere | None = None
        self._warming = Warming(LATER, self)
        self._warming.done.connect(self.rested)
        navigation.asked.connect(self.show_screen)

    @property
    def view(self) -> LiveView | None:
        """The one that is seen; None while it is explained why nothing is."""
        shown = self.currentWidget()
        return shown if isinstance(shown, LiveView) else None

    def show_desk(self, desk: Desk, keeps: Collection[MachineState] = ()) -> None:
        """From now on the screens of this session. Where it reads no card, the explanation
        stands in the place of all screens that show nothing else. The screens of those that it
        `keeps` are there again as they were left.
        """
        focused: QWidget | None = self.window().focusWidget()
        # Asked before they go: Qt then hands the keyboard on to whoever comes next.
        within = focused is not None and self.isAncestorOf(focused)
        self._warming.stop()
        for machine in [each for each in self._by_machine if each not in keeps]:
            for view in self._by_machine.pop(machine).values():
                view.stop()
                self.removeWidget(view)
                view.deleteLater()
        self._views = self._by_machine.setdefault(desk.machine, {})
        self._desk = desk
        self.show_screen()
        self._warming.start()
        if within:
            self.take_keyboard()

    def take_keyboard(self) -> None:
        shown = self.currentWidget()
        if shown is not None:
            shown.setFocus(Qt.FocusReason.OtherFocusReason)

    def explain_with(self, explanation: "NothingFoundView") -> None:
        """This stands where no card is read, in the place of the one before."""
        before, self._explanation = self._explanation, explanation
        shown = before is not None and self.currentWidget() is before
        if before is not None:
            explanation.show_screen(before.stands_for)
        self.addWidget(explanation)
        if shown:
            self.setCurrentWidget(explanation)
        if before is not None:
            self.removeWidget(before)
            before.deleteLater()

    def show_explanation(self, name: str = "") -> None:
        """Over the screens, which stay as they are; or in the place of the one of that name."""
        if self._explanation is None:
            self.explanation_needed.emit()
        if self._explanation is not None:
            self._explanation.show_screen(name)
            focused = self.window().focusWidget()
            self.setCurrentWidget(self._explanation)
            if self._may_give_keyboard(focused):
                self._explanation.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_screen(self) -> None:
        """The screen that was chosen last, or the first."""
        name = self._navigation.screen
        if not name:
            self._navigation.open_screen(VIEWS[0].name)  # which comes back here
            return
        entry = next(entry for entry in VIEWS if entry.name == name)
        desk = self._desk
        if desk is None:
            return  # the window is being put together, and what is remembered comes first
        if desk.machine.session.bare and not entry.without_cards:
            if desk.machine.name:
                self._show_nothing_there(desk)
            else:
                self.show_explanation(name)
            return
        view = self._views.get(name)
        if view is None:
            view = self._views[name] = entry.make(desk)
            view.setAccessibleName(tr(entry.title))
            view.setObjectName(name)
            self.addWidget(view)
        focused = self.window().focusWidget()
        self.setCurrentWidget(view)
        # Who goes through the rail with the keys stays there.
        if self._may_give_keyboard(focused):
            view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_nothing_there(self, desk: Desk) -> None:
        """In the place of the screens of another machine that reads no card."""
        if self._nothing_there is None:
            from gpuexplorer.gui.nothing_found import (  # noqa: PLC0415
                NothingThere,
            )

            self._nothing_there = nothing = NothingThere()
            nothing.way_on_chosen.connect(partial(self._navigation.open_card, HOST_ID))
            nothing.card_came.connect(self.show_screen)
            self.addWidget(nothing)
        self._nothing_there.show_machine(desk.machine)
        self.setCurrentWidget(self._nothing_there)

    def commands_here(self) -> Sequence[QAction]:
        """What can be done on this screen; first of all with what has the keyboard on it."""
        view = self.view
        if view is None:
            return ()
        focused = QApplication.focusWidget()
        first = [view] if focused is None else [focused, view]
        rest = [each for each in view.findChildren(QWidget) if each.isVisible()]
        found: dict[str, QAction] = {}
        for widget in (*first, *rest):
            if widget is view or view.isAncestorOf(widget):
                for action in widget.actions():
                    found.setdefault(action.text(), action)
        return list(found.values())

    def key_groups_here(self) -> Sequence[KeyGroup]:
        """Keys that no command stands for, on the screen that is seen."""
        return () if self.view is None else self.view.key_groups

    def show_next(self) -> None:
        """Round and round."""
        self._step(1)

    def show_before(self) -> None:
        self._step(-1)

    def stop(self) -> None:
        """Nothing is pulled after this. Harmless when called twice."""
        self._warming.stop()
        for views in self._by_machine.values():
            for view in views.values():
                view.stop()

    def _step(self, by: int) -> None:
        several = self._desk is not None and self._desk.machines.several
        seen = self._navigation.screen
        names = [e.name for e in VIEWS if several or not e.several or e.name == seen]
        at = names.index(seen)
        self._navigation.open_screen(names[(at + by) % len(names)])

    def _may_give_keyboard(self, focused: QWidget | None) -> bool:
        """Nobody else has it: the window itself does nothing with it."""
        return focused in (None, self.window()) or self.isAncestorOf(focused)
