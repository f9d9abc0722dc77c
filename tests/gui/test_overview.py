"""What a person sees of the cards on the overview."""

from collections.abc import Callable, Mapping, Sequence

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState
from gpuexplorer.gui.cards.reasons import StateMark
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.overview.card_tile import CardTile
from gpuexplorer.gui.rail.rail import DeviceListView
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.painted import Painted
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import GIB, Answer, FakeBackend, card, instance, session_of, working
from tests.gui.hands import press, rows_of, the

TileSaying = Callable[[MainWindow, str], CardTile]
HIDDEN = "hidden from CUDA by CUDA_VISIBLE_DEVICES"
ONE = "one instance or card at a time"
BARRED = card(0, cuda_index=None, cuda_reason=HIDDEN)
FANLESS = Answer(
    {m: v for m, v in working(0.0).values.items() if m != ids.FAN_SPEED},
    missing={ids.FAN_SPEED: Absence.NO_PART},
)
NAMELESS = card(3, "NVIDIA card that does not answer", id=CardId("NAMELESS-3"), cuda_index=None)
H100 = card(1, "NVIDIA H100 80GB HBM3", cuda_index=None, cuda_reason=ONE)
A100 = card(1, "NVIDIA A100-SXM4-40GB")
PART = {ids.MEMORY_USED: 2.2 * GIB, ids.MEMORY_TOTAL: 9.75 * GIB}


def silent(absence: Absence, state: CardState = CardState.WORKING) -> dict[Card, Answer]:
    return {card(0): Answer(otherwise=absence, state=state)}


def slowed(reason: str, **more: float) -> dict[Card, Answer]:
    return {card(0): working(**{ids.throttle(reason): 1.0}, **more)}


UNKNOWN = Answer(otherwise=Absence.NO_ANSWER, state=CardState.NO_ANSWER)
MIG = {A100: Answer(otherwise=Absence.MIG_ON)}
NARROW, FIRST_GENERATION = {ids.PCIE_WIDTH: 8.0}, {ids.PCIE_GENERATION: 1.0}
FULL = ("Memory 19.5 of 24 GiB", "Power 253 of 280 W", "Temperature 70 of 78 °C")


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        ({card(0): working(used=19.5 * GIB)}, ("GPU busy 97 %", "PCIe 3 ×16", *FULL)),
        ({card(0): working(busy=0.0)}, ("Idle. GPU busy 0 %. ",)),
        ({card(0): FANLESS}, ("Fan: no such part",)),
        (silent(Absence.LOST, CardState.LOST), ("Lost. It no longer answers the driver.",)),
        (silent(Absence.UNLISTED, CardState.UNLISTED), ("Not listed. The driver no longer",)),
        (
            silent(Absence.NO_PERMISSION, CardState.REFUSED),
            ("No access. The driver gives no access; it is asked again. A card without",),
        ),
        (
            silent(Absence.NOT_SUPPORTED, CardState.REFUSED),
            ("No access. The driver gives no access", "too new or too old for this driver"),
        ),
        (
            silent(Absence.REFUSED, CardState.REFUSED),
            ("No access. The driver gives no access", "may stand in its log"),
        ),
        (silent(Absence.ASLEEP, CardState.ASLEEP), ("Asleep. Asleep, and not woken",)),
        (silent(Absence.NO_DRIVER, CardState.NO_DRIVER), ("No driver. The driver is gone",)),
        (silent(Absence.IMPOSSIBLE), ("Gives no usable figure. GPU busy: impossible figure",)),
        ({NAMELESS: UNKNOWN}, ("The driver has not answered for it yet.",)),
        (
            {H100: working(), instance(H100, 0, f"{H100.name} MIG 1g.10gb", ONE): Answer()},
            ("Instance 1.0, MIG 1g.10gb, no CUDA number: ",),
        ),
        (
            {**MIG, instance(A100, 2): Answer(PART, otherwise=Absence.IN_INSTANCE)},
            ("cuda:2: Memory 2.20 of 9.75 GiB", "GPU busy: MIG is on"),
        ),
        (slowed("hw_thermal_slowdown"), ("Much too hot. GPU busy",)),
        ({card(0): working(0.9, **NARROW)}, ("PCIe ×8 of ×16. GPU busy 90 %",)),
        ({card(0): working(0.0, **NARROW)}, ("Idle. GPU busy 0 %",)),
        ({card(0): working(0.0, **FIRST_GENERATION)}, ("PCIe 1 of 3 ×16",)),
    ],
)
def test_a_tile_says_what_its_card_does_or_why_that_is_not_known(
    open_window: OpenWindow,
    tile_saying: TileSaying,
    cards: Mapping[Card, Answer],
    said: Sequence[str],
) -> None:
    tile = tile_saying(open_window(session_of(dict(cards))), said[0])
    assert all(each in tile.accessibleDescription() for each in said)


