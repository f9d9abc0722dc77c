"""The machines one can ask for ("2xTitanRTX+idle", "8xH100+nvlink", "1xH100,1xT4"), and where
their cards sit.
"""

import difflib
import itertools
import re
from dataclasses import dataclass

from gpuexplorer.core.trouble import Trouble, did_you_mean
from gpuexplorer.core.words import Message, mark
from gpuexplorer.simulation.models import MODELS, CardModel, Wire

MOST_CARDS = 64
BOARD_CARDS = 8
_NODE_CARDS, _NODE_PROCESSORS = 4, 32
_BUSES = (0x17, 0x2A, 0x3D, 0x60, 0x99, 0xAB, 0xBD, 0xE2)


@dataclass(frozen=True, slots=True)
class Slot:
    """One card of the machine, and whether its NVLinks are plugged in."""

    model: CardModel
    nvlink: bool
    idle: bool = False  # no program of its own uses it

    @property
    def nvlinks(self) -> int:
        """Links the card has. Without its bridge a card keeps them, and they are down."""
        model = self.model
        return model.nvlinks if self.nvlink or model.wire is Wire.BRIDGE else 0


@dataclass(frozen=True, slots=True)
class MachineSpec:
    """A machine that was asked for; the seed decides what its cards are up to. Boards of eight
    cards in two halves, one half to a processor socket.
    """

    cards: tuple[Slot, ...]
    seed: int = 0

    @property
    def label(self) -> str:
        """The cards in words: "4 x NVIDIA H100 80GB HBM3, 1 x Tesla T4"."""
        names = (slot.model.name for slot in self.cards)
        return ", ".join(
            f"{len(tuple(group))} x {name}" for name, group in itertools.groupby(names)
        )

    def board(self, index: int) -> int:
        return index // BOARD_CARDS

    def node(self, index: int) -> int:
        """The NUMA node; a board of fewer than four cards has one socket."""
        board, place = divmod(index, BOARD_CARDS)
        cards = min(BOARD_CARDS, len(self.cards) - board * BOARD_CARDS)
        return 2 * board + (cards >= _NODE_CARDS and place >= (cards + 1) // 2)

    def processors(self, node: int) -> str:
        """The numbers of a node's processors, as a kernel would list them."""
        return f"{node * _NODE_PROCESSORS}-{(node + 1) * _NODE_PROCESSORS - 1}"

    def same_switch(self, a: int, b: int) -> bool:
        """Whether one PCIe switch joins the two: servers have one for each two cards."""
        display = self.cards[a].model.display or self.cards[b].model.display
        return a // 2 == b // 2 and self.node(a) == self.node(b) and not display

    def bus_id(self, index: int) -> str:
        board, place = divmod(index, BOARD_CARDS)
        return f"{board:04x}:{_BUSES[place]:02x}:00.0"

    def peers(self, index: int) -> tuple[int, ...]:
        """The cards it reaches over NVLink."""
        slot, first = self.cards[index], self.board(index) * BOARD_CARDS
        board = enumerate(self.cards[first : first + BOARD_CARDS], first)
        alike = [at for at, other in board if other.nvlink and other.model is slot.model]
        if slot.model.wire is Wire.BRIDGE and slot.nvlink:
            pair = alike.index(index) // 2 * 2
            alike = alike[pair : pair + 2]
        return tuple(other for other in alike if slot.nvlink and other != index)

    def nvlinks_between(self, a: int, b: int) -> int:
        return self.cards[a].model.nvlinks if b in self.peers(a) else 0


def parse_machine(text: str, seed: int = 0) -> MachineSpec:
    """Raises Trouble with a sentence that says which part of the text is wrong."""
    slots = [slot for part in text.split(",") for slot in _slots(part.strip() or text.strip())]
    _few_enough(text, len(slots))
    return MachineSpec(tuple(slots), seed)


_WRITTEN = re.compile(r"(?:([+-]?[0-9]{1,9})\s*[x×])?([^+,]*)((?:\+.*)?)", re.IGNORECASE)


def _slots(part: str) -> list[Slot]:
    written = _WRITTEN.fullmatch(part)
    number, name, suffixes = written.groups("") if written else ("", "", "")
    if not name.strip():
        raise Trouble("'{part}' does not say which card.", _known(), part=part)
    model = _BY_KEY.get(_key(name))
    if model is None:
        close = difflib.get_close_matches(_key(name), _BY_KEY, n=1)
        raise Trouble(
            "'{part}' names a card that is not known: '{name}'.",
            did_you_mean([_BY_KEY[each].key for each in close], _known()),
            part=part,
            name=name.strip(),
        )
    words = [word.strip().lower() for word in suffixes.split("+")[1:]]
    for word in words:
        if word not in _SUFFIXES:
            raise Trouble(
                "'{part}' ends in a word that is not known: '{word}'.",
                did_you_mean(difflib.get_close_matches(word, _SUFFIXES, n=1), _WORDS),
                part=part,
                word=word,
            )
    linked = model.wire is not Wire.NONE
    if "nvlink" in words and not linked:
        raise Trouble(
            "'{part}' asks for NVLink, which the {card} does not have.",
            "Leave out +nvlink, or choose a card that has it: {linked}.",
            part=part,
            card=model.key,
            linked=", ".join(m.key for m in MODELS if m.wire is not Wire.NONE),
        )
    slot = Slot(model, linked and "pcie" not in words, "idle" in words)
    return [slot] * _few_enough(part, int(number or 1))


def _few_enough(part: str, count: int) -> int:
    if not 0 < count <= MOST_CARDS:
        raise Trouble("'{part}' asks for {count} cards.", _COUNTS, part=part, count=count)
    return count


def _known() -> Message:
    return Message("Known cards: {cards}.", cards=", ".join(model.key for model in MODELS))


def _key(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


_SUFFIXES = ("nvlink", "pcie", "idle")
_COUNTS = Message(
    "From 1 to {most} cards can be simulated, written like 4xH100.", most=MOST_CARDS
)
_WORDS = mark(
    "A wiring is +nvlink or +pcie, and cards that nobody uses are +idle: 8xH100+pcie+idle."
)
_OTHER_NAMES = {"rtxa6000": "a6000", "titan": "titanrtx"} | {
    number: f"rtx{number}" for number in ("3090", "4060", "4090", "5090")
}
_BY_KEY = {_key(model.key): model for model in MODELS}
_BY_KEY |= {other: _BY_KEY[key] for other, key in _OTHER_NAMES.items()}
