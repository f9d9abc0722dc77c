"""Reads what is typed into a form's fields: shapes, numbers, values. Raises Trouble."""

import ast
import math
import re
from collections.abc import Sequence

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.grammar import LONGEST_LINE

_MOST_DIMENSIONS = 64
MOST_BYTES = 2**63 - 1  # PyTorch counts them in 64 bits
_SUCH_AS = mark("Such as: 2, 3")
_SUCH_LISTS = mark("Such as: [[1, 2], [3, 4]]")
_WHOLE = re.compile(r"[+-]?[0-9]+(_[0-9]+)*")


def read_shape(text: str) -> tuple[int, ...]:
    """`2, 3`, `2 x 3` and `(2, 3)`; nothing at all is the shape of a single value."""
    if len(text) > LONGEST_LINE:
        raise Trouble("The shape is too long.", _SUCH_AS)
    bare = text.strip()
    for opening, closing in ("()", "[]"):
        if bare.startswith(opening) != bare.endswith(closing):
            raise Trouble("A bracket is missing in {text!r}.", _SUCH_AS, text=bare)
        if bare.startswith(opening):
            bare = bare[1:-1].strip()
    if not bare:
        return ()
    parts = [each.strip() for each in re.split(r"[,x×*]", bare)]
    if parts[-1] == "" and bare.endswith(","):
        parts.pop()
    sizes = tuple(_size(each) for each in parts)
    if len(sizes) > _MOST_DIMENSIONS:
        raise Trouble(
            "{count} dimensions are more than the {most} there are.",
            count=len(sizes),
            most=_MOST_DIMENSIONS,
        )
    return sizes


def _size(text: str) -> int:
    if not text:
        raise Trouble("A size is missing between two commas.", _SUCH_AS)
    if _WHOLE.fullmatch(text):
        if len(text) > 20:
            raise Trouble("A size of so many digits is more than PyTorch can count.")
        size = int(text)
        if size < 0:
            raise Trouble(
                "A size cannot be {size}.", "It counts elements: 0 or more.", size=size
            )
        return size
    try:
        number = float(text)
    except ValueError:
        raise Trouble("{text!r} is no size.", _SUCH_AS, text=text) from None
    written_out = math.isfinite(number) and number.is_integer() and 0 <= number < 1e15
    hint = Message("Write {number}.", number=int(number)) if written_out else _SUCH_AS
    raise Trouble("{text!r} is no whole number.", hint, text=text)


def check_size(shape: Sequence[int], element_bytes: int) -> int:
    """How many bytes it takes; Trouble where PyTorch cannot count them."""
    size = math.prod(shape) * element_bytes
    if size > MOST_BYTES:
        raise Trouble("These are more bytes than PyTorch can count.", "Choose smaller sizes.")
    return size


def read_whole(text: str, what: Message, least: int | None = None) -> int:
    bare = text.strip()
    if not bare:
        raise Trouble("{what} is missing.", what=what)
    if not _WHOLE.fullmatch(bare) or len(bare) > 40:
        raise Trouble(
            "{what} has to be a whole number, not {text}.", what=what, text=_short(bare)
        )
    number = int(bare)
    if least is not None and number < least:
        raise Trouble("{what} has to be at least {least}.", what=what, least=least)
    return number


def read_seed(text: str) -> int | None:
    """None where the field is empty."""
    if not text.strip():
        return None
    seed = read_whole(text, Message("The seed"))
    if not -(2**63) <= seed < 2**64:
        raise Trouble("The seed has to fit into 64 bits.")
    return seed


def read_number(text: str, what: Message) -> bool | int | float | complex:
    """As Python writes them."""
    bare = text.strip()
    if not bare:
        raise Trouble("{what} is missing.", what=what)
    value = _literal(bare, what, _NO_NUMBER)
    if not isinstance(value, bool | int | float | complex):
        raise Trouble("{what} has to be a number, not {text}.", what=what, text=_short(bare))
    if isinstance(value, float) and not math.isfinite(value):
        raise Trouble("{what} is larger than a number can be.", what=what)
    return value


def read_values(text: str) -> tuple[object, tuple[int, ...]]:
    """A number, or lists of numbers that are equally long; with their shape."""
    bare = text.strip()
    if not bare:
        raise Trouble("The values are missing.", _SUCH_LISTS)
    value = _literal(bare, Message("The values"), _NO_NUMBERS, _SUCH_LISTS)
    return value, _shape_of(value)


_NO_NUMBER = mark("{what} cannot be read as a number.")
_NO_NUMBERS = mark("{what} cannot be read as numbers.")


def _literal(text: str, what: Message, unread: str, hint: str = "") -> object:
    if len(text) > LONGEST_LINE:
        raise Trouble("{what} may have at most {most} letters.", what=what, most=LONGEST_LINE)
    try:
        value: object = ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise Trouble(unread, Message(hint), what=what) from None
    return value


def _shape_of(value: object) -> tuple[int, ...]:
    if isinstance(value, list | tuple):
        shapes = {_shape_of(each) for each in value}
        if len(shapes) > 1:
            raise Trouble("The rows are not equally long.", _SUCH_LISTS)
        return (len(value), *next(iter(shapes), ()))
    if isinstance(value, bool | int | float | complex):
        return ()
    number = _short(repr(value))
    raise Trouble("{text} is no number.", _SUCH_LISTS, text=number)


def _short(text: str) -> str:
    return text if len(text) <= 16 else f"{text[:15]}…"
