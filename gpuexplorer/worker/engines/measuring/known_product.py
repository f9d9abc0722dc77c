"""KnownProduct: two matrices whose product can be told value by value, to find wrong ones."""

from typing import Any

import torch

from gpuexplorer.worker.measuring.products import CHECKED_ROWS

_MOST = 8  # whole numbers up to it, whose products even 16 bits hold without rounding
# Sums of 16 bits may be put together from parts, which are rounded.
_OFF = {torch.bfloat16: 1 / 64}


# Any: tensors are PyTorch's.
class KnownProduct:
    """Row i of the left is a[i] times signs, column j of the right the same signs times b[j].

    So the product's value at i, j is a[i] * b[j] * rows: every sum on the way is a whole
    number that no kind of number here has to round, where `rows` is a power of two.
    """

    def __init__(self, rows: int) -> None:
        chance = torch.Generator().manual_seed(rows)
        self._rows = rows
        self._counted = 1 << (rows.bit_length() - 1)  # signs are 0 from there on
        self._left = _whole(rows, chance)
        self._right = _whole(rows, chance)
        signs = torch.randint(0, 2, (rows,), generator=chance) * 2 - 1
        signs[self._counted :] = 0
        self._signs = signs

    def fill(self, left: Any, right: Any) -> None:
        """In place, on whatever device they are."""
        kind = left.dtype
        signs = self._signs.to(left.device, kind)
        torch.mul(self._left.to(left.device, kind)[:, None], signs[None, :], out=left)
        torch.mul(signs[:, None], self._right.to(right.device, kind)[None, :], out=right)

    def wrong_values(self, product: Any) -> int:
        """How many of the product's values are not what they must be."""
        kind = product.dtype
        down = (self._left * self._counted).to(product.device, kind)
        across = self._right.to(product.device, kind)
        found = 0
        for begin in range(0, self._rows, CHECKED_ROWS):
            part = product[begin : begin + CHECKED_ROWS]
            expected = down[begin : begin + CHECKED_ROWS, None] * across[None, :]
            off = (part - expected).abs() > expected.abs() * _OFF.get(kind, 0.0)
            found += int((off | part.isnan()).sum())
        return found


def _whole(count: int, chance: "torch.Generator") -> Any:
    """From 1 to the most, up or down: a value that was left out shows."""
    numbers = torch.randint(1, _MOST + 1, (count,), generator=chance)
    return numbers * (torch.randint(0, 2, (count,), generator=chance) * 2 - 1)
