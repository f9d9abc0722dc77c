"""OnCard: a tensor that is on a card which does not exist; its values lie in host memory. And
what makes tensors, devices and generators, and what a tensor is asked wherever it lies.

A tensor on cuda:1 is "lazy:1" to PyTorch's own code: a kind of device that every build knows,
that needs no driver and holds no tensors of anybody else. So autograd, `.to` and `.data =`
tell cards and the host apart by themselves. Python is told "cuda:1".
"""

import copy
import functools
import re
import secrets
import threading
import weakref
from collections.abc import Sequence
from typing import Any

import torch
from torch import _tensor_str, nn
from torch.jit._builtins import _find_builtin, _register_builtin
from torch.utils import _device
from torch.utils._pytree import tree_map_only

from gpuexplorer.worker.engines import virtual
from gpuexplorer.worker.engines.operations import shown_bytes
from gpuexplorer.worker.engines.virtual.cards import HOST
from gpuexplorer.worker.engines.virtual.machine import in_force, in_modelled_time
from gpuexplorer.worker.engines.virtual.refusals import (
    DTYPES,
    Patches,
    no_such_card,
    refuse,
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


@functools.cache
def native(card: int) -> torch.device:
    return Device(KIND, card)


# Any throughout: a device is a number, a text or a torch.device, as in PyTorch.
def meant(device: Any) -> Any:
    """What names a card, as the device with its number; all else as it is. Raises what PyTorch
    raises where there is no such card.
    """
    kind = type(device)
    if kind is int:
        device = Device("cuda", device)
    elif kind is str and device.startswith(("cuda", KIND)):
        device = Device(device)
    if not isinstance(device, Device):
        return device
    if device.type == KIND:
        return Device("cuda", device.index or 0)
    if device.type != "cuda":
        return device
    cards = in_force().cards
    index = cards.current if device.index is None else device.index
    if index >= len(cards):
        raise no_such_card()
    return Device("cuda", index)


def for_pytorch(device: Any) -> Any:
    """The same device, as PyTorch's own code shall know it."""
    found = meant(device)
    if isinstance(found, Device) and found.type == "cuda":
        return native(found.index)
    return device


def number_of(device: Any) -> int:
    """Of a card; without a device, of the current one."""
    found = meant("cuda" if device is None else device)
    if isinstance(found, str):
        found = Device(found)
    if found.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {found}")
    return int(found.index)


def put_right(text: str) -> str:
    """PyTorch's own words, with the devices a person knows."""
    return _TOLD.sub("cuda", text) if KIND in text else text


def say_right(error: BaseException) -> None:
    """In place: whoever catches it reads the devices that a person knows."""
    error.args = tuple(
        put_right(each) if isinstance(each, str) else each for each in error.args
    )
    missing = _MISSING.match(str(error))
    if missing is not None:
        error.args = (f"Simulated cards do not offer {missing[1]}.",)


_data: Any = torch.Tensor.data
AUTOCAST = "AutocastIPU"  # of a kind of device that nobody has: put_casting says why
KEYS = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, AUTOCAST))
_UNMARKED = (torch.int64, torch.bool, torch.complex64)  # beside the default dtype
_TO_NUMPY = (
    "can't convert {} device type tensor to numpy. "
    "Use Tensor.cpu() to copy the tensor to host memory first."
)
_ONLY_LEAVES = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
    "at the moment.  If you were attempting to deepcopy a module, this may be because of a "
    "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
)


# CUDA transforms half precision too, the processor does not.
_NO_HALVES = "Unsupported dtype Half", "Unsupported dtype ComplexHalf"
_WIDER = {torch.float16: torch.float32, torch.complex32: torch.complex64}
_NARROWER = {wide: narrow for narrow, wide in _WIDER.items()}


def refuse_odd_halves(shape: "Sequence[int]", dims: "Sequence[int]") -> None:
    for size in (shape[each] for each in dims):
        if size & (size - 1):
            raise RuntimeError(
                "cuFFT only supports dimensions whose sizes are powers of two when computing "
                f"in half precision, but got a signal size of{[size]}"
            )


class _Halves(threading.local):
    """Whether what is transformed just now stands for half precision."""

    on = False


halves = _Halves()


