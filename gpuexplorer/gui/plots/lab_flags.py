"""Flags of the lab's cells, for any plot of a card."""

from collections.abc import Sequence

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.plots.content import Flag
from gpuexplorer.gui.state.lab.cell_flags import CellFlags
from gpuexplorer.gui.theme.palette import Tone

_FIRST_LINE = 60  # letters


def flags_of(
    cells: CellFlags, card: CardId, start: float, end: float, colour: int | None = None
) -> Sequence[Flag]:
    """One for each cell that had to do with this card from `start` to `end`, steady seconds.

    In the card's colour, and in that of trouble where the cell failed.
    """
    return [
        Flag(
            each.at,
            tr(
                "Cell {number} of the lab: {code}",
                number=each.number,
                code=_first_line(each.code),
            ),
            Tone.BAD if each.failed else Tone.QUIET,
            None if each.failed else colour,
            each.number,
        )
        for each in cells.of(card, start, end)
    ]


def _first_line(code: str) -> str:
    first, _, rest = code.partition("\n")
    return f"{first[:_FIRST_LINE]}…" if rest or len(first) > _FIRST_LINE else first
