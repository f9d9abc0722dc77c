"""How the lab's other process is, in a word or two, and in a sentence for whoever asks."""

from dataclasses import dataclass

from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, tr
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


# In a word, and in a sentence.
_STILL = {
    "resting": (mark("Resting"), mark("No worker runs: it starts with the first line.")),
    "searching": (
        mark("Looking for a Python"),
        mark("A Python with PyTorch is looked for."),
    ),
    "starting": (mark("Starting"), mark("The worker starts and imports PyTorch.")),
    "ready": (mark("Ready"), mark("The worker waits for the next line.")),
}


def stage_words(stage: str, sentence: str = "", running: float | None = None) -> StageWords:
    """`running`: for how many seconds the line that runs has been doing so."""
    match stage:
        case "busy":
            words = tr("Busy")
            if running is not None and running >= _WORTH_TELLING:
                words = tr("Busy, {time}", time=_elapsed(running))
            return StageWords(words, tr("The worker carries out a line."), Tone.TEXT)
        case "hanging":
            return StageWords(
                tr("Does not come back"),
                tr(
                    "The line was asked to stop and has not. Restart the worker; what was on "
                    "the shelf can be rebuilt."
                ),
                Tone.WARN,
            )
        case "failed":
            return StageWords(
                tr("Cannot be started"),
                sentence or tr("The worker cannot be started."),
                Tone.BAD,
                lit=False,
            )
        case _:
            words, meaning = _STILL[stage]
            return StageWords(tr(words), sentence or tr(meaning), lit=stage == "ready")


def _elapsed(seconds: float) -> str:
    if seconds >= 60:
        return f"{int(seconds // 60)}:{int(seconds % 60):02d} min"
    return f"{seconds:.1f} s" if seconds < 10 else str(duration(int(seconds)))
