"""Sheets as JSON and CSV, which say of each figure where it is from, and what is modelled."""

import csv
import io
from collections.abc import Sequence
from typing import TypeAlias

from gpuexplorer.copies.datasheet.figure import Figure, Unit, What
from gpuexplorer.copies.datasheet.sheet import OtherCard, Row, Sheet

# Any JSON value; a recursive alias would say no more.
Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"

COLUMNS = (
    "device",
    "card",
    "what",
    "title",
    "unit",
    "promised",
    "promised_source",
    "reached",
    "reached_source",
    "share",
    "lowest",
    "highest",
    "variation",
    "watts",
    "watts_source",
    "wrong",
    "simulated",
    "modelled",
    "notes",
)
_UNITS = {Unit.RATE: ("GB/s", 1e9), Unit.COMPUTE: ("TFLOP/s", 1e12), Unit.POWER: ("W", 1.0)}


def sheet_as_json(sheet: Sheet, beside: Sequence[OtherCard] = ()) -> dict[str, Json]:
    """What there is not is null, with a reason beside it."""
    return {
        "schema": 1,
        "simulated": sheet.simulated,
        "modelled": sheet.modelled,
        "device": sheet.device,
        "card": sheet.card,
        "rows": [_row_as_json(row) for row in sheet.rows],
        "beside": [_card_as_json(card) for card in beside],
        "notes": list(sheet.notes),
    }


def sheet_as_csv(sheet: Sheet, beside: Sequence[OtherCard] = ()) -> str:
    """A line for each row; other cards follow, with what their makers promise alone.

    An empty field is a figure that there is not; its source then says why.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in sheet.rows:
        told = _row_as_json(row)
        writer.writerow(
            {
                "device": sheet.device,
                "card": sheet.card,
                "what": row.what.value,
                "title": row.title,
                "unit": told["unit"],
                "promised": _field(told["promised"]),
                "promised_source": row.promised.source or row.promised.reason,
                "reached": _field(told["reached"]),
                "reached_source": row.reached.source or row.reached.reason,
                "share": _field(told["share"]),
                "lowest": _field(told["lowest"]),
                "highest": _field(told["highest"]),
                "variation": _field(told["variation"]),
                "watts": _field(told["watts"]),
                "watts_source": row.watts.source or row.watts.reason,
                "wrong": _yes(row.wrong),
                "simulated": _yes(sheet.simulated),
                "modelled": _yes(sheet.modelled),
                "notes": " ".join(row.all_notes),
            }
        )
    for card in beside:
        for what in What:
            unit, size = _UNITS[what.unit]
            figure = card.figure(what)
            writer.writerow(
                {
                    "card": card.name,
                    "what": what.value,
                    "unit": unit,
                    "promised": _field(_rounded(figure, size)),
                    "promised_source": figure.source or figure.reason,
                    "simulated": "no",
                }
            )
    return out.getvalue()


def _row_as_json(row: Row) -> dict[str, Json]:
    unit, size = _UNITS[row.what.unit]
    return {
        "what": row.what.value,
        "title": row.title,
        "unit": unit,
        "promised": _rounded(row.promised, size),
        "promised_source": row.promised.source,
        "promised_reason": row.promised.reason,
        "reached": _rounded(row.reached, size),
        "reached_source": row.reached.source,
        "reached_reason": row.reached.reason,
        "share": None if row.share is None else round(row.share, 6),
        "lowest": None if row.lowest is None else round(row.lowest / size, 6),
        "highest": None if row.highest is None else round(row.highest / size, 6),
        "variation": None if row.variation is None else round(row.variation, 6),
        "watts": _rounded(row.watts, 1.0),
        "watts_source": row.watts.source,
        "watts_reason": row.watts.reason,
        "wrong": row.wrong,
        "notes": list(row.all_notes),
    }


def _card_as_json(card: OtherCard) -> dict[str, Json]:
    return {
        "name": card.name,
        "vendor": card.vendor,
        "architecture": card.architecture,
        "year": card.year,
        "memory_bytes": card.memory_bytes,
        "is_this": card.is_this,
        "promised": [
            {
                "what": what.value,
                "unit": _UNITS[what.unit][0],
                "value": _rounded(card.figure(what), _UNITS[what.unit][1]),
                "source": card.figure(what).source,
                "reason": card.figure(what).reason,
            }
            for what in What
        ],
    }


def _rounded(figure: Figure, size: float) -> float | None:
    return None if figure.value is None else round(figure.value / size, 6)


def _field(value: Json) -> str:
    return "" if value is None else str(value)


def _yes(true: object) -> str:
    return "yes" if true else "no"
