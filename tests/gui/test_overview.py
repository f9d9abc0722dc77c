"""What a person sees of the cards on the overview."""

from collections.abc import Callable

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.gui.cards.reasons import StateMark
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.overview.tiles.card_tile import CardTile
from gpuexplorer.gui.rail.rail import DeviceListView
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.live_view import Remark
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import GIB, Answer, FakeBackend, card, instance, session_of, working
from tests.gui.hands import press, rows_of, the

TileSaying = Callable[[MainWindow, str], CardTile]


def test_a_working_card_says_who_it_is_and_how_busy_and_full(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    window = open_window(session_of({card(0): working(busy=0.97, used=19.5 * GIB)}))
    tile = tile_saying(window, "GPU busy 97 %")
    assert tile.accessibleName() == "Card 0, NVIDIA TITAN RTX, cuda:0"
    said = tile.accessibleDescription()
    assert "Memory 19.5 of 24 GiB" in said
    assert "Power 253 of 280 W" in said
    assert "Temperature 70 of 78 °C" in said
    assert "PCIe gen 3 ×16" in said


def test_a_zero_is_a_number_and_a_missing_figure_is_words(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    silent_fan = {ids.FAN_SPEED: Absence.NO_PART}
    without = working(busy=0.0)
    without.values = {m: v for m, v in without.values.items() if m not in silent_fan}
    without.missing = silent_fan
    window = open_window(session_of({card(0): working(busy=0.0), card(1): without}))
    assert "GPU busy 0 %. " in tile_saying(window, "Idle").accessibleDescription()
    said = tile_saying(window, "Fan: none on this card").accessibleDescription()
    assert "Fan 0" not in said


def test_a_missing_figure_explains_itself_in_full_on_asking(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    window = open_window(session_of({card(0): Answer(otherwise=Absence.NO_PERMISSION)}))
    tile = tile_saying(window, "Power: no permission")
    hint = "Power: this user may not read it.\nPower the whole board draws"
    qtbot.waitUntil(lambda: any(each.startswith(hint) for each in tile.hints()))


@pytest.mark.parametrize(
    ("state", "absence", "words"),
    [
        (CardState.LOST, Absence.LOST, "Lost. It no longer answers the driver."),
        (CardState.UNLISTED, Absence.UNLISTED, "Not listed. The driver no longer lists it."),
        (CardState.REFUSED, Absence.NO_PERMISSION, "No access. This user, container or job"),
        (CardState.REFUSED, Absence.NOT_SUPPORTED, "No access. The driver says that it does"),
        (CardState.REFUSED, Absence.REFUSED, "No access. The driver gives no access"),
        (CardState.ASLEEP, Absence.ASLEEP, "Asleep. Asleep, or left alone"),
        (CardState.NO_DRIVER, Absence.NO_DRIVER, "No driver. The driver is gone"),
    ],
)
def test_a_card_without_figures_says_why_in_their_place(
    open_window: OpenWindow,
    tile_saying: TileSaying,
    state: CardState,
    absence: Absence,
    words: str,
) -> None:
    window = open_window(session_of({card(0): Answer(otherwise=absence, state=state)}))
    assert "GPU busy" not in tile_saying(window, words).accessibleDescription()


def test_a_card_that_hangs_counts_the_seconds_and_the_other_is_read_on(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    window = open_window(session_of({card(0): Answer(hangs=True), card(1): working()}))
    tile_saying(window, "No answer for 1 s. The driver was asked and is waited for; other")
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


def test_a_slow_card_looks_the_same_while_it_is_waited_for_and_after(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    answer = working()
    window = open_window(session_of({card(0): answer}))
    tile_saying(window, "GPU busy 97 %")
    answer.hangs = True
    tile_saying(window, "Slow to answer. GPU busy 97 %")
    answer.values = working(busy=0.5).values
    answer.hangs = False
    tile_saying(window, "Slow to answer. GPU busy 50 %")


def test_a_card_whose_every_figure_is_impossible_says_so(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    window = open_window(session_of({card(0): Answer(otherwise=Absence.IMPOSSIBLE)}))
    tile_saying(window, "Gives no usable figure. GPU busy: impossible figure")


def test_a_lost_card_takes_as_much_room_as_its_neighbours(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    lost = Answer(otherwise=Absence.LOST, state=CardState.LOST)
    window = open_window(session_of({card(0): working(), card(1): lost}))
    works, blank = tile_saying(window, "GPU busy 97 %"), tile_saying(window, "Lost")
    assert blank.height() == works.height()
    window.resize(560, 420)
    qtbot.waitUntil(lambda: blank.y() > works.y())
    assert blank.height() == works.height()


def test_a_card_that_is_lost_and_comes_back_shows_figures_again(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    answer = Answer(otherwise=Absence.LOST, state=CardState.LOST)
    window = open_window(session_of({card(0): answer}))
    tile = tile_saying(window, "Lost")
    answer.state = CardState.WORKING
    answer.values = working(busy=0.5).values
    assert tile_saying(window, "GPU busy 50 %") is tile


def test_a_card_without_a_number_in_cuda_says_why_on_asking(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    hidden = "hidden from CUDA by CUDA_VISIBLE_DEVICES"
    window = open_window(session_of({card(0, cuda_index=None, cuda_reason=hidden): working()}))
    tile = tile_saying(window, f"No CUDA number: {hidden}.")
    assert tile.accessibleName() == "Card 0, NVIDIA TITAN RTX, no CUDA number"
    qtbot.waitUntil(lambda: f"No CUDA number: {hidden}." in tile.hints())


def test_an_instance_is_named_without_the_name_of_its_card(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    reason = "one instance or card at a time"
    parent = card(1, "NVIDIA H100 80GB HBM3", cuda_index=None, cuda_reason=reason)
    part = instance(parent, 0, "NVIDIA H100 80GB HBM3 MIG 1g.10gb", reason)
    unnamed = instance(parent, 1, "NVIDIA H100 80GB HBM3, MIG instance 1", reason)
    cards = {parent: working(), part: Answer(), unnamed: Answer()}
    said = tile_saying(open_window(session_of(cards)), "Instance").accessibleDescription()
    assert "Instance 1.0, MIG 1g.10gb, no CUDA number: " in said
    assert "Instance 1.1, MIG instance 1, no CUDA number: " in said
    assert said.count(reason) == 1


def test_a_card_that_tells_not_even_its_name_goes_by_its_number(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    nameless = card(
        3, "NVIDIA card that does not answer", id=CardId("NAMELESS-3"), cuda_index=None
    )
    silent = Answer(otherwise=Absence.NO_ANSWER, state=CardState.NO_ANSWER)
    window = open_window(session_of({nameless: silent}))
    tile = tile_saying(window, "The driver has not answered for this card yet.")
    assert tile.accessibleName() == "Card 3, no CUDA number"
    assert "does not answer" not in tile.accessibleDescription()


def test_mig_instances_stand_under_their_card(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    parent = card(1, "NVIDIA A100-SXM4-40GB")
    part = Answer(
        {ids.MEMORY_USED: 2.2 * GIB, ids.MEMORY_TOTAL: 9.75 * GIB},
        otherwise=Absence.IN_INSTANCE,
    )
    whole = Answer(otherwise=Absence.MIG_ON)
    window = open_window(session_of({parent: whole, instance(parent, 2): part}))
    said = tile_saying(window, "2.20 of 9.75 GiB").accessibleDescription()
    assert "Instance 1.2, MIG 1g.10gb, cuda:2: Memory 2.20 of 9.75 GiB" in said
    assert "GPU busy: known per instance only" in said
    assert len(window.findChildren(CardTile)) == 1


def test_throttling_stands_beside_the_name(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    hot = working(**{ids.throttle("hw_thermal_slowdown"): 1.0})
    window = open_window(session_of({card(0): hot}))
    tile_saying(window, "Much too hot. GPU busy")


def test_a_card_at_its_power_limit_is_told_without_a_warning(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    full = {ids.throttle("sw_power_cap"): 1.0, ids.POWER_DRAW: 280.0}
    window = open_window(session_of({card(0): working(**full)}))
    face = tile_saying(window, "At its power limit. GPU busy").face
    assert face.mark == StateMark("At its power limit", Tone.QUIET, brief="Power limit")
    assert Tone.WARN not in {figure.tone for figure in face.figures}


def test_a_narrow_link_is_told_under_load_and_not_at_rest(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    busy = working(0.9, **{ids.PCIE_WIDTH: 8.0})
    resting = working(0.0, **{ids.PCIE_WIDTH: 8.0})
    window = open_window(session_of({card(0): busy, card(1): resting}))
    tile_saying(window, "PCIe ×8 of ×16. GPU busy 90 %")
    tile_saying(window, "Idle. GPU busy 0 %")


def test_a_link_that_rests_says_what_it_could_be(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    resting = working(0.0, **{ids.PCIE_GENERATION: 1.0})
    tile_saying(open_window(session_of({card(0): resting})), "PCIe gen 1 of 3 ×16")


@pytest.mark.parametrize(("count", "coloured"), [(8, True), (9, False)])
def test_card_colours_end_where_they_could_not_be_told_apart(
    open_window: OpenWindow, tile_saying: TileSaying, count: int, coloured: bool
) -> None:
    window = open_window(session_of({card(i): working() for i in range(count)}))
    tile_saying(window, f"Card {count - 1}")
    tiles = window.findChildren(CardTile)
    assert len(tiles) == count
    assert all((tile.face.colour is not None) is coloured for tile in tiles)


def test_a_card_that_appears_and_one_that_goes_are_followed(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    first, second = card(0), card(1, "NVIDIA T4")
    session = session_of({first: working(), second: working(0.5)})
    backend = session.backend
    assert isinstance(backend, FakeBackend)
    backend.listed = [first]
    window = open_window(session)
    kept = tile_saying(window, "Card 0")
    backend.listed = [first, second]
    tile_saying(window, "NVIDIA T4")
    backend.listed = [first]
    qtbot.waitUntil(lambda: len(window.findChildren(CardTile)) == 1)
    assert tile_saying(window, "Card 0") is kept


def test_arrow_keys_go_from_tile_to_tile_and_tab_stops_once(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    window = open_window(session_of({card(i): working() for i in range(4)}))
    first = tile_saying(window, "Card 0")
    third = tile_saying(window, "Card 2")
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

    qtbot.waitUntil(lambda: newest().endswith(", card 0: At its power limit, ongoing"))
    answer.state, answer.values, answer.otherwise = CardState.LOST, {}, Absence.LOST
    qtbot.waitUntil(lambda: newest().endswith(", card 0: The card is lost, ongoing"))


def test_notes_about_the_cards_are_shown_and_that_there_is_no_swap_stands_elsewhere(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = psutil.swap_memory()._replace(total=0, used=0, free=0)
    monkeypatch.setattr(psutil, "swap_memory", lambda: none)
    session = session_of({card(0): working()}, notes=["The cards differ."])
    assert session.stream.host_now().missing[ids.SWAP_USED] is Absence.NO_SWAP
    window = open_window(session)

    def notes() -> list[str]:
        remarks = window.findChildren(Remark)
        return [label.text() for each in remarks for label in each.findChildren(QLabel)]

    qtbot.waitUntil(lambda: "The cards differ." in notes())
    assert not [note for note in notes() if "swap" in note]


def test_the_computer_itself_stands_below_its_cards(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    model = the(DeviceListView, open_window(session_of({card(0): working()}))).model()
    role = Qt.ItemDataRole.AccessibleDescriptionRole
    qtbot.waitUntil(lambda: "Memory" in str(model.index(1, 0).data(role)))
    assert str(model.index(1, 0).data()).startswith("The computer, ")
