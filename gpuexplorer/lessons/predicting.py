"""What a person predicts: read as it was typed, and how it stands to what was measured, in
the same words in the window, on a page and in a terminal.
"""

import math
import re

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import figure
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lessons.lesson import Predict
from gpuexplorer.lessons.step_play import Prediction, Revealed

_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_SPACES = str.maketrans("", "", " _'\u00a0\u202f\u2009")


def prediction(part: Predict, said: str) -> Prediction:
    """Raises Trouble where it is neither a number nor one of the choices."""
    text = said.strip()
    if part.choices:
        return _choice(part, text)
    if not text:
        raise Trouble("Type a number first, such as 1500 or 2.5.")
    number = text.removesuffix(part.unit).translate(_SPACES).replace("\u2212", "-")
    number = number.replace(",", "" if _THOUSANDS.fullmatch(number) else ".")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Trouble("{said!r} is no number.", "Type one, such as 1500 or 2.5.", said=text)
    return Prediction(text, value)


def _choice(part: Predict, text: str) -> Prediction:
    """By its words, or by its number from 1."""
    words = [each.casefold() for each in part.choices]
    place = words.index(text.casefold()) if text.casefold() in words else None
    if place is None and text.isdecimal() and 0 < int(text) <= len(words):
        place = int(text) - 1
    if place is None:
        raise Trouble(
            "{said!r} is none of the answers.",
            "Type the number of one: 1 to {last}.",
            said=text,
            last=len(words),
        )
    return Prediction(part.choices[place], float(place))


def is_right(part: Predict, predicted: float, measured: float) -> bool:
    if not part.factor:
        return abs(predicted - measured) <= part.within * abs(measured)
    low, high = sorted((measured / part.factor, measured * part.factor))
    return low <= predicted <= high


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
