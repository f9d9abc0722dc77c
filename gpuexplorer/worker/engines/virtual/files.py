"""CardFiles: saved from and loaded to simulated cards, in files like those of real ones."""

import contextlib
import functools
import re
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_map_only

from gpuexplorer.worker.engines import files
from gpuexplorer.worker.engines.virtual.cards import HOST
from gpuexplorer.worker.engines.virtual.tensor import Holdings, OnCard

_BEFORE_ALL_OTHERS = 1
_CARD = re.compile(r"cuda(?::(\d+))?")


# Any throughout: storages and what torch.save takes.
class CardFiles:
    """A file names the card of every tensor, so it is the same as one from real cards."""

    def __init__(self, holdings: Holdings) -> None:
        self._holdings = holdings
        self._cards_of: dict[int, int] = {}
        _register()

    def save(self, thing: Any, f: object) -> None:
        with self._at_work():
            files.save(tree_map_only(OnCard, self._lifted, thing), f)

    def load(self, f: object, map_location: Any = None, weights_only: bool = True) -> Any:
        if isinstance(map_location, int):
            map_location = f"cuda:{map_location}"
        with self._at_work():
            with torch._C.DisableTorchFunction():
                plain = files.load(f, map_location, weights_only)
            return tree_map_only(torch.Tensor, self._placed, plain)

    def location(self, storage: Any) -> "str | None":
        card = self._cards_of.get(_key(storage))
        return None if card is None else f"cuda:{card}"

    def land(self, storage: Any, location: str) -> Any:
        match = _CARD.fullmatch(str(location))
        if match is None:
            return None
        count, card = len(self._holdings.cards), int(match[1] or 0)
        if card >= count:
            raise RuntimeError(
                f"Attempting to deserialize object on CUDA device {card} but "
                f"torch.cuda.device_count() is {count}. Please use torch.load with "
                "map_location to map your storages to an existing device."
            )
        self._cards_of[_key(storage)] = card
        return storage

    @contextlib.contextmanager
    def _at_work(self) -> "Iterator[None]":
        self._cards_of.clear()
        _working.append(self)
        try:
            yield
        finally:
            _working.remove(self)
            self._cards_of.clear()

    def _lifted(self, tensor: OnCard) -> torch.Tensor:
        held = tensor.held.detach()
        self._cards_of[held.untyped_storage()._cdata] = tensor.card
        self._holdings.cards.copied(tensor.card, HOST, held.nbytes, how="save")
        return held

    def _placed(self, tensor: torch.Tensor) -> torch.Tensor:
        card = self._cards_of.get(tensor.untyped_storage()._cdata)
        if card is None:
            return tensor
        self._holdings.cards.copied(HOST, card, tensor.nbytes, how="load")
        return self._holdings.place(tensor, card)


# PyTorch keeps what is registered for good; only cards that save or load just now answer it.
_working: "list[CardFiles]" = []


@functools.cache
def _register() -> None:
    torch.serialization.register_package(
        _BEFORE_ALL_OTHERS,
        lambda storage: _working[-1].location(storage) if _working else None,
        lambda storage, location: _working[-1].land(storage, location) if _working else None,
    )


def _key(storage: Any) -> int:
    return int(getattr(storage, "_untyped_storage", storage)._cdata)
