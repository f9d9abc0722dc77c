"""The settings: what is chosen holds at once, with the keyboard alone, in small windows too."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QLineEdit,
    QListWidget,
    QMainWindow,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import TEMPERATURE
from gpuexplorer.gui.desktop.desktop import Notifications
from gpuexplorer.gui.event_loop import Bridge
from gpuexplorer.gui.settings.alerts import AlertsSection
from gpuexplorer.gui.settings.dialog import SettingsDialog
from gpuexplorer.gui.state.alert_watch import AlertWatch
from gpuexplorer.gui.state.choices import Choices, WithoutCards
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.fields import NumberField
from gpuexplorer.telemetry.alerts import Rule, Side
from tests.gui.fakes import card, session_of, working
from tests.gui.hands import click, press, texts, the

Open = Callable[..., SettingsDialog]
ID = CardId("GPU-1")


@pytest.fixture
def settings() -> Settings:
    return Settings()


@pytest.fixture
def open_dialog(settings: Settings, qtbot: QtBot) -> Iterator[Open]:
    """The settings over a window of two cards, at one section."""
    windows: list[QMainWindow] = []
    session = session_of({card(0): working(), card(1): working()})

    def open_one(
        section: str = "Reading", width: int = 1000, its: Settings | None = None
    ) -> SettingsDialog:
        window = QMainWindow()
        qtbot.addWidget(window)
        windows.append(window)
        window.setStyleSheet(look().style_sheet())
        window.setFont(look().letters.body.font)
        window.resize(width, 700)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        chosen = its or settings
        machine = MachineState(session, chosen, window)
        watch = AlertWatch(chosen, Bridge(window), window)
        alerts = AlertsSection(chosen, machine, watch, Notifications(""))
        dialog = SettingsDialog(chosen, window, alerts)
        dialog.open()
        qtbot.waitUntil(lambda: QApplication.focusWidget() in dialog.findChildren(QWidget))
        show(dialog, section)
        return dialog

    yield open_one
    for window in windows:
        window.close()


def show(dialog: SettingsDialog, section: str) -> None:
    headings = the(QListWidget, dialog)
    headings.setFocus()
    while headings.currentItem().text() != section:
        press(headings, Qt.Key.Key_Down)


def go_to(dialog: SettingsDialog, name: str, description: str = "") -> QWidget:
    """By the Tab key, as a person without a mouse."""
    seen: list[str] = []
    for _ in range(80):
        now = QApplication.focusWidget()
        assert now is not None
        assert dialog.isAncestorOf(now)
        if now.accessibleName() == name and description in now.accessibleDescription():
            return now
        seen.append(now.accessibleName())
        QTest.keyClick(now, Qt.Key.Key_Tab)
    raise AssertionError(f"No {name!r} among {seen}")


def choose(dialog: SettingsDialog, name: str, words: str) -> None:
    """With the arrow keys from what is chosen."""
    row = [e for e in dialog.findChildren(ToolButton) if e.accessibleDescription() == name]
    choices = [each.text() for each in row if each.isVisible()]
    [chosen] = [each.text() for each in row if each.isChecked()]
    now: QWidget | None = go_to(dialog, chosen, name)
    steps = choices.index(words) - choices.index(chosen)
    for _ in range(abs(steps)):
        assert now is not None
        press(now, Qt.Key.Key_Right if steps > 0 else Qt.Key.Key_Left)
        now = QApplication.focusWidget()
    assert isinstance(now, ToolButton)
    assert now.text() == words


def type_into(field: QWidget, text: str) -> None:
    assert isinstance(field, QLineEdit | NumberField)
    field.selectAll()
    press(field, Qt.Key.Key_Delete)
    QTest.keyClicks(field, text)
    press(field, Qt.Key.Key_Return)


def shown(dialog: SettingsDialog) -> set[str]:
    return {words.replace("\N{NO-BREAK SPACE}", " ") for words in texts(dialog)}


def test_every_choice_can_be_made_with_the_keyboard_alone_and_holds_at_once(
    open_dialog: Open, settings: Settings
) -> None:
    dialog = open_dialog()
    type_into(go_to(dialog, "Interval, s"), "0.5")
    assert settings.choices.interval == 0.5
    for section, name, words in (
        ("Reading", "Single readings", "10 min"),
        ("Units", "Memory", "GB"),
        ("Look", "Theme", "Light"),
        ("Alerts", "Alerts", ""),
        ("Start", "Where no card answers", "Simulate"),
        ("Start", "Keep hidden cards hidden", ""),
        ("Classroom", "Read only", ""),
    ):
        show(dialog, section)
        if words:
            choose(dialog, name, words)
        else:
            press(go_to(dialog, name), Qt.Key.Key_Space)
    assert settings.choices == Choices(
        interval=0.5,
        full_seconds=600.0,
        decimal_memory=True,
        scheme=Scheme.LIGHT,
        alerts=False,
        without_cards=WithoutCards.SIMULATE,
        keep_hidden=False,
        read_only=True,
    )
    press(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


@pytest.mark.parametrize("section", ["Reading", "Alerts", "Start", "Classroom"])
def test_the_tab_key_goes_round_and_everything_it_comes_to_is_named_and_seen(
    open_dialog: Open, section: str
) -> None:
    dialog = open_dialog(section)
    names: list[str] = []
    while "Close" not in names and len(names) < 40:
        now = QApplication.focusWidget()
        assert now is not None
        names.append(now.accessibleName() or getattr(now, "text", str)())
        place = now.mapTo(dialog, now.rect().center())
        assert dialog.rect().contains(place), names[-1]
        QTest.keyClick(now, Qt.Key.Key_Tab)
    assert all(names)
    assert (names[0], names[-1]) == ("Sections", "Close")
    assert isinstance(QApplication.focusWidget(), QListWidget)


def test_a_number_out_of_range_becomes_the_nearest_and_no_number_changes_nothing(
    open_dialog: Open, settings: Settings
) -> None:
    field = go_to(open_dialog(), "Interval, s")
    assert isinstance(field, NumberField)
    assert field.toolTip() == "From 0.1 to 60 s"
    type_into(field, "0,02")
    assert (settings.choices.interval, field.cleanText()) == (0.1, "0.1")
    type_into(field, "often")
    assert (settings.choices.interval, field.cleanText()) == (0.1, "0.1")
    press(field, Qt.Key.Key_Up)
    assert settings.choices.interval == 0.2


def test_defaults_can_be_restored_only_where_something_was_changed(
    open_dialog: Open, settings: Settings
) -> None:
    dialog = open_dialog("Units")
    assert "Restore defaults" not in texts(dialog)
    settings.choose(replace(settings.choices, fahrenheit=True, interval=5.0))
    press(go_to(dialog, "Units: restore defaults"), Qt.Key.Key_Space)
    assert settings.choices == Choices(interval=5.0)


def test_an_alert_can_be_added_changed_and_removed_with_the_keyboard(
    open_dialog: Open, settings: Settings
) -> None:
    settings.choose(replace(settings.choices, rules=()))
    dialog = open_dialog("Alerts")
    assert "There are no alerts." in texts(dialog)
    click(dialog, "Add an alert")
    choose(dialog, "Alert when it is", "Below")
    type_into(go_to(dialog, "Threshold, %"), "20")
    type_into(go_to(dialog, "For at least, s"), "5")
    cards = go_to(dialog, "Cards")
    type_into(cards, "0-7")
    assert "No card is called 2; there are: 0, 1." in texts(dialog)
    assert not settings.choices.rules[0].cards
    type_into(cards, "0-1")
    assert settings.choices.rules[0].cards == frozenset({CardId("GPU-0"), ID})
    type_into(cards, "1")
    assert not any(words.startswith("No card is called") for words in texts(dialog))
    (rule,) = settings.choices.rules
    assert rule.side is Side.BELOW
    assert (rule.threshold, rule.seconds, rule.cards) == (0.2, 5.0, frozenset({ID}))
    assert "GPU utilisation below 20 % for 5 s, on card 1" in shown(dialog)
    over = "Ends when it was back above 25 % for 5 s"
    assert any(words.startswith(over) for words in shown(dialog))
    press(go_to(dialog, "GPU utilisation below 20 % for 5 s, on card 1"), Qt.Key.Key_Space)
    assert [each.enabled for each in settings.choices.rules] == [False]
    click(dialog, "Done")
    assert "Threshold" not in texts(dialog)
    click(dialog, "Remove")
    assert settings.choices.rules == ()
    now = QApplication.focusWidget()
    assert isinstance(now, QPushButton)
    assert now.text() == "Add an alert"


def test_a_threshold_is_typed_in_the_units_a_person_chose(
    open_dialog: Open, settings: Settings
) -> None:
    hot = Rule(TEMPERATURE, Side.ABOVE, 85.0, 30.0)
    near = replace(hot, of_limit=True, threshold=-5.0)
    settings.choose(replace(settings.choices, fahrenheit=True, rules=(hot,)))
    dialog = open_dialog("Alerts")
    click(dialog, "Change")
    field = go_to(dialog, "Threshold, °F")
    assert isinstance(field, NumberField)
    assert field.cleanText() == "185"
    type_into(field, "176")
    assert settings.choices.rules[0].threshold == pytest.approx(80.0)
    settings.choose(replace(settings.choices, rules=(near,)))
    assert "Before the limit" in texts(dialog)
    assert field.cleanText() == "9"


def the_switch(dialog: SettingsDialog, name: str) -> QCheckBox:
    [found] = [e for e in dialog.findChildren(QCheckBox) if e.accessibleName() == name]
    return found


def test_what_cannot_be_chosen_in_this_run_stands_still_and_says_why(open_dialog: Open) -> None:
    dialog = open_dialog("Classroom", its=Settings(read_only_because="As it was started."))
    switch = the_switch(dialog, "Read only")
    assert (switch.isChecked(), switch.isEnabled()) == (True, False)
    assert "As it was started." in texts(dialog)
    desktop = the_switch(dialog, "On the desktop")
    assert not desktop.isEnabled()
    assert "cannot show notifications" in desktop.accessibleDescription()


@pytest.mark.parametrize("section", ["Reading", "Recordings", "Alerts", "Start"])
def test_nothing_is_cut_off_in_a_small_window_and_it_is_gone_when_it_was_closed(
    open_dialog: Open, qtbot: QtBot, section: str
) -> None:
    dialog = open_dialog(section, 760)
    for button in dialog.findChildren(QAbstractButton):
        if button.isVisible():
            right = button.mapTo(dialog, button.rect().topRight()).x()
            assert right < dialog.width(), button.accessibleName()
            assert button.width() >= min(button.sizeHint().width(), button.maximumWidth())
    window = dialog.parentWidget()
    assert window is not None
    click(dialog, "Close")
    qtbot.waitUntil(lambda: not window.findChildren(SettingsDialog))
