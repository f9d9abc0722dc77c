"""How a machine is reached, in a word and in a sentence, for every part that says it."""

import math

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.cards.reasons import moment_words, span_words
from gpuexplorer.gui.state.machines import MachineRow, Standing
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone

_SHORT = {
    Standing.HERE: mark("This computer"),
    Standing.CONNECTING: mark("Connecting"),
    Standing.ASKING: mark("ssh asks something"),
    Standing.UP: mark("Connected"),
    Standing.BROKEN: mark("No connection"),
    Standing.REFUSED: mark("Refused"),
    Standing.ENDED: mark("Not connected"),
}
# Each has a shape of its own, for whoever sees no colours.
_SIGNS = {
    Standing.HERE: (Icon.THERE, Tone.GOOD),
    Standing.CONNECTING: (Icon.SILENT, Tone.QUIET),
    Standing.ASKING: (Icon.NOTE, Tone.WARN),
    Standing.UP: (Icon.THERE, Tone.GOOD),
    Standing.BROKEN: (Icon.WARNING, Tone.WARN),
    Standing.REFUSED: (Icon.LOST, Tone.BAD),
    Standing.ENDED: (Icon.POWER, Tone.FAINT),
}


def standing_words(standing: Standing) -> str:
    return tr(_SHORT[standing])


def standing_sign(standing: Standing) -> tuple[Icon, Tone]:
    return _SIGNS[standing]


def link_sentence(row: MachineRow, clock: Clock) -> str:
    """Why nothing new comes from it: since when, and when it is tried again. Empty while it
    answers.
    """
    now = clock.now()
    lasted = max(0.0, now - row.since)
    wall = clock.wall()
    since, time = moment_words(wall - lasted, wall), span_words(lasted)
    match row.standing:
        case Standing.HERE | Standing.UP:
            return ""
        case Standing.CONNECTING if row.session is None:
            said = tr("Connecting to {machine}, for {time}.", machine=row.name, time=time)
        case Standing.ASKING:
            said = tr("ssh asks something before it connects to {machine}.", machine=row.name)
        case Standing.BROKEN | Standing.CONNECTING:
            said = tr(
                "No connection to {machine} since {moment}, for {time}.",
                machine=row.name,
                moment=since,
                time=time,
            )
        case Standing.REFUSED | Standing.ENDED:
            said = tr("{machine} is not connected.", machine=row.name)
    return paragraph((said, row.why, row.hint, _next_try(row, now)))


def _next_try(row: MachineRow, now: float) -> str:
    if row.standing is Standing.CONNECTING and row.session is not None:
        return tr("It is tried now.")
    if row.retry_at is None:
        return ""
    seconds = max(0, math.ceil(row.retry_at - now))
    return trn("Next try in {count} s.", "Next try in {count} s.", seconds)
