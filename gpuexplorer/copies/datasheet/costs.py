"""Costs: what a card costs for what it does, from figures that a person typed in."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gpuexplorer.copies.datasheet.figure import Figure, Origin, What, in_words
from gpuexplorer.copies.datasheet.sheet import Sheet
from gpuexplorer.core.units import plain
from gpuexplorer.core.words import NOTHING, Message, mark

_HOURS_A_DAY = 24.0
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


_MOST = {
    Asked.PRICE: 1e9,
    Asked.RENT: 1e6,
    Asked.ELECTRICITY: 1e6,
    Asked.HOURS_A_DAY: _HOURS_A_DAY,
    Asked.TRAINING: 1e6,
}
_PER = {
    What.MEMORY: (mark("1 GB/s of memory bandwidth"), 1e9),
    What.FP32: (mark("1 TFLOP/s in FP32"), 1e12),
    What.BF16: (mark("1 TFLOP/s in BF16"), 1e12),
}
_NAMES = {
    Asked.PRICE: mark("the price of the card"),
    Asked.RENT: mark("the rent"),
    Asked.ELECTRICITY: mark("electricity"),
    Asked.HOURS_A_DAY: mark("the hours a day"),
    Asked.TRAINING: mark("the hours of a training"),
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
        read = {asked: _read(asked, self.texts.get(asked, "")) for asked in _MOST}
        return {asked: each for asked, each in read.items() if isinstance(each, float)}

    @property
    def wrong(self) -> Mapping[Asked, Message]:
        read = {asked: _read(asked, self.texts.get(asked, "")) for asked in _MOST}
        found = {asked: each for asked, each in read.items() if isinstance(each, Message)}
        if len(self.texts.get(Asked.CURRENCY, "").strip()) > _LONGEST_SIGN:
            found[Asked.CURRENCY] = Message(
                "A sign for the currency has at most {count} characters.", count=_LONGEST_SIGN
            )
        return found


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
    for what, (title, size) in _PER.items():
        figure = _done(sheet, what)
        missing = _missing(numbers, Asked.PRICE) or figure.reason
        value = None if missing else numbers[Asked.PRICE] / ((figure.value or 1.0) / size)
        yield _cost(Message(title), sign, value, missing, _told(what, figure))
    power = _done(sheet, What.POWER)
    yield _of_electricity(numbers, sign, power)
    missing = _missing(numbers, Asked.TRAINING, Asked.RENT)
    hours, rent = numbers.get(Asked.TRAINING, 0.0), numbers.get(Asked.RENT, 0.0)
    source = Message("{hours} h at {rent} an hour", hours=plain(hours), rent=_money(rent, sign))
    title = Message("A training on a rented card")
    yield _cost(title, sign, hours * rent, missing, source)
    yield from _bought(numbers, sign, power)


def _of_electricity(numbers: Mapping[Asked, float], sign: str, power: Figure) -> Cost:
    missing = _missing(numbers, Asked.TRAINING, Asked.ELECTRICITY) or power.reason
    hours = numbers.get(Asked.TRAINING, 0.0)
    price = numbers.get(Asked.ELECTRICITY, 0.0)
    source = Message(
        "{hours} h at {power}, for {price} per kWh",
        hours=plain(hours),
        power=_told(What.POWER, power),
        price=_money(price, sign),
    )
    value = hours * (power.value or 0.0) / 1000 * price
    return _cost(Message("Electricity of a training"), sign, value, missing, source)


def _bought(numbers: Mapping[Asked, float], sign: str, power: Figure) -> Iterator[Cost]:
    """After how long a card that was bought has cost less than a rented one."""
    title = Message("Buying is cheaper after")
    missing = _missing(numbers, Asked.PRICE, Asked.RENT, Asked.ELECTRICITY) or power.reason
    running = (power.value or 0.0) / 1000 * numbers.get(Asked.ELECTRICITY, 0.0)
    saved = numbers.get(Asked.RENT, 0.0) - running
    if not missing and saved <= 0:
        missing = Message(
            "never: an hour of electricity costs {electricity}, and an hour of rent {rent}",
            electricity=_money(running, sign),
            rent=_money(numbers[Asked.RENT], sign),
        )
    hours = 0.0 if missing else numbers[Asked.PRICE] / saved
    source = Message(
        "the rent less {electricity} an hour for electricity at {power}",
        electricity=_money(running, sign),
        power=_told(What.POWER, power),
    )
    yield _cost(title, "h", hours, missing, source)
    a_day = numbers.get(Asked.HOURS_A_DAY, 0.0)
    missing = missing or _missing(numbers, Asked.HOURS_A_DAY)
    days = hours / a_day if a_day else 0.0
    in_years = Message("{hours} h a day", hours=plain(a_day))
    if days > _DAYS_A_YEAR:
        in_years = Message(
            "{hours} h a day; that is {years} years",
            hours=plain(a_day),
            years=short_number(days / _DAYS_A_YEAR),
        )
    yield _cost(Message("In days of use"), "d", days, missing, in_years)


def _cost(
    title: Message, unit: str, value: float | None, missing: str, source: Message
) -> Cost:
    if missing:
        reason = missing if isinstance(missing, Message) else Message("{why}", why=missing)
        return Cost(title, unit, None, NOTHING, reason)
    return Cost(title, unit, value, source)


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
    value = in_words(what, figure.value)
    match figure.origin:
        case Origin.MEASURED:
            return Message("{figure}, measured here", figure=value)
        case Origin.MODELLED:
            return Message("{figure}, modelled", figure=value)
        case Origin.TABLE:
            return Message("{figure}, promised by its maker", figure=value)
    if what is What.POWER:
        return Message("{figure}, the board's limit", figure=value)
    return Message("{figure}, promised by the card", figure=value)


def _missing(numbers: Mapping[Asked, float], *needed: Asked) -> Message:
    """What has to be typed in first."""
    names = [Message(_NAMES[asked]) for asked in needed if asked not in numbers]
    match names:
        case []:
            return NOTHING
        case [name]:
            return Message("type in {name}", name=name)
        case [first, second]:
            return Message("type in {first} and {second}", first=first, second=second)
    first, second, third = names
    return Message(
        "type in {first}, {second} and {third}", first=first, second=second, third=third
    )


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
    most = _MOST[asked]
    if math.isnan(value):
        return Message("“{text}” is not a number. Write it as 1234.5.", text=_short(typed))
    if value > most:
        return Message("This is more than {most} and cannot be right.", most=f"{most:.0f}")
    if value < 0:
        return Message("This cannot be less than 0.")
    if value == 0 and asked in (Asked.HOURS_A_DAY, Asked.TRAINING):
        return Message("With 0 hours there is nothing to compute. Leave it empty instead.")
    return value


def _short(typed: str) -> str:
    text = typed.strip()
    return text if len(text) <= 24 else f"{text[:23]}…"


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
