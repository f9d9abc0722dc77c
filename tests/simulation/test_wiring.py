"""Where simulated cards sit and what joins them."""

from gpuexplorer.simulation.specs import parse_machine
from gpuexplorer.simulation.wiring import Wiring


def wiring(text: str) -> Wiring:
    return Wiring(parse_machine(text))


def test_cards_with_a_switch_all_reach_each_other_on_a_board() -> None:
    machine = wiring("8xH100")
    assert machine.peers(3) == (0, 1, 2, 4, 5, 6, 7)
    assert machine.nvlinks_between(3, 7) == 18


def test_nvlink_does_not_leave_the_board() -> None:
    machine = wiring("64xH200")
    assert machine.peers(9) == (8, 10, 11, 12, 13, 14, 15)
    assert machine.nvlinks_between(7, 8) == 0
    assert {machine.board(index) for index in range(64)} == set(range(8))


def test_bridges_join_cards_in_pairs_and_the_odd_one_is_left_alone() -> None:
    machine = wiring("3xTitanRTX")
    assert [machine.peers(index) for index in range(3)] == [(1,), (0,), ()]
    assert [machine.nvlinks_up(index) for index in range(3)] == [2, 2, 0]


def test_cards_of_different_models_are_not_joined() -> None:
    assert wiring("1xH100,1xA100").peers(0) == ()


def test_without_a_bridge_a_card_keeps_its_links_but_with_pcie_a_board_has_none() -> None:
    assert parse_machine("2xRTX3090+pcie").cards[0].nvlinks == 4
    assert parse_machine("2xH100+pcie").cards[0].nvlinks == 0
    assert wiring("2xRTX3090+pcie").nvlinks_up(0) == 0


def test_each_half_of_a_board_belongs_to_one_processor() -> None:
    assert [wiring("8xT4").node(index) for index in range(8)] == [0] * 4 + [1] * 4
    assert [wiring("5xT4").node(index) for index in range(5)] == [0, 0, 0, 1, 1]
    assert [wiring("2xT4").node(index) for index in range(2)] == [0, 0]


def test_every_card_has_its_own_address_on_the_bus() -> None:
    machine = wiring("64xT4")
    assert len({machine.bus_id(index) for index in range(64)}) == 64
    assert machine.bus_id(9) == "0001:2a:00.0"
