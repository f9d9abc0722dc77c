"""AlertStrip: all alerts that go on, in the line at the bottom of the window."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFrame, QSizePolicy

from gpuexplorer.core.words import tr
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.alert_watch import AlertWatch
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.laid_out import GROWS, row
from gpuexplorer.gui.widgets.remark import Sign


class AlertStrip(QFrame):
    """There only while there is something to say, at the right of a line that is there all the
    time: neither what stands at the left of that line nor its own buttons move, whatever it
    says. What does not fit is told on asking.
    """

    def __init__(
        self, alerts: AlertWatch, navigation: Navigation, frame_clock: FrameClock
    ) -> None:
        super().__init__()
        self._alerts = alerts
        self._navigation = navigation
        self._widest = 0
        self.setProperty("panel", "alert")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._sentence = ElidedLabel(look().letters.caption, Tone.TEXT)
        self._open = link_button(tr("Open card"))
        self._open.clicked.connect(self._on_open_clicked)
        self._silence = link_button(tr("Silence for 1 hour"))
        self._silence.setToolTip(
            tr("Shows no alert for an hour. What happens meanwhile is listed among the events.")
        )
        self._silence.clicked.connect(self._on_silence_clicked)
        for link in (self._open, self._silence):
            link.setFont(look().letters.caption.font)
            link.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        sign = Sign(Icon.WARNING, Tone.WARN, QSize(16, 16))
        parts = (sign, self._sentence, GROWS, self._open, self._silence)
        row(*parts, within=self, gap=10, margins=(12, 0, 20, 0))
        self.hide()
        alerts.changed.connect(self._on_alerts_changed)
        frame_clock.ticked.connect(self._on_ticked)
        self._on_alerts_changed()

    def _on_alerts_changed(self) -> None:
        alerts = self._alerts.alerts()
        if alerts:
            oldest = self._alerts.oldest()
            number = "" if oldest is None else oldest[2]
            words = tr("Open card {number}", number=number) if number else tr("Open card")
            self._open.setText(words)
            self._on_ticked()
        else:
            self._widest = 0
        self.setVisible(bool(alerts))

    def _on_ticked(self) -> None:
        sentence = self._alerts.sentence()
        if sentence and sentence != self._sentence.text():
            self._sentence.show_text(sentence)
            self.setAccessibleName(sentence)

    def _on_open_clicked(self) -> None:
        oldest = self._alerts.oldest()
        if oldest is not None:
            machine, card, _ = oldest
            self._navigation.open_machine(machine)
            self._navigation.open_card(card)

    def _on_silence_clicked(self) -> None:
        self._alerts.be_silent()

    def sizeHint(self) -> QSize:
        """Never narrower than before, or what stands beside it would move at every second."""
        hint = super().sizeHint()
        self._widest = max(self._widest, hint.width())
        return QSize(self._widest, hint.height())
