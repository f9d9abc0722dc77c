"""WindowWays: between real cards, simulated ones, recordings, and why there are none."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.explanation import Explanation
from gpuexplorer.gui.leaving import leave
from gpuexplorer.gui.recordings import SUFFIX
from gpuexplorer.gui.screens import Screens
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.widgets.bars.notices import WARNS, About, Notice, Notices, NoticeWay
from gpuexplorer.gui.widgets.bars.top_bar import STOP_SIMULATING, TopBar
from gpuexplorer.gui.window_commands import Do, WindowCommands
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.sources import IDLE, MAKE_BELIEVE


class WindowWays(QObject):
    """Offers those that there are, and asks before what a session holds goes with it."""

    def __init__(
        self,
        commands: WindowCommands,
        navigation: Navigation,
        screens: Screens,
        explanation: Explanation,
        top: TopBar,
        notices: Notices,
        window: QWidget,
        simulate: Callable[[str], None],
        look_again: Callable[[], None] | None,
        read_recording: Callable[[Path], None],
        *,
        nothing_real: bool,
    ) -> None:
        super().__init__(window)
        self._commands, self._navigation = commands, navigation
        self._screens, self._explanation, self._window = screens, explanation, window
        self._top, self._notices = top, notices
        self._simulate, self._look_again = simulate, look_again
        self._read_recording = read_recording
        self.nothing_real = nothing_real
        self._session: Session | None = None
        self._lab: Lab | None = None
        self._far = False
        self._connect()

    def follow(self, session: Session, lab: Lab | None, *, far: bool = False) -> None:
        """Which the window shows from now on. Of a `far` machine nothing is offered that this
        computer could do; this computer's `lab` is what could be lost.
        """
        self._session, self._lab, self._far = session, lab, far
        commands, can_look = self._commands, self._look_again is not None
        commands[Do.SIMULATE].setVisible(session.bare and not far)
        commands[Do.STOP_SIMULATING].setVisible(self._simulated and can_look)
        commands[Do.LOOK_AGAIN].setVisible(session.bare and can_look and not far)
        commands[Do.REASONS].setVisible(self._simulated and self.nothing_real)
        self._top.offer_real_cards(offered=can_look and not far)
        self._tell()

    def open_recording(self, path: Path) -> None:
        """Returns at once. The lab goes on behind it, and is there again afterwards."""
        self._read_recording(path)

    @property
    def _simulated(self) -> bool:
        """Just now, and not when something was recorded."""
        session = self._session
        if session is None or self._far:
            return False
        return session.simulated and session.past.ended is None

    def _connect(self) -> None:
        commands, explanation = self._commands, self._explanation
        for asked in (
            explanation.look_again_asked,
            self._top.real_cards_asked,
            commands[Do.STOP_SIMULATING].triggered,
            commands[Do.LOOK_AGAIN].triggered,
        ):
            asked.connect(self._on_real_cards_asked)
        commands[Do.SIMULATE].triggered.connect(self._on_simulated_cards_asked)
        commands[Do.PRACTISE].triggered.connect(self._on_practice_asked)
        commands[Do.REASONS].triggered.connect(explanation.open)
        explanation.way_on_chosen.connect(self._on_way_on_chosen)
        explanation.practice_asked.connect(self._on_practice_asked)
        self._navigation.simulated_cards_asked.connect(self._on_simulated_cards_asked)
        self._navigation.idle_cards_asked.connect(self._on_idle_cards_asked)
        self._screens.currentChanged.connect(self._tell)

    def _tell(self) -> None:
        session, seen = self._session, self._screens.view is not None
        if session is None or not (self._simulated and self.nothing_real and seen):
            self._notices.end(About.SIMULATED)
            return
        said = trn(
            "No graphics card answers on this computer, so this is one simulated card.",
            "No graphics card answers on this computer, so these are {count} simulated cards.",
            len(session.cards()),
        )
        ways = [NoticeWay(tr("What was looked for"), self._explanation.open)]
        self._notices.say(About.SIMULATED, Notice(said, ways, WARNS))

    def _leave(self, words: str, then: Callable[[], object]) -> None:
        leave(self._window, words, then, lab=self._lab)

    def _practise(self) -> None:
        self._simulate(IDLE)
        self._navigation.open_screen("lab")

    def _on_way_on_chosen(self) -> None:
        if self._session is not None and self._session.bare:
            self._on_simulated_cards_asked()
        else:
            self._screens.show_screen()

    def _on_simulated_cards_asked(self) -> None:
        self._leave(tr("Simulate cards"), partial(self._simulate, MAKE_BELIEVE))

    def _on_practice_asked(self) -> None:
        self._leave(tr("Simulate cards"), self._practise)

    def _on_idle_cards_asked(self) -> None:
        self._leave(tr("Simulate cards"), partial(self._simulate, IDLE))

    def _on_real_cards_asked(self) -> None:
        session = self._session
        if self._look_again is None or session is None:
            return
        look = partial(self._explanation.look_again, self._look_again)
        if session.bare:
            look()
        elif self._simulated:
            words = tr(STOP_SIMULATING)
            leave(self._window, words, look, lab=self._lab, simulated=session)


def recording_in(dropped: QMimeData) -> Path | None:
    """The file that is dropped, where it is one recording and nothing else."""
    urls = dropped.urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = Path(urls[0].toLocalFile())
    return path if path.suffix.lower() == f".{SUFFIX}" else None
