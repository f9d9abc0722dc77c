"""Runs one operation of PyTorch: on the processor, if its operands are on one card; what it
would have cost, and what it copies.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator
from multiprocessing.reduction import ForkingPickler
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn
from torch.multiprocessing import reductions
from torch.utils._pytree import tree_leaves, tree_map, tree_map_only
from torch.utils.flop_counter import flop_registry

from gpuexplorer.worker.engines.operations import (
    INDEXING,
    NAMES,
    READING,
    as_tensors,
    fetched,
    same,
)
from gpuexplorer.worker.engines.sight import Mode
from gpuexplorer.worker.engines.virtual.cards import HOST
from gpuexplorer.worker.engines.virtual.machine import (
    Holdings,
    beside,
    card_of,
    in_force,
    in_modelled_time,
)
from gpuexplorer.worker.engines.virtual.refusals import (
    Patches,
    assertion,
    lacking,
    refusal,
    refuse_after_fork,
    refuse_strange,
)
from gpuexplorer.worker.engines.virtual.tensors import (
    CPU,
    Device,
    OnCard,
    become,
    generators,
    halves,
    is_pinned,
    meant,
    pinned,
    refuse_odd_halves,
)

# What asks whether it can be taken apart; a PyTorch without it takes apart by itself.
_has_kernel: Callable[[str, str], bool] = getattr(
    torch._C, "_dispatch_has_kernel_for_dispatch_key", lambda *_: False
)
_PYTORCHS = "aten", "prim", "prims", "quantized"
_CUDA = torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA)
# Lengths of sequences are the host's business, also where the sequences are on a card.
_LENGTHS_ON_HOST = frozenset({"_pack_padded_sequence", "_pad_packed_sequence"})
_without_memory = torch.ops.aten._efficientzerotensor.default


# Any throughout: operations and their operands are whatever PyTorch hands on.
class Operation:
    def __init__(self, func: Any) -> None:
        self.name = name = func.overloadpacket.__name__
        self.composite = _has_kernel(func.name(), "CompositeImplicitAutograd")  # of others
        # A person's, with a kernel for CUDA alone.
        on = {each: _has_kernel(func.name(), each) for each in ("CPU", "CUDA")}
        self.own = func.namespace not in _PYTORCHS and on["CUDA"] and not on["CPU"]
        self.copies = name in ("_to_copy", "copy_")
        self.view: bool = func.is_view
        self.writes: bool = func._schema.is_mutable  # into its operands
        self.draws = torch.Tag.nondeterministic_seeded in func.tags
        self.indexes = name in INDEXING
        self.fetches = name in NAMES
        self.transforms = name.startswith("_fft_")
        self.flops: Callable[..., int] | None = flop_registry.get(func.overloadpacket)
        self.lacking = lacking(name)


operation = functools.cache(Operation)


class Dispatch(Mode):
    """In force in every thread; catches also what has no operand on a card."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = dict(kwargs) if kwargs else {}
        try:
            return _dispatched(func, args, kwargs)
        except RuntimeError as error:
            tensors = as_tensors(func, args, error)
            if tensors is None:
                raise
        return _dispatched(func, tensors, kwargs)


def _dispatched(func: Any, args: Any, kwargs: "dict[str, Any]") -> Any:
    if beside.on and not (
        kwargs.get("pin_memory") or any(map(_reaches_a_card, (*args, *kwargs.values())))
    ):
        return func(*args, **kwargs)
    with in_force().clock:
        return run(func, args, kwargs)


def _reaches_a_card(value: Any) -> bool:
    kind = type(value)
    if kind is list or kind is tuple:
        return any(map(_reaches_a_card, value))
    return issubclass(kind, OnCard) or (kind is Device and value.type != "cpu")