# Any throughout: a Fourier transform, and what it is given.
def _in_halves(func: Any, args: Any, kwargs: Any) -> Any:
    def wide(each: Any) -> Any:
        return each.to(_WIDER.get(each.dtype, each.dtype))

    halves.on = True
    try:
        made = func(*tree_map_only(torch.Tensor, wide, args), **kwargs)
    finally:
        halves.on = False
    return made.to(_NARROWER[made.dtype])


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
    is_cuda, is_cpu = True, False

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
            device=native(card),
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
        try:
            with in_force().clock, torch._C.DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))
        except Exception as error:
            if str(error).startswith(_NO_HALVES):
                return _in_halves(func, args, kwargs or {})
            say_right(error)
            raise

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Where no mode comes first, such as in a thread that C++ began."""
        # A circle of imports; and a program finds none of our modules by their names.
        return virtual.dispatch.run(  # type: ignore[attr-defined, unused-ignore]
            func, args, dict(kwargs or {})
        )

    @property
    def __class__(self) -> Any:
        return type(self).stands_for

    @__class__.setter
    def __class__(self, kind: Any) -> None:
        kind = kind if issubclass(kind, OnCard) else on_card_as(kind)
        object.__dict__["__class__"].__set__(self, kind)

    @property
    def _is_param(self) -> bool:
        """By which PyTorch knows parameters."""
        return issubclass(type(self), nn.Parameter)

    @property
    def device(self) -> torch.device:
        return Device("cuda", self.card)

    def get_device(self) -> int:
        return self.card

    def data_ptr(self) -> int:
        return int(self.held.data_ptr())

    def untyped_storage(self) -> Any:
        return StorageOnCard(self)

    def share_memory_(self) -> "OnCard":
        return self

    def is_shared(self) -> bool:
        return True

    def record_stream(self, stream: Any) -> None:
        """Memory is given back when nobody refers to it, whatever the streams."""

    def numpy(self, *, force: bool = False) -> Any:
        if force:
            return self.detach().cpu().resolve_conj().resolve_neg().numpy()
        raise TypeError(_TO_NUMPY.format(self.device))

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self.numpy()

    def __dlpack__(self, *_: Any, **__: Any) -> Any:
        refuse("DLPack")

    @property
    def __cuda_array_interface__(self) -> Any:
        refuse("__cuda_array_interface__")

    @in_modelled_time
    def tolist(self) -> Any:
        in_force().cards.copied(self.card, HOST, self.held.nbytes, how="tolist")
        return self.held.tolist()

    def new_tensor(
        self, data: Any, *, dtype: Any = None, device: Any = None, **words: Any
    ) -> Any:
        dtype, device = dtype or self.dtype, device or self.device
        return torch.tensor(data, dtype=dtype, device=device, **words)

    def as_subclass(self, cls: Any) -> Any:
        new = torch.ops.aten.alias(self)
        new.__class__ = cls
        return new

    def __format__(self, spec: str) -> str:
        return format(self.item() if self.dim() == 0 else repr(self), spec)

    @in_modelled_time
    def __repr__(self, *, tensor_contents: object = None) -> str:
        in_force().cards.copied(self.card, HOST, shown_bytes(self.held), how="print")
        marks = [f"device='{self.device}'"]
        unmarked: tuple[torch.dtype, ...] = (torch.get_default_dtype(), *_UNMARKED)
        if self.numel() == 0:
            unmarked = unmarked[:1]
            if self.dim() != 1:
                marks.append(f"size={tuple(self.shape)}")
        if self.dtype not in unmarked:
            marks.append(f"dtype={self.dtype}")
        if self.grad_fn is not None:
            marks.append(f"grad_fn=<{self.grad_fn.name().rpartition('::')[2]}>")
        elif self.requires_grad:
            marks.append("requires_grad=True")
        parameter = isinstance(self, nn.Parameter)
        begin = "tensor("
        with torch._C._DisableTorchDispatch():
            values = self.held.detach()
            text = _tensor_str._tensor_str(values, len(begin)) if self.numel() else "[]"
        text = _tensor_str._add_suffixes(begin + text, marks, len(begin), force_newline=False)
        return f"Parameter containing:\n{text}" if parameter else str(text)

    def __deepcopy__(self, memo: Any) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            raise RuntimeError(_ONLY_LEAVES)
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
        """A file as from a real card: saving.py tells where the storage lies."""
        in_force().cards.copied(self.card, HOST, self.held.nbytes, how="save")
        held = self.held.detach().requires_grad_(self.requires_grad)
        whole = (
            nn.Parameter(held, self.requires_grad) if isinstance(self, nn.Parameter) else held
        )
        return whole.__reduce_ex__(protocol)


OnCard.__name__ = OnCard.__qualname__ = "Tensor"
OnCard.__module__ = "torch"


def _said_right(function: Any) -> Any:
    """A person's class sees itself, wherever its tensors lie."""

    def call(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        try:
            known = tuple(getattr(each, "stands_for", each) for each in types)
            return function(cls.stands_for, func, known, args, kwargs)
        except Exception as error:
            say_right(error)
            raise

    return call


@functools.cache
def on_card_as(cls: Any) -> Any:
    """nn.Parameter, or a class of the person's own, on a card."""
    if cls is torch.Tensor:
        return OnCard
    facts = {"__module__": cls.__module__, "stands_for": cls}
    own = getattr(cls.__torch_function__, "__func__", None)  # PyTorch's Parameter has none
    if own is not None:
        facts["__torch_function__"] = classmethod(_said_right(own))
    return _SameAsTensor(cls.__name__, (OnCard, cls), facts)


class StorageOnCard:
    """What a tensor on a card gives as its storage."""

    def __init__(self, of: OnCard) -> None:
        self._of = of.held.untyped_storage()
        self.device, self.is_cuda = of.device, True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of, name)


