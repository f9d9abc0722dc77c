"""Names for things on the shelf: the next free one, and what is wrong with one."""

from collections.abc import Collection
from string import ascii_lowercase, ascii_uppercase

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr, trn
from gpuexplorer.lab import vocabulary
from gpuexplorer.lab.grammar import check_name


def next_letter(taken: Collection[str]) -> str:
    """A capital, then a small letter, then A1 and so on."""
    letters: str = ascii_uppercase + ascii_lowercase
    for letter in letters:
        if letter not in taken and letter not in vocabulary.TAKEN:
            return letter
    return next_numbered("A", taken, first=1)


def next_numbered(word: str, taken: Collection[str], first: int = 2) -> str:
    """`net`, `net2`, `net3`; with `first=1` the bare word is not among them."""
    if first > 1 and word not in taken:
        return word
    number = first
    while f"{word}{number}" in taken:
        number += 1
    return f"{word}{number}"


def name_problem(name: str) -> str:
    """A sentence, or empty where it can be a name."""
    if not name:
        return tr("It needs a name.")
    try:
        check_name(name)
    except Trouble as trouble:
        return trouble.told
    return ""


def replaced(name: str, taken: Collection[str]) -> Collection[str]:
    """The warning where the name stands for something already."""
    if name not in taken:
        return ()
    return (tr("{name} is there already: it would be replaced.", name=name),)


def device_word(device: str, *, fall_back: bool) -> str:
    """`try_gpu(1)`, which gives the processor where there is no such card, or `"cuda:1"`."""
    kind, _, number = device.partition(":")
    if fall_back and kind == "cuda" and number.isdecimal():
        return f"try_gpu({number})"
    return f'"{device}"'


def elements(number: int) -> str:
    return trn("{digits} element", "{digits} elements", number, digits=_grouped(number))


def parameters(number: int) -> str:
    return trn("{digits} parameter", "{digits} parameters", number, digits=_grouped(number))


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
