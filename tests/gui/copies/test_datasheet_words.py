"""What the datasheet says of figures that are there, that are not, and that came out wrong."""

from collections.abc import Mapping

import pytest

from gpuexplorer.copies.datasheet.cards_table import Figure, Origin, OtherCard, What
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.copies.datasheet.beside_panel import (
    ThisCard,
    called_beside,
    groups_of,
    looked_for,
)
from gpuexplorer.gui.copies.datasheet.model import rows_of
from gpuexplorer.gui.copies.datasheet.offers_panel import OfferCells, offer_columns
from gpuexplorer.gui.copies.datasheet.words import sentences_of
from gpuexplorer.gui.tables.cell import Chip, Gauge

GIB = 1 << 30
UNKNOWN = Figure.missing("nobody tells")
NOT_YET = Figure.missing("not measured yet")
NARROW = Message("cuda:0 runs at x8: the card could do x16.")
NAMES: Mapping[str, str] = {"cuda:1": "card 1"}


def row(
    what: What,
    promised: float | None,
    reached: float | None,
    watts: float | None = None,
    title: Message = NOTHING,
    notes: tuple[Message, ...] = (),
    wrong: bool = False,
) -> Row:
    return Row(
        what,
        title or Message(what.value),
        UNKNOWN if promised is None else Figure(promised, "its maker", origin=Origin.TABLE),
        NOT_YET if reached is None else Figure(reached, "median of 7"),
        Figure.missing("nothing was read") if watts is None else Figure(watts, "mean of 12"),
        notes=notes,
        wrong=wrong,
    )


def sheet(*rows: Row) -> Sheet:
    return Sheet("cuda:0", "NVIDIA TITAN RTX", simulated=False, modelled=False, rows=rows)


def other(
    name: str, memory: float, bandwidth: float | None, year: int | None = 2020
) -> OtherCard:
    figures = {What.MEMORY: UNKNOWN if bandwidth is None else Figure(bandwidth, "table: it")}
    return OtherCard(name, "NVIDIA", "Ampere", year, round(memory * GIB), figures)


def test_a_row_says_both_figures_its_share_and_its_watts() -> None:
    (found,) = rows_of(sheet(row(What.MEMORY, 672e9, 611.5e9, 210)), NAMES)
    assert found.said == "memory bandwidth: 612 of 672 GB/s, 91 %, at 210 W"
    assert found.source == "table: its maker"
    assert "between" not in found.hint
    assert "Promised: 672 GB/s (table: its maker)." in found.hint
    assert "Drawing 210 W, mean of 12." in found.hint


def test_a_figure_that_nobody_promises_has_a_reason_and_no_share() -> None:
    (found,) = rows_of(sheet(row(What.BF16, None, 101e12)), NAMES)
    assert found.said == "BF16 products: 101 TFLOP/s, no promise: nobody tells"
    assert (found.promised, found.share, found.limit) == ("", "", None)


def test_more_than_was_promised_is_drawn_beyond_it() -> None:
    (found,) = rows_of(sheet(row(What.FP32, 10e12, 20e12)), NAMES)
    assert (found.limit, found.fill, found.share) == (0.5, 1.0, "200")


def test_a_slow_processor_is_counted_in_smaller_units() -> None:
    (found,) = rows_of(sheet(row(What.FP32, None, 85e9)), NAMES)
    assert found.said == "FP32 products: 85.0 GFLOP/s, no promise: nobody tells"


def test_sentences_follow_from_the_figures() -> None:
    told = sheet(
        row(What.MEMORY, 672e9, 611.5e9),
        row(What.TO_CARD, 31.5e9, 13.1e9),
        row(What.FROM_CARD, 31.5e9, 13.2e9),
        row(What.FP32, 16e12, 12e12, 270),
        row(What.BF16, 120e12, 90e12, 280),
    )
    assert sentences_of(told, NAMES, "Card 0", NARROW) == [
        "Card 0 reaches 91 % of its memory bandwidth.",
        f"{NARROW} The host link carries 13.1 of 31.5 GB/s one way.",
        "Products in BF16 are 7.5 times as fast as in FP32, at 280 against 270 W.",
    ]


