"""How a prediction stands to what was measured: the same words in the window and on a page."""

from gpuexplorer.core.units import figure
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lessons.lesson import Predict
from gpuexplorer.lessons.step_play import Prediction, Revealed


def how_far(part: Predict, said: Prediction | None, shown: Revealed) -> Message:
    """Empty where nobody predicted, or nothing was measured."""
    if said is None or shown.right is None:
        return NOTHING
    if part.choices:
        if shown.right:
            return Message("You were right.")
        return Message("Another one is right: it is marked.")
    if shown.measured is None:
        return NOTHING
    counts = Message("Up to {range} off counts as right.", range=_range(part))
    return told(_far(said.value, shown.measured), counts)


def _range(part: Predict) -> Message:
    if part.factor:
        return Message("a factor of {factor}", factor=figure(part.factor))
    return Message("{share} %", share=figure(part.within * 100))


def _far(said: float, measured: float) -> Message:
    if said == measured:
        return Message("Exactly what was measured.")
    if said * measured <= 0:
        return Message("Not what was measured.")
    factor = said / measured
    if 0.5 <= factor <= 2:
        share = f"{figure(float(f'{abs(factor - 1) * 100:.2g}'))} %"
        if factor > 1:
            return Message("{share} too much.", share=share)
        return Message("{share} too little.", share=share)
    times = figure(float(f"{max(factor, 1 / factor):.2g}"))
    if factor > 1:
        return Message("{times} times too much.", times=times)
    return Message("{times} times too little.", times=times)
