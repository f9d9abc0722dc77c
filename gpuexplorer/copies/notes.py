"""Notes of a measurement that are read again, and not only shown."""

import re

_BUSY = re.compile(r"(\S+) was busy: ([0-9]+) %")


def busy_note(device: str, share: float) -> str:
    return f"{device} was busy: {share * 100:.0f} %"


def busy_of(note: str) -> tuple[str, float] | None:
    """The device and how busy it was, where the note is about that."""
    match = _BUSY.fullmatch(note)
    return None if match is None else (match[1], int(match[2]) / 100)
