"""In a language made for it, every word on every screen turns out to be translated.

`⟦Óvéŕvíéw~~⟧`: whatever goes through the catalogue has no plain vowel left. A word that has one
was forgotten, even where it stands inside a sentence that was translated.
"""

from collections.abc import Callable, Iterator, Sequence

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QScrollBar, QWidget

from gpuexplorer.core.words import OPEN, PSEUDO, mark, tr, use_language
from gpuexplorer.gui.copies.view import PAGES
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.remote.ssh import HostName
from tests.lab.processes import needs_torch
from tests.remote.conftest import run_here
from tests.screens.at_the_bench import PATIENCE, X_ON_0, Y_ON_1, enters
from tests.screens.conftest import OpenProgram, no_cards
from tests.screens.every_word import Drawn, everything_said
from tests.screens.not_words import is_wrong
from tests.screens.person import Person

pytestmark = pytest.mark.long

MACHINES = ("2xTitanRTX", "8xH100+nvlink")
SCREENS = [entry.title for entry in VIEWS]
FAULTS = "lost:1@20s,slow:0@10s-12s"


@pytest.fixture(autouse=True)
def pseudo() -> Iterator[None]:
    use_language(PSEUDO)
    yield
    use_language("en")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    return Drawn(monkeypatch)


def all_is_translated(drawn: Drawn, screen: str) -> None:
    said = everything_said() | drawn.taken()
    assert any(OPEN in text for text, _ in said)
    missed = [f"{text!r}, {part}" for text, part in sorted(said) if is_wrong(text)]
    assert not missed, f"{screen}:\n" + "\n".join(missed)


def opens(person: Person, screen: str) -> None:
    """By its key: the list leaves out the screen of all machines where there is one."""
    person.press(str(SCREENS.index(screen) + 1))


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("machine", MACHINES)
def test_every_word_of_a_screen_is_translated(
    open_program: OpenProgram, drawn: Drawn, machine: str, screen: str
) -> None:
    person = open_program(machine, fault=FAULTS)
    drawn.taken()
    opens(person, screen)
    all_is_translated(drawn, screen)


@pytest.mark.parametrize(
    "screen", [mark("Overview"), mark("Card"), mark("Lab"), mark("Copies")]
)
def test_every_word_where_no_card_answers_is_translated(
    open_program: OpenProgram, drawn: Drawn, screen: str
) -> None:
    person = open_program(real=no_cards)
    opens(person, screen)
    all_is_translated(drawn, screen)


@pytest.mark.parametrize("screen", SCREENS)
def test_every_key_on_the_list_of_keys_is_explained_in_translated_words(
    open_program: OpenProgram, drawn: Drawn, screen: str
) -> None:
    person = open_program()
    opens(person, screen)
    person.press("F1")
    person.waits(lambda: len(person.dialogs()) == 1)
    all_is_translated(drawn, screen)


@pytest.mark.parametrize("screen", SCREENS)
def test_every_command_of_a_screen_is_translated(
    open_program: OpenProgram, drawn: Drawn, screen: str
) -> None:
    person = open_program()
    opens(person, screen)
    person.press("Ctrl+K")
    person.waits(lambda: len(person.dialogs()) == 1)
    all_is_translated(drawn, screen)


@pytest.mark.parametrize("screen", SCREENS)
def test_every_menu_of_a_screen_is_translated(
    open_program: OpenProgram, drawn: Drawn, screen: str
) -> None:
    person = open_program()
    opens(person, screen)
    opened = 0
    for widget in person.window.findChildren(QWidget):
        own = not isinstance(widget, QScrollBar)  # whose menu is Qt's
        if own and widget.isVisible() and asked_for_menu(widget):
            opened += 1
            all_is_translated(drawn, screen)
            person.press("Escape")
    assert opened or screen not in ("Overview", "Card", "Processes", "Events")


def asked_for_menu(widget: QWidget) -> bool:
    """With the right mouse button, on its first row or in its middle; whether one opened."""
    place = widget.rect().center()
    around = widget.parentWidget()
    if isinstance(around, QAbstractItemView) and around.viewport() is widget:
        index = around.indexAt(QPoint(5, 5))
        if not index.isValid():
            return False
        place = around.visualRect(index).center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)
    return QApplication.activePopupWidget() is not None


