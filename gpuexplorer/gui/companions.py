"""Companions: what goes with a window: the small one above all others, and the tray icon."""

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.desktop.desktop import Tray
from gpuexplorer.gui.small_window import SmallWindow, small_cards
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation, put_back, remember_place
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.bars.top_bar import window_title

_OPEN, _PLACE = "small/open", "small/place"
_TOLD_EVERY = 2_000  # milliseconds


class Companions(QObject):
    """Remembers whether the small window was open, and where it stood."""

    def __init__(
        self,
        settings: Settings,
        navigation: Navigation,
        switch: QAction,
        leave: QAction,
        window: QMainWindow,
    ) -> None:
        """`switch` opens and closes the small window; `leave` ends the program."""
        super().__init__(window)
        self._settings = settings
        self._navigation = navigation
        self._switch = switch
        self._window = window
        self._machine: MachineState | None = None
        self._small: SmallWindow | None = None
        self._stopped = False
        show = QAction(tr("Show the window"), self)
        show.triggered.connect(self._on_window_asked)
        self.tray = Tray([show, switch, leave], self)
        self.tray.asked_for_window.connect(self._on_window_asked)
        switch.setCheckable(True)
        switch.toggled.connect(self._on_switched)
        self._tell = QTimer(self, interval=_TOLD_EVERY, timerType=Qt.TimerType.CoarseTimer)
        self._tell.timeout.connect(self._on_time_to_tell)
        if self.tray.there:
            self._tell.start()

    @property
    def keep_running(self) -> bool:
        """Whether the program goes on, beside the clock, when the window is closed."""
        return self.tray.there and self._settings.choices.keep_running

    def follow(self, machine: MachineState) -> None:
        self._machine = machine
        if self._small is not None:
            self._small.follow(machine)
        self._on_time_to_tell()

    def restore(self) -> None:
        """Open the small window again, where it was left open."""
        if self._settings.remembered(_OPEN) == "yes":
            self._switch.setChecked(True)
            # Nobody asked for it just now: the keyboard stays with the window.
            self._window.activateWindow()

    def stop(self) -> None:
        """Harmless when called twice."""
        self._stopped = True
        self._tell.stop()
        self.tray.hide()
        if self._small is not None:
            self._keep_place()
            self._small.stop()

    def _keep_place(self) -> None:
        if self._small is not None and self._small.isVisible():
            remember_place(self._small, self._settings, _PLACE)

    def _on_switched(self, on: bool) -> None:
        self._settings.remember(_OPEN, "yes" if on else "no")
        if not on:
            self._keep_place()
            if self._small is not None:
                self._small.hide()
            return
        small = self._small
        if small is None:
            small = self._small = SmallWindow([self._switch])
            small.card_asked.connect(self._on_card_asked)
            small.closed.connect(self._on_small_closed)
            if self._machine is not None:
                small.follow(self._machine)
        put_back(small, self._settings.remembered(_PLACE))
        small.show()

    def _on_small_closed(self) -> None:
        if not self._stopped:
            self._switch.setChecked(False)

    def _on_card_asked(self, card: str) -> None:
        self._navigation.open_card(CardId(card))
        self._on_window_asked()

    def _on_window_asked(self) -> None:
        window = self._window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()

    def _on_time_to_tell(self) -> None:
        machine = self._machine
        if machine is None or not self.tray.there:
            return
        busiest = max(small_cards(machine), key=lambda each: each.busy_share or 0.0)
        said = busiest.sentence or tr(
            "{busy}, memory {memory}",
            busy=busiest.busy.value or busiest.busy.absent[0],
            memory=busiest.memory.figure.value or busiest.memory.figure.absent[0],
        )
        words = tr("{card}: {figures}", card=busiest.title, figures=said)
        told = f"{window_title(machine.session, machine.name)}\n{words}"
        if told != self.tray.toolTip():
            self.tray.setToolTip(told)
