"""A card that went away between two looks at the list."""

import pytest

from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.session import remembering, session_on
from tests.gui.fakes import Answer, FakeBackend

CARDS = [Card(CardId(f"GPU-{index}"), index, "H100", 80 << 30) for index in range(2)]


@pytest.mark.usefixtures("qtbot")
def test_a_card_that_went_a_moment_ago_still_has_a_face() -> None:
    backend = FakeBackend({card: Answer() for card in CARDS})
    machine = MachineState(remembering(session_on(backend)), Settings())
    listed = machine.cards()
    backend.listed = CARDS[:1]
    assert [machine.face(each).id for each in listed] == ["GPU-0", "GPU-1"]
