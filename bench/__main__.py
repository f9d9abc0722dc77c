"""Prints every figure the project holds itself to."""

from bench import (
    beats,
    copies,
    copies_screen,
    copies_watch,
    faulty,
    held_up,
    lab,
    left_behind,
    memory,
    panning,
    programs,
    window,
)
from bench.table import show


def main() -> None:
    show("Beats on the NVML stand-in", beats.figures())
    show("History", memory.figures())
    show("The lab", lab.figures())
    show("Copies, beside plain loops", copies.figures())
    show("Copies of the lab's lines", copies_watch.figures())
    show("Copies of the lab's lines, drawn", copies_screen.figures())
    show("Whole programs on the NVML stand-in", programs.figures())
    show("The window on the NVML stand-in", window.figures())
    show("The window while much goes on, simulated", held_up.figures())
    show("The window on a faulty driver", faulty.figures())
    show("A day seen in the window, simulated", panning.figures())
    show("What screens leave behind, simulated", left_behind.figures())


if __name__ == "__main__":
    main()
