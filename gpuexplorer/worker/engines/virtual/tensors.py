"""OnCard: a tensor that is on a card which does not exist; its values lie in host memory. And
what makes tensors, devices and generators, and what a tensor is asked wherever it lies.

A tensor on cuda:1 is "lazy:1" to PyTorch's own code: a kind of device that every build knows,
that needs no driver and holds no tensors of anybody else. So autograd, `.to` and `.data =`
tell cards and the host apart by themselves. Python is told "cuda:1".
"""

import copy
import functools
import re
import weakref
from typing import Any

import torch
from torch import _tensor_str, nn
from torch.jit._builtins import _find_builtin, _register_builtin
from torch.utils import _device
from torch.utils._pytree import tree_map_only

from gpuexplorer.worker.engines import virtual
from gpuexplorer.worker.engines.sight import shown_bytes
from gpuexplorer.worker.engines.virtual.cards import HOST, in_force, in_modelled_time
from gpuexplorer.worker.engines.virtual.refusals import (
    NO_SUCH_CARD,
    not_offered,
    put,
    refuse,
    refused,
    type_name,
)

KIND = "lazy"
CPU = torch.device("cpu")
Device = torch.device  # PyTorch's own; another answers by its name meanwhile
# An operation that PyTorch has only for kinds of tensors that are not on simulated cards.
_MISSING = re.compile(r"Could not run 'aten::([\w.]+)' with arguments from the '")
_TOLD = re.compile(rf"\b{KIND}(?=:\d|')|(?<=torch\.){KIND}(?=\.)|(?<=type: ){KIND}\b")
# Of cards. On its way through PyTorch's own code one may have become another object.
generators: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()


# Any throughout: a device is a number, a text or a torch.device, as in PyTorch.
def meant(device: Any) -> Any:
    """What names a card, as the device with its number; all else as it is. Raises what PyTorch
    raises where there is no such card.
    """
    if type(device) is int:
        device = Device("cuda", device)
    elif type(device) is str and device.startswith(("cuda", KIND)):
        device = Device(device)
    if not isinstance(device, Device) or device.type not in ("cuda", KIND):
        return device
    cards = in_force()
    index = cards.chosen.card if device.index is None else device.index
    if index >= len(cards):
        raise refused(NO_SUCH_CARD)
    return Device("cuda", index)


def for_pytorch(device: Any) -> Any:
    """The same device, as PyTorch's own code shall know it."""
    found = meant(device)
    if isinstance(found, Device) and found.type == "cuda":
        return Device(KIND, found.index)
    return device


def number_of(device: Any) -> int:
    """Of a card; without a device, of the current one."""
    found = Device(meant("cuda" if device is None else device))
    if found.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {found}")
    return int(found.index)


def say_right(error: BaseException) -> None:
    """In place: whoever catches it reads the devices that a person knows."""
    error.args = tuple(
        _TOLD.sub("cuda", each) if isinstance(each, str) else each for each in error.args
    )
    missing = _MISSING.match(str(error))
    if missing is not None:
        error.args = (f"Simulated cards do not offer {missing[1]}.",)


AUTOCAST = "AutocastIPU"  # of a kind of device that nobody has: put_casting says why
KEYS = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, AUTOCAST))
_TO_NUMPY = (
    "can't convert {} device type tensor to numpy. "
    "Use Tensor.cpu() to copy the tensor to host memory first."
)


class _SameAsTensor(type(nn.Parameter)):  # type: ignore[misc]  # PyTorch's own metaclass
    """So that `type(x) == torch.Tensor` is what it is on a real card."""

    def __eq__(cls, other: object) -> bool:
        return other in (cls.stands_for,) or super().__eq__(other)

    def __hash__(cls) -> int:
        return hash(cls.stands_for)