def test_every_word_of_the_settings_is_translated(
    open_program: OpenProgram, drawn: Drawn
) -> None:
    person = open_program()
    person.press("Ctrl+,")
    person.sees(tr("Interval"))
    all_is_translated(drawn, "Settings")
    person.click(tr("Alerts"), within=tr("Sections"))
    all_is_translated(drawn, "Settings")
    person.click(tr("Add an alert"))
    all_is_translated(drawn, "Settings")


@pytest.mark.parametrize("entry", [mark("About GPU Explorer"), mark("Diagnostics")])
def test_every_word_behind_the_menu_is_translated(
    open_program: OpenProgram, drawn: Drawn, entry: str
) -> None:
    person = open_program()
    person.press("F10")
    all_is_translated(drawn, "Menu")
    person.click(tr(entry))
    person.waits(lambda: bool(person.dialogs()))
    all_is_translated(drawn, entry)


# The page between machines is there with more than one of them; see below.
@pytest.mark.parametrize("page", [PAGES[each][0] for each in PAGES if each != "machines"])
@pytest.mark.parametrize("machine", MACHINES)
def test_every_word_of_a_page_of_copies_is_translated(
    open_program: OpenProgram, drawn: Drawn, machine: str, page: str
) -> None:
    person = open_program(machine, past=None, size=(1440, 900))
    person.patience = PATIENCE
    person.go_to(tr("Copies"))
    person.choose(tr("Pages"), tr(page))
    all_is_translated(drawn, page)
    begins = {"Matrix": tr("Measure all")}
    button = begins.get(page, tr("Measure"))
    if page != "Copies":
        person.waits(lambda: not person.cannot_press(button))
        person.click(button)
        person.does_not_see(tr("End it at once; what was measured stays"))
        all_is_translated(drawn, page)


@needs_torch
def test_every_word_of_the_page_between_machines_is_translated(
    open_program: OpenProgram, drawn: Drawn
) -> None:
    def launch(host: HostName, command: str) -> Sequence[str]:
        refused = "echo 'Host key verification failed.' >&2; exit 255"
        return ["sh", "-c", refused] if host.text == "alan" else run_here(host, command)

    person = open_program(hosts=("grace", "alan"), launch=launch, past=None, size=(1440, 900))
    person.patience = PATIENCE
    person.sees("grace")
    person.go_to(tr("Copies"))
    person.choose(tr("Pages"), tr("Between machines"))
    person.waits(lambda: not person.cannot_press(tr("Measure all")))
    all_is_translated(drawn, "Between machines")
    person.click(tr("Measure all"))
    person.sees("algbw")
    all_is_translated(drawn, "Between machines")


def compute(person: Person) -> None:
    person.choose(tr("What to do"), tr("Compute"))


def train(person: Person) -> None:
    person.choose(tr("What to do"), tr("Train"))


def model(person: Person) -> None:
    person.choose(tr("What to do"), tr("Model"))


@pytest.mark.parametrize("form", [model, compute, train])
def test_every_word_of_a_form_of_the_lab_is_translated(
    open_program: OpenProgram, drawn: Drawn, form: Callable[[Person], None]
) -> None:
    person = open_program(past=None, size=(1440, 900))
    person.go_to(tr("Lab"))
    form(person)
    all_is_translated(drawn, "Lab")


def test_every_word_about_lines_things_and_failures_is_translated(
    open_program: OpenProgram, drawn: Drawn
) -> None:
    person = open_program(past=None, size=(1440, 900))
    person.patience = PATIENCE
    person.go_to(tr("Lab"))
    for line in (X_ON_0, Y_ON_1):
        enters(person, line)
    person.sees("X, ", "Y, ")
    all_is_translated(drawn, "Lab")
    enters(person, "Z = X + Y")
    person.sees(tr("Possible fixes (the times are modelled)"))
    all_is_translated(drawn, "Lab")
    person.press("Escape")
