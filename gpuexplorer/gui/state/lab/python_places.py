"""Where Pythons for the lab are looked for: on this computer, or on another one."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.pythons import LabPython, ask, candidates, chosen
from gpuexplorer.remote.far.machine import FarMachine
from gpuexplorer.remote.far.pythons import python_there, pythons_there

_REMEMBERED = "lab/python"
Asked = Sequence[LabPython]  # in that order
Answer = Asked | Trouble  # or why the one that was picked cannot be used


class PythonPlace(Protocol):
    """`asked` and `picked` wait; they hold nothing of Qt."""

    @property
    def key(self) -> str:
        """Of the setting that remembers the chosen one."""

    @property
    def computer(self) -> str:
        """Its name; empty for this one."""

    def asked(self, earlier: Path | None, given_up: threading.Event, *, first: bool) -> Answer:
        """All that may be one, or up to the `first` that is usable; what was chosen `earlier`
        before all others.
        """

    def picked(self, path: Path, given_up: threading.Event) -> Answer: ...

    def none_has_torch(self, asked: int) -> Message:
        """When so many Python programs were asked."""


class Here:
    key, computer = _REMEMBERED, ""

    def asked(self, earlier: Path | None, given_up: threading.Event, *, first: bool) -> Answer:
        asked: list[LabPython] = []
        for path in _in_order(earlier):
            if given_up.is_set() or (first and asked and asked[-1].usable):
                break
            asked.append(ask(path, given_up=given_up))
        return asked

    def picked(self, path: Path, given_up: threading.Event) -> Answer:
        try:
            return [chosen(path, given_up)]
        except Trouble as trouble:
            return trouble

    def none_has_torch(self, asked: int) -> Message:
        if not asked:
            return Message("No Python was found on this computer.")
        return Message.counted(
            "The one Python program on this computer does not have PyTorch.",
            "Of {count} Python programs on this computer none has PyTorch.",
            asked,
        )


class There:
    def __init__(self, far: FarMachine) -> None:
        self._far = far
        self.computer = far.host.text
        self.key = f"{_REMEMBERED} of {quote(self.computer, safe='')}"

    def asked(self, earlier: Path | None, given_up: threading.Event, *, first: bool) -> Answer:
        try:
            before = [] if earlier is None else [python_there(self._far, earlier)]
            if first and before and before[0].usable:
                return before
            others = [each for each in pythons_there(self._far) if each.path != earlier]
        except Trouble as trouble:
            return trouble
        usable = next((at for at, each in enumerate(others) if each.usable), len(others))
        return [*before, *(others[: usable + 1] if first else others)]

    def picked(self, path: Path, given_up: threading.Event) -> Answer:
        try:
            python = python_there(self._far, path)
        except Trouble as trouble:
            return trouble
        if python.usable:
            return [python]
        return Trouble(python.trouble, "Choose another, or install PyTorch into it there.")

    def none_has_torch(self, asked: int) -> Message:
        if not asked:
            return Message("No Python was found on {host}.", host=self.computer)
        return Message.counted(
            "The one Python program on {host} does not have PyTorch.",
            "Of {count} Python programs on {host} none has PyTorch.",
            asked,
            host=self.computer,
        )


class Nowhere:
    """Of a machine on which nothing can be started, nor is anything remembered."""

    key = "lab/nowhere"

    def __init__(self, computer: str, why: Message) -> None:
        self.computer, self._why = computer, why

    def asked(self, earlier: Path | None, given_up: threading.Event, *, first: bool) -> Answer:
        return Trouble(self._why)

    def picked(self, path: Path, given_up: threading.Event) -> Answer:
        return Trouble(self._why)

    def none_has_torch(self, asked: int) -> Message:
        return self._why


def _in_order(first: Path | None) -> Sequence[Path]:
    """All that may be one, the one that was chosen earlier first."""
    paths = candidates(dict(os.environ), Path.home())
    return paths if first is None else [first, *(each for each in paths if each != first)]