# Any throughout: operations, classes and values are whatever PyTorch or a person hands on.
class OnCard(torch.Tensor, metaclass=_SameAsTensor):
    """Autograd sees a tensor; below it every operation goes through `dispatch.run`."""

    held: torch.Tensor
    card: int
    stands_for: Any = torch.Tensor  # the class that a person sees
    is_cuda = True
    __dlpack__ = not_offered("DLPack")
    __cuda_array_interface__ = property(not_offered("__cuda_array_interface__"))

    @staticmethod
    def __new__(cls, held: torch.Tensor, card: int) -> "OnCard":
        # In inference mode a view of an ordinary tensor is an ordinary one.
        if torch.is_inference_mode_enabled() and not held.is_inference():
            with torch.inference_mode(mode=False):
                ordinary: OnCard = cls(held, card)
                return ordinary
        new: OnCard = torch.Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=Device(KIND, card),
            _extra_dispatch_keys=KEYS,
        )
        if held.is_conj():
            torch._C._set_conj(new, True)  # noqa: FBT003 - PyTorch's own
        if held.is_neg():
            torch._C._set_neg(new, True)  # noqa: FBT003 - PyTorch's own
        new.held, new.card = held, card
        return new

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """What PyTorch's own code complains about names the devices that a person knows."""
        cards = in_force()
        try:
            with cards.clock, torch._C.DisableTorchFunctionSubclass():
                made = func(*args, **(kwargs or {}))
        except Exception as error:
            if str(error).startswith("Unsupported dtype"):
                refuse("Fourier transforms of half precision")
            say_right(error)
            raise
        if cards.left:
            cards.left = False
            cards.on_left()
        return made

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        clock, words = in_force().clock, dict(kwargs) if kwargs else {}
        # A circle of imports; and a program finds none of our modules by their names.
        run = virtual.dispatch.run  # type: ignore[attr-defined, unused-ignore]
        if not clock.counts():
            return run(func, args, words)
        with clock:
            return run(func, args, words)

    @property
    def __class__(self) -> Any:
        return type(self).stands_for

    @__class__.setter
    def __class__(self, kind: Any) -> None:
        kind = kind if issubclass(kind, OnCard) else on_card_as(kind)
        object.__dict__["__class__"].__set__(self, kind)

    @property
    def device(self) -> torch.device:
        return Device("cuda", self.card)

    def data_ptr(self) -> int:
        return int(self.held.data_ptr())

    def untyped_storage(self) -> Any:
        return self.held.untyped_storage()

    def record_stream(self, stream: Any) -> None:
        """Memory is given back when nobody refers to it, whatever the streams."""

    def tolist(self) -> Any:
        return self.detach().cpu().tolist()

    def numpy(self, *, force: bool = False) -> Any:
        if force:
            return self.detach().cpu().numpy(force=True)
        raise TypeError(_TO_NUMPY.format(self.device))

    def as_subclass(self, cls: Any) -> Any:
        new = torch.ops.aten.alias(self)
        new.__class__ = cls
        return new

    def __format__(self, spec: str) -> str:
        return format(self.item() if self.dim() == 0 else repr(self), spec)

    @in_modelled_time
    def __repr__(self, *, tensor_contents: object = None) -> str:
        in_force().copied(self.card, HOST, shown_bytes(self.held), how="print")
        shown = torch.Tensor.as_subclass(self.held.detach(), tensor)
        shown.of = self
        with torch._C._DisableTorchDispatch():
            text = str(_tensor_str._str(shown))
        return f"Parameter containing:\n{text}" if _is_parameter(self) else text

    def __deepcopy__(self, memo: Any) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            return torch.Tensor.__deepcopy__(self, memo)  # which refuses it
        values = torch.ops.aten.clone(self.detach())
        memo[id(self)] = new = values.requires_grad_(self.requires_grad)
        new.__class__ = type(self)
        for name, each in self.__dict__.items():
            if name not in new.__dict__:
                new.__dict__[name] = copy.deepcopy(each, memo)
        new.grad = copy.deepcopy(self.grad, memo)
        return new

    @in_modelled_time
    def __reduce_ex__(self, protocol: Any) -> Any:
        """A file as from a real card: put_saving tells where the storage lies."""
        in_force().copied(self.card, HOST, self.held.nbytes, how="save")
        held = self.held.detach().requires_grad_(self.requires_grad)
        whole = nn.Parameter(held, self.requires_grad) if _is_parameter(self) else held
        return whole.__reduce_ex__(protocol)


OnCard.__name__ = OnCard.__qualname__ = "Tensor"
OnCard.__module__ = "torch"


def _is_parameter(of: OnCard) -> bool:
    return issubclass(type(of), nn.Parameter)


class tensor(torch.Tensor):  # noqa: N801 - as it is printed
    """The values of one on a card, for PyTorch's own code that prints them."""

    __torch_function__ = torch._C._disabled_torch_function_impl
    of: OnCard
    device = property(lambda self: self.of.device)
    grad_fn = property(lambda self: self.of.grad_fn)
    requires_grad = property(lambda self: self.of.requires_grad)


