"""Which cards a person is told of, whether they answer, sleep, or are silent."""

import json
import threading
from collections.abc import Collection

import pytest

from gpuexplorer.commands.checkup.finding import Topic, Verdict
from gpuexplorer.commands.checkup.pci import cards
from gpuexplorer.commands.checkup.probe import Ran
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId
from tests.commands.checkup.computer import Computer, Driver, card, nameless


def told(computer: Computer) -> Topic:
    return cards(computer.probe(), computer.answer())


def test_cards_that_answer_are_listed_with_pytorchs_number(computer: Computer) -> None:
    computer.plug_in(driver="nvidia")
    computer.give_driver(card())
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert topic.sentence == "1 NVIDIA card answers."
    (line,) = topic.details
    assert line.startswith("0: NVIDIA GeForce RTX 4090, 24 GiB, compute capability 8.9,")
    assert line.endswith("at 0000:01:00.0, PyTorch calls it cuda:0")


@pytest.mark.parametrize(
    ("why", "do"),
    [
        (Absence.NO_PERMISSION, "rights to /dev/nvidia*"),
        (Absence.IMPOSSIBLE, "another version of the driver"),
        (Absence.NOT_SUPPORTED, "nvidia-smi -q"),
    ],
)
def test_a_card_that_answers_without_a_figure_is_worth_a_look(
    computer: Computer, why: Absence, do: str
) -> None:
    driver = Driver("590.48.01", "13.1", [card(), card(1, bus_id="0000:02:00.0")], {})
    driver.without_figures[CardId("GPU-1")] = why
    computer.backend = driver
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert topic.sentence == "2 NVIDIA cards answer. 1 of them gives no usable figure."
    assert topic.details[1].endswith(f"no usable figure: {why.sentence}")
    assert do in topic.do


def test_a_card_on_the_bus_that_the_driver_does_not_mention_is_missed(
    computer: Computer,
) -> None:
    computer.plug_in("0000:01:00.0", driver="nvidia")
    computer.plug_in("0000:02:00.0", driver="nvidia")
    computer.give_driver(card(bus_id="00000000:01:00.0"))
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert "1 of 2 NVIDIA cards" in topic.sentence
    assert "0000:02:00.0" in topic.sentence


def test_a_listed_card_without_access_is_said_not_to_answer(computer: Computer) -> None:
    computer.give_driver(card(), nameless(1))
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert topic.sentence == "1 of 2 NVIDIA cards answers."
    assert topic.do == (
        "Look for 'Xid' or 'fallen off the bus' in the system log (`sudo dmesg`),"
        " check the power cables, and restart the computer."
    )
    assert topic.details[1:] == [
        "1: NVIDIA card that does not answer, the driver gives no access to it: GPU is lost"
    ]


@pytest.mark.parametrize(
    ("cards", "sentence"),
    [
        ([nameless(0)], "The NVIDIA card does not answer."),
        ([nameless(0), nameless(1)], "None of the 2 NVIDIA cards answers."),
        ([card(0), card(1), nameless(2)], "2 of 3 NVIDIA cards answer."),
    ],
)
def test_however_many_cards_are_silent_they_are_counted(
    computer: Computer, cards: list[Card], sentence: str
) -> None:
    computer.give_driver(*cards)
    assert told(computer).sentence == sentence


def test_a_card_without_access_is_not_counted_a_second_time_on_the_bus(
    computer: Computer,
) -> None:
    computer.plug_in("0000:01:00.0", driver="nvidia")
    computer.plug_in("0000:02:00.0", driver="nvidia")
    computer.give_driver(card(), nameless(1))
    topic = told(computer)
    assert topic.sentence == "1 of 2 NVIDIA cards answers."
    assert "0000:02:00.0" in topic.details[-1]


def test_a_card_that_this_user_may_not_ask_is_a_matter_of_access(computer: Computer) -> None:
    computer.give_driver(nameless(0, "insufficient Permissions", Absence.NO_PERMISSION))
    assert "was not given to this user, container or job" in told(computer).do
    assert "/dev/nvidia*" in told(computer).do


