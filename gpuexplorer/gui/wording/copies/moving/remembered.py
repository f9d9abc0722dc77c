"""Which columns a person chose, from one start to the next."""

from gpuexplorer.gui.wording.copies.moving.columns import Column

_FIT = "fit"


def text_of(chosen: frozenset[Column] | None) -> str:
    return _FIT if chosen is None else " ".join(sorted(chosen))


def columns_of(text: str | None) -> frozenset[Column] | None:
    """None: as many as fit. What is not known any more is left out."""
    if not text or text == _FIT:
        return None
    known = {each.value: each for each in Column}
    return frozenset(known[word] for word in text.split() if word in known) or None
