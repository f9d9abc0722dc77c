"""Two cards that are none: tensors that say they lie on one, and events that come at once.

Enough for what watches real cards to be tried where there are none. Needs torch.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch.optim import optimizer
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map
from torch.utils.data import dataloader

CARDS = 2
done: list[str] = []  # what the cards were asked for, in order; "moment": an event


class Moment:
    """torch.cuda.Event of a card that is always idle."""

    def __init__(self, enable_timing: bool = False) -> None:
        self.at: float | None = None

    def record(self, stream: object = None) -> None:
        assert not Graph.captured, "it would be captured with the rest"
        self.at = time.perf_counter()
        done.append("moment")

    def query(self) -> bool:
        assert not Graph.captured, "CUDA error: operation not permitted when capturing"
        return self.at is not None

    def synchronize(self) -> None:
        """It has come already."""

    def elapsed_time(self, other: "Moment") -> float:
        assert self.at is not None
        assert other.at is not None
        return (other.at - self.at) * 1e3


class Graph:
    """torch.cuda.CUDAGraph: while one is captured, a card that is asked anything breaks it."""

    captured = False

    def capture_begin(self, pool: object = None, capture_error_mode: str = "global") -> None:
        Graph.captured = True

    def capture_end(self) -> None:
        Graph.captured = False

    def replay(self) -> None:
        done.append("replay")


# Any throughout: operations and operands are whatever PyTorch hands on.
class OnCard(torch.Tensor):
    """Its values lie on the host; PyTorch's own code knows it as on a device beside."""

    held: torch.Tensor
    card: int

    @staticmethod
    def __new__(cls, held: torch.Tensor, card: int) -> "OnCard":
        made: OnCard = torch.Tensor._make_wrapper_subclass(
            cls, held.shape, strides=held.stride(), dtype=held.dtype, device=f"cpu:{card + 1}"
        )
        made.held, made.card = held, card
        return made

    @property
    def device(self) -> torch.device:
        return torch.device("cuda", self.card)

    @property
    def is_cuda(self) -> bool:
        return True

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return _carried_out(func, args, kwargs or {})


class _TwoCards(TorchDispatchMode):
    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return _carried_out(func, args, kwargs or {})


def _carried_out(func: Any, args: Any, kwargs: Any) -> Any:
    done.append(func.overloadpacket.__name__)
    operands = [*args, *(each for row in args if isinstance(row, list) for each in row)]
    cards = [each.card for each in operands if isinstance(each, OnCard)]
    asked = kwargs.get("device")
    if asked is not None:
        kwargs = {**kwargs, "device": torch.device("cpu")}
        cards = [asked.index or 0] if asked.type == "cuda" else []
    made = func(*tree_map(_bare, args), **tree_map(_bare, kwargs))
    if func is torch.ops.aten.copy_.default:
        return args[0]
    if not cards:
        return made
    return tree_map(
        lambda each: OnCard(each, cards[0]) if type(each) is torch.Tensor else each, made
    )


def _bare(value: Any) -> Any:
    return value.held if isinstance(value, OnCard) else value


def _start(thread: threading.Thread, start: Any = threading.Thread.start) -> None:
    """Every thread knows the two cards."""
    run = thread.run

    def on_two_cards() -> None:
        with _TwoCards():
            run()

    setattr(thread, "run", on_two_cards)  # noqa: B010 - a method to mypy
    start(thread)


@contextmanager
def two_cards(monkeypatch: pytest.MonkeyPatch) -> "Iterator[None]":
    put_back(monkeypatch)
    monkeypatch.setattr(threading.Thread, "start", _start)
    with _TwoCards():
        yield


def put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the watch puts in PyTorch's place, after the test."""
    monkeypatch.setattr(torch.cuda, "Event", Moment)
    monkeypatch.setattr(torch.cuda, "_lazy_init", lambda: None)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device=None: None)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda index=None: None)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: CARDS)
    monkeypatch.setattr(torch.cuda, "can_device_access_peer", lambda one, other: one < other)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", Graph)
    monkeypatch.setattr(optimizer, "_global_optimizer_post_hooks", OrderedDict())
    for owner, *names in (
        (torch.Tensor, "to", "cuda", "cpu"),
        (torch.nn.Module, "to", "cuda", "cpu"),
        (torch.nn.parameter.UninitializedTensorMixin, "_allowed_methods"),
        (torch._tensor_str, "_str"),
        (threading.Thread, "start"),
        (dataloader._SingleProcessDataLoaderIter, "_next_data"),
        (dataloader._MultiProcessingDataLoaderIter, "_next_data"),
        (Graph, "capture_begin", "capture_end", "replay"),
    ):
        for name in names:
            monkeypatch.setattr(owner, name, getattr(owner, name))
    Graph.captured = False
    done.clear()
