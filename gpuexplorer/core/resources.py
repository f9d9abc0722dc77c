"""Where the `resources` folder is: beside the package in a checkout, else inside it."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE / "resources", _PACKAGE.parent / "resources")


def resource(*parts: str) -> Path:
    """The path of one file. A folder that is nowhere is a broken installation: a bug."""
    for place in _PLACES:
        if (place / "themes").is_dir():
            return place.joinpath(*parts)
    looked = " or ".join(str(place) for place in _PLACES)
    raise FileNotFoundError(f"The folder `resources` is missing: {looked}")
