"""Sight: what a thread does with tensors passes here; what is to be known of what passes; and
hooks, by which optimizers and loaders say what they do. On either kind of card.
"""

import functools
import math
import sys
import threading
import timeit
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode_stack
from torch.utils._pytree import tree_leaves
from torch.utils.data import dataloader

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Transferred
from gpuexplorer.worker.places import Copies, is_own
from gpuexplorer.worker.watching.seen import Seen

_COUNT = 4  # bytes in which a card tells how many it found
_FETCHED = {"equal": 1, "allclose": 1, "nonzero": _COUNT, "masked_select": _COUNT}
READING = "_local_scalar_dense"  # what .item() and its like come down to
INDEXING = frozenset({"index", "index_put", "index_put_", "_unsafe_index", "_index_put_impl_"})
NAMES = frozenset(_FETCHED) | INDEXING | {READING}
_MOST_SHOWN = 1000  # values; of more, PyTorch prints the edges of each dimension
_EDGES = 6
_REFUSED = "Expected a value of type 'Tensor"  # what PyTorch says, before it does anything
# The widest, as of all numbers of Python's.
_KINDS = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}


# Any throughout: operations, operands and tensors are whatever PyTorch hands on.
def fetched(name: str, args: Any) -> int:
    """Bytes that come back to the host while the operation runs. 0: none."""
    if name == READING:
        return int(args[0].element_size())
    if name in INDEXING:
        masks = (each for each in args[1] if isinstance(each, torch.Tensor))
        found = any(each.dtype == torch.bool and each.device.type != "cpu" for each in masks)
        return _COUNT if found else 0
    return _FETCHED.get(name, 0)


def shown_bytes(tensor: Any) -> int:
    """What the values take that PyTorch prints of a tensor."""
    most = tensor.numel() if tensor.numel() <= _MOST_SHOWN else _EDGES
    return math.prod(min(size, most) for size in tensor.shape) * int(tensor.element_size())


def as_tensors(func: Any, args: "Sequence[Any]", error: RuntimeError) -> "Sequence[Any] | None":
    """A number of the person's is a tensor within torch.jit and vmap, and a number again where
    it is watched; few operations take both. None: the error is another.
    """
    if _REFUSED not in str(error):
        return None
    made, any_made = list(args), False
    for at, wanted in enumerate(func._schema.arguments[: len(args)]):
        kind = _KINDS.get(type(args[at]))
        if kind is not None and str(wanted.type) == "Tensor":
            made[at], any_made = torch.tensor(args[at], dtype=kind), True
    return made if any_made else None


def compared_later(sent: Any, arrived: Any) -> "Callable[[], bool | None]":
    """Of a copy to, from or between real cards: whether it arrived. None: what lies there is
    not kept from being let go of, and may be changed by whatever the cell does next.
    """
    ends = _held(sent), _held(arrived)

    def compared() -> "bool | None":
        """By way of the host, wherever they lie. What differs is copied once more: a way that
        changes bytes does so again; if it does not, the cell changed them.
        """
        sent, arrived = (each() for each in ends)
        if sent is None or arrived is None:
            return None
        try:
            home = sent.cpu()
            if same(home, arrived.cpu()):
                return True
            again = sent.to(arrived.device, copy=True).to(arrived.dtype)
            return None if same(home, again.cpu()) else False
        except RuntimeError:  # no memory is left to compare them in
            return None

    return compared


def _held(tensor: Any) -> "Callable[[], Any]":
    """Gives the tensor, or None where its memory is gone. What lies on the host is kept."""
    if tensor.device.type == "cpu":
        kept = tensor.detach()
        return lambda: kept
    shape = tensor.storage_offset(), tensor.shape, tensor.stride()
    dtype, device = tensor.dtype, tensor.device
    weak = weakref.ref(tensor.untyped_storage())  # which its views share

    def now() -> Any:
        storage, empty = weak(), torch.empty(0, dtype=dtype, device=device)
        return None if storage is None else empty.set_(storage, *shape)

    return now


def same(sent: Any, arrived: Any) -> bool:
    """Bit by bit, unless the kind of number changed on the way."""
    with torch.no_grad():
        sent = sent if sent.shape == arrived.shape else sent.expand_as(arrived)
        if sent.dtype != arrived.dtype:
            sent = sent.to(arrived.dtype)
            return bool(((sent == arrived) | (sent.isnan() & arrived.isnan())).all())
        plain = (each.detach().resolve_conj().resolve_neg() for each in (sent, arrived))
        bits = (each.contiguous().reshape(-1).view(torch.uint8) for each in plain)
        return bool(torch.equal(*bits))


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
