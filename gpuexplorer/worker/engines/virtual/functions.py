"""Functions: what would enter CUDA's own code before an operation does, caught by name."""

from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

from gpuexplorer.worker.engines.virtual.dispatch import on_this_machine
from gpuexplorer.worker.engines.virtual.host_limit import refuse_what_the_host_cannot_hold
from gpuexplorer.worker.engines.virtual.tensor import Holdings, OnCard, to_numpy_refused

_aten = torch.ops.aten
_READS = (torch.Tensor.item, torch.Tensor.tolist, torch.Tensor.__bool__, torch.Tensor.__float__,
          torch.Tensor.__int__)  # fmt: skip


class Functions(TorchFunctionMode):
    """In force while a line runs."""

    def __init__(self, holdings: Holdings) -> None:
        super().__init__()
        self._holdings = holdings

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        first = args[0] if args else None
        if isinstance(first, OnCard):
            if func is torch.Tensor.__repr__:
                return OnCard.__repr__(first)
            if func in (torch.Tensor.numpy, torch.Tensor.__array__):
                raise to_numpy_refused(first)
            if func in _READS:
                self._holdings.cards.copied(first.card, -1, first.held.element_size())
                return func(first.held.detach(), *args[1:], **kwargs)
            if func is torch.Tensor.pin_memory:
                raise RuntimeError(
                    f"cannot pin 'torch.cuda.{type(first.held).__name__}' only dense CPU "
                    "tensors can be pinned"
                )
            if func is torch.Tensor.get_device:
                return first.card
        if func is torch.Tensor.cuda:
            asked = args[1] if len(args) > 1 else kwargs.get("device")
            asked = "cuda" if asked is None else asked
            return self._move(first, torch.device("cuda", asked) if isinstance(asked, int) else asked)
        if func is torch.Tensor.cpu:
            return self._move(first, torch.device("cpu"))
        if func is torch.Tensor.to:
            return self._to(args, kwargs)
        if kwargs.get("device") is not None and func in _device_constructors():
            return self._made_on(func, args, kwargs)
        return func(*args, **kwargs)

    def _move(self, tensor: Any, device: Any) -> Any:
        device = on_this_machine(self._holdings, device)
        if tensor.device == device:
            return tensor
        return _aten._to_copy.default(tensor, device=device)

    def _to(self, args: Any, kwargs: "dict[str, Any]") -> Any:
        tensor = args[0]
        if len(args) > 1 and isinstance(args[1], torch.Tensor):
            device, dtype = args[1].device, args[1].dtype
        else:
            words = {key: value for key, value in kwargs.items() if key != "copy"}
            rest = tuple(
                torch.device("cuda", each) if _is_number(each) else each for each in args[1:]
            )
            device, dtype, _, _ = torch._C._nn._parse_to(*rest, **words)
        device = tensor.device if device is None else on_this_machine(self._holdings, device)
        dtype = dtype or tensor.dtype
        if tensor.device == device and tensor.dtype == dtype and not kwargs.get("copy"):
            return tensor
        return _aten._to_copy.default(tensor, device=device, dtype=dtype)

    def _made_on(self, func: Any, args: Any, kwargs: "dict[str, Any]") -> Any:
        """`torch.tensor([1], device="cuda")` makes it on the host first, as PyTorch does too."""
        asked = kwargs["device"]
        device = on_this_machine(
            self._holdings, torch.device("cuda", asked) if _is_number(asked) else asked
        )
        if device.type != "cuda":
            return func(*args, **kwargs)
        wants_grad = kwargs.pop("requires_grad", False)
        del kwargs["device"]
        if func in (torch.tensor, torch.as_tensor):
            made = _aten._to_copy.default(func(*args, **kwargs), device=device)
        else:
            made = self._made_in_place(func, args, kwargs, device.index)
        return made.requires_grad_() if wants_grad else made

    def _made_in_place(self, func: Any, args: Any, kwargs: "dict[str, Any]", card: int) -> Any:
        """Looked at without values first: what does not fit is refused before it is made."""
        size = func(*args, **kwargs, device="meta").nbytes
        self._holdings.would_fit(card, size)
        refuse_what_the_host_cannot_hold(size)
        made = func(*args, **kwargs)
        self._holdings.cards.computed(card, 0.0, float(size))
        return self._holdings.place(made, card)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
