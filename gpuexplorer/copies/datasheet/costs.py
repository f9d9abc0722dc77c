"""What follows from a sheet: what a card costs for what it does, from figures that a person
typed in; and files, which say of each figure where it is from and what is modelled.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from gpuexplorer.copies.datasheet.cards_table import (
    Figure,
    Origin,
    OtherCard,
    What,
    in_words,
)
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.core.harmless import csv_of
from gpuexplorer.core.records import written
from gpuexplorer.core.units import plain
from gpuexplorer.core.words import NOTHING, Message, mark

# Any JSON value; a recursive alias would say no more.
Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"

TYPED = "typed in by a person"
COLUMNS = (
    *("device", "card", "what", "title", "unit", "promised", "promised_source", "reached"),
    *("reached_source", "share", "lowest", "highest", "variation", "watts", "watts_source"),
    *("wrong", "simulated", "modelled", "notes", "cost", "cost_source"),
)
_DAYS_A_YEAR = 365.0
_LONGEST_SIGN = 8
# "1,200" is 1200 to some and 1.2 to others.
_TWO_READINGS = re.compile(r"[1-9]\d{0,2},\d{3}")
_SPACES = re.compile(r"[\s_']")


class Asked(StrEnum):
    """What a person can type in."""

    CURRENCY = "currency"
    PRICE = "price of the card"
    RENT = "rent per hour"
    ELECTRICITY = "price of electricity per kWh"
    HOURS_A_DAY = "hours a day"
    TRAINING = "hours of a training"

    @property
    def of_one_model(self) -> bool:
        """Each model has its own; the others are the same for all cards."""
        return self in (Asked.PRICE, Asked.RENT, Asked.TRAINING)


# What each is called where it is missing, and the most that it can be.
_NUMBERS = {
    Asked.PRICE: (mark("the price of the card"), 1e9),
    Asked.RENT: (mark("the rent"), 1e6),
    Asked.ELECTRICITY: (mark("electricity"), 1e6),
    Asked.HOURS_A_DAY: (mark("the hours a day"), 24.0),
    Asked.TRAINING: (mark("the hours of a training"), 1e6),
}
_MISSING = (
    "",
    mark("type in {first}"),
    mark("type in {first} and {second}"),
    mark("type in {first}, {second} and {third}"),
)
_PER = {
    What.MEMORY: (mark("1 GB/s of memory bandwidth"), 1e9),
    What.FP32: (mark("1 TFLOP/s in FP32"), 1e12),
    What.FP16: (mark("1 TFLOP/s in FP16"), 1e12),
    What.BF16: (mark("1 TFLOP/s in BF16"), 1e12),
}
_SAID_BY = {
    Origin.MEASURED: mark("{figure}, measured here"),
    Origin.MODELLED: mark("{figure}, modelled"),
    Origin.TABLE: mark("{figure}, promised by its maker"),
}


@dataclass(frozen=True, slots=True)
class TypedIn:
    """The texts as they were typed; `wrong` has a sentence for each that cannot be used."""

    texts: Mapping[Asked, str] = field(default_factory=dict)

    @property
    def currency(self) -> str:
        return self.texts.get(Asked.CURRENCY, "").strip()[:_LONGEST_SIGN]

    @property
    def numbers(self) -> Mapping[Asked, float]:
        return {asked: each for asked, each in self._read() if isinstance(each, float)}

    @property
    def wrong(self) -> Mapping[Asked, Message]:
        found = {asked: each for asked, each in self._read() if isinstance(each, Message)}
        if len(self.texts.get(Asked.CURRENCY, "").strip()) > _LONGEST_SIGN:
            found[Asked.CURRENCY] = Message(
                "A sign for the currency has at most {count} characters.", count=_LONGEST_SIGN
            )
        return found

    def _read(self) -> Iterator[tuple[Asked, float | Message | None]]:
        return ((asked, _read(asked, self.texts.get(asked, ""))) for asked in _NUMBERS)


@dataclass(frozen=True, slots=True)
class Cost:
    """One line of what follows. Without a value there is a reason."""

    title: Message
    unit: str  # the sign of the currency, "h" or "d"
    value: float | None
    source: Message  # from what it is computed
    reason: Message = NOTHING


def costs_of(sheet: Sheet, typed: TypedIn) -> tuple[Cost, ...]:
    """All that can be computed, and for the rest what is missing."""
    return tuple(_costs(sheet, typed.numbers, typed.currency))


def _costs(sheet: Sheet, numbers: Mapping[Asked, float], sign: str) -> Iterator[Cost]:
    price, rent, electricity, a_day, hours = (numbers.get(each, 0.0) for each in _NUMBERS)
    power = _done(sheet, What.POWER)
    drawn, kilowatts = _told(What.POWER, power), (power.value or 0.0) / 1000

    def cost(
        title: str, unit: str, value: float, source: Message, needed: Sequence[Asked], why: str
    ) -> Cost:
        names = [Message(_NUMBERS[each][0]) for each in needed if each not in numbers]
        values = dict(zip(("first", "second", "third"), names, strict=False))
        missing = Message(_MISSING[len(names)], **values) or why
        if not missing:
            return Cost(Message(title), unit, value, source)
        reason = missing if isinstance(missing, Message) else Message("{why}", why=missing)
        return Cost(Message(title), unit, None, NOTHING, reason)

    # Cards before Ampere are bought for the other kind of 16 bits.
    promised = {row.what for row in sheet.rows if row.promised.value is not None}
    half = What.FP16 if What.FP16 in promised and What.BF16 not in promised else What.BF16
    for what in (What.MEMORY, What.FP32, half):
        (title, size), figure = _PER[what], _done(sheet, what)
        value = price * size / (figure.value or size)
        yield cost(title, sign, value, _told(what, figure), [Asked.PRICE], figure.reason)
    source = Message(
        "{hours} h at {power}, for {price} per kWh",
        hours=plain(hours),
        power=drawn,
        price=_money(electricity, sign),
    )
    needed = [Asked.TRAINING, Asked.ELECTRICITY]
    value = hours * kilowatts * electricity
    title = mark("Electricity of a training")
    yield cost(title, sign, value, source, needed, power.reason)
    source = Message("{hours} h at {rent} an hour", hours=plain(hours), rent=_money(rent, sign))
    title, needed = mark("A training on a rented card"), [Asked.TRAINING, Asked.RENT]
    yield cost(title, sign, hours * rent, source, needed, "")
    running = kilowatts * electricity
    source = Message(
        "the rent less {electricity} an hour for electricity at {power}",
        electricity=_money(running, sign),
        power=drawn,
    )
    never = power.reason
    if not never and rent <= running:
        never = Message(
            "never: an hour of electricity costs {electricity}, and an hour of rent {rent}",
            electricity=_money(running, sign),
            rent=_money(rent, sign),
        )
    until = 0.0 if rent <= running else price / (rent - running)
    needed = [Asked.PRICE, Asked.RENT, Asked.ELECTRICITY]
    bought = cost(mark("Buying is cheaper after"), "h", until, source, needed, never)
    yield bought
    days = until / a_day if a_day else 0.0
    source = Message("{hours} h a day", hours=plain(a_day))
    if days > _DAYS_A_YEAR:
        years = short_number(days / _DAYS_A_YEAR)
        source = Message(
            "{hours} h a day; that is {years} years", hours=plain(a_day), years=years
        )
    if bought.reason:
        yield Cost(Message("In days of use"), "d", None, NOTHING, bought.reason)
    else:
        yield cost(mark("In days of use"), "d", days, source, [Asked.HOURS_A_DAY], "")


def _done(sheet: Sheet, what: What) -> Figure:
    """What was reached, else what is promised, else why there is neither."""
    row = sheet.row(what)
    if row is None:
        return Figure.missing(Message("the sheet has no such figure"))
    if row.wrong:
        return Figure.missing(Message("what was measured came out WRONG"))
    for figure in (row.reached, row.promised):
        if figure.value:
            return figure
    return row.promised if row.promised.reason else row.reached


def _told(what: What, figure: Figure) -> Message:
    """ "71.2 TFLOP/s, measured here"."""
    if figure.value is None:
        return NOTHING
    by_device = mark("{figure}, promised by the card")
    if what is What.POWER:
        by_device = mark("{figure}, the board's limit")
    said = _SAID_BY.get(figure.origin, by_device)
    return Message(said, figure=in_words(what, figure.value))


def _read(asked: Asked, typed: str) -> float | Message | None:
    """None where nothing was typed; a sentence where it is no figure."""
    text = _SPACES.sub("", typed)
    if not text:
        return None
    if _TWO_READINGS.fullmatch(text):
        return Message(
            "“{text}” can be read in two ways. Write {large} or {small}.",
            text=typed.strip(),
            large=text.replace(",", ""),
            small=plain(float(text.replace(",", "."))),
        )
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    most = _NUMBERS[asked][1]
    if math.isnan(value):
        shown = typed.strip()
        shown = shown if len(shown) <= 24 else f"{shown[:23]}…"
        return Message("“{text}” is not a number. Write it as 1234.5.", text=shown)
    if value > most:
        return Message("This is more than {most} and cannot be right.", most=f"{most:.0f}")
    if value < 0:
        return Message("This cannot be less than 0.")
    if value == 0 and asked in (Asked.HOURS_A_DAY, Asked.TRAINING):
        return Message("With 0 hours there is nothing to compute. Leave it empty instead.")
    return value


def _money(value: float, sign: str) -> str:
    return f"{short_number(value)} {sign}".strip()


def short_number(value: float) -> str:
    """Money and hours as people write them: 1234, 12.34, 0.0123."""
    if value == 0:
        return "0"
    if not 1e-6 <= value < 1e12:
        return f"{value:.3g}"
    if value >= 1000:
        return f"{value:.0f}"
    if value >= 1:
        return f"{value:.2f}".removesuffix(".00")
    return f"{value:.{2 - math.floor(math.log10(value))}f}".rstrip("0")


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
        "beside": [
            {
                "name": card.name,
                "vendor": card.vendor,
                "architecture": card.architecture,
                "year": card.year,
                "memory_bytes": card.memory_bytes,
                "is_this": card.is_this,
                "promised": [_promise_as_json(card, what) for what in What],
            }
            for card in beside
        ],
        "notes": [*sheet.notes],
    }
    if typed is not None and typed.numbers:
        told["costs"] = {
            "source": TYPED,
            "currency": typed.currency,
            "typed_in": {each.value: number for each, number in typed.numbers.items()},
            "computed": written(costs_of(sheet, typed), str),
        }
    return told


def sheet_as_csv(
    sheet: Sheet, beside: Sequence[OtherCard] = (), typed: TypedIn | None = None
) -> str:
    """A line for each row; other cards follow, with what their makers promise alone, and what
    a person typed in with what it comes to.

    An empty field is a figure that there is not; its source then says why.
    """
    own = {"device": sheet.device, "card": sheet.card}
    of_all = {**own, "simulated": sheet.simulated, "modelled": sheet.modelled}
    rows: list[Mapping[str, object]] = []
    for row in sheet.rows:
        told = _row_as_json(row)
        for name in ("promised", "reached", "watts"):
            told[f"{name}_source"] = told[f"{name}_source"] or told[f"{name}_reason"]
        rows.append({**told, **of_all, "notes": " ".join(row.all_notes)})
    for card in beside:
        for told in (_promise_as_json(card, what) for what in What):
            why = told["source"] or told["reason"]
            promised = {"promised": told["value"], "promised_source": why}
            rows.append({"card": card.name, **told, **promised, "simulated": False})
    for asked, value in typed.numbers.items() if typed is not None else ():
        by_hand = {"what": TYPED, "title": asked.value, "cost": value, "cost_source": TYPED}
        rows.append({**own, **by_hand})
    for cost in costs_of(sheet, typed) if typed is not None and typed.numbers else ():
        computed = {"what": "computed", "title": cost.title, "unit": cost.unit}
        source = {"cost": cost.value, "cost_source": cost.source or cost.reason}
        rows.append({**own, **computed, **source})
    return csv_of(COLUMNS, rows)


def _row_as_json(row: Row) -> dict[str, Json]:
    size = row.what.scale
    return {
        "what": row.what.value,
        "title": row.title,
        "unit": row.what.unit,
        **_figure_as_json("promised", row.promised, size),
        **_figure_as_json("reached", row.reached, size),
        "share": _rounded(row.share),
        "lowest": _rounded(row.lowest, size),
        "highest": _rounded(row.highest, size),
        "variation": _rounded(row.variation),
        **_figure_as_json("watts", row.watts, 1.0),
        "wrong": row.wrong,
        "notes": [*row.all_notes],
    }


def _figure_as_json(name: str, figure: Figure, size: float) -> dict[str, Json]:
    value = _rounded(figure.value, size)
    return {name: value, f"{name}_source": figure.source, f"{name}_reason": figure.reason}


def _promise_as_json(card: OtherCard, what: What) -> dict[str, Json]:
    figure = card.figure(what)
    return {
        "what": what.value,
        "unit": what.unit,
        "value": _rounded(figure.value, what.scale),
        "source": figure.source,
        "reason": figure.reason,
    }


def _rounded(value: float | None, size: float = 1.0) -> float | None:
    return None if value is None else round(value / size, 6)
