"""Leaving: asks before what a session holds goes with it: its lab, and its past."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from gpuexplorer.core.units import span_words
from gpuexplorer.core.words import mark, tr
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
    said: list[tuple[str, Tone]] = []
    if lab is not None and not lab.recorded:
        if lab.program.phase.runs and lab.program.chosen is not None:
            runs = mark("{file} still runs, and is ended with all that it started.")
            said.append((tr(runs, file=lab.program.chosen.path.name), Tone.WARN))
        if lab.ledger.things:
            said.append((lost(list(lab.ledger.things)), Tone.TEXT))
        if any(each.number for each in lab.ledger.cells):
            keeps = mark(
                "Its cells go too. “Save as” in the lab keeps them as a program or a notebook."
            )
            said.append((tr(keeps), Tone.QUIET))
    heading = tr("Leave what is in the lab?") if said else tr("Leave the simulated cards?")
    if simulated is not None:
        now = simulated.clock.now()
        seconds = now - (simulated.history.began or now)
        gone = mark(
            "The past of the simulated cards is lost: {time} of readings, and their events."
        )
        if seconds >= _WORTH_KEEPING:
            said.append((tr(gone, time=span_words(seconds)), Tone.TEXT))
    if not said:
        then()
        return
    sheet = Sheet(heading, window)
    for sentence, tone in said:
        sheet.add_sentence(sentence, tone)
    sheet.add_button(tr("Stay"), ROLE.RejectRole, default=True)
    sheet.add_button(words, ROLE.AcceptRole)
    sheet.accepted.connect(then)
    sheet.open()
