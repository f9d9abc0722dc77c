"""Runs one operation of PyTorch: on the processor, if its operands are on one card; what it
would have cost, and what it copies. And tensors that leave the process, to files and queues.
"""

import functools
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from multiprocessing.reduction import ForkingPickler
from types import SimpleNamespace
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.multiprocessing import reductions
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.flop_counter import flop_registry

from gpuexplorer.worker.engines.sight import INDEXING, READING, fetched, same
from gpuexplorer.worker.engines.virtual.cards import (
    HOST,
    Stretch,
    card_of,
    hold,
    in_force,
    in_modelled_time,
)
from gpuexplorer.worker.engines.virtual.refusals import (
    LACKING,
    assertion,
    put,
    refuse,
    refuse_after_fork,
    refuse_lacking,
    refuse_other_devices,
)
from gpuexplorer.worker.engines.virtual.tensors import (
    CPU,
    KIND,
    Device,
    OnCard,
    become,
    generators,
    is_pinned,
    meant,
    pinned,
)

# What asks whether it can be taken apart; a PyTorch without it takes apart by itself.
_has_kernel: Callable[[str, str], bool] = getattr(
    torch._C, "_dispatch_has_kernel_for_dispatch_key", lambda *_: False
)
_PYTORCHS = "aten", "prim", "prims", "quantized"
_CUDA = torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA)
_LARGE_BYTES = 256 << 20  # below, the outcome is made first and measured then
_WIDEST = 8  # bytes of one number
_MOST_KNOWN = 4096


# Any throughout: operations and their operands are whatever PyTorch hands on.
class Operation:
    def __init__(self, func: Any) -> None:
        self.name = name = func.overloadpacket.__name__
        self.composite = _has_kernel(func.name(), "CompositeImplicitAutograd")  # of others
        # A person's, with a kernel for CUDA alone.
        on = {each: _has_kernel(func.name(), each) for each in ("CPU", "CUDA")}
        self.own = func.namespace not in _PYTORCHS and on["CUDA"] and not on["CPU"]
        self.view: bool = func.is_view
        self.writes: bool = func._schema.is_mutable  # into its operands
        self.draws = torch.Tag.nondeterministic_seeded in func.tags
        self.computes = "empty" not in name and name != READING  # which is a copy alone
        self.flops: Callable[..., int] | None = flop_registry.get(func.overloadpacket)


operation = functools.cache(Operation)

# What begins without a tensor on a card, below all that is made of it.
_MAKERS = (
    *("empty.memory_format", "empty_strided", "_efficientzerotensor", "range", "range.step"),
    *("tril_indices", "triu_indices", "kaiser_window", "kaiser_window.periodic"),
    "kaiser_window.beta",
)


@functools.cache
def register_makers() -> "list[torch.library.Library]":
    """PyTorch asks these by the kind of device, in every thread and below autograd."""
    kept = []
    for key in ("CUDA", KIND.capitalize()):
        library = torch.library.Library("aten", "IMPL", key)
        for each in _MAKERS:
            name, _, overload = each.partition(".")
            maker = getattr(getattr(torch.ops.aten, name), overload or "default")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # PyTorch has some of its own for that kind
                library.impl(each, functools.partial(_made, maker))
        kept.append(library)
    return kept


@in_modelled_time
def _made(func: Any, *args: Any, **kwargs: Any) -> Any:
    card = meant(kwargs.pop("device")).index
    if kwargs.pop("pin_memory", False):
        raise RuntimeError("Only dense CPU tensors can be pinned")
    refuse_after_fork(used=False)
    cards, name = in_force(), func.overloadpacket.__name__
    with cards.lock:
        if name.startswith("empty"):
            dtype = kwargs.get("dtype") or torch.get_default_dtype()
            size = math.prod(args[0]) * dtype.itemsize
            if size >= _LARGE_BYTES:
                Stretch(card, size)  # refused before the host's memory is taken for it
        elif name == "_efficientzerotensor":  # has no memory at all
            func = torch.ops.aten.zeros.default
        made = func(*args, **kwargs, device=CPU)
        if not name.startswith("empty"):
            cards.computed(card, 0.0, made.nbytes, made.element_size())
        return _placed(made, card)


