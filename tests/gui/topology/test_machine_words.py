"""What the drawing says of cards and wires, out of readings."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind
from gpuexplorer.core.metrics import MEMORY_TOTAL, MEMORY_USED, PCIE_RECEIVE
from gpuexplorer.core.units import USUAL
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.faces import CardNow, Shown, arrange, card_face, host_face
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.topology.wiring_facts import (
    facts_of,
)
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from gpuexplorer.gui.widgets.machine.machine_faces import (
    BoxFace,
    MachineNow,
    WireFace,
    machine_faces,
)
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


def wire(now: MachineNow, part: Part) -> WireFace:
    face = machine_faces(now)[part]
    assert isinstance(face, WireFace)
    return face


def host_wire(**changes: float) -> WireFace:
    answers = {card(0): working(**changes), card(1): working()}
    return wire(looked_at(answers, pair()), Part(Kind.LINK, card(0).id, HOST_ID))


def test_a_link_says_how_it_runs_and_what_it_could_do() -> None:
    face = host_wire()
    assert (face.kind[0], face.rate) == ("PCIe 3 ×16", ("15.8 GB/s", "max 15.8"))
    half = host_wire(pcie_width=8.0)
    assert (half.kind[0], half.tone) == ("PCIe 3 ×8 of ×16", Tone.WARN)
    face = host_wire(pcie_generation=1.0, busy=0.0)
    assert face.kind[0] == "PCIe 1 of 3 ×16"
    assert face.rate[0] == "4.00 of 15.8 GB/s"
    assert face.tone is Tone.QUIET


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
    face = wire(now, Part(Kind.LINK, card(0).id, HOST_ID))
    assert face.back.figure == ""
    assert face.absent[0] == "no permission"
    assert face.spoken.endswith("Traffic: no permission.")


def test_a_switch_carries_what_its_cards_do_together() -> None:
    answers = {
        card(0): working(pcie_receive=1e9, pcie_transmit=2e9),
        card(1): working(pcie_receive=3e9, pcie_transmit=0.0),
    }
    face = wire(looked_at(answers, pair()), Part(Kind.UPLINK, number=0))
    assert (face.back.figure, face.forth.figure) == ("4.00", "2.00")
    assert "The driver does not report how fast this link is." in face.spoken


def test_a_bridge_tells_each_direction_by_who_sends() -> None:
    answers = {card(0): working(nvlink_transmit=10e9, nvlink_receive=1e9), card(1): working()}
    now = looked_at(answers, pair(nvlinks=2))
    face = wire(now, Part(Kind.LINK, card(0).id, card(1).id))
    assert (face.forth.word, face.forth.figure, face.forth.colour) == ("0 to 1", "10.0", 0)
    assert (face.back.word, face.back.figure, face.back.colour) == ("1 to 0", "1.00", 1)


def test_one_processor_has_all_memory_and_several_have_their_own() -> None:
    answers = dict.fromkeys((card(0), card(1)), working())
    alone = machine_faces(looked_at(answers, pair()))[Part(Kind.MEMORY, number=0)]
    assert isinstance(alone, BoxFace)
    assert alone.remark == "31.0 of 62 GiB"
    told = pair(PathKind.SYSTEM)
    nodes = {card(0).id: 0, card(1).id: 1}
    apart = replace(told, numa_nodes=nodes, node_memory={1: 128 << 30})
    faces = machine_faces(looked_at(answers, apart))
    assert [faces[Part(Kind.MEMORY, number=at)].spoken for at in (0, 1)] == [
        "Its size is not reported.",
        "128 GiB.",
    ]
    assert faces[Part(Kind.SOCKET, number=1)].name == "NUMA node 1"


def test_facts_of_a_switch_say_that_it_was_inferred() -> None:
    answers = dict.fromkeys((card(0), card(1)), working())
    facts = facts_of(looked_at(answers, pair()), Part(Kind.JUNCTION, number=0), NVML)
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


def test_a_card_on_nvlink_c2c_is_not_said_to_be_on_pcie() -> None:
    words = Message("10 links of NVLink-C2C")
    link = Link(card(0).id, HOST_ID, PathKind.C2C, rate=447.12e9, rate_reason=words)
    now = looked_at({card(0): working(pcie_width=1.0)}, Topology([card(0).id], [link], {}))
    face = wire(now, Part(Kind.LINK, card(0).id, HOST_ID))
    assert (face.kind[0], face.rate[0], face.absent[0]) == (
        "NVLink-C2C",
        "447 GB/s",
        "traffic not read",
    )
    told = facts_of(now, Part(Kind.LINK, card(0).id, HOST_ID), NVML)
    assert not told.sentence
    lines = [fact.line for fact in told.facts]
    assert any("C2C: NVLink-C2C" in line for line in lines)
    assert not any("PCIe" in line for line in lines)
