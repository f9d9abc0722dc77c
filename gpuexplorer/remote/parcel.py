"""Parcel: our own parts as one text and one zip, run from memory by a Python over there."""

import functools
import importlib.util
import io
import os
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import MappingProxyType

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab import packaged
from gpuexplorer.remote.stage import STAGE

# Small, and read alike by every shell: nothing in it means anything within double quotes.
_FIRST = "import os;i=os.fdopen(0,'rb',0);s=eval(i.readline());exec(s)"
# What some shell takes for something else, even between quotes.
_MEANS_SOMETHING = re.compile(r"""["'$`!%\\\x00-\x1f\x7f]""")
_PLAIN = re.compile(r"(~/)?[\w./+-]*", re.ASCII)
PYTHON = "python3"  # over there, where no other is named
_PACKAGE = Path(__file__).parents[1]
# Where its files seem to lie, for tracebacks; nobody finds anything there.
_PLACE = "/sent by GPU Explorer/"
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
        True,
    )
    WORKER = ("gpuexplorer.worker.kept", ("core", "lab", "worker"), False)
    RANK = (
        "gpuexplorer.worker.rank",
        (
            *(
                "core",
                "ranks/wire.py",
                "worker/rank.py",
                "worker/exchange.py",
                "worker/kept.py",
                "lab/offspring.py",
            ),
            *("lab/packaged.py", "lab/pythons.py", "lab/start.py"),
        ),
        False,
    )

    def __init__(self, module: str, parts: Sequence[str], reads_cards: bool) -> None:
        self.module = module
        self.parts = parts
        self.reads_cards = reads_cards

    def sources(self, package: Path) -> list[Path]:
        """The files, below the folder `gpuexplorer`."""
        found: set[Path] = {package / "__init__.py"}
        for part in self.parts:
            path = package / part
            found.update(path.rglob("*.py") if path.is_dir() else [path])
            found.update(above / "__init__.py" for above in _between(package, path))
        return sorted(found)


@dataclass(frozen=True)
class Parcel:
    """For one connection: `command` is run over there, and `preamble` is written to its input.
    From the line with the `mark` on all that comes is ours, and the input is for whatever runs
    there. A Python that is too old says "too old: 3.6.8" on standard error, and no mark.
    """

    mark: bytes = field(repr=False)
    preamble: bytes = field(repr=False)

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
        "PLACE": _PLACE,
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
        if kind.reads_cards:
            files.write(vendors_library(), f"{_VENDORS_LIBRARY}.py")
    return content.getvalue()


def _between(package: Path, path: Path) -> list[Path]:
    return [above for above in path.parents if above.is_relative_to(package)]