def become(tensor: OnCard, held: torch.Tensor, card: int) -> OnCard:
    """The same object from now on shows other values, of another shape perhaps."""
    new = OnCard(held, card)
    _data.__set__(tensor, new)
    tensor.held, tensor.card = held, card
    return tensor


_Generator: Any = torch.Generator
_SEED_BITS, _STATE_BYTES = 53, 16
_PHILOX = 4  # what CUDA counts on, at the least


# Any throughout: data and devices are whatever PyTorch takes.
def _maker(real: Any) -> Any:
    """Its own code asks for the current card, and reads numbers out of lists of tensors."""

    keeps = real.__name__ != "tensor"

    @functools.wraps(real)
    def make(
        data: Any, *args: Any, device: Any = None, pin_memory: Any = False, **kwargs: Any
    ) -> Any:
        if type(data) in (list, tuple):
            data = tree_map_only(OnCard, lambda each: each.tolist(), data)
        elif device is None and isinstance(data, OnCard):
            device = data.device
        if device is not None:
            kwargs["device"] = meant(device)
        if isinstance(data, torch.Tensor) and keeps:  # what is there already is the same object
            place, kind = kwargs.get("device", data.device), kwargs.get("dtype") or data.dtype
            return data.to(place, kind, copy=bool(kwargs.get("copy")))
        made = real(data, *args, **kwargs)
        return pinned(made) if pin_memory else made

    return make


class _KindOfDevice(type):
    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, Device)


class _Device(metaclass=_KindOfDevice):
    """torch.device, to which a number is a card."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and type(args[0]) is int:
            return Device("cuda", args[0])
        return Device(*args, **kwargs)


_Device.__name__ = _Device.__qualname__ = "device"
_Device.__module__ = "torch"


class _KindOfGenerator(type(_Generator)):  # type: ignore[misc]  # PyTorch's own metaclass
    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, _Generator)


class Generator(_Generator, metaclass=_KindOfGenerator):
    """A card's. As on CUDA its state is a seed, and how much was drawn since; and what it
    draws are other numbers than the processor draws after the same seed.
    """

    def __new__(cls, device: Any = "cpu") -> Any:
        device = Device(device) if isinstance(device := meant(device), str) else device
        if device.type != "cuda":
            return _Generator(device)
        new = super().__new__(cls)
        new.told, new._drawn = device, 0
        new.seed()
        generators[new._cdata] = new
        return new

    def __init__(self, device: Any = "cpu") -> None: ...

    @property
    def device(self) -> Any:
        return self.told

    def manual_seed(self, seed: int) -> Any:
        self._seed, self._drawn = int(seed), 0
        return self

    def seed(self) -> int:
        self.manual_seed(secrets.randbits(_SEED_BITS))
        return self._seed

    def initial_seed(self) -> int:
        return self._seed

    def next_seed(self) -> int:
        """With which the processor draws for one operation."""
        self._drawn += _PHILOX
        return hash((self._seed, self._drawn)) % (1 << 32)

    def draw_next(self) -> None:
        _Generator.manual_seed(self, self.next_seed())

    def get_state(self) -> torch.Tensor:
        numbers = self._seed, self._drawn
        seed, drawn = (int.to_bytes(each % (1 << 64), 8, "little") for each in numbers)
        return torch.tensor([*seed, *drawn], dtype=torch.uint8, device="cpu")

    def set_state(self, state: torch.Tensor) -> Any:
        values = bytes(state.tolist())
        if len(values) != _STATE_BYTES:
            raise RuntimeError("RNG state is wrong size")
        self._seed, self._drawn = (
            int.from_bytes(values[at : at + 8], "little") for at in (0, 8)
        )
        return self

    def clone_state(self) -> Any:
        return Generator(self.told).set_state(self.get_state())


@functools.cache  # TorchScript knows it by its address, which nothing else may have later
def _at_number(real: Any) -> Any:
    """A number for a device is a card, of which PyTorch's own code knows none here."""

    @functools.wraps(real)
    def make(*args: Any, **kwargs: Any) -> Any:
        if type(kwargs.get("device")) is int:
            kwargs["device"] = meant(kwargs["device"])
        return real(*args, **kwargs)

    _register_builtin(make, _find_builtin(real))
    return make


