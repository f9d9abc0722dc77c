"""Prints every figure the project holds itself to."""

import argparse
from importlib import import_module
from pathlib import Path

from bench import before, window_soak
from bench.stage import measured
from bench.table import show

# A module of this folder each, and what it is about.
_SUBJECTS = {
    "beats": "Beats on the NVML stand-in",
    "memory": "History",
    "recorder": "Recording",
    "lab": "The lab",
    "copies": "Copies, beside plain loops",
    "copies_watch": "Copies of the lab's lines",
    "program_watch": "A program of the person's, watched",
    "cures": "Programs before and after the cure they are told, simulated",
    "copies_screen": "Copies of the lab's lines, drawn",
    "programs": "Whole programs on the NVML stand-in",
    "window": "The window on the NVML stand-in",
    "held_up": "The window while much goes on, and on a faulty driver",
    "panning": "A day seen in the window, simulated",
    "left_behind": "What screens leave behind, simulated",
    "recording": "Recordings, read",
    "recording_screen": "A recording of a day seen in the window",
    "machines_map": "All machines together, simulated",
    "fleet": "A fleet of 8 000 simulated cards, through a real Prometheus",
    "packages": "What is installed",
}
# These open a window, each in a process of its own.
_WITH_A_WINDOW = {
    "copies_screen",
    "fleet",
    "held_up",
    "panning",
    "left_behind",
    "recording_screen",
    "machines_map",
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
        if name in _WITH_A_WINDOW:
            show(_SUBJECTS[name], measured(name))
        else:
            show(_SUBJECTS[name], import_module(f"bench.{name}").figures())
    if asked.before is not None:
        show(f"Beside {asked.before}", before.figures(asked.before.resolve()))
    if asked.soak is not None:
        show(f"Ten frames a second for {asked.soak:.0f} s", window_soak.figures(asked.soak))


if __name__ == "__main__":
    main()
