"""Parcel: our own parts as one text and one zip, run from memory by a Python over there."""

import functools
import importlib.util
import io
import os
import re
import zipfile
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab import packaged

# Small, and read alike by every shell: nothing in it means anything within double quotes.
_FIRST = "import os;i=os.fdopen(0,'rb',0);s=eval(i.readline());exec(s)"
# What some shell takes for something else, even between quotes.
_MEANS_SOMETHING = re.compile(r"""["'$`!%\\\x00-\x1f\x7f]""")
_PLAIN = re.compile(r"(~/)?[\w./+-]*", re.ASCII)
PYTHON = "python3"  # over there, where no other is named
_PACKAGE = Path(__file__).parents[1]
_VENDORS_LIBRARY = "pynvml"


class Kind(Enum):
    """What is sent: the module that runs, and the folders and files of ours that it needs."""

    AGENT = (
        "gpuexplorer.commands.agent",
        (
            *("core", "simulation", "telemetry", "remote/agent.py", "remote/wire.py"),
            *("lab/offspring.py", "lab/packaged.py", "lab/pythons.py"),
            *("commands/agent.py", "commands/checkup"),
        ),
    )
    WORKER = ("gpuexplorer.worker.kept", ("core", "lab", "worker"))
    RANK = (
        "gpuexplorer.worker.rank",
        (
            *("core", "ranks/wire.py", "worker/rank.py", "worker/exchange.py"),
            *("worker/kept.py", "lab/offspring.py", "lab/packaged.py", "lab/pythons.py"),
            "lab/start.py",
        ),
    )

    def __init__(self, module: str, parts: Sequence[str]) -> None:
        self.module, self.parts = module, parts

    def sources(self, package: Path) -> list[Path]:
        """The files, below the folder `gpuexplorer`."""
        found = {package / "__init__.py"}
        for path in (package / part for part in self.parts):
            inside = path.rglob("*") if path.is_dir() else [path]
            found.update(each for each in inside if each.suffix in (".py", ".csv"))
            above = (each for each in path.parents if each.is_relative_to(package))
            found.update(each / "__init__.py" for each in above)
        return sorted(found)


class Parcel(NamedTuple):
    """For one connection: `command` is run over there, and `preamble` is written to its input.
    From the line with the `mark` on all that comes is ours, and the input is for whatever runs
    there. A Python that is too old says "too old: 3.6.8" on standard error, and no mark.
    """

    mark: bytes
    preamble: bytes

    def command(self, python: str = PYTHON) -> str:
        """The same for every shell there is on Unix. Raises Trouble for a strange Python."""
        return f'{quoted(python)} -u -c "{_FIRST}"'


def parcel(
    kind: Kind,
    environment: Mapping[str, str] = MappingProxyType({}),
    *,
    any_python: bool = True,
) -> Parcel:
    """`any_python`: where the one that is asked is too old, a newer one over there will do."""
    content = _zipped(kind)
    mark = os.urandom(16).hex()
    settings = {
        # Backwards, lest a shell that echoes us is taken for the answer.
        "MARK": mark[::-1],
        "SIZE": len(content),
        "MODULE": kind.module,
        "ENVIRONMENT": dict(environment),
        "ANY": any_python,
    }
    told = [f"{name} = {value!a}" for name, value in settings.items()]
    stage = "\n".join([*told, STAGE])
    return Parcel(mark.encode(), f"{stage!a}\n".encode() + content)


def quoted(path: str) -> str:
    """For every shell; its own home folder may be the beginning."""
    if not path or path.startswith("-") or _MEANS_SOMETHING.search(path):
        raise Trouble(
            "{path!r} cannot be asked for on another computer.",
            "Name a Python by its path, such as /usr/bin/python3.12.",
            path=path,
        )
    if _PLAIN.fullmatch(path):
        return path
    home, rest = ("~/", path[2:]) if path.startswith("~/") else ("", path)
    return f"{home}'{rest}'"


def vendors_library() -> Path:
    """NVIDIA's Python file; it is alone, and needs nothing but the driver."""
    parts = packaged.folder()
    if parts is not None:
        return parts / f"{_VENDORS_LIBRARY}.py"
    spec = importlib.util.find_spec(_VENDORS_LIBRARY)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)


@functools.cache
def _zipped(kind: Kind) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as files:
        for path in kind.sources(_PACKAGE):
            files.write(path, path.relative_to(_PACKAGE.parent).as_posix())
        if kind is Kind.AGENT:
            files.write(vendors_library(), f"{_VENDORS_LIBRARY}.py")
    return content.getvalue()


# The first lines that run over there, and take in the rest. Any Python from 2.7 on has to
# understand them. Before them stand the names in capitals, and `i`, which is the input without
# a buffer: what follows on it is for whoever runs then.
STAGE = r"""
import os
import sys

# Nothing that lies in the folder we start in.
sys.path[:] = [each for each in sys.path if each]
OLDEST = (3, 10)
NEWEST = 14
PLACES = ["/usr/local/bin", "/opt/conda/bin", "~/.local/bin"]
PLACES += ["~/%s/bin" % each for each in ("miniconda3", "anaconda3", "miniforge3")]


def newer():
    import subprocess

    places = os.environ.get("PATH", "").split(os.pathsep) + PLACES
    with open(os.devnull, "r+b") as nothing:
        for number in range(NEWEST, OLDEST[1] - 1, -1):
            for place in places:
                path = os.path.join(os.path.expanduser(place), "python3.%d" % number)
                if os.path.isfile(path) and os.access(path, os.X_OK):
                    # It may be a script that finds none behind it.
                    if not subprocess.call(
                        [path, "-c", ""], stdin=nothing, stdout=nothing, stderr=nothing
                    ):
                        return path
    return None


if sys.version_info[:2] < OLDEST:
    found = newer() if ANY and len(sys.argv) == 1 else None
    if found is None:
        sys.exit("too old: %d.%d.%d" % sys.version_info[:3])
    # Through a pipe: everybody over there may read the words of a command line.
    told, tell = os.pipe()
    os.write(tell, s.encode("ascii"))
    os.close(tell)
    if hasattr(os, "set_inheritable"):
        os.set_inheritable(told, True)
    again = "import os;i=os.fdopen(0,'rb',0);s=os.fdopen(%d).read();exec(s)" % told
    os.execv(found, [found, "-u", "-c", again, "again"])
os.write(1, ("\n" + MARK[::-1] + "\n").encode("ascii"))
sys.argv[1:] = []
sys.dont_write_bytecode = True
os.environ.update(ENVIRONMENT)
# From here on it is 3.10 or newer.
import runpy
import tempfile
import traceback

# In memory; some Pythons know of no such file, and then it is one without a name.
if hasattr(os, "memfd_create"):
    archive = os.memfd_create("sent by GPU Explorer")
else:
    archive = os.dup(tempfile.TemporaryFile().fileno())
while SIZE:
    piece = i.read(min(SIZE, 1 << 16))
    if not piece:
        sys.exit("The program that was sent is not whole.")
    SIZE -= os.write(archive, piece)
sys.path.insert(0, "/dev/fd/%d" % archive)
# By itself it looks for the lines in files.
sys.excepthook = traceback.print_exception
runpy.run_module(MODULE, run_name="__main__")
"""