def test_a_card_that_the_driver_does_not_support_has_not_fallen_off(
    computer: Computer,
) -> None:
    computer.give_driver(nameless(0, "not Supported", Absence.NOT_SUPPORTED))
    assert told(computer).do.startswith("The card may be too new for this driver")


@pytest.mark.parametrize("state", [CardState.LOST, CardState.NO_ANSWER, CardState.NO_DRIVER])
def test_a_card_that_cannot_be_read_is_said_not_to_answer(
    computer: Computer, state: CardState
) -> None:
    computer.give_driver(
        card(0), card(1, bus_id="0000:02:00.0"), states={CardId("GPU-1"): state}
    )
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert topic.sentence == "1 of 2 NVIDIA cards answers."
    assert topic.details[1].endswith(f"at 0000:02:00.0, {state.sentence}")


def test_a_card_that_falls_asleep_before_it_is_read_is_fine(computer: Computer) -> None:
    computer.give_driver(card(), states={CardId("GPU-0"): CardState.ASLEEP})
    topic = told(computer)
    assert topic.sentence == "1 NVIDIA card answers."
    assert topic.details[0].endswith(CardState.ASLEEP.sentence)


def test_a_card_that_hangs_when_it_is_read_is_given_up(computer: Computer) -> None:
    released = threading.Event()

    class Hanging(Driver):
        def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
            if card == "GPU-1":
                released.wait()
            return super().read(card, metrics)

    cards = [card(0), card(1, bus_id="0000:02:00.0")]
    computer.backend, computer.patience = Hanging("590.48.01", "13.1", cards, {}), 0.05
    try:
        assert told(computer).sentence == "1 of 2 NVIDIA cards answers."
    finally:
        released.set()


def test_a_card_given_to_a_virtual_machine_is_not_missed(computer: Computer) -> None:
    computer.plug_in("0000:01:00.0", driver="nvidia")
    computer.plug_in("0000:02:00.0", driver="vfio-pci")
    computer.give_driver(card())
    assert told(computer).verdict is Verdict.FINE


def test_a_sleeping_card_is_left_asleep_and_said_to_be(computer: Computer) -> None:
    computer.plug_in(driver="nvidia", asleep=True)
    computer.give_driver()
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert "asleep" in topic.sentence
    assert computer.opened == 0


def test_one_awake_card_is_reason_enough_to_ask(computer: Computer) -> None:
    computer.plug_in("0000:01:00.0", driver="nvidia", asleep=True)
    computer.plug_in("0000:02:00.0", driver="nvidia")
    computer.give_driver(card(0), card(1, bus_id="0000:02:00.0"))
    assert told(computer).sentence == "2 NVIDIA cards answer."


def test_a_card_that_nobody_answers_for_is_broken(computer: Computer) -> None:
    computer.plug_in(driver="nouveau")
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert topic.sentence == ("There is 1 NVIDIA card, and no driver answers for it.")


def test_another_makers_card_is_no_nvidia_card(computer: Computer) -> None:
    computer.plug_in("0000:00:02.0", vendor="8086", device="4680", driver="i915")
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert topic.sentence == "There is no NVIDIA card."
    assert "gpuexplorer --simulate" in topic.do


def test_where_the_bus_is_hidden_nobody_claims_that_there_is_no_card(
    computer: Computer,
) -> None:
    (computer.root / "sys/bus/pci/devices").rmdir()
    assert "cannot be seen from here" in told(computer).sentence


def test_windows_is_asked_for_the_names_of_its_cards(computer: Computer) -> None:
    computer.platform = "win32"
    (computer.root / "sys/bus/pci/devices").rmdir()
    computer.answers["powershell.exe"] = Ran(0, json.dumps("AMD Radeon 780M"))
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert topic.details == ["AMD Radeon 780M"]
