"""Start: what a worker's process is started with; Program, which it may run; and Begun, by
which that process is reached, here or on another computer. The lab knows not how that is done.
"""

import base64
import json
import os
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from gpuexplorer.core.doctor import doctor
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab import packaged

# An empty line so often says that somebody is there; a worker over there that heard nothing for
# so long is ended, since the end of its pipe may never be told.
SIGN_EVERY = 2.0
ALONE = 20.0
NAME = "GPUEXPLORER_LAB"
PIPE = "GPUEXPLORER_PIPE"  # the variable with the number of a program's end of our pipe
PROGRAM = 1  # the number of the command that a program is

_PACKAGE = Path(__file__).parents[1]
_SEARCHED = "PYTHONPATH"
# Of ours, the other Python shall find this one package and nothing that lies beside it: a numpy
# made for another Python would break its torch. Nor what happens to lie in the folder it is in.
_BOOTSTRAP = """
import sys
sys.path[:] = [each for each in sys.path if each]
import importlib.util, os, runpy
home = sys.argv[1]
spec = importlib.util.spec_from_file_location(
    "gpuexplorer", os.path.join(home, "__init__.py"), submodule_search_locations=[home]
)
sys.modules["gpuexplorer"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["gpuexplorer"])
runpy.run_module("gpuexplorer.worker", run_name="__main__")
"""


def packed(settings: "Mapping[str, object]") -> str:
    return base64.b64encode(zlib.compress(json.dumps(settings).encode())).decode("ascii")


# Any: it is JSON.
def unpacked(text: str) -> "dict[str, Any]":
    """An empty text tells nothing."""
    return json.loads(zlib.decompress(base64.b64decode(text))) if text else {}


class Begun:
    """The worker's own process; or one here whose pipes are those of a worker over there."""

    is_far = False
    preamble = b""  # is written before the first command

    def __init__(
        self, command: "list[str]", variables: "Mapping[str, str]", folder: "Path | None" = None
    ) -> None:
        self.command, self.variables, self.folder = command, variables, folder

    def lines(self, said: "IO[bytes]") -> "Iterator[str]":
        """What the worker says, and nothing that others said before it."""
        return (line.decode("utf-8", "replace") for line in said)

    def complaints(self, said: "IO[bytes]") -> "Iterator[str]":
        return Begun.lines(self, said)

    def why(self, status: int) -> Message:
        """It ended; empty where the worker did, whose status this is."""
        return NOTHING

    def close(self) -> None:
        """It is over. Harmless when called twice."""


class Elsewhere(Protocol):
    """Another computer, by whatever way."""

    @property
    def asked_as(self) -> str: ...  # as a command line names it
    def begin(self, start: "Start") -> Begun: ...  # raises Trouble where no way leads there


@dataclass(frozen=True)
class Program:
    """A person's program, which the process runs as `python FILE` would, and watches."""

    path: Path
    arguments: "Sequence[str]" = ()
    own_streams: bool = False  # our terminal's; else its output comes as Printed
    traced: bool = False


@dataclass(frozen=True)
class Start:
    """Which Python is started, and what it is told before PyTorch is imported."""

    python: Path = Path(sys.executable)
    visible: "Sequence[str] | None" = None  # UUIDs or numbers of the real cards, in order
    environment: "Mapping[str, str]" = field(default_factory=dict)
    folder: "Path | None" = None  # where files without a folder are
    seed: int = 0
    cards: "Sequence[Mapping[str, object]]" = ()  # simulated ones; none: the real devices
    links: "Sequence[Mapping[str, object]]" = ()
    program: "Program | None" = None
    sampled: bool = False  # the watch may leave steps out, to take less time
    # The computer it runs on, where that is another one; all paths are those over there.
    elsewhere: "Elsewhere | None" = None

    @property
    def command(self) -> "list[str]":
        if packaged.is_this_program(self.python):
            return [str(packaged.program_for_worker(self.python)), packaged.ROLE]
        # The system's packager does not know of files that root leaves in our folder.
        options = ["-B"] if packaged.folder() is not None else []
        words = ["-c", _BOOTSTRAP, str(_PACKAGE)] if self.program is None else self._words
        return [str(self.python), *options, *words]

    @property
    def doctor(self) -> str:
        """The command that looks at the computer it runs on."""
        return doctor("" if self.elsewhere is None else self.elsewhere.asked_as)

    def begin(self) -> Begun:
        """Never waits."""
        if self.elsewhere is not None:
            return self.elsewhere.begin(self)
        return Begun(self.command, self.variables_in(os.environ), self.folder)

    def variables_in(self, surroundings: "Mapping[str, str]") -> "dict[str, str]":
        variables = dict(surroundings)
        if self.visible is not None:
            variables["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
            variables["CUDA_VISIBLE_DEVICES"] = ",".join(self.visible)
        names = ("cards", "links", "seed", "sampled")
        settings: dict[str, object] = {name: getattr(self, name) for name in names}
        if self.program is None:
            # Queues of one card beyond its connections share one, and wait for each other
            # there: eight if nothing is said, and with eight cards more are used at a time.
            variables.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")
            variables["PYTHONUNBUFFERED"] = "1"
        else:
            settings.update(
                program=self._words,
                own_streams=self.program.own_streams,
                traced=self.program.traced,
                searched=variables.get(_SEARCHED),
            )
            # What Python imports from there by itself puts all this back.
            ways = [str(_PACKAGE / "worker" / "beginning"), variables.get(_SEARCHED)]
            variables[_SEARCHED] = os.pathsep.join(filter(None, ways))
        if self.cards:
            # Gradients are computed in a thread beside the main one, each with threads that
            # help it. Those that wait in a loop for more work take the others' cores.
            variables.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        variables.update(self.environment)
        variables[NAME] = packed(settings)
        return variables

    @property
    def _words(self) -> "list[str]":
        """What stands behind `python`."""
        assert self.program is not None
        return [str(self.program.path), *self.program.arguments]