_LIKE = [
    f"{each}_like" for each in ("empty", "full", "ones", "rand", "randint", "randn", "zeros")
]
_NEW = [f"new_{each}" for each in ("empty", "empty_strided", "full", "ones", "tensor", "zeros")]


def put_makers(patches: Patches) -> None:
    _device._device_constructors()  # remembers PyTorch's own, before three of them are wrapped
    makers = {name: _maker(getattr(torch, name)) for name in ("tensor", "as_tensor", "asarray")}
    patches.put(torch, {**makers, "device": _Device, "Generator": Generator})
    others = [each.__name__ for each in _device._device_constructors()]
    for owner, names in (
        (torch, ["normal", *_LIKE, *others]),
        (torch.fft, ("fftfreq", "rfftfreq")),
        (torch.Tensor, _NEW),
    ):
        known = [name for name in names if hasattr(owner, name) and name not in makers]
        patches.put(owner, {name: _at_number(getattr(owner, name)) for name in known})
    init = _device.DeviceContext.__init__

    def context(self: Any, device: Any) -> None:
        init(self, meant(device))

    patches.put(_device.DeviceContext, {"__init__": context})


_to, _grad = torch.Tensor.to, torch.Tensor.grad
_new_parameter: Any = nn.Parameter.__new__
_ctc_loss = torch.ctc_loss
_OURS = ("held", "card")  # of what Python knows of a tensor on a card


# Any throughout: tensors, devices and dtypes are PyTorch's.
def to(self: Any, *args: Any, **kwargs: Any) -> Any:
    if "device" in kwargs:
        kwargs["device"] = for_pytorch(kwargs["device"])
    return _to(self, *([for_pytorch(args[0]), *args[1:]] if args else []), **kwargs)


def cuda(
    self: Any,
    device: Any = None,
    non_blocking: Any = False,
    memory_format: Any = torch.preserve_format,
) -> Any:
    device = meant("cuda" if device is None else device)
    return to(self, device, non_blocking=non_blocking, memory_format=memory_format)


def type_(self: Any, dtype: Any = None, non_blocking: Any = False, **_: Any) -> Any:
    if dtype is None:
        return type_name(self.device, self)
    if isinstance(dtype, torch.dtype):
        return to(self, dtype, non_blocking=non_blocking)
    text = dtype if isinstance(dtype, str) else f"{dtype.__module__}.{dtype.__name__}"
    words = text.split(".")
    kinds = [each for each, name in DTYPES.items() if words[-1] == f"{name}Tensor"]
    if not kinds:
        raise ValueError(f"invalid type: '{text}'")
    device = (self.device if self.is_cuda else meant("cuda")) if "cuda" in words else "cpu"
    return to(self, device, kinds[0], non_blocking=non_blocking)


def pin_memory(self: Any, *_: Any) -> Any:
    if self.device.type != "cpu":
        raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
    return self if is_pinned(self) else pinned(self.clone())


def pinned(tensor: Any) -> Any:
    """The host's memory stays as it is; its copies are modelled as those of pinned memory."""
    tensor.untyped_storage().is_pinned_here = True
    return tensor


def is_pinned(tensor: Any, *_: Any) -> bool:
    if tensor.layout is not torch.strided or tensor.device.type != "cpu":
        return False
    return bool(getattr(tensor.untyped_storage(), "is_pinned_here", False))


