"""ProductJob: a matrix product to be measured, as window, command line and worker mean it."""

from dataclasses import dataclass

# How numbers are held, and computed with.
KINDS = ("fp32", "tf32", "bf16")
BYTES_OF = {"fp32": 4, "tf32": 4, "bf16": 2}
CARD_SIZE = 8192  # rows and columns: large enough for every card to be at full work
SMALL_CARD_SIZE = 4096
HOST_SIZE = 1024
_SMALL_CARD = 8 << 30


@dataclass(frozen=True)
class ProductJob:
    """One square matrix times another, again and again, on one device."""

    device: str  # "cpu", "cuda:0"
    kind: str  # one of KINDS
    size: int = CARD_SIZE  # rows, and columns

    @property
    def operations(self) -> float:
        """Multiplications and additions, each counted for itself, as datasheets do."""
        return 2.0 * self.size**3

    @property
    def matrix_bytes(self) -> int:
        return self.size * self.size * BYTES_OF.get(self.kind, 4)


def size_for(device: str, memory_bytes: "int | None") -> int:
    """So large that the device is at full work, and its memory is not."""
    if device == "cpu":
        return HOST_SIZE
    if memory_bytes is not None and memory_bytes <= _SMALL_CARD:
        return SMALL_CARD_SIZE
    return CARD_SIZE
