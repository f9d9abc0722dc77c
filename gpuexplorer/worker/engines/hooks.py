"""Hooks: what optimizers and loaders do is said to whoever watches, on either kind of card; and
what was asked to be moved to where it is.
"""

import functools
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils.data.dataloader import (
    DataLoader,
    _MultiProcessingDataLoaderIter,
    _SingleProcessDataLoaderIter,
)

from gpuexplorer.lab.events import Transferred
from gpuexplorer.worker.places import Copies, is_own
from gpuexplorer.worker.watching.seen import Seen

_PINS = "_gpuexplorer_pins"  # PyTorch forgets that it was asked where there is no real card


# Any throughout: optimizers, loaders, and what puts something in PyTorch's place.
def put_hooks(
    put: "Callable[[Any, Mapping[str, Any]], object]", seen: "Callable[[], Seen | None]"
) -> "Callable[[], None]":
    """`seen`: None while nothing is watched at all. Gives what takes the optimizers' back; the
    loaders' were put by `put`.
    """

    def stepped(optimizer: Any, args: Any, kwargs: Any) -> None:
        if torch.compiler.is_compiling():
            return
        told = seen()
        if told is not None and _in_main_thread():
            told.stepped(id(optimizer))

    def begun(loader: Any) -> Any:
        batches = iterator(loader)
        setattr(batches, _PINS, bool(loader.pin_memory))
        return batches

    iterator = DataLoader._get_iterator
    put(DataLoader, {"_get_iterator": begun})
    # Not what the loop calls: where that warns, it says which of its callers it means.
    for kind in (_SingleProcessDataLoaderIter, _MultiProcessingDataLoaderIter):
        put(kind, {"_next_data": _taken(kind._next_data, seen)})
    undo: Callable[[], None] = register_optimizer_step_post_hook(stepped).remove
    return undo


def _taken(
    following: "Callable[[Any], Any]", seen: "Callable[[], Seen | None]"
) -> "Callable[[Any], Any]":
    def taken(batches: Any) -> Any:
        told = seen()
        if told is None or not _in_main_thread():
            return following(batches)
        begin, idling = told.now(), told.idling
        idling.loading = True
        try:
            batch = following(batches)
        finally:
            idling.loading = False
        pins = getattr(batches, _PINS, False)
        told.took_batch(begin, told.now(), batches._num_workers, pins=pins)
        return batch

    return taken


def _in_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


# Any throughout: tensors, models, and what their methods take.
def telling_methods(
    copies: Copies, watched: "Callable[[], bool]"
) -> "Sequence[tuple[Any, Mapping[str, Any]]]":
    """What to put in place of `to`, `cuda` and `cpu`, by the class that has them."""
    tensors, models = (
        {
            name: _telling(getattr(owner, name), copies, watched)
            for name in ("to", "cuda", "cpu")
        }
        for owner in (torch.Tensor, torch.nn.Module)
    )
    lazy = torch.nn.parameter.UninitializedTensorMixin
    allowed = [*lazy._allowed_methods, *tensors.values()]
    return (
        (torch.Tensor, tensors),
        (torch.nn.Module, models),
        (lazy, {"_allowed_methods": allowed}),
    )


def _telling(
    method: "Callable[..., Any]", copies: Copies, watched: "Callable[[], bool]"
) -> "Callable[..., Any]":
    """Where the person's own code calls it, it is told."""

    @functools.wraps(method)
    def moved(thing: Any, *where: Any, **words: Any) -> Any:
        before = copies.noted
        made = method(thing, *where, **words)
        if made is thing and copies.noted == before and watched():
            caller = sys._getframe(1).f_code.co_filename
            if is_own(caller) and _names_a_device(method, where, words):
                _tell(thing, copies)
        return made

    return moved


def _names_a_device(method: "Callable[..., Any]", where: Any, words: Any) -> bool:
    """`to` also changes the kind of number alone."""
    if method.__name__ != "to":
        return True
    named = (*where, words.get("device"), words.get("other"))
    return any(isinstance(each, (str, int, torch.device, torch.Tensor)) for each in named)


def _tell(thing: Any, copies: Copies) -> None:
    parts = thing.parameters() if isinstance(thing, torch.nn.Module) else iter([thing])
    first = next(parts, None)
    if first is not None and not torch.nn.parameter.is_lazy(first):
        device = str(first.device)
        copies.add(Transferred(0, device, device, 0, None), copies.note())
