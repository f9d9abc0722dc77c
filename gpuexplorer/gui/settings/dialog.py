"""SettingsDialog: everything a person can choose, a section at a time; it holds at once, and
Escape closes it.
"""

from collections.abc import Callable, Collection, Hashable
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QListWidget, QPushButton, QSystemTrayIcon, QWidget

from gpuexplorer.core.units import bytes_words, memory, span_words
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.state.choices import OFFERS, Choices, Offer, SettingsGroup
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.recording_state import AlwaysOn
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button, switch
from gpuexplorer.gui.widgets.controls.fields import NumberField, Range
from gpuexplorer.gui.widgets.controls.keyboard import pressed_by_enter
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    add,
    column,
    label,
    row,
    show_sentence,
    wrapped_label,
)
from gpuexplorer.gui.widgets.live_view import Remark
from gpuexplorer.gui.widgets.sheets.python_sheet import PyTorchNotice
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet, line_between

SETTINGS_KEYS = "Ctrl+,"
_WIDTH, _HEIGHT, _LIST = 800, 560, 132
_MOST_SEGMENTS = 6  # more choices are a list that opens
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class SettingRow(QWidget):
    """What can be chosen, at the right of what it means."""

    def __init__(
        self,
        title: str,
        meaning: str,
        control: QWidget,
        show_value: Callable[[Any], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self.control, self.show_value = control, show_value
        self._meaning = wrapped_label("", Tone.QUIET)
        words = column(label(title, look().letters.body), self._meaning, gap=3)
        top, margins = Qt.AlignmentFlag.AlignTop, (0, 10, 0, 10)
        row(words, GROWS, control, top, within=self, gap=24, margins=margins)
        self.show_meaning(meaning)

    def show_meaning(self, meaning: str) -> None:
        show_sentence(self._meaning, meaning)
        self.control.setAccessibleDescription(meaning)


class Section(QWidget):
    """A row for each choice of the group; what is chosen holds at once."""

    def __init__(self, settings: Settings, group: SettingsGroup) -> None:
        super().__init__()
        self.settings, self.rows = settings, dict[str, SettingRow]()
        self.setAccessibleName(tr(group))
        self._defaults = link_button(tr("Restore defaults"))
        self._defaults.setAccessibleName(tr("{section}: restore defaults", section=tr(group)))
        # It keeps its place, so that nothing moves when it comes and goes.
        policy = self._defaults.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._defaults.setSizePolicy(policy)
        self._defaults.clicked.connect(self._on_defaults_asked)
        head = row(label(tr(group), look().letters.title), FREE, self._defaults)
        self.body = column(head, within=self, gap=0)
        offers = {name: offer for name, offer in OFFERS.items() if offer.group is group}
        for name, offer in offers.items():
            self._add_row(name, offer)
        self.names = [*offers]  # the choices that "Restore defaults" takes back
        settings.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show what holds now."""
        choices, usual = self.settings.choices, Choices()
        changed = any(getattr(choices, n) != getattr(usual, n) for n in self.names)
        # The keyboard must not be left on a button that goes away.
        if not changed and self._defaults.hasFocus():
            self.focusNextChild()
        self._defaults.setVisible(changed)
        for name, each in self.rows.items():
            each.show_value(getattr(choices, name))

    def choose(self, **changes: object) -> None:
        choices = self.settings.choices
        self.settings.choose(replace(choices, **changes).settled())  # type: ignore[arg-type]  # by name

    def _add_row(self, name: str, offer: Offer) -> None:
        title, options = tr(offer.title), [(key, tr(words)) for key, words in offer.options]
        control: QWidget
        show: Callable[[Any], None]
        if options:
            if name == "first_screen":
                options += [(entry.name, tr(entry.title)) for entry in VIEWS]
            control = segments = Segmented(title, options)
            segments.show_compact(len(options) > _MOST_SEGMENTS)
            chosen, show = segments.chosen, partial(_show_option, segments, dict(options))
        elif offer.most:
            limits = Range(offer.least, offer.most, offer.stops)
            control = number = NumberField(title, limits, offer.unit)
            chosen, show = number.chosen, number.show_number
        else:
            control = box = switch(title)
            chosen, show = box.clicked, box.setChecked
        chosen.connect(lambda value: self.choose(**{name: value}))
        self.rows[name] = SettingRow(title, tr(offer.meaning), control, show)
        add(self.body, line_between(), self.rows[name])

    def _on_defaults_asked(self) -> None:
        self.choose(**{each: getattr(Choices(), each) for each in self.names})


class SettingsDialog(Sheet):
    """Nothing is asked twice: there is neither OK nor Cancel. The keys that opened it close it
    as well.
    """

    def __init__(
        self,
        settings: Settings,
        parent: QWidget,
        alerts: Section | None = None,
        always_on: AlwaysOn | None = None,
        lab: Lab | None = None,
    ) -> None:
        super().__init__(tr("Settings"), parent, _WIDTH)
        self.setFixedHeight(min(_HEIGHT, max(480, parent.height())))
        self._settings, self._lab, self._always_on = settings, lab, always_on
        self._sections = {
            group: alerts
            if alerts is not None and group is SettingsGroup.ALERTS
            else Section(settings, group)
            for group in SettingsGroup
        }
        if always_on is not None:
            forget = QPushButton(tr("Forget it now"))
            forget.clicked.connect(always_on.forget)
            self._kept = SettingRow(tr("Kept until now"), "", forget)
            section = self._sections[SettingsGroup.RECORDINGS]
            add(section.body, line_between(), self._kept)
            always_on.changed.connect(self._show_notes)
        if lab is not None:
            notice = PyTorchNotice(lab, self, stays=True)
            self._sections[SettingsGroup.LAB].body.insertWidget(1, notice)
        self._trouble = Remark("", Icon.WARNING, Tone.WARN)
        self._trouble.setContentsMargins(24, 0, 24, 0)
        self.head.addWidget(self._trouble)
        self._headings = QListWidget()
        self._headings.setProperty("kind", "sections")
        self._headings.setAccessibleName(tr("Sections"))
        self._headings.setFixedWidth(_LIST)
        self._headings.addItems([tr(group) for group in self._sections])
        self._headings.currentRowChanged.connect(self._show_section)
        self.row.setContentsMargins(12, 0, 0, 0)
        self.row.insertWidget(0, self._headings)
        self.body.setContentsMargins(16, 4, 24, 24)
        for each in self._sections.values():
            each.refresh()
            self.body.addWidget(each)
        self.body.addStretch(1)
        close = self.add_button(tr("Close"), ROLE.RejectRole)
        for button in (close, *self.findChildren(QPushButton)):
            button.setAutoDefault(False)  # Enter is for what is typed here
        self.begins = self._headings
        QShortcut(QKeySequence(SETTINGS_KEYS), self, self.reject)
        settings.trouble_changed.connect(self._show_notes)
        settings.changed.connect(self._show_notes)
        self._headings.setCurrentRow(0)
        self._show_notes()

    def _show_section(self, position: int) -> None:
        for at, each in enumerate(self._sections.values()):
            each.setVisible(at == position)
        self.area.verticalScrollBar().setValue(0)

    def _show_notes(self) -> None:
        """What rows say beside their meaning, in this run, and what is wrong with the file."""
        settings, units = self._settings, self._settings.choices.units
        self._trouble.sentence.setText(settings.trouble)
        self._trouble.setVisible(bool(settings.trouble))
        if self._lab is not None:
            taken = memory(self._lab.machine.session.past.memory_bytes(), units)
            now = tr("In use now: {memory}.", memory=taken)
            reading = self._sections[SettingsGroup.READING].rows["full_seconds"]
            reading.show_meaning(paragraph((tr(OFFERS["full_seconds"].meaning), now)))
        no_place = tr(
            "This desktop has no place for an icon beside the clock, so closing the "
            "window quits."
        )
        there = QSystemTrayIcon.isSystemTrayAvailable()
        for group, name, why in (
            (SettingsGroup.START, "keep_running", "" if there else no_place),
            (SettingsGroup.CLASSROOM, "read_only", tr(settings.read_only_because)),
        ):
            if why:  # nothing can be chosen there in this run
                refused = self._sections[group].rows[name]
                refused.show_meaning(why)
                refused.control.setEnabled(False)
        if (kept := self._always_on) is not None:
            size, held = kept.files.size(), bytes_words(kept.files.size(), units)
            where = mark("{size} in {folder}." if size else "Nothing. It would go to {folder}.")
            where = tr(where, size=held, folder=kept.files.folder)
            self._kept.show_meaning(paragraph((kept.trouble, where)))
            self._kept.control.setEnabled(bool(size))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter is for the field or button it was pressed in; there is nothing to confirm."""
        if not (pressed_by_enter(self, event) or event.key() in _ENTER):
            super().keyPressEvent(event)


def _show_option(segments: Segmented, offered: Collection[object], value: Hashable) -> None:
    if value in offered:
        segments.show_choice(value)
    elif isinstance(value, float):
        segments.show_choice(value, span_words(value))
    else:  # a screen that is gone, or that only a newer version has, is the first
        segments.show_choice("")
