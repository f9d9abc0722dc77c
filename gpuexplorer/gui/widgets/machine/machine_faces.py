"""The faces of a drawn machine: what each of its parts shows, out of the newest readings."""

from collections.abc import Mapping

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.widgets.machine.machine_face import (
    BoxFace,
    Face,
    MachineNow,
    Texts,
    TileFace,
    WireFace,
)
from gpuexplorer.gui.widgets.machine.machine_things import (
    OfCard,
    OfHub,
    OfJunction,
    OfLink,
    OfMemory,
    OfMemoryWire,
    OfSocket,
    OfSockets,
    OfSpoke,
    OfUplink,
    Thing,
)
from gpuexplorer.gui.widgets.machine.wire_faces import (
    bridge_wire,
    host_wire,
    nvlink_kind,
    speed_texts,
    spoke_wire,
    uplink_wire,
)
from gpuexplorer.telemetry.topology import Hub, HubKind, Junction, PathKind

HUB_WORDS = {
    HubKind.SWITCH: (
        mark("NVSwitch, every card reaches every other"),
        mark("NVSwitch, all to all"),
        mark("NVSwitch"),
    ),
    HubKind.ALL: (
        mark("NVLink, every card to every other"),
        mark("NVLink, all to all"),
        mark("NVLink"),
    ),
    HubKind.SOME: (
        mark("NVLink, not every card to every other"),
        mark("NVLink, not all to all"),
        mark("NVLink"),
    ),
}
JUNCTION_WORDS = {
    PathKind.SWITCH: (mark("PCIe switch"), mark("switch")),
    PathKind.SWITCHES: (mark("PCIe switches"), mark("switches")),
    PathKind.HOST_BRIDGE: (mark("PCIe host bridge"), mark("host bridge")),
}
INFERRED = mark(
    "Switches and host bridges are inferred: the driver reports only the kind of each path."
)


def machine_faces(now: MachineNow) -> Mapping[Thing, Face]:
    """One for each thing that a layout of this shape may hold, out of the newest readings."""
    shape = now.shape
    faces: dict[Thing, Face] = {}
    for at in range(len(shape.sockets)):
        faces[OfSocket(at)] = _socket(now, at)
        faces[OfMemory(at)] = _memory(now, at)
        faces[OfMemoryWire(at)] = WireFace(
            tr("Memory bus of {processor}", processor=socket_name(now, at)),
            remark=tr("How fast it is is not reported."),
        )
    faces[OfSockets()] = WireFace(
        tr("Between the processors"),
        kind=(PathKind.SYSTEM.value,),
        remark=tr("The driver reports that paths of these cards cross it, not how fast it is."),
    )
    for card in (*shape.home, *shape.loose):
        faces[OfCard(card)] = _tile(now.faces[card])
    for card in shape.home:
        link = shape.host_link(card)
        assert link is not None
        faces[OfLink(card, HOST_ID)] = host_wire(now, card, link)
    for junction in shape.junctions:
        name = tr(JUNCTION_WORDS[junction.kind][0])
        faces[OfJunction(junction.number)] = _junction(now, junction)
        faces[OfUplink(junction.number)] = uplink_wire(now, junction, name)
    for hub in shape.hubs:
        faces[OfHub(hub.number)] = _hub(now, hub)
    for link in shape.bridges:
        faces[OfLink(link.a, link.b)] = bridge_wire(now, link)
    for card in shape.spokes:
        faces[OfSpoke(card)] = spoke_wire(now, card)
    return faces


def socket_name(now: MachineNow, at: int) -> str:
    number = now.shape.sockets[at].number
    if number is None or len(now.shape.sockets) == 1:
        return tr("the processor")
    return tr("NUMA node {number}", number=number)


def processor_title(now: MachineNow, at: int) -> str:
    number = now.shape.sockets[at].number
    if number is None or len(now.shape.sockets) == 1:
        return tr("Processor")
    return tr("NUMA node {number}", number=number)


def processors_near(now: MachineNow, at: int) -> str:
    """Their numbers; empty where the cards of one node report different ones."""
    cards = now.shape.sockets[at].cards
    near = {now.topology.cpu_affinity.get(card, "") for card in cards}
    return near.pop() if len(near) == 1 else ""


def memory_amount(now: MachineNow, at: int) -> str:
    """For several nodes only the size is known, and what is used for the whole computer."""
    number = now.shape.sockets[at].number
    if len(now.shape.sockets) == 1:
        return now.host.memory.figure.value
    size = None if number is None else now.topology.node_memory.get(number)
    return "" if size is None else str(memory(float(size), now.units))


def _tile(face: CardFace) -> TileFace:
    """Power and temperature are the first two small figures that every tile shows."""
    shows = face.answers and face.colour is not None
    two = [each for each in face.figures[:2] if each.known] if shows else []
    return TileFace(face, tuple((each.value, each.shorter.value) for each in two))


def _socket(now: MachineNow, at: int) -> BoxFace:
    socket = now.shape.sockets[at]
    near = processors_near(now, at)
    cpus = tr("CPUs {numbers}", numbers=near) if near else ""
    node = "" if socket.number is None else tr("NUMA node {number}", number=socket.number)
    alone = len(now.shape.sockets) == 1 or not node
    remarks = [part for part in (node if alone else "", cpus) if part]
    close = tr("Close to {cards}.", cards=now.named(socket.cards))
    title = (tr("Processor"), tr("CPU"))
    if not alone:
        title = (node, tr("Node {number}", number=socket.number))
    return BoxFace(
        name=title[0],
        spoken=" ".join([*(f"{each}." for each in remarks), close]),
        title=title,
        remark=tuple(", ".join(remarks[:count]) for count in range(len(remarks), 0, -1)),
    )


def _memory(now: MachineNow, at: int) -> BoxFace:
    number = now.shape.sockets[at].number
    amount = memory_amount(now, at)
    name, title = tr("Host memory"), tr("Host memory")
    if len(now.shape.sockets) > 1 and number is not None:
        name = tr("Host memory of NUMA node {number}", number=number)
        title = tr("Host memory {number}", number=number)
    return BoxFace(
        name=name,
        spoken=f"{amount}." if amount else tr("Its size is not reported."),
        title=(title, tr("Memory")),
        remark=(amount,) if amount else (),
    )


def _junction(now: MachineNow, junction: Junction) -> BoxFace:
    words = tuple(tr(each) for each in JUNCTION_WORDS[junction.kind])
    cards = now.named(junction.cards)
    return BoxFace(
        name=tr("{part} of {cards}", part=words[0], cards=cards),
        spoken=tr(INFERRED),
        title=words,
        remark=(junction.kind.value,),
    )


def _hub(now: MachineNow, hub: Hub) -> BoxFace:
    words = tuple(tr(each) for each in HUB_WORDS[hub.kind])
    spokes = [now.shape.spokes[card] for card in hub.cards]
    remarks: Texts = ()
    if len({(spoke.nvlinks, spoke.rate) for spoke in spokes}) == 1:
        kind = nvlink_kind(spokes[0].generation, spokes[0].nvlinks)
        speed = speed_texts(spokes[0].rate)
        remarks = (kind[0], kind[-1])
        if speed:
            said = [
                tr("{kind}, {rate} each way", kind=each, rate=speed[0])
                for each in (kind[0], kind[-1])
            ]
            remarks = (*said, kind[-1])
    return BoxFace(
        name=tr("{part} of {cards}", part=words[-1], cards=now.named(hub.cards)),
        spoken=" ".join(f"{each}." for each in (words[0], *remarks[:1])),
        title=words,
        remark=remarks,
    )
