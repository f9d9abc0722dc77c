"""What the drawing says of cards and wires, out of readings."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState
from gpuexplorer.core.metrics import MEMORY_TOTAL, MEMORY_USED, PCIE_RECEIVE
from gpuexplorer.core.units import USUAL, gigabytes_per_second
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.faces import CardNow, Shown, arrange, card_face, host_face
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.topology.words import machine_summary
from gpuexplorer.gui.widgets.machine.machine_face import BoxFace, MachineNow, TileFace, WireFace
from gpuexplorer.gui.widgets.machine.machine_faces import machine_faces
from gpuexplorer.gui.widgets.machine.machine_facts import facts_of
from gpuexplorer.gui.widgets.machine.machine_things import (
    OfCard,
    OfJunction,
    OfLink,
    OfMemory,
    OfSocket,
    OfUplink,
    Thing,
)
from gpuexplorer.gui.widgets.machine.wiring_words import waiting_again, waiting_words
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.topology import Link, PathKind, Topology, pcie_rate, shape_of
from tests.gui.fakes import GIB, NVML, Answer, card, working

MEMORY = Figure("Memory", number="31.0", limit="62", unit="GiB")
HOST = host_face(
    Shown(Card(HOST_ID, 0, "Linux", None, kind=CardKind.HOST), "H", None),
    Reading(HOST_ID, 0.0, {MEMORY_USED: 31 * GIB, MEMORY_TOTAL: 62 * GIB}),
    USUAL,
)


def looked_at(answers: Mapping[Card, Answer], topology: Topology) -> MachineNow:
    cards = list(answers)
    shown = {each.card.id: each for each in arrange(cards)}
    known = {}
    for each, answer in answers.items():
        reading = Reading(each.id, 0.0, answer.values, answer.missing, answer.state)
        known[each.id] = CardNow(reading, None)
    return MachineNow(
        shape_of(topology, cards),
        topology,
        cards,
        shown,
        {
            each: card_face(one, known, another_answers=False, units=USUAL)
            for each, one in shown.items()
        },
        HOST,
        USUAL,
    )


def pair(path: PathKind = PathKind.SWITCH, nvlinks: int = 0) -> Topology:
    a, b = card(0).id, card(1).id
    rate = pcie_rate(3, 16)
    between = Link(a, b, path, rate=rate)
    if nvlinks:
        between = Link(a, b, PathKind.NVLINK, nvlinks, 2, rate=25e9 * nvlinks, pcie_path=path)
    hosts = [Link(each, HOST_ID, PathKind.HOST_BRIDGE, rate=rate) for each in (a, b)]
    return Topology([a, b], [between, *hosts], {})


def wire(now: MachineNow, thing: Thing) -> WireFace:
    face = machine_faces(now)[thing]
    assert isinstance(face, WireFace)
    return face


def host_wire(**changes: float) -> WireFace:
    answers = {card(0): working(**changes), card(1): working()}
    return wire(looked_at(answers, pair()), OfLink(card(0).id, HOST_ID))


def test_a_link_says_generation_lanes_and_rate() -> None:
    face = host_wire()
    assert face.kind[0] == "PCIe 3 ×16"
    assert face.rate[:2] == ("15.8 GB/s", "max 15.8")


def test_a_link_that_sleeps_says_what_it_could_do() -> None:
    face = host_wire(pcie_generation=1.0, busy=0.0)
    assert face.kind[0] == "PCIe 1 of 3 ×16"
    assert face.rate[0] == "4.00 of 15.8 GB/s"
    assert face.tone is Tone.QUIET


def test_a_busy_link_on_half_its_lanes_warns() -> None:
    face = host_wire(pcie_width=8.0)
    assert face.kind[0] == "PCIe 3 ×8 of ×16"
    assert face.tone is Tone.WARN


def test_lanes_are_the_brighter_the_more_they_carry() -> None:
    idle = host_wire(pcie_receive=0.0, pcie_transmit=0.0)
    assert (idle.back.figure, idle.back.lit) == ("0", 0.0)
    some = host_wire(pcie_receive=1e9, pcie_transmit=15e9)
    assert 0 < some.back.lit < some.forth.lit < 1
    assert some.spoken.endswith("Now in: 1.00 GB/s. Now out: 15.0 GB/s.")
    # What goes out has the card's colour, what comes in is the host's.
    assert (some.forth.colour, some.back.colour) == (0, None)


def test_traffic_that_is_not_told_is_no_zero() -> None:
    answer = working()
    answer.missing = {PCIE_RECEIVE: Absence.NO_PERMISSION}
    now = looked_at({card(0): answer, card(1): working()}, pair())
    face = wire(now, OfLink(card(0).id, HOST_ID))
    assert face.back.figure == ""
    assert face.absent[0] == "no permission"
    assert face.spoken.endswith("Traffic: no permission.")


def test_a_switch_carries_what_its_cards_do_together() -> None:
    answers = {
        card(0): working(pcie_receive=1e9, pcie_transmit=2e9),
        card(1): working(pcie_receive=3e9, pcie_transmit=0.0),
    }
    face = wire(looked_at(answers, pair()), OfUplink(0))
    assert (face.back.figure, face.forth.figure) == ("4.00", "2.00")
    assert "The driver does not report how fast this link is." in face.spoken


def test_a_bridge_tells_each_direction_by_who_sends() -> None:
    answers = {card(0): working(nvlink_transmit=10e9, nvlink_receive=1e9), card(1): working()}
    now = looked_at(answers, pair(nvlinks=2))
    face = wire(now, OfLink(card(0).id, card(1).id))
    assert (face.forth.word, face.forth.figure, face.forth.colour) == ("0 to 1", "10.0", 0)
    assert (face.back.word, face.back.figure, face.back.colour) == ("1 to 0", "1.00", 1)


def test_nothing_passes_between_a_card_and_a_lost_one() -> None:
    lost = Answer(state=CardState.LOST)
    answers = {card(0): working(nvlink_transmit=10e9, nvlink_receive=1e9), card(1): lost}
    face = wire(looked_at(answers, pair(nvlinks=2)), OfLink(card(0).id, card(1).id))
    assert face.dark
    assert (face.forth.figure, face.absent[0]) == ("", "card lost")


def test_a_lost_card_is_drawn_in_dashes_with_a_word_for_its_figures() -> None:
    answers = {card(0): Answer(state=CardState.LOST), card(1): working()}
    face = machine_faces(looked_at(answers, pair()))[OfCard(card(0).id)]
    assert isinstance(face, TileFace)
    assert (face.lost, face.word[0], face.card.word_tone) == (True, "lost", Tone.BAD)


def test_one_processor_has_all_memory_and_several_have_their_own() -> None:
    answers = dict.fromkeys((card(0), card(1)), working())
    alone = machine_faces(looked_at(answers, pair()))[OfMemory(0)]
    assert isinstance(alone, BoxFace)
    assert alone.remark == ("31.0 of 62 GiB",)
    told = pair(PathKind.SYSTEM)
    nodes = {card(0).id: 0, card(1).id: 1}
    apart = replace(told, numa_nodes=nodes, node_memory={1: 128 << 30})
    faces = machine_faces(looked_at(answers, apart))
    assert [faces[OfMemory(at)].spoken for at in (0, 1)] == [
        "Its size is not reported.",
        "128 GiB.",
    ]
    assert faces[OfSocket(1)].name == "NUMA node 1"


def test_a_card_on_the_processors_chip_has_no_slot() -> None:
    chip = card(0, "NVIDIA GB10", memory_shared=True)
    link = Link(
        chip.id,
        HOST_ID,
        PathKind.HOST_BRIDGE,
        rate_reason=Message("the card is part of the processor's chip"),
    )
    now = looked_at({chip: working()}, Topology([chip.id], [link], {}))
    face = wire(now, OfLink(chip.id, HOST_ID))
    assert face.kind[0] == "on the processor's chip"
    facts = facts_of(now, OfLink(chip.id, HOST_ID), NVML)
    assert any("part of the processor's chip" in fact.line for fact in facts.facts)


def test_facts_of_a_switch_say_that_it_was_inferred() -> None:
    answers = dict.fromkeys((card(0), card(1)), working())
    facts = facts_of(looked_at(answers, pair()), OfJunction(0), NVML)
    assert facts.title == "PCIe switch"
    assert facts.sentence == "Through it these reach each other: cards 0 and 1."
    assert facts.note == (
        "Switches and host bridges are inferred: the driver reports only the kind of each path."
    )


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([3], "card 3"),
        ([0, 1], "cards 0 and 1"),
        ([0, 1, 2, 3], "cards 0 to 3"),
        ([0, 2, 3, 4, 9], "cards 0, 2 to 4 and 9"),
        ([9, 10, 11], "cards 9 to 11"),
    ],
)
def test_cards_in_a_row_are_named_in_short(numbers: list[int], words: str) -> None:
    cards = [card(number) for number in range(12)]
    host = Link(cards[0].id, HOST_ID, PathKind.HOST_BRIDGE)
    now = looked_at(dict.fromkeys(cards, working()), Topology([cards[0].id], [host], {}))
    assert now.named([CardId(f"GPU-{number}") for number in numbers]) == words


@pytest.mark.parametrize(
    ("rate", "words"),
    [(0.0, "0"), (1e6, "<0.01"), (4.1e8, "0.41"), (26.1e9, "26.1"), (4.5e11, "450")],
)
def test_rates_beside_each_other_are_all_in_gigabytes(rate: float, words: str) -> None:
    assert gigabytes_per_second(rate) == words


def test_waiting_is_said_at_once_and_its_length_soon() -> None:
    assert waiting_words(0.5)[0] == "The driver is asked how the cards are wired."
    assert waiting_words(9.0)[0].startswith("The driver has not answered for 9 s")
    assert waiting_again(0.5) == ""
    assert waiting_again(9.0).endswith("the drawing shows what it reported before.")


def test_a_card_on_nvlink_c2c_is_not_said_to_be_on_pcie() -> None:
    words = Message("10 links of NVLink-C2C")
    link = Link(card(0).id, HOST_ID, PathKind.C2C, rate=447.12e9, rate_reason=words)
    now = looked_at({card(0): working(pcie_width=1.0)}, Topology([card(0).id], [link], {}))
    face = wire(now, OfLink(card(0).id, HOST_ID))
    assert (face.kind[0], face.rate[0], face.absent[0]) == (
        "NVLink-C2C",
        "447 GB/s",
        "traffic not read",
    )
    told = facts_of(now, OfLink(card(0).id, HOST_ID), NVML)
    assert not told.sentence
    lines = [fact.line for fact in told.facts]
    assert any("C2C: NVLink-C2C" in line for line in lines)
    assert not any("PCIe" in line for line in lines)


def test_rates_that_look_the_same_are_one_and_a_path_that_is_not_known_is_called_so() -> None:
    cards = [card(number) for number in range(3)]
    a, b, c = (each.id for each in cards)
    paths = [
        Link(a, b, PathKind.NVLINK, 18, 4, rate=450e9),
        Link(a, c, PathKind.NVLINK, 18, 4, rate=450e9 + 1),
        Link(b, c, PathKind.UNKNOWN),
    ]
    answers = {each: working() for each in cards}
    told = machine_summary(looked_at(answers, Topology([a, b, c], paths, {})))
    words = {fact.label: fact.value for fact in told.facts}
    assert words["NV18"] == "2 pairs, 450 GB/s each way"
    assert words["Not known"] == "1 pair"
