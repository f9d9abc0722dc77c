"""Between processes: tensors on cards go through queues, and gloo stands in for NCCL."""

from datetime import timedelta
from multiprocessing.reduction import ForkingPickler
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn
from torch.multiprocessing import reductions

from gpuexplorer.worker.engines.virtual.devices import meant
from gpuexplorer.worker.engines.virtual.patches import Patches
from gpuexplorer.worker.engines.virtual.tensor import OnCard

_NAME = "rebuild_tensor_on_card"
_PATIENCE = timedelta(minutes=10)  # of NCCL


# Any throughout: tensors, their classes, and PyTorch's own modules.
def _sent(tensor: Any) -> Any:
    """Both processes see the same values, as by the handles of real cards."""
    refused = tensor.requires_grad and not tensor.is_leaf
    if refused or not issubclass(type(tensor), OnCard):
        return reductions.reduce_tensor(tensor)
    held = tensor.held.detach()
    return _arrived, (held, tensor.card, tensor.stands_for, tensor.requires_grad)


def _arrived(held: Any, card: int, kind: Any, wants: bool) -> Any:
    """The memory counts in the process it comes from."""
    storage = held.untyped_storage()
    storage.stretch, storage.held_bytes = SimpleNamespace(card=card), storage.nbytes()
    made = OnCard(held, meant(card).index).requires_grad_(wants)
    made.__class__ = kind
    return made


# A child finds none of our modules by their names.
_arrived.__module__, _arrived.__qualname__ = reductions.__name__, _NAME


def put_sharing(patches: Patches) -> None:
    patches.put(reductions, {_NAME: _arrived})
    for kind in (torch.Tensor, nn.Parameter):
        ForkingPickler.register(kind, _sent)


def put_nccl(patches: Patches) -> None:
    if not torch.distributed.is_available():
        return
    c10d: Any = torch.distributed.distributed_c10d
    gloo: Any = c10d.ProcessGroupGloo

    class ProcessGroupNCCL(gloo):
        Options = SimpleNamespace

        def __init__(self, store: Any, rank: int, size: int, options: Any) -> None:
            super().__init__(store, rank, size, timeout=options._timeout)

    patches.put(
        c10d,
        {
            "_NCCL_AVAILABLE": True,
            "ProcessGroupNCCL": ProcessGroupNCCL,
            "default_pg_nccl_timeout": _PATIENCE,
        },
    )
    patches.put(torch.distributed, {"ProcessGroupNCCL": ProcessGroupNCCL})
    # The values of a card lie in the host's memory.
    able = {**c10d.Backend.backend_capability, "nccl": ["cuda", "cpu"]}
    patches.put(c10d.Backend, {"backend_capability": able})
