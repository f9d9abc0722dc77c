"""Sizes in the sentences of a measurement."""

_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def size_in_words(size: int) -> str:
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} B"
