"""The overview: what every card says, and what all of them say together."""

from tests.screens.conftest import OpenProgram


def test_every_card_says_its_name_how_busy_it_is_and_its_memory(
    open_program: OpenProgram,
) -> None:
    person = open_program("2xTitanRTX")
    person.sees("Card 0, NVIDIA TITAN RTX", "GPU busy", "of 24 GiB")
