"""Where the parts of a drawn machine stand: nothing covers another, wires end where they do."""

from itertools import combinations

import pytest
from PySide6.QtCore import QPointF, QRectF

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.copies.moving.travel_panel import way_through
from gpuexplorer.gui.widgets.machine.layout import (
    SOCKETS,
    Kind,
    MachineLayout,
    Part,
    layout_of,
    way_of,
)
from gpuexplorer.telemetry.sources import simulated
from gpuexplorer.telemetry.topology import MachineShape, shape_of

MACHINES = "T4 2xTitanRTX 1xH100,1xT4 3xA6000 4xA6000 5xL40S 8xH100 8xB200 10xRTX3090 16xL40S"


def simulated_shape(spec: str) -> MachineShape:
    backend = simulated(spec)
    return shape_of(backend.topology(), backend.cards())


def laid_out(spec: str) -> MachineLayout:
    shape = simulated_shape(spec)
    return layout_of(shape, (*shape.home, *shape.loose), 660.0)


def covers(one: QRectF, other: QRectF) -> bool:
    """More than a common edge."""
    common = one.intersected(other)
    return common.width() > 0.5 and common.height() > 0.5


@pytest.mark.parametrize("spec", MACHINES.split())
def test_nothing_covers_another_and_wires_end_at_their_boxes(spec: str) -> None:
    layout = laid_out(spec)
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


def test_of_very_many_cards_two_are_drawn_alone_with_the_path_between_them() -> None:
    shape = simulated_shape("64xH200")
    ends = CardId("SIM-0"), CardId("SIM-63")
    layout = layout_of(shape, ends, 660.0)
    kinds = [part.kind for part, _ in layout.boxes]
    assert (kinds.count(Kind.CARD), kinds.count(Kind.SOCKET)) == (2, 2)
    one, other = (Part(Kind.SOCKET, number=shape.home[card]) for card in ends)
    assert len(way_through(layout, [(one, other)]).lanes) == 1


def test_the_way_across_processors_runs_through_all_between() -> None:
    shape = simulated_shape("8xL40S")
    first, second, last = (CardId(f"SIM-{number}") for number in (0, 1, 7))
    sockets = {Part(Kind.SOCKET, number=at) for at in (0, 1)}
    assert {SOCKETS, *sockets} <= set(way_of(shape, Part(Kind.LINK, first, last)))
    assert not sockets & set(way_of(shape, Part(Kind.LINK, first, second)))