@functools.cache
def on_card_as(cls: Any) -> Any:
    """nn.Parameter, or a class of the person's own, on a card."""
    if cls is torch.Tensor:
        return OnCard
    facts = {"__module__": cls.__module__, "stands_for": cls}
    own = getattr(cls.__torch_function__, "__func__", None)  # PyTorch's Parameter has none
    if own is not None:

        def call(made: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            """A person's class sees itself, wherever its tensors lie."""
            known = tuple(getattr(each, "stands_for", each) for each in types)
            return own(made.stands_for, func, known, args, kwargs)

        facts["__torch_function__"] = classmethod(call)
    return _SameAsTensor(cls.__name__, (OnCard, cls), facts)


_data: Any = torch.Tensor.data


def become(changed: OnCard, held: torch.Tensor, card: int) -> None:
    """The same object from now on shows other values, of another shape perhaps."""
    _data.__set__(changed, OnCard(held, card))
    changed.held, changed.card = held, card


_Generator: Any = torch.Generator


class _StandsFor(type(_Generator)):  # type: ignore[misc]  # PyTorch's own metaclass
    """What is made by another class of PyTorch's own is one of these, too."""

    real: Any

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, cls.real)


class device(metaclass=_StandsFor):  # noqa: N801 - as it is PyTorch's
    """torch.device, to which a number is a card."""

    __module__ = "torch"
    real = Device

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        number = len(args) == 1 and not kwargs and type(args[0]) is int
        return Device("cuda", args[0]) if number else Device(*args, **kwargs)


_OTHERWISE = 0xC0DA


class Generator(_Generator, metaclass=_StandsFor):
    """A card's, which draws other numbers than the processor's after the same seed."""

    real = _Generator

    def __new__(cls, device: Any = "cpu") -> Any:
        device = Device(meant(device))
        if device.type != "cuda":
            return _Generator(device)
        new = super().__new__(cls)
        new.told = device
        new.seed()
        generators[new._cdata] = new
        return new

    def __init__(self, device: Any = "cpu") -> None: ...

    @property
    def device(self) -> Any:
        return self.told

    def manual_seed(self, seed: int) -> Any:
        super().manual_seed(seed ^ _OTHERWISE)
        return self

    def initial_seed(self) -> int:
        return int(super().initial_seed()) ^ _OTHERWISE


_READING = "tensor", "as_tensor", "asarray"


