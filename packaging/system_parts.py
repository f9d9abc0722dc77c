"""What the program and its tests need from the system: found by trying, installed or named."""

import ctypes
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Part:
    """Something pip cannot install, and the Debian package that has it."""

    name: str
    package: str
    purpose: str
    is_there: Callable[[], bool]


def library(name: str, package: str, purpose: str) -> Part:
    return Part(name, package, purpose, lambda: can_be_loaded(name))


def program(name: str, package: str, purpose: str) -> Part:
    return Part(name, package, purpose, lambda: shutil.which(name) is not None)


def can_be_loaded(name: str) -> bool:
    """From where the system keeps libraries, or where this Python keeps its own."""
    own = Path(str(sysconfig.get_config_var("LIBDIR")), name)
    try:
        ctypes.CDLL(str(own) if own.is_file() else name)
    except OSError:
        return False
    return True


def compiler_works() -> bool:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return False
    build = [compiler, "-x", "c", "-shared", "-fPIC", "-o", os.devnull, "-"]
    tried = subprocess.run(
        build, input=b"#include <stdio.h>\n", capture_output=True, check=False
    )
    return tried.returncode == 0


# What `ldd` says of PySide6's QtWidgets and of its xcb plugin.
QT_LIBRARIES = (
    library("libEGL.so.1", "libegl1", "Qt"),
    library("libGL.so.1", "libgl1", "Qt"),
    library("libxkbcommon.so.0", "libxkbcommon0", "Qt"),
    library("libdbus-1.so.3", "libdbus-1-3", "Qt"),
    library("libfontconfig.so.1", "libfontconfig1", "Qt"),
    library("libglib-2.0.so.0", "libglib2.0-0", "Qt"),
    library("libX11-xcb.so.1", "libx11-xcb1", "a window on X11"),
    library("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "a window on X11"),
    library("libxcb-cursor.so.0", "libxcb-cursor0", "a window on X11"),
    library("libxcb-icccm.so.4", "libxcb-icccm4", "a window on X11"),
    library("libxcb-image.so.0", "libxcb-image0", "a window on X11"),
    library("libxcb-keysyms.so.1", "libxcb-keysyms1", "a window on X11"),
    library("libxcb-randr.so.0", "libxcb-randr0", "a window on X11"),
    library("libxcb-render-util.so.0", "libxcb-render-util0", "a window on X11"),
    library("libxcb-shape.so.0", "libxcb-shape0", "a window on X11"),
    library("libxcb-shm.so.0", "libxcb-shm0", "a window on X11"),
    library("libxcb-sync.so.1", "libxcb-sync1", "a window on X11"),
    library("libxcb-xfixes.so.0", "libxcb-xfixes0", "a window on X11"),
    library("libxcb-xkb.so.1", "libxcb-xkb1", "a window on X11"),
)
COMPILER = (
    Part("a C compiler", "gcc", "the tests' stand-in for a driver", compiler_works),
    Part("the C library's headers", "libc6-dev", "the tests' stand-in", compiler_works),
)
# What PyInstaller and the makers of packages start.
_MINOR = f"{sys.version_info.major}.{sys.version_info.minor}"
PACKAGERS = (
    program("objdump", "binutils", "finding out what a library needs"),
    program("strip", "binutils", "taking symbols out that only a debugger reads"),
    program("dpkg-deb", "dpkg", "making the .deb"),
    library(f"libpython{_MINOR}.so.1.0", f"libpython{_MINOR}", "the packaged program"),
)


def provide_system_parts(*, for_tests: bool = False, for_packages: bool = False) -> bool:
    """Installs what is missing where that is possible, else names it; True if all is there."""
    if sys.platform != "linux":
        return True
    parts = QT_LIBRARIES + (COMPILER if for_tests else ()) + (PACKAGERS if for_packages else ())
    absent = missing(parts)
    if absent and install_with_apt([part.package for part in absent]):
        absent = missing(parts)
    if absent:
        print(explain(absent), file=sys.stderr, flush=True)
    return not absent


def missing(parts: Sequence[Part]) -> list[Part]:
    return [part for part in parts if not part.is_there()]


def explain(absent: Sequence[Part]) -> str:
    lines = ["This system lacks what no Python package brings along:"]
    lines += [f"  {part.name}, for {part.purpose}" for part in absent]
    packages = [part.package for part in absent]
    if has_apt():
        lines.append(f"To install it, type: {way_to_install(packages)}")
    else:
        lines.append("Install it with the system's package manager. On Debian and Ubuntu the")
        lines.append(f"packages are called: {' '.join(packages)}")
    return "\n".join(lines)


def has_apt() -> bool:
    """Whether this is Debian, or a system that says it is like it."""
    release = Path("/etc/os-release")
    if not release.is_file() or shutil.which("apt-get") is None:
        return False
    words = [
        line.partition("=")[2].strip("\"'").split()
        for line in release.read_text().splitlines()
        if line.startswith(("ID=", "ID_LIKE="))
    ]
    return any(word in {"debian", "ubuntu"} for line in words for word in line)


def way_to_install(packages: Sequence[str]) -> str:
    as_root = "" if os.geteuid() == 0 else "sudo "
    return f"{as_root}apt-get install {' '.join(packages)}"


def install_with_apt(packages: Sequence[str]) -> bool:
    """Only as root on Debian or Ubuntu; False where it was not possible or did not work."""
    if os.geteuid() != 0 or not has_apt():
        return False
    print(f"Installing from the system's packages: {' '.join(packages)}", flush=True)
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    if apt(command) is None:
        return True
    # A fresh container has no package lists yet, and old ones name files that are gone.
    apt(["apt-get", "update"])
    complaint = apt(command)
    if complaint is not None:
        print(f"apt-get could not install them:\n{complaint}", file=sys.stderr, flush=True)
    return complaint is None


def apt(command: list[str]) -> str | None:
    """What apt-get said when it failed, its last lines; None where it did its work."""
    done = subprocess.run(
        command,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode == 0:
        return None
    return "\n".join(f"  {line}" for line in done.stdout.splitlines()[-8:])
