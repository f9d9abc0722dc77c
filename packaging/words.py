"""Collects the words for people into the catalogue that translators start from.

`make words` writes resources/locale/gpuexplorer.pot. A template must be written where it is
used, since it is also its key: whatever is computed cannot be found, and is an error.
"""

import ast
import csv
import string
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from environment import ROOT

PACKAGE = ROOT / "gpuexplorer"
POT = ROOT / "resources" / "locale" / "gpuexplorer.pot"
# How many of the first arguments are templates; the second is a hint, or for more than one.
ONE, PLURAL, HINT = "one", "plural", "hint"
CALLS: Mapping[str, str] = {
    "tr": ONE,
    "mark": ONE,
    "Message": ONE,
    "trn": PLURAL,
    "counted": PLURAL,
    "Trouble": HINT,
    "WrongArgumentsError": HINT,
    "PrometheusError": HINT,
    "wrong": HINT,
    "Option": HINT,
    # What the doctor says.
    "fine": HINT,
    "look": HINT,
    "broken": HINT,
    "detail": ONE,
}
# Tables with words for people, and the columns they stand in; `|` is between several.
TABLES = {"core/metrics.csv": ("label", "short", "group", "plot", "choices", "meaning")}


@dataclass(frozen=True, slots=True)
class Found:
    """A call that hands over templates, and the names of the values it fills in."""

    place: str
    function: str
    templates: tuple[str, ...]
    values: frozenset[str] | None  # None: handed on with **

    @property
    def wanted(self) -> frozenset[str]:
        """The places for values in the templates."""
        fields = (each for text in self.templates for each in string.Formatter().parse(text))
        return frozenset(name for _, name, _, _ in fields if name is not None)


def found(package: Path = PACKAGE) -> Iterator[Found]:
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and (name := _called(node)) in CALLS:
                place = f"{path.relative_to(package.parent).as_posix()}:{node.lineno}"
                templates = tuple(_templates(node, CALLS[name]))
                if templates:
                    yield Found(place, name, templates, _values(node))
    for table, columns in TABLES.items():
        path = package / table
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), 2):
                place = f"{path.relative_to(package.parent).as_posix()}:{number}"
                for words in (each for column in columns for each in row[column].split("|")):
                    if words:
                        values = frozenset({"number"} if "{" in words else ())
                        yield Found(place, "mark", (words,), values)


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _templates(node: ast.Call, kind: str) -> Iterator[str]:
    for argument in node.args[: 1 if kind == ONE else 2]:
        match argument:
            case ast.Constant(value=str(text)) if text:
                yield text


def _values(node: ast.Call) -> frozenset[str] | None:
    names = [keyword.arg for keyword in node.keywords]
    for keyword in node.keywords:
        if _called(node) == "Option" and isinstance(keyword.value, ast.Dict):
            names += [str(ast.literal_eval(each)) for each in keyword.value.keys if each]
    if None in names:
        return None
    return frozenset(name for name in names if name is not None)


def main() -> int:
    from babel.messages.catalog import Catalog  # noqa: PLC0415 - a tool of developers
    from babel.messages.pofile import write_po  # noqa: PLC0415

    catalogue = Catalog(project="GPU Explorer", fuzzy=False)
    for each in found():
        file, _, line = each.place.rpartition(":")
        place = [(file, int(line))]
        if CALLS[each.function] == PLURAL and len(each.templates) == 2:
            catalogue.add(each.templates, locations=place)
        else:
            for template in each.templates:
                catalogue.add(template, locations=place)
    POT.parent.mkdir(parents=True, exist_ok=True)
    with POT.open("wb") as file_:
        write_po(file_, catalogue, width=96, sort_output=True, include_lineno=False)
    print(f"{len(catalogue)} templates in {POT.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
