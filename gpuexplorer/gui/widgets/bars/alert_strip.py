"""AlertStrip: all alerts that go on, in one quiet line at the top of the window."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QPushButton, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.alert_watch import AlertWatch
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.remark import Sign

_ONE_LINE_FROM = 760


class AlertStrip(QFrame):
    """There only while there is something to say. One strip, however many alerts there are;
    what does not fit is told on asking."""

    def __init__(
        self,
        look: Look,
        alerts: AlertWatch,
        navigation: Navigation,
        frame_clock: FrameClock,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._alerts = alerts
        self._navigation = navigation
        self._frame_clock = frame_clock
        self._ticking = False
        self.setProperty("panel", "banner")
        self._sentence = ElidedLabel(look.letters.body, Tone.TEXT)
        self._open = self._link(look, tr("Open card"))
        self._open.clicked.connect(self._on_open_clicked)
        self._silence = self._link(look, tr("Silence for 1 hour"))
        self._silence.setToolTip(
            tr("Shows no alert for an hour. What happens meanwhile stands among the events.")
        )
        self._silence.clicked.connect(self._on_silence_clicked)
        said = QHBoxLayout()
        said.setSpacing(10)
        said.addWidget(Sign(look, Icon.WARNING, Tone.WARN, QSize(18, 18)))
        said.addWidget(self._sentence, 1)
        self._ways_on = QHBoxLayout()
        self._ways_on.setSpacing(10)
        self._ways_on.addWidget(self._open)
        self._ways_on.addWidget(self._silence)
        self._ways_on.addStretch(1)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.setContentsMargins(24, 6, 20, 6)
        self._line.setSpacing(10)
        self._line.addLayout(said, 1)
        self._line.addLayout(self._ways_on)
        self.hide()
        alerts.changed.connect(self._on_alerts_changed)
        self._on_alerts_changed()

    def _link(self, look: Look, text: str) -> QPushButton:
        button = QPushButton(text)
        button.setProperty("kind", "link")
        button.setFont(look.letters.body.font)
        return button

    def _on_alerts_changed(self) -> None:
        alerts = self._alerts.alerts()
        if alerts:
            number = self._alerts.numbers().get(alerts[0].card, "")
            words = tr("Open card {number}", number=number) if number else tr("Open card")
            self._open.setText(words)
            self._on_ticked()
        self.setVisible(bool(alerts))

    def _on_ticked(self) -> None:
        sentence = self._alerts.sentence()
        if sentence and sentence != self._sentence.text():
            self._sentence.show_text(sentence)
            self.setAccessibleName(sentence)

    def _on_open_clicked(self) -> None:
        alerts = self._alerts.alerts()
        if alerts:
            self._navigation.open_card(alerts[0].card)

    def _on_silence_clicked(self) -> None:
        self._alerts.be_silent()

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = event.size().width() >= _ONE_LINE_FROM
        direction = QBoxLayout.Direction
        self._line.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        self._line.setSpacing(10 if wide else 2)
        # Below the sentence, links begin where it does.
        self._ways_on.setContentsMargins(0 if wide else 22, 0, 0, 0)
        super().resizeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._ticking:
            self._ticking = True
            self._frame_clock.ticked.connect(self._on_ticked)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._ticking:
            self._ticking = False
            self._frame_clock.ticked.disconnect(self._on_ticked)
