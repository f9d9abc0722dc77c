"""What a person predicts: read as it was typed, and held against what was measured."""

import math
import re

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lessons.lesson import Predict
from gpuexplorer.lessons.step_play import Prediction

_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_SPACES = str.maketrans("", "", " _'\u00a0\u202f\u2009")


def prediction(part: Predict, said: str) -> Prediction:
    """Raises Trouble where it is neither a number nor one of the choices."""
    text = said.strip()
    if part.choices:
        return _choice(part, text)
    number = text.removesuffix(part.unit).translate(_SPACES).replace("\u2212", "-")
    number = number.replace(",", "" if _THOUSANDS.fullmatch(number) else ".")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not text:
        raise Trouble("Nothing is typed yet.", "Type a number, such as 1500 or 2.5.")
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
