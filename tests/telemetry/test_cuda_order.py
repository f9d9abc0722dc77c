"""The number CUDA gives a card, by CUDA's own rules, or why it cannot be told."""

import pytest

from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.telemetry.backend import FASTEST_FIRST
from gpuexplorer.telemetry.backends.nvml.identity import Found, numbered

A, B, C = (CardId(each) for each in ("GPU-aaaa-1", "GPU-bbbb-2", "GPU-aaab-3"))


def found(uuid: CardId, place: int, model: str = "TITAN RTX", *, mig: bool = False) -> Found:
    return Found(Card(uuid, place, model, 1, bus_id=f"0000:{place}"), object(), mig_on=mig)


ALIKE = [found(uuid, place) for place, uuid in enumerate((A, B, C))]
MIXED = [found(A, 0), found(B, 1, "T4")]
BY_BUS = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}


def numbers(cards: list[Found], **environment: str) -> list[int | None]:
    told = [each.card for each in numbered(cards, environment)]
    assert all(card.cuda_index is not None or card.cuda_reason for card in told)
    return [card.cuda_index for card in told]


@pytest.mark.parametrize(
    ("cards", "visible", "expected"),
    [
        (ALIKE, "2,0", [1, None, 0]),
        (ALIKE, "", [None, None, None]),
        (ALIKE, "1,-1,0", [None, 0, None]),  # what follows an unknown one is ignored
        (ALIKE, "0,7,1", [0, None, None]),
        (ALIKE, "GPU-b", [None, 0, None]),
        (ALIKE, "GPU-aaa", [None, None, None]),  # which may be two
        (ALIKE, "0,0", [None, None, None]),  # twice, and CUDA sees none
        (ALIKE, " 1 , 2 ", [None, 0, 1]),
        (MIXED, "1", [None, None]),
        (MIXED, B, [None, 0]),
    ],
)
def test_cards_are_numbered_as_cuda_does(
    cards: list[Found], visible: str, expected: list[int | None]
) -> None:
    assert numbers(cards, CUDA_VISIBLE_DEVICES=visible) == expected


def test_different_models_have_a_sure_number_where_the_order_is_by_bus() -> None:
    assert numbers(ALIKE) == [0, 1, 2]
    assert numbers(MIXED) == [None, None]
    assert numbered(MIXED, {})[0].card.cuda_reason == FASTEST_FIRST
    assert numbers(MIXED, **BY_BUS) == [0, 1]
