"""What runs in a process that a test spawns: it has simulated cards, as its parent has."""

from typing import Any

from torch import nn

from tests.worker.benches import virtual_bench


def take_and_give(taken: Any, given: Any) -> None:
    """Any: queues of multiprocessing's, and the tensors that come through them."""
    virtual_bench()
    tensor, parameter = taken.get(), taken.get()
    tensor[0] = 7
    given.put((str(tensor.device), tensor.tolist(), type(parameter) == nn.Parameter))  # noqa: E721
    given.put(tensor * 2)
    taken.get()  # what is shared is there until its maker goes
