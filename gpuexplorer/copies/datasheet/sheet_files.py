"""Sheets as JSON and CSV, which say of each figure where it is from, and what is modelled."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from gpuexplorer.copies.datasheet.costs import TypedIn, costs_of
from gpuexplorer.copies.datasheet.figure import Figure, Unit, What
from gpuexplorer.copies.datasheet.sheet import OtherCard, Row, Sheet
from gpuexplorer.core.harmless import csv_of

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
    "cost",
    "cost_source",
)
TYPED = "typed in by a person"
_UNITS = {Unit.RATE: ("GB/s", 1e9), Unit.COMPUTE: ("TFLOP/s", 1e12), Unit.POWER: ("W", 1.0)}


def sheet_as_json(
    sheet: Sheet, beside: Sequence[OtherCard] = (), typed: TypedIn | None = None
) -> dict[str, Json]:
    """What there is not is null, with a reason beside it."""
    told: dict[str, Json] = {
        "schema": 1,
        "simulated": sheet.simulated,
        "modelled": sheet.modelled,
        "device": sheet.device,
        "card": sheet.card,
        "rows": [_row_as_json(row) for row in sheet.rows],
        "beside": [_card_as_json(card) for card in beside],
        "notes": list(sheet.notes),
    }
    if typed is not None and typed.numbers:
        figures: dict[str, Json] = {each.value: n for each, n in typed.numbers.items()}
        told["costs"] = {
            "source": TYPED,
            "currency": typed.currency,
            "typed_in": figures,
            "computed": [
                {
                    "title": cost.title,
                    "unit": cost.unit,
                    "value": cost.value,
                    "source": cost.source,
                    "reason": cost.reason,
                }
                for cost in costs_of(sheet, typed)
            ],
        }
    return told


def sheet_as_csv(
    sheet: Sheet, beside: Sequence[OtherCard] = (), typed: TypedIn | None = None
) -> str:
    """A line for each row; other cards follow, with what their makers promise alone, and what
    a person typed in with what it comes to.

    An empty field is a figure that there is not; its source then says why.
    """
    rows: list[Mapping[str, object]] = [
        {
            **told,
            "device": sheet.device,
            "card": sheet.card,
            "promised_source": told["promised_source"] or told["promised_reason"],
            "reached_source": told["reached_source"] or told["reached_reason"],
            "watts_source": told["watts_source"] or told["watts_reason"],
            "simulated": sheet.simulated,
            "modelled": sheet.modelled,
            "notes": " ".join(row.all_notes),
        }
        for row in sheet.rows
        for told in (_row_as_json(row),)
    ]
    for card in beside:
        rows += [
            {
                "card": card.name,
                "what": told["what"],
                "unit": told["unit"],
                "promised": told["value"],
                "promised_source": told["source"] or told["reason"],
                "simulated": False,
            }
            for told in _promises_as_json(card)
        ]
    if typed is not None and typed.numbers:
        of_card = {"device": sheet.device, "card": sheet.card}
        rows += [
            {
                **of_card,
                "what": TYPED,
                "title": asked.value,
                "cost": value,
                "cost_source": TYPED,
            }
            for asked, value in typed.numbers.items()
        ]
        rows += [
            {
                **of_card,
                "what": "computed",
                "title": cost.title,
                "unit": cost.unit,
                "cost": cost.value,
                "cost_source": cost.source or cost.reason,
            }
            for cost in costs_of(sheet, typed)
        ]
    return csv_of(COLUMNS, rows)


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
        "promised": [*_promises_as_json(card)],
    }


def _promises_as_json(card: OtherCard) -> list[dict[str, Json]]:
    return [
        {
            "what": what.value,
            "unit": _UNITS[what.unit][0],
            "value": _rounded(card.figure(what), _UNITS[what.unit][1]),
            "source": card.figure(what).source,
            "reason": card.figure(what).reason,
        }
        for what in What
    ]


def _rounded(figure: Figure, size: float) -> float | None:
    return None if figure.value is None else round(figure.value / size, 6)
