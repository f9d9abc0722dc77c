"""What is refused: in PyTorch's words what real cards refuse, by name what simulated ones do
not offer; and what stands in PyTorch's place meanwhile.
"""

import functools
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NoReturn

import torch
from torch import nn
from torch._prims_common import alert_not_deterministic
from torch._subclasses.fake_tensor import FakeTensorConverter
from torch.utils._pytree import tree_leaves

from gpuexplorer.worker.engine import CardLost
from gpuexplorer.worker.engines.sight import INDEXING

# Older PyTorch has no such name.
refused: "Callable[[str], RuntimeError]" = getattr(torch, "AcceleratorError", RuntimeError)
_MORE = (
    "\nSearch for `{}' in https://docs.nvidia.com/cuda/cuda-runtime-api/"
    "group__CUDART__TYPES.html for more information.\n"
    "CUDA kernel errors might be asynchronously reported at some other API call, so the "
    "stacktrace below might be incorrect.\n"
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)
# Of a card that falls off the bus: by a process that used it, and by one that did not yet.
_BROKE_OFF = "CUDA error: unspecified launch failure" + _MORE.format("cudaErrorLaunchFailure")
_NO_CONTEXT = "CUDA error: unknown error" + _MORE.format("cudaErrorUnknown")
ASSERTED = "CUDA error: device-side assert triggered" + _MORE.format("cudaErrorAssert")
NO_SUCH_CARD = (
    "CUDA error: invalid device ordinal\n"
    "GPU device may be out of range, do you have enough GPUs?"
)


def refuse_after_fork(*, used: bool) -> None:
    """In a child of this process, as CUDA does. `used`: by a tensor that is on a card."""
    if torch.cuda._is_in_bad_fork():
        if used:
            raise refused("CUDA error: initialization error")
        torch.cuda._lazy_init()  # PyTorch's own, which says what to do


def lost(card: str, *, used: bool) -> RuntimeError:
    """`used`: by this process, which then is of no use any more."""
    error = refused(_BROKE_OFF if used else _NO_CONTEXT)
    error.__cause__ = CardLost(card, used=used)
    return error


# What kernels assert of numbers they find, as they print it, by the operations that use them.
_SELECTING = (
    *("index_select", "index_add", "index_add_", "index_copy", "index_copy_", "index_fill"),
    *("index_fill_", "embedding", "_embedding_bag", "_embedding_bag_forward_only"),
)
_SCATTERING = (
    *("gather", "scatter", "scatter_add", "scatter_reduce"),
    *("scatter_", "scatter_add_", "scatter_reduce_", "take", "put", "put_"),
)
_CLASSES = "nll_loss_forward", "nll_loss2d_forward"
_ASSERTIONS = {
    **dict.fromkeys(INDEXING, 'index < sizes[i] && "index out of bounds"'),
    **dict.fromkeys(_SELECTING, "srcIndex < srcSelectDimSize"),
    **dict.fromkeys(_SCATTERING, "idx_dim >= 0 && idx_dim < index_size"),
    **dict.fromkeys(_CLASSES, "t >= 0 && t < n_classes"),
    **dict.fromkeys(("multinomial", "_assert_async"), "input[0] != 0"),
    **dict.fromkeys(("bernoulli", "bernoulli_"), "0 <= p4 && p4 <= 1"),
    "binary_cross_entropy": "input_val >= zero && input_val <= one",
}
# Of what the processor says there, all else is said before a kernel is asked for.
_OUT_OF_RANGE = re.compile(
    r"out of (range|bounds|DATA bounds)(?!.*expected to be in range)|between 0 and 1|"
    r"probability tensor contains|single nonzero value|Target -?\d+|Expected (p_in|idx) >= 0|"
    r"target out of range|not in the valid range"
)


def assertion(name: str, error: Exception) -> "str | None":
    """What the kernel prints that met it. None: it is no kernel that complains."""
    if name not in _ASSERTIONS or not _OUT_OF_RANGE.search(str(error)):
        return None
    where = f"ATen/native/cuda: {name}: block: [0,0,0], thread: [0,0,0]"
    return f"{where} Assertion `{_ASSERTIONS[name]}` failed."