def _placed(made: torch.Tensor, card: int) -> OnCard:
    if made.layout is not torch.strided:
        refuse("sparse tensors")
    if made.is_quantized or made.is_nested:
        refuse("quantized and nested tensors")
    hold(made.untyped_storage(), card)
    return OnCard(made, card)


def run(func: Any, args: Any, kwargs: "dict[str, Any]") -> Any:
    what = operation(func)
    if what.view:
        of, *more = args
        out = func(of.held, *more, **kwargs)
        if isinstance(out, torch.Tensor):
            return OnCard(out, of.card)
        return [OnCard(each, of.card) for each in out]
    if what.composite:
        return func.decompose(*args, **kwargs)
    if what.own:
        return func.redispatch(_CUDA, *args, **kwargs)
    if what.name == "_to_copy":
        return _copied(*args, **kwargs)
    if what.name == "copy_":
        return _copied_into(*args, **kwargs)
    asked = meant(kwargs.get("device"))
    if asked is not None:
        kwargs["device"] = asked
    leaves: list[Any] = []
    plain = _plain(args, leaves)
    words = dict(zip(kwargs, _plain(kwargs.values(), leaves), strict=True)) if kwargs else {}
    seen = [each for each in leaves if isinstance(each, torch.Tensor)]
    there: list[OnCard] = [each for each in seen if issubclass(type(each), OnCard)]
    if len(seen) > len(there) or any(each.card != there[0].card for each in there):
        refuse_other_devices(func, seen)
    if asked is not None and asked.type != "cuda":
        return func(*plain, **words)
    if words.pop("pin_memory", False):
        raise RuntimeError("Only dense CPU tensors can be pinned")
    refuse_after_fork(used=True)
    card = there[0].card if asked is None else asked.index
    cards = in_force()
    with cards.lock:
        if what.name in LACKING:
            refuse_lacking(what.name, seen, cards.facts[card].capability)
        elif what.name in INDEXING:
            for each in seen[1:]:
                if each.device.type == "cpu" and each.dim() > 0:
                    cards.copied(HOST, card, each.nbytes)
        flops = 0.0
        # No outcome exceeds each shape met with each other.
        most = math.prod({each.shape: each.numel() for each in seen}.values()) * _WIDEST
        if what.flops or (most >= _LARGE_BYTES and not what.writes):
            try:
                flops, size, _ = _foreseen(func, _frozen(plain), _frozen(words))
            except (NotImplementedError, RuntimeError):
                size = 0  # as for nonzero; or the real call will say why
            if size >= _LARGE_BYTES:
                Stretch(card, size)  # refused before the host's memory is taken for it
        generator = words.get("generator")
        if generator is not None and generator._cdata not in generators:
            raise RuntimeError("Expected a 'cuda' device type for generator but found 'cpu'")
        with _drawing(card) if what.draws and generator is None else nullcontext():
            out = _computed(what, func, plain, words, card)
        if what.computes:
            made = [out] if isinstance(out, torch.Tensor) else _tensors(out)
            tensors = [*[each.held for each in there], *made]
            moved = sum([each.nbytes for each in tensors if not each.is_sparse])
            cards.computed(card, flops, moved, tensors[0].element_size())
        if back := fetched(what.name, args):
            cards.copied(card, HOST, back, how=what.name)
        if what.writes:
            for each in there:  # t_, resize_, set_, or out= of another shape
                hold(each.held.untyped_storage(), each.card)
                if (each.held.shape, each.held.stride()) != (each.shape, each.stride()):
                    become(each, each.held, each.card)

        def placed(made: torch.Tensor) -> Any:
            for each in there:
                if each.held is made:
                    return each
            return _placed(made, card)

        if isinstance(out, torch.Tensor):
            return placed(out)
        if what.name == "_pack_padded_sequence":
            return placed(out[0]), out[1]
        return tree_map_only(torch.Tensor, placed, out)


def _tensors(values: Any) -> "list[Any]":
    return [each for each in tree_leaves(values) if isinstance(each, torch.Tensor)]


