"""autocast("cuda") on simulated cards, by the rules that this PyTorch has for CUDA.

To its own code no tensor here is a CUDA tensor. So tensors on simulated cards carry the key
of another kind of device that nobody has; it is switched on and off with CUDA's, and does for
every operation what CUDA's would do.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from gpuexplorer.worker.engines.virtual.patches import Patches, refuse

_DEVICE, _KEY = "ipu", "AutocastIPU"
KEYS = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, _KEY))
_TO_LOWER = """
    _convolution _scaled_dot_product_flash_attention _thnn_fused_gru_cell _thnn_fused_lstm_cell
    addbmm addmm addmv addr baddbmm bmm chain_matmul conv1d conv2d conv3d conv_tbc
    conv_transpose1d conv_transpose2d conv_transpose3d convolution cudnn_convolution
    cudnn_convolution_transpose einsum gru gru_cell linalg_multi_dot linalg_vecdot linear lstm
    lstm_cell matmul mm mv prelu rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell
    scaled_dot_product_attention
"""
_TO_WIDEST = """
    addcdiv addcmul atan2 bilinear cross dot grid_sampler index_put scatter_add tensordot vdot
"""
_LOWER, _WIDEST = frozenset(_TO_LOWER.split()), frozenset(_TO_WIDEST.split())
_LIBRARY_OF_CUDA = ("lstm.input", "gru.input", "rnn_tanh.input", "rnn_relu.input")
_BANNED = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using "
    "torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast."
)
# Older PyTorch cannot let the operations pass that autocast leaves alone.
_can_cast = hasattr(torch.library.Library, "fallback")
_kept: "list[torch.library.Library]" = []  # for as long as the process lives


# Any throughout: operations and their operands are whatever PyTorch hands on.
def _kernel(operation: Any, name: str) -> "Callable[..., Any]":
    def run(*args: Any, **kwargs: Any) -> Any:
        if name == "binary_cross_entropy":
            raise RuntimeError(_BANNED)
        wanted = _wanted(name, (args, kwargs))

        def fit(each: Any) -> Any:
            return each.to(wanted) if _is_cast(each) else each

        with torch._C._ExcludeDispatchKeyGuard(KEYS):
            args, kwargs = tree_map_only(torch.Tensor, fit, (args, kwargs))
            return operation(*args, **kwargs)

    return run


def _wanted(name: str, operands: Any) -> torch.dtype:
    if name in _LOWER:
        return torch.get_autocast_dtype("cuda")
    if name not in _WIDEST:
        return torch.float32
    kinds = {each.dtype for each in tree_leaves(operands) if _is_cast(each)}
    return torch.float32 if torch.float32 in kinds else torch.get_autocast_dtype("cuda")


def _is_cast(value: Any) -> bool:
    if not isinstance(value, torch.Tensor) or not value.is_cuda:
        return False
    return bool(value.is_floating_point()) and value.dtype != torch.float64


def _register() -> None:
    library = torch.library.Library("aten", "IMPL", _KEY)
    known = torch._C._dispatch_get_registrations_for_dispatch_key("AutocastCUDA")
    names = [each.partition("::")[2] for each in known if each.startswith("aten::")]
    for each in (*names, *_LIBRARY_OF_CUDA):
        name, _, overload = each.partition(".")
        packet = getattr(torch.ops.aten, name)
        library.impl(each, _kernel(getattr(packet, overload or "default"), name))
    _kept.append(library)
    others = torch.library.Library("_", "IMPL", _KEY)
    if _can_cast:
        others.fallback(torch.library.fallthrough_kernel)
        _kept.append(others)


def put_casting(patches: Patches) -> None:
    if not _kept:
        _register()
    enable = torch.set_autocast_enabled

    def set_autocast_enabled(*args: Any) -> None:
        """Of a kind of device; without one, of CUDA."""
        enable(*args)
        if len(args) == 1 or args[0] == "cuda":
            if args[-1] and not _can_cast:
                refuse("autocast under this PyTorch")
            enable(_DEVICE, args[-1])

    patches.put(torch, {"set_autocast_enabled": set_autocast_enabled})
