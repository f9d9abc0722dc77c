"""What the overview says of all cards together: the strip of very many, sums and lists."""

from collections.abc import Mapping

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import ENERGY, GPU_UTILIZATION, throttle
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.card_face import CardFace, CardNow, arrange, card_face
from gpuexplorer.gui.cards.programs import ProgramFace, program_faces
from gpuexplorer.gui.cards.reasons import SlowedBook
from gpuexplorer.gui.overview.heat_strip import HeatStrip, boards_of, ranges
from gpuexplorer.gui.overview.panels import EnergyFeed, figures_of, worth_a_look
from gpuexplorer.gui.overview.past import PLOTTED
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.process_book import GONE
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure, ProcessUse
from tests.clocks import ManualClock
from tests.gui.fakes import GIB, Answer, card, working
from tests.gui.pixels import colours_of

BUSY, FIRST = PLOTTED[0], CardId("GPU-0")
CARDS = arrange([card(index) for index in range(9)])
BEGAN, LOST_AT, NOW = 1000.0, 1400.0, 1600.0
WENT = Happening(LOST_AT, 1_700_000_400.0, Kind.CARD_LOST, FIRST, Message("The card is lost"))
LEFT, WIDE = 56, 600 - 56 - 68  # of the rows
MIDDLE = LEFT + WIDE // 2


def past_of(*busy: float, first: float = BEGAN, seconds: int = 100) -> History:
    """Of each card; the last one holds for all that follow."""
    history = History()
    for second in range(seconds):
        for at, each in enumerate(CARDS):
            share = busy[min(at, len(busy) - 1)]
            history.append(Sample(each.card.id, first + second, {GPU_UTILIZATION: share}))
    return history


def nine(busy: float | None, at: float = NOW) -> list[CardFace]:
    values = {} if busy is None else {GPU_UTILIZATION: busy}
    missing = {GPU_UTILIZATION: Absence.LOST} if busy is None else {}
    state = CardState.LOST if busy is None else CardState.WORKING
    known = {
        each.card.id: CardNow(Reading(each.card.id, at, values, missing, state), None)
        for each in CARDS
    }
    return [card_face(each, known, units=USUAL) for each in CARDS]


class Shown:
    """A strip of 100 seconds, with rows that are 16 pixels high."""

    def __init__(self, qtbot: QtBot) -> None:
        look().choose(Scheme.DARK)
        self.window = TimeWindow(ManualClock(BEGAN + 100))
        self.strip = HeatStrip(self.window)
        qtbot.addWidget(self.strip)
        self.strip.resize(600, 169)
        self.strip.show()

    def show(self, past: History, cards: list[CardFace], *log: Happening) -> None:
        book = SlowedBook()
        book.take(log)
        self.window.show_past(past)
        self.window.choose_span(100.0)
        self.strip.show_boards(boards_of(cards), BUSY, past, book, USUAL)
        self.strip.resize(600, 169)

    def shade(self, row: int, share_of_time: float) -> str:
        y = row * 16 + 8 + (3 if row >= 8 else 0)
        x = LEFT + share_of_time * WIDE
        return str(self.strip.grab().toImage().pixelColor(round(x), y).name())


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    return Shown(qtbot)


def test_a_cell_is_as_dark_as_the_card_was_busy_and_what_was_not_read_has_no_shade(
    shown: Shown,
) -> None:
    shown.show(past_of(0.0, 0.5, 7.0, 1.0, first=BEGAN + 50, seconds=50), nine(0.5))
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        heat = look().theme.heat
        assert shown.shade(0, 0.7) == heat(0.0).name()
        assert shown.shade(1, 0.7) == heat(0.5).name()
        assert shown.shade(2, 0.7) == shown.shade(8, 0.7) == heat(1.0).name()
        assert shown.shade(1, 0.1) == look().theme.surface.name()


def test_a_card_that_was_lost_is_a_line_from_then_on(shown: Shown) -> None:
    lost, gone = nine(None)[0], WENT._replace(at=BEGAN + 50)
    shown.show(past_of(0.5, seconds=50), [lost, *nine(0.5)[1:]], gone)
    assert shown.shade(0, 0.95) == look().theme.bad.name()
    shown.show(past_of(0.5), nine(0.5))
    assert look().theme.bad.name() not in colours_of(shown.strip.grab().toImage())


