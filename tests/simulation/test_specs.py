"""Asking for a simulated machine in words, what is said of wrong ones, and where cards sit."""

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.simulation.models import MODELS, CardModel, Wire
from gpuexplorer.simulation.specs import parse_machine


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("4xH100", ["H100"] * 4),
        ("2xTitanRTX", ["TitanRTX"] * 2),
        ("8XA100", ["A100"] * 8),
        ("1xT4", ["T4"]),
        ("t4", ["T4"]),
        ("titan rtx", ["TitanRTX"]),
        ("RTX A6000", ["A6000"]),
        ("2x4090", ["RTX4090"] * 2),
        ("4 x RTX-4090", ["RTX4090"] * 4),
        ("64xH200", ["H200"] * 64),
        ("8xH100+nvlink", ["H100"] * 8),
        ("1xH100, 1xT4", ["H100", "T4"]),
        ("L4,2xL40S+pcie", ["L4", "L40S", "L40S"]),
    ],
)
def test_a_machine_can_be_asked_for_in_words(text: str, keys: list[str]) -> None:
    assert [card.model.key for card in parse_machine(text).cards] == keys


@pytest.mark.parametrize(
    ("text", "wrong", "hint"),
    [
        ("1xH100,,1xT4", "does not say which card.", "Known cards: "),
        (
            "4xH1000",
            "names a card that is not known: 'H1000'.",
            "Did you mean H100? Known",
        ),
        ("", "does not say which card.", "Known cards: "),
        ("4x", "does not say which card.", "Known cards: TitanRTX, T4, "),
        ("+idle", "does not say which card.", "Known cards: "),
        ("xH100", "names a card that is not known: 'xH100'.", "Did you mean H100? Known"),
        ("0xT4", "asks for 0 cards.", "From 1 to 64 cards"),
        ("-2xT4", "asks for -2 cards.", "From 1 to 64 cards"),
        ("65xT4", "asks for 65 cards.", "From 1 to 64 cards"),
        ("40xT4,40xL4", "asks for 80 cards.", "From 1 to 64 cards"),
        ("8xH100+fibre", "ends in a word that is not known: 'fibre'.", "+nvlink or +pcie"),
        (
            "2xT4+idel",
            "ends in a word that is not known: 'idel'.",
            "Did you mean idle? A ",
        ),
        ("8xH100+", "ends in a word that is not known: ''.", "+nvlink or +pcie"),
        (
            "4xRTX4090+nvlink",
            "asks for NVLink, which the RTX4090 does not have.",
            "choose a card that has it: TitanRTX, V100, A100, A6000, RTX3090, H100, H200, B200",
        ),
    ],
)
def test_a_wrong_text_is_answered_with_what_is_wrong_and_what_is_right(
    text: str, wrong: str, hint: str
) -> None:
    with pytest.raises(Trouble) as refused:
        parse_machine(text)
    assert refused.value.sentence == f"'{text}' {wrong}"
    assert hint in refused.value.hint


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.key)
def test_every_known_card_answers_to_its_name_and_its_figures_stand_in_their_order(
    model: CardModel,
) -> None:
    has_nvlink = model.wire is not Wire.NONE
    for name in (model.key, model.key.upper(), model.key.lower()):
        card = parse_machine(f"3x{name}").cards[2]
        assert (card.model, card.nvlink) == (model, has_nvlink)
    assert not parse_machine(f"2x{model.key}+PCIe").cards[0].nvlink
    assert model.clock_idle < model.clock_base < model.clock_boost <= model.clock_most
    assert model.memory_clock_idle <= model.memory_clock
    assert model.power_idle < model.power_least <= model.power_limit <= model.power_most
    assert model.heat_full + 5 < model.heat_target < model.heat_slowdown < model.heat_shutdown
    assert 0 < model.reserved_bytes < model.memory_bytes / 20
    assert (model.nvlinks > 0) is has_nvlink


def test_cards_with_a_switch_all_reach_each_other_on_a_board() -> None:
    machine = parse_machine("8xH100")
    assert machine.peers(3) == (0, 1, 2, 4, 5, 6, 7)
    assert machine.nvlinks_between(3, 7) == 18
