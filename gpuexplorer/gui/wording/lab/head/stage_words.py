"""How the lab's other process is, in a word or two, and in a sentence for who asks."""

from dataclasses import dataclass

from gpuexplorer.core.units import duration
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


_STILL = {
    "resting": StageWords(
        "Resting", "No worker runs: it starts with the first line.", lit=False
    ),
    "searching": StageWords(
        "Looking for a Python", "A Python with PyTorch is looked for.", lit=False
    ),
    "starting": StageWords("Starting", "The worker starts and imports PyTorch.", lit=False),
    "ready": StageWords("Ready", "The worker waits for the next line."),
}


def stage_words(stage: str, sentence: str = "", running: float | None = None) -> StageWords:
    """`running`: for how many seconds the line that runs has been doing so."""
    match stage:
        case "busy":
            told = running is not None and running >= _WORTH_TELLING
            words = f"Busy, {_elapsed(running or 0.0)}" if told else "Busy"
            return StageWords(words, "The worker carries out a line.", Tone.TEXT)
        case "hanging":
            return StageWords(
                "Does not come back",
                "The line was asked to stop and has not. Restart the worker; what was on the "
                "shelf can be rebuilt.",
                Tone.WARN,
            )
        case "failed":
            return StageWords(
                "Cannot be started",
                sentence or "The worker cannot be started.",
                Tone.BAD,
                lit=False,
            )
        case _:
            still = _STILL[stage]
            return (
                StageWords(still.words, sentence, still.tone, still.lit) if sentence else still
            )


def _elapsed(seconds: float) -> str:
    if seconds >= 60:
        return f"{int(seconds // 60)}:{int(seconds % 60):02d} min"
    return f"{seconds:.1f} s" if seconds < 10 else str(duration(int(seconds)))
