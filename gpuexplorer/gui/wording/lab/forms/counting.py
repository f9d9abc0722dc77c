"""How many of something, with the thousands apart: 10 000 elements."""

from gpuexplorer.core.words import trn


def elements(number: int) -> str:
    return trn("{digits} element", "{digits} elements", number, digits=_grouped(number))


def parameters(number: int) -> str:
    return trn("{digits} parameter", "{digits} parameters", number, digits=_grouped(number))


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
