"""How a word that was begun can go on: names on the shelf, PyTorch's words, devices."""

import ast
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from gpuexplorer.lab import vocabulary

_WORD = re.compile(r"[A-Za-z_][\w.]*$")
_AFTER_VALUE = re.compile(r"[\])]\.(\w*)$")
_WITHIN_QUOTES = re.compile(r"""["']([^"']*)$""")
_FIRST_WORDS = (
    frozenset(vocabulary.ROOTS)
    | vocabulary.HELPERS
    | vocabulary.MODELS
    | vocabulary.BUILTINS
    | frozenset({"device", "dtype", "requires_grad", "True", "False", "del", "with"})
)
_PARTS = vocabulary.METHODS | vocabulary.ATTRIBUTES
_PROMPTS = (">>> ", "... ", ">>>", "...")
# What the lab has already; a script begins with it.
_ALREADY = frozenset(
    {
        "import torch",
        "from torch import nn",
        "import torch.nn as nn",
        "from torch.nn import functional as F",
        "import torch.nn.functional as F",
    }
)


@dataclass(frozen=True, slots=True)
class Completion:
    """From `start` on, the word may be any of these."""

    start: int
    words: tuple[str, ...]

    @property
    def common(self) -> str:
        """What all of them begin with."""
        if not self.words:
            return ""
        first, last = min(self.words), max(self.words)
        same = 0
        while same < len(first) and first[same] == last[same]:
            same += 1
        return first[:same]


def completion(before: str, names: Iterable[str], devices: Sequence[str]) -> Completion:
    """`before` is what stands before the cursor; `names` are those on the shelf."""
    quoted = _WITHIN_QUOTES.search(before) if _inside_quotes(before) else None
    if quoted is not None:
        return _beginning(quoted.start(1), quoted[1], devices)
    after = _AFTER_VALUE.search(before)
    if after is not None:
        return _beginning(after.start(1), after[1], sorted(_PARTS))
    word = _WORD.search(before)
    if word is None:
        return Completion(len(before), ())
    head, dot, last = word[0].rpartition(".")
    start = word.start() + len(head) + len(dot)
    if not dot:
        known = sorted(names)
        return _beginning(start, last, [*known, *sorted(_FIRST_WORDS - set(known))])
    root, _, rest = head.partition(".")
    if root in vocabulary.ROOTS:
        full = ".".join(each for each in (vocabulary.ROOTS[root], rest) if each)
        return _beginning(start, last, _below(full))
    return _beginning(start, last, sorted(_PARTS))


def _below(head: str) -> Sequence[str]:
    """What may stand after `torch.` or `torch.cuda.`."""
    inner = f"{head}."
    found = {
        each.removeprefix(inner).partition(".")[0]
        for each in vocabulary.DOTTED
        if each.startswith(inner)
    }
    return sorted(found)


def _beginning(start: int, begun: str, words: Collection[str]) -> Completion:
    fitting = [each for each in words if each.startswith(begun) and each != begun]
    return Completion(start, tuple(fitting))


def _inside_quotes(before: str) -> bool:
    quote = ""
    for letter in before:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
    return bool(quote)


def pasted_lines(text: str) -> list[str]:
    """Each a statement, with brackets over several lines kept together where that can be told;
    prompts, comments and imports of what is there already are left out.
    """
    bare = "\n".join(_without_prompt(line) for line in text.splitlines())
    try:
        body = ast.parse(bare).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        found = [line.strip() for line in bare.splitlines() if line.strip()]
        found = [line for line in found if not line.startswith("#")]
    else:
        found = [ast.get_source_segment(bare, each) or "" for each in body]
    return [line for line in found if line and line not in _ALREADY]


def _without_prompt(line: str) -> str:
    for prompt in _PROMPTS:
        if line.startswith(prompt):
            return line.removeprefix(prompt)
    return line
