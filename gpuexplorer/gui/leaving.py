"""Leaving: asks before what a session holds goes with it: its lab, and its past."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.reasons import span_words
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.gui.widgets.sheets.small_sheets import lost
from gpuexplorer.telemetry.session import Session

# Of simulated cards nobody misses a shorter past: it is there again as soon.
_WORTH_KEEPING = 120.0


def leave(
    window: QWidget,
    words: str,
    then: Callable[[], object],
    *,
    lab: Lab | None,
    simulated: Session | None = None,
) -> None:
    """At once where nothing is lost; `words` say what is done, for the button. Another session
    has other devices, so its lab begins anew. `simulated`: these cards go, and their past.
    """
    if lab is not None and lab.recorded:
        then()
        return
    cells = lab is not None and any(each.number for each in lab.ledger.cells)
    program = lab.program.chosen if lab is not None and lab.program.phase.runs else None
    seconds = 0.0
    if simulated is not None and simulated.history.began is not None:
        seconds = simulated.clock.now() - simulated.history.began
    past = span_words(seconds) if seconds >= _WORTH_KEEPING else ""
    if not (cells or program or past):
        then()
        return
    dialog = LeavingDialog(
        [] if lab is None else list(lab.ledger.things),
        words,
        window,
        cells=cells,
        program=program.path.name if program is not None else "",
        past=past,
    )
    dialog.accepted.connect(then)
    dialog.open()


class LeavingDialog(Sheet):
    """Accepted: it may go."""

    def __init__(
        self,
        names: Sequence[str],
        words: str,
        parent: QWidget,
        *,
        cells: bool = False,
        program: str = "",
        past: str = "",
    ) -> None:
        """`program`: the file of the one that runs; `past`: how long the cards were read."""
        in_lab = cells or program
        heading = (
            tr("Leave what is in the lab?") if in_lab else tr("Leave the simulated cards?")
        )
        super().__init__(heading, parent)
        if program:
            self.add_sentence(
                tr("{file} still runs, and is ended with all that it started.", file=program),
                Tone.WARN,
            )
        if names:
            self.add_sentence(lost(names))
        if past:
            self.add_sentence(
                tr("Their past is lost: {time} of readings, and their events.", time=past)
                if not in_lab
                else tr(
                    "The past of the simulated cards is lost too: {time} of readings, and "
                    "their events.",
                    time=past,
                )
            )
        if cells:
            keeps = tr(
                "Its cells go too. “Save as” in the lab keeps them as a program or a notebook."
            )
            self.add_sentence(keeps, Tone.QUIET)
        self.add_button(tr("Stay"), ROLE.RejectRole, default=True)
        self.add_button(words, ROLE.AcceptRole)
