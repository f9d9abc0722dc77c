"""The table of cards: its figures agree with each other, have sources, and are matched."""

import csv

from gpuexplorer.copies.datasheet.cards_table import What, cards_table, listed
from gpuexplorer.core.resources import resource

GIB = 1 << 30
CLOSE = 0.01


def lines_of(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(resource(name).read_text(encoding="utf-8").splitlines()))


LINES = lines_of("cards.csv")


def test_every_figure_has_a_source_or_a_reason_and_every_source_is_used() -> None:
    rows = lines_of("card-sources.csv")
    used = {
        key for line in LINES for name in line if "source" in name for key in line[name].split()
    }
    assert {row["key"] for row in rows} == used
    for card in cards_table():
        assert [*card.figures] == [*What]
        for what, figure in card.figures.items():
            told = figure.detail.removesuffix(", ") if figure.value else figure.reason
            assert told, (card.name, what)
            assert figure.value is None or 0 < figure.value / what.scale < 1e7


def test_a_card_is_found_by_the_name_of_its_driver_and_its_memory() -> None:
    found = listed("NVIDIA GeForce RTX 4090", 24564 << 20)
    assert found is not None
    assert found.name == "GeForce RTX 4090"
    assert listed("GeForce RTX 4090", 24564 << 20) == found  # an older driver
    assert listed("NVIDIA L4", 23034 << 20) is not None  # ECC keeps some of it
    assert listed("NVIDIA GeForce RTX 3080", 12 * GIB) is None  # the other one of that name
    assert listed("NVIDIA GeForce RTX 9999", 24 * GIB) is None
    assert listed("AMD Instinct MI300X", 192 * GIB) is None  # no driver of ours meets it