# What CUDA has no kernel for, by the operation: of whole numbers;
_ONLY_FLOATING = {
    **dict.fromkeys(("mm", "addmm"), "addmm_cuda"),
    **dict.fromkeys(("bmm", "baddbmm"), "baddbmm_cuda"),
    **dict.fromkeys(("mv", "addmv"), "addmv_impl_cuda"),
    **{name: name for name in ("dot", "vdot")},
    "convolution": "slow_conv2d_cuda",
}
# and of a deterministic kind.
_NOT_DETERMINISTIC = {
    "_adaptive_avg_pool2d_backward": "adaptive_avg_pool2d_backward_cuda",
    "_ctc_loss_backward": "ctc_loss_backward_gpu",
    "cumsum": "cumsum_cuda_kernel",
    "grid_sampler_2d_backward": "grid_sampler_2d_backward_cuda",
    "histc": "_histc_cuda",
    "median": "median CUDA with indices output",
    "nll_loss2d_forward": "nll_loss2d_forward_out_cuda_template",
    "reflection_pad2d_backward": "reflection_pad2d_backward_cuda",
    "upsample_bicubic2d_backward": "upsample_bicubic2d_backward_out_cuda",
    "upsample_bilinear2d_backward": "upsample_bilinear2d_backward_out_cuda",
}
LACKING = frozenset({*_ONLY_FLOATING, *_NOT_DETERMINISTIC, "_scaled_mm"})
_EIGHT_BITS_FROM = 8, 9  # capability


def refuse_lacking(
    name: str, operands: "Sequence[torch.Tensor]", capability: "tuple[int, int]"
) -> None:
    """Of an operation in LACKING; in CUDA's words."""
    first, last = operands[0].dtype, operands[-1].dtype
    if name in _ONLY_FLOATING and not (last.is_floating_point or last.is_complex):
        kernel = _ONLY_FLOATING[name]
        kind = type_name(operands[-1]).removeprefix("torch.cuda.").removesuffix("Tensor")
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{kind}'")
    if name == "_scaled_mm" and capability < _EIGHT_BITS_FROM:
        raise RuntimeError(
            "torch._scaled_mm is only supported on CUDA devices with compute capability >= 9.0 "
            "or 8.9, or ROCm MI300+"
        )
    if name in _NOT_DETERMINISTIC and (name != "cumsum" or first.is_floating_point):
        alert_not_deterministic(_NOT_DETERMINISTIC[name])


# Operations that check their operands by name before the kernel, and how they call themselves.
_CHECKED = {
    **{each: each for each in ("mm", "addmm", "bmm", "cat", "gather", "nll_loss_forward")},
    **{each: f"_{each}" for each in ("native_layer_norm", "native_batch_norm", "index_select")},
    "embedding": "_index_select",
}
_SAME = "Expected all tensors to be on the same device, but "
# Lengths of sequences are the host's business, also where the sequences are on a card.
_LENGTHS_ON_HOST = "_pack_padded_sequence", "_pad_packed_sequence"


# Any: an operation of PyTorch's.
def refuse_other_devices(func: Any, operands: "Sequence[torch.Tensor]") -> None:
    """Raises where they do not go together: one number on the host goes with any card."""
    name = func.overloadpacket.__name__
    if name in _LENGTHS_ON_HOST:
        return
    first = operands[0].device
    if name in INDEXING:  # positions may be told by tensors on the host, whatever the card
        for each in operands[1:]:
            on_host = each.device.type == "cpu"
            if each.is_floating_point():
                if each.device != first and not (on_host and each.dim() == 0):
                    raise _found(first, each.device)
            elif each.device != first and not on_host:
                raise RuntimeError(
                    "indices should be either on cpu or on the same device as the indexed "
                    f"tensor ({first})"
                )
        return
    numbers = name not in _CHECKED  # of the host's go with any card
    counted = [each for each in operands if not numbers or each.dim() > 0 or each.is_cuda]
    devices = list(dict.fromkeys(each.device for each in counted))
    if len(devices) < 2:
        return
    if "convolution" in name:
        types = [type_name(each) for each in counted[:2]]
        if types[0] != types[1]:
            raise RuntimeError(
                f"Input type ({types[0]}) and weight type ({types[1]}) should be the same"
            )
    if name in _CHECKED:
        words = (each for each in func._schema.arguments if "Tensor" in str(each.type))
        names = ["self", "index"] if name == "embedding" else [each.name for each in words]
        at = next(at for at, each in enumerate(operands) if each.device != devices[0])
        raise RuntimeError(
            f"{_SAME}got {names[min(at, len(names) - 1)]} is on {devices[1]}, different from "
            f"other tensors on {devices[0]} (when checking argument in method "
            f"wrapper_CUDA_{_CHECKED[name]})"
        )
    # Cards are named before the host, as the kernel that complains is a card's.
    raise _found(*sorted(devices, key=lambda device: device.type != "cuda")[:2])


