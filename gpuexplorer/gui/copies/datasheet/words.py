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
from gpuexplorer.core.words import Message, listed, mark, paragraph, tr
from gpuexplorer.gui.copies.shared_parts import factor_words
from gpuexplorer.gui.widgets.live_view import KeyGroup

_MOST = 3
_POOR = 0.6  # of what is promised: worth a word
_LOPSIDED = 0.85
_AS_FAST = 0.9
UNTOLD, _NO_PROMISE, _NOT_YET = mark("not known"), mark("no promise"), mark("not measured yet")
TITLES = {
    What.MEMORY: mark("Memory bandwidth"),
    What.TO_CARD: mark("Host link, one way"),
    What.FROM_CARD: mark("Host link, one way back"),
    What.PEER: mark("Peer link, one way"),
    What.FP32: mark("FP32"),
    What.TF32: mark("TF32"),
    What.FP16: mark("FP16"),
    What.BF16: mark("BF16"),
    What.POWER: mark("Board power"),
}
DATASHEET_KEYS: Sequence[KeyGroup] = (
    (
        mark("Figures of a card"),
        (
            ("Up Down Home End", mark("To another figure, and all that is known of it")),
            ("Enter Space", mark("All that is known of this one")),
        ),
    ),
    (
        mark("Table of other cards"),
        (
            ("Up Down PgUp PgDown", mark("To another card")),
            ("Enter Space", mark("Compare with it, or take it away")),
        ),
    ),
)


def sentences_of(
    sheet: Sheet, names: Mapping[str, str], called: str, note: str = ""
) -> Sequence[str]:
    """`called` is the card as people call it, "Card 0", as `names` are those of others; `note`
    is a sentence about its host link. Nothing where nothing was measured.
    """
    wrong = [titled(row, names) for row in sheet.rows if row.wrong]
    found = [_wrong(wrong)] if wrong else []
    memory = _memory(sheet.row(What.MEMORY), called)
    products = _products(sheet)
    link = _link(sheet, note)
    found += [each for each in (memory, link, products) if each]
    return found[:_MOST]


def _wrong(titles: Sequence[str]) -> str:
    return tr("{figures}: the result was WRONG, so it has no figure.", figures=listed(titles))


def _memory(row: Row | None, called: str) -> str:
    if row is None or row.reached.value is None:
        return ""
    if row.share is None:
        return tr(
            "{card} moves {rate} in its own memory.",
            card=called,
            rate=in_words(row.what, row.reached.value),
        )
    return tr(
        "{card} reaches {share:.0f} % of its memory bandwidth.",
        card=called,
        share=row.share * 100,
    )


def _link(sheet: Sheet, note: str) -> str:
    there, back = sheet.row(What.TO_CARD), sheet.row(What.FROM_CARD)
    if there is None or there.reached.value is None:
        return ""
    if note:
        carries = tr("The host link carries {rate} one way.", rate=_of(there))
        return paragraph((note, carries))
    if back is not None and back.reached.value is not None:
        less, more = sorted((there, back), key=lambda row: row.reached.value or 0.0)
        ratio = (less.reached.value or 0.0) / (more.reached.value or 1.0)
        if ratio < _LOPSIDED:
            rates = {"less": _of(less), "more": said_of(more.what, more.reached)}
            if less is there:
                return tr(
                    "The host link is slower to the card: {less}, against {more}.", **rates
                )
            return tr("The host link is slower from the card: {less}, against {more}.", **rates)
    if there.share is not None and there.share < _POOR:
        return tr("The host link carries only {rate} one way.", rate=_of(there))
    return tr("The host link carries {rate} one way.", rate=_of(there))


