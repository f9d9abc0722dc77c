"""Reads what is typed into a form's fields: shapes, numbers, values. Raises Trouble."""

import ast
import math
import re
from collections.abc import Sequence

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.grammar import LONGEST_LINE

_MOST_DIMENSIONS = 64
MOST_BYTES = 2**63 - 1  # PyTorch counts them in 64 bits
_SUCH_AS = "Such as: 2, 3"
_WHOLE = re.compile(r"[+-]?[0-9]+(_[0-9]+)*")


def read_shape(text: str) -> tuple[int, ...]:
    """`2, 3`, `2 x 3` and `(2, 3)`; nothing at all is the shape of a single value."""
    if len(text) > LONGEST_LINE:
        raise Trouble("The shape is too long.", _SUCH_AS)
    bare = text.strip()
    for opening, closing in ("()", "[]"):
        if bare.startswith(opening) != bare.endswith(closing):
            raise Trouble(f"A bracket is missing in {bare!r}.", _SUCH_AS)
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
            f"{len(sizes)} dimensions are more than the {_MOST_DIMENSIONS} there are."
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
            raise Trouble(f"A size cannot be {size}.", "It counts elements: 0 or more.")
        return size
    try:
        number = float(text)
    except ValueError:
        raise Trouble(f"{text!r} is no size.", _SUCH_AS) from None
    written_out = math.isfinite(number) and number.is_integer() and 0 <= number < 1e15
    hint = f"Write {int(number)}." if written_out else _SUCH_AS
    raise Trouble(f"{text!r} is no whole number.", hint)


def check_size(shape: Sequence[int], element_bytes: int) -> int:
    """How many bytes it takes; Trouble where PyTorch cannot count them."""
    size = math.prod(shape) * element_bytes
    if size > MOST_BYTES:
        raise Trouble("These are more bytes than PyTorch can count.", "Choose smaller sizes.")
    return size


def read_whole(text: str, what: str, least: int | None = None) -> int:
    bare = text.strip()
    if not bare:
        raise Trouble(f"{what} is missing.")
    if not _WHOLE.fullmatch(bare) or len(bare) > 40:
        raise Trouble(f"{what} has to be a whole number, not {_short(bare)}.")
    number = int(bare)
    if least is not None and number < least:
        raise Trouble(f"{what} has to be at least {least}.")
    return number


def read_seed(text: str) -> int | None:
    """None where the field is empty."""
    if not text.strip():
        return None
    seed = read_whole(text, "The seed")
    if not -(2**63) <= seed < 2**64:
        raise Trouble("The seed has to fit into 64 bits.")
    return seed


def read_number(text: str, what: str) -> bool | int | float | complex:
    """As Python writes them."""
    bare = text.strip()
    if not bare:
        raise Trouble(f"{what} is missing.")
    value = _literal(bare, what)
    if not isinstance(value, bool | int | float | complex):
        raise Trouble(f"{what} has to be a number, not {_short(bare)}.")
    if isinstance(value, float) and not math.isfinite(value):
        raise Trouble(f"{what} is larger than a number can be.")
    return value


def read_values(text: str) -> tuple[object, tuple[int, ...]]:
    """A number, or lists of numbers that are equally long; with their shape."""
    bare = text.strip()
    if not bare:
        raise Trouble("The values are missing.", "Such as: [[1, 2], [3, 4]]")
    value = _literal(bare, "The values", "Such as: [[1, 2], [3, 4]]")
    return value, _shape_of(value)


def _literal(text: str, what: str, hint: str = "") -> object:
    if len(text) > LONGEST_LINE:
        raise Trouble(f"{what} may have at most {LONGEST_LINE} letters.")
    try:
        value: object = ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        numbers = "numbers" if what.endswith("s") else "a number"
        raise Trouble(f"{what} cannot be read as {numbers}.", hint) from None
    return value


def _shape_of(value: object) -> tuple[int, ...]:
    if isinstance(value, list | tuple):
        shapes = {_shape_of(each) for each in value}
        if len(shapes) > 1:
            raise Trouble("The rows are not equally long.", "Such as: [[1, 2], [3, 4]]")
        return (len(value), *next(iter(shapes), ()))
    if isinstance(value, bool | int | float | complex):
        return ()
    raise Trouble(f"{_short(repr(value))} is no number.", "Such as: [[1, 2], [3, 4]]")


def _short(text: str) -> str:
    return text if len(text) <= 16 else f"{text[:15]}…"
