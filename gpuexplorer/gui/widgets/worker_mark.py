"""How the lab's worker is, in words and as a dot, for every part of the window that says it."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPen

from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.state.lab.lab_worker import Stage
from gpuexplorer.gui.theme.palette import Tone

# Shorter than this a line is over before anybody could read that it runs.
_WORTH_TELLING = 0.3


@dataclass(frozen=True, slots=True)
class StageWords:
    """`lit`: it holds what it holds, and answers. Else the dot is an outline."""

    words: str
    sentence: str
    tone: Tone = Tone.QUIET
    lit: bool = True


# In a word, in a sentence, how grave it is.
_STAGES = {
    Stage.RESTING: (mark("Resting"), mark("No worker runs: it starts with the first cell.")),
    Stage.SEARCHING: (
        mark("Looking for a Python"),
        mark("A Python with PyTorch is looked for."),
    ),
    Stage.WAITING: (
        mark("Waiting for PyTorch"),
        mark("No Python has PyTorch. What was asked for runs when one has it."),
    ),
    Stage.STARTING: (mark("Starting"), mark("The worker starts and imports PyTorch.")),
    Stage.RECORDED: (mark("Recorded"), mark("This is a recording: nothing runs in it.")),
    Stage.READY: (mark("Ready"), mark("The worker waits for the next cell.")),
    Stage.BUSY: (mark("Busy"), mark("The worker runs a cell.")),
    Stage.FAILED: (mark("Cannot be started"), mark("The worker cannot be started.")),
    Stage.HANGING: (
        mark("Does not come back"),
        mark(
            "The cell was asked to stop and has not. Restart the worker; the session can be "
            "run again."
        ),
    ),
}
_TONES = {Stage.BUSY: Tone.TEXT, Stage.FAILED: Tone.BAD, Stage.HANGING: Tone.WARN}
_LIT = frozenset({Stage.READY, Stage.BUSY, Stage.HANGING})


def stage_words(stage: Stage, sentence: str = "", running: float | None = None) -> StageWords:
    """`running`: for how many seconds the cell that runs has been doing so."""
    word, meaning = map(tr, _STAGES[stage])
    if stage is Stage.BUSY and running is not None and running >= _WORTH_TELLING:
        word = tr("Busy, {time}", time=_elapsed(running))
    if stage in (Stage.BUSY, Stage.HANGING):
        sentence = ""  # of before
    tone = _TONES.get(stage, Tone.QUIET)
    return StageWords(word, sentence or meaning, tone, lit=stage in _LIT)


def _elapsed(seconds: float) -> str:
    if seconds >= 60:
        return f"{int(seconds // 60)}:{int(seconds % 60):02d} min"
    return f"{seconds:.1f} s" if seconds < 10 else str(duration(int(seconds)))


def draw_dot(drawing: Drawing, place: QRectF, tone: Tone, *, lit: bool) -> None:
    theme, painter = drawing.theme, drawing.painter
    ink = theme.tone(tone)
    if lit:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.good if tone in (Tone.TEXT, Tone.QUIET) else ink)
    else:
        painter.setPen(QPen(ink, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        place = place.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawEllipse(place)
