"""What the datasheet says of figures that are there, that are not, and that came out wrong."""

import pytest

from gpuexplorer.copies.datasheet.cards_table import Figure, Origin, What
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.core.words import Message
from gpuexplorer.gui.copies.datasheet_facts import all_of, below, said, sentences_of

UNKNOWN = Figure.missing("nobody tells")
NARROW = Message("cuda:0 runs at x8: the card could do x16.")


def row(
    what: What, promised: float | None = None, reached: float | None = None, watts: float = 0.0
) -> Row:
    promise = Figure(promised, "its maker", origin=Origin.TABLE) if promised else UNKNOWN
    found = Figure(reached, "median of 7") if reached else Figure.missing("it failed")
    drawn = Figure(watts, "mean of 12") if watts else Figure.missing("nothing was read")
    return Row(what, Message(what.words), promise, found, drawn)


def told(*rows: Row, called: str = "Card 0", note: str = "") -> list[str]:
    whole = {what: row(what) for what in What} | {each.what: each for each in rows}
    sheet = Sheet("cuda:0", "NVIDIA TITAN RTX", simulated=False, rows=(*whole.values(),))
    return [*sentences_of(sheet, {}, called, note)]


def test_a_row_says_both_figures_its_source_and_its_watts() -> None:
    found = row(What.MEMORY, 672e9, 611.5e9, 210)
    assert said(found, {}).startswith("Memory bandwidth: Bytes read and written")
    assert below(found) == "table: its maker"
    assert "Promised: 672 GB/s (table: its maker).\nReached: 612 GB/s (m" in all_of(found)
    assert "Drawing 210 W, mean of 12." in all_of(found)


def test_a_figure_that_nobody_promises_or_reached_has_a_reason() -> None:
    found = row(What.FP32, None, 85e9)
    assert "Nothing is promised: nobody tells.\nReached: 85.0 GFLOP/s" in all_of(found)
    assert below(found) == "no promise: nobody tells"
    lost = row(What.BF16, 1e14)
    assert below(lost) == "it failed"
    assert "Not reached: it failed." in all_of(lost)


def test_sentences_follow_from_the_figures() -> None:
    rows = (
        row(What.MEMORY, 672e9, 611.5e9),
        row(What.TO_CARD, 31.5e9, 13.1e9),
        row(What.FROM_CARD, 31.5e9, 13.2e9),
        row(What.FP32, 16e12, 12e12, 270),
        row(What.BF16, 120e12, 90e12, 280),
    )
    assert told(*rows, note=NARROW) == [
        "Card 0 reaches 91 % of its memory bandwidth.",
        f"{NARROW} The host link carries 13.1 of 31.5 GB/s one way.",
        "Products in BF16 are 7.5 times as fast as in FP32, at 280 against 270 W.",
    ]
    own = row(What.MEMORY, None, 20e9)
    assert told(own, called="The host") == ["The host moves 20.0 GB/s in its own memory."]


def test_a_card_before_ampere_is_as_quick_as_its_fp16() -> None:
    single, brain = row(What.FP32, 16e12, 14e12, 263), row(What.BF16, None, 7e12, 280)
    assert told(single, row(What.FP16, 130e12, 103e12, 280), brain) == [
        "Products in FP16 are 7.4 times as fast as in FP32, at 280 against 263 W."
    ]
    assert told(single, row(What.FP16, 130e12), brain) == []


@pytest.mark.parametrize(
    ("there", "back", "sentence"),
    [
        (26e9, 25e9, "The host link carries 26.0 of 31.5 GB/s one way."),
        (26e9, 13e9, "The host link is slower from the card: 13.0 of 31.5 GB/s, against 26.0"),
        (13e9, 26e9, "The host link is slower to the card: 13.0 of 31.5 GB/s, against 26.0"),
        (9e9, 9e9, "The host link carries only 9.00 of 31.5 GB/s one way."),
    ],
)
def test_the_host_link_is_told_as_it_is(there: float, back: float, sentence: str) -> None:
    [found] = told(row(What.TO_CARD, 31.5e9, there), row(What.FROM_CARD, 31.5e9, back))
    assert found.startswith(sentence)
