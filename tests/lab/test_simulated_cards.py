"""The lab's simulated cards are the telemetry's: the same names, sizes and wires."""

import pytest

from gpuexplorer.lab.simulated_cards import HOST, Chosen, simulated_cards
from gpuexplorer.simulation.computing import SINGLE_REACHED
from gpuexplorer.simulation.models import MODELS
from gpuexplorer.simulation.specs import parse_machine


def link(text: str, one: int, other: int, chosen: Chosen | None = None) -> dict[str, object]:
    links = simulated_cards(parse_machine(text), chosen).links
    return next(dict(each) for each in links if {each["one"], each["other"]} == {one, other})


def rate(text: str, one: int, other: int) -> float:
    found = link(text, one, other)["bytes_per_second"]
    assert isinstance(found, float)
    return found


def test_a_card_is_as_large_as_its_driver_says() -> None:
    (card,) = simulated_cards(parse_machine("1xTitanRTX")).cards
    assert card["name"] == "NVIDIA TITAN RTX"
    assert card["memory_bytes"] == 24576 << 20
    assert card["elsewhere_bytes"] == 356 << 20
    assert card["context_bytes"] == 917 << 20
    assert card["capability"] == [7, 5]
    assert card["flops"] == 16.31e12 * SINGLE_REACHED


def test_cards_joined_by_nvlink_copy_over_it() -> None:
    assert link("2xTitanRTX", 0, 1)["peer"]
    assert rate("2xTitanRTX", 0, 1) == pytest.approx(46e9)
    assert rate("2xH100", 0, 1) == pytest.approx(414e9)


def test_cards_that_may_not_reach_each_other_copy_through_the_host() -> None:
    assert not link("2xRTX4090", 0, 1)["peer"]
    assert rate("2xRTX4090", 0, 1) < rate("2xRTX4090", HOST, 0)
    assert link("2xT4", 0, 1)["peer"]


def test_a_link_to_the_host_carries_what_its_generation_does() -> None:
    assert rate("1xT4", HOST, 0) == pytest.approx(12.3e9, rel=0.01)
    assert rate("1xRTX4090", HOST, 0) == pytest.approx(25.8e9, rel=0.01)
    assert rate("1xH100", HOST, 0) == pytest.approx(55.4e9, rel=0.01)
    assert rate("1xRTX4060", HOST, 0) == pytest.approx(12.9e9, rel=0.01)


def test_the_way_between_two_processors_is_longer() -> None:
    assert link("8xL4", 0, 1)["latency"] == pytest.approx(10e-6)
    assert link("8xL4", 0, 7)["latency"] == pytest.approx(14e-6)
    assert rate("8xL4", 0, 7) < rate("8xL4", 0, 1)


def test_chosen_cards_are_numbered_anew_in_their_order() -> None:
    spec = parse_machine("1xT4,2xTitanRTX")
    told = simulated_cards(spec, Chosen(visible=(2, 0), elsewhere_bytes={2: 5 << 30}))
    assert [card["uuid"] for card in told.cards] == ["SIM-2", "SIM-0"]
    assert told.cards[0]["elsewhere_bytes"] == 5 << 30
    assert {(each["one"], each["other"]) for each in told.links} == {(-1, 0), (-1, 1), (0, 1)}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.key)
def test_every_model_has_figures_for_the_lab(model: object) -> None:
    told = simulated_cards(parse_machine(f"2x{getattr(model, 'key', '')}"))
    for card in told.cards:
        figures = ("flops", "half_flops", "double_flops", "bytes_per_second")
        assert all(float(str(card[name])) > 1e11 for name in figures)
    for each in told.links:
        assert float(str(each["bytes_per_second"])) > 1e9


def test_a_way_on_which_copies_arrive_wrong_is_told_with_its_end() -> None:
    assert link("3xTitanRTX", 0, 1)["wrong_to"] == []
    assert link("3xTitanRTX", 0, 2, Chosen(wrong=[(2, 0)]))["wrong_to"] == [0]
    assert link("3xTitanRTX", 0, 1, Chosen(visible=(2, 0), wrong=[(2, 0)]))["wrong_to"] == [1]
