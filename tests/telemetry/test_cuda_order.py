"""The number CUDA gives a card, by CUDA's own rules, or why it cannot be told."""

import pytest

from gpuexplorer.telemetry.cuda_order import FASTEST_FIRST, Numbered, cuda_numbers

A, B, C = "GPU-aaaa-1", "GPU-bbbb-2", "GPU-aaab-3"
ALIKE = [Numbered(uuid, "TITAN RTX") for uuid in (A, B, C)]
MIXED = [Numbered(A, "TITAN RTX"), Numbered(B, "T4")]
BY_BUS = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}


@pytest.mark.parametrize(
    ("cards", "visible", "numbers"),
    [
        (ALIKE, None, [0, 1, 2]),
        (ALIKE, "2,0", [1, None, 0]),
        (ALIKE, "", [None, None, None]),
        (ALIKE, "1,-1,0", [None, 0, None]),  # what follows an unknown one is ignored
        (ALIKE, "0,7,1", [0, None, None]),
        (ALIKE, "GPU-b", [None, 0, None]),
        (ALIKE, "GPU-aaa", [None, None, None]),  # which may be two
        (ALIKE, "0,0", [None, None, None]),  # twice, and CUDA sees none
        (ALIKE, " 1 , 2 ", [None, 0, 1]),
        (MIXED, None, [None, None]),  # CUDA sorts them by speed
        (MIXED, "1", [None, None]),
        (MIXED, B, [None, 0]),
    ],
)
def test_cards_are_numbered_as_cuda_does(
    cards: list[Numbered], visible: str | None, numbers: list[int | None]
) -> None:
    environment = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    found = cuda_numbers(cards, environment)
    assert [found[card.uuid].cuda_index for card in cards] == numbers
    assert all(each.cuda_index is not None or each.reason for each in found.values())


def test_different_models_have_a_sure_number_where_the_order_is_by_bus() -> None:
    assert cuda_numbers(MIXED, {})[A].reason == FASTEST_FIRST
    found = cuda_numbers(MIXED, BY_BUS)
    assert [found[card.uuid].cuda_index for card in MIXED] == [0, 1]


def test_with_mig_on_a_number_is_not_promised() -> None:
    cut = [Numbered(A, "H100", mig=True, instances=("MIG-x",)), Numbered(B, "H100")]
    found = cuda_numbers(cut, {})
    assert found[A].cuda_index is None
    assert "MIG" in found["MIG-x"].reason
    assert cuda_numbers(cut, {"CUDA_VISIBLE_DEVICES": "MIG-x"})["MIG-x"].cuda_index == 0
