"""OnCard: a tensor that is on a card which does not exist; its values lie in host memory."""

import contextlib
import copy
import functools
from typing import Any

import torch
from torch import _tensor_str, nn

from gpuexplorer.worker.engines import virtual
from gpuexplorer.worker.engines.operations import shown_bytes
from gpuexplorer.worker.engines.virtual.casting import KEYS
from gpuexplorer.worker.engines.virtual.devices import Device, native, say_right
from gpuexplorer.worker.engines.virtual.holdings import in_force, in_modelled_time
from gpuexplorer.worker.engines.virtual.patches import refuse
from gpuexplorer.worker.engines.virtual.work import HOST

_data: Any = torch.Tensor.data
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
        ordinary = torch.is_inference_mode_enabled() and not held.is_inference()
        with torch.inference_mode(mode=False) if ordinary else contextlib.nullcontext():
            new: OnCard = torch.Tensor._make_wrapper_subclass(
                cls,
                held.shape,
                strides=held.stride(),
                storage_offset=held.storage_offset(),
                dtype=held.dtype,
                device=native(card),
                _extra_dispatch_keys=KEYS,
            )
        torch._C._set_conj(new, held.is_conj())
        torch._C._set_neg(new, held.is_neg())
        new.held, new.card = held, card
        return new

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """What PyTorch's own code complains about names the devices that a person knows."""
        if func.__name__ == "__get__":  # of an attribute, which complains about nothing
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args)
        try:
            with in_force().clock, torch._C.DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))
        except Exception as error:
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

    def _typed_storage(self) -> Any:
        refuse("storages that other processes could share")

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
