"""gpuexplorer copies --datasheet: what each card promises, and what it reached here."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.commands.arguments import WrongArgumentsError
from gpuexplorer.commands.copies_progress import measured, status_after
from gpuexplorer.commands.copies_text import INCOMPLETE, WRONG, Head
from gpuexplorer.commands.page import Column, Page, figure, percent
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.datasheet.cards_table import CardsTable, cards_table
from gpuexplorer.copies.datasheet.figure import Figure, Origin, What, in_words
from gpuexplorer.copies.datasheet.make_sheet import sheet_of
from gpuexplorer.copies.datasheet.power_log import PowerLog, PowerReader
from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.datasheet.promises import ASKED
from gpuexplorer.copies.datasheet.sheet import OtherCard, Row, Sheet
from gpuexplorer.copies.datasheet.sheet_files import sheet_as_csv, sheet_as_json
from gpuexplorer.copies.datasheet.subject import Subject, jobs_of
from gpuexplorer.copies.measuring import Bench
from gpuexplorer.copies.plan import Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core.units import memory as in_memory
from gpuexplorer.core.units import watts
from gpuexplorer.core.words import Message, paragraph, tr
from gpuexplorer.lab.wire import CopyJob, ProductJob
from gpuexplorer.telemetry.backend import Backend

_MODELLED = Message("Modelled: what was reached is a model's; nothing was measured.")
# What is compared with other cards.
_BESIDE = {
    What.MEMORY: Message("Memory"),
    What.TO_CARD: Message("Host link"),
    What.PEER: "NVLink",
    What.FP32: "FP32",
    What.TF32: "TF32",
    What.BF16: "BF16",
    What.POWER: Message("Power"),
}


@dataclass(frozen=True, slots=True)
class Benched:
    """Where it is measured, between which devices, and what is said before it."""

    backend: Backend
    bench: Bench
    routes: Routes
    head: Head
    devices: Sequence[str]


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


def measure_datasheets(arguments: argparse.Namespace, benched: Benched) -> int:
    """Of all cards among these devices; of the processor where there is none."""
    cards = [device for device in benched.devices if device != HOST]
    subjects = [_subject(benched, device) for device in cards or benched.devices]
    jobs = [job for subject in subjects for job in jobs_of(subject)]
    results: dict[CopyJob, CopyResult] = {}
    products: dict[ProductJob, ProductResult] = {}
    log = PowerLog()
    read = [subject.card.id for subject in subjects if subject.card is not None]
    watched = () if benched.bench.modelled else read
    with PowerReader(benched.backend, watched, log):
        end = measured(
            jobs,
            benched.bench,
            lambda result: results.update({result.job: result}),
            lambda product: products.update({product.job: product}),
        )
    table = cards_table()
    sheets = [
        sheet_of(
            subject,
            results,
            products,
            table,
            log,
            simulated=benched.head.simulated,
        )
        for subject in subjects
    ]
    beside = () if arguments.beside is None else named_in(arguments.beside, table)
    _show(arguments, benched, sheets, beside, complete=end == "")
    rows = [row for sheet in sheets for row in sheet.rows]
    reached = any(row.reached.value for row in rows)
    return status_after(end, well=reached and not any(row.wrong for row in rows))


def _subject(benched: Benched, device: str) -> Subject:
    routes = benched.routes
    named = routes.card(device)
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
            **({} if benched.head.machine is None else {"machine": benched.head.machine}),
            "simulated": benched.head.simulated,
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
        page = Page(terminal.width())
        benched.head.write(page, _MODELLED)
        for sheet in sheets:
            page.gap()
            _write_sheet(page, sheet, beside if sheet is sheets[-1] else ())
        page.gap()
        page.say("" if complete else INCOMPLETE)
        terminal.show(str(page))
    sys.stdout.flush()


def _write_sheet(page: Page, sheet: Sheet, beside: Sequence[OtherCard]) -> None:
    columns = (
        Column(f"{sheet.card}, {sheet.device}", 100),
        Column(Message("Promised"), 90, right=True),
        Column(Message("Reached"), 95, right=True),
        Column(Message("Share"), 80, right=True),
        Column(Message("Spread"), 40, right=True),
        Column(Message("Watts"), 60, right=True),
    )
    rows = [
        [
            row.title,
            _shown(row.what, row.promised),
            WRONG if row.wrong else _shown(row.what, row.reached),
            figure(row.share, percent),
            figure(row.variation, lambda share: percent(share, 1)),
            figure(row.watts.value, watts),
        ]
        for row in sheet.rows
    ]
    page.table(columns, rows)
    page.gap()
    for row in sheet.rows:
        page.say(f"{tr(row.title)}: {_sources(row, modelled=sheet.modelled)}")
    if beside:
        page.gap()
        _write_beside(page, sheet, beside)
    page.say(*sheet.notes)


def _shown(what: What, told: Figure) -> str:
    return figure(told.value, lambda value: in_words(what, value))


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


def _source(told: Figure, *, modelled: bool) -> str:
    if modelled and told.origin is Origin.MODELLED:
        return ""
    return tr(told.source or told.reason)


def _write_beside(page: Page, sheet: Sheet, beside: Sequence[OtherCard]) -> None:
    """What makers promise; for this card what is promised here."""
    columns = (
        Column(Message("Promised by"), 100, elastic=True),
        Column(Message("Size"), 60, right=True),
        *(Column(head, 90 - place, right=True) for place, head in enumerate(_BESIDE.values())),
    )
    here = {row.what: row.promised for row in sheet.rows}
    rows = [
        [
            Message("{card} (here)", card=sheet.card),
            "",
            *(_shown(what, here[what]) for what in _BESIDE),
        ]
    ]
    rows += [
        [
            card.name,
            "" if card.memory_bytes is None else str(in_memory(card.memory_bytes)),
            *(_shown(what, card.figure(what)) for what in _BESIDE),
        ]
        for card in beside
    ]
    page.table(columns, rows)
