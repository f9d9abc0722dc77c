"""Prints the figures the project holds itself to, in one table.

`make bench ARGS="window panning"` takes these two subjects.
"""

import argparse
from importlib import import_module
from pathlib import Path

from bench import before, soak
from bench.table import show

# A module of this folder each.
_SUBJECTS = (
    *("beats", "memory", "programs", "window", "held_up", "panning", "recording"),
    *("lab", "copies"),
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(_SUBJECTS))
    parser.add_argument(
        "--before", type=Path, metavar="FOLDER", help="another checkout, in turns with this one"
    )
    parser.add_argument(
        "--soak",
        type=float,
        metavar="SECONDS",
        help="64 cards at ten readings a second, for so long without and with a window",
    )
    asked = parser.parse_args()
    if unknown := set(asked.subjects) - set(_SUBJECTS):
        parser.error(f"No subject is called {', '.join(sorted(unknown))}.")
    if asked.before is not None:
        show("before", before.figures(asked.before.resolve()))
    if asked.soak is not None:
        show("soak", soak.figures(asked.soak))
    if asked.subjects or (asked.before is None and asked.soak is None):
        for subject in asked.subjects or _SUBJECTS:
            show(subject, import_module(f"bench.{subject}").figures())


if __name__ == "__main__":
    main()
