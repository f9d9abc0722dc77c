"""Short names: what is left of a card's name where there is room for one word or two."""

import re

_MAKERS = ("NVIDIA ", "GeForce ", "Quadro ", "Tesla ")
_SIZE = re.compile(r"[ -]\d+ ?[GT]B$")
_LESS_TELLING = re.compile(r"[ -](?:HBM\w*|PCIe|PCIE|SXM\d?|NVL|Edition|GPU)$")


def short_name(name: str) -> str:
    """ "NVIDIA H100 80GB HBM3" becomes "H100": the model, without its maker and its memory."""
    short = name.strip()
    for maker in _MAKERS:
        short = short.removeprefix(maker)
    while True:
        shorter = _SIZE.sub("", _LESS_TELLING.sub("", short))
        if shorter == short or not shorter:
            return short or name
        short = shorter
