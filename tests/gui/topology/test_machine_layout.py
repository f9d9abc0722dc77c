"""Where the parts of a drawn machine stand: nothing covers another, wires end where they do."""

from itertools import combinations

import pytest
from PySide6.QtCore import QRectF

from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.gui.widgets.machine.machine_columns import MachineForm
from gpuexplorer.gui.widgets.machine.machine_layout import MachineLayout, Wire, layout_of
from gpuexplorer.gui.widgets.machine.machine_things import (
    OfCard,
    OfHub,
    OfLink,
    OfSocket,
    OfSockets,
    OfSpoke,
    way_of,
)
from gpuexplorer.telemetry.sources import simulated
from gpuexplorer.telemetry.topology import (
    Link,
    MachineShape,
    PathKind,
    Topology,
    pcie_rate,
    shape_of,
)

MACHINES = (
    "T4",
    "1xRTX4060",
    "2xTitanRTX",
    "2xTitanRTX+pcie",
    "1xH100,1xT4",
    "3xT4",
    "3xA6000",
    "4xA6000",
    "5xL40S",
    "8xH100",
    "8xB200",
    "8xL40S",
    "8xRTX4090",
    "10xRTX3090",
    "16xH100",
    "16xL40S",
    "24xA100",
    "64xH200",
    "64xT4",
)
WIDTHS = (310, 560, 712, 860, 1100, 1500)


def simulated_shape(spec: str) -> MachineShape:
    backend = simulated(spec)
    return shape_of(backend.topology(), backend.cards())


def one_node(count: int, path: PathKind) -> MachineShape:
    """Many cards on one processor, without any NVLink: nothing where it could be parted."""
    cards = [Card(CardId(f"GPU-{n}"), n, "card", 1 << 34) for n in range(count)]
    ids = [card.id for card in cards]
    rate = pcie_rate(5, 16)
    links = [Link(card, HOST_ID, PathKind.HOST_BRIDGE, rate=rate) for card in ids]
    links += [Link(a, b, path, rate=rate) for a, b in combinations(ids, 2)]
    return shape_of(Topology(ids, links, {}), cards)


def covers(one: QRectF, other: QRectF) -> bool:
    """More than a common edge."""
    common = one.intersected(other)
    return common.width() > 0.5 and common.height() > 0.5


def whole(wire: Wire) -> QRectF:
    """Its words included."""
    return wire.lanes.bounds().united(wire.before).united(wire.after)


def check(layout: MachineLayout, shape: MachineShape, width: float) -> None:
    places = [box.place for box in layout.boxes]
    for one, other in combinations(places, 2):
        assert not covers(one, other)
    for place in (*places, *(whole(wire) for wire in layout.wires)):
        assert place.left() >= 0
        assert place.right() <= width + 0.5
        assert place.bottom() <= layout.size.height() + 0.5
    for wire in layout.wires:
        strips = (*wire.lanes.forth, *wire.lanes.back)
        for strip in strips:
            assert not any(covers(strip, place) for place in places)
        check_ends(layout, wire)
        for words in (wire.before, wire.after):
            if not isinstance(wire.thing, OfSpoke):
                assert not any(covers(words, place) for place in places)
            assert not any(covers(words, strip) for strip in strips)
    tiles = [box.thing for box in layout.boxes if isinstance(box.thing, OfCard)]
    assert sorted(tile.card for tile in tiles) == sorted((*shape.home, *shape.loose))
    to_host = [wire.thing for wire in layout.wires if isinstance(wire.thing, OfLink)]
    assert {wire.a for wire in to_host if wire.to_host} == set(shape.home)


def check_ends(layout: MachineLayout, wire: Wire) -> None:
    """Both lanes touch both things, and stay within their width."""
    if isinstance(wire.thing, OfSockets):
        return
    ends = [[box.place for box in layout.boxes if box.thing == end] for end in wire.ends]
    for lane in (wire.lanes.forth, wire.lanes.back):
        for boxes in ends:
            assert any(touches(strip, box) for strip in lane for box in boxes)


def touches(strip: QRectF, box: QRectF) -> bool:
    meets = strip.top() == box.bottom() or strip.bottom() == box.top()
    return meets and strip.left() >= box.left() and strip.right() <= box.right()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("spec", MACHINES)
def test_nothing_covers_another_and_wires_end_at_their_things(spec: str, width: int) -> None:
    shape = simulated_shape(spec)
    check(layout_of(shape, width), shape, width)
    check(layout_of(shape, width, height=900), shape, width)


@pytest.mark.parametrize("path", [PathKind.SWITCHES, PathKind.NODE, PathKind.UNKNOWN])
@pytest.mark.parametrize("count", [9, 16, 33, 64])
def test_one_processor_with_very_many_cards_is_drawn_in_pieces(
    count: int, path: PathKind
) -> None:
    shape = one_node(count, path)
    for width in (560, 1100):
        check(layout_of(shape, width), shape, width)


def test_eight_cards_with_nvswitch_meet_in_one_bar() -> None:
    layout = layout_of(simulated_shape("8xH100"), 860)
    assert len([box for box in layout.boxes if isinstance(box.thing, OfHub)]) == 1
    spokes = [wire for wire in layout.wires if isinstance(wire.thing, OfSpoke)]
    assert len(spokes) == 8
    assert all(OfHub(0) in wire.ends for wire in spokes)


def test_a_lane_is_as_wide_as_it_is_fast() -> None:
    layout = layout_of(simulated_shape("4xA6000"), 1100)
    assert layout.scale == 8e9
    widths = {
        (wire.thing.to_host): wire.lanes.forth[0].width()
        for wire in layout.wires
        if isinstance(wire.thing, OfLink)
    }
    # 31.5 GB/s over PCIe and 56.25 GB/s over the bridge.
    assert widths == {True: 4.0, False: 7.0}


def test_wires_too_wide_for_their_cards_make_the_scale_coarser_for_all() -> None:
    layout = layout_of(simulated_shape("8xB200"), 860)
    assert layout.scale > 8e9
    lanes = {type(wire.thing): wire.lanes.forth[0].width() for wire in layout.wires}
    assert lanes[OfSpoke] == round(900e9 / layout.scale)
    assert lanes[OfLink] == max(1, round(63e9 / layout.scale))


def test_more_cards_are_said_less_of() -> None:
    forms = [layout_of(simulated_shape(f"{n}xH100"), 860).form for n in (2, 8, 64)]
    assert forms == [MachineForm.ROOMY, MachineForm.NORMAL, MachineForm.PACKED]


def test_processors_of_several_rows_are_joined() -> None:
    layout = layout_of(simulated_shape("64xH200"), 860)
    lefts = {box.place.left() for box in layout.boxes if isinstance(box.thing, OfSocket)}
    rails = [wire for wire in layout.wires if not wire.lanes.back]
    assert [wire.thing for wire in rails] == [OfSockets()]
    assert rails[0].lanes.bounds().right() == min(lefts)


def test_height_that_is_left_goes_between_the_parts() -> None:
    shape = simulated_shape("8xL40S")
    small, large = layout_of(shape, 860), layout_of(shape, 860, height=2000)
    assert small.size.height() < large.size.height() < 2.0 * small.size.height()


def test_the_way_across_processors_runs_through_all_between() -> None:
    shape = simulated_shape("8xL40S")
    way = way_of(shape, OfLink(CardId("SIM-0"), CardId("SIM-7")))
    assert OfSockets() in way
    assert {OfSocket(0), OfSocket(1)} <= set(way)
    beside = way_of(shape, OfLink(CardId("SIM-0"), CardId("SIM-1")))
    assert OfSocket(0) not in beside