def _plain(values: Any, leaves: "list[Any]") -> "list[Any]":
    """As the processor takes them. What they were is added to the leaves."""
    made = []
    for each in values:
        kind = type(each)
        if kind is list or kind is tuple:
            made.append(kind(_plain(each, leaves)))
            continue
        leaves.append(each)
        if kind is Device and each.type == "cuda":
            made.append(CPU)
        else:
            made.append(each.held if issubclass(kind, OnCard) else each)
    return made


@contextmanager
def _drawing(card: int) -> "Iterator[None]":
    """Each card draws numbers of its own: the kernel takes the host's generator, which is
    the card's meanwhile.
    """
    host, its = torch.default_generator, torch.cuda.default_generators[card]
    before = host.get_state()
    host.set_state(its.get_state())
    try:
        yield
    finally:
        its.set_state(host.get_state())
        host.set_state(before)


def _minding_conjugates() -> Any:
    """Some operations are made of others in C++, which are kept from doing so within ours."""
    excluded = torch._C._dispatch_tls_local_exclude_set()
    for key in (torch._C.DispatchKey.Conjugate, torch._C.DispatchKey.Negative):
        excluded = excluded.remove(key)
    return torch._C._ForceDispatchKeyGuard(torch._C._dispatch_tls_local_include_set(), excluded)


def _computed(what: Operation, func: Any, args: Any, kwargs: Any, card: int) -> Any:
    """By the processor, unless a kernel of the card's is asserting: then nothing is."""
    cards = in_force()
    if card not in cards.asserting:
        try:
            first = args[0] if args else None
            is_complex = isinstance(first, torch.Tensor) and first.is_complex()
            with _minding_conjugates() if is_complex else nullcontext():
                return func(*args, **kwargs)
        except (IndexError, RuntimeError) as error:
            said = assertion(what.name, error)
            if said is None:
                raise
        cards.asserts(card, said)
    if what.writes:
        return args[0]
    try:
        *_, made = _foreseen(func, _frozen(args), _frozen(kwargs))
    except (NotImplementedError, RuntimeError):
        cards.hear(card)  # its values tell the host how much it made
        raise
    return tree_map_only(torch.Tensor, lambda each: torch.zeros_like(each, device=CPU), made)


class _Shape(NamedTuple):
    """What is left of a tensor without its values."""

    shape: "tuple[int, ...]"
    dtype: torch.dtype


def _frozen(value: Any) -> Any:
    """Of which calls are known."""
    if isinstance(value, torch.Tensor):
        return _Shape(tuple(value.shape), value.dtype)
    if isinstance(value, dict):
        return tuple((name, _frozen(each)) for name, each in value.items())
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


def _thawed(value: Any) -> Any:
    if isinstance(value, _Shape):
        return torch.empty(value.shape, dtype=value.dtype, device="meta")
    return [_thawed(each) for each in value] if isinstance(value, tuple) else value


@functools.lru_cache(_MOST_KNOWN)
def _foreseen(func: Any, args: Any, words: Any) -> "tuple[float, int, Any]":
    """How much it computes, bytes of what it makes, and that without values. Raises where
    values tell the shapes.
    """
    given = {name: _thawed(each) for name, each in words}
    if "device" in given:
        given["device"] = Device("meta")
    made = func(*_thawed(args), **given)
    formula = operation(func).flops
    flops = 0.0 if formula is None else float(formula(*_thawed(args), **given, out_val=made))
    return flops, sum(each.nbytes for each in _tensors(made)), made


# Any throughout: tensors, devices and dtypes are PyTorch's.
def _copied(source: Any, *, device: Any = None, non_blocking: Any = False, **words: Any) -> Any:
    """From a card, or to another kind of number there."""
    target = source.device if device is None else meant(device)
    if target.type not in ("cpu", "cuda"):  # meta, or what PyTorch itself shall refuse
        return torch.ops.aten._to_copy(source.held, device=target, **words)
    words.pop("pin_memory", None)
    made = torch.empty_like(source, device=target, **words)
    if non_blocking and target.type == "cpu":
        pinned(made)  # PyTorch does so
    return made.copy_(source, non_blocking=non_blocking)