def _products(sheet: Sheet) -> str:
    plain = sheet.row(What.FP32)
    quick = [
        row
        for what in (What.BF16, What.FP16, What.TF32)
        if (row := sheet.row(what)) is not None and row.reached.value
    ]
    if not quick or plain is None or not plain.reached.value:
        return ""
    rates = [row.reached.value or 0.0 for row in quick]
    # FP16 and BF16 are equally fast where tensor cores support both, but for chance.
    best, rate = next(e for e in zip(quick, rates, strict=True) if e[1] > _AS_FAST * max(rates))
    times = rate / plain.reached.value
    name = tr(TITLES[best.what])
    half = sheet.row(What.FP16)
    if times < 1:
        # What the card does quickly may be what was not measured.
        if sheet.device != HOST and half is not None and half.reached.value is None:
            return ""
        return tr("Products in {kind} are no faster than in FP32 here.", kind=name)
    watts = best.watts.value, plain.watts.value
    if watts[0] is None or watts[1] is None:
        return tr(
            "Products in {kind} are {times} times as fast as in FP32.",
            kind=name,
            times=factor_words(times),
        )
    return tr(
        "Products in {kind} are {times} times as fast as in FP32, at {watts:.0f} against "
        "{plain:.0f} W.",
        kind=name,
        times=factor_words(times),
        watts=watts[0],
        plain=watts[1],
    )


def _of(row: Row) -> str:
    """ "13.1 of 31.5 GB/s"."""
    unit = unit_of(row.what, row.promised.value, row.reached.value)
    reached = number_of(row.what, row.reached.value, unit)
    promised = number_of(row.what, row.promised.value, unit)
    if not promised:
        return f"{reached} {unit}"
    return tr("{part} of {whole} {unit}", part=reached, whole=promised, unit=unit)


def said_of(what: What, figure: Figure) -> str:
    """ "3352 GB/s", or why there is none."""
    return tr(figure.reason) if figure.value is None else in_words(what, figure.value)


def origin_words(row: Row) -> str:
    """Where the promise comes from, in few words."""
    promised = row.promised
    if promised.value is None and promised.reason == row.reached.reason:
        return tr(_NO_PROMISE)  # the reason stands beside it already
    if promised.value is None:
        return tr("no promise: {why}", why=promised.reason or Message(UNTOLD))
    if promised.origin is Origin.DEVICE:
        return tr("device: {what}", what=promised.detail)
    return tr(promised.source)


def is_awaited(row: Row, *, told: bool) -> bool:
    """`told`: something of the sheet was measured."""
    if not row.reached.reason or row.reached.origin is Origin.NOT_YET:
        return True
    return not told and row.what is What.POWER


def why_not(row: Row, *, told: bool) -> str:
    return tr(_NOT_YET if is_awaited(row, told=told) else row.reached.reason)


def all_of(row: Row, *, told: bool) -> Sequence[str]:
    """All there is to know of it, a line each."""
    lines = [tr(row.what.sentence), _promised(row), _reached(row, told=told)]
    if row.what is not What.POWER and row.reached.value is not None:
        if row.watts.value is None:
            lines.append(tr("Watts: {why}.", why=row.watts.reason or Message(UNTOLD)))
        else:
            mean = row.watts.source or Message("the mean while it was measured")
            drawn = said_of(What.POWER, row.watts)
            lines.append(tr("Drawing {watts}, {mean}.", watts=drawn, mean=mean))
    return [*lines, *(tr(note) for note in row.all_notes)]


def _promised(row: Row) -> str:
    promised = row.promised
    if promised.value is None:
        return tr("Nothing is promised: {why}.", why=promised.reason or Message(UNTOLD))
    said = said_of(row.what, promised)
    if not promised.detail:
        return tr("Promised: {figure}.", figure=said)
    return tr("Promised: {figure} ({source}).", figure=said, source=promised.source)


def _reached(row: Row, *, told: bool) -> str:
    if row.wrong:
        return tr("The result was WRONG, and has no figure.")
    if row.reached.value is None:
        return tr("Not reached: {why}.", why=why_not(row, told=told))
    values = {"figure": said_of(row.what, row.reached), "source": row.reached.source}
    if row.lowest is not None and row.highest is not None:
        unit = unit_of(row.what, row.reached.value)
        low, high = (number_of(row.what, each, unit) for each in (row.lowest, row.highest))
        if low != high:
            return tr(
                "Reached: {figure}, between {low} and {high} ({source}).",
                low=low,
                high=high,
                **values,
            )
    return tr("Reached: {figure} ({source}).", **values)


def titled(row: Row, names: Mapping[str, str]) -> str:
    """ "Peer link, to cuda:1" becomes "Peer link, to card 1"."""
    values = {
        name: names.get(str(value), str(value)) for name, value in row.title.values.items()
    }
    return tr(row.title.template, **values)
