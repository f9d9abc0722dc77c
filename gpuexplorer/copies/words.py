"""What people type: sizes, devices, ways of copying; wrong ones are answered in sentences."""

import difflib
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation, Overflow

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.plan import SWEEP_LEAST, SWEEP_MOST, TYPED, Kind, sweep_sizes
from gpuexplorer.core.trouble import Trouble, did_you_mean
from gpuexplorer.core.words import Message

MOST_BYTES = 1 << 40
_STEP = 4  # of a range of sizes
_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgt", 1):
    _UNITS |= {_letter: 1024**_power, f"{_letter}ib": 1024**_power}
    _UNITS |= {f"{_letter}b": 1000**_power}
_SIZE = re.compile(r"([+-]?[0-9.]+(?:e[+-]?[0-9]+)?)\s*([a-z]*)", re.IGNORECASE)
_SIZES = Message("Sizes are written 64M, 4 KiB, 1e9 or 4B-1G, with commas between them.")
_OTHER_WORDS = {
    "copy": (Kind.ONE_WAY,),
    "oneway": (Kind.ONE_WAY,),
    "bothways": (Kind.BOTH_WAYS,),
    "all": TYPED,
}


def size_of(text: str) -> int:
    """ "64M", "4 KiB", "1e9". Letters alone are binary, as in memory; MB is a million."""
    said = text.strip()
    match = _SIZE.fullmatch(said)
    if match is None:
        raise Trouble("{text!r} is not a size.", _SIZES, text=text)
    unit = _UNITS.get(match[2].lower())
    if unit is None:
        raise Trouble(
            "{text!r} has a unit that is not known: {unit!r}.",
            _SIZES,
            text=text,
            unit=match[2],
        )
    try:
        size = Decimal(match[1]) * unit
    except InvalidOperation:
        raise Trouble("{text!r} is not a size.", _SIZES, text=text) from None
    except Overflow:
        raise _too_many(text) from None
    if size <= 0:
        raise Trouble("{text!r} is nothing to copy.", "The smallest copy is 1 B.", text=text)
    if size > MOST_BYTES:
        raise _too_many(text)
    if size != int(size):
        raise Trouble("{text!r} is not a whole number of bytes.", _SIZES, text=text)
    return int(size)


def sizes_of(text: str) -> tuple[int, ...]:
    """Several, or a range such as 4B-1G, or "sweep" for the whole of it; in order."""
    found: list[int] = []
    if not text.strip():
        raise Trouble("No size is named.", _SIZES)
    for part in (part.strip() for part in text.split(",")):
        if not part:
            raise Trouble("{text!r} has a comma with no size beside it.", _SIZES, text=text)
        ends = re.split(r"(?<![eE])\s*-\s*", part) if not part.startswith("-") else [part]
        if part.lower() == "sweep":
            found += sweep_sizes(SWEEP_LEAST, SWEEP_MOST, _STEP)
        elif len(ends) == 2:
            least, most = (size_of(each) for each in ends)
            if least > most:
                raise Trouble("{part!r} ends before it begins.", _SIZES, part=part)
            found += sweep_sizes(least, most, _STEP)
        else:
            found.append(size_of(part))
    return tuple(sorted(set(found)))


def devices_of(text: str, offered: Sequence[str]) -> tuple[str, ...]:
    """ "cpu,cuda:0,1" or "0-3"; of those that are there, in the order in which they are."""
    wanted: list[str] = []
    for word in (part.strip().lower() for part in text.split(",")):
        wanted += [word] if word != "all" else offered
    found: set[str] = set()
    for word in wanted:
        names = _devices(word)
        missing = [name for name in names if name not in offered]
        if not names or missing:
            there = Message("There are: {devices}.", devices=", ".join(offered))
            if len(names) < 2:
                raise Trouble(
                    "--devices names {word!r}, and no device here is called so.",
                    there,
                    word=word,
                )
            raise Trouble(
                "--devices names {word!r}, and no device here is called {missing!r}.",
                there,
                word=word,
                missing=missing[0],
            )
        found |= set(names)
    return tuple(each for each in offered if each in found)


def kinds_of(text: str) -> tuple[Kind, ...]:
    known = {each.value: (each,) for each in TYPED} | _OTHER_WORDS
    found: list[Kind] = []
    for word in (part.strip().lower() for part in text.split(",")):
        if word not in known:
            there = Message("There are: {modes}.", modes=", ".join(TYPED))
            hint = did_you_mean(difflib.get_close_matches(word, TYPED, n=1), there)
            raise Trouble("--mode names {word!r}, which is not known.", hint, word=word)
        found += known[word]
    return tuple(dict.fromkeys(found))


def _too_many(text: str) -> Trouble:
    return Trouble(
        "{text!r} is more than any card holds.", "Up to 1T can be asked for.", text=text
    )


def _devices(word: str) -> list[str]:
    if word in (HOST, "host"):
        return [HOST]
    match = re.fullmatch(r"(?:cuda:)?([0-9]{1,4})(?:-(?:cuda:)?([0-9]{1,4}))?", word)
    if match is None:
        return [word] if word else []
    first = int(match[1])
    last = int(match[2]) if match[2] else first
    return [f"cuda:{number}" for number in range(first, last + 1)]
