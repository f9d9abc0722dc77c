"""How a copy is slowed so that an eye can follow it, and the words for that."""

from dataclasses import dataclass

from gpuexplorer.core.units import duration
from gpuexplorer.core.words import tr

SHOWN_SECONDS = 2.1  # for which an eye sees a copy travel, however fast it was


@dataclass(frozen=True, slots=True)
class Slowed:
    """Of one copy: how long it took, and how long it is shown."""

    seconds: float

    @property
    def shown_seconds(self) -> float:
        return max(SHOWN_SECONDS, self.seconds)

    @property
    def factor(self) -> float:
        return self.shown_seconds / self.seconds

    @property
    def words(self) -> str:
        """ "slowed ×176"."""
        factor = self.factor
        if factor < 1.05:
            return tr("as fast as it was")
        return tr("slowed ×{factor}", factor=factor_words(factor))

    def done(self, share: float) -> tuple[str, str]:
        """ "7.34", of "12.04 ms"."""
        whole = duration(self.seconds)
        scale = self.seconds / float(whole.number) if float(whole.number) else 1.0
        digits = len(whole.number.partition(".")[2])
        return f"{self.seconds * share / scale:.{digits}f}", str(whole)

    def seen(self, share: float) -> str:
        """ "seen 1.3 s of 2.1 s"."""
        return tr(
            "seen {part:.1f} of {whole:.1f} s",
            part=self.shown_seconds * share,
            whole=self.shown_seconds,
        )


def factor_words(factor: float) -> str:
    """Three digits that matter, in groups: "8.2", "176", "1 410 000"."""
    if factor < 10:
        return f"{factor:.1f}"
    rounded = float(f"{factor:.3g}")
    return f"{rounded:,.0f}".replace(",", "\N{THIN SPACE}")
