"""What never changes about a card: its cores, and how wide the way to its memory is."""

from tests.telemetry.conftest import Nvml


def test_the_driver_tells_cores_and_the_width_of_the_memory(nvml: Nvml) -> None:
    [card] = nvml.open("cards=1").cards()
    assert (card.cores, card.memory_bus_bits) == (16896, 5120)


def test_a_card_that_tells_neither_has_no_numbers(nvml: Nvml) -> None:
    [card] = nvml.open("cards=1;cores=0:absent;bus_width=0:absent").cards()
    assert (card.cores, card.memory_bus_bits) == (None, None)
