"""What follows from a sheet: what a card costs for what it does, from figures that a person
typed in; and files, which say of each figure where it is from and what is modelled.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.copies.datasheet.cards_table import Figure, Origin, OtherCard, What, in_words
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.copies.result import Json, rounded
from gpuexplorer.core.harmless import csv_of
from gpuexplorer.core.records import written
from gpuexplorer.core.units import plain
from gpuexplorer.core.words import NOTHING, Message, all_of, mark

TYPED = "typed in by a person"
COLUMNS = (
    *("device", "card", "what", "title", "unit", "promised", "promised_source", "reached"),
    *("reached_source", "share", "lowest", "highest", "variation", "watts", "watts_source"),
    *("wrong", "simulated", "modelled", "notes", "cost", "cost_source"),
)
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


CAPTIONS = {
    Asked.CURRENCY: mark("Currency"),
    Asked.PRICE: mark("Price of the card"),
    Asked.RENT: mark("Rent per hour"),
    Asked.ELECTRICITY: mark("Electricity per kWh"),
    Asked.HOURS_A_DAY: mark("Hours a day"),
    Asked.TRAINING: mark("Hours of a training"),
}
_NEVER = mark("never: an hour of electricity costs {electricity}, and an hour of rent {rent}")
_FIGURES = (*Asked,)[1:]  # but for the currency
_PER = {
    What.MEMORY: mark("1 GB/s of memory bandwidth"),
    What.FP32: mark("1 TFLOP/s in FP32"),
    What.FP16: mark("1 TFLOP/s in FP16"),
    What.BF16: mark("1 TFLOP/s in BF16"),
}
_SAID_BY = {
    Origin.MEASURED: mark("{figure}, measured here"),
    Origin.MODELLED: mark("{figure}, modelled"),
    Origin.TABLE: mark("{figure}, promised by its maker"),
    Origin.DEVICE: mark("{figure}, promised by the card"),
}


class TypedIn:
    """The texts as they were typed, the figures among them, and a sentence for each that cannot
    be used. With 0 hours there is nothing to compute.
    """

    def __init__(self, texts: Mapping[Asked, str]) -> None:
        self.texts, self.currency = texts, texts.get(Asked.CURRENCY, "").strip()
        self.numbers: dict[Asked, float] = {}
        self.wrong: dict[Asked, Message] = {}
        for asked in _FIGURES:
            text = _SPACES.sub("", texts.get(asked, ""))
            most = 24.0 if asked is Asked.HOURS_A_DAY else 1e9
            try:
                value = float(text.replace(",", "."))
            except ValueError:
                value = math.nan
            if text and (_TWO_READINGS.fullmatch(text) or not 0 <= value <= most):
                how = mark("Write a number from 0 to {most}, such as 12.5.")
                self.wrong[asked] = Message(how, most=f"{most:.0f}")
            elif text and (value or asked not in (Asked.HOURS_A_DAY, Asked.TRAINING)):
                self.numbers[asked] = value


@dataclass(frozen=True, slots=True)
class Cost:
    """One line of what follows. Without a value there is a reason."""

    title: Message
    unit: str  # the sign of the currency, "h" or "d"
    value: float | None
    source: Message  # from what it is computed
    reason: Message = NOTHING


def costs_of(sheet: Sheet, typed: TypedIn) -> list[Cost]:
    """All that can be computed, and for the rest what is missing."""
    sign, costs = typed.currency, list[Cost]()
    price, rent, electricity, a_day, hours = (typed.numbers.get(e, 0.0) for e in _FIGURES)

    def add(
        title: str, unit: str, value: float, source: Message, *needed: Asked, why: str = ""
    ) -> None:
        names = [Message(CAPTIONS[each]) for each in needed if each not in typed.numbers]
        reason = Message("{why}", why=why) if why else NOTHING
        if names:
            reason = Message("type in: {figures}", figures=all_of(names))
        known = (None, NOTHING, reason) if reason else (value, source, NOTHING)
        costs.append(Cost(Message(title), unit, *known))

    # Cards before Ampere are bought for the other kind of 16 bits.
    older = sheet.row(What.BF16).promised.value is None
    half = What.FP16 if older and sheet.row(What.FP16).promised.value else What.BF16
    for what in (What.MEMORY, What.FP32, half):
        done = _done(sheet, what)
        value = price * what.scale / (done.value or what.scale)
        add(_PER[what], sign, value, _told(what, done), Asked.PRICE, why=done.reason)
    power = _done(sheet, What.POWER)
    running = (power.value or 0.0) / 1000 * electricity
    told = {
        "hours": plain(hours),
        "power": _told(What.POWER, power),
        "price": _money(electricity, sign),
        "rent": _money(rent, sign),
        "electricity": _money(running, sign),
    }
    title, needed = mark("Electricity of a training"), (Asked.TRAINING, Asked.ELECTRICITY)
    source = Message("{hours} h at {power}, for {price} per kWh", **told)
    add(title, sign, hours * running, source, *needed, why=power.reason)
    title, needed = mark("A training on a rented card"), (Asked.TRAINING, Asked.RENT)
    add(title, sign, hours * rent, Message("{hours} h at {rent} an hour", **told), *needed)
    never, until = power.reason, price / (rent - running) if rent > running else 0.0
    if rent <= running and not never:
        never = Message(_NEVER, **told)
    less = mark("the rent less {electricity} an hour for electricity at {power}")
    buying = Asked.PRICE, Asked.RENT, Asked.ELECTRICITY
    title = mark("Buying is cheaper after")
    add(title, "h", until, Message(less, **told), *buying, why=never)
    source, days = Message("{hours} h a day", hours=plain(a_day)), until / (a_day or 1.0)
    add(mark("In days of use"), "d", days, source, *buying, Asked.HOURS_A_DAY, why=never)
    return costs


def _done(sheet: Sheet, what: What) -> Figure:
    """What was reached, else what is promised, else why there is neither."""
    row = sheet.row(what)
    if row.wrong:
        return Figure.missing(Message("what was measured came out WRONG"))
    known = (figure for figure in (row.reached, row.promised) if figure.value)
    return next(known, row.promised)


def _told(what: What, figure: Figure) -> Message:
    """ "71.2 TFLOP/s, measured here"."""
    if figure.value is None:
        return NOTHING
    said = _SAID_BY[figure.origin]
    if what is What.POWER and figure.origin is Origin.DEVICE:
        said = mark("{figure}, the board's limit")
    return Message(said, figure=in_words(what, figure.value))


def _money(value: float, sign: str) -> str:
    return f"{short_number(value)} {sign}".strip()


def short_number(value: float) -> str:
    """Money and hours, three digits that matter: 1234, 12.3, 0.0123."""
    return f"{value:.0f}" if value >= 999.5 else f"{value:.3g}"


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
                "is_this": card is sheet.listed,
                "promised": [_promise_as_json(card, what) for what in What],
            }
            for card in beside
        ],
        "notes": [],
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
    if typed is not None and typed.numbers:
        for asked, value in typed.numbers.items():
            by_hand = {"what": TYPED, "title": asked.value, "cost": value}
            rows.append({**own, **by_hand, "cost_source": TYPED})
        for cost in costs_of(sheet, typed):
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
        "share": rounded(row.share),
        "lowest": rounded(row.lowest, size=size),
        "highest": rounded(row.highest, size=size),
        "variation": rounded(row.variation),
        **_figure_as_json("watts", row.watts, 1.0),
        "wrong": row.wrong,
        "notes": [*row.all_notes],
    }


def _figure_as_json(name: str, figure: Figure, size: float) -> dict[str, Json]:
    value = rounded(figure.value, size=size)
    return {name: value, f"{name}_source": figure.source, f"{name}_reason": figure.reason}


def _promise_as_json(card: OtherCard, what: What) -> dict[str, Json]:
    figure, told = card.figures[what], {"what": what.value, "unit": what.unit}
    value = rounded(figure.value, size=what.scale)
    return {**told, "value": value, "source": figure.source, "reason": figure.reason}
