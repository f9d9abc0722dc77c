"""Bundle: the check-up as one file that can be sent to somebody, without names in it."""

import io
import platform
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from gpuexplorer import __version__
from gpuexplorer.commands.checkup.anonymity import Anonymity
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
    "torch",
)


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