def test_a_row_is_pointed_at_opened_and_dragged_through_time(shown: Shown) -> None:
    shown.show(past_of(0.5), nine(0.5))
    strip, window, opened = shown.strip, shown.window, QSignalSpy(shown.strip.opened)
    QTest.mouseMove(strip, QPoint(MIDDLE, 8 * 16 + 3 + 8))
    assert window.crosshair == pytest.approx(BEGAN + 50, abs=0.5)
    assert strip.said_at(window.crosshair or 0.0).startswith("Card 8: 50 % at ")
    assert shown.shade(1, 0.5) == look().theme.quiet.name()
    QTest.mouseMove(strip, QPoint(MIDDLE, 8 * 16 + 1))
    assert strip.said_at(BEGAN + 50) == window.moment(BEGAN + 50)  # between two boards
    QTest.mouseDClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(MIDDLE, 24))
    assert opened.at(0) == ["GPU-1"]
    QTest.mousePress(strip, Qt.MouseButton.LeftButton, pos=QPoint(MIDDLE, 24))
    at = QPointF(MIDDLE + WIDE // 4, 24)
    left, plain = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    move = QMouseEvent(
        QEvent.Type.MouseMove, at, strip.mapToGlobal(at), Qt.MouseButton.NoButton, left, plain
    )
    window.choose_span(50.0)  # so that there is more before
    QApplication.sendEvent(strip, move)
    assert window.stretch() == pytest.approx((BEGAN + 37.5, BEGAN + 87.5), abs=0.5)


def test_the_wheel_zooms_over_the_rows_and_scrolls_the_page_beside_them(shown: Shown) -> None:
    shown.show(past_of(0.5), nine(0.5))
    strip, begin, plain = shown.strip, Qt.ScrollPhase.NoScrollPhase, Qt.KeyboardModifier(0)
    for x, zooms in ((590, False), (LEFT + WIDE // 4, True)):
        place, before = QPointF(x, 24), shown.window.stretch()
        seen, up = strip.mapToGlobal(place), QPoint(0, 120)
        how = (Qt.MouseButton.NoButton, plain, begin, False)
        wheel = QWheelEvent(place, seen, QPoint(), up, *how)
        QApplication.sendEvent(strip, wheel)
        assert (wheel.isAccepted(), shown.window.stretch() != before) == (zooms, zooms)


def test_the_strip_shows_what_was_read_and_nothing_before_and_long_after(shown: Shown) -> None:
    shown.show(past_of(0.5, first=BEGAN + 20, seconds=40), nine(0.5))
    values = shown.strip.values
    times = np.linspace(BEGAN, BEGAN + 100, values.shape[1])
    assert np.isnan(values[:, times < BEGAN + 18]).all()
    assert np.isnan(values[:, times > BEGAN + 66]).all()
    read = values[:, (times > BEGAN + 22) & (times < BEGAN + 58)]
    assert read == pytest.approx(np.full(read.shape, 0.5))


@pytest.mark.usefixtures("qtbot")
def test_a_card_is_lost_from_the_moment_on_at_which_it_was_lost() -> None:
    past, window = past_of(0.5, seconds=400), TimeWindow(ManualClock(NOW))
    first, strip = nine(None)[:1], HeatStrip(window)
    window.show_past(past)

    def told(*log: Happening) -> list[str]:
        """On its row of the strip."""
        book = SlowedBook()
        book.take(log)
        strip.show_boards([first], BUSY, past, book, USUAL)
        return [words for _, _, words, _ in strip.marks()]

    said = [f"0 lost at {window.moment(LOST_AT)}"]
    assert told(WENT) == said
    window.look_at(LOST_AT - 100.0, LOST_AT + 50.0)
    assert told(WENT) == said
    window.look_at(BEGAN + 10.0, LOST_AT - 100.0)
    assert told(WENT) == []
    window.back_to_now()
    window.choose_span(3600.0)
    assert told() == ["0 lost"]  # nobody knows when


def test_numbers_in_a_row_are_a_range() -> None:
    cards = nine(0.5)
    assert ranges([cards[at] for at in (8, 5, 6, 7, 1, 2)]) == "1, 2, 5–8"


BY_ID = {each.card.id: each for each in arrange([card(index) for index in range(4)])}


def process(on: int, pid: int, command: str | None, gib: float | None) -> NamedProcess:
    values = {ProcessFigure.SM: 0.5} | (
        {} if gib is None else {ProcessFigure.MEMORY: gib * GIB}
    )
    missing = {ProcessFigure.MEMORY: Absence.WINDOWS_KEEPS_IT} if gib is None else {}
    found = CardProcess(CardId(f"GPU-{on}"), pid, ProcessUse.COMPUTE, values, missing)
    if command is None:
        return NamedProcess(found, resolved=False, reason=GONE)
    return NamedProcess(found, resolved=True, user="ana", command=command, cpu=1.18)


def rows(*processes: NamedProcess) -> list[ProgramFace]:
    return list(program_faces(processes, BY_ID, USUAL, now=0.0))


def test_the_ranks_of_one_training_are_one_row_and_the_largest_comes_first() -> None:
    ranks = [process(index, 100 + index, "python train.py", 10.0) for index in range(3)]
    first, second = rows(process(3, 7, "vllm serve", 12.0), *ranks)
    assert [chip.text for chip in first.chips] == ["0", "1", "2"]
    assert (first.command, first.pid) == ("python train.py", "3 pids")
    figures = first.memory, first.busy, first.processor
    assert [figure.number for figure in figures] == ["30.00", "50", "354"]
    assert (second.command, second.hint) == ("vllm serve", "vllm serve\nPID 7")


def test_what_is_not_known_of_a_program_is_words() -> None:
    unnamed, other = rows(process(0, 5, None, 1.0), process(1, 5, None, 1.0))
    assert [unnamed.known, other.known] == [False, False]
    assert unnamed.command == "not known"
    assert "It has ended, or may not be looked at." in unnamed.hint
    (game,) = rows(process(0, 5, "game", None))
    assert "Windows" in game.memory.absent[0]


LOST = Answer(otherwise=Absence.LOST, state=CardState.LOST)
ASLEEP = Answer(otherwise=Absence.ASLEEP, state=CardState.ASLEEP)
REFUSED = Answer(otherwise=Absence.NO_PERMISSION)


def faces(answers: Mapping[int, Answer], count: int = 4) -> list[CardFace]:
    cards, found = arrange([card(index) for index in range(count)]), {}
    for each in cards:
        answer = answers.get(each.card.index, working())
        reading = Reading(each.card.id, 0.0, answer.values, answer.missing, answer.state)
        found[each.card.id] = CardNow(reading, None)
    return [card_face(each, found, units=USUAL) for each in cards]


def test_sums_are_of_the_cards_that_answer() -> None:
    some = faces({0: working(1.0), 1: working(0.5), 2: LOST, 3: LOST})
    assert [each.spoken for each in figures_of(some, USUAL)] == [
        "Busy, average (2 of 4 cards) 75 %",
        "Memory (2 of 4 cards) 39.0 of 48 GiB",
        "Power (2 of 4 cards) 398 of 560 W",
        "Hottest (2 of 4 cards) 71 °C, card 0",
    ]


def test_it_is_not_said_twice_how_many_cards_answer() -> None:
    _, _, power, _ = figures_of(faces({0: LOST, 1: REFUSED}), USUAL, answering_said=True)
    assert power.label == "Power (2 of 4 cards)"
    _, _, power, _ = figures_of(faces({0: LOST}), USUAL, answering_said=True)
    assert power.label == "Power"


def test_sums_follow_the_units_a_person_wants_and_many_cards_draw_kilowatts() -> None:
    ten = faces(dict.fromkeys(range(10), working(1.0)), 10)
    wanted = Units(decimal_memory=True, fahrenheit=True)
    _, memory, power, hottest = figures_of(ten, wanted)
    assert power.spoken == "Power 2.60 of 2.80 kW"
    assert (memory.unit, "°F" in hottest.unit) == ("GB", True)


def test_where_nobody_tells_anything_the_sums_say_so() -> None:
    for figure in figures_of(faces(dict.fromkeys(range(4), LOST)), USUAL):
        assert figure.spoken.endswith(": no card is read")


def energy(cards: int, span: float = 60.0, told: int = 20, held: bool = False) -> list[str]:
    """Beat by beat, of cards that use 100 W for 60 s."""
    history, ids = History(), [card(index).id for index in range(cards)]
    for second in range(60):
        for each in ids[:told]:
            history.append(Sample(each, 1000.0 + second, {ENERGY: 5000.0 + 100.0 * second}))
    window, feed = TimeWindow(ManualClock(1060.0)), EnergyFeed(history)
    window.choose_span(span)
    if held:
        window.toggle_pause()
    return [feed.figure(ids, window).spoken for _ in range(3)]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"cards": 3, "told": 2}, "Energy, 1 min (2 of 3 cards) 3.28 Wh"),
        ({"cards": 2, "span": 300.0}, "Energy, 59 s 3.28 Wh"),
        ({"cards": 1, "held": True}, "Energy, the 1 min shown 1.64 Wh"),
        ({"cards": 1, "told": 0}, "Energy, 1 min: with the next readings"),
    ],
)
def test_energy_carries_the_time_and_the_cards_it_is_of(
    asked: Mapping[str, int], said: str
) -> None:
    assert energy(**asked)[-1] == said  # type: ignore[arg-type]  # of several types


def test_the_gravest_comes_first_and_cards_alike_share_a_row() -> None:
    hot = working(**{throttle("hw_thermal_slowdown"): 1.0})
    rows = worth_a_look(faces({0: ASLEEP, 1: ASLEEP, 2: hot, 3: LOST}))
    assert [[each.number for each in row] for _, row in rows] == [["3"], ["2"], ["0", "1"]]
    assert worth_a_look(faces(dict.fromkeys(range(4), working(0.0)))) == []