@pytest.mark.parametrize(
    ("made", "name", "hint"),
    [
        (card(0), "Card 0, NVIDIA TITAN RTX, cuda:0", "Power: this user may not read it.\n"),
        (BARRED, "Card 0, NVIDIA TITAN RTX, no CUDA number", f"No CUDA number: {HIDDEN}."),
        (NAMELESS, "Card 3, no CUDA number", ""),
    ],
)
def test_a_tile_names_its_card_and_what_is_missing_explains_itself_on_asking(
    open_window: OpenWindow,
    tile_saying: TileSaying,
    qtbot: QtBot,
    made: Card,
    name: str,
    hint: str,
) -> None:
    window = open_window(session_of({made: Answer(otherwise=Absence.NO_PERMISSION)}))
    tile = tile_saying(window, name.partition(",")[0])
    assert tile.accessibleName() == name

    def explained() -> bool:
        parts = tile.findChildren(Painted)
        said = [text for each in parts for text in (each.toolTip(), *each.hints())]
        return any(hint in each for each in said)

    qtbot.waitUntil(explained)


def test_a_card_that_hangs_counts_the_seconds_and_the_other_is_read_on(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    window = open_window(session_of({card(0): Answer(hangs=True), card(1): working()}))
    tile_saying(window, "No answer for 1 s. The driver was asked and is waited for.")
    tile_saying(window, "GPU busy 97 %")


def test_nobody_is_read_on_when_the_driver_is_gone(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    gone = Answer(otherwise=Absence.NO_DRIVER, state=CardState.NO_DRIVER)
    window = open_window(session_of({card(0): Answer(hangs=True), card(1): gone}))
    tile_saying(window, "The driver is gone")
    tile = tile_saying(window, "The driver was asked and is waited for.")
    assert "read on" not in tile.accessibleDescription()


def test_a_short_silence_leaves_the_last_figures_and_a_long_one_does_not(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    answer = working()
    window = open_window(session_of({card(0): answer}))
    assert not tile_saying(window, "GPU busy 97 %").face.dimmed
    answer.hangs = True
    assert tile_saying(window, "Slow to answer. GPU busy 97 %").face.dimmed
    tile_saying(window, "No answer for 3 s.")
    answer.hangs = False
    assert not tile_saying(window, "GPU busy 97 %").face.dimmed


def test_a_lost_card_takes_as_much_room_as_its_neighbour_and_comes_back(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    answer = Answer(otherwise=Absence.LOST, state=CardState.LOST)
    window = open_window(session_of({card(0): working(), card(1): answer}))

    tile_saying(window, "Lost")

    def both() -> Sequence[CardTile]:
        seen = [tile for tile in window.findChildren(CardTile) if tile.isVisible()]
        return sorted(seen, key=lambda tile: tile.face.number)

    works, blank = both()
    assert blank.height() == works.height()
    window.resize(560, 420)
    qtbot.waitUntil(lambda: both()[1].y() > both()[0].y())
    works, blank = both()
    assert blank.height() == works.height()
    answer.state, answer.values = CardState.WORKING, working(busy=0.5).values
    tile_saying(window, "GPU busy 50 %")


def test_a_card_at_its_power_limit_is_told_without_a_warning(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    full = slowed("sw_power_cap", **{ids.POWER_DRAW: 280.0})
    face = tile_saying(open_window(session_of(full)), "At its power limit. GPU busy").face
    assert face.mark == StateMark("At its power limit", Tone.QUIET, brief="Power limit")
    assert Tone.WARN not in {figure.tone for figure in face.figures}


@pytest.mark.parametrize(("count", "coloured"), [(8, True), (9, False)])
def test_card_colours_end_where_they_could_not_be_told_apart(
    open_window: OpenWindow, tile_saying: TileSaying, count: int, coloured: bool
) -> None:
    window = open_window(session_of({card(i): working() for i in range(count)}))
    tile_saying(window, f"Card {count - 1}")
    tiles = window.findChildren(CardTile)
    assert [tile.face.colour is not None for tile in tiles] == [coloured] * count


def test_a_card_that_appears_and_one_that_goes_are_followed(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    first, second = card(0), card(1, "NVIDIA T4")
    session = session_of({first: working(), second: working(0.5)})
    backend = session.backend
    assert isinstance(backend, FakeBackend)
    backend.listed = [first]
    window = open_window(session)
    tile_saying(window, "Card 0")
    backend.listed = [first, second]
    tile_saying(window, "NVIDIA T4")
    backend.listed = [first]
    qtbot.waitUntil(lambda: len(window.findChildren(CardTile)) == 1)
    tile_saying(window, "Card 0")


def test_arrow_keys_go_from_tile_to_tile_and_tab_stops_once(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    window = open_window(session_of({card(i): working() for i in range(4)}))
    first, third = tile_saying(window, "Card 0"), tile_saying(window, "Card 2")
    first.setFocus()
    press(first, Qt.Key.Key_Down)
    assert QApplication.focusWidget() is third
    stops = [
        t for t in window.findChildren(CardTile) if t.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    assert stops == [third]


def test_what_took_place_is_told_with_the_newest_on_top(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    answer = working()
    window = open_window(session_of({card(0): answer}))
    tile_saying(window, "GPU busy 97 %")
    answer.values = {**answer.values, ids.throttle("sw_power_cap"): 1.0}

    def newest() -> str:
        return next(iter(rows_of(window, "Events")), "")

    qtbot.waitUntil(lambda: newest().endswith("Card 0: At its power limit (ongoing)"))
    answer.state, answer.values, answer.otherwise = CardState.LOST, {}, Absence.LOST
    qtbot.waitUntil(lambda: newest().endswith("Card 0: The card is lost (ongoing)"))


def test_notes_about_the_cards_are_shown_and_that_there_is_no_swap_stands_elsewhere(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = psutil.swap_memory()._replace(total=0, used=0, free=0)
    monkeypatch.setattr(psutil, "swap_memory", lambda: none)
    session = session_of({card(0): working()}, notes=["The cards differ."])
    assert session.stream.host_now().missing[ids.SWAP_USED] is Absence.NO_SWAP
    window = open_window(session)

    def notes() -> list[str]:
        return [label.text() for label in window.findChildren(QLabel)]

    qtbot.waitUntil(lambda: "The cards differ." in notes())
    assert not [note for note in notes() if "swap" in note]


def test_the_computer_itself_stands_below_its_cards(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    model = the(DeviceListView, open_window(session_of({card(0): working()}))).model()
    role = Qt.ItemDataRole.AccessibleDescriptionRole
    qtbot.waitUntil(lambda: "Memory" in str(model.index(1, 0).data(role)))
    assert str(model.index(1, 0).data()).startswith("The computer, ")
