"""Patches: what stands in PyTorch's place while simulated cards are in force; and what would
enter code of CUDA's own, which they do not have: said by name.
"""

import functools
from collections.abc import Mapping
from typing import Any, NoReturn

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

_MISSING = object()


# Any throughout: modules and classes of PyTorch's, and what is put there.
class Patches:
    """For the whole process and every thread of it, until they are undone."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    def put(self, owner: Any, answers: "Mapping[str, Any]") -> None:
        for name, answer in answers.items():
            self._before.append((owner, name, vars(owner).get(name, _MISSING)))
            setattr(owner, name, answer)

    def undo(self) -> None:
        while self._before:
            owner, name, before = self._before.pop()
            if before is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)


_SPARSE = (
    "sparse_coo_tensor",
    "sparse_csr_tensor",
    "sparse_csc_tensor",
    "sparse_bsr_tensor",
    "sparse_bsc_tensor",
    "sparse_compressed_tensor",
)


def refuse(what: str) -> NoReturn:
    raise NotImplementedError(f"Simulated cards do not offer {what}.")


# Any throughout: whatever is handed to what is not offered.
def not_offered(what: str) -> Any:
    """A function and a class at once, that refuses to be called."""

    def call(*_: Any, **__: Any) -> NoReturn:
        refuse(what)

    return type(what, (), {"__new__": call})


def refuse_strange(made: Any) -> None:
    """A kernel's outcome that is no plain array of numbers."""
    if made.layout is not torch.strided:
        refuse("sparse tensors")
    if made.is_quantized:
        refuse("quantized tensors")
    if made.is_nested:
        refuse("nested tensors")


def _only_on_host(real: Any, what: str) -> Any:
    @functools.wraps(real)
    def call(*args: Any, **kwargs: Any) -> Any:
        if any(_reaches_a_card(each) for each in tree_leaves((args, kwargs))):
            refuse(what)
        return real(*args, **kwargs)

    return call


def _reaches_a_card(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return bool(value.is_cuda)
    if isinstance(value, nn.Module):
        return any(each.is_cuda for each in (*value.parameters(), *value.buffers()))
    if isinstance(value, type):
        return value.__module__ == "torch.cuda"
    kind = str(value) if isinstance(value, (str, torch.device)) else ""
    return kind.startswith(("cuda", "torch.cuda."))


def put_refusals(patches: Patches) -> None:
    for owner, names, what in (
        (torch, _SPARSE, "sparse tensors"),
        (torch.nested, ("nested_tensor", "as_nested_tensor"), "nested tensors"),
        (torch.utils.dlpack, ("to_dlpack",), "DLPack"),
        (torch, ("to_dlpack",), "DLPack"),
        (torch, ("set_default_tensor_type",), "torch.set_default_tensor_type"),
        (torch.jit, ("trace", "trace_module", "script"), "modules of torch.jit"),
    ):
        known = [name for name in names if hasattr(owner, name)]
        put = {name: _only_on_host(getattr(owner, name), what) for name in known}
        patches.put(owner, put)
    patches.put(torch, {"compile": not_offered("torch.compile")})
    own_kernels = not_offered("kernels of one's own")
    names = ("_create_jit_fn", "_create_multi_output_jit_fn")
    patches.put(torch.cuda.jiterator, dict.fromkeys(names, own_kernels))
    patches.put(torch.jit.ScriptModule, {"_apply": _script_stays})
    # A PyTorch that was built with CUDA must not reach a real card by what is not answered.
    rest = [name for name in dir(torch._C) if name.startswith("_cuda_")]
    functions = [name for name in rest if not isinstance(getattr(torch._C, name), type)]
    patches.put(torch._C, {name: not_offered(f"torch._C.{name}") for name in functions})


def _script_stays(self: Any, move: Any, recurse: bool = True) -> Any:
    if move(torch.empty(0)).is_cuda:
        refuse("modules of torch.jit")
    return nn.Module._apply(self, move, recurse)