@functools.cache  # TorchScript knows it by its address, which nothing else may have later
def _maker(real: Any) -> Any:
    """A number for a device is a card, of which PyTorch's own code knows none here; nor does it
    know pinned memory, or how to read numbers out of lists of tensors on cards.
    """
    reads = real.__name__ in _READING
    place = for_pytorch if reads else meant

    @functools.wraps(real)
    def make(*args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        if device is not None and (reads or type(device) is int):
            kwargs["device"] = place(device)
        if reads and args and type(args[0]) in (list, tuple):
            numbers = tree_map_only(OnCard, lambda each: each.tolist(), args[0])
            args = (numbers, *args[1:])
        pins = kwargs.get("pin_memory") and meant(device or CPU).type == "cpu"
        if pins:
            del kwargs["pin_memory"]
        made = real(*args, **kwargs)
        return pinned(made) if pins else made

    if not reads:
        _register_builtin(make, _find_builtin(real))
    return make


_LIKE = [
    f"{each}_like" for each in ("empty", "full", "ones", "rand", "randint", "randn", "zeros")
]
_NEW = [f"new_{each}" for each in ("empty", "empty_strided", "full", "ones", "tensor", "zeros")]


def put_makers() -> None:
    others = [each.__name__ for each in _device._device_constructors()]
    for owner, names in (
        (torch, {"normal", *_LIKE, *others, *_READING}),
        (torch.fft, ("fftfreq", "rfftfreq")),
        (torch.Tensor, _NEW),
    ):
        known = [name for name in names if hasattr(owner, name)]
        put(owner, {name: _maker(getattr(owner, name)) for name in known})
    put(torch, {"device": device, "Generator": Generator})
    parse = torch._C._nn._parse_to

    def parse_to(*args: Any, **kwargs: Any) -> Any:
        return parse(*(meant(each) if type(each) is int else each for each in args), **kwargs)

    put(torch._C._nn, {"_parse_to": parse_to})


_to, _type, _grad = torch.Tensor.to, torch.Tensor.type, torch.Tensor.grad
_new_parameter: Any = nn.Parameter.__new__
_ctc_loss = torch.ctc_loss


# Any throughout: tensors, devices and dtypes are PyTorch's.
def to(self: Any, *args: Any, **kwargs: Any) -> Any:
    if "device" in kwargs:
        kwargs["device"] = for_pytorch(kwargs["device"])
    return _to(self, *([for_pytorch(args[0]), *args[1:]] if args else []), **kwargs)


def cuda(self: Any, device: Any = None, non_blocking: Any = False, **words: Any) -> Any:
    device = meant("cuda" if device is None else device)
    return to(self, device, non_blocking=non_blocking, **words)


def type_(self: Any, dtype: Any = None, non_blocking: Any = False, **_: Any) -> Any:
    if dtype is None:
        return type_name(self)
    if str(dtype).startswith("torch.cuda."):
        refuse("types such as torch.cuda.FloatTensor")
    return _type(self, dtype, non_blocking)


def pin_memory(self: Any, *_: Any) -> Any:
    if self.device.type != "cpu":
        raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
    return self if is_pinned(self) else pinned(self.clone())


def pinned(made: Any) -> Any:
    """The host's memory stays as it is; its copies are modelled as those of pinned memory."""
    made.untyped_storage().is_pinned_here = True
    return made


def is_pinned(self: Any, *_: Any) -> bool:
    if self.layout is not torch.strided or self.device.type != "cpu":
        return False
    return bool(getattr(self.untyped_storage(), "is_pinned_here", False))


def set_data(self: Any, value: Any) -> None:
    """`x.data = y` keeps x the same object, also from the host to a card."""
    here, there = isinstance(self, OnCard), isinstance(value, OnCard)
    if here and there:
        become(self, value.held, value.card)
    elif isinstance(value, torch.Tensor) and (here or there):
        _exchange(self, value)
    else:
        _data.__set__(self, value)


def _parameter(cls: Any, data: Any = None, requires_grad: bool = True) -> Any:
    if not isinstance(data, OnCard):
        return _new_parameter(cls, data, requires_grad)
    new = data.detach().requires_grad_(requires_grad)
    new.__class__ = cls
    return new


def _exchange(self: Any, value: Any) -> None:
    """What lies below the two objects changes places, and with it their classes."""
    grad = self.grad
    new = value.detach().requires_grad_(self.requires_grad)
    mine = {name: each for name, each in self.__dict__.items() if name not in ("held", "card")}
    kind: Any = type(self)
    on_card = isinstance(self, OnCard)
    before, after = (OnCard, kind.stands_for) if on_card else (torch.Tensor, on_card_as(kind))
    place = object.__dict__["__class__"].__set__
    place(self, after)
    self.__dict__.clear()
    self.__dict__.update(mine, **new.__dict__)
    place(new, before)
    torch._C._swap_tensor_impl(self, new)
    if grad is not None:
        set_data(grad, grad.detach().to(value.device))
        _grad.__set__(self, grad)


def ctc_loss(*args: Any, **kwargs: Any) -> Any:
    """Lengths are numbers of the host's: so CUDA takes them, wherever they come from."""
    lengths = [each.tolist() if isinstance(each, torch.Tensor) else each for each in args[2:4]]
    return _ctc_loss(*args[:2], *lengths, *args[4:], **kwargs)


_run_backward = torch.autograd.graph._engine_run_backward


def _backward(tensors: Any, grads: Any, *args: Any, **kwargs: Any) -> Any:
    """PyTorch's own does not compare devices of what it takes for somebody's own class."""
    for number, (of, grad) in enumerate(zip(tensors, grads, strict=False)):
        if isinstance(grad, torch.Tensor) and grad.dim() and grad.device != of.device:
            raise RuntimeError(
                f"invalid gradient at index {number} - expected device {of.device} but got "
                f"{grad.device}"
            )
    return _run_backward(tensors, grads, *args, **kwargs)


def put_methods() -> None:
    for module in (torch.autograd.graph, torch.autograd):
        put(module, {"_engine_run_backward": _backward})
    methods = {"to": to, "cuda": cuda, "type": type_, "pin_memory": pin_memory}
    data = property(_data.__get__, set_data)
    put(torch.Tensor, {**methods, "is_pinned": is_pinned, "data": data})
    put(nn.Parameter, {"__new__": staticmethod(_parameter)})
    # For Module.to: set_data exchanges what lies below.
    compatible = {"_has_compatible_shallow_copy_type": lambda *_: True}
    put(torch, {**compatible, "ctc_loss": ctc_loss})
