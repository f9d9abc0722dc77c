"""Lessons in the window: the shelf, the ring around a control, a step, and a presentation."""

import itertools
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QObject, QPoint, QRect, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QRadioButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuexplorer.core.metrics import MEMORY_USED
from gpuexplorer.gui.lessons.lesson_column import Pointer, Presentation
from gpuexplorer.gui.lessons.lesson_text import CodeText, GrowingText, LessonText
from gpuexplorer.gui.lessons.step_page import CellBox, PredictBox, RevealBar, StepPage
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.starting import lab_of
from gpuexplorer.gui.state.lessons import LabRig, Shelf
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.lessons import reading
from gpuexplorer.lessons.lesson import (
    CONTROLS,
    Code,
    Expression,
    LessonError,
    Part,
    Point,
    Predict,
    Step,
    Text,
    Why,
)
from gpuexplorer.lessons.player import Player
from gpuexplorer.lessons.values import Readings
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.conftest import OpenWindow
from tests.gui.frame.steps import simulated_cards
from tests.gui.hands import button, click, shown, texts, the
from tests.lessons.fake_rig import MIB, FakeRig, cell, check, choice, number, played, step


class Host:
    """Keeps what a step wants of others, and runs its cells."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.wanted: list[str] = []
        self.open_lesson = self.show_control = self.edit = self.wanted.append

    def run(self, cells: Sequence[Code]) -> bool:
        self._player.run(*cells)
        return True


def page_of(
    qtbot: QtBot, *parts: Part | Step, folder: Path = Path()
) -> tuple[StepPage, Player, FakeRig]:
    """Of the steps, or of one with these parts."""
    steps = [each for each in parts if isinstance(each, Step)]
    steps = steps or [step(*(each for each in parts if not isinstance(each, Step)))]
    player, rig = played(*steps, folder=folder)
    page = StepPage(player, Host(player))
    qtbot.addWidget(page)
    player.changed = page.show_step
    page.resize(360, 800)
    page.show()
    return page, player, rig


def said(page: QWidget) -> str:
    return "\n".join(texts(page))


TWO_STEPS = Path(__file__).parents[1] / "lessons" / "two-steps"


@pytest.fixture
def session() -> Iterator[Session]:
    made = remembering(session_on(simulated("2xTitanRTX+idle", "lost:1@0s"), interval=0.1))
    yield made
    made.stop()


@pytest.fixture
def rig(session: Session, qtbot: QtBot) -> Iterator[LabRig]:
    root = QObject()
    settings = Settings(parent=root)
    settings.choose(replace(settings.choices, interval=0.1))
    machine = MachineState(session, settings, root)
    made = LabRig(lab_of(machine, LabPythons(machine.settings, root)), root)
    session.start()
    yield made
    made.stop()


def test_figures_are_those_of_after_the_asking_and_a_lost_card_has_a_reason_for_none(
    rig: LabRig, session: Session, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: session.beats().taken > 3)
    told: list[Readings] = []
    asked = session.clock.now()
    rig.measure(told.append)
    assert not told
    qtbot.waitUntil(lambda: bool(told))
    (first, one), (second, other) = told[0].cards
    assert [first.index, second.index] == [0, 1]
    assert min(one.at, told[0].host[1].at) > asked
    assert MEMORY_USED in one.values
    assert MEMORY_USED in other.missing


def test_what_a_wire_can_carry_is_known_once_the_driver_has_told(
    rig: LabRig, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: rig.limit("cpu", "cuda:0") is not None)
    assert 10e9 < (rig.limit("cpu", "cuda:0") or 0) < 20e9  # PCIe 3 x16
    assert rig.limit("cpu", "cuda:7") is None


def test_a_lesson_from_outside_stays_on_the_list_broken_or_not_until_it_is_taken_off(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, settings = tmp_path / "mine", Settings()
    for folder in (tmp_path / "own" / "02-sound", mine):
        shutil.copytree(TWO_STEPS, folder)
    monkeypatch.setattr(reading, "_folder", lambda: tmp_path / "own")
    Shelf(settings).add(mine)
    (mine / "lesson.md").write_text("# Nothing more\n", "utf-8")
    again = Shelf(settings)
    with qtbot.waitSignal(again.changed):
        again.look()
    sound, broken = again.lessons
    assert isinstance(broken, LessonError)
    assert "line 2: " in broken.told
    assert again.named("02-sound") is sound
    again.forget(broken.file)
    assert (again.lessons, again.outside) == ([sound], [])


@pytest.fixture
def window(open_window: OpenWindow) -> Iterator[MainWindow]:
    session = simulated_cards("2xTitanRTX")
    yield open_window(session, settings=Settings())
    session.stop()


@pytest.fixture
def pointer(window: MainWindow) -> Pointer:
    return Pointer(window.navigation, window)


def place_of(window: MainWindow, name: str) -> QRect:
    control = window.findChild(QWidget, name)
    assert isinstance(control, QWidget)
    return QRect(control.mapTo(window, QPoint()), control.size())


def test_every_control_is_found_in_a_real_window(
    window: MainWindow, pointer: Pointer, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: bool(window.findChildren(QWidget, "overview.tiles")))
    for size, name in itertools.product(((1600, 1000), (911, 512)), CONTROLS):
        window.resize(*size)
        assert pointer.show_control(name) == "", name
        assert pointer.isVisible(), name
        assert not pointer.geometry().isEmpty(), name
        middle = pointer.geometry().center()
        assert window.childAt(middle) is not pointer  # the mouse goes through it
    assert all(len(window.findChildren(QWidget, name)) == 1 for name in CONTROLS)


def test_the_ring_moves_with_its_control_and_goes_with_it(
    window: MainWindow, pointer: Pointer, qtbot: QtBot
) -> None:
    pointer.show_control("top.search")
    window.resize(1300, 700)
    qtbot.waitUntil(lambda: pointer.geometry().contains(place_of(window, "top.search")))
    pointer.show_control("lab.cells")
    window.navigation.open_screen("overview")
    qtbot.waitUntil(lambda: not pointer.isVisible())
    pointer.show_control("lab.editor")
    for each in window.findChildren(QWidget, "lab.editor"):
        shiboken6.delete(each)
    qtbot.waitUntil(lambda: not pointer.isVisible())


def test_without_cards_it_says_that_it_cannot_be_seen(open_window: OpenWindow) -> None:
    window = open_window()
    pointer = Pointer(window.navigation, window)
    assert pointer.show_control("overview.tiles").startswith("Not to be seen just now")


ROSE = "(cards[0].memory_used - before.cards[0].memory_used) / MiB"
LIMIT = Expression(2, "cards[0].memory_total / MiB", "all memory of the card")
MANY = "\n".join(f"row {at}" for at in range(30))
WORD = 'torch.device("cuda:1")'
TABLE = f"| write | it is |\n|-|-|\n| `{WORD}` | the name of a device, which may not be there |"


def asked() -> Predict:
    return number(2, ROSE, unit="MiB", within=0.3, limit=LIMIT)


def predict(page: QWidget, words: str) -> None:
    field = shown(QLineEdit, page)
    field.selectAll()
    QTest.keyClicks(field, words)
    click(page, "Predict")


def seen(page: QWidget, kind: type[LessonText] | type[CodeText]) -> list[str]:
    return [each.toPlainText() for each in page.findChildren(kind) if each.isVisible()]


def wanted(page: StepPage) -> list[str]:
    assert isinstance(page.host, Host)
    return page.host.wanted


def bars(page: QWidget) -> list[str]:
    return [each.accessibleName() for each in page.findChildren(RevealBar) if each.isVisible()]


def test_no_word_of_a_table_is_broken_while_there_is_room_for_it(qtbot: QtBot) -> None:
    page, *_ = page_of(qtbot, Text(3, TABLE))
    text = the(LessonText, page)

    def lines() -> int:
        return text.document().find(WORD).block().layout().lineCount()

    qtbot.waitUntil(lambda: lines() == 1)
    page.resize(130, 800)
    qtbot.waitUntil(lambda: lines() > 1)  # and nothing is cut off
    assert text.document().size().width() <= text.viewport().width()


def test_pictures_are_read_from_beside_the_lesson_and_seen_large_on_a_press(
    qtbot: QtBot, tmp_path: Path
) -> None:
    lesson = tmp_path / "04-x"
    lesson.mkdir()
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="90">'
        '<rect width="900" height="90" fill="currentColor"/></svg>'
    )
    for each in (lesson, tmp_path):
        (each / "wide.svg").write_text(drawing, "utf-8")
    markdown = "![Wide](wide.svg)\n\n![Not ours](../wide.svg)\n\n![Gone](gone.png)"
    page, *_ = page_of(qtbot, Text(3, markdown), folder=lesson)
    text = the(LessonText, page)
    kind, name = QTextDocument.ResourceType.ImageResource, QUrl("wide.svg")
    qtbot.waitUntil(lambda: text.document().size().width() <= text.viewport().width())
    ink = QImage(text.document().resource(kind, name)).pixelColor(20, 10)
    assert ink == look().theme.text
    assert "Picture: Not ours\nPicture: Gone" in text.toPlainText()
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(30, 30))
    assert the(Sheet, page).windowTitle() == "Wide"


def test_links_are_followed_by_the_keyboard_and_one_to_another_lesson_is_told(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    links = "See [one](https://one.org) and [two](../05-copies/lesson.md)."
    page, *_ = page_of(qtbot, Text(3, links), cell(4))
    with qtbot.waitActive(page):
        page.activateWindow()
    text = the(LessonText, page)
    QTest.keyClick(QApplication.focusWidget() or page, Qt.Key.Key_Tab)
    QTest.keyClick(text, Qt.Key.Key_Return)
    assert opened == ["https://one.org"]
    QTest.keyClick(text, Qt.Key.Key_Tab)
    QTest.keyClick(text, Qt.Key.Key_Return)
    assert wanted(page) == ["05-copies"]
    QTest.keyClick(text, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is button(page, "Run")


def test_a_cell_runs_once_by_its_button_and_says_what_it_printed_and_took(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, cell(3))
    run = button(page, "Run")
    run.setFocus()
    for _ in range(2):
        click(page, "Run")
    assert "Waiting for its turn" in said(page)
    assert len(rig.ledger.cells) == 1
    rig.end(printed=MANY)
    assert "Done · host 500 ms" in said(page)
    texts = the(CellBox, page).findChildren(GrowingText)
    printed = next(each for each in texts if not isinstance(each, CodeText))
    assert printed.toPlainText() == "\n".join(f"row {at}" for at in range(22, 30))
    assert "22 lines more in the lab" in said(page)
    assert button(page, "Run again") is run
    assert page.focusWidget() is run


def test_a_cell_that_is_meant_to_fail_says_so_before_and_after(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, cell(3, "X + Y", fails=True))
    assert "Not run yet. This cell is meant to fail." in said(page)
    click(page, "Run")
    rig.end(failed="RuntimeError")
    assert "Failed, as intended · host 500 ms\nRuntimeError: refused" in said(page)
    click(page, "Run again")
    rig.end()
    assert "Succeeded, but was meant to fail" in said(page)


def test_code_controls_and_reasons_are_asked_for_by_a_press(qtbot: QtBot) -> None:
    page, *_ = page_of(qtbot, cell(3), Point(5, "lab.editor"), Why(6, "Why 919 MiB?", "It is."))
    head = the(QToolButton, page)
    assert seen(page, LessonText) == []
    label = next(each for each in page.findChildren(QLabel) if each.text() == "Why 919 MiB?")
    QTest.mouseClick(label, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert seen(page, LessonText) == ["It is."]
    QTest.keyClick(head, Qt.Key.Key_Space)
    assert seen(page, LessonText) == []
    click(page, "Put into the editor")
    click(page, f"Show me {CONTROLS['lab.editor']}")
    assert wanted(page) == [cell(3).source, "lab.editor"]


def test_a_check_says_what_is_missing_and_can_be_tried_again(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, cell(3), check(5, "X > 3", "`X` is too small."))
    assert "Checked when the cells above have run." in said(page)
    rig.names["X"] = 1
    click(page, "Run")
    rig.end()
    told = "X is too small. X is 1."
    assert any(each.accessibleName() == told for each in page.findChildren(QLabel))
    rig.names["X"] = 4
    click(page, "Check again")
    rig.answer()
    assert "Check passed." in said(page)


def test_prediction_measurement_and_limit_stand_on_one_scale(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, asked(), cell(4))
    predict(page, "a lot")
    assert "'a lot' is no number. Type one, such as 1500 or 2.5." in said(page)
    predict(page, "812")
    assert "It is shown when the cells below have run." in said(page)
    assert not bars(page)
    assert button(page, "Run").property("kind") == "primary"
    click(page, "Run")
    rig.used += 919 * MIB
    with qtbot.waitSignal(page.came) as came:
        rig.end()
    assert came.args == [the(PredictBox, page)]
    assert bars(page) == [
        "Your prediction: 812 MiB",
        "Measured: 919 MiB",
        "all memory of the card: 24\N{NARROW NO-BREAK SPACE}576 MiB",
    ]
    assert "12 % too little. Up to 30 % off counts as right." in said(page)


def test_who_only_reads_is_told_at_once(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, number(2, "7 * 6"), Text(3, "Behind it."))
    assert seen(page, LessonText) == []
    click(page, "Show the explanation")
    assert seen(page, LessonText) == ["Behind it."]
    click(page, "Show the answer")
    rig.answer()
    assert bars(page) == ["Measured: 42"]


def test_where_nothing_was_measured_the_reason_stands_there(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, number(2, "cards[0].power_draw", unit="W"), cell(4))
    predict(page, "100")
    click(page, "Run")
    rig.end()
    assert "this card does not report it" in said(page)
    assert bars(page) == ["Your prediction: 100 W"]


def test_a_choice_is_made_by_its_words_or_keys_and_the_right_one_is_marked(
    qtbot: QtBot,
) -> None:
    page, player, rig = page_of(qtbot, choice(2), cell(4))
    first, second = page.findChildren(QRadioButton)
    second.click()
    QTest.keyClick(second, Qt.Key.Key_Return)
    assert player.step.predictions[2].said == "It fails"
    words = next(each for each in page.findChildren(QLabel) if each.text() == "On card 0")
    QTest.mouseClick(words, Qt.MouseButton.LeftButton)
    click(page, "Predict again")
    assert player.step.predictions[2].said == "On card 0"
    click(page, "Run")
    rig.end()
    assert second.accessibleName() == "It fails (the answer)"
    assert "Another one is right: it is marked." in said(page)
    assert not bars(page)
    assert not any(each.isEnabled() for each in (first, second))


Present = Callable[..., tuple[Presentation, Player, FakeRig]]
Key = Qt.Key

STEPS = (
    step(Text(3, "First of all.\n\nAnd all the rest."), title="One"),
    step(number(5, "919", unit="MiB"), cell(6), title="Two"),
    step(Text(8, "The end."), title="Three"),
)


@pytest.fixture
def present(qtbot: QtBot) -> Iterator[Present]:
    windows: list[QWidget] = []

    def opened(
        *steps: Step, size: tuple[int, int] = (1366, 768)
    ) -> tuple[Presentation, Player, FakeRig]:
        player, rig = played(*(steps or STEPS))
        window = QWidget()
        qtbot.addWidget(window)
        windows.append(window)  # nobody else holds it
        presentation = Presentation(player, Host(player), window)
        player.changed = presentation.show_step
        presentation.resize(*size)
        with qtbot.waitActive(presentation):
            presentation.show()
            presentation.activateWindow()
            presentation.setFocus()
        qtbot.waitUntil(lambda: bool(presentation.findChildren(StepPage)))
        return presentation, player, rig

    yield opened
    for each in windows:
        for presentation in each.findChildren(Presentation):
            presentation.close()


def test_the_keys_of_a_presenter_turn_the_steps_and_leave(
    present: Present, qtbot: QtBot
) -> None:
    presentation, player, _ = present()
    for key, at in (
        (Key.Key_Right, 1),
        (Key.Key_PageDown, 2),
        (Key.Key_Right, 2),
        (Key.Key_PageUp, 1),
        (Key.Key_Left, 0),
        (Key.Key_Left, 0),
        (Key.Key_Space, 1),
    ):
        QTest.keyClick(presentation, key)
        assert player.at == at
    assert "2 of 3" in said(presentation)
    with qtbot.waitSignal(presentation.left):
        QTest.keyClick(presentation, Key.Key_Escape)


def test_what_is_longer_than_the_screen_is_read_to_its_end_first(
    present: Present, qtbot: QtBot
) -> None:
    long = Step(1, "Long", [Code(3 + at, "x = 1\n" * 12) for at in range(4)])
    presentation, player, _ = present(long, step(Text(90, "Next."), title="Next"))
    bar = presentation.area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 300)
    QTest.keyClick(presentation, Key.Key_PageDown)
    assert (bar.value() > 0, player.at) == (True, 0)
    for _ in range(20):
        QTest.keyClick(presentation, Key.Key_PageDown)
    assert player.at == 1


def test_enter_asks_for_the_prediction_first_then_runs_the_cell(
    present: Present, qtbot: QtBot
) -> None:
    presentation, player, rig = present()
    player.go(1)
    QTest.keyClick(presentation, Key.Key_Return)
    assert not rig.ledger.cells
    assert "Predict first" in said(presentation)
    field = shown(QLineEdit, presentation)
    assert QApplication.focusWidget() is field
    QTest.keyClicks(field, "24")
    QTest.keyClick(field, Key.Key_Return)
    assert player.step.predictions[5].value == 24
    assert not rig.ledger.cells
    qtbot.waitUntil(presentation.hasFocus)
    QTest.keyClick(presentation, Key.Key_Return)
    rig.end()
    bars = [each for each in presentation.findChildren(RevealBar) if each.isVisible()]
    names = [each.accessibleName() for each in bars]
    assert names == ["Your prediction: 24 MiB", "Measured: 919 MiB"]
    assert bars[1].height() > 2 * look().letters.hero.height


def test_enter_reads_on_where_nothing_is_left_to_do(present: Present) -> None:
    presentation, player, _ = present()
    QTest.keyClick(presentation, Key.Key_Return)
    assert player.at == 1


def test_enter_shows_no_answer_of_a_choice_that_nobody_made(present: Present) -> None:
    presentation, player, rig = present(step(choice(5), cell(6)))
    for _ in range(3):
        QTest.keyClick(QApplication.focusWidget() or presentation, Key.Key_Return)
    assert "Choose one of them, then press Predict." in said(presentation)
    assert "(the answer)" not in said(presentation)
    assert not player.step.revealed
    assert not rig.ledger.cells
    QTest.keyClick(QApplication.focusWidget() or presentation, Key.Key_Space)
    QTest.keyClick(QApplication.focusWidget() or presentation, Key.Key_Return)
    assert player.step.predictions[5].said == "On card 0"
    assert presentation.findChildren(QRadioButton)[0].isChecked()
