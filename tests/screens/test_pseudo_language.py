"""In a language made for it, every word on every screen turns out to be translated.

`⟦Óvéŕvíéw~~⟧`: whatever goes through the catalogue has no plain vowel left. A word that has one
was forgotten, even where it stands inside a sentence that was translated.
"""

import calendar
import csv
import html
import re
import sys
from collections.abc import Iterator, Sequence

import pytest
import shiboken6
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPoint, QRectF, QSysInfo, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleInterface,
    QAction,
    QContextMenuEvent,
    QPaintDevice,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QScrollBar,
    QTextEdit,
    QTreeView,
    QWidget,
)

from gpuexplorer.core.resources import resource
from gpuexplorer.core.words import OPEN, PSEUDO, mark, tr, use_language
from gpuexplorer.gui.copies.view import PAGES
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.lab.forms.compute import OF_TENSORS
from gpuexplorer.gui.lab.forms.train import TASKS
from gpuexplorer.gui.lab.switches import MEMORY_CAP, TURNED, VISIBLE
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.widgets.bars.top_bar import host_name
from gpuexplorer.remote.ssh import HostName
from gpuexplorer.telemetry.backends.host import HostReader
from tests.lab.processes import needs_torch
from tests.remote.conftest import run_here
from tests.screens.at_the_bench import PATIENCE, X_ON_0, Y_ON_1, enters
from tests.screens.conftest import OpenProgram, no_cards
from tests.screens.person import Person
from tests.screens.things import header_of

pytestmark = pytest.mark.long

# A text, and what says it.
Said = tuple[str, str]
_TEXTS = (QAccessible.Text.Name, QAccessible.Text.Description, QAccessible.Text.Help)

_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
    Qt.ItemDataRole.StatusTipRole,
)

# In the menu of any field, and translated by Qt.
_OF_QT = {f"edit-{each}" for each in ("undo", "redo", "cut", "copy", "paste", "delete")}
_OF_QT.add("select-all")


