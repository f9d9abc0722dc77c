"""Faces of the datasheet: rows and bars as they are seen, in plain values."""

from collections.abc import Sequence
from dataclasses import dataclass

NOT_YET = "not measured yet"


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

    @property
    def said(self) -> str:
        """For readers of screens."""
        return ", ".join(part for part in (self._figures(), self._power()) if part)

    def _figures(self) -> str:
        head = f"{self.words}: "
        if self.wrong:
            return f"{head}{self.unreached or 'WRONG'}"
        if self.reached and self.promised:
            share = f", {self.share} %" if self.share else ""
            return f"{head}{self.reached} of {self.promised} {self.unit}{share}"
        if self.reached:
            return f"{head}{self.reached} {self.unit}, no promise: {self.unpromised}"
        if self.promised:
            return f"{head}promised {self.promised} {self.unit}, {self.unreached}"
        return f"{head}{self.unreached}, no promise: {self.unpromised}"

    def _power(self) -> str:
        return f"at {self.watts} W" if self.watts else ""


@dataclass(frozen=True, slots=True)
class Other:
    """A card that lies beside another one, under a letter."""

    letter: str
    name: str
    words: str  # its name without its maker's


@dataclass(frozen=True, slots=True)
class Bar:
    """One card's figure of one kind."""

    chip: str
    number: str
    why: str = ""  # there is no number
    limit: float | None = None
    fill: float | None = None  # what was reached here
    colour: int | None = None
    here: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one kind, of all cards that lie beside each other."""

    words: str
    unit: str
    bars: Sequence[Bar]

    @property
    def said(self) -> str:
        told = [f"{bar.chip} {bar.number or bar.why}" for bar in self.bars]
        return f"{self.words} in {self.unit}: {', '.join(told)}"
