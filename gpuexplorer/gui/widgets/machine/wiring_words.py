"""Words on the wiring: the kinds of paths, the matrix as text, and why there is no drawing."""

from collections.abc import Collection, Sequence

from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.units import gigabytes_per_second, rate
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.widgets.machine.machine_face import MachineNow
from gpuexplorer.telemetry.topology import Link, PathKind

# After so many seconds a person may ask themselves whether anything goes on at all.
LONG = 3.0


def only_instances() -> tuple[str, str]:
    return (
        tr("Only MIG instances are visible here."),
        tr("How cards are wired is known for whole cards only."),
    )


def waiting_words(seconds: float) -> tuple[str, str]:
    """What stands in the place of the drawing: what is so, and what happens meanwhile."""
    if seconds < LONG:
        return tr("The driver is asked how the cards are wired."), ""
    return (
        tr(
            "The driver has not answered for {seconds:.0f} s how the cards are wired.",
            seconds=seconds,
        ),
        tr("It is waited for; the rest of the window goes on."),
    )


def waiting_again(seconds: float) -> str:
    """Below the drawing of before; empty while it is no wonder."""
    if seconds < LONG:
        return ""
    return tr(
        "The driver has not answered for {seconds:.0f} s how the cards are wired: the drawing "
        "shows what it reported before.",
        seconds=seconds,
    )


def nothing_words(states: Collection[CardState]) -> tuple[str, str]:
    """A driver that reported no wire at all: what is so, and what happens next."""
    if states and all(state is CardState.ASLEEP for state in states):
        return (
            tr("All cards sleep and are not woken to ask how they are wired."),
            tr("The driver is asked when one of them is used."),
        )
    if CardState.NO_DRIVER in states:
        return (
            tr("The driver is gone."),
            tr("It is asked how the cards are wired when it is back."),
        )
    return tr("The driver does not report how the cards are wired."), tr("It is asked again.")


def notes(now: MachineNow) -> Sequence[str]:
    """What must be known to read the drawing."""
    said = []
    gone = [card for card in now.shape.home if now.lost(card)]
    unlisted = [card for card in gone if now.unlisted(card)]
    if unlisted:
        said.append(
            trn(
                "No longer listed: {cards}. Its wires are drawn as they were.",
                "No longer listed: {cards}. Their wires are drawn as they were.",
                len(unlisted),
                cards=now.named(unlisted),
            )
        )
    lost = [card for card in gone if card not in unlisted]
    if lost:
        said.append(
            trn(
                "Lost: {cards}. Its wires are drawn as they were.",
                "Lost: {cards}. Their wires are drawn as they were.",
                len(lost),
                cards=now.named(lost),
            )
        )
    if now.shape.loose:
        cards = now.named(now.shape.loose)
        said.append(tr("How {cards} would be reached is not reported.", cards=cards))
    return said


def path_words(link: Link) -> str:
    """The kind of the path spelled out."""
    if not link.nvlinks:
        return tr(link.path.sentence)
    return trn("{count} NVLink", "{count} NVLinks that work together", link.nvlinks)


def cell_words(now: MachineNow, a: CardId, b: CardId) -> str:
    """All that a cell of the matrix has to say."""
    number = now.number(a)
    if a == b:
        return tr("Card {number} itself.", number=number)
    if b == HOST_ID:
        ends = tr("Card {number} to the host", number=number)
    else:
        ends = tr("Card {a} to card {b}", a=number, b=now.number(b))
    link = now.shape.link(a, b)
    if link is None:
        return tr("{ends}: not reported.", ends=ends)
    said = tr("{ends}: {path}.", ends=ends, path=path_words(link))
    if link.rate is not None:
        return f"{said} {tr('{rate} each way in theory.', rate=rate(link.rate))}"
    return f"{said} {tr(link.rate_reason)}." if link.rate_reason else said


def letters(now: MachineNow, a: CardId, b: CardId) -> str:
    """As nvidia-smi writes it."""
    if a == b:
        return PathKind.SELF.value
    link = now.shape.link(a, b)
    return PathKind.UNKNOWN.value if link is None else link.letters


def figure(now: MachineNow, a: CardId, b: CardId) -> str:
    """GB/s each way; a dash on the diagonal, and a question mark where nobody tells."""
    if a == b:
        return "–"
    link = now.shape.link(a, b)
    if link is None or link.rate is None:
        return PathKind.UNKNOWN.value
    return gigabytes_per_second(link.rate)


def legend(now: MachineNow) -> Sequence[tuple[str, str]]:
    """Letters and words of the kinds that occur."""
    kinds = {link.path for link in now.shape.topology.links}
    if now.shape.loose:
        kinds.add(PathKind.UNKNOWN)
    return [
        ("NV#" if kind is PathKind.NVLINK else kind.value, tr(kind.sentence))
        for kind in PathKind
        if kind in kinds
    ]


def matrix_cards(now: MachineNow) -> Sequence[CardId]:
    """In the driver's order, as in every other table."""
    drawn = {*now.shape.home, *now.shape.loose}
    return [card for card in now.cards if card in drawn]


def matrix_text(now: MachineNow, heading: str) -> str:
    """The whole matrix, to be pasted where letters have one width."""
    cards = matrix_cards(now)
    head = [now.number(HOST_ID), *(now.number(card) for card in cards)]
    rows = [["", *head, tr("NUMA"), tr("CPUs")]]
    for card in cards:
        node = now.topology.numa_nodes.get(card)
        rows.append(
            [
                now.number(card),
                letters(now, card, HOST_ID),
                *(letters(now, card, other) for other in cards),
                "-" if node is None else str(node),
                now.topology.cpu_affinity.get(card, "-"),
            ]
        )
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    known = [f"{each:5} {words}" for each, words in legend(now)]
    return "\n".join([heading, "", *lines, "", *known]) + "\n"
