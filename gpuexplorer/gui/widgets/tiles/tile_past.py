"""TilePast: what a tile shows of the time that has gone by."""

from dataclasses import dataclass

from gpuexplorer.gui.widgets.tiles.tile_curve import Spark


@dataclass(frozen=True, slots=True, eq=False)
class TilePast:
    """None where it was not asked for, since the tile has no room for it."""

    busy: Spark | None = None
    memory: Spark | None = None
    average: str = ""  # "average 96 %", over the time that is shown

    @property
    def has_figures(self) -> bool:
        return self.busy is not None and bool(self.busy.trace.counts.any())


NO_PAST = TilePast()
