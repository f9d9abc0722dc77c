"""SourceBadge: where the figures come from, always in the same place."""

from PySide6.QtWidgets import QLabel, QSizePolicy

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.recording.recorded_session import RECORDED
from gpuexplorer.telemetry.backend import Source

SIMULATED = mark("SIMULATED")


class SourceBadge(QLabel):
    """Filled while the cards are make-believe, or were, and outlined otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "badge")
        self.setIndent(0)
        self.setFont(look().letters.caption.font)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_source(self, source: Source | None) -> None:
        if source is not None and source.name == RECORDED:
            self._show_recorded(simulated=source.simulated)
        elif source is None or not source.cards:
            meaning = tr("No card answers: only the computer's processor and memory are read.")
            self._show(tr("No card"), meaning)
        elif source.simulated:
            self.show_simulated()
        else:
            meaning = tr("These figures are read from real cards.")
            self._show(tr("Live, {name}", name=source.name.upper()), meaning)

    def show_simulated(self) -> None:
        meaning = tr("No real card is read: all figures are made up.")
        self._show(tr(SIMULATED), meaning, filled=True)

    def _show_recorded(self, *, simulated: bool) -> None:
        meaning = tr("These figures were recorded earlier; no card is read for them.")
        if simulated:
            made_up = tr("No real card was read: all figures are made up.")
            self._show(
                tr("{simulated}, recording", simulated=tr(SIMULATED)),
                f"{meaning} {made_up}",
                filled=True,
            )
        else:
            self._show(tr("Recording"), meaning)

    def _show(self, text: str, meaning: str, *, filled: bool = False) -> None:
        self.setText(text)
        self.setAccessibleName(text)
        self.setAccessibleDescription(meaning)
        self.setToolTip(meaning)
        restyle(self, "filled", filled)
