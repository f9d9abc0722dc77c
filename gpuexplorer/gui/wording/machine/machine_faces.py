"""The faces of a drawn machine: what each of its parts shows, out of the newest readings."""

from collections.abc import Mapping

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.units import memory
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.cards.short_names import short_name
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.gui.wording.machine.machine_face import (
    BoxFace,
    Face,
    Texts,
    TileFace,
    WireFace,
)
from gpuexplorer.gui.wording.machine.machine_now import MachineNow
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
from gpuexplorer.gui.wording.sentences import sentences
from gpuexplorer.telemetry.machine_shape import Hub, HubKind, Junction
from gpuexplorer.telemetry.topology import PathKind

HUB_WORDS = {
    HubKind.SWITCH: (
        "NVSwitch, every card reaches every other",
        "NVSwitch, all to all",
        "NVSwitch",
    ),
    HubKind.ALL: ("NVLink, every card to every other", "NVLink, all to all", "NVLink"),
    HubKind.SOME: ("NVLink, not every card to every other", "NVLink, not all to all", "NVLink"),
}
JUNCTION_WORDS = {
    PathKind.SWITCH: ("PCIe switch", "switch"),
    PathKind.SWITCHES: ("PCIe switches", "switches"),
    PathKind.HOST_BRIDGE: ("PCIe host bridge", "host bridge"),
}
INFERRED = "Drawn from the path kinds that the driver tells: it lists no switches."


def machine_faces(now: MachineNow) -> Mapping[Thing, Face]:
    """One for each thing that a layout of this shape may hold."""
    return {**lasting_faces(now), **passing_faces(now)}


def lasting_faces(now: MachineNow) -> Mapping[Thing, Face]:
    """Of what no reading changes."""
    shape = now.shape
    faces: dict[Thing, Face] = {}
    for at in range(len(shape.sockets)):
        faces[OfSocket(at)] = _socket(now, at)
        faces[OfMemoryWire(at)] = WireFace(
            f"Memory bus of {socket_name(now, at)}", remark="Nobody tells how fast it is."
        )
    for junction in shape.junctions:
        faces[OfJunction(junction.number)] = _junction(now, junction)
    for hub in shape.hubs:
        faces[OfHub(hub.number)] = _hub(now, hub)
    faces[OfSockets()] = WireFace(
        "Between the processors",
        kind=("SYS",),
        remark="The driver tells that ways of these cards cross it, not how fast it is.",
    )
    return faces


def passing_faces(now: MachineNow) -> Mapping[Thing, Face]:
    """Of what the next reading may change."""
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
        name = JUNCTION_WORDS[junction.kind][0]
        faces[OfUplink(junction.number)] = uplink_wire(now, junction, name)
    for link in shape.bridges:
        faces[OfLink(link.a, link.b)] = bridge_wire(now, link)
    for card in shape.spokes:
        faces[OfSpoke(card)] = spoke_wire(now, card)
    return faces


def socket_name(now: MachineNow, at: int) -> str:
    number = now.shape.sockets[at].number
    if number is None or len(now.shape.sockets) == 1:
        return "the processor"
    return f"NUMA node {number}"


def processors_near(now: MachineNow, at: int) -> str:
    """Their numbers; empty where cards of one node are told different ones."""
    cards = now.shape.sockets[at].cards
    near = {now.topology.cpu_affinity.get(card, "") for card in cards}
    return near.pop() if len(near) == 1 else ""


def memory_amount(now: MachineNow, at: int) -> str:
    """Of several nodes only the size is told, and only of the whole computer what is used."""
    number = now.shape.sockets[at].number
    if len(now.shape.sockets) == 1:
        return _amount(now.host.memory)
    size = None if number is None else now.topology.node_memory.get(number)
    return "" if size is None else str(memory(float(size), now.units))


