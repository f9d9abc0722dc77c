"""The computation beside copies: products of matrices that last as long as the copies do."""

from collections.abc import Callable
from typing import Any

import torch

from gpuexplorer.worker.engines.measuring.buffers import take
from gpuexplorer.worker.engines.measuring.lanes import Lane
from gpuexplorer.worker.engines.measuring.sampling import Sampler, warmed
from gpuexplorer.worker.measuring.cards import Cards
from gpuexplorer.worker.measuring.plan import PRODUCT, products_for, taller_for

_TRIED = 20  # products, whose time in a queue says what one takes


def computing_lane(
    cards: Cards, card: str, seconds: float, checkpoint: "Callable[[], None]"
) -> Lane:
    """One product after the other, for about so many seconds."""
    lane = _products(cards, card, 1)
    product = _seconds_of_one(cards, lane, checkpoint)
    taller = taller_for(seconds, product)
    if taller > 1:
        lane = _products(cards, card, taller)
        product = _seconds_of_one(cards, lane, checkpoint)
    lane.loops = products_for(seconds, product)
    return lane


def _products(cards: Cards, card: str, taller: int) -> Lane:
    left, right, out = (_matrix(cards, card, times) for times in (taller, 1, taller))
    return Lane(
        card,
        [cards.stream(card)],
        lambda: cards.multiply(out, left, right),
        1,
        devices=(card,),
    )


def _seconds_of_one(cards: Cards, lane: Lane, checkpoint: "Callable[[], None]") -> float:
    """In a queue: alone, what asking and waiting takes would be most of it."""
    warmed(cards, lane, checkpoint)
    lane.loops = _TRIED
    sampler = Sampler(cards, [lane], checkpoint)
    sampler.close_gate()
    return sampler.sample().together / _TRIED


# Any: a tensor is PyTorch's.
def _matrix(cards: Cards, card: str, taller: int) -> Any:
    memory = take(cards, card, taller * PRODUCT * PRODUCT * torch.float32.itemsize)
    return memory.view(torch.float32).view(taller * PRODUCT, PRODUCT)
