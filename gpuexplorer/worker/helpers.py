"""What a line may call beside PyTorch: the book's functions, models, and Python's harmless."""

from collections.abc import Callable, Mapping
from typing import Any

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.worker.engine import Engine
from gpuexplorer.worker.models import MODELS

_MOST_RANGE = 1_000_000


def helpers(
    engine: Engine,
    printed: "Callable[[str], None]",
    placed: "Callable[[str], None]",
) -> "Mapping[str, Callable[..., Any]]":
    """By name. Devices are asked for anew each time: the visible cards are chosen per start."""
    device = engine.word("torch.device")
    count = engine.word("torch.cuda.device_count")

    def cpu() -> Any:
        return device("cpu")

    def gpu(i: int = 0) -> Any:
        return device(f"cuda:{i}")

    def try_gpu(i: int = 0) -> Any:
        return gpu(i) if count() >= i + 1 else cpu()

    def try_all_gpus() -> "list[Any]":
        return [gpu(i) for i in range(count())]

    def say(*values: object) -> None:
        printed(" ".join(str(value) for value in values))

    say.__qualname__ = "print"  # as PyTorch's and Python's complaints name it

    def log_placement(on: bool) -> None:
        engine.log_placement(placed if on else None)

    def some_range(*numbers: int) -> "list[int]":
        made = range(*numbers)
        if len(made) > _MOST_RANGE:
            raise Trouble(
                "A range of {count} numbers is too long for the lab.", count=len(made)
            )
        return list(made)

    return {
        **MODELS,
        "cpu": cpu,
        "gpu": gpu,
        "num_gpus": count,
        "try_gpu": try_gpu,
        "try_all_gpus": try_all_gpus,
        "log_placement": log_placement,
        "print": say,
        "range": some_range,
        "len": len,
        "float": float,
        "int": int,
        "bool": bool,
        "abs": abs,
        "min": min,
        "max": max,
        "sum": sum,
        "list": list,
        "tuple": tuple,
        "type": lambda thing: type(thing).__name__,
    }