class Drawn:
    """What was drawn since it was last asked, and the hints that lie on it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._said: set[Said] = set()
        self._cut: set[str] = set()
        draw_text, add_hint, cut_short = Drawing.text, Drawing.hint, Lettering.elided

        def text(drawing: Drawing, x: float, baseline: float, run: Run) -> float:
            if run.text not in self._cut:
                self._said.add((run.text, f"drawn by {_drawn_by(drawing.painter.device())}"))
            return draw_text(drawing, x, baseline, run)

        def hint(drawing: Drawing, place: QRectF, words: str) -> None:
            self._said.add((words, f"a hint of {_drawn_by(drawing.painter.device())}"))
            add_hint(drawing, place, words)

        def elided(letters: Lettering, text: str, width: float, *, end: bool = False) -> str:
            shown = cut_short(letters, text, width, end=end)
            if shown != text:
                self._said.add((text, "cut short where it is drawn"))
                self._cut.add(shown)
            return shown

        monkeypatch.setattr(Drawing, "text", text)
        monkeypatch.setattr(Lettering, "elided", elided)
        monkeypatch.setattr(Drawing, "hint", hint)

    def taken(self) -> set[Said]:
        """And forgotten here."""
        said, self._said = self._said, set()
        return said


def everything_said() -> set[Said]:
    """By all windows that can be seen, popups and menus among them."""
    said: set[Said] = set()
    for window in QApplication.topLevelWidgets():
        if window.isVisible() and window.windowType() is not Qt.WindowType.ToolTip:
            said.update(_said_by(window))
    return {(text, part) for text, part in said if text}


def _said_by(widget: QWidget) -> Iterator[Said]:
    part = f"{type(widget).__name__} {widget.accessibleName()!r}"
    for words in _own_words(widget):
        yield words, part
    for action in widget.actions():
        if action.isVisible():
            yield from _said_by_action(action, part)
    if isinstance(widget, QAbstractItemView):
        yield from _said_by_cells(widget, part)
    elif not isinstance(widget, QHeaderView | QMenu):
        spoken = _spoken(widget)
        if spoken is not None:
            yield from _said_by_parts(spoken, part)
    for child in widget.children():
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow():
            yield from _said_by(child)


def _own_words(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.statusTip(), widget.whatsThis())
    yield from (widget.accessibleName(), widget.accessibleDescription())
    match widget:
        case QLabel() | QAbstractButton():
            yield widget.text()
        case QLineEdit():
            yield from (widget.text(), widget.placeholderText())
        case QTextEdit():
            yield widget.placeholderText()
        case QPlainTextEdit():
            yield from (widget.toPlainText(), widget.placeholderText())
        case QComboBox():
            yield from (widget.itemText(each) for each in range(widget.count()))
        case QAbstractSpinBox():
            yield widget.text()
    if widget.isWindow():
        yield widget.windowTitle()


def _said_by_action(action: QAction, part: str) -> Iterator[Said]:
    if action.objectName() in _OF_QT:
        return
    for words in (action.text(), action.toolTip(), action.statusTip()):
        yield words, f"an action of {part}"
    menu = action.menu()
    if isinstance(menu, QWidget):
        for each in menu.actions():
            yield from _said_by_action(each, part)


def _said_by_cells(view: QAbstractItemView, part: str) -> Iterator[Said]:
    """Hidden columns too: they can be shown."""
    model: QAbstractItemModel | None = view.model()
    if model is None:
        return
    several = header_of(view) is not None
    columns = range(model.columnCount(view.rootIndex()) if several else 1)
    for role in _ROLES:
        for column in columns if several else ():
            words = model.headerData(column, Qt.Orientation.Horizontal, role)
            yield _words(words), f"a heading of {part}"
    for index in _rows(view, view.rootIndex()):
        for column in columns:
            for role in _ROLES:
                words = index.siblingAtColumn(column).data(role)
                yield _words(words), f"column {column} of {part}"


def _rows(view: QAbstractItemView, parent: QModelIndex) -> Iterator[QModelIndex]:
    model = view.model()
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        yield index
        if isinstance(view, QTreeView):
            yield from _rows(view, index)


def _said_by_parts(spoken: QAccessibleInterface, part: str) -> Iterator[Said]:
    """What a drawing says of its parts to screen readers."""
    for kind in _TEXTS:
        yield spoken.text(kind), part
    if spoken.role() not in _TYPED:
        yield spoken.text(QAccessible.Text.Value), part
    for position in range(spoken.childCount()):
        child: QAccessibleInterface | None = spoken.child(position)
        if child is not None and not isinstance(child.object(), QWidget):
            yield from _said_by_parts(child, f"a part of {part}")


_TYPED = {QAccessible.Role.EditableText, QAccessible.Role.ComboBox}


def _spoken(widget: QWidget) -> QAccessibleInterface | None:
    return QAccessible.queryAccessibleInterface(widget) if shiboken6.isValid(widget) else None


def _words(data: object) -> str:
    return data if isinstance(data, str) else ""


def _drawn_by(device: QPaintDevice) -> str:
    name = type(device).__name__
    return f"{name} {device.accessibleName()!r}" if isinstance(device, QWidget) else name


_A_WORD = re.compile(r"[^\W\d_]{3,}")
_PLAIN = re.compile("[aceinorsuy]", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]+>")

# Translated, and then once more.
_TWICE = re.compile("⟦⟦[^⟦⟧]*⟧~*⟧")

_KEY = (
    r"(?:Ctrl|Alt|Shift|Tab|Esc|Enter|Return|Space|Del|Home|End|PgUp|PgDown"
    r"|Arrows?|Left|Right|Up|Down|F\d+)"
)


def is_wrong(text: str) -> bool:
    """Whether it has a word that was not translated, or one that was translated twice."""
    rest = _DATA.sub(" ", html.unescape(_TAG.sub(" ", text)))
    left = any(_PLAIN.search(word) for word in _A_WORD.findall(rest))
    return left or _TWICE.search(rest) is not None


def _names() -> Iterator[str]:
    """Of this computer, of cards and their makers, and of where their figures are from."""
    yield from (host_name(), HostReader().card.name, QSysInfo.prettyProductName())
    yield sys.prefix  # a folder that may have a space in its name
    for file, columns in (
        ("cards.csv", ("name", "driver_name", "vendor", "architecture")),
        ("card-sources.csv", ("title",)),
    ):
        with resource(file).open(encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines):
                yield from (line[column] for column in columns)


def _code() -> Iterator[str]:
    for switch in (MEMORY_CAP, VISIBLE, *TURNED.values()):
        yield from (switch.torch, switch.tensorflow)


def _any_of(texts: Iterator[str]) -> str:
    return "|".join(re.escape(each) for each in sorted({*texts} - {""}, key=len, reverse=True))


_DATA = re.compile(
    "|".join(
        (
            rf"(?<![^\W\d_])({_any_of(_names())})(?![^\W\d_])",
            _any_of(_code()),
            r"H100 80GB HBM3|TITAN RTX|TITAN [RTX ]*…|CDNA \d",
            r"GPU Explorer|NVIDIA|NVLink|NVSwitch|PCIe|PyTorch|TensorFlow|Qt|CUDA|GeForce",
            # In reports: system, window system, and the name by which a screen is remembered
            r"\b(Python|Linux|Windows|macOS) \d|\b(offscreen|overview)\b",
            r"\b(SIM|GPU)-\d[\w-]*",  # made-up UUIDs
            r"\b(SYS|NODE|PIX|PXB|PHB)\b",  # what nvidia-smi calls paths
            # Units
            r"(?<![^\W\d_])([KMGT]iB|[kMGT]?Hz|[kMGT]B/s|TFLOP/s|rpm|min|ms)(?![^\W\d_])",
            # A day, as the system writes it
            rf"\d ({_any_of(iter(calendar.month_abbr))})\b",
            # Keys, which come last: alone, in brackets, or after what they do
            rf"(?:\b{_KEY}(?:\+[^\w\s]|[+ ]\w\b)?[+ ]?)+(?=$|\)|~)",
            # Programs, files and settings, as others named them
            r"\b(algbw|busbw|gloo|NCCL|TCP)\b",
            r"nvidia-smi(: [\w.-]+( -?[\w.]+)*)?|libnvidia-ml\.so\.1|nvbandwidth",
            r"python3?\b[^⟦⟧,;\n(]*|\w+\.py\b|ipykernel_launcher|Xorg|/[\w./-]+( :0)?",
            r"\b(ada|alan|api|grace|root)\b",  # users that do not exist
            # Code, and what PyTorch calls things
            r"\b(from [\w.]+ )?import \w+( as \w+)?",
            r"\b[\w.]+\([^⟦⟧]*\)|\w+ ?= ?(?=\w)|\b\w+(\.\w+)+\b|torch \d[\w.+]*",
            r"\bcuda(:\d)?|\bcpu\b|\bmeta\b|requires_grad",
            r"\b(arange|eye|full|linspace|ones|rand|randint|randn|tensor|zeros)(?=$|, )",
            rf"^({_any_of(each.face for each in OF_TENSORS.values())})(?=$|: )",
            rf"^({_any_of(iter(TASKS))})(?=$|: )",
            r"\b(Adam|AdamW|RMSprop|SGD|\w+_entropy|\w+_loss)\b",
            r"\b(u?int|b?float|complex)\d+\b|\bbool\b",
            r"^net$|RuntimeError: [^⟦⟧]*",
        )
    )
)
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
def test_every_word_menu_key_and_command_of_a_screen_is_translated(
    open_program: OpenProgram, drawn: Drawn, machine: str, screen: str
) -> None:
    person = open_program(machine, fault=FAULTS)
    drawn.taken()
    opens(person, screen)
    all_is_translated(drawn, screen)
    opened = 0
    for widget in person.window.findChildren(QWidget):
        own = not isinstance(widget, QScrollBar)  # whose menu is Qt's
        if own and widget.isVisible() and asked_for_menu(widget):
            opened += 1
            all_is_translated(drawn, screen)
            person.press("Escape")
    assert opened or screen not in ("Overview", "Card", "Processes", "Events")
    for keys in ("Ctrl+K", "F1"):
        person.waits(lambda: not person.dialogs())
        person.press(keys)
        person.waits(lambda: len(person.dialogs()) == 1)
        all_is_translated(drawn, screen)
        person.press("Escape")


@pytest.mark.parametrize(
    "screen", [mark("Overview"), mark("Card"), mark("Lab"), mark("Copies")]
)
def test_every_word_where_no_card_answers_is_translated(
    open_program: OpenProgram, drawn: Drawn, screen: str
) -> None:
    person = open_program(real=no_cards)
    opens(person, screen)
    all_is_translated(drawn, screen)


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


@pytest.mark.parametrize("form", [mark("Model"), mark("Compute"), mark("Train")])
def test_every_word_of_a_form_of_the_lab_is_translated(
    open_program: OpenProgram, drawn: Drawn, form: str
) -> None:
    person = open_program(past=None, size=(1440, 900))
    person.go_to(tr("Lab"))
    person.choose(tr("What to do"), tr(form))
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
