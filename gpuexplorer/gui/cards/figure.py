"""Figure: one measured thing as a person reads it, or the words that stand in its place."""

from dataclasses import dataclass, replace

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.palette import Tone

_NUMBER = "\0"


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit and what it is out of; or, without a number, the reason.

    All words are translated. `absent` says the reason at falling length, for places of
    different width.
    """

    label: str
    before: str = ""  # "gen": a small word that the number needs
    number: str = ""
    unit: str = ""
    limit: str = ""  # "280": what there could be, or the whole
    absent: tuple[str, ...] = ()
    hint: str = ""  # what it means, and why it is missing
    tone: Tone = Tone.TEXT
    short_label: str = ""  # where the unit alone does not say what it is
    brief: str = ""  # what to call it in a narrow place when it is missing

    @property
    def known(self) -> bool:
        return not self.absent

    @property
    def value(self) -> str:
        """ "279 of 280 W"; empty where it is not known."""
        if not self.known:
            return ""
        lead, rest = around_number(self.limit, self.unit)
        value = f"{lead}{self.number}{rest}"
        return f"{self.before} {value}" if self.before else value

    @property
    def spoken(self) -> str:
        """For screen readers: "Power 279 of 280 W"."""
        if not self.known:
            return tr("{label}: {reason}", label=self.label, reason=self.absent[0])
        return f"{self.label} {self.value}"

    @property
    def shorter(self) -> "Figure":
        """Without what it is out of, for a narrow place."""
        return replace(self, limit="")


def around_number(limit: str, unit: str) -> tuple[str, str]:
    """What stands before a number and after it: "" and " of 280 W". They are drawn smaller."""
    if not limit:
        return "", f" {unit}" if unit else ""
    if unit:
        text = tr("{number} of {limit} {unit}", number=_NUMBER, limit=limit, unit=unit)
    else:
        text = tr("{number} of {limit}", number=_NUMBER, limit=limit)
    lead, _, rest = text.partition(_NUMBER)
    return lead, rest