def run(func: Any, args: Any, kwargs: "dict[str, Any]") -> Any:
    what = operation(func)
    if what.composite:
        with Dispatch():
            return func.decompose(*args, **kwargs)
    if what.own and any(map(_reaches_a_card, args)):
        with Dispatch():
            return func.redispatch(_CUDA, *args, **kwargs)
    asked = None
    if "device" in kwargs:
        asked = kwargs["device"] = meant(kwargs["device"])
    if what.copies:
        # Within vmap a number stands for itself.
        args = [torch.scalar_tensor(x) if type(x) in (int, float) else x for x in args]
        return (copied_to if what.name == "_to_copy" else copied_into)(func, *args, **kwargs)
    if func is _without_memory:
        func = torch.ops.aten.zeros.default
    wants_pinned = kwargs.pop("pin_memory", False)
    leaves: list[Any] = []
    plain = _plain(args, leaves)
    plain_words = dict(zip(kwargs, _plain(kwargs.values(), leaves), strict=True))
    seen = [each for each in leaves if isinstance(each, torch.Tensor)]
    there: list[OnCard] = [each for each in seen if issubclass(type(each), OnCard)]
    generator = kwargs.get("generator")
    if generator is not None:
        _draw_with(generator, seen, asked)
    if not there and (asked is None or asked.type != "cuda"):
        out = func(*args, **kwargs)
        _count_on_host(what, args, kwargs, seen, out)
        return pinned(out) if wants_pinned else out
    if wants_pinned:
        raise RuntimeError("Only dense CPU tensors can be pinned")
    card = there[0].card if asked is None or asked.type != "cuda" else asked.index
    if len(seen) > len(there) or any(each.card != there[0].card for each in there):
        operands = [(each.device, each) for each in seen]
        error = None if what.name in _LENGTHS_ON_HOST else refusal(what.name, operands)
        if error is not None:
            raise error
    if asked is not None and asked.type != "cuda":
        return func(*plain, **plain_words)
    refuse_after_fork(used=bool(there))
    holdings = in_force()
    cards = holdings.cards
    with cards.lock:
        if what.lacking is not None:
            what.lacking(seen, cards.facts[card].capability)
        if what.transforms and halves.on:
            refuse_odd_halves(args[0].shape, args[1])
        if what.indexes:
            for each in seen[1:]:
                if each.device.type == "cpu" and each.dim() > 0:
                    cards.copied(HOST, card, each.nbytes)
        if not (what.view or what.writes) and _at_most(leaves) >= _LARGE_BYTES:
            _look_ahead(holdings, card, func, plain, plain_words, leaves)
        draws = what.draws and generator is None
        with drawing(card) if draws else contextlib.nullcontext():
            out = _computed(what, func, plain, plain_words, card)
        if not what.view and what.name != READING:  # which is a copy alone
            tensors = [*(each.held for each in there), *_tensors(out)]
            if tensors:
                flops = 0.0 if what.flops is None else _flops(what, plain, plain_words, out)
                moved = sum([each.nbytes for each in tensors if not each.is_sparse])
                cards.computed(card, flops, moved, tensors[0].element_size())
        if what.fetches and (back := fetched(what.name, args)):
            cards.copied(card, HOST, back, how=what.name)
        if what.writes:
            for each in there:  # t_, resize_, set_, or out= of another shape
                holdings.hold(each.held.untyped_storage(), each.card)
                if (each.held.shape, each.held.stride()) != (each.shape, each.stride()):
                    become(each, each.held, each.card)

        def placed(made: torch.Tensor) -> Any:
            for each in there:
                if each.held is made:
                    return each
            refuse_strange(made)
            holdings.hold(made.untyped_storage(), card)
            return OnCard(made, card)

        if isinstance(out, torch.Tensor):
            return placed(out)
        if what.name == "_pack_padded_sequence":
            return placed(out[0]), out[1]
        return tree_map_only(torch.Tensor, placed, out)


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


@contextlib.contextmanager
def drawing(card: int) -> "Iterator[None]":
    """Each card draws numbers of its own: the kernel takes the host's generator, which is
    the card's meanwhile.
    """
    host = torch.default_generator
    before = host.get_state()
    host.manual_seed(torch.cuda.default_generators[card].next_seed())
    try:
        yield
    finally:
        host.set_state(before)


def _draw_with(generator: Any, seen: "list[Any]", asked: Any) -> None:
    device = asked or (seen[0].device if seen else CPU)
    of_card = generators.get(generator._cdata)
    its = "cpu" if of_card is None else "cuda"
    if its != device.type:
        raise RuntimeError(
            f"Expected a '{device.type}' device type for generator but found '{its}'"
        )
    if of_card is not None:
        of_card.draw_next()


def _minding_conjugates() -> Any:
    """Some operations are made of others in C++, where a mode keeps them from doing so."""
    excluded = torch._C._dispatch_tls_local_exclude_set()
    for key in (torch._C.DispatchKey.Conjugate, torch._C.DispatchKey.Negative):
        excluded = excluded.remove(key)
    return torch._C._ForceDispatchKeyGuard(torch._C._dispatch_tls_local_include_set(), excluded)


def _computed(what: Operation, func: Any, args: Any, kwargs: Any, card: int) -> Any:
    """By the processor, unless a kernel of the card's is asserting: then nothing is."""
    cards = in_force().cards
    if what.view or not cards.is_asserting(card):
        try:
            if args and isinstance(args[0], torch.Tensor) and args[0].is_complex():
                with _minding_conjugates():
                    return func(*args, **kwargs)
            return func(*args, **kwargs)
        except (IndexError, RuntimeError) as error:
            said = assertion(what.name, error)
            if said is None:
                raise
        cards.asserts(card, said)
    try:
        return _shapes_alone(func, args, kwargs)
    except (NotImplementedError, RuntimeError):
        cards.hear(card)  # its values tell the host how much it made
        raise


