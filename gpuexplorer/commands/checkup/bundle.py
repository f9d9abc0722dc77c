"""Bundle: the check-up as one file that can be sent to somebody, without names in it."""

import io
import platform
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from gpuexplorer import __version__
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.commands.checkup.report import Report
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message

_OF_INTEREST = ("CUDA", "NVIDIA", "QT", "PYTHON")
_SECRET = ("KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH")
_DISTRIBUTIONS = (
    "PySide6-Essentials",
    "shiboken6",
    "numpy",
    "nvidia-ml-py",
    "pynvml",
    "psutil",
    "platformdirs",
    "markdown-it-py",
    "torch",
)
# What may stand around a name that is a whole field: "ana@tower", "tower:0", "ana,video".
_EDGE = r"[/\\:;,=@\"']"
_PATH = re.compile(
    r"(?:(?<=^)|(?<=[\s\"'`(\[<=:;,]))(?:~|\.{1,2}|[A-Za-z]:|\\\\\?)?[/\\][^\s\"'`]*"
)
_HOMES = re.compile(
    r"((?:^|(?<=[\s\"'`(\[<=:;,]))(?:/mnt/[a-z]|[A-Za-z]:)?(?:/var|/export|/usr)?[/\\]+"
    r"(?:home|Users)[/\\]+)([^/\\\s:;,\"'`)\]>]+)",
    re.IGNORECASE,
)
_PASSWORD = re.compile(r"(://)[^/@\s]+@")
# Names that tell nobody anything, and that are ordinary words of a file system.
_NOBODY = frozenset({"", "root", "localhost", "public", "default", "shared"})


@dataclass(frozen=True, slots=True)
class Anonymity:
    """Whose names are taken out. A name is replaced where it is a whole part of a path or a
    whole field, never within a word, nor a word of a sentence.
    """

    home: str
    user: str
    host: str

    def clean(self, text: str) -> str:
        text = _PASSWORD.sub(r"\1", text)
        text = self._without_home(text)
        text = _HOMES.sub(_without_owner, text)
        for name, word in self._names():
            text = _PATH.sub(partial(_in_path, name=name, word=word), text)
            text = _as_field(text, name, word)
        return text

    def _without_home(self, text: str) -> str:
        home = self.home.rstrip("/\\")
        if len(home) < 2 or home.startswith("~"):
            return text
        # Windows writes either slash, and either case.
        pattern = r"[/\\]+".join(re.escape(part) for part in re.split(r"[/\\]+", home))
        return re.sub(rf"(?<![\w.~/\\-]){pattern}(?![\w.-]*[\w-])", "~", text, flags=re.I)

    def _names(self) -> list[tuple[str, str]]:
        short = self.host.split(".")[0]
        names = [(self.user, "USER"), (self.host, "HOST"), (short, "HOST")]
        # On Windows an account may come as DOMAIN\name, on a network as name@domain.
        names += [(part, "USER") for part in re.split(r"[\\@]", self.user)[:2]]
        return [(name, word) for name, word in names if not _is_nobody(name)]


def _without_owner(home: re.Match[str]) -> str:
    return home[0] if _is_nobody(home[2]) else f"{home[1]}USER"


def _in_path(path: re.Match[str], *, name: str, word: str) -> str:
    component = rf"(?<=[/\\@:=]){re.escape(name)}(?=$|[/\\:;,=@)\]>]|[.!?]$)"
    return re.sub(component, word, path[0], flags=re.IGNORECASE)


def _as_field(text: str, name: str, word: str) -> str:
    before, after = rf"(?:(?<=^)|(?<={_EDGE}))", rf"(?=$|{_EDGE})"
    field = rf"{before}{re.escape(name)}{after}"
    beside_at = rf"(?<![\w.-]){re.escape(name)}(?=@)|(?<=@){re.escape(name)}(?![\w-])"
    before_port = rf"(?<![\w.-]){re.escape(name)}(?=:\d)"
    pattern = f"{beside_at}|{before_port}"
    # A sentence has spaces, and there "yes/no" or "so, an" are words and not fields.
    if not re.search(r"\s", text) or re.search(r"\s", name):
        pattern = f"{field}|{pattern}"
    return re.sub(pattern, word, text, flags=re.IGNORECASE)


def _is_nobody(name: str) -> bool:
    return name.lower() in _NOBODY


def check_target(target: Path) -> None:
    """Raises Trouble where no bundle can be written; leaves nothing behind."""
    with _created(target):
        pass
    target.unlink(missing_ok=True)


def write_bundle(target: Path, report: Report, probe: Probe) -> Message:
    """Write the file and say in one sentence what is in it. Raises Trouble where it cannot."""
    anonymity = Anonymity(probe.home, probe.user, probe.host)
    cleaned = report.cleaned(anonymity.clean)
    contents = {
        "doctor.txt": f"{cleaned.as_text(say=str)}\n",
        "doctor.json": cleaned.as_json(),
        "versions.txt": anonymity.clean(_versions(probe)),
        "environment.txt": _environment(probe.environment, anonymity),
    }
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    _write(target, memory.getvalue())
    return Message(
        "{file} holds this report as text and as JSON, the versions of the"
        " programs involved, and the variables CUDA*, NVIDIA*, QT*, PYTHON* and DISPLAY;"
        " the names of you and your computer were taken out.",
        file=target.absolute(),
    )


def _created(target: Path) -> BinaryIO:
    try:
        return target.open("xb")
    except FileExistsError:
        if target.is_dir():
            raise Trouble(
                "{folder} is a folder, and the bundle is a file.",
                "Name a file in it, such as {file}.",
                folder=target,
                file=target / "gpuexplorer.zip",
            ) from None
        raise Trouble(
            "There is a file at {file} already, and it was left as it is.",
            "Choose another name for the bundle.",
            file=target,
        ) from None
    except OSError as refusal:
        raise _unwritable(target, refusal) from refusal


def _write(target: Path, data: bytes) -> None:
    file = _created(target)
    try:
        with file:
            file.write(data)
    except OSError as refusal:
        target.unlink(missing_ok=True)
        raise _unwritable(target, refusal) from refusal


def _unwritable(target: Path, refusal: OSError) -> Trouble:
    return Trouble(
        "The bundle cannot be written to {file}: {reason}.",
        "Choose a folder that you may write to.",
        file=target,
        reason=refusal.strerror or refusal,
    )


def _versions(probe: Probe) -> str:
    found = {name: probe.installed(name) for name in _DISTRIBUTIONS}
    lines = [
        f"gpuexplorer {__version__}",
        f"python {platform.python_version()}",
        f"system {platform.platform()}",
        *(f"{name} {version or 'not installed'}" for name, version in found.items()),
    ]
    return "\n".join(lines) + "\n"


def _environment(environment: Mapping[str, str], anonymity: Anonymity) -> str:
    lines = []
    for name, value in sorted(environment.items()):
        upper = name.upper()
        if not upper.startswith(_OF_INTEREST) and upper != "DISPLAY":
            continue
        secret = any(word in upper for word in _SECRET)
        lines.append(f"{name}={'(left out)' if secret else anonymity.clean(value)}")
    return "".join(f"{line}\n" for line in lines)
