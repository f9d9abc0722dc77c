"""Where each simulated card sits, and which cards NVLinks join."""

from gpuexplorer.simulation.models import Wire
from gpuexplorer.simulation.specs import MachineSpec

BOARD_CARDS = 8
NODE_CARDS = 4
NODE_PROCESSORS = 32
_BUSES = (0x17, 0x2A, 0x3D, 0x60, 0x99, 0xAB, 0xBD, 0xE2)


class Wiring:
    """Boards of eight cards in two halves, one half to a processor socket."""

    def __init__(self, spec: MachineSpec) -> None:
        self._slots = spec.cards
        self._peers = tuple(self._find_peers(index) for index in range(len(spec.cards)))

    def board(self, index: int) -> int:
        return index // BOARD_CARDS

    def node(self, index: int) -> int:
        """The NUMA node; a board of fewer than four cards has one socket."""
        board = self.board(index)
        cards = min(BOARD_CARDS, len(self._slots) - board * BOARD_CARDS)
        if cards < NODE_CARDS:
            return 2 * board
        return 2 * board + (index % BOARD_CARDS >= (cards + 1) // 2)

    def processors(self, node: int) -> str:
        """The numbers of a node's processors, as a kernel would list them."""
        return f"{node * NODE_PROCESSORS}-{(node + 1) * NODE_PROCESSORS - 1}"

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
        slot = self._slots[index]
        if not slot.nvlink:
            return ()
        alike = [
            other
            for other, candidate in enumerate(self._slots)
            if candidate.model is slot.model
            and candidate.nvlink
            and self.board(other) == self.board(index)
        ]
        if slot.model.wire is Wire.BRIDGE:
            pair = alike.index(index) // 2 * 2
            alike = alike[pair : pair + 2]
        return tuple(other for other in alike if other != index)
