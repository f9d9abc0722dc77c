"""The number CUDA gives a card, by CUDA's own rules, or why it cannot be told."""

from gpuexplorer.telemetry.cuda_order import Numbered, cuda_numbers

A, B, C = "GPU-aaaa-1", "GPU-bbbb-2", "GPU-aaab-3"
ALIKE = [Numbered(uuid, "TITAN RTX") for uuid in (A, B, C)]
MIXED = [Numbered(A, "TITAN RTX"), Numbered(B, "T4")]
BY_BUS = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}


def numbers(cards: list[Numbered], **environment: str) -> list[int | None]:
    found = cuda_numbers(cards, environment)
    return [found[card.uuid].cuda_index for card in cards]


def test_alike_cards_are_numbered_along_the_bus() -> None:
    assert numbers(ALIKE) == [0, 1, 2]


def test_the_environment_can_reorder_and_hide() -> None:
    assert numbers(ALIKE, CUDA_VISIBLE_DEVICES="2,0") == [1, None, 0]
    hidden = cuda_numbers(ALIKE, {"CUDA_VISIBLE_DEVICES": "2,0"})[B]
    assert "hidden" in hidden.reason


def test_an_empty_list_hides_all() -> None:
    assert numbers(ALIKE, CUDA_VISIBLE_DEVICES="") == [None, None, None]


def test_what_follows_an_unknown_entry_is_ignored_as_cuda_does() -> None:
    assert numbers(ALIKE, CUDA_VISIBLE_DEVICES="1,-1,0") == [None, 0, None]
    assert numbers(ALIKE, CUDA_VISIBLE_DEVICES="0,7,1") == [0, None, None]


def test_uuids_may_be_shortened_while_they_name_one_card() -> None:
    assert numbers(ALIKE, CUDA_VISIBLE_DEVICES="GPU-b") == [None, 0, None]
    assert numbers(ALIKE, CUDA_VISIBLE_DEVICES="GPU-aaa") == [None, None, None]


def test_a_card_named_twice_leaves_none() -> None:
    assert numbers(ALIKE, CUDA_VISIBLE_DEVICES="0,0") == [None, None, None]


def test_spaces_do_not_matter() -> None:
    assert numbers(ALIKE, CUDA_VISIBLE_DEVICES=" 1 , 2 ") == [None, 0, 1]


def test_different_models_have_no_sure_number_unless_the_order_is_by_bus() -> None:
    assert numbers(MIXED) == [None, None]
    assert "PCI_BUS_ID" in cuda_numbers(MIXED, {})[A].reason
    assert numbers(MIXED, **BY_BUS) == [0, 1]
    assert numbers(MIXED, CUDA_VISIBLE_DEVICES="1", **BY_BUS) == [None, 0]


def test_a_uuid_is_sure_whatever_the_order() -> None:
    assert numbers(MIXED, CUDA_VISIBLE_DEVICES=B) == [None, 0]


def test_with_mig_on_a_number_is_not_promised() -> None:
    cut = [Numbered(A, "H100", mig=True, instances=("MIG-x",)), Numbered(B, "H100")]
    found = cuda_numbers(cut, {})
    assert found[A].cuda_index is None
    assert "MIG" in found["MIG-x"].reason
    assert cuda_numbers(cut, {"CUDA_VISIBLE_DEVICES": "MIG-x"})["MIG-x"].cuda_index == 0
