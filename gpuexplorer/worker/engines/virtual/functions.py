"""Functions: what would enter CUDA's own code before an operation does, caught by name."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.worker.engines.virtual.cards import HOST
from gpuexplorer.worker.engines.virtual.differ import type_name
from gpuexplorer.worker.engines.virtual.dispatch import on_this_machine
from gpuexplorer.worker.engines.virtual.host_limit import refuse_what_the_host_cannot_hold
from gpuexplorer.worker.engines.virtual.lazy import is_lazy, moved_later
from gpuexplorer.worker.engines.virtual.tensor import Holdings, OnCard

_aten = torch.ops.aten
_READS = frozenset(
    {
        torch.Tensor.item,
        torch.Tensor.__bool__,
        torch.Tensor.__float__,
        torch.Tensor.__int__,
        torch.Tensor.__index__,
    }
)
_LIKE = frozenset(
    {
        torch.ones_like,
        torch.zeros_like,
        torch.full_like,
        torch.rand_like,
        torch.randn_like,
        torch.empty_like,
    }
)
_TO_NUMPY = (
    "can't convert {} device type tensor to numpy. "
    "Use Tensor.cpu() to copy the tensor to host memory first."
)


# Any throughout: functions and their arguments are whatever PyTorch hands on.
class Functions(TorchFunctionMode):
    """In force while a line runs."""

    def __init__(self, holdings: Holdings) -> None:
        super().__init__()
        self._holdings = holdings
        self._for_all: Mapping[Any, Callable[..., Any]] = {
            torch.Tensor.cuda: self._cuda,
            torch.Tensor.cpu: lambda tensor, *_, **__: self._move(tensor, torch.device("cpu")),
            torch.Tensor.to: self._to,
            torch.Tensor.is_pinned: lambda tensor, *_: hasattr(tensor, "is_pinned_here"),
            torch.Tensor.pin_memory: self._pin,
            torch.Tensor.copy_: self._copy_into,
            torch.Tensor.__setitem__: self._set_item,
            torch.Tensor.data.__set__: self._set_data,
            torch.Tensor.grad.__set__: self._set_grad,
        }
        self._for_cards: Mapping[Any, Callable[..., Any]] = {
            torch.Tensor.__repr__: OnCard.__repr__,
            torch.Tensor.numpy: self._numpy,
            torch.Tensor.__array__: self._numpy,
            torch.Tensor.tolist: self._tolist,
            torch.Tensor.get_device: lambda tensor: tensor.card,
        }

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        first = args[0] if args else None
        if isinstance(first, OnCard):
            if (own := self._for_cards.get(func)) is not None:
                return own(*args, **kwargs)
            if func in _READS:
                size = first.held.element_size()
                self._holdings.cards.copied(first.card, HOST, size, how=func.__name__)
                return func(first.held.detach(), *args[1:], **kwargs)
            if func is torch.Tensor.type and len(args) == 1 and not kwargs:
                return type_name(first.device, first)
        if func is torch.Tensor.type and str((*args, "", "")[1]).startswith("torch.cuda."):
            raise Trouble(
                "On simulated cards, .type() does not move to a card.", "Such as: X.cuda()"
            )
        if (own := self._for_all.get(func)) is not None:
            return own(*args, **kwargs)
        if kwargs.get("pin_memory"):
            del kwargs["pin_memory"]
            return _pinned(func(*args, **kwargs))
        if kwargs.get("device") is not None:
            if func in _device_constructors():
                return self._made_on(func, args, kwargs)
            if func in _LIKE:
                return self._made_like(func, args, kwargs)
        return func(*args, **kwargs)

    def _cuda(
        self, tensor: Any, device: Any = None, non_blocking: Any = False, **_: Any
    ) -> Any:
        asked = "cuda" if device is None else device
        return self._move(tensor, _numbered(asked), bool(non_blocking))

    def _move(self, tensor: Any, device: Any, non_blocking: bool = False) -> Any:
        device = on_this_machine(self._holdings, device)
        if is_lazy(tensor):
            return moved_later(tensor, device)
        if tensor.device == device:
            return tensor
        return ToCopy.apply(tensor, device, tensor.dtype, non_blocking)

    def _to(self, tensor: Any, *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], torch.Tensor):
            device, dtype = args[0].device, args[0].dtype
            non_blocking = bool((*args[1:], kwargs.get("non_blocking", False))[0])
        else:
            words = {key: value for key, value in kwargs.items() if key != "copy"}
            if "device" in words:
                words["device"] = _numbered(words["device"])
            rest = [_numbered(each) for each in args]
            device, dtype, non_blocking, _ = torch._C._nn._parse_to(*rest, **words)
        device = tensor.device if device is None else on_this_machine(self._holdings, device)
        dtype = dtype or tensor.dtype
        if is_lazy(tensor):
            return moved_later(tensor, device)
        if tensor.device == device and tensor.dtype == dtype and not kwargs.get("copy"):
            return tensor
        return ToCopy.apply(tensor, device, dtype, non_blocking)

    def _copy_into(self, tensor: Any, source: Any, non_blocking: Any = False) -> Any:
        if torch.is_grad_enabled() and (tensor.requires_grad or source.requires_grad):
            source = self._brought(tensor, source, bool(non_blocking))
        return tensor.copy_(source, bool(non_blocking))

    def _set_item(self, tensor: Any, index: Any, value: Any) -> None:
        tensor[index] = self._brought(tensor, value)

    def _brought(self, tensor: Any, value: Any, non_blocking: bool = False) -> Any:
        """An assignment copies from any device, except where it is only one number."""
        if not isinstance(value, torch.Tensor) or value.device == tensor.device:
            return value
        on_host = value.device.type == "cpu" and value.dim() == 0
        return value if on_host else self._move(value, tensor.device, non_blocking)

    def _made_on(self, func: Any, args: Any, kwargs: "dict[str, Any]") -> Any:
        """`torch.tensor([1], device="cuda")` makes it on the host first; so does PyTorch."""
        device = on_this_machine(self._holdings, _numbered(kwargs["device"]))
        if device.type != "cuda":
            return func(*args, **kwargs)
        wants_grad = kwargs.pop("requires_grad", False)
        if kwargs.pop("pin_memory", False):
            raise RuntimeError("Only dense CPU tensors can be pinned")
        del kwargs["device"]
        if func in (torch.tensor, torch.as_tensor):
            made = _aten._to_copy.default(func(*args, **kwargs), device=device)
        else:
            made = self._made_in_place(func, args, kwargs, device.index)
        return made.requires_grad_() if wants_grad else made

    def _made_like(self, func: Any, args: Any, kwargs: "dict[str, Any]") -> Any:
        device = on_this_machine(self._holdings, _numbered(kwargs.pop("device")))
        wants_grad = kwargs.pop("requires_grad", False)
        shaped = args[0].held if isinstance(args[0], OnCard) else args[0]
        if device.type != "cuda":
            return func(shaped, *args[1:], **kwargs, device=device, requires_grad=wants_grad)
        made = self._made_in_place(func, (shaped, *args[1:]), kwargs, device.index)
        return made.requires_grad_() if wants_grad else made

    def _made_in_place(self, func: Any, args: Any, kwargs: "dict[str, Any]", card: int) -> Any:
        """Looked at without values first: what does not fit is refused before it is made."""
        with self._holdings.told_as(func.__name__, card):
            size = func(*args, **kwargs, device="meta").nbytes
            self._holdings.would_fit(card, size)
            refuse_what_the_host_cannot_hold(size)
            made = func(*args, **kwargs)
        self._holdings.cards.computed(card, 0.0, float(size))
        return self._holdings.place(made.detach(), card)

    def _pin(self, tensor: Any, *_: Any) -> Any:
        if tensor.device.type != "cpu":
            kind = type_name(tensor.device, tensor)
            raise RuntimeError(f"cannot pin '{kind}' only dense CPU tensors can be pinned")
        return tensor if hasattr(tensor, "is_pinned_here") else _pinned(tensor.clone())

    def _set_data(self, tensor: Any, value: Any) -> None:
        if isinstance(tensor, OnCard) is not isinstance(value, OnCard):
            raise Trouble(
                "On simulated cards, .data stays on its device.", "Such as: X = X.cuda(1)"
            )
        torch.Tensor.data.__set__(tensor, value)
        if isinstance(tensor, OnCard):
            tensor.become(value)

    def _set_grad(self, tensor: Any, value: Any) -> None:
        if isinstance(value, torch.Tensor) and value.device != tensor.device:
            mine, its = tensor.device, value.device
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
        torch.Tensor.grad.__set__(tensor, value)

    def _tolist(self, tensor: OnCard) -> Any:
        self._holdings.cards.copied(tensor.card, HOST, tensor.held.nbytes, how="tolist")
        return tensor.held.tolist()

    def _numpy(self, tensor: OnCard, *_: Any, **__: Any) -> Any:
        raise TypeError(_TO_NUMPY.format(tensor.device))


def _numbered(value: Any) -> Any:
    """A bare number is a card's."""
    if isinstance(value, int) and not isinstance(value, bool):
        return torch.device("cuda", value)
    return value


def _pinned(tensor: Any) -> Any:
    tensor.is_pinned_here = True
    return tensor


# Any throughout: tensors, devices and dtypes are PyTorch's.
class ToCopy(torch.autograd.Function):
    """PyTorch's own would leave the gradient where it is: to it, both devices are the host."""

    @staticmethod
    def forward(ctx: Any, tensor: Any, device: Any, dtype: Any, non_blocking: Any) -> Any:
        ctx.came_from = tensor.device, tensor.dtype
        return torch.ops.aten._to_copy.default(
            tensor, device=device, dtype=dtype, non_blocking=non_blocking
        )

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        non_blocking = False
        return ToCopy.apply(gradient, *ctx.came_from, non_blocking), None, None, None
