"""LinkStrip: why nothing new comes from the machine that is shown, and what is next."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.machine_words import link_sentence
from gpuexplorer.gui.state.machines import MachinesState, Standing
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import GROWS, row
from gpuexplorer.gui.widgets.remark import show_sentence, wrapped_label
from gpuexplorer.gui.widgets.standing_sign import StandingSign


class LinkStrip(QFrame):
    """Of the machine that is shown; on the screen of all machines, of the one that somebody
    waits for.
    """

    left = Signal()  # what had the keyboard here is gone

    def __init__(
        self, machines: MachinesState, navigation: Navigation, frame_clock: FrameClock
    ) -> None:
        super().__init__()
        self._machines, self._navigation = machines, navigation
        self._hidden = False  # while a recording is shown
        self.setProperty("panel", "banner")
        self.setObjectName("link")
        self.setAccessibleName(tr("Connection"))
        self._sign = StandingSign(QSize(18, 18))
        self._said = ""
        self._sentence = wrapped_label("", Tone.TEXT)
        self._retry = link_button(tr("Try now"))
        self._retry.clicked.connect(self._on_retry_clicked)
        self._remove = link_button(tr("Remove"))
        self._remove.clicked.connect(self._on_remove_clicked)
        parts = (self._sign, self._sentence, GROWS, self._retry, self._remove)
        row(*parts, within=self, gap=10, margins=(24, 6, 20, 6))
        self.hide()
        machines.changed.connect(self._on_changed)
        navigation.screen_changed.connect(self._on_changed)
        frame_clock.ticked.connect(self._on_ticked)
        self._on_changed()

    @property
    def machine(self) -> str:
        """Which one it is about, well or not."""
        waited = self._machines.waited_for
        if waited is None or self._navigation.screen != "machines":
            return self._machines.shown
        return waited

    def show_for(self, *, recording: bool) -> None:
        """A recording has no connection that could break."""
        self._hidden = recording
        self._on_changed()

    def _on_changed(self) -> None:
        self._about = about = self._machines.row(self.machine)
        seen = not about.standing.answers and not self._hidden
        if seen:
            self._sign.show_standing(about.standing)
            words = tr("Connect") if about.standing is Standing.ENDED else tr("Try now")
            self._retry.setText(words)
            self._on_ticked()
        shown = {
            self._retry: seen and about.standing.rests,
            self._remove: seen and about.session is None,
        }
        focused: QWidget | None = self.window().focusWidget()
        goes = any(each is focused and not there for each, there in shown.items())
        if focused is not None and goes:
            # Qt would hand it on to whoever comes next, and Enter would press that.
            focused.clearFocus()
        for each, there in shown.items():
            each.setVisible(there)
        self.setVisible(seen)
        if goes:
            self.left.emit()

    def _on_ticked(self) -> None:
        """Its seconds go on."""
        sentence = link_sentence(self._about, self._machines.clock)
        if sentence and sentence != self._said:
            self._said = sentence
            show_sentence(self._sentence, sentence)

    def _on_retry_clicked(self) -> None:
        self._machines.retry(self._about.key)

    def _on_remove_clicked(self) -> None:
        self._machines.remove(self._about.key)