def test_a_card_before_ampere_is_as_quick_as_its_fp16() -> None:
    single, half, brain = (
        row(What.FP32, 16e12, 14e12, 263),
        row(What.FP16, 130e12, 103e12, 280),
        row(What.BF16, None, 7e12, 280),
    )
    assert sentences_of(sheet(single, half, brain), NAMES, "card 0") == [
        "Products in FP16 are 7.4 times as fast as in FP32, at 280 against 263 W."
    ]
    assert sentences_of(sheet(single, row(What.FP16, 130e12, None), brain), NAMES, "") == []


@pytest.mark.parametrize(
    ("there", "back", "sentence"),
    [
        (26e9, 25e9, "The host link carries 26.0 of 31.5 GB/s one way."),
        (26e9, 13e9, "The host link is slower from the card: 13.0 of 31.5 GB/s, against 26.0"),
        (9e9, 9e9, "The host link carries only 9.00 of 31.5 GB/s one way."),
    ],
)
def test_the_host_link_is_told_as_it_is(there: float, back: float, sentence: str) -> None:
    told = sheet(row(What.TO_CARD, 31.5e9, there), row(What.FROM_CARD, 31.5e9, back))
    assert sentences_of(told, NAMES, "card 0")[0].startswith(sentence)


def test_without_a_promise_the_sentence_says_the_figure() -> None:
    told = sheet(row(What.MEMORY, None, 20e9))
    assert sentences_of(told, NAMES, "The host") == [
        "The host moves 20.0 GB/s in its own memory."
    ]


def test_cards_lie_beside_each_other_on_one_scale() -> None:
    this = ThisCard("0", 0, 24 * GIB)
    told = sheet(row(What.MEMORY, 672e9, 600e9))
    chosen = [other("NVIDIA A100", 80, 2016e9), other("NVIDIA T4", 16, None)]
    groups = {group.words: group for group in groups_of(told, this, chosen)}
    cells = groups["Memory bandwidth"].cells
    assert [(chip, cell.text, cell.below) for chip, cell in cells.items()] == [
        ("0", "600", "of 672"),
        ("A", "2016", ""),
        ("B", "", ""),
    ]
    assert cells["0"].gauge == Gauge(600 / 2016, 0, 672 / 2016)
    assert cells["A"].gauge == Gauge(1.0, None)
    assert cells["B"].said == "nobody tells"
    assert groups["Memory"].said == "Memory in GiB: 0 24.0, A 80.0, B 16.0"
    assert [called_beside(each) for each in chosen] == ["A100", "T4"]


def test_all_words_are_looked_for_in_any_order() -> None:
    cards = [
        other("GeForce RTX 4090", 24, 1e12, 2022),
        other("GeForce RTX 3090", 24, 1e12, 2020),
    ]
    assert [card.name for card in looked_for(cards, "2022 rtx")] == ["GeForce RTX 4090"]
    assert looked_for(cards, "rtx quadro") == []
    assert len(looked_for(cards, " ")) == 2


def test_cells_say_what_they_show_and_why_one_is_empty() -> None:
    card, cells = other("GeForce RTX 4090", 24, None, None), OfferCells()
    cells.here = {"GeForce RTX 4090": [Chip("0", 0), Chip("1", 1)]}

    def at(key: str) -> tuple[str, str]:
        told = next(each for each in offer_columns(cells) if each.key == key).cell(card)
        return told.said, told.hint

    assert at("memory") == ("24", "")
    assert at("bandwidth") == ("–", "nobody tells")
    assert at("year") == ("–", "not known")
    assert at("here") == ("0 1", "The machine shown has it")
    assert at("beside")[1] == "Compare it with the card above"
    cells.letters = {"GeForce RTX 4090": "B"}
    assert at("beside") == ("B", "Compared as B")
