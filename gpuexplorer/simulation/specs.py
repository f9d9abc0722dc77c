"""The machines one can ask for ("2xTitanRTX+idle", "8xH100+nvlink", "1xH100,1xT4"), and where
their cards sit.
"""

import difflib
import itertools
import re
from collections.abc import Sequence
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
    """A machine that was asked for; the seed decides what its cards are up to."""

    cards: tuple[Slot, ...]
    seed: int = 0

    @property
    def label(self) -> str:
        """The cards in words: "4 x NVIDIA H100 80GB HBM3, 1 x Tesla T4"."""
        names = (slot.model.name for slot in self.cards)
        return ", ".join(
            f"{len(tuple(group))} x {name}" for name, group in itertools.groupby(names)
        )


class Wiring:
    """Boards of eight cards in two halves, one half to a processor socket."""

    def __init__(self, spec: MachineSpec) -> None:
        self._slots = spec.cards
        self._peers = tuple(self._find_peers(index) for index in range(len(spec.cards)))

    def board(self, index: int) -> int:
        return index // BOARD_CARDS

    def node(self, index: int) -> int:
        """The NUMA node; a board of fewer than four cards has one socket."""
        board, place = divmod(index, BOARD_CARDS)
        cards = min(BOARD_CARDS, len(self._slots) - board * BOARD_CARDS)
        return 2 * board + (cards >= _NODE_CARDS and place >= (cards + 1) // 2)

    def processors(self, node: int) -> str:
        """The numbers of a node's processors, as a kernel would list them."""
        return f"{node * _NODE_PROCESSORS}-{(node + 1) * _NODE_PROCESSORS - 1}"

    def same_switch(self, a: int, b: int) -> bool:
        """Whether one PCIe switch joins the two: servers have one for each two cards."""
        display = self._slots[a].model.display or self._slots[b].model.display
        return a // 2 == b // 2 and self.node(a) == self.node(b) and not display

    def bus_id(self, index: int) -> str:
        return f"{self.board(index):04x}:{_BUSES[index % BOARD_CARDS]:02x}:00.0"

    def peers(self, index: int) -> tuple[int, ...]:
        """The cards it reaches over NVLink."""
        return self._peers[index]

    def nvlinks_up(self, index: int) -> int:
        return self._slots[index].model.nvlinks if self._peers[index] else 0

    def nvlinks_between(self, a: int, b: int) -> int:
        return self.nvlinks_up(a) if b in self._peers[a] else 0

    def _find_peers(self, index: int) -> tuple[int, ...]:
        slot, first = self._slots[index], self.board(index) * BOARD_CARDS
        board = enumerate(self._slots[first : first + BOARD_CARDS], first)
        alike = [at for at, other in board if other.model is slot.model and other.nvlink]
        if not slot.nvlink:
            return ()
        if slot.model.wire is Wire.BRIDGE:
            pair = alike.index(index) // 2 * 2
            alike = alike[pair : pair + 2]
        return tuple(other for other in alike if other != index)


def parse_machine(text: str, seed: int = 0) -> MachineSpec:
    """Raises Trouble with a sentence that says which part of the text is wrong."""
    text = text.strip()
    if not text:
        raise Trouble("No simulated machine is named.", _FORMS)
    slots: list[Slot] = []
    for part in (part.strip() for part in text.split(",")):
        if not part:
            raise Trouble("'{text}' has a comma with no card beside it.", _FORMS, text=text)
        cards, *suffixes = (piece.strip() for piece in part.split("+"))
        count, model = _parse_cards(part, cards)
        wirings = [each.lower() for each in suffixes if each.lower() != _IDLE]
        slot = Slot(model, _has_nvlink(part, model, wirings), len(wirings) < len(suffixes))
        slots += [slot] * _checked(part, count)
    _checked(text, len(slots))
    return MachineSpec(tuple(slots), seed)


def _parse_cards(part: str, cards: str) -> tuple[int, CardModel]:
    if model := _BY_KEY.get(_key(cards)):
        return 1, model
    split = re.fullmatch(r"(.*?)\s*[xX×]\s*(.*)", cards)
    number, name = split.groups() if split else ("", cards)
    model = _BY_KEY.get(_key(name))
    if re.fullmatch(r"[+-]?[0-9]{1,9}", number):
        if model is not None:
            return int(number), model
        if not name:
            raise Trouble("'{part}' does not say which card.", _known(), part=part)
    elif model is None:
        name = cards
    else:
        raise Trouble(
            "'{part}' begins with '{number}', which is not a number.",
            _COUNTS,
            part=part,
            number=number,
        )
    close = difflib.get_close_matches(_key(name), _BY_KEY, n=1)
    raise Trouble(
        "'{part}' names a card that is not known: '{name}'.",
        did_you_mean([_BY_KEY[each].key for each in close], _known()),
        part=part,
        name=name,
    )


def _checked(part: str, count: int) -> int:
    if not 0 < count <= MOST_CARDS:
        raise Trouble("'{part}' asks for {count} cards.", _COUNTS, part=part, count=count)
    return count


def _has_nvlink(part: str, model: CardModel, wirings: Sequence[str]) -> bool:
    if len(wirings) > 1:
        raise Trouble("'{part}' names more than one wiring.", _SUFFIXES, part=part)
    match wirings:
        case []:
            return model.wire is not Wire.NONE
        case ["pcie"]:
            return False
        case [""]:
            raise Trouble("'{part}' has a + with nothing after it.", _SUFFIXES, part=part)
        case ["nvlink"]:
            if model.wire is Wire.NONE:
                linked = ", ".join(m.key for m in MODELS if m.wire is not Wire.NONE)
                raise Trouble(
                    "'{part}' asks for NVLink, which the {card} does not have.",
                    "Leave out +nvlink, or choose a card that has it: {linked}.",
                    part=part,
                    card=model.key,
                    linked=linked,
                )
            return True
    close = difflib.get_close_matches(wirings[0], ("nvlink", "pcie", _IDLE), n=1)
    raise Trouble(
        "'{part}' ends in a word that is not known: '{word}'.",
        did_you_mean(close, _SUFFIXES),
        part=part,
        word=wirings[0],
    )


def _known() -> Message:
    return Message("Known cards: {cards}.", cards=", ".join(model.key for model in MODELS))


def _key(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


_IDLE = "idle"
_FORMS = mark("Name cards like this: 4xH100, 2xTitanRTX+idle, 8xA100+pcie, or 1xH100,1xT4.")
_COUNTS = Message(
    "From 1 to {most} cards can be simulated, written like 4xH100.", most=MOST_CARDS
)
_SUFFIXES = mark(
    "A wiring is +nvlink or +pcie, and cards that nobody uses are +idle: 8xH100+pcie+idle."
)
_OTHER_NAMES = {"rtxa6000": "a6000", "titan": "titanrtx"} | {
    number: f"rtx{number}" for number in ("3090", "4060", "4090", "5090")
}
_BY_KEY = {_key(model.key): model for model in MODELS}
_BY_KEY |= {other: _BY_KEY[key] for other, key in _OTHER_NAMES.items()}
