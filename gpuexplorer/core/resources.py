"""Files that are no code: the `resources` folder, and what lies among the modules."""

import csv
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE / "resources", _PACKAGE.parent / "resources")


def table(*parts: str) -> list[dict[str, str]]:
    """The rows of a table inside the package, which on another computer is in memory only."""
    loader: Any = __spec__.loader  # whatever it is, it knows where the rest of us lies
    text: bytes = loader.get_data(str(_PACKAGE.joinpath(*parts)))
    return [*csv.DictReader(text.decode().splitlines())]


def resource(*parts: str) -> Path:
    """The path of one file. A folder that is nowhere is a broken installation: a bug."""
    for place in _PLACES:
        if (place / "themes").is_dir():
            return place.joinpath(*parts)
    raise FileNotFoundError(_PLACES)