def set_data(self: Any, value: Any) -> None:
    """`x.data = y` keeps x the same object, also from the host to a card."""
    if isinstance(self, OnCard) and isinstance(value, OnCard):
        become(self, value.held, value.card)
    elif isinstance(value, torch.Tensor) and (
        isinstance(self, OnCard) or isinstance(value, OnCard)
    ):
        _exchange(self, value)
    else:
        _data.__set__(self, value)


def set_grad(self: Any, value: Any) -> None:
    if isinstance(value, torch.Tensor) and value.device != self.device:
        mine, its = self.device, value.device
        if mine.type != its.type:
            raise RuntimeError(
                f"attempting to assign a gradient with device type '{its.type}' to a "
                f"tensor with device type '{mine.type}'. Please ensure that the gradient "
                "and the tensor are on the same device"
            )
        raise RuntimeError(
            f"attempting to assign a gradient located on device with index {its.index} to "
            f"a tensor located on device with index {mine.index}. Please ensure that the "
            "gradient and the tensor are on the same device"
        )
    _grad.__set__(self, value)


def _parameter(cls: Any, data: Any = None, requires_grad: bool = True) -> Any:
    if not isinstance(data, OnCard):
        return _new_parameter(cls, data, requires_grad)
    new = data.detach().requires_grad_(requires_grad)
    new.__class__ = cls
    return new


def _exchange(self: Any, value: Any) -> None:
    """What lies below the two objects changes places, and with it their classes."""
    grad, hooks = self.grad, self._backward_hooks
    new = value.detach().requires_grad_(self.requires_grad)
    mine = {name: each for name, each in self.__dict__.items() if name not in _OURS}
    if isinstance(self, OnCard):
        before, after = OnCard, type(self).stands_for
    else:
        kind: Any = type(self)
        before, after = torch.Tensor, on_card_as(kind)
    place = object.__dict__["__class__"].__set__
    place(self, after)
    self.__dict__.clear()
    self.__dict__.update(mine, **new.__dict__)
    place(new, before)
    torch._C._swap_tensor_impl(self, new)
    if grad is not None:
        set_data(grad, grad.detach().to(value.device))
        _grad.__set__(self, grad)
    if hooks:
        self._backward_hooks = hooks


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Lengths are numbers of the host's: so CUDA takes them, wherever they come from."""
    if isinstance(log_probs, OnCard):
        lengths = input_lengths, target_lengths
        input_lengths, target_lengths = (
            each.tolist() if isinstance(each, torch.Tensor) else each for each in lengths
        )
    return _ctc_loss(log_probs, targets, input_lengths, target_lengths, *args, **kwargs)


def put_autograd(patches: Patches) -> None:
    """It does not compare the devices of tensors that it takes for somebody's own class."""
    run = torch.autograd.graph._engine_run_backward

    @in_modelled_time
    def backward(tensors: Any, grads: Any, *args: Any, **kwargs: Any) -> Any:
        for number, (tensor, grad) in enumerate(zip(tensors, grads, strict=False)):
            if isinstance(grad, torch.Tensor) and grad.dim() and grad.device != tensor.device:
                raise RuntimeError(
                    f"invalid gradient at index {number} - expected device {tensor.device} but "
                    f"got {grad.device}"
                )
        try:
            return run(tensors, grads, *args, **kwargs)
        except Exception as error:
            say_right(error)
            raise

    for module in (torch.autograd.graph, torch.autograd):
        patches.put(module, {"_engine_run_backward": backward})


def put_methods(patches: Patches) -> None:
    patches.put(
        torch.Tensor,
        {
            "to": to,
            "cuda": cuda,
            "type": type_,
            "pin_memory": pin_memory,
            "is_pinned": is_pinned,
            "data": property(_data.__get__, set_data),
            "grad": property(_grad.__get__, set_grad, lambda self: set_grad(self, None)),
        },
    )
    patches.put(nn.Parameter, {"__new__": staticmethod(_parameter)})
    lazy = nn.parameter.UninitializedTensorMixin
    patches.put(lazy, {"_allowed_methods": [*lazy._allowed_methods, to, cuda]})
    # For Module.to: set_data exchanges what lies below.
    compatible = {"_has_compatible_shallow_copy_type": lambda *_: True}
    patches.put(torch, {**compatible, "ctc_loss": ctc_loss})
    parse = torch._C._nn._parse_to

    def parse_to(*args: Any, **kwargs: Any) -> Any:
        return parse(*(meant(each) if type(each) is int else each for each in args), **kwargs)

    patches.put(torch._C._nn, {"_parse_to": parse_to})
