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
    cells = program = past = None
    if lab is not None and not lab.recorded:
        cells = [each for each in lab.ledger.cells if each.number]
        program = lab.program.chosen if lab.program.phase.runs else None
    if simulated is not None and (began := simulated.history.began) is not None:
        seconds = simulated.clock.now() - began
        past = span_words(seconds) if seconds >= _WORTH_KEEPING else ""
    if not (cells or program or past):
        then()
        return
    heading = (
        tr("Leave what is in the lab?")
        if cells or program
        else tr("Leave the simulated cards?")
    )
    sheet = Sheet(heading, window)
    if program is not None:
        runs = mark("{file} still runs, and is ended with all that it started.")
        sheet.add_sentence(tr(runs, file=program.path.name), Tone.WARN)
    if lab is not None and lab.ledger.things:
        sheet.add_sentence(lost(list(lab.ledger.things)))
    if past:
        gone = mark(
            "The past of the simulated cards is lost: {time} of readings, and their events."
        )
        sheet.add_sentence(tr(gone, time=past))
    if cells:
        keeps = mark(
            "Its cells go too. “Save as” in the lab keeps them as a program or a notebook."
        )
        sheet.add_sentence(tr(keeps), Tone.QUIET)
    sheet.add_button(tr("Stay"), ROLE.RejectRole, default=True)
    sheet.add_button(words, ROLE.AcceptRole)
    sheet.accepted.connect(then)
    sheet.open()
