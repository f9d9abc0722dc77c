"""Words on the wiring: the kinds of paths, the matrix as text, and why there is no drawing."""

from collections.abc import Collection, Sequence
from math import log2

from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.units import gigabytes_per_second, rate
from gpuexplorer.gui.wording.machine.machine_now import MachineNow
from gpuexplorer.gui.wording.sentences import sentences
from gpuexplorer.telemetry.topology import Link, PathKind

WAITING = "The driver is asked how the cards are wired."
ONLY_INSTANCES = (
    "Only MIG instances are visible here. How cards are wired is told for whole cards only."
)
# After so many seconds a person may ask themselves whether anything goes on at all.
LONG = 3.0
# Rates on a scale of their logarithm, from a slow slot to the fastest NVLinks.
_SLOWEST, _FASTEST = 2e9, 1e12


def waiting_words(seconds: float, *, again: bool) -> str:
    """What stands in the place of the drawing, or below the one of before."""
    if seconds < LONG:
        return "" if again else WAITING
    silent = f"The driver has not answered for {seconds:.0f} s how the cards are wired"
    if again:
        return f"{silent}: the drawing shows what it told before."
    return f"{silent}. It is waited for; the rest of the window goes on."


def nothing_words(states: Collection[CardState]) -> str:
    """A driver that told of no wire at all."""
    if states and all(state is CardState.ASLEEP for state in states):
        return (
            "All cards sleep and are not woken to ask how they are wired. "
            "The driver is asked when one of them is used."
        )
    if CardState.NO_DRIVER in states:
        return "The driver is gone. It is asked how the cards are wired when it is back."
    return "The driver does not tell how the cards are wired. It is asked again."


def notes(now: MachineNow) -> Sequence[str]:
    """What must be known to read the drawing."""
    said = []
    lost = [card for card in now.shape.home if now.lost(card)]
    if lost:
        are, their = ("is", "its") if len(lost) == 1 else ("are", "their")
        who = now.named(lost)
        said.append(f"{who[:1].upper()}{who[1:]} {are} lost: {their} wires are as they were.")
    if now.shape.loose:
        who = now.named(now.shape.loose)
        said.append(f"How {who} would be reached is not told.")
    return said


def path_words(link: Link) -> str:
    """The kind of the path spelled out."""
    if not link.nvlinks:
        return link.path.sentence
    return "1 NVLink" if link.nvlinks == 1 else f"{link.nvlinks} NVLinks that work together"


def cell_words(now: MachineNow, a: CardId, b: CardId) -> str:
    """All that a cell of the matrix has to say."""
    ends = f"Card {now.number(a)} to {'the host' if b == HOST_ID else 'card ' + now.number(b)}"
    link = now.shape.link(a, b)
    if a == b:
        return f"Card {now.number(a)} itself."
    if link is None:
        return f"{ends}: not told."
    speed = "" if link.rate is None else f"{rate(link.rate)} each way in theory"
    return f"{ends}: {sentences([path_words(link), speed or link.rate_reason])}"


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


def shade(now: MachineNow, a: CardId, b: CardId) -> float | None:
    """0 to 1, the faster the more; None where the rate is not known."""
    link = now.shape.link(a, b)
    if link is None or not link.rate:
        return None
    return min(1.0, max(0.0, log2(link.rate / _SLOWEST) / log2(_FASTEST / _SLOWEST)))


def legend(now: MachineNow) -> Sequence[tuple[str, str]]:
    """Letters and words of the kinds that occur."""
    kinds = {link.path for link in now.shape.links.values()}
    if now.shape.loose:
        kinds.add(PathKind.UNKNOWN)
    return [
        ("NV#" if kind is PathKind.NVLINK else kind.value, kind.sentence)
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
    rows = [["", "host", *(now.number(card) for card in cards), "NUMA", "CPUs"]]
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
