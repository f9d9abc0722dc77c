"""What PyTorch says of a card that is not there or does not answer, and of operands on
different devices: per operation, as real cards do.
"""

from collections.abc import Sequence

import torch

from gpuexplorer.worker.engine import CardLost
from gpuexplorer.worker.engines.operations import INDEXING

refused = getattr(torch, "AcceleratorError", RuntimeError)  # older PyTorch has no such name
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
_NO_SUCH_CARD = (
    "CUDA error: invalid device ordinal\n"
    "GPU device may be out of range, do you have enough GPUs?"
)


def no_such_card() -> RuntimeError:
    error: RuntimeError = refused(_NO_SUCH_CARD)
    return error


def refuse_after_fork(*, used: bool) -> None:
    """In a child of this process, as CUDA does. `used`: by a tensor that is on a card."""
    if torch.cuda._is_in_bad_fork():
        if used:
            raise refused("CUDA error: initialization error")
        torch.cuda._lazy_init()  # PyTorch's own, which says what to do


def lost(card: str, *, used: bool) -> RuntimeError:
    """`used`: by this process, which then is of no use any more."""
    error: RuntimeError = refused(_BROKE_OFF if used else _NO_CONTEXT)
    error.__cause__ = CardLost(card, used=used)
    return error


# Operations that check their operands by name before the kernel, and how they call them.
_CHECKED = {
    "mm": ("wrapper_CUDA_mm", ("self", "mat2")),
    "addmm": ("wrapper_CUDA_addmm", ("self", "mat1", "mat2")),
    "bmm": ("wrapper_CUDA_bmm", ("self", "mat2")),
    "baddbmm": ("wrapper_CUDA_baddbmm", ("self", "batch1", "batch2")),
    "addmv": ("wrapper_CUDA_addmv_", ("self", "mat", "vec")),
    "mv": ("wrapper_CUDA__mv", ("self", "vec")),
    "dot": ("wrapper_CUDA__dot", ("self", "tensor")),
    "cat": ("wrapper_CUDA_cat", ("tensors", "tensors")),
    "index_select": ("wrapper_CUDA__index_select", ("self", "index")),
    "embedding": ("wrapper_CUDA__index_select", ("self", "index")),
    "gather": ("wrapper_CUDA_gather", ("self", "index")),
    "nll_loss_forward": ("wrapper_CUDA_nll_loss_forward", ("self", "target", "weight")),
    "native_layer_norm": ("wrapper_CUDA__native_layer_norm", ("input", "weight", "bias")),
    "native_batch_norm": (
        "wrapper_CUDA__native_batch_norm",
        ("input", "weight", "bias", "running_mean", "running_var"),
    ),
}
_CONVOLUTIONS = ("convolution", "_convolution", "cudnn_convolution")
_NAMES = {
    torch.float32: "Float",
    torch.float64: "Double",
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
    torch.int64: "Long",
    torch.int32: "Int",
    torch.int16: "Short",
    torch.int8: "Char",
    torch.uint8: "Byte",
    torch.bool: "Bool",
    torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble",
}

Operand = tuple[torch.device, torch.Tensor]


def refusal(name: str, operands: "Sequence[Operand]") -> "RuntimeError | None":
    """None where the devices go together: one number on the host goes with any card."""
    # Positions may be told by tensors on the host, whatever the card.
    if name in INDEXING:
        return _indexing_refusal(operands)
    counted = [
        (position, device, tensor)
        for position, (device, tensor) in enumerate(operands)
        if name in _CHECKED or tensor.dim() > 0 or device.type == "cuda"
    ]
    devices = list(dict.fromkeys(device for _, device, _ in counted))
    if len(devices) < 2:
        return None
    if name in _CONVOLUTIONS:
        types = [type_name(device, tensor) for _, device, tensor in counted[:2]]
        if types[0] != types[1]:
            return RuntimeError(
                f"Input type ({types[0]}) and weight type ({types[1]}) should be the same"
            )
    if name == "masked_fill" and len(operands) > 1 and operands[1][0] != operands[0][0]:
        return RuntimeError(
            "expected self and mask to be on the same device, but got mask on "
            f"{operands[1][0]} and self on {operands[0][0]}"
        )
    checked = _CHECKED.get(name)
    if checked is not None:
        method, names = checked
        _, common, _ = counted[0]
        position, other = next((p, d) for p, d, _ in counted if d != common)
        called = names[min(position, len(names) - 1)]
        return RuntimeError(
            f"Expected all tensors to be on the same device, but got {called} is on {other}, "
            f"different from other tensors on {common} (when checking argument in method "
            f"{method})"
        )
    # Cards are named before the host, as the kernel that complains is a card's.
    devices.sort(key=lambda device: device.type != "cuda")
    return RuntimeError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{devices[0]} and {devices[1]}!"
    )


def type_name(device: torch.device, tensor: torch.Tensor) -> str:
    """As Tensor.type() tells it."""
    kind = f"{_NAMES.get(tensor.dtype, 'Float')}Tensor"
    return f"torch.cuda.{kind}" if device.type == "cuda" else f"torch.{kind}"


def _indexing_refusal(operands: "Sequence[Operand]") -> "RuntimeError | None":
    indexed = operands[0][0]
    for device, tensor in operands[1:]:
        if device in (indexed, torch.device("cpu")) and (
            device == indexed or not tensor.is_floating_point() or tensor.dim() == 0
        ):
            continue
        if tensor.is_floating_point():
            return RuntimeError(
                "Expected all tensors to be on the same device, but found at least two "
                f"devices, {indexed} and {device}!"
            )
        return RuntimeError(
            "indices should be either on cpu or on the same device as the indexed tensor "
            f"({indexed})"
        )
    return None
