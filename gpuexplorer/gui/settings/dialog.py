"""SettingsDialog: everything a person can choose; it holds at once, and Escape closes it."""

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QListWidget,
    QPushButton,
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
from gpuexplorer.gui.widgets.remark import Sign, wrapped_label
from gpuexplorer.gui.widgets.scrolled import scrolled

_WIDTH, _HEIGHT = 800, 640
_LEAST = QSize(480, 360)
_FRAME = QSize(16, 64)  # of the screen, for what the system draws around a window
SETTINGS_KEYS = "Ctrl+,"
_LIST = 132
_LIST_FROM = 680  # narrower, the sections stand alone
_BETWEEN = 28


class SettingsDialog(QDialog):
    """Nothing is asked twice: there is neither OK nor Cancel. Made anew for each opening, and
    gone when it was closed; the keys that opened it close it as well.
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
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # Letters and colours are the window's.
        self.setAttribute(Qt.WidgetAttribute.WA_WindowPropagation)
        self.setWindowTitle(tr("Settings"))
        self._window = parent.window()
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
        self._trouble = QWidget()
        self._trouble_words = wrapped_label(look, "", Tone.TEXT)
        line = QHBoxLayout(self._trouble)
        line.setContentsMargins(24, 12, 24, 0)
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
        content = QWidget()
        content.setProperty("panel", "clear")
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(16, 4, 24, 24)
        self._column.setSpacing(_BETWEEN)
        for section in self._sections:
            self._column.addWidget(section)
        self._column.addStretch(1)
        self._scroll = scrolled(content)
        self._scroll.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        body = QHBoxLayout()
        body.setContentsMargins(12, 16, 0, 0)
        body.setSpacing(0)
        body.addWidget(self._headings)
        body.addWidget(self._scroll, 1)
        buttons = QDialogButtonBox()
        buttons.setContentsMargins(24, 12, 24, 16)
        close = buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.setAutoDefault(False)
        buttons.rejected.connect(self.reject)
        QShortcut(QKeySequence(SETTINGS_KEYS), self, self.reject)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._trouble)
        whole.addLayout(body, 1)
        whole.addWidget(buttons)
        self.resize(self._size().boundedTo(self.screen().availableSize() - _FRAME))
        settings.trouble_changed.connect(self._on_trouble_changed)
        settings.changed.connect(self._show_notes)
        self._show_notes()
        self._on_trouble_changed()
        self._on_scrolled()

    def open(self) -> None:
        (self._headings if self._headings.isVisibleTo(self) else self._scroll).setFocus()
        super().open()

    def _size(self) -> QSize:
        """Not larger than the window below, unless that is very small."""
        room = self._window.size() - QSize(40, 40)
        return QSize(_WIDTH, _HEIGHT).boundedTo(room.expandedTo(_LEAST))

    def done(self, result: int) -> None:
        """The keyboard goes back to where it was, also where no window manager sees to it."""
        active = self.isActiveWindow()
        super().done(result)
        if active:
            self._window.activateWindow()

    def _show_notes(self) -> None:
        """What a row says beside its meaning, in this run."""
        reading = self._sections[list(Group).index(Group.READING)].rows["full_seconds"]
        if self._machine is not None:
            taken = memory(
                self._machine.session.past.memory_bytes(), self._settings.choices.units
            )
            now = tr("Set aside now: {memory}.", memory=taken)
            reading.show_meaning(paragraph((tr(offers()["full_seconds"].meaning), now)))
        if self._settings.read_only_because:
            classroom = self._sections[list(Group).index(Group.CLASSROOM)]
            classroom.rows["read_only"].show_meaning(tr(self._settings.read_only_because))
            classroom.controls["read_only"].setEnabled(False)

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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter is for the field or button it was pressed in; there is nothing to confirm."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif isinstance(button := self.focusWidget(), QPushButton):
            button.click()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_scrolled()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._headings.setVisible(event.size().width() >= _LIST_FROM)
