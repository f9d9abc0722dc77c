"""Prints every figure the project holds itself to."""

import argparse
from collections.abc import Callable
from pathlib import Path

from bench import (
    beats,
    before,
    copies,
    copies_screen,
    copies_watch,
    faulty,
    held_up,
    lab,
    left_behind,
    memory,
    packages,
    panning,
    programs,
    window,
    window_soak,
)
from bench.table import Figure, show

_SUBJECTS: dict[str, tuple[str, Callable[[], list[Figure]]]] = {
    "beats": ("Beats on the NVML stand-in", beats.figures),
    "memory": ("History", memory.figures),
    "lab": ("The lab", lab.figures),
    "copies": ("Copies, beside plain loops", copies.figures),
    "copies_watch": ("Copies of the lab's lines", copies_watch.figures),
    "copies_screen": ("Copies of the lab's lines, drawn", copies_screen.figures),
    "programs": ("Whole programs on the NVML stand-in", programs.figures),
    "window": ("The window on the NVML stand-in", window.figures),
    "held_up": ("The window while much goes on, simulated", held_up.figures),
    "faulty": ("The window on a faulty driver", faulty.figures),
    "panning": ("A day seen in the window, simulated", panning.figures),
    "left_behind": ("What screens leave behind, simulated", left_behind.figures),
    "packages": ("What is installed", packages.figures),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(_SUBJECTS))
    parser.add_argument(
        "--before", type=Path, metavar="FOLDER", help="another checkout, measured in turns"
    )
    parser.add_argument(
        "--soak", type=float, metavar="SECONDS", help="so long at ten frames a second, at last"
    )
    asked = parser.parse_args()
    if unknown := set(asked.subjects) - set(_SUBJECTS):
        parser.error(f"No subject is called {', '.join(sorted(unknown))}.")
    for name in asked.subjects or _SUBJECTS:
        title, figures = _SUBJECTS[name]
        show(title, figures())
    if asked.before is not None:
        show(f"Beside {asked.before}", before.figures(asked.before.resolve()))
    if asked.soak is not None:
        show(f"Ten frames a second for {asked.soak:.0f} s", window_soak.figures(asked.soak))


if __name__ == "__main__":
    main()
