"""OfferCells and their columns: what the table says of a card that one could have."""

from collections.abc import Mapping, Sequence
from typing import Any

from gpuexplorer.copies.datasheet.figure import What
from gpuexplorer.copies.datasheet.sheet import OtherCard
from gpuexplorer.core.words import tr
from gpuexplorer.gui.tables.cell import Cell, Chip
from gpuexplorer.gui.tables.column import Column
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.copies.datasheet.beside import (
    short_size,
    source_of,
    sources_of,
)
from gpuexplorer.gui.wording.copies.datasheet.faces import number_of, unit_of

BESIDE, BANDWIDTH = "beside", "bandwidth"
_MARKED, _UNMARKED = 0, 1


class OfferCells:
    """`letters` by the names of those that lie beside, `here` this machine's cards."""

    def __init__(self) -> None:
        self.letters: Mapping[str, str] = {}
        self.here: Mapping[str, Sequence[Chip]] = {}

    def beside(self, card: OtherCard) -> Cell:
        letter = self.letters.get(card.name, "")
        if letter:
            return Cell(
                letter, flag="solid", hint=tr("Lies beside it as {letter}", letter=letter)
            )
        return Cell(flag="dashed", hint=tr("Lay it beside the card above"))

    def of_this_machine(self, card: OtherCard) -> Cell:
        chips = tuple(self.here.get(card.name, ()))
        return Cell(chips=chips, hint=tr("This machine has it") if chips else "")


def offer_columns(cells: OfferCells) -> list[Column[OtherCard]]:
    """Those that only mark cards bring those that are marked to the top."""
    return [
        Column(
            BESIDE,
            "",
            cells.beside,
            lambda card: _MARKED if card.name in cells.letters else _UNMARKED,
            tr("Lies beside the card above; space changes it"),
            width=34,
            spoken=lambda card: cells.beside(card).hint,
        ),
        Column(
            "name",
            tr("Card"),
            lambda card: Cell(card.name, hint=_described(card)),
            lambda card: card.name.casefold(),
            tr("The model, as its driver calls it"),
            width=168,
            stretches=True,
            widest=250,
        ),
        Column(
            "here",
            tr("Here"),
            cells.of_this_machine,
            lambda card: _MARKED if card.name in cells.here else _UNMARKED,
            tr("Cards of this machine"),
            width=60,
        ),
        Column(
            "year",
            tr("Year"),
            lambda card: _known("" if card.year is None else str(card.year)),
            lambda card: card.year,
            **_number(tr("When it came out"), 60, kept=2),
        ),
        Column(
            "memory",
            tr("GiB"),
            _memory,
            lambda card: card.memory_bytes,
            **_number(tr("Memory"), 54),
        ),
        Column(
            BANDWIDTH,
            tr("Memory GB/s"),
            **_figure(What.MEMORY),
            **_number(tr("Memory bandwidth"), 104),
        ),
        Column(
            "fp32",
            tr("FP32 TFLOP/s"),
            **_figure(What.FP32),
            **_number(tr("Matrix products in FP32"), 104),
        ),
        Column(
            "bf16",
            tr("BF16 TFLOP/s"),
            **_figure(What.BF16),
            **_number(tr("Matrix products in BF16, dense"), 104),
        ),
        Column(
            "link",
            tr("Host GB/s"),
            **_figure(What.TO_CARD),
            **_number(tr("Its link to the host, one way"), 90, kept=3),
        ),
        Column(
            "peers",
            tr("Peer GB/s"),
            **_figure(What.PEER),
            **_number(tr("Its links to other cards, one way"), 90, kept=4),
        ),
        Column(
            "power",
            tr("Watts"),
            **_figure(What.POWER),
            **_number(tr("What the whole board may draw"), 64, kept=5),
        ),
        Column(
            "source",
            tr("Source"),
            _source,
            lambda card: source_of(card) or None,
            tr("Where these figures come from"),
            width=160,
            kept=1,
            stretches=True,
        ),
    ]


def _number(meaning: str, width: int, kept: int = 0) -> dict[str, Any]:
    return {
        "meaning": meaning,
        "name": meaning,
        "width": width,
        "kept": kept,
        "right": True,
        "largest_first": True,
    }


def _figure(what: What) -> dict[str, Any]:
    def cell(card: OtherCard) -> Cell:
        figure = card.figure(what)
        if figure.value is None:
            return Cell(absent=("–",), hint=tr(figure.reason))
        number = number_of(what, figure.value, unit_of(what, 1e12))
        return Cell(number, hint=tr(figure.source))

    return {"cell": cell, "sorts": lambda card: card.figure(what).value}


def _memory(card: OtherCard) -> Cell:
    return _known("" if card.memory_bytes is None else short_size(card.memory_bytes))


def _known(text: str) -> Cell:
    return Cell(text) if text else Cell(absent=("–",), hint=tr("not known"))


def _source(card: OtherCard) -> Cell:
    return Cell(source_of(card), tone=Tone.QUIET, hint="\n".join(sources_of(card)))


def _described(card: OtherCard) -> str:
    parts = (card.name, card.architecture, "" if card.year is None else str(card.year))
    return ", ".join(part for part in parts if part)
