"""Which cards a person is told of, whether they answer, sleep, or are silent."""

from dataclasses import replace

import pytest

from gpuexplorer.commands.checkup.driver import cards
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import FASTEST_FIRST
from tests.commands.checkup.computer import (
    BROKEN,
    FINE,
    LOOK,
    Computer,
    Driver,
    card,
    nameless,
)

SECOND = card(1, bus_id="0000:02:00.0")


def test_cards_that_answer_are_listed_with_pytorchs_number(computer: Computer) -> None:
    computer.plug_in(driver="nvidia")
    computer.plug_in("0000:03:00.0", driver="vfio-pci")  # given to a virtual machine
    computer.give_driver(card())
    topic = computer.told(cards)
    assert (topic.verdict, topic.sentence) == (FINE, "1 NVIDIA card answers.")
    assert topic.details[0] == (
        "0: NVIDIA GeForce RTX 4090, 24 GiB, compute capability 8.9, at 0000:01:00.0,"
        " PyTorch calls it cuda:0"
    )


@pytest.mark.parametrize(
    ("reason", "how"),
    [
        (FASTEST_FIRST, f"its number in PyTorch is not sure: {FASTEST_FIRST}"),
        (Message("hidden from CUDA"), "its number in PyTorch is not sure: hidden from CUDA"),
    ],
)
def test_a_card_whose_number_is_open_is_not_called_useless(
    computer: Computer, reason: Message, how: str
) -> None:
    computer.give_driver(replace(card(), cuda_index=None, cuda_reason=reason))
    assert computer.told(cards).details[0].endswith(how)


@pytest.mark.parametrize(
    ("why", "do"),
    [
        (Absence.NO_PERMISSION, "rights to /dev/nvidia*"),
        (Absence.NOT_SUPPORTED, "nvidia-smi -q"),
        (Absence.IMPOSSIBLE, "install another version of the driver"),
    ],
)
def test_a_card_that_answers_without_a_figure_is_worth_a_look(
    computer: Computer, why: Absence, do: str
) -> None:
    computer.backend = driver = Driver([card(), SECOND])
    driver.without_figures[CardId("GPU-1")] = why
    topic = computer.told(cards)
    assert topic.verdict is LOOK
    assert topic.sentence == "2 NVIDIA cards answer. Without a usable figure: 1."
    assert topic.details[1].endswith(f"no usable figure ({why.sentence})")
    assert do in topic.do


@pytest.mark.parametrize("listed", [(), (nameless(1),)], ids=["unlisted", "without access"])
def test_a_card_on_the_bus_that_the_driver_does_not_mention_is_missed_once(
    computer: Computer, listed: tuple[Card, ...]
) -> None:
    computer.plug_in("0000:01:00.0", driver="nvidia")
    computer.plug_in("0000:02:00.0", driver="nvidia")
    computer.give_driver(card(bus_id="00000000:01:00.0"), *listed)
    topic = computer.told(cards)
    assert (topic.verdict, topic.sentence) == (BROKEN, "1 of 2 NVIDIA cards answer.")
    assert "0000:02:00.0" in topic.details[-1]


def test_a_card_that_takes_its_time_is_waited_for(computer: Computer) -> None:
    class Slow(Driver):
        asked = 0

        def cards(self) -> list[Card]:
            self.asked += 1
            return [card() if self.asked > 3 else nameless(0, Absence.NO_ANSWER)]

    computer.backend, computer.patience = Slow(), 1.0
    assert computer.told(cards).sentence == "1 NVIDIA card answers."


def test_a_sleeping_card_is_left_asleep_and_said_to_be(computer: Computer) -> None:
    computer.plug_in(driver="nvidia", asleep=True)
    computer.backend = Driver(states={CardId("GPU-0"): CardState.ASLEEP})
    topic = computer.told(cards)
    assert topic.verdict is FINE
    assert "asleep" in topic.sentence
    assert computer.opened == 0
    computer.plug_in("0000:02:00.0", driver="nvidia")  # one that is awake is reason to ask
    topic = computer.told(cards)
    assert computer.opened == 1
    assert topic.details[0].endswith(CardState.ASLEEP.sentence)
