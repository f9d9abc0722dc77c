"""What is said of the figures of a card: each by itself, and what follows from them."""

from collections.abc import Mapping, Sequence

from gpuexplorer.copies.datasheet.cards_table import (
    Figure,
    Origin,
    What,
    in_words,
    number_of,
    unit_of,
)
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.core.words import listed, mark, paragraph, tr
from gpuexplorer.gui.copies.copies_page import factor_words

_MOST = 3
_POOR = 0.6  # of what is promised: worth a word
_LOPSIDED = 0.85
_AS_FAST = 0.9


def said_of(what: What, figure: Figure) -> str:
    """ "3352 GB/s", or why there is none."""
    return tr(figure.reason) if figure.value is None else in_words(what, figure.value)


def titled(row: Row, names: Mapping[str, str]) -> str:
    """ "Peer link, to cuda:1" becomes "Peer link, to card 1". `names` are what people call
    PyTorch's devices.
    """
    values = {
        name: names.get(str(value), str(value)) for name, value in row.title.values.items()
    }
    return tr(row.title.template, **values)


def numbers_of(row: Row) -> tuple[str, str, str]:
    """What was reached, what is promised, and the unit of both; empty is what there is not."""
    unit = unit_of(row.what, row.promised.value, row.reached.value)
    reached, promised = (
        number_of(row.what, each.value, unit) for each in (row.reached, row.promised)
    )
    return reached, promised, unit


def below(row: Row) -> str:
    """Where nothing was reached, why; else who promised it, or why nobody does."""
    if row.reached.value is None and not row.wrong and row.reached.origin is not Origin.NOT_YET:
        return tr(row.reached.reason)
    if row.promised.value is None:
        return tr("no promise: {why}", why=row.promised.reason)
    if row.promised.origin is Origin.DEVICE:
        return tr("device: {what}", what=row.promised.detail)
    return tr(row.promised.source)


def said(row: Row, names: Mapping[str, str]) -> str:
    """All of the row, for screen readers."""
    return tr("{name}: {figures}", name=titled(row, names), figures=all_of(row))


def all_of(row: Row) -> str:
    """All there is to know of it, a line each."""
    promise = tr("Nothing is promised: {why}.", why=row.promised.reason)
    if row.promised.value is not None:
        known = {"figure": said_of(row.what, row.promised), "source": row.promised.source}
        promise = tr("Promised: {figure} ({source}).", **known)
    lines = [tr(row.what.sentence), promise, _reached(row)]
    if row.what is not What.POWER and row.reached.value is not None:
        drawn = said_of(What.POWER, row.watts)
        drawing = tr("Drawing {watts}, {mean}.", watts=drawn, mean=row.watts.source)
        missing = tr("Watts: {why}.", why=row.watts.reason)
        lines.append(missing if row.watts.value is None else drawing)
    return "\n".join([*lines, *map(tr, row.all_notes)])


def _reached(row: Row) -> str:
    if row.wrong:
        return tr("The result was WRONG, and has no figure.")
    if row.reached.value is None:
        return tr("Not reached: {why}.", why=row.reached.reason)
    values = {"figure": said_of(row.what, row.reached), "source": row.reached.source}
    unit = unit_of(row.what, row.reached.value)
    low, high = (number_of(row.what, each, unit) for each in (row.lowest, row.highest))
    if low == high:
        return tr("Reached: {figure} ({source}).", **values)
    between = tr("between {low} and {high}", low=low, high=high)
    return tr("Reached: {figure}, {between} ({source}).", between=between, **values)


def sentences_of(
    sheet: Sheet, names: Mapping[str, str], called: str, note: str = ""
) -> Sequence[str]:
    """`called` is the card as people call it, "Card 0", as `names` are those of others; `note`
    is a sentence about its host link. Nothing where nothing was measured.
    """
    wrong = listed([titled(row, names) for row in sheet.rows if row.wrong])
    figures = tr("{figures}: the result was WRONG, so it has no figure.", figures=wrong)
    memory, rate = sheet.row(What.MEMORY), ""
    if memory.share is not None:
        rate = tr(
            "{card} reaches {share:.0f} % of its memory bandwidth.",
            card=called,
            share=memory.share * 100,
        )
    elif memory.reached.value is not None:
        moved = said_of(memory.what, memory.reached)
        rate = tr("{card} moves {rate} in its own memory.", card=called, rate=moved)
    found = [figures if wrong else "", rate, _link(sheet, note), _products(sheet)]
    return [each for each in found if each][:_MOST]


def _link(sheet: Sheet, note: str) -> str:
    there, back = sheet.row(What.TO_CARD), sheet.row(What.FROM_CARD)
    to_card, from_card = there.reached.value, back.reached.value
    if to_card is None:
        return ""
    if note:
        return paragraph((note, tr("The host link carries {rate} one way.", rate=_of(there))))
    less, more = (there, back) if to_card < (from_card or to_card) else (back, there)
    if (less.reached.value or to_card) < _LOPSIDED * (more.reached.value or to_card):
        to = mark("The host link is slower to the card: {less}, against {more}.")
        away = mark("The host link is slower from the card: {less}, against {more}.")
        most = said_of(more.what, more.reached)
        return tr(to if less is there else away, less=_of(less), more=most)
    if there.share is not None and there.share < _POOR:
        return tr("The host link carries only {rate} one way.", rate=_of(there))
    return tr("The host link carries {rate} one way.", rate=_of(there))


def _of(row: Row) -> str:
    """ "13.1 of 31.5 GB/s"."""
    reached, promised, unit = numbers_of(row)
    if not promised:
        return f"{reached} {unit}"
    return tr("{part} of {whole} {unit}", part=reached, whole=promised, unit=unit)


def _products(sheet: Sheet) -> str:
    plain, half = sheet.row(What.FP32), sheet.row(What.FP16)
    quick = [sheet.row(what) for what in (What.BF16, What.FP16, What.TF32)]
    rates = {row: row.reached.value for row in quick if row.reached.value}
    if not rates or not plain.reached.value:
        return ""
    # FP16 and BF16 are equally fast where tensor cores support both, but for chance.
    most = max(rates.values())
    best = next(row for row, rate in rates.items() if rate > _AS_FAST * most)
    times, kind = rates[best] / plain.reached.value, best.what.kind.upper()
    if times < 1:
        # What the card does quickly may be what was not measured.
        if sheet.device != HOST and half.reached.value is None:
            return ""
        return tr("Products in {kind} are no faster than in FP32 here.", kind=kind)
    values = {"kind": kind, "times": factor_words(times)}
    if best.watts.value is None or plain.watts.value is None:
        return tr("Products in {kind} are {times} times as fast as in FP32.", **values)
    return tr(
        "Products in {kind} are {times} times as fast as in FP32, at {watts:.0f} against "
        "{plain:.0f} W.",
        watts=best.watts.value,
        plain=plain.watts.value,
        **values,
    )
