"""Our modules, out of the program's way; and when it has imported one that matters."""

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
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
