"""Things to list: each has a name, a weight that may not be known, and things under it."""

from dataclasses import dataclass

from gpuexplorer.gui.tables.cell import Cell, Column
from gpuexplorer.gui.tables.model import TableModel

NAME, WEIGHT = 0, 1


@dataclass(frozen=True)
class Thing:
    name: str
    weight: float | None = None
    under: tuple["Thing", ...] = ()


def things(*weights: float | None) -> list[Thing]:
    return [Thing(name, weight) for name, weight in zip("abcdefgh", weights, strict=False)]


def columns(unit: str = "kg") -> list[Column[Thing]]:
    def weight(each: Thing) -> Cell:
        known = each.weight is not None
        return Cell(f"{each.weight:g}") if known else Cell(absent=("not weighed",))

    return [
        Column(
            "name",
            "Name",
            lambda each: Cell(each.name, hint=f"It is called {each.name}"),
            lambda each: each.name,
            width=200,
            stretches=True,
        ),
        Column(
            "weight",
            f"Weight, {unit}",
            weight,
            lambda each: each.weight,
            "How heavy it is.",
            "Weight of the thing",
            width=100,
            right=True,
            kept=2,
            largest_first=True,
        ),
        Column("size", "Size", lambda _: Cell("large"), width=100, kept=1),
    ]


def thing_model() -> TableModel[Thing]:
    return TableModel(columns(), lambda each: each.name, lambda each: each.under)


def shown(model: TableModel[Thing], column: int = NAME) -> list[str]:
    """What the column says, from the top down."""
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]
