"""Rows: what a sheet says of each figure, as its rows are seen."""

from collections.abc import Mapping, Sequence

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.datasheet.figure import What
from gpuexplorer.copies.datasheet.reached import NOT_YET as SHEET_NOT_YET
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.gui.wording.copies.datasheet.faces import NOT_YET, SheetRow
from gpuexplorer.gui.wording.copies.datasheet.figures import number_of, said_of, unit_of

# The host has no link to itself, and no tensor cores.
NOT_OF_HOST = frozenset({What.TO_CARD, What.FROM_CARD, What.PEER, What.TF32})
_UNTOLD, _NO_PROMISE = "not told", "no promise"
_THE_DEVICE, _DEVICE = "the device says: ", "device: "


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
    words = (names.get(word, word) for word in row.title.split(" "))
    return " ".join(words)


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
        "" if promised is not None else row.promised.reason or _UNTOLD,
        number_of(what, reached, unit),
        "" if reached is not None else _why(row, told=told),
        promised / whole if promised and whole else None,
        # Without a promise there is no scale.
        reached / whole if reached is not None and promised else None,
        "" if row.share is None else f"{row.share * 100:.0f}",
        number_of(What.POWER, watts, "W"),
        "" if watts is not None or what is What.POWER else row.watts.reason or _UNTOLD,
        row.wrong,
        measuring,
        "\n".join(_told(row, told=told)),
    )


def _origin(row: Row) -> str:
    """Where the promise comes from, in few words."""
    if row.promised.value is None and row.promised.reason == row.reached.reason:
        return _NO_PROMISE  # the reason stands beside it already
    if row.promised.value is None:
        return f"{_NO_PROMISE}: {row.promised.reason or _UNTOLD}"
    return row.promised.source.replace(_THE_DEVICE, _DEVICE, 1)


def _why(row: Row, *, told: bool) -> str:
    """`told`: something of the sheet was measured."""
    if row.reached.reason in ("", SHEET_NOT_YET) or not (told or row.what is not What.POWER):
        return NOT_YET
    return row.reached.reason


def _told(row: Row, *, told: bool) -> Sequence[str]:
    """All there is to know of it, a line each."""
    lines = [row.what.sentence]
    promised = row.promised
    if promised.value is None:
        lines.append(f"Promised: nothing is known, {promised.reason or _UNTOLD}.")
    else:
        lines.append(f"Promised {said_of(row.what, promised)}. {_sentence(promised.source)}")
    lines.append(_reached(row, told=told))
    if row.what is not What.POWER and row.reached.value is not None:
        if row.watts.value is None:
            lines.append(f"Watts: {row.watts.reason or _UNTOLD}.")
        else:
            lines.append(f"Drawing {said_of(What.POWER, row.watts)}, {_mean(row)}.")
    lines += [_sentence(note) for note in row.notes]
    return [line.strip() for line in lines if line.strip()]


def _reached(row: Row, *, told: bool) -> str:
    if row.wrong:
        return "What came of it was WRONG, and has no figure."
    if row.reached.value is None:
        return _sentence(_why(row, told=told))
    said = f"Reached {said_of(row.what, row.reached)}"
    if row.lowest is not None and row.highest is not None:
        unit = unit_of(row.what, row.reached.value)
        low, high = (number_of(row.what, each, unit) for each in (row.lowest, row.highest))
        if low != high:
            said += f", between {low} and {high}"
    return f"{said}. {_sentence(row.reached.source)}".strip()


def _mean(row: Row) -> str:
    return row.watts.source or "the mean while it was measured"


def _sentence(words: str) -> str:
    words = words.strip().rstrip(".")
    return f"{words[:1].upper()}{words[1:]}." if words else ""
