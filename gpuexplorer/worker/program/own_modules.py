"""Our modules, out of the program's way; when it has imported one that matters; and simulated
cards in what it starts.
"""

import contextlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_OURS = "gpuexplorer"


class OwnModules:
    """What the program imports as gpuexplorer is what is installed, or lies beside it."""

    def __init__(self) -> None:
        self._ours: dict[str, ModuleType] = {}

    def hide(self) -> None:
        self._ours = _taken()

    @contextlib.contextmanager
    def shown(self) -> "Iterator[None]":
        """While we import more of ours."""
        theirs = _taken()
        sys.modules.update(self._ours)
        try:
            yield
        finally:
            self._ours = _taken()
            sys.modules.update(theirs)


def _taken() -> "dict[str, ModuleType]":
    names = [each for each in sys.modules if each.partition(".")[0] == _OURS]
    return {each: sys.modules.pop(each) for each in names}


def when_imported(
    name: str, around: "Callable[[], AbstractContextManager[None]]", then: "Callable[[], None]"
) -> None:
    """Calls `then` at once, or in the import of the module, as its last part; `around` it."""
    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _Finder(name, around, then))


class _Finder:
    def __init__(
        self,
        name: str,
        around: "Callable[[], AbstractContextManager[None]]",
        then: "Callable[[], None]",
    ) -> None:
        self._name = name
        self._around = around
        self._then = then
        self._asking = False

    # Any: a loader is whatever finds the module.
    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: Any = None
    ) -> "ModuleSpec | None":
        if name != self._name or self._asking:
            return None
        self._asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._asking = False
        if spec is not None and spec.loader is not None:
            self._listen(spec.loader)
        return spec

    def _listen(self, loader: Any) -> None:
        original = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module
            with self._around():
                original(module)
            sys.meta_path.remove(self)
            self._then()

        loader.exec_module = exec_module


_WAITING = "OMP_WAIT_POLICY"


@contextlib.contextmanager
def waiting_passively() -> "Iterator[None]":
    """Around PyTorch's import, which reads it once: threads that wait shall not take the cores
    of those that stand in for the cards.
    """
    ours = _WAITING not in os.environ
    if ours:
        os.environ[_WAITING] = "PASSIVE"
    try:
        yield
    finally:
        if ours:
            os.environ.pop(_WAITING, None)


# Any: the settings are JSON; and an engine, whose module takes long to be imported.
def engine_here(settings: "Mapping[str, Any]") -> Any:
    """Raises ImportError in a sentence."""
    try:
        from gpuexplorer.worker.engine import engine_for  # noqa: PLC0415 - as above

        return engine_for(settings)
    except (ImportError, AttributeError) as error:
        from gpuexplorer.core.words import Message  # noqa: PLC0415 - as above

        lacking = Message(
            "This PyTorch lacks what the lab needs: {said}.", said=f"{error}".rstrip(".")
        )
        raise ImportError(lacking) from None


def begin_as_parent() -> None:
    """In a process that a cell or a program with simulated cards has started, such as by
    `spawn` or torchrun: it has those cards, too, and is not watched.
    """
    modules = OwnModules()

    def put_cards() -> None:
        with modules.shown():
            from gpuexplorer.lab.start import NAME, unpacked  # noqa: PLC0415 - takes a while

            engine = engine_here(unpacked(os.environ[NAME]))
        engine.running(watched=False, program=True).__enter__()

    when_imported("torch", waiting_passively, put_cards)
    modules.hide()
