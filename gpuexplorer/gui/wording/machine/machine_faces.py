"""The faces of a drawn machine: what each of its parts shows, out of the newest readings."""

from collections.abc import Mapping

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.cards.device_face import short_name
from gpuexplorer.gui.wording.machine.machine_face import (
    BoxFace,
    Face,
    MachineNow,
    Texts,
    TileFace,
    WireFace,
)
from gpuexplorer.gui.wording.machine.machine_things import (
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
from gpuexplorer.gui.wording.machine.wire_faces import (
    bridge_wire,
    host_wire,
    nvlink_kind,
    speed_texts,
    spoke_wire,
    uplink_wire,
)
from gpuexplorer.telemetry.machine_shape import Hub, HubKind, Junction
from gpuexplorer.telemetry.topology import PathKind

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
INFERRED = mark("Drawn from the path kinds that the driver reports: it lists no switches.")


def machine_faces(now: MachineNow) -> Mapping[Thing, Face]:
    """One for each thing that a layout of this shape may hold."""
    return {**lasting_faces(now), **passing_faces(now)}


def lasting_faces(now: MachineNow) -> Mapping[Thing, Face]:
    """The faces that no reading changes."""
    shape = now.shape
    faces: dict[Thing, Face] = {}
    for at in range(len(shape.sockets)):
        faces[OfSocket(at)] = _socket(now, at)
        faces[OfMemoryWire(at)] = WireFace(
            tr("Memory bus of {processor}", processor=socket_name(now, at)),
            remark=tr("How fast it is is not reported."),
        )
    for junction in shape.junctions:
        faces[OfJunction(junction.number)] = _junction(now, junction)
    for hub in shape.hubs:
        faces[OfHub(hub.number)] = _hub(now, hub)
    faces[OfSockets()] = WireFace(
        tr("Between the processors"),
        kind=(PathKind.SYSTEM.value,),
        remark=tr("The driver reports that paths of these cards cross it, not how fast it is."),
    )
    return faces


def passing_faces(now: MachineNow) -> Mapping[Thing, Face]:
    """The faces that the next reading may change."""
    shape = now.shape
    faces: dict[Thing, Face] = {
        OfMemory(at): _memory(now, at) for at in range(len(shape.sockets))
    }
    for card in (*shape.home, *shape.loose):
        faces[OfCard(card)] = _tile(now, card)
    for card in shape.home:
        link = shape.host_link(card)
        assert link is not None
        faces[OfLink(card, HOST_ID)] = host_wire(now, card, link)
    for junction in shape.junctions:
        name = tr(JUNCTION_WORDS[junction.kind][0])
        faces[OfUplink(junction.number)] = uplink_wire(now, junction, name)
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


def _tile(now: MachineNow, card: CardId) -> TileFace:
    face = now.faces[card]
    found, silent = face.mark, bool(face.sentence)
    word: Texts = () if face.busy.known else face.busy.absent
    if silent:
        word = (face.word,)
    amount = face.memory.figure
    room = (amount.value, amount.shorter.value) if amount.known else amount.absent
    instances = len(face.instances)
    if instances:
        many = trn("{count} MIG instance", "{count} MIG instances", instances)
        model: Texts = (many, tr("MIG"))
    else:
        short = short_name(face.name)
        model = (face.name.removeprefix("NVIDIA "), short, short.removeprefix("RTX "))
    shows = face.busy.known and not silent
    return TileFace(
        number=face.number,
        colour=face.colour,
        model=model,
        busy=face.busy.number if shows else "",
        unit=face.busy.unit if shows else "",
        share=None if silent else face.busy_share,
        word=word,
        tone=found.tone if silent and found is not None else Tone.FAINT,
        memory=() if silent else room,
        filled=None if silent else face.memory.used,
        small=() if silent or face.colour is None else _small(face),
        cuda=face.cuda,
        silent=silent,
        lost=now.lost(card),
        card=face,
    )


def _small(face: CardFace) -> tuple[Texts, ...]:
    """Power and temperature: the first two that every tile shows."""
    return tuple((each.value, each.shorter.value) for each in face.figures[:2] if each.known)


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
            full = tr("{kind}, {rate} each way", kind=kind[0], rate=speed[0])
            remarks = (full, f"{kind[-1]}, {speed[0]}", kind[-1])
    return BoxFace(
        name=tr("{part} of {cards}", part=words[-1], cards=now.named(hub.cards)),
        spoken=" ".join(f"{each}." for each in (words[0], *remarks[:1])),
        title=words,
        remark=remarks,
    )
