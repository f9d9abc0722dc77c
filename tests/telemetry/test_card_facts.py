"""What never changes about a card: its cores, and how wide the way to its memory is."""

from tests.telemetry.conftest import OpenNvml


def test_the_driver_tells_cores_and_the_width_of_the_memory(open_nvml: OpenNvml) -> None:
    [card] = open_nvml("cards=1").cards()
    assert (card.cores, card.memory_bus_bits) == (16896, 5120)


def test_a_card_that_tells_neither_has_no_numbers(open_nvml: OpenNvml) -> None:
    [card] = open_nvml("cards=1;cores=0:absent;bus_width=0:absent").cards()
    assert (card.cores, card.memory_bus_bits) == (None, None)
