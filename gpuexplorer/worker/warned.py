"""Warned: what PyTorch warns of while a line runs, once each, in its own words."""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Meant for who uses PyTorch; others are for those who write it.
_TOLD = (UserWarning, RuntimeWarning, FutureWarning)
_WHERE = re.compile(r"\s*\(Triggered internally at .*\)$")


@contextmanager
def warned(say: "Callable[[str], object]") -> "Iterator[None]":
    """Each line is warned anew, whatever lines before it were told."""
    seen: set[str] = set()

    def show(
        message: "Warning | str", category: "type[Warning]", *where: Any, **more: Any
    ) -> None:
        del where, more
        text = f"{category.__name__}: {_WHERE.sub('', str(message).strip())}"
        if text not in seen:
            seen.add(text)
            say(text)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for category in _TOLD:
            warnings.simplefilter("always", category)
        warnings.showwarning = show
        yield
