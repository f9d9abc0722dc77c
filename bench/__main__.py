"""Prints every figure the project holds itself to."""

from bench import beats, lab, memory, programs
from bench.table import show


def main() -> None:
    show("Beats on the NVML stand-in", beats.figures())
    show("History", memory.figures())
    show("The lab", lab.figures())
    show("Whole programs on the NVML stand-in", programs.figures())


if __name__ == "__main__":
    main()
