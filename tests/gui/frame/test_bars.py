"""The line at the bottom: what is late or missing, and the notice of what goes on."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import FAN_SPEED, TEMPERATURE
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.bars.notices import DONE, WARNS, About, Notice, Notices, NoticeWay
from gpuexplorer.gui.widgets.bars.status_line import StatusLine
from gpuexplorer.gui.widgets.live_view import LiveView
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import Answer, card, session_of, working
from tests.gui.hands import button, click, texts, the
from tests.gui.test_alerts import HOT


def without_fan() -> Answer:
    answer = working()
    fan = FAN_SPEED
    answer.values = {m: v for m, v in answer.values.items() if m != fan}
    answer.missing = {fan: Absence.NO_PART}
    return answer


LOST = Answer(otherwise=Absence.LOST, state=CardState.LOST)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([working()], "Nothing missing"),
        ([without_fan(), without_fan()], "Fan: no such part (cards 0, 1)"),
        ([working(), without_fan()], "Fan: no such part (card 1)"),
        ([working(), LOST], "Lost (card 1)"),
    ],
)
def test_what_is_missing_is_said_with_the_card_that_lacks_it(
    open_window: OpenWindow, qtbot: QtBot, answers: list[Answer], words: str
) -> None:
    window = open_window(session_of({card(at): each for at, each in enumerate(answers)}))
    qtbot.waitUntil(lambda: words in texts(window))


@pytest.fixture
def notices(qtbot: QtBot) -> Iterator[Notices]:
    window, made = QWidget(), Notices()
    qtbot.addWidget(window)
    QHBoxLayout(window).addWidget(made)
    window.resize(560, 60)
    window.show()
    window.activateWindow()
    yield made
    window.close()


def test_the_most_urgent_is_said_and_leads_to_the_others(notices: Notices) -> None:
    notices.say(About.SIMULATED, Notice("These are simulated."))
    notices.say(About.ALERT, Notice("Card 0 is hot.", sign=WARNS))
    notices.say(About.RECORDING, Notice("A recording."))
    said = []
    for _ in range(3):
        said.append(notices.accessibleName())
        click(notices, "2 more")
    assert said == ["Card 0 is hot.", "A recording.", "These are simulated."]
    for each in (About.ALERT, About.RECORDING, About.SIMULATED):
        assert notices.isVisible()
        notices.end(each)
    assert not notices.isVisible()


def test_news_leave_by_themselves_once_nobody_reads_them(
    notices: Notices, qtbot: QtBot
) -> None:
    the(QTimer, notices).setInterval(10)
    way = NoticeWay("Open it", lambda: None)
    notices.say(About.FILE, Notice("It is recorded.", [way], DONE, news=True))
    button(notices, "Open it").setFocus()
    with qtbot.waitSignal(the(QTimer, notices).timeout):
        pass
    assert notices.isVisible()
    button(notices, "Open it").clearFocus()
    # An earlier test may have left the pointer there.
    notices.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, on=False)
    qtbot.waitUntil(notices.isHidden)


def test_nothing_moves_while_an_alert_begins_goes_on_and_ends(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    answer = working(temperature=60.0)
    settings = Settings()
    settings.choose(replace(settings.choices, rules=(HOT,)))
    window = open_window(session_of({card(0): answer}), settings=settings)
    strip, status = the(Notices, window), the(StatusLine, window)
    driver = next(each for each in status.findChildren(QLabel) if "Driver" in each.text())
    steady: list[QWidget] = [driver, *window.findChildren(LiveView)]
    before = [place_of(each) for each in steady]
    answer.values = {**answer.values, TEMPERATURE: 85.0}
    qtbot.waitUntil(lambda: strip.isVisible() and strip.height() > 0)
    qtbot.waitUntil(lambda: [place_of(each) for each in steady] == before)
    assert strip.height() == status.height()
    silence = button(strip, "Silence for 1 hour")
    pressed_at, said = place_of(silence), texts(strip)
    qtbot.waitUntil(lambda: texts(strip) != said)
    assert place_of(silence) == pressed_at
    answer.values, answer.state, answer.otherwise = {}, CardState.LOST, Absence.LOST
    qtbot.waitUntil(lambda: not strip.isVisible())
    qtbot.waitUntil(lambda: [place_of(each) for each in steady] == before)


def place_of(widget: QWidget) -> QRect:
    return QRect(widget.mapTo(widget.window(), QPoint()), widget.size())
