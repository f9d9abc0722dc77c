"""Rows: what a sheet says of each figure, as its rows are seen."""

from collections.abc import Mapping, Sequence

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.datasheet.figure import Origin, What
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.wording.copies.datasheet.faces import (
    NOT_YET,
    SheetRow,
    number_of,
    said_of,
    unit_of,
)

# The host has no link to itself, and no tensor cores.
NOT_OF_HOST = frozenset({What.TO_CARD, What.FROM_CARD, What.PEER, What.TF32})
_UNTOLD, _NO_PROMISE = mark("not known"), mark("no promise")


def rows_of(
    sheet: Sheet, names: Mapping[str, str], measuring: What | None = None
) -> tuple[SheetRow, ...]:
    """`names` are what people call PyTorch's devices, `measuring` what is measured now."""
    told = is_measured(sheet)
    return tuple(
        _row(row, names, told=told, measuring=row.what is measuring)
        for row in sheet.rows
        if sheet.device != HOST or row.what not in NOT_OF_HOST
    )


def is_measured(sheet: Sheet) -> bool:
    """Whether anything of it is."""
    return any(row.reached.value is not None or row.wrong for row in sheet.rows)


def titled(row: Row, names: Mapping[str, str]) -> str:
    """ "Peer link, to cuda:1" becomes "Peer link, to card 1"."""
    values = {
        name: names.get(str(value), str(value)) for name, value in row.title.values.items()
    }
    return tr(row.title.template, **values)


def _row(row: Row, names: Mapping[str, str], *, told: bool, measuring: bool) -> SheetRow:
    what, promised, reached = row.what, row.promised.value, row.reached.value
    unit = unit_of(what, promised, reached)
    whole = max(promised or 0.0, reached or 0.0)
    watts = None if what is What.POWER else row.watts.value
    return SheetRow(
        what.value,
        titled(row, names),
        _origin(row),
        unit,
        number_of(what, promised, unit),
        "" if promised is not None else tr(row.promised.reason or _UNTOLD),
        number_of(what, reached, unit),
        "" if reached is not None else _why(row, told=told),
        promised / whole if promised and whole else None,
        # Without a promise there is no scale.
        reached / whole if reached is not None and promised else None,
        "" if row.share is None else f"{row.share * 100:.0f}",
        number_of(What.POWER, watts, "W"),
        "" if watts is not None or what is What.POWER else tr(row.watts.reason or _UNTOLD),
        row.wrong,
        measuring,
        "\n".join(_told(row, told=told)),
        reached is None and _is_awaited(row, told=told),
    )


def _origin(row: Row) -> str:
    """Where the promise comes from, in few words."""
    promised = row.promised
    if promised.value is None and promised.reason == row.reached.reason:
        return tr(_NO_PROMISE)  # the reason stands beside it already
    if promised.value is None:
        return tr("no promise: {why}", why=promised.reason or Message(_UNTOLD))
    if promised.origin is Origin.DEVICE:
        return tr("device: {what}", what=promised.detail)
    return tr(promised.source)


def _is_awaited(row: Row, *, told: bool) -> bool:
    """`told`: something of the sheet was measured."""
    if not row.reached.reason or row.reached.origin is Origin.NOT_YET:
        return True
    return not told and row.what is What.POWER


def _why(row: Row, *, told: bool) -> str:
    return tr(NOT_YET if _is_awaited(row, told=told) else row.reached.reason)


def _told(row: Row, *, told: bool) -> Sequence[str]:
    """All there is to know of it, a line each."""
    lines = [tr(row.what.sentence), _promised(row), _reached(row, told=told)]
    if row.what is not What.POWER and row.reached.value is not None:
        if row.watts.value is None:
            lines.append(tr("Watts: {why}.", why=row.watts.reason or Message(_UNTOLD)))
        else:
            mean = row.watts.source or Message("the mean while it was measured")
            drawn = said_of(What.POWER, row.watts)
            lines.append(tr("Drawing {watts}, {mean}.", watts=drawn, mean=mean))
    return [*lines, *(tr(note) for note in row.all_notes)]


def _promised(row: Row) -> str:
    promised = row.promised
    if promised.value is None:
        return tr("Nothing is promised: {why}.", why=promised.reason or Message(_UNTOLD))
    said = said_of(row.what, promised)
    if not promised.detail:
        return tr("Promised: {figure}.", figure=said)
    return tr("Promised: {figure} ({source}).", figure=said, source=promised.source)


def _reached(row: Row, *, told: bool) -> str:
    if row.wrong:
        return tr("What came of it was WRONG, and has no figure.")
    if row.reached.value is None:
        return tr("Not reached: {why}.", why=_why(row, told=told))
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
