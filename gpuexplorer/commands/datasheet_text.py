"""Datasheets as text: a row for each figure, then where the figures are from."""

from collections.abc import Sequence

from gpuexplorer.commands.grid import Column, grid, wrap
from gpuexplorer.copies.datasheet.figure import Figure, Origin, What
from gpuexplorer.copies.datasheet.sheet import OtherCard, Row, Sheet
from gpuexplorer.copies.datasheet.words import in_words
from gpuexplorer.core.units import memory as in_memory
from gpuexplorer.core.units import watts
from gpuexplorer.core.words import mark, paragraph, tr

_NONE = "-"
_WRONG = "WRONG"
_BESIDE = (What.MEMORY, What.TO_CARD, What.PEER, What.FP32, What.TF32, What.BF16, What.POWER)
_HEADS = {
    What.MEMORY: mark("Memory"),
    What.TO_CARD: mark("Host link"),
    What.PEER: "NVLink",
    What.FP32: "FP32",
    What.TF32: "TF32",
    What.BF16: "BF16",
    What.POWER: mark("Power"),
}


def sheet_in_words(sheet: Sheet, beside: Sequence[OtherCard], width: int) -> str:
    columns = (
        Column(f"{sheet.card}, {sheet.device}", 100),
        Column(tr("Promised"), 90, right=True),
        Column(tr("Reached"), 95, right=True),
        Column(tr("Share"), 80, right=True),
        Column(tr("Spread"), 40, right=True),
        Column(tr("Watts"), 60, right=True),
    )
    lines = grid(columns, [_cells(row) for row in sheet.rows], width)
    lines.append("")
    for row in sheet.rows:
        lines += wrap(f"{tr(row.title)}: {_sources(row, modelled=sheet.modelled)}", width)
    if beside:
        lines += ["", *_beside(sheet, beside, width)]
    lines += [line for note in sheet.notes for line in wrap(tr(note), width)]
    return "\n".join(lines)


def _cells(row: Row) -> list[str]:
    share, spread = row.share, row.variation
    return [
        tr(row.title),
        figure_in_words(row.what, row.promised),
        _WRONG if row.wrong else figure_in_words(row.what, row.reached),
        _NONE if share is None else f"{share * 100:.0f} %",
        _NONE if spread is None else f"{spread * 100:.1f} %",
        _NONE if row.watts.value is None else str(watts(row.watts.value)),
    ]


def figure_in_words(what: What, figure: Figure) -> str:
    return _NONE if figure.value is None else in_words(what, figure.value)


def _sources(row: Row, *, modelled: bool) -> str:
    """Where each figure is from, or why there is none. What is modelled is said above."""
    promised = row.promised
    told = [tr("promised: {source}", source=promised.source) if promised.source else ""]
    told += [tr(promised.reason)] if promised.value is None else []
    told += [_source(row.reached, modelled=modelled)]
    if row.what is not What.POWER:
        told.append(_source(row.watts, modelled=modelled))
    figures = "; ".join(dict.fromkeys(each for each in told if each))
    return paragraph((f"{figures}.", *row.notes))


def _source(figure: Figure, *, modelled: bool) -> str:
    if modelled and figure.origin is Origin.MODELLED:
        return ""
    return tr(figure.source or figure.reason)


def _beside(sheet: Sheet, beside: Sequence[OtherCard], width: int) -> list[str]:
    """What makers promise; for this card what is promised here."""
    columns = (
        Column(tr("Promised by"), 100, elastic=True),
        Column(tr("Size"), 60, right=True),
        *(
            Column(tr(_HEADS[what]), 90 - place, right=True)
            for place, what in enumerate(_BESIDE)
        ),
    )
    here = {row.what: row.promised for row in sheet.rows}
    rows = [
        [
            tr("{card} (here)", card=sheet.card),
            "",
            *(figure_in_words(what, here[what]) for what in _BESIDE),
        ]
    ]
    for card in beside:
        size = "" if card.memory_bytes is None else str(in_memory(card.memory_bytes))
        figures = (figure_in_words(what, card.figure(what)) for what in _BESIDE)
        rows.append([card.name, size, *figures])
    return grid(columns, rows, width)