def _tile(now: MachineNow, card: CardId) -> TileFace:
    face = now.faces[card]
    mark, silent = face.mark, bool(face.sentence)
    word: Texts = () if face.busy.known else face.busy.absent
    if silent:
        words = (mark.word, mark.brief) if mark is not None else ("not read yet", "not yet")
        word = tuple(each.lower() for each in words if each)
    amount = face.memory.figure
    room = (_amount(amount), _amount(amount.shorter)) if amount.known else amount.absent
    model = face.name.removeprefix("NVIDIA ")
    short = short_name(face.name)
    instances = len(face.instances)
    if instances:
        model = f"{instances} MIG instance{'s' if instances > 1 else ''}"
    return TileFace(
        number=face.number,
        colour=face.colour,
        model=(model, "MIG") if instances else (model, short, short.removeprefix("RTX ")),
        busy="" if silent or not face.busy.known else f"{face.busy.number} {face.busy.unit}",
        share=None if silent else face.busy_share,
        word=word,
        tone=mark.tone if silent and mark is not None else Tone.FAINT,
        memory=() if silent else room,
        filled=None if silent else face.memory.used,
        small=() if silent or face.colour is None else _small(face),
        cuda=face.cuda,
        silent=silent,
        lost=now.lost(card),
        card=face,
    )


def _small(face: CardFace) -> tuple[Texts, ...]:
    """Power and temperature: the first two that every tile tells."""
    told = [each for each in face.figures[:2] if each.known]
    return tuple((_amount(each), _amount(each.shorter)) for each in told)


def _amount(figure: Figure) -> str:
    """ "19.5 of 24 GiB"; empty where it is not known."""
    if not figure.known:
        return ""
    return " ".join(part for part in (figure.number, figure.of, figure.unit) if part)


def _socket(now: MachineNow, at: int) -> BoxFace:
    socket = now.shape.sockets[at]
    near = processors_near(now, at)
    node = "" if socket.number is None else f"NUMA node {socket.number}"
    alone = len(now.shape.sockets) == 1 or not node
    remarks = [part for part in (node if alone else "", near and f"CPUs {near}") if part]
    return BoxFace(
        name="Processor" if alone else node,
        spoken=sentences([*remarks, f"Close to {now.named(socket.cards)}"]),
        title=("Processor", "CPU") if alone else (node, f"Node {socket.number}"),
        remark=tuple(", ".join(remarks[:count]) for count in range(len(remarks), 0, -1)),
    )


def _memory(now: MachineNow, at: int) -> BoxFace:
    number = now.shape.sockets[at].number
    alone = len(now.shape.sockets) == 1 or number is None
    amount = memory_amount(now, at)
    return BoxFace(
        name="Host memory" if alone else f"Host memory of NUMA node {number}",
        spoken=f"{amount}." if amount else "Its size is not told.",
        title=("Host memory", "Memory") if alone else (f"Host memory {number}", "Memory"),
        remark=(amount,) if amount else (),
    )


def _junction(now: MachineNow, junction: Junction) -> BoxFace:
    words = JUNCTION_WORDS[junction.kind]
    return BoxFace(
        name=f"{words[0]} of {now.named(junction.cards)}",
        spoken=INFERRED,
        title=words,
        remark=(junction.kind.value,),
    )


def _hub(now: MachineNow, hub: Hub) -> BoxFace:
    words = HUB_WORDS[hub.kind]
    spokes = [now.shape.spokes[card] for card in hub.cards]
    remarks: Texts = ()
    if len({(spoke.nvlinks, spoke.rate) for spoke in spokes}) == 1:
        kind = nvlink_kind(spokes[0].generation, spokes[0].nvlinks)
        speed = speed_texts(spokes[0].rate)
        full = f"{kind[0]}, {speed[0]} each way" if speed else kind[0]
        remarks = (full, *(f"{kind[-1]}, {each}" for each in speed[:1]), kind[-1])
    return BoxFace(
        name=f"{words[-1]} of {now.named(hub.cards)}",
        spoken=sentences([words[0], *remarks[:1]]),
        title=words,
        remark=remarks,
    )
