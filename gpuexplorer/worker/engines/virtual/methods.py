"""What makes tensors, devices and generators before any operation is reached; and what a tensor
is asked, wherever it lies: to move, for its data, its type, to be pinned.
"""

import functools
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.utils import _device
from torch.utils._pytree import tree_map_only

from gpuexplorer.worker.engines.virtual import copying
from gpuexplorer.worker.engines.virtual.copying import pinned
from gpuexplorer.worker.engines.virtual.devices import (
    Device,
    device_of_generator,
    for_pytorch,
    meant,
    remember_generator,
    say_right,
)
from gpuexplorer.worker.engines.virtual.errors import _NAMES, type_name
from gpuexplorer.worker.engines.virtual.holdings import in_modelled_time
from gpuexplorer.worker.engines.virtual.patches import Patches
from gpuexplorer.worker.engines.virtual.tensor import OnCard, become, on_card_as

_Generator: Any = torch.Generator


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


class Generator(_Generator):
    """A card's draws with the processor's, from a state of its own."""

    def __new__(cls, device: Any = "cpu") -> Any:
        new = super().__new__(cls)
        remember_generator(new, meant(device))
        return new

    def __init__(self, device: Any = "cpu") -> None: ...

    @property
    def device(self) -> Any:
        return device_of_generator(self)


class _KindOfTensor(type):
    """torch.cuda.FloatTensor and its like."""

    dtype: torch.dtype

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, torch.Tensor) and thing.is_cuda and thing.dtype == cls.dtype


def _typed(dtype: torch.dtype, name: str) -> Any:
    def new(cls: Any, *args: Any) -> Any:
        values = len(args) == 1 and isinstance(args[0], (list, tuple))
        values = values and not isinstance(args[0], torch.Size)
        return (torch.tensor if values else torch.empty)(*args, dtype=dtype, device="cuda")

    facts = {"__new__": new, "__module__": "torch.cuda", "dtype": dtype, "is_cuda": True}
    return _KindOfTensor(name, (), facts)


def put_makers(patches: Patches) -> None:
    _device._device_constructors()  # remembers PyTorch's own, before three of them are wrapped
    makers = {name: _maker(getattr(torch, name)) for name in ("tensor", "as_tensor", "asarray")}
    patches.put(torch, {**makers, "device": _Device, "Generator": Generator})
    types = {f"{name}Tensor": _typed(dtype, f"{name}Tensor") for dtype, name in _NAMES.items()}
    patches.put(torch.cuda, types)
    init = _device.DeviceContext.__init__

    def context(self: Any, device: Any) -> None:
        init(self, meant(device))

    patches.put(_device.DeviceContext, {"__init__": context})


_to, _data, _grad = torch.Tensor.to, torch.Tensor.data, torch.Tensor.grad
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
    kinds = [each for each, name in _NAMES.items() if words[-1] == f"{name}Tensor"]
    if not kinds:
        raise ValueError(f"invalid type: '{text}'")
    device = (self.device if self.is_cuda else meant("cuda")) if "cuda" in words else "cpu"
    return to(self, device, kinds[0], non_blocking=non_blocking)


def pin_memory(self: Any, *_: Any) -> Any:
    if self.device.type != "cpu":
        raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
    return self if copying.is_pinned(self) else copying.pinned(self.clone())


def is_pinned(self: Any, *_: Any) -> bool:
    return copying.is_pinned(self)


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


def _same_devices(tensors: "Sequence[Any]", grads: "Sequence[Any]") -> None:
    for number, (tensor, grad) in enumerate(zip(tensors, grads, strict=False)):
        if isinstance(grad, torch.Tensor) and grad.dim() and grad.device != tensor.device:
            raise RuntimeError(
                f"invalid gradient at index {number} - expected device {tensor.device} but got "
                f"{grad.device}"
            )


def put_autograd(patches: Patches) -> None:
    """It does not compare the devices of tensors that it takes for somebody's own class."""
    run = torch.autograd.graph._engine_run_backward

    @in_modelled_time
    def backward(tensors: Any, grads: Any, *args: Any, **kwargs: Any) -> Any:
        _same_devices(tensors, grads)
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