def _copied_into(target: Any, source: Any, non_blocking: Any = False) -> Any:
    """`target.copy_(source)`, and what comes down to it, such as an assignment to a part, or
    what makes a copy on a card.
    """
    here = source.held if isinstance(source, OnCard) else source
    there = target.held if isinstance(target, OnCard) else target
    there.copy_(here)
    cards = in_force()
    refuse_after_fork(used=isinstance(source, OnCard))
    one_number = source.device.type == "cpu" and source.dim() == 0
    with cards.lock:
        if source.device == target.device or one_number:
            cards.computed(target.card, 0.0, 2.0 * there.nbytes)
            return target
        here_at, there_at = (
            int(each.device.index) if each.is_cuda else HOST for each in (source, target)
        )
        if there_at in cards.link(here_at, there_at).wrong_to:
            with torch.no_grad():
                there.zero_()
        noted, intact = cards.copies.note(), None
        if cards.copies.wants_check(there.nbytes, noted):
            intact = same(here.detach(), there)  # at once: all its values are here
        on_host = next((each for each in (source, target) if not each.is_cuda), None)
        cards.copied(
            here_at,
            there_at,
            there.nbytes,
            pinned=on_host is not None and is_pinned(on_host),
            non_blocking=bool(non_blocking),
            noted=noted,
            check=None if intact is None else lambda: intact,
            on_host=on_host,
        )
    return target


# Any throughout: storages and what PyTorch rebuilds from them.
def location(storage: Any) -> "str | None":
    card = card_of(storage)
    return None if card is None else f"cuda:{card}"


@in_modelled_time
def land(storage: Any, where: Any) -> Any:
    cards = in_force()
    kind, _, number = str(where).partition(":")
    card = int(number or cards.chosen.card)
    if kind != "cuda" or not torch.cuda.is_available() or card >= len(cards):
        return None  # PyTorch's own refuses what is not there
    held = getattr(storage, "_untyped_storage", storage)
    hold(held, card)
    cards.copied(HOST, card, held.nbytes(), how="load")
    return storage


def _storage_on_card(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
    """As a function that tells where a file's tensors go may ask."""
    return land(self.clone(), meant("cuda" if device is None else device))


_BEFORE_ALL_OTHERS = 1
# PyTorch keeps what is registered for good.
_register_location = functools.cache(torch.serialization.register_package)
_REBUILD = "rebuild_tensor_on_card"


# Any throughout: tensors, their classes, and PyTorch's own modules.
def _sent(tensor: Any) -> Any:
    """Both processes see the same values, as by the handles of real cards."""
    refused = tensor.requires_grad and not tensor.is_leaf
    if refused or not issubclass(type(tensor), OnCard):
        return reductions.reduce_tensor(tensor)
    held = tensor.held.detach()
    return _arrived, (held, tensor.card, tensor.stands_for, tensor.requires_grad)


def _arrived(held: Any, card: int, kind: Any, wants: bool) -> Any:
    """The memory counts in the process it comes from."""
    storage = held.untyped_storage()
    storage.stretch = SimpleNamespace(card=card, size=storage.nbytes())
    made = OnCard(held, meant(card).index).requires_grad_(wants)
    made.__class__ = kind
    return made


# A child finds none of our modules by their names.
_arrived.__module__, _arrived.__qualname__ = reductions.__name__, _REBUILD


def put_saving() -> None:
    _register_location(_BEFORE_ALL_OTHERS, location, land)
    rebuild = torch._utils._rebuild_tensor_v2

    @functools.wraps(rebuild)
    def rebuilt(storage: Any, *args: Any) -> Any:
        made, card = rebuild(storage, *args), card_of(storage)
        if card is None:
            return made
        return OnCard(made.detach(), card).requires_grad_(made.requires_grad)

    put(reductions, {_REBUILD: _arrived})
    for kind in (torch.Tensor, nn.Parameter):
        ForkingPickler.register(kind, _sent)
    put(torch.UntypedStorage, {"cuda": _storage_on_card})
    put(torch._utils, {"_rebuild_tensor_v2": rebuilt})
    # It remembers the functions it allows.
    torch._weights_only_unpickler._get_allowed_globals.cache_clear()
