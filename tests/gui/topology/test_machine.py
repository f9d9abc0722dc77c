"""The drawn machine: nothing covers another, and what it says out of readings."""

from collections.abc import Mapping
from itertools import combinations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardKind
from gpuexplorer.core.metrics import MEMORY_TOTAL, MEMORY_USED, PCIE_RECEIVE
from gpuexplorer.core.units import USUAL
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.card_face import CardNow, Shown, arrange, card_face
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.topology.wiring_facts import PartFactsPanel
from gpuexplorer.gui.widgets.machine.layout import SOCKETS, Kind, Part, layout_of
from gpuexplorer.gui.widgets.machine.machine_faces import MachineNow, WireFace, machine_faces
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.sources import simulated
from gpuexplorer.telemetry.topology import Link, PathKind, Topology, pcie_rate, shape_of
from tests.gui.fakes import GIB, NVML, Answer, card, working

HOST = card_face(
    Shown(Card(HOST_ID, 0, "Linux", None, kind=CardKind.HOST), "H", None),
    {
        HOST_ID: CardNow(
            Reading(HOST_ID, 0.0, {MEMORY_USED: 31 * GIB, MEMORY_TOTAL: 62 * GIB}), None
        )
    },
)


def looked_at(answers: Mapping[Card, Answer], topology: Topology) -> MachineNow:
    cards = list(answers)
    shown = {each.card.id: each for each in arrange(cards)}
    known = {
        each.id: CardNow(Reading(each.id, 0.0, it.values, it.missing, it.state), None)
        for each, it in answers.items()
    }
    faces = {each: card_face(one, known, units=USUAL) for each, one in shown.items()}
    return MachineNow(shape_of(topology, cards), cards, shown, faces, HOST, USUAL)


def pair() -> Topology:
    ids, rate = (card(0).id, card(1).id), pcie_rate(3, 16)
    hosts = [Link(each, HOST_ID, PathKind.HOST_BRIDGE, rate=rate) for each in ids]
    return Topology(ids, [Link(*ids, PathKind.SWITCH, rate=rate), *hosts], {})


def wire(now: MachineNow) -> WireFace:
    face = machine_faces(now)[Part(Kind.LINK, card(0).id, HOST_ID)]
    assert isinstance(face, WireFace)
    return face


def host_wire(**changes: float) -> WireFace:
    return wire(looked_at({card(0): working(**changes), card(1): working()}, pair()))


def test_a_link_says_how_it_runs_and_what_it_could_do() -> None:
    face = host_wire()
    rates = "15.8 GB/s each way", "15.8 GB/s", "max 15.8"
    assert (face.kind[0], face.rate) == ("PCIe 3 ×16", rates)
    half = host_wire(pcie_width=8.0)
    assert (half.kind[0], half.tone) == ("PCIe 3 ×8 of ×16", Tone.WARN)
    face = host_wire(pcie_generation=1.0, busy=0.0)
    assert face.kind[0] == "PCIe 1 of 3 ×16"
    assert face.rate[0] == "4.00 of 15.8 GB/s each way"
    assert face.tone is Tone.QUIET


def test_traffic_that_is_not_told_is_no_zero() -> None:
    answer = working()
    answer.missing = {PCIE_RECEIVE: Absence.NO_PERMISSION}
    now = looked_at({card(0): answer, card(1): working()}, pair())
    face = wire(now)
    assert face.back.figure == ""
    assert face.absent[0] == "no permission"
    assert face.spoken.endswith("Traffic: no permission.")


def test_a_card_on_nvlink_c2c_is_not_said_to_be_on_pcie(qtbot: QtBot) -> None:
    words = Message("10 links of NVLink-C2C")
    link = Link(card(0).id, HOST_ID, PathKind.C2C, rate=447.12e9, rate_reason=words)
    now = looked_at({card(0): working(pcie_width=1.0)}, Topology([card(0).id], [link], {}))
    face = wire(now)
    told = (face.kind[0], face.rate[1], face.absent[0])
    assert told == ("NVLink-C2C", "447 GB/s", "traffic not read")
    panel = PartFactsPanel()
    qtbot.addWidget(panel)
    panel.show_part(now, Part(Kind.LINK, card(0).id, HOST_ID), machine_faces(now), NVML)
    lines = [label.accessibleName() for label in panel.findChildren(QLabel)]
    assert any("C2C: NVLink-C2C" in line for line in lines)
    assert not any("PCIe" in line for line in lines)


MACHINES = "T4 2xTitanRTX 1xH100,1xT4 3xA6000 4xA6000 5xL40S 8xH100 8xB200 10xRTX3090 16xL40S"


def covers(one: QRectF, other: QRectF) -> bool:
    """More than a common edge."""
    return one.adjusted(0.5, 0.5, -0.5, -0.5).intersects(other)


@pytest.mark.parametrize("spec", MACHINES.split())
def test_nothing_covers_another_and_wires_end_at_their_boxes(spec: str) -> None:
    backend = simulated(spec)
    shape = shape_of(backend.topology(), backend.cards())
    layout = layout_of(shape, (*shape.home, *shape.loose), 660.0)
    places = [place for _, place in layout.boxes]
    assert not any(covers(one, other) for one, other in combinations(places, 2))
    for wire in layout.wires:
        around = wire.lanes[0].boundingRect().united(wire.words)
        assert QRectF(QPointF(), layout.size).contains(around)
        if wire.part.kind is not Kind.SPOKE:  # their words stand in the bar
            assert not any(covers(wire.words, place) for place in places)
        for lane in wire.lanes if wire.part != SOCKETS else ():
            assert not any(covers(lane.boundingRect(), place) for place in places)
            tips = [lane.pointAtPercent(share) for share in (0.0, 1.0)]
            for end in wire.ends:
                near = [place.adjusted(-1, -1, 1, 1) for place in layout.places(end)]
                assert any(place.contains(tip) for place in near for tip in tips)
