"""All that is known of a machine and of each of its parts, and the panel that shows it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLabel

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.units import rate
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.figure import NOTE, PCIE, Fact, card_facts, metric_fact
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import FREE, Space, add, say, wrapped_label
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from gpuexplorer.gui.widgets.machine.machine_faces import BoxFace, Face, MachineNow, WireFace
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.topology import HubKind, Link, PathKind, Spoke

_MOST_PROCESSORS = 4  # of which each is told of by itself
_LABEL_WIDTH = 126
_NVLINK = m.NVLINK_RECEIVE, m.NVLINK_TRANSMIT
# What to make of it.
_SENTENCES: Mapping[Kind | HubKind, str] = {
    Kind.UPLINK: mark(
        "Drawn as wide as the widest of its cards' links; some of their traffic may stay below."
    ),
    Kind.SOCKET: mark("Programs that feed these cards run best on these CPUs."),
    HubKind.SWITCH: mark(
        "The cards have fewer links than they would need to reach each other directly, so "
        "NVSwitch chips stand between them. The driver does not list these."
    ),
}


class PartFactsPanel(Panel):
    """Its rows are made once and shown again with other words."""

    open_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__("")
        self._open = ToolButton("word", Icon.NEXT, tr("Open card"))
        self._open.clicked.connect(lambda: self.open_asked.emit(self._opens))
        self._opens: CardId | None = None
        self._sentence = wrapped_label("", Tone.TEXT)
        self._form = QFormLayout(verticalSpacing=6)
        self._rows: list[tuple[QLabel, QLabel]] = []
        self.head.addWidget(self._open)
        add(self.body, self._sentence, Space(12), self._form, FREE)

    def show_part(
        self, now: MachineNow, part: Part | None, faces: Mapping[Part, Face], source: Source
    ) -> None:
        if part is None:
            self._show_machine(now)
            return
        shape, face, facts = now.shape, faces.get(part), list[Fact]()
        ends = near = tuple(card for card in part[1:3] if card in now.cards)
        opens = ends[0] if len(ends) == 1 else None
        about = shape.hubs[part.number].kind if part.kind is Kind.HUB else part.kind
        said, gone = tr(_SENTENCES.get(about, "")), lost_words(now, ends)
        match part.kind:
            case Kind.CARD:
                facts = _card(now, part.card)
            case Kind.LINK:
                facts, said = _link(now, part, source)
            case Kind.SPOKE:
                facts = [_theory([shape.spokes[part.card]])]
            case Kind.HUB:
                sums = tr("All receive now"), tr("All send now")
                for words, metric in zip(sums, _NVLINK, strict=True):
                    total, missing = now.sum(shape.hubs[part.number].cards, metric)
                    told = "" if total is None else str(rate(total))
                    if told and missing:
                        told = tr("{rate}, {count} not reported", rate=told, count=missing)
                    facts.append(Fact("", words, told))
            case Kind.JUNCTION | Kind.UPLINK:
                _, path, near = shape.junctions[part.number]
                words = f"{path.value}: {tr(path.sentence)}"
                facts = [Fact("", tr("Path"), words), _theory([])]
            case Kind.SOCKET | Kind.MEMORY | Kind.MEMORY_WIRE:
                near, opens = shape.sockets[part.number].cards, HOST_ID
        if isinstance(face, BoxFace):
            said = f"{face.spoken} {said}".strip()
        elif gone:
            said = " ".join([*gone, tr("Nothing passes here.")])
        # What passes a switch is known of the wire above it.
        wire = faces[part._replace(kind=Kind.UPLINK)] if part.kind is Kind.JUNCTION else face
        if isinstance(wire, WireFace):
            facts += [Fact("", tr("Kind"), kind) for kind in wire.kind[:1]]
            absent = "".join(wire.absent[:1])
            lanes = [lane for lane in (wire.back, wire.forth) if lane.word]
            for lane in lanes:
                words = tr("Now {direction}", direction=lane.word)
                told = f"{lane.figure} GB/s" if lane.figure else ""
                facts.append(Fact("", words, told, absent=absent))
            if not lanes:
                facts.append(Fact("", tr("Traffic"), absent=absent))
        if near:
            nodes, cpus = shape.topology.numa_nodes, shape.topology.cpu_affinity
            node = dict.fromkeys(str(nodes[card]) for card in near if card in nodes)
            one = tr("there is only one, or it is not reported")
            facts.append(Fact("", tr("NUMA node"), ", ".join(node), absent=one))
            close = dict.fromkeys(cpus[card] for card in near if cpus.get(card))
            facts.append(Fact("", tr("CPUs close by"), ", ".join(close)))
        tone = Tone.BAD if gone else face.tone if isinstance(face, WireFace) else Tone.TEXT
        title = face.name if face else ends_words(now, *ends)
        self._show(title, facts, said, tone, opens)

    def _show_machine(self, now: MachineNow) -> None:
        shape, links = now.shape, now.shape.topology.links
        processors = range(len(shape.sockets))
        told = str(len(processors))
        if len(processors) > 1 and not any(now.node(at) for at in processors):
            told = tr("{count}, judging by the paths", count=told)
        facts = [Fact("", tr("Processors"), told)]
        facts += _reached(now, [link for link in links if link.b != HOST_ID])
        facts.append(_theory([link for link in links if link.b == HOST_ID], tr("To the host")))
        for at in processors if len(processors) <= _MOST_PROCESSORS else ():
            near = now.processors_near(at)
            cpus = tr("CPUs {numbers}", numbers=near) if near else ""
            said = now.named(shape.sockets[at].cards), cpus, now.memory_of(at)
            words = ", ".join(filter(None, said))
            facts.append(Fact("", now.node(at) or tr("Processor"), words))
        title = trn("{count} card", "{count} cards", len({*shape.home, *shape.loose}))
        how = tr("Click a card, a wire or a cell of the matrix to see what is known about it.")
        self._show(title, facts, how, Tone.QUIET)

    def _show(
        self,
        title: str,
        facts: Sequence[Fact],
        said: str,
        tone: Tone,
        opens: CardId | None = None,
    ) -> None:
        self.show_heading(title)
        self.setAccessibleName(tr("Facts"))
        self._opens = opens
        self._open.show_words(tr("Open host") if opens == HOST_ID else tr("Open card"))
        self._open.setVisible(opens is not None)
        say(self._sentence, said)
        restyle(self._sentence, "tone", tone.value)
        for _ in facts[len(self._rows) :]:
            name, value = wrapped_label("", Tone.QUIET), wrapped_label("", Tone.TEXT)
            name.setFixedWidth(_LABEL_WIDTH)
            self._form.addRow(name, value)
            self._rows.append((name, value))
        for at in range(len(self._rows)):
            self._form.setRowVisible(at, at < len(facts))
        for fact, (name, value) in zip(facts, self._rows, strict=False):
            name.setText(fact.label)
            value.setText(fact.read)
            value.setToolTip(fact.hint)
            value.setAccessibleName(fact.line)
            restyle(value, "tone", (Tone.TEXT if fact.value else Tone.FAINT).value)


def _card(now: MachineNow, card: CardId) -> list[Fact]:
    known, host = now.cards[card].card, now.shape.host_link(card)
    facts = [_theory([host] if host else [], tr("To the host"))]
    if known.nvlinks:
        up = metric_fact(now.reading(card), m.NVLINK_ACTIVE, now.units)
        of = tr("{part} of {whole}", part=up.value, whole=known.nvlinks)
        facts.append(replace(up, value=up.value and of))
    links = [now.shape.link(card, other) for other in now.cards if other != card]
    facts += _reached(now, list(filter(None, links)), card)
    return [*facts, Fact("", tr("PCI address"), known.bus_id or "")]


def _link(now: MachineNow, part: Part, source: Source) -> tuple[list[Fact], str]:
    """And what to make of it."""
    link, reading = now.shape.link(part.card, part.to), now.reading(part.card)
    if link is None:
        return [], tr("The driver does not report how they are joined.")
    facts = [Fact("", tr("Path"), f"{link.letters}: {path_words(link)}"), _theory([link])]
    if link.path is PathKind.C2C:
        return facts, ""
    if part.to == HOST_ID:
        pcie = card_facts(now.cards[part.card].card, source, reading, now.units)[PCIE]
        elsewhere = m.PCIE_RECEIVE, m.PCIE_TRANSMIT, NOTE
        facts += [each for each in pcie if each.key not in elsewhere]
        return facts, next((each.label for each in pcie if each.key == NOTE), "")
    facts.append(_peer([link]))
    if link.nvlinks and link.pcie_path is not PathKind.UNKNOWN:
        words = f"{link.pcie_path.value}: {tr(link.pcie_path.sentence)}"
        facts.append(Fact("", tr("Without NVLink"), words))
    if link not in now.shape.bridges:
        absent = tr("reported for each card only, not for each pair")
        facts.append(Fact("", tr("Traffic"), absent=absent))
    if link.peer_to_peer is False and not link.nvlinks:
        return facts, tr("Copies between the two go through the computer's memory.")
    return facts, ""


def _range(ways: Iterable[Link | Spoke]) -> str:
    """ "31.5 GB/s each way", or from the slowest to the fastest."""
    rates = sorted({way.rate for way in ways if way.rate is not None})
    ends = dict.fromkeys(str(rate(each)) for each in (*rates[:1], *rates[-1:]))
    return tr("{rate} each way", rate=" – ".join(ends)) if ends else ""


def _theory(ways: Sequence[Link | Spoke], label: str = "") -> Fact:
    told, said = (way.rate_reason for way in ways if isinstance(way, Link)), _range(ways)
    why = ", ".join(tr(each) for each in dict.fromkeys(told) if each)
    hint = tr("Follows from {reason}.", reason=why) if why and said else ""
    return Fact("", label or tr("In theory"), said, "", why, hint)


def _peer(links: Sequence[Link]) -> Fact:
    hint = tr("Whether one card may read the other's memory itself, without the host's.")
    direct = sum(link.peer_to_peer is True for link in links)
    why = next((tr(link.peer_reason) for link in links if link.peer_reason), "")
    refused = any(link.peer_to_peer is False for link in links)
    words = tr("no: {reason}", reason=why) if refused else ""
    if direct:
        one, many = mark("{direct} of {count} pair"), mark("{direct} of {count} pairs")
        words = trn(one, many, len(links), direct=direct)
    if direct == len(links):
        words = tr("yes")
    return Fact("", tr("Peer to peer"), words, "", why, hint)


def _reached(now: MachineNow, links: Sequence[Link], card: CardId = HOST_ID) -> list[Fact]:
    """By the kind of the path: how many pairs have it, or which others a card reaches."""
    by_letters: dict[str, list[Link]] = {}
    for link in links:
        by_letters.setdefault(link.letters, []).append(link)
    facts = []
    for letters, found in by_letters.items():
        said = trn("{count} pair", "{count} pairs", len(found))
        if card != HOST_ID:
            said = now.named([link.b if link.a == card else link.a for link in found])
        whole = ", ".join(filter(None, (said, _range(found))))
        facts.append(Fact("", letters, whole, hint=tr(found[0].path.sentence)))
    return [*facts, _peer(links)] if links else facts


def ends_words(now: MachineNow, a: CardId, b: CardId) -> str:
    if b == HOST_ID:
        return tr("Card {number} to the host", number=now.number(a))
    return tr("Card {a} to card {b}", a=now.number(a), b=now.number(b))


def cell_words(now: MachineNow, a: CardId, b: CardId) -> tuple[str, str]:
    """The path between the two, and what it could carry."""
    link = now.shape.link(a, b)
    path = tr("not reported") if link is None else path_words(link)
    said = tr("{ends}: {path}.", ends=ends_words(now, a, b), path=path)
    theory = _theory([] if link is None else [link])
    return said, theory.line


def path_words(link: Link) -> str:
    """The kind of the path spelled out."""
    if not link.nvlinks:
        return tr(link.path.sentence)
    return trn("{count} NVLink", "{count} NVLinks that work together", link.nvlinks)


def lost_words(now: MachineNow, cards: Iterable[CardId]) -> list[str]:
    lost = [card for card in cards if now.lost(card)]
    unlisted = [card for card in lost if now.unlisted(card)]
    fallen = [card for card in lost if card not in unlisted]
    said = [tr("No longer listed: {cards}.", cards=now.named(unlisted))] if unlisted else []
    return [*said, tr("Lost: {cards}.", cards=now.named(fallen))] if fallen else said
