"""Rows and bars of the datasheet as they are seen, in plain values."""

from collections.abc import Mapping
from dataclasses import dataclass

from gpuexplorer.copies.datasheet.cards_table import What, number_of, unit_of
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.core.words import tr
from gpuexplorer.gui.copies.datasheet.words import (
    UNTOLD,
    all_of,
    is_awaited,
    origin_words,
    titled,
    why_not,
)

# The host has no link to itself, and no tensor cores.
NOT_OF_HOST = frozenset({What.TO_CARD, What.FROM_CARD, What.PEER, What.TF32, What.FP16})


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One figure: what was promised, and what was reached here. Empty is a figure that there is
    not; a sentence says why.
    """

    name: str
    words: str  # "Memory bandwidth"
    source: str  # where the promise comes from, in a few words
    unit: str = ""  # of both figures
    promised: str = ""
    unpromised: str = ""
    reached: str = ""
    unreached: str = ""
    limit: float | None = None  # the promise as a share of the bar's place
    fill: float | None = None  # and what was reached
    share: str = ""  # in percent, without the sign
    watts: str = ""
    unknown_watts: str = ""
    wrong: bool = False
    measuring: bool = False
    hint: str = ""  # all there is to know, for whoever asks
    awaited: bool = False  # it was not measured yet

    @property
    def said(self) -> str:
        """For screen readers."""
        power = tr("at {watts} W", watts=self.watts) if self.watts else ""
        figures = tr("{name}: {figures}", name=self.words, figures=self._figures())
        return ", ".join(part for part in (figures, power) if part)

    def _figures(self) -> str:
        if self.wrong:
            return self.unreached or tr("WRONG")
        if self.reached and self.promised:
            said = tr(
                "{reached} of {promised} {unit}",
                reached=self.reached,
                promised=self.promised,
                unit=self.unit,
            )
            return f"{said}, {self.share} %" if self.share else said
        if self.reached:
            return tr(
                "{reached} {unit}, no promise: {why}",
                reached=self.reached,
                unit=self.unit,
                why=self.unpromised,
            )
        if self.promised:
            return tr(
                "promised {promised} {unit}, {why}",
                promised=self.promised,
                unit=self.unit,
                why=self.unreached,
            )
        return tr("{why}, no promise: {other}", why=self.unreached, other=self.unpromised)


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


def _row(row: Row, names: Mapping[str, str], *, told: bool, measuring: bool) -> SheetRow:
    what, promised, reached = row.what, row.promised.value, row.reached.value
    unit = unit_of(what, promised, reached)
    whole = max(promised or 0.0, reached or 0.0)
    watts = None if what is What.POWER else row.watts.value
    return SheetRow(
        what.value,
        titled(row, names),
        origin_words(row),
        unit,
        number_of(what, promised, unit),
        "" if promised is not None else tr(row.promised.reason or UNTOLD),
        number_of(what, reached, unit),
        "" if reached is not None else why_not(row, told=told),
        promised / whole if promised and whole else None,
        # Without a promise there is no scale.
        reached / whole if reached is not None and promised else None,
        "" if row.share is None else f"{row.share * 100:.0f}",
        number_of(What.POWER, watts, "W"),
        "" if watts is not None or what is What.POWER else tr(row.watts.reason or UNTOLD),
        row.wrong,
        measuring,
        "\n".join(all_of(row, told=told)),
        reached is None and is_awaited(row, told=told),
    )