_LARGE_BYTES = 256 * 1024 * 1024  # below, the outcome is made first and measured then
_WIDEST = 8  # bytes of one number
_MOST_KNOWN = 4096
# Of calls, by the shapes and numbers in them.
_known_small: "set[object]" = set()  # they make no large tensor
_known_flops: "dict[object, float]" = {}


def _at_most(leaves: "list[Any]") -> int:
    """Bytes that no outcome of these operands exceeds: each shape met with each other."""
    most, known = _WIDEST, None
    for each in leaves:
        if isinstance(each, torch.Tensor):
            if each.shape != known:
                known = each.shape
                most *= each.numel()
        elif type(each) is int and each:
            most *= abs(each)
    return most


def _look_ahead(
    holdings: Holdings, card: int, func: Any, args: Any, kwargs: Any, leaves: "list[Any]"
) -> None:
    """What would be too large is refused before the host's memory is taken for it."""
    shown = ((x.shape, x.dtype) if isinstance(x, torch.Tensor) else x for x in leaves)
    call = func, tuple(kwargs), *shown
    if call in _known_small:
        return
    try:
        size = sum(each.nbytes for each in _tensors(_on_meta(func, args, kwargs)))
    except (NotImplementedError, RuntimeError):
        size = 0  # no shapes without values, as for nonzero; or the real call will say why
    if size < _LARGE_BYTES:
        if len(_known_small) >= _MOST_KNOWN:
            _known_small.clear()
        _known_small.add(call)
        return
    holdings.would_fit(card, size)
    holdings.refuse_beyond_host(size)


def _on_meta(func: Any, args: Any, kwargs: Any, known: "dict[int, Any] | None" = None) -> Any:
    def empty(value: Any) -> Any:
        if isinstance(value, Device):
            return Device("meta")
        if not isinstance(value, torch.Tensor):
            return value
        made = value.to("meta")
        if known is not None:
            known[id(made)] = made, value
        return made

    return func(*tree_map(empty, args), **tree_map(empty, kwargs))


def _shapes_alone(func: Any, args: Any, kwargs: Any) -> Any:
    """What it would have made, of no values. Raises where they tell the shapes."""
    known: dict[int, Any] = {}

    def full(made: Any) -> Any:
        return known[id(made)][1] if id(made) in known else torch.zeros_like(made, device=CPU)

    return tree_map_only(torch.Tensor, full, _on_meta(func, args, kwargs, known))


def _count_on_host(
    what: Operation, args: Any, kwargs: Any, seen: "list[Any]", out: Any
) -> None:
    made, moved, cards = _tensors(out), 0, in_force().cards
    if not what.view:
        for each in (*seen, *made):
            if each.layout is torch.strided and not each.is_meta:
                moved += each.nbytes
    flops = 0.0 if what.flops is None else _flops(what, args, kwargs, out)
    cards.computed_on_host(flops, moved, seen[0].element_size() if flops else 4)
    if cards.seen is not None:
        cards.derived(made, seen, changed=not what.view)


def _flops(what: Operation, args: Any, kwargs: Any, out: Any) -> float:
    assert what.flops is not None
    call = what.flops, _frozen(args), *((name, _frozen(kwargs[name])) for name in kwargs)
    known = _known_flops.get(call)
    if known is None:
        if len(_known_flops) >= _MOST_KNOWN:
            _known_flops.clear()
        known = _known_flops[call] = float(what.flops(*args, **kwargs, out_val=out))
    return known


def _frozen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.shape
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


def _tensors(out: Any) -> "list[Any]":
    if isinstance(out, torch.Tensor):
        return [out]
    return [each for each in tree_leaves(out) if isinstance(each, torch.Tensor)]


# Any throughout: tensors, devices and dtypes are PyTorch's.
def copied_to(
    func: Any,
    source: Any,
    *,
    device: Any = None,
    non_blocking: Any = False,
    pin_memory: Any = False,
    **kwargs: Any,
) -> Any:
    """Every copy that makes a new tensor."""
    here = source.device
    target = here if device is None else meant(device)
    held = source.held if isinstance(source, OnCard) else source
    if target.type not in ("cpu", "cuda"):  # meta, or what PyTorch itself shall refuse
        return func(held, device=target, **kwargs)
    holdings = in_force()
    cards = holdings.cards
    size = held.numel() * (kwargs.get("dtype") or held.dtype).itemsize
    if target.type == "cpu" and here.type == "cpu":
        made = func(held, **kwargs)
        cards.computed_on_host(0.0, 2.0 * size)
        cards.derived((made,), (held,), changed=False)
        return pinned(made) if pin_memory else made
    refuse_strange(held)
    refuse_after_fork(used=here.type == "cuda")
    with cards.lock:
        if target.type == "cuda":
            holdings.would_fit(target.index, size)
        holdings.refuse_beyond_host(size)
        made = func(held, device=CPU, **kwargs)
        if target.type == "cuda":
            holdings.hold(made.untyped_storage(), target.index)
            arrived = OnCard(made, target.index)
        else:
            arrived = made
            if non_blocking or pin_memory:
                pinned(made)  # PyTorch does so
        if here != target:
            _transfer(source, arrived, non_blocking=bool(non_blocking))
        else:
            cards.computed(target.index, 0.0, 2.0 * size)
    return arrived


