"""gpuexplorer copies --datasheet: what each card promises, and what it reached here."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.commands.arguments import INTERRUPTED, OK, TROUBLE, WrongArgumentsError
from gpuexplorer.commands.copies_progress import ProgressLine, wait_for
from gpuexplorer.commands.copies_text import SIMULATED
from gpuexplorer.commands.grid import Column, grid, wrap
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.datasheet.cards_table import CardsTable, cards_table
from gpuexplorer.copies.datasheet.figure import Figure, Origin, What
from gpuexplorer.copies.datasheet.make_sheet import sheet_of
from gpuexplorer.copies.datasheet.power_log import PowerLog
from gpuexplorer.copies.datasheet.power_reader import PowerReader
from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.datasheet.promises import ASKED
from gpuexplorer.copies.datasheet.sheet import OtherCard, Row, Sheet
from gpuexplorer.copies.datasheet.sheet_files import sheet_as_csv, sheet_as_json
from gpuexplorer.copies.datasheet.subject import Subject, jobs_of
from gpuexplorer.copies.datasheet.words import in_words
from gpuexplorer.copies.measuring import STOPPED, Bench, Measuring
from gpuexplorer.copies.plan import Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import memory as in_memory
from gpuexplorer.core.units import watts
from gpuexplorer.core.words import Message, mark, paragraph, tr
from gpuexplorer.telemetry.backend import Backend

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


@dataclass(frozen=True, slots=True)
class Benched:
    """Where a datasheet is measured, and what is said before it."""

    backend: Backend
    bench: Bench
    routes: Routes | None
    label: Message
    remarks: Sequence[Message]

    @property
    def simulated(self) -> bool:
        return self.backend.source.simulated


def add_datasheet_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--datasheet",
        action="store_true",
        help=tr("what each card promises and what it reached: memory, links, matrix products"),
    )
    parser.add_argument(
        "--beside",
        metavar=tr("NAMES"),
        help=tr("with --datasheet: other cards of the table, such as 'RTX 4090,H100 SXM'"),
    )


def check_arguments(arguments: argparse.Namespace) -> None:
    """Raises WrongArgumentsError for what does not go together."""
    if not arguments.datasheet:
        if arguments.beside is not None:
            raise WrongArgumentsError(
                "Other cards lie beside a datasheet only.", "Add --datasheet."
            )
        return
    if arguments.sizes is not None or arguments.mode != Kind.ONE_WAY.value:
        raise WrongArgumentsError(
            "A datasheet chooses its sizes and modes itself.",
            "Leave out --sizes and --mode.",
        )
    if arguments.beside is not None:
        named_in(arguments.beside, cards_table())


def named_in(text: str, table: CardsTable) -> tuple[OtherCard, ...]:
    """The cards of the table whose names have these words. Raises WrongArgumentsError."""
    cards = table.cards()
    found: dict[str, OtherCard] = {}
    for word in (part.strip() for part in text.split(",")):
        exact = [card for card in cards if card.name.lower() == word.lower()]
        parts = word.lower().split()
        like = [card for card in cards if all(part in card.name.lower() for part in parts)]
        if not word or not like:
            raise WrongArgumentsError(
                "--beside names {word!r}, and the table of cards has no such card.",
                "Part of a name will do, such as --beside 4090.",
                word=word,
            )
        found |= {card.name: card for card in exact or like}
    return tuple(found.values())


def measure_datasheets(
    arguments: argparse.Namespace, benched: Benched, devices: Sequence[str]
) -> int:
    """Of all cards among these devices; of the processor where there is none."""
    cards = [device for device in devices if device != HOST]
    subjects = [_subject(benched, device) for device in cards or devices]
    jobs = [job for subject in subjects for job in jobs_of(subject)]
    results: dict[object, CopyResult] = {}
    products: dict[object, ProductResult] = {}
    ends: list[str] = []
    log = PowerLog()
    read = [subject.card.id for subject in subjects if subject.card is not None]
    watched = () if benched.bench.modelled else read
    with ProgressLine(sys.stderr) as line, PowerReader(benched.backend, watched, log):
        measuring = Measuring(
            jobs,
            benched.bench,
            lambda result: results.update({result.job: result}),
            line.show,
            ends.append,
            on_product=lambda product: products.update({product.job: product}),
        )
        measuring.start()
        interrupted = not wait_for(measuring)
    table = cards_table()
    sheets = [
        sheet_of(
            subject,
            {each.job: each for each in results.values()},
            {each.job: each for each in products.values()},
            table,
            log,
            simulated=benched.simulated,
        )
        for subject in subjects
    ]
    beside = () if arguments.beside is None else named_in(arguments.beside, table)
    _show(arguments, benched, sheets, beside, complete=not interrupted and ends == [""])
    if interrupted:
        return INTERRUPTED
    if ends[0] and ends[0] != STOPPED:
        raise Trouble(ends[0])
    reached = [row.reached.value for sheet in sheets for row in sheet.rows]
    wrong = any(row.wrong for sheet in sheets for row in sheet.rows)
    return TROUBLE if wrong or not any(reached) else OK


def _subject(benched: Benched, device: str) -> Subject:
    routes = benched.routes
    named = None if routes is None else routes.card(device)
    card = next((each for each in benched.backend.cards() if each.id == named), None)
    if card is None:
        return Subject(device, None, routes)
    sample = benched.backend.read(card.id, ASKED)
    return Subject(device, card, routes, sample.values, sample.missing)


def _show(
    arguments: argparse.Namespace,
    benched: Benched,
    sheets: Sequence[Sheet],
    beside: Sequence[OtherCard],
    *,
    complete: bool,
) -> None:
    if arguments.json:
        told = {
            "schema": 1,
            "simulated": benched.simulated,
            "complete": complete,
            "sheets": [sheet_as_json(sheet, beside) for sheet in sheets],
        }
        sys.stdout.write(json.dumps(told, indent=2) + "\n")
    elif arguments.csv:
        for place, sheet in enumerate(sheets):
            last = place == len(sheets) - 1
            text = sheet_as_csv(sheet, beside if last else ())
            sys.stdout.write(text if place == 0 else text.split("\n", 1)[1])
    else:
        terminal = Terminal()
        terminal.show(_in_words(benched, sheets, beside, terminal.width(), complete=complete))
    sys.stdout.flush()


def _in_words(
    benched: Benched,
    sheets: Sequence[Sheet],
    beside: Sequence[OtherCard],
    width: int,
    *,
    complete: bool,
) -> str:
    lines = wrap(tr(benched.label), width)
    if benched.simulated:
        lines += wrap(tr(SIMULATED), width)
    if benched.bench.modelled:
        modelled = tr("Modelled: what was reached is a model's; nothing was measured.")
        lines += wrap(modelled, width)
    lines += [line for remark in benched.remarks for line in wrap(tr(remark), width)]
    for sheet in sheets:
        lines += ["", sheet_in_words(sheet, beside if sheet is sheets[-1] else (), width)]
    if not complete:
        lines += ["", tr("It was ended before all was measured.")]
    return "\n".join(lines)


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
