"""Sight: what a thread does with tensors passes here; and hooks, by which optimizers and
loaders say what they do, on either kind of card.
"""

import functools
import sys
import threading
import timeit
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode_stack
from torch.utils._pytree import tree_leaves
from torch.utils.data import dataloader

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Transferred
from gpuexplorer.worker.engines.operations import as_tensors
from gpuexplorer.worker.places import Copies, is_own
from gpuexplorer.worker.watching.seen import Seen


# Any throughout: operations and operands are whatever PyTorch hands on.
class Sight(TorchDispatchMode):
    """Costs some microseconds an operation."""

    def __init__(self, saw: "Callable[[Any, Any, Any], Any]") -> None:
        super().__init__()
        self._saw = saw
        self._below: Sequence[Any] = ()  # modes that were there before it was opened

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch's question; yes would cost the first cell a second, for its compiler."""
        return False

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """PyTorch's question; no would keep it from compiling anything while it is watched."""
        return True

    @classmethod
    def is_infra_mode(cls) -> bool:
        """The same question, as older PyTorch asks it: whether it is one of PyTorch's own."""
        return not hasattr(TorchDispatchMode, "ignore_compile_internals")

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        try:
            return self._saw(func, args, kwargs)
        except RuntimeError as error:
            tensors = as_tensors(func, args, error)
            if tensors is None:
                raise
        return self._saw(func, tensors, kwargs)

    def open(self) -> None:
        """For the thread that runs the cells."""
        self._below = _get_current_dispatch_mode_stack()
        self.__enter__()

    def close(self) -> None:
        """Unless it is already, or a mode of the person's has stayed on top."""
        if _get_current_dispatch_mode_stack()[-1:] == [self]:
            self.__exit__(None, None, None)

    def turn(self, on: bool) -> bool:
        """Whether it is open now. It stays as it is while PyTorch or the person is in the midst
        of something that a change would upset: a mode of the person's, a backward pass, vmap.
        """
        stack = _get_current_dispatch_mode_stack()
        was = self in stack
        in_the_midst = (
            stack != [*self._below, *([self] if was else [])]
            or not _in_main_thread()
            or torch._C._functorch.peek_interpreter_stack() is not None
            or torch._C._current_graph_task_id() != -1
        )
        if was == on or in_the_midst:
            return was
        if on:
            self.__enter__()
        else:
            self.__exit__(None, None, None)
        return on


def _in_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


_TURNS, _STEPS = 5, 20  # to find out what watching takes


def cost_of_one(
    saw: "Callable[[Any, Any, Any], Any]", operations: "Callable[[], int]"
) -> float:
    """Seconds for which an operation of a training step takes longer under the mode, by the
    fastest turns; `operations` counts those that it saw.
    """
    weight = torch.ones(2, 2, requires_grad=True)

    def step() -> None:
        (weight @ weight).relu().sum().backward()
        with torch.no_grad():
            weight.sub_(weight)

    bare = min(timeit.repeat(step, number=_STEPS, repeat=_TURNS))
    before = operations()
    with Sight(saw):
        seen = min(timeit.repeat(step, number=_STEPS, repeat=_TURNS))
    return max(0.0, seen - bare) * _TURNS / (operations() - before)


_MOST_ROWS = 40


class PlacementLog(Sight):
    """In force while a cell runs, if it was asked for. The same again and again is counted."""

    def __init__(self, say: "Callable[[str], None]") -> None:
        super().__init__(self._placed)
        self._say = say
        self._rows: list[tuple[str, int]] = []  # how often in a row

    def _placed(self, func: Any, args: Any, kwargs: Any) -> Any:
        made = func(*args, **kwargs)
        there = "" if func.is_view else _device(made)
        if there:
            name, here = func.overloadpacket.__name__, _device(args)
            moved = name in ("_to_copy", "copy_") and here not in ("", there)
            text = f"{name}: {here} -> {there}" if moved else f"{name}: {there}"
            again = bool(self._rows) and self._rows[-1][0] == text
            count = self._rows.pop()[1] if again else 0
            self._rows.append((text, count + 1))
        return made

    def __exit__(self, *how: Any) -> None:
        super().__exit__(*how)
        for text, count in self._rows[:_MOST_ROWS]:
            many = Message("{operation}, {count} times", operation=text, count=count)
            self._say(text if count == 1 else many)
        if len(self._rows) > _MOST_ROWS:
            self._say(Message("and {more} more", more=len(self._rows) - _MOST_ROWS))


