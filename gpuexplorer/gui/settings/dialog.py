"""SettingsDialog: everything a person can choose; it holds at once, and Escape closes it."""

from typing import cast

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import (
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QListWidget,
    QSystemTrayIcon,
    QWidget,
)

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.desktop.desktop import Notifications
from gpuexplorer.gui.settings.alerts_section import AlertsSection
from gpuexplorer.gui.settings.recordings_section import RecordingsSection
from gpuexplorer.gui.settings.section import Section
from gpuexplorer.gui.state.alert_watch import AlertWatch
from gpuexplorer.gui.state.always_on import AlwaysOn
from gpuexplorer.gui.state.choices import OFFERS, SettingsGroup
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.keyboard import pressed_by_enter
from gpuexplorer.gui.widgets.laid_out import GROWS, row, wrapped_label
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.gui.widgets.sheets.python_sheet import PyTorchNotice
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet

_WIDTH, _HEIGHT = 800, 640
SETTINGS_KEYS = "Ctrl+,"
_LIST = 132
_LIST_FROM = 680  # narrower, the sections stand alone
_BETWEEN = 28


class SettingsDialog(Sheet):
    """Nothing is asked twice: there is neither OK nor Cancel. The keys that opened it close it
    as well.
    """

    def __init__(
        self,
        settings: Settings,
        machine: MachineState | None,
        parent: QWidget,
        alerts: AlertWatch | None = None,
        notices: Notifications | None = None,
        always_on: AlwaysOn | None = None,
        lab: Lab | None = None,
    ) -> None:
        super().__init__(tr("Settings"), parent, _WIDTH)
        self.setMaximumHeight(_HEIGHT)
        self._settings = settings
        self._machine = machine
        self._going = False
        self._application = cast("QApplication", QApplication.instance())  # there is a window
        screens = [(entry.name, entry.title) for entry in VIEWS]
        more = {"first_screen": screens}
        self._sections: dict[SettingsGroup, Section] = {
            group: AlertsSection(settings, machine, alerts, notices)
            if group is SettingsGroup.ALERTS
            else Section(settings, group, more)
            for group in SettingsGroup
        }
        if always_on is not None:
            kept = RecordingsSection(settings, always_on)
            self._sections[SettingsGroup.RECORDINGS] = kept
        if lab is not None:
            notice = PyTorchNotice(lab, self, stays=True)
            self._sections[SettingsGroup.LAB].body.insertWidget(1, notice)
        self._trouble = QWidget()
        self._trouble_words = wrapped_label("", Tone.TEXT)
        sign = Sign(Icon.WARNING, Tone.WARN, QSize(18, 18))
        said = (sign, self._trouble_words, GROWS)
        row(*said, within=self._trouble, gap=10, margins=(24, 0, 24, 0))
        self.head.addWidget(self._trouble)
        self._headings = QListWidget()
        self._headings.setProperty("kind", "sections")
        self._headings.setAccessibleName(tr("Sections"))
        self._headings.setFixedWidth(_LIST)
        self._headings.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._headings.addItems([tr(group) for group in self._sections])
        self._headings.currentRowChanged.connect(self._on_heading_chosen)
        self.row.setContentsMargins(12, 0, 0, 0)
        self.row.insertWidget(0, self._headings)
        self.body.setContentsMargins(16, 4, 24, 24)
        self.body.setSpacing(_BETWEEN)
        for section in self._sections.values():
            section.refresh()
            self.body.addWidget(section)
        self.body.addStretch(1)
        self.area.verticalScrollBar().valueChanged.connect(self._show_section)
        # Not marked: Enter is for what is typed here.
        self.add_button(tr("Close"), ROLE.RejectRole).setAutoDefault(False)
        self.begins = self._headings
        QShortcut(QKeySequence(SETTINGS_KEYS), self, self.reject)
        settings.trouble_changed.connect(self._on_trouble_changed)
        settings.changed.connect(self._show_notes)
        self._show_notes()
        self._on_trouble_changed()

    def _show_notes(self) -> None:
        """What a row says beside its meaning, in this run."""
        reading = self._sections[SettingsGroup.READING].rows["full_seconds"]
        if self._machine is not None:
            taken = memory(
                self._machine.session.past.memory_bytes(), self._settings.choices.units
            )
            now = tr("In use now: {memory}.", memory=taken)
            reading.show_meaning(paragraph((tr(OFFERS["full_seconds"].meaning), now)))
        if not QSystemTrayIcon.isSystemTrayAvailable():
            self._sections[SettingsGroup.START].rows["keep_running"].refuse(
                tr(
                    "This desktop has no place for an icon beside the clock, so closing the "
                    "window quits."
                )
            )
        if why := self._settings.read_only_because:
            self._sections[SettingsGroup.CLASSROOM].rows["read_only"].refuse(tr(why))

    def _on_heading_chosen(self, position: int) -> None:
        """The last sections cannot come to the top: the heading stays where it was chosen."""
        self._going = True
        self.area.verticalScrollBar().setValue([*self._sections.values()][position].y() - 4)
        self._going = False

    def _show_section(self) -> None:
        """The heading of what has the keyboard, as long as that is seen; else of what is."""
        focused = QApplication.focusWidget()
        if self._going or focused is self._headings:
            return
        bar = self.area.verticalScrollBar()
        sections = [*self._sections.values()]
        within = [] if focused is None else [s for s in sections if s.isAncestorOf(focused)]
        if focused is not None and within and not focused.visibleRegion().isEmpty():
            here = sections.index(within[0])
        elif bar.value() == bar.maximum() > 0:
            here = len(sections) - 1
        else:
            top = bar.value() + self.area.viewport().height() / 4
            here = max((i for i, each in enumerate(sections) if each.y() <= top), default=0)
        with QSignalBlocker(self._headings):
            self._headings.setCurrentRow(here)

    def _on_trouble_changed(self) -> None:
        self._trouble_words.setText(self._settings.trouble)
        self._trouble.setVisible(bool(self._settings.trouble))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter is for the field or button it was pressed in; there is nothing to confirm."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if not (pressed_by_enter(self, event) or enter):
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._application.focusChanged.connect(self._show_section)
        self._show_section()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._application.focusChanged.disconnect(self._show_section)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._headings.setVisible(event.size().width() >= _LIST_FROM)
