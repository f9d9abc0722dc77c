"""Figure: one measured thing as a person reads it, or the words that stand in its place."""

from dataclasses import dataclass, replace

from gpuexplorer.gui.theme.palette import Tone


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit and what it is out of; or, without a number, the reason.

    `absent` says the reason at falling length, for places of different width.
    """

    label: str
    before: str = ""  # "gen": a small word that the number needs
    number: str = ""
    unit: str = ""
    of: str = ""  # "of 280": the limit, or the whole
    absent: tuple[str, ...] = ()
    hint: str = ""  # what it means, and why it is missing
    tone: Tone = Tone.TEXT
    short_label: str = ""  # where the unit alone does not say what it is
    brief: str = ""  # what to call it in a narrow place when it is missing

    @property
    def known(self) -> bool:
        return not self.absent

    @property
    def spoken(self) -> str:
        """For a reader of screens: "Power 279 of 280 W"."""
        if not self.known:
            return f"{self.label}: {self.absent[0]}"
        parts = (self.label, self.before, self.number, self.of, self.unit)
        return " ".join(part for part in parts if part)

    @property
    def shorter(self) -> "Figure":
        """Without what it is out of, for a narrow place."""
        if " " not in self.number:
            return replace(self, of="")
        # "512 MiB of 24 GiB": the number has a unit of its own.
        return replace(self, of="", unit="")
