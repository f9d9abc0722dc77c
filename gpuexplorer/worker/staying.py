"""Whether a line surely stays on the processor, so that nobody need watch it for copies."""

import ast
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Union

from gpuexplorer.lab.grammar import Line
from gpuexplorer.lab.wire import Train
from gpuexplorer.worker.shelf import is_model, is_tensor

# Who wants to leave the processor needs one of these, whatever the line begins with.
_LEAVING = frozenset(
    {
        "DataParallel",
        "copy_",
        "cpu",
        "cuda",
        "data",
        "device",
        "gpu",
        "load",
        "load_state_dict",
        "to",
        "try_all_gpus",
        "try_gpu",
        "type",
    }
)
_PLAIN = (int, float, complex, str, bytes, type(None))
_LONGEST = 1000  # list that is looked through
_DEEPEST = 3


# Any throughout: things are PyTorch's.
def stays_on_host(what: Union[Line, Train], things: "Mapping[str, Any]") -> bool:  # noqa: UP007 - Python 3.10
    """Errs to the side of no."""
    if isinstance(what, Train):
        names: Iterable[str] = (what.model, what.inputs, what.targets, what.optimiser)
    else:
        names = what.uses
        if not _LEAVING.isdisjoint(_words(what.tree)):
            return False
    return all(_on_host(things.get(name), _DEEPEST) for name in names)


def _words(tree: ast.AST) -> "Iterable[str]":
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.keyword) and node.arg is not None:
            yield node.arg


def _on_host(thing: Any, depth: int) -> bool:
    if isinstance(thing, _PLAIN):
        return True
    if is_tensor(thing):
        return bool(thing.device.type == "cpu")
    if is_model(thing):
        return _all_on_host(chain(thing.parameters(), thing.buffers()))
    if hasattr(thing, "param_groups"):
        return _all_on_host(each for group in thing.param_groups for each in group["params"])
    if isinstance(thing, (list, tuple)) and len(thing) <= _LONGEST and depth > 0:
        return all(_on_host(each, depth - 1) for each in thing)
    return False


def _all_on_host(tensors: "Iterable[Any]") -> bool:
    return all(each.device.type == "cpu" for each in tensors)
