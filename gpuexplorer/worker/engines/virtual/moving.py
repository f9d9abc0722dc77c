"""ToCopy: a copy between devices that autograd goes back along."""

from typing import Any

import torch


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
