"""What is said of a card wherever it is named: its state, its name, and no markup."""

from typing import cast

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.gui.cards.card_face import CardFace, DeviceList, short_name
from gpuexplorer.gui.cards.reasons import state_mark
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.session import remembering, session_on
from tests.gui.fakes import Answer, FakeBackend, card


@pytest.mark.parametrize("state", [s for s in CardState if s is not CardState.WORKING])
def test_every_state_but_working_has_a_mark_with_an_icon(state: CardState) -> None:
    mark = state_mark(state)
    assert mark is not None
    assert mark.icon is not None


@pytest.mark.usefixtures("qtbot")
def test_a_card_that_went_a_moment_ago_still_has_a_face() -> None:
    cards = [card(0), card(1)]
    backend = FakeBackend({each: Answer() for each in cards})
    machine = MachineState(remembering(session_on(backend)), Settings())
    listed = machine.cards()
    backend.listed = cards[:1]
    assert [machine.face(each).id for each in listed] == ["GPU-0", "GPU-1"]


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("NVIDIA TITAN RTX", "TITAN RTX"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA A100-SXM4-80GB", "A100"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("Tesla T4", "T4"),
        ("NVIDIA", "NVIDIA"),
        ("", ""),
    ],
)
def test_the_model_is_what_is_left_of_a_name(name: str, short: str) -> None:
    assert short_name(name) == short


def test_a_row_of_the_list_of_devices_says_its_name_as_it_is(qtbot: QtBot) -> None:
    class Face:
        id, hint = CardId("GPU-1"), "H100 <img src='x'>\nbusy 50 %"

    devices = DeviceList()
    devices.show_faces([cast("CardFace", Face())])
    said = devices.index(0).data(Qt.ItemDataRole.ToolTipRole)
    assert said == "<qt>H100 &lt;img src=&#x27;x&#x27;&gt;<br>busy 50 %</qt>"
