"""Sentences: what follows from the figures of a card, in a sentence or two."""

from collections.abc import Mapping, Sequence

from gpuexplorer.copies.datasheet.figure import What
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.core.words import listed, mark, paragraph, tr
from gpuexplorer.gui.wording.copies.datasheet.faces import number_of, unit_of
from gpuexplorer.gui.wording.copies.datasheet.rows import titled
from gpuexplorer.gui.wording.key_words import KeyGroup

_MOST = 3
_POOR = 0.6  # of what is promised: worth a word
_LOPSIDED = 0.85
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
            ("Enter Space", mark("Lay it beside, or take it away")),
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
    return tr(
        "{figures}: what came of it was WRONG, so it has no figure.", figures=listed(titles)
    )


def _memory(row: Row | None, called: str) -> str:
    if row is None or row.reached.value is None:
        return ""
    if row.share is None:
        return tr("{card} moves {rate} in its own memory.", card=called, rate=_said(row))
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
        carries = tr("The host link carries {rate}.", rate=_of(there))
        return paragraph((note, carries))
    if back is not None and back.reached.value is not None:
        less, more = sorted((there, back), key=lambda row: row.reached.value or 0.0)
        ratio = (less.reached.value or 0.0) / (more.reached.value or 1.0)
        if ratio < _LOPSIDED:
            rates = {"less": _of(less), "more": _said(more)}
            if less is there:
                return tr(
                    "The host link is slower to the card: {less}, against {more}.", **rates
                )
            return tr("The host link is slower from the card: {less}, against {more}.", **rates)
    if there.share is not None and there.share < _POOR:
        return tr("The host link carries only {rate}.", rate=_of(there))
    return tr("The host link carries {rate}.", rate=_of(there))


def _products(sheet: Sheet) -> str:
    plain = sheet.row(What.FP32)
    quick = [
        row
        for what in (What.TF32, What.BF16)
        if (row := sheet.row(what)) is not None and row.reached.value
    ]
    if not quick or plain is None or not plain.reached.value:
        return ""
    best = max(quick, key=lambda row: row.reached.value or 0.0)
    times = (best.reached.value or 0.0) / plain.reached.value
    name = "TF32" if best.what is What.TF32 else "BF16"
    if times < 1:
        return tr("Products in {kind} are no faster than in FP32 here.", kind=name)
    watts = best.watts.value, plain.watts.value
    if watts[0] is None or watts[1] is None:
        return tr(
            "Products in {kind} are {times} times as fast as in FP32.",
            kind=name,
            times=_times(times),
        )
    return tr(
        "Products in {kind} are {times} times as fast as in FP32, at {watts:.0f} against "
        "{plain:.0f} W.",
        kind=name,
        times=_times(times),
        watts=watts[0],
        plain=watts[1],
    )


def _times(times: float) -> str:
    return f"{times:.0f}" if times >= 10 else f"{times:.1f}"


def _of(row: Row) -> str:
    """ "13.1 of 31.5 GB/s"."""
    unit = unit_of(row.what, row.promised.value, row.reached.value)
    reached = number_of(row.what, row.reached.value, unit)
    promised = number_of(row.what, row.promised.value, unit)
    if not promised:
        return f"{reached} {unit}"
    return tr("{part} of {whole} {unit}", part=reached, whole=promised, unit=unit)


def _said(row: Row) -> str:
    unit = unit_of(row.what, row.reached.value)
    return f"{number_of(row.what, row.reached.value, unit)} {unit}"
