"""What stands between the cards, as the kinds of their paths tell it."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest

from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.topology import (
    HubKind,
    Link,
    MachineShape,
    PathKind,
    Topology,
    nvlink_rate,
    pcie_rate,
    shape_of,
)


def card(index: int, nvlinks: int = 0) -> Card:
    return Card(CardId(f"GPU-{index}"), index, "NVIDIA A100", 1 << 34, nvlinks=nvlinks)


def wired(
    paths: dict[tuple[int, int], PathKind],
    count: int,
    nodes: dict[int, int] | None = None,
    nvlinks: dict[tuple[int, int], int] | None = None,
) -> Topology:
    """Cards whose pairs are joined as told, and all others across processors."""
    links = [
        Link(card(n).id, HOST_ID, PathKind.HOST_BRIDGE, rate=pcie_rate(4, 16))
        for n in range(count)
    ]
    for pair in combinations(range(count), 2):
        path = paths.get(pair, PathKind.SYSTEM)
        many = (nvlinks or {}).get(pair, 0)
        a, b = (card(n).id for n in pair)
        if many:
            rate = (nvlink_rate(3) or 0.0) * many
            links.append(Link(a, b, PathKind.NVLINK, many, 3, rate=rate, pcie_path=path))
        else:
            links.append(Link(a, b, path, rate=pcie_rate(4, 16)))
    numbers = {card(n).id: node for n, node in (nodes or {}).items()}
    return Topology([card(n).id for n in range(count)], links, numbers)


def shape(topology: Topology, nvlinks: int = 0) -> MachineShape:
    return shape_of(topology, [card(n, nvlinks) for n in range(len(topology.cards))])


def named(cards: Sequence[CardId]) -> list[int]:
    return [int(each.removeprefix("GPU-")) for each in cards]


def test_cards_joined_by_one_switch_stand_on_it_and_on_their_processor() -> None:
    told = wired({(0, 1): PathKind.SWITCH, (2, 3): PathKind.SWITCH}, 4)
    found = shape(told)
    assert [named(socket.cards) for socket in found.sockets] == [[0, 1], [2, 3]]
    assert [named(each.cards) for each in found.junctions] == [[0, 1], [2, 3]]
    assert {each.kind for each in found.junctions} == {PathKind.SWITCH}


def test_nvlinks_between_two_cards_are_a_bridge_and_hide_no_switch() -> None:
    found = shape(wired({(0, 1): PathKind.SWITCH}, 2, nvlinks={(0, 1): 4}), nvlinks=4)
    assert [(link.a, link.b) for link in found.bridges] == [("GPU-0", "GPU-1")]
    assert [each.kind for each in found.junctions] == [PathKind.SWITCH]
    assert found.hubs == ()


@pytest.mark.parametrize(
    ("own", "kind", "nvlinks", "rate"),
    [(12, HubKind.SWITCH, 12, 300e9), (36, HubKind.ALL, 36, 900e9)],
)
def test_links_that_are_shared_among_partners_lead_to_a_switch(
    own: int, kind: HubKind, nvlinks: int, rate: float
) -> None:
    pairs = dict.fromkeys(combinations(range(4), 2), 12)
    found = shape(wired({}, 4, nvlinks=pairs), nvlinks=own)
    [hub] = found.hubs
    assert hub.kind is kind
    spoke = found.spokes[CardId("GPU-2")]
    assert (spoke.nvlinks, spoke.rate) == (nvlinks, rate)


def test_the_kernel_tells_processors_and_memory_close_to_a_card(tmp_path: Path) -> None:
    device = tmp_path / "bus/pci/devices/0000:3b:00.0"
    device.mkdir(parents=True)
    (device / "local_cpulist").write_text("0-15,32-47\n")
    node = tmp_path / "devices/system/node/node1"
    node.mkdir(parents=True)
    (node / "meminfo").write_text(
        "Node 1 MemTotal:       263931384 kB\nNode 1 MemFree:        259000000 kB\n"
    )
    bus = PciBus(tmp_path)
    assert bus.processors_near("0000:3b:00.0") == "0-15,32-47"
    assert bus.processors_near("0000:00:00.0") == ""
    assert bus.memory_of_node(1) == 263931384 * 1024
    assert bus.memory_of_node(0) is None
