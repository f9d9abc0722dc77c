"""Reads what is typed into a form's fields: shapes, numbers, values. Raises Trouble."""

import ast
import keyword
import math
import re
from collections.abc import Callable, Collection, Sequence
from string import ascii_lowercase, ascii_uppercase

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import grouped
from gpuexplorer.core.words import Message, mark, trn

LONGEST = 4000  # letters
_MOST_DIMENSIONS = 64
MOST_BYTES = 2**63 - 1  # PyTorch counts them in 64 bits
_SUCH_AS = mark("Such as: 2, 3")
_SUCH_LISTS = mark("Such as: [[1, 2], [3, 4]]")
_WHOLE = re.compile(r"[+-]?[0-9]+(_[0-9]+)*")


def read_shape(text: str) -> tuple[int, ...]:
    """`2, 3`, `2 x 3` and `(2, 3)`; nothing at all is the shape of a single value."""
    if len(text) > LONGEST:
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
        raise Trouble("{text!r} is not a size.", _SUCH_AS, text=text) from None
    written_out = math.isfinite(number) and number.is_integer() and 0 <= number < 1e15
    hint = Message("Write {number}.", number=int(number)) if written_out else _SUCH_AS
    raise Trouble("{text!r} is not a whole number.", hint, text=text)


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


def whole(what: Message, least: int | None = None) -> Callable[[str], int]:
    """A reader of whole numbers; `what` is the subject of what it says."""
    return lambda text: read_whole(text, what, least)


def number(what: Message) -> Callable[[str], bool | int | float | complex]:
    return lambda text: read_number(text, what)


def real(what: Message, least: float | None = None) -> Callable[[str], int | float]:
    def read(text: str) -> int | float:
        value = read_number(text, what)
        if isinstance(value, bool | complex):
            raise Trouble("{what} has to be a plain number.", what=what)
        if least is not None and value <= least:
            raise Trouble("{what} has to be above {least}.", what=what, least=f"{least:g}")
        return value

    return read


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
    if len(text) > LONGEST:
        raise Trouble("{what} may have at most {most} characters.", what=what, most=LONGEST)
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
    raise Trouble("{text} is not a number.", _SUCH_LISTS, text=number)


def _short(text: str) -> str:
    return text if len(text) <= 16 else f"{text[:15]}…"


_TAKEN = frozenset({"torch", "nn", "F"})  # stand for PyTorch's own in every session


def next_letter(taken: Collection[str]) -> str:
    """A capital, then a small letter, then A1 and so on."""
    letters: str = ascii_uppercase + ascii_lowercase
    free = (each for each in letters if each not in taken and each not in _TAKEN)
    return next(free, "") or next_numbered("A1", taken)


def next_numbered(word: str, taken: Collection[str]) -> str:
    """`net`, `net2`, `net3`."""
    number, name = 1, word
    while name in taken:
        number += 1
        name = f"{word}{number}"
    return name


def read_name(text: str) -> str:
    """Raises Trouble for what Python takes for no name."""
    name = text.strip()
    if not name:
        raise Trouble("It needs a name.")
    if keyword.iskeyword(name):
        raise Trouble("{name} is a word of Python itself.", "Such as: X", name=name)
    if not name.isidentifier():
        raise Trouble(
            "{name!r} is not a name.", "Letters, digits and _, no digit first.", name=name[:40]
        )
    if name in _TAKEN:
        raise Trouble("{name} stands for a part of PyTorch.", "Such as: X", name=name)
    return name


def read_result(text: str) -> str:
    """May stay empty: then it is shown, and not kept."""
    return read_name(text) if text.strip() else ""


def elements(number: int) -> str:
    return trn("{digits} element", "{digits} elements", number, digits=grouped(number))


def parameters(number: int) -> str:
    return trn("{digits} parameter", "{digits} parameters", number, digits=grouped(number))
