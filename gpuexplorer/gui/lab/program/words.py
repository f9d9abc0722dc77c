"""What the head of the panel says of a program: how far it is, and how much of it was seen."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.units import duration, grouped
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.lab.code.notice_bar import Answer, LabNotice
from gpuexplorer.gui.state.lab.program_state import Phase
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.lab.events import Watched
from gpuexplorer.programs.program_run import sampled

_PHASES = {
    Phase.NONE: "",
    Phase.SEARCHING: mark("Looking for a Python with PyTorch"),
    Phase.STARTING: mark("Starting"),
    Phase.RUNNING: mark("Running"),
    Phase.STOPPING: mark("Stopping"),
    Phase.HANGING: mark("Does not end"),
    Phase.STOPPED: mark("Stopped"),
    Phase.FAILED: mark("Failed"),
    Phase.KILLED: mark("Killed"),
    Phase.REFUSED: mark("Cannot run"),
}
_TONES = {
    Phase.HANGING: Tone.WARN,
    Phase.FAILED: Tone.BAD,
    Phase.KILLED: Tone.BAD,
    Phase.REFUSED: Tone.BAD,
}


@dataclass(frozen=True, slots=True)
class ProgramNow:
    """What the head is made of."""

    phase: Phase = Phase.NONE
    asks: bool = False  # it waits for input
    status: int | None = None
    seconds: float | None = None
    seen: Watched | None = None


def state_words(now: ProgramNow) -> str:
    if now.phase is Phase.RUNNING and now.asks:
        return tr("Waiting for input")
    if now.phase is Phase.ENDED:
        if not now.status:
            return tr("Ended")
        return tr("Ended with status {status}", status=now.status)
    return tr(_PHASES[now.phase])


def state_tone(now: ProgramNow) -> Tone:
    if now.phase is Phase.RUNNING and now.asks:
        return Tone.WARN
    if now.phase is Phase.ENDED and now.status:
        return Tone.WARN
    return _TONES.get(now.phase, Tone.TEXT)


def figures(now: ProgramNow) -> Sequence[str]:
    """Time, how many steps were watched, and what that cost."""
    seen = now.seen
    # What else is said of it counts modelled time, where that is what counts.
    if seen is not None and seen.modelled:
        said = [tr("{time} modelled", time=duration(seen.seconds))]
    else:
        said = [] if now.seconds is None else [str(duration(now.seconds))]
    if seen is None:
        return said
    said += [_watched(seen), _cost(seen)]
    return [each for each in said if each]


def _watched(seen: Watched) -> str:
    if not seen.step:
        if not sampled(seen):
            return tr("all of it watched")
        some, whole = duration(seen.seen_seconds), duration(seen.seconds)
        return tr("{some} of {whole} watched", some=some, whole=whole)
    some_steps, all_steps = grouped(seen.seen_steps), grouped(seen.steps)
    if not sampled(seen):
        if seen.step == "batch":
            return trn(
                "{digits} batch watched",
                "all {digits} batches watched",
                seen.steps,
                digits=all_steps,
            )
        return trn(
            "{digits} step watched", "all {digits} steps watched", seen.steps, digits=all_steps
        )
    if seen.step == "batch":
        return tr("{some} of {whole} batches watched", some=some_steps, whole=all_steps)
    return tr("{some} of {whole} steps watched", some=some_steps, whole=all_steps)


def _cost(seen: Watched) -> str:
    """Of the time that the program would have taken by itself."""
    bare = seen.seconds - (seen.cost_seconds or 0.0)
    if seen.cost_seconds is None or bare <= 0:
        return ""
    return tr("watching costs {share} %", share=f"{seen.cost_seconds / bare * 100:.1f}")


def notice(now: ProgramNow, sentence: str, said: LabNotice) -> LabNotice:
    """What stands under the head. `sentence`: why it was killed, failed or cannot run;
    `said`: of a file that was saved, or text that was copied.
    """
    if now.phase is Phase.HANGING:
        return LabNotice(
            tr("It does not come back after Ctrl+C. It can be ended with all that it started."),
            Tone.WARN,
            {Answer.RESTART: tr("End it now")},
        )
    if said.sentence:
        return said
    if sentence:
        return LabNotice(sentence, Tone.BAD)
    return LabNotice()


def nothing_words(
    now: ProgramNow, whole: Sequence[str], *, lacks_cards: bool
) -> tuple[str, str]:
    """Why there is no finding, and what is to be said beside that. `whole`: of all that was
    watched, the gist first.
    """
    if lacks_cards:
        way_on = tr("“Open the lab on two idle simulated cards”, in the menu, simulates some.")
        return tr(whole[0]), way_on
    if now.seen is None:
        if now.phase.runs:
            more = tr("It is watched from when it imports PyTorch.")
            return tr("Nothing is watched yet."), more
        return tr("Nothing was watched."), ""
    if now.phase.runs:
        more = tr("What makes the cards wait is listed here as soon as it is seen.")
        return tr("Nothing found so far."), more
    return tr(whole[0]), paragraph(whole[1:])
