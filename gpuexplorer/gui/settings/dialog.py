"""SettingsDialog: everything a person can choose; it holds at once, and Escape closes it."""

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.desktop.notices import Notices
from gpuexplorer.gui.settings.alerts_section import AlertsSection
from gpuexplorer.gui.settings.section import Section
from gpuexplorer.gui.state.alert_watch import AlertWatch
from gpuexplorer.gui.state.choices import Group, offers
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.remark import Sign, wrapped_label
from gpuexplorer.gui.widgets.sheets.floating import Floating

_WIDTH, _HEIGHT = 800, 640
_LIST = 132
_LIST_FROM = 680  # narrower, the sections stand alone
_BETWEEN = 28


class SettingsDialog(Floating):
    """Nothing is asked twice: there is neither OK nor Cancel. Made anew for each opening, and
    gone when it was closed.
    """

    def __init__(
        self,
        look: Look,
        settings: Settings,
        machine: MachineState | None,
        parent: QWidget,
        alerts: AlertWatch | None = None,
        notices: Notices | None = None,
    ) -> None:
        super().__init__(look, _WIDTH, _HEIGHT, parent)
        self._settings = settings
        self.setAccessibleName(tr("Settings"))
        self._machine = machine
        screens = [(entry.name, entry.title) for entry in VIEWS]
        more = {"first_screen": screens}
        self._sections: list[Section] = [
            AlertsSection(look, settings, machine, alerts, notices)
            if group is Group.ALERTS
            else Section(look, settings, group, more)
            for group in Group
        ]
        for section in self._sections:
            section.refresh()
        title = QLabel(tr("Settings"))
        title.setFont(look.letters.number.font)
        self._close = IconButton(look, Icon.MISSING)
        self._close.show_meaning(Icon.MISSING, tr("Close"), "Esc")
        self._close.clicked.connect(self.hide)
        head = QHBoxLayout()
        head.setContentsMargins(24, 16, 16, 8)
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self._close)
        self._trouble = QWidget()
        self._trouble_words = wrapped_label(look, "", Tone.TEXT)
        line = QHBoxLayout(self._trouble)
        line.setContentsMargins(24, 0, 24, 10)
        line.setSpacing(10)
        line.addWidget(Sign(look, Icon.WARNING, Tone.WARN, QSize(18, 18)))
        line.addWidget(self._trouble_words, 1)
        self._headings = QListWidget()
        self._headings.setProperty("kind", "sections")
        self._headings.setAccessibleName(tr("Sections"))
        self._headings.setFont(look.letters.body.font)
        self._headings.setFixedWidth(_LIST)
        self._headings.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._headings.addItems([tr(each.group) for each in self._sections])
        self._headings.currentRowChanged.connect(self._on_heading_chosen)
        self._scroll = QScrollArea()
        self._scroll.setProperty("panel", "clear")
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        content = QWidget()
        content.setProperty("panel", "clear")
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(16, 4, 24, 24)
        self._column.setSpacing(_BETWEEN)
        for section in self._sections:
            self._column.addWidget(section)
        self._column.addStretch(1)
        self._scroll.setWidget(content)
        self._scroll.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        body = QHBoxLayout()
        body.setContentsMargins(12, 0, 0, 0)
        body.setSpacing(0)
        body.addWidget(self._headings)
        body.addWidget(self._scroll, 1)
        self.panel.addLayout(head)
        self.panel.addWidget(self._trouble)
        self.panel.addLayout(body, 1)
        self.panel.addSpacing(12)
        settings.trouble_changed.connect(self._on_trouble_changed)
        settings.changed.connect(self._show_notes)
        self._show_notes()
        self._on_trouble_changed()
        self._on_scrolled()

    def open(self) -> None:
        super().open()
        self._stops()[0].setFocus(Qt.FocusReason.PopupFocusReason)

    def _show_notes(self) -> None:
        """What a row says beside its meaning, in this run."""
        reading = self._sections[list(Group).index(Group.READING)].rows["full_seconds"]
        if self._machine is not None:
            taken = memory(
                self._machine.session.past.memory_bytes(), self._settings.choices.units
            )
            now = tr("Set aside now: {memory}.", memory=taken)
            reading.show_meaning(paragraph((offers()["full_seconds"].meaning, now)))
        if self._settings.read_only_because:
            classroom = self._sections[list(Group).index(Group.CLASSROOM)]
            classroom.rows["read_only"].show_meaning(tr(self._settings.read_only_because))
            classroom.controls["read_only"].setEnabled(False)

    def _stops(self) -> list[QWidget]:
        """Where the Tab key stops, as they stand from top to bottom; the way out comes last."""
        stops = [
            *_stops_within(self._headings),
            *_stops_within(self._scroll),
            *_stops_within(self._close),
        ]
        return [each for each in stops if each.isVisible() and each.isEnabled()]

    def _on_heading_chosen(self, position: int) -> None:
        self._scroll.verticalScrollBar().setValue(self._sections[position].y() - 4)

    def _on_scrolled(self) -> None:
        bar = self._scroll.verticalScrollBar()
        here = bar.value() + self._scroll.viewport().height() / 4
        passed = [i for i, each in enumerate(self._sections) if each.y() <= here]
        at_end = bar.value() == bar.maximum() > 0
        with QSignalBlocker(self._headings):
            self._headings.setCurrentRow(
                len(self._sections) - 1 if at_end else max(passed, default=0)
            )

    def _on_trouble_changed(self) -> None:
        self._trouble_words.setText(self._settings.trouble)
        self._trouble.setVisible(bool(self._settings.trouble))

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Round and round within the sheet, and what has the keyboard is seen."""
        stops = self._stops()
        now = QApplication.focusWidget()
        if stops:
            at = stops.index(now) if now in stops else -1 if forward else 0
            there = stops[(at + (1 if forward else -1)) % len(stops)]
            reason = Qt.FocusReason
            there.setFocus(reason.TabFocusReason if forward else reason.BacktabFocusReason)
            if self._scroll.isAncestorOf(there):
                self._scroll.ensureWidgetVisible(there, 0, 64)
        return True

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            # Letters, digits and the space bar are for what is chosen here, not for the window.
            modifier = Qt.KeyboardModifier
            beyond = modifier.ControlModifier | modifier.AltModifier | modifier.MetaModifier
            if event.text() and not event.modifiers() & beyond:
                event.accept()
                return True
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_scrolled()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.deleteLater()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._headings.setVisible(event.size().width() >= _LIST_FROM)


def _stops_within(widget: QWidget) -> list[QWidget]:
    """In the order in which they were made. Qt's own chain forgets those that came later."""
    takes = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
    found = [widget] if takes else []
    for child in widget.children():
        if isinstance(child, QWidget):
            found += _stops_within(child)
    return found
