"""Sentences out of parts of speech."""

from collections.abc import Sequence

_NAMES = frozenset({"Xid"})


def sentences(parts: Sequence[str]) -> str:
    """Each with a capital and a full stop; what is empty is left out."""
    said = [f"{part[:1].upper()}{part[1:].rstrip('.')}." for part in parts if part]
    return " ".join(said)


def going_on(sentence: str) -> str:
    """To stand after other words. Names such as Xid and PCIe keep their capital."""
    first = sentence.partition(" ")[0]
    if first in _NAMES or first[1:] != first[1:].lower():
        return sentence
    return f"{sentence[:1].lower()}{sentence[1:]}"