def _found(one: torch.device, other: torch.device) -> RuntimeError:
    return RuntimeError(f"{_SAME}found at least two devices, {one} and {other}!")


_type = torch.Tensor.type  # PyTorch's own; another answers by its name meanwhile


# Any: a tensor, wherever it lies.
def type_name(of: Any) -> str:
    """As Tensor.type() tells it."""
    name = str(_type(getattr(of, "held", of)))
    return name.replace("torch.", "torch.cuda.") if of.is_cuda else name


_MISSING = object()
# Any throughout: modules and classes of PyTorch's, and what is put there.
_before: "list[tuple[Any, str, Any]]" = []


def put(owner: Any, answers: "Mapping[str, Any]") -> None:
    """In PyTorch's place, for the whole process and every thread of it, until it is undone."""
    for name, answer in answers.items():
        _before.append((owner, name, vars(owner).get(name, _MISSING)))
        setattr(owner, name, answer)


def undo() -> None:
    while _before:
        owner, name, before = _before.pop()
        if before is _MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, before)


def refuse(what: str) -> NoReturn:
    raise NotImplementedError(f"Simulated cards do not offer {what}.")


# Any throughout: whatever is handed to what is not offered.
def not_offered(what: str) -> Any:
    """A function and a class at once, that refuses to be called."""

    def call(*_: Any, **__: Any) -> NoReturn:
        refuse(what)

    return type(what, (), {"__new__": call})


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
    kind = str(value) if isinstance(value, (str, torch.device)) else ""
    return kind.startswith(("cuda", "torch.cuda."))


def put_refusals() -> None:
    sparse = [name for name in dir(torch) if re.fullmatch(r"sparse_\w+_tensor", name)]
    for owner, names, what in (
        (torch, sparse, "sparse tensors"),
        (torch.nested, ("nested_tensor", "as_nested_tensor"), "nested tensors"),
        (torch, ("set_default_tensor_type",), "torch.set_default_tensor_type"),
        (torch.jit, ("trace", "trace_module", "script"), "modules of torch.jit"),
        (torch, ("to_dlpack",), "DLPack"),
        (torch.utils.dlpack, ("to_dlpack",), "DLPack"),
        (torch.export, ("export", "draft_export"), "torch.export"),
        (FakeTensorConverter, ("from_real_tensor",), "tracing with fake tensors"),
    ):
        for name in names:
            if hasattr(owner, name):
                put(owner, {name: _only_on_host(getattr(owner, name), what)})
    put(torch, {"compile": _compile})
    # For NVIDIA's profilers, of which none is listening.
    marks = ("rangePushA", "rangePop", "rangeStartA", "rangeEnd", "markA")
    put(torch.cuda.nvtx, {"_nvtx": SimpleNamespace(**dict.fromkeys(marks, lambda *_: 0))})
    for owner in (torch.cuda, torch.cuda.profiler):
        put(owner, {"cudart": not_offered("functions of CUDA's own (torch.cuda.cudart)")})
    put(torch.jit.ScriptModule, {"_apply": _script_stays})
    # What is not answered is refused; nor must a PyTorch that was built with CUDA reach a real
    # card by it.
    for name in dir(torch._C):
        if name.startswith("_cuda_") and not isinstance(getattr(torch._C, name), type):
            put(torch._C, {name: not_offered(f"torch._C.{name}")})
    put(torch._C, {"__getattr__": _unknown})


def _unknown(name: str) -> Any:
    if not name.startswith("_cuda_"):
        raise AttributeError(f"module 'torch._C' has no attribute '{name}'")
    caller = sys._getframe(1)
    return not_offered(f"{caller.f_globals['__name__']}.{caller.f_code.co_name}")


def _compile(model: Any = None, **_: Any) -> Any:
    """What is compiled computes the same, so it runs as it is."""
    warnings.warn(
        "Simulated cards do not offer torch.compile: what it was given runs as it is.",
        stacklevel=2,
    )
    return (lambda given: given) if model is None else model


def _script_stays(self: Any, move: Any, recurse: bool = True) -> Any:
    if move(torch.empty(0)).is_cuda:
        refuse("modules of torch.jit")
    return nn.Module._apply(self, move, recurse)
