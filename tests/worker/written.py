"""Cells as a person writes them, run under their names without an engine around them."""

import linecache
from collections.abc import Mapping, MutableMapping
from typing import Any

import pytest


# Any: whatever a cell's names stand for.
def run_cell(
    text: str, names: "MutableMapping[str, Any] | Mapping[str, Any]", number: int = 1
) -> None:
    name = f"<cell {number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), names if isinstance(names, dict) else dict(names))


def raised(text: str, number: int = 2, **names: Any) -> BaseException:
    with pytest.raises(BaseException) as found:  # noqa: PT011 - whichever it is
        run_cell(text, names, number)
    return found.value