def copied_into(_: Any, target: Any, source: Any, non_blocking: Any = False) -> Any:
    """`target.copy_(source)`, and what comes down to it, such as an assignment to a part."""
    into = target.held if isinstance(target, OnCard) else target
    into.copy_(source.held if isinstance(source, OnCard) else source)
    cards = in_force().cards
    size = 2.0 * into.numel() * into.element_size()
    one_number = source.device.type == "cpu" and source.dim() == 0
    if source.device != target.device and not one_number:
        with cards.lock:
            _transfer(source, target, non_blocking=bool(non_blocking))
    elif isinstance(target, OnCard):
        with cards.lock:
            cards.computed(target.card, 0.0, size)
    else:
        cards.computed_on_host(0.0, size)
        cards.derived((target,), (source,), changed=False)
    return target


def _transfer(source: Any, arrived: Any, *, non_blocking: bool) -> None:
    """`arrived` holds the values already."""
    cards = in_force().cards
    there = arrived.held if isinstance(arrived, OnCard) else arrived
    ends = _number(source.device), _number(arrived.device)
    on_host = source if source.device.type == "cpu" else arrived
    if cards.arrives_wrong(*ends):
        with torch.no_grad():
            there.zero_()
    noted, intact = cards.copies.note(), None
    if cards.copies.wants_check(there.nbytes, noted):
        sent = source.held if isinstance(source, OnCard) else source
        intact = same(sent.detach(), there)  # at once: all its values are here
    row = cards.copied(
        *ends,
        there.nbytes,
        pinned=is_pinned(on_host),
        non_blocking=non_blocking,
        noted=noted,
        check=None if intact is None else lambda: intact,
    )
    cards.travelled(source, arrived, *ends, there.nbytes, row)


def _number(device: torch.device) -> int:
    return HOST if device.type != "cuda" else int(device.index)


_BEFORE_ALL_OTHERS = 1


# Any throughout: storages and what PyTorch rebuilds from them.
def location(storage: Any) -> "str | None":
    card = card_of(storage)
    return None if card is None else f"cuda:{card}"


@in_modelled_time
def land(storage: Any, where: Any) -> Any:
    if not str(where).startswith("cuda") or not torch.cuda.is_available():
        return None
    card = int(str(where).partition(":")[2] or in_force().cards.current)
    count = len(in_force().cards)
    if card >= count:
        raise RuntimeError(
            f"Attempting to deserialize object on CUDA device {card} but "
            f"torch.cuda.device_count() is {count}. Please use torch.load with "
            "map_location to map your storages to an existing device."
        )
    held = getattr(storage, "_untyped_storage", storage)
    in_force().hold(held, card)
    in_force().cards.copied(HOST, card, held.nbytes(), how="load")
    return storage


def _storage_on_card(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
    """As a function that tells where a file's tensors go may ask."""
    return land(self.clone(), meant("cuda" if device is None else device))


@functools.cache
def _register() -> None:
    """PyTorch keeps what is registered for good."""
    torch.serialization.register_package(_BEFORE_ALL_OTHERS, location, land)


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
    storage.stretch, storage.held_bytes = SimpleNamespace(card=card), storage.nbytes()
    made = OnCard(held, meant(card).index).requires_grad_(wants)
    made.__class__ = kind
    return made


# A child finds none of our modules by their names.
_arrived.__module__, _arrived.__qualname__ = reductions.__name__, _REBUILD


def put_saving(patches: Patches) -> None:
    _register()
    rebuild = torch._utils._rebuild_tensor_v2

    @functools.wraps(rebuild)
    def rebuilt(storage: Any, *args: Any) -> Any:
        made, card = rebuild(storage, *args), card_of(storage)
        if card is None:
            return made
        return OnCard(made.detach(), card).requires_grad_(made.requires_grad)

    patches.put(reductions, {_REBUILD: _arrived})
    for kind in (torch.Tensor, nn.Parameter):
        ForkingPickler.register(kind, _sent)
    patches.put(torch.UntypedStorage, {"cuda": _storage_on_card})
    patches.put(torch._utils, {"_rebuild_tensor_v2": rebuilt})
    # It remembers the functions it allows.
    torch._weights_only_unpickler._get_allowed_globals.cache_clear()