def _device(values: Any) -> str:
    """The last tensor's; for `copy_` that is where the values come from."""
    found = [str(each.device) for each in tree_leaves(values) if isinstance(each, torch.Tensor)]
    return found[-1] if found else ""


# Any throughout: optimizers, loaders, and what puts something in PyTorch's place.
def put_hooks(
    put: "Callable[[Any, Mapping[str, Any]], object]", seen: "Callable[[], Seen | None]"
) -> "Callable[[], None]":
    """`seen`: None while nothing is watched at all. Gives what takes the optimizers' back; the
    loaders' were put by `put`.
    """

    def told() -> "Seen | None":
        return seen() if _in_main_thread() else None

    def stepped(optimizer: Any, args: Any, kwargs: Any) -> None:
        if not torch.compiler.is_compiling() and (its := told()) is not None:
            its.stepped(id(optimizer))

    def telling(following: "Callable[[Any], Any]") -> "Callable[[Any], Any]":
        def taken(batches: Any) -> Any:
            its = told()
            if its is None:
                return following(batches)
            begin, its.idling.loading = its.now(), True
            try:
                batch = following(batches)
            finally:
                its.idling.loading = False
            its.took_batch(
                begin, its.now(), batches._num_workers, pins=bool(batches._pin_memory)
            )
            return batch

        return taken

    # Not what the loop calls: where that warns, it says which of its callers it means.
    for name in ("_SingleProcessDataLoaderIter", "_MultiProcessingDataLoaderIter"):
        kind: Any = getattr(dataloader, name)
        put(kind, {"_next_data": telling(kind._next_data)})
    undo: Callable[[], None] = register_optimizer_step_post_hook(stepped).remove
    return undo


# Any throughout: tensors, models, and what their methods take.
def telling_methods(
    copies: Copies, watched: "Callable[[], bool]"
) -> "Sequence[tuple[Any, Mapping[str, Any]]]":
    """What to put in place of `to`, `cuda` and `cpu`, by the class that has them: where the
    person's own code calls it for what is there already, that is told.
    """

    def telling(method: "Callable[..., Any]") -> "Callable[..., Any]":
        @functools.wraps(method)
        def moved(thing: Any, *where: Any, **words: Any) -> Any:
            before = copies.noted
            made = method(thing, *where, **words)
            if made is not thing or copies.noted != before or not watched():
                return made
            # `to` also changes the kind of number alone.
            named = (*where, words.get("device"), words.get("other"))
            asked = method.__name__ != "to" or any(isinstance(each, _PLACES) for each in named)
            if asked and is_own(sys._getframe(1).f_code.co_filename):
                parts = thing.parameters() if isinstance(thing, torch.nn.Module) else (thing,)
                first = next(iter(parts), None)
                if first is not None and not torch.nn.parameter.is_lazy(first):
                    device = str(first.device)
                    copies.add(Transferred(0, device, device, 0, None), copies.note())
            return made

        return moved

    tensors, models = (
        {name: telling(getattr(owner, name)) for name in ("to", "cuda", "cpu")}
        for owner in (torch.Tensor, torch.nn.Module)
    )
    lazy = torch.nn.parameter.UninitializedTensorMixin
    allowed = {"_allowed_methods": [*lazy._allowed_methods, *tensors.values()]}
    return (torch.Tensor, tensors), (torch.nn.Module, models), (lazy, allowed)


_PLACES = (str, int, torch.device, torch.Tensor)
