"""What the program, its tests and its packages need from the system: looked for, installed by
apt where that is possible, else named.

python3 packaging/system_parts.py window tests packages trial
"""

import ctypes
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path

# What pip cannot install, and the Debian packages that have it; by what it is for.
Parts = Mapping[str, Mapping[str, str]]
_COMPILER = "a C compiler with its headers"
_PYTHON = f"libpython{sys.version_info.major}.{sys.version_info.minor}"

# What `ldd` says of PySide6's QtWidgets and of its xcb plugin.
WINDOW: Parts = {
    "Qt": {
        "libEGL.so.1": "libegl1",
        "libGL.so.1": "libgl1",
        "libxkbcommon.so.0": "libxkbcommon0",
        "libdbus-1.so.3": "libdbus-1-3",
        "libfontconfig.so.1": "libfontconfig1",
        "libglib-2.0.so.0": "libglib2.0-0",
    },
    "a window on X11": {
        "libX11-xcb.so.1": "libx11-xcb1",
        "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
        "libxcb-cursor.so.0": "libxcb-cursor0",
        "libxcb-icccm.so.4": "libxcb-icccm4",
        "libxcb-image.so.0": "libxcb-image0",
        "libxcb-keysyms.so.1": "libxcb-keysyms1",
        "libxcb-randr.so.0": "libxcb-randr0",
        "libxcb-render-util.so.0": "libxcb-render-util0",
        "libxcb-shape.so.0": "libxcb-shape0",
        "libxcb-shm.so.0": "libxcb-shm0",
        "libxcb-sync.so.1": "libxcb-sync1",
        "libxcb-xfixes.so.0": "libxcb-xfixes0",
        "libxcb-xkb.so.1": "libxcb-xkb1",
    },
}
TESTS: Parts = {"the tests' stand-in for a driver": {_COMPILER: "gcc libc6-dev"}}
PACKAGES: Parts = {
    "PyInstaller": {"objdump": "binutils", f"{_PYTHON}.so.1.0": _PYTHON},
    "taking out symbols that only a debugger reads": {"strip": "binutils"},
    "making the .deb": {"dpkg-shlibdeps": "dpkg-dev", "dpkg-gencontrol": "dpkg-dev"},
    # Qt's Wayland plugins are inside, these libraries are not: the .deb depends on them.
    "finding out what the .deb needs": {"libwayland-cursor.so.0": "libwayland-cursor0"},
}
TRIAL: Parts = {
    "a bare Debian to try packages in": {"debootstrap": "debootstrap"},
    "a display that nobody sees": {"Xvfb": "xvfb", "xauth": "xauth"},
    "typing into a window": {"xdotool": "xdotool"},
}
GROUPS = {"window": WINDOW, "tests": TESTS, "packages": PACKAGES, "trial": TRIAL}


def provide(*wanted: Parts) -> bool:
    """Installs what is missing where that is possible, else names it; True if all is there."""
    if sys.platform != "linux":
        return True
    absent = missing(wanted)
    if absent and install_with_apt(packages_of(absent)):
        absent = missing(wanted)
    if absent:
        print(explain(absent), file=sys.stderr, flush=True)
    return not absent


def missing(wanted: Sequence[Parts]) -> dict[str, dict[str, str]]:
    found = {
        purpose: {name: each for name, each in packages.items() if not is_there(name)}
        for parts in wanted
        for purpose, packages in parts.items()
    }
    return {purpose: absent for purpose, absent in found.items() if absent}


def is_there(name: str) -> bool:
    if name == _COMPILER:
        return compiler_works()
    if ".so" not in name:
        return shutil.which(name) is not None
    # From where this Python keeps its own libraries, or the system its.
    own = Path(str(sysconfig.get_config_var("LIBDIR")), name)
    try:
        ctypes.CDLL(str(own) if own.is_file() else name)
    except OSError:
        return False
    return True


def compiler_works() -> bool:
    build = ["cc", "-x", "c", "-shared", "-fPIC", "-o", os.devnull, "-"]
    if shutil.which("cc") is None:
        return False
    code = b"#include <stdio.h>\n"
    return subprocess.run(build, input=code, capture_output=True, check=False).returncode == 0


def packages_of(absent: Parts) -> list[str]:
    names = " ".join(each for packages in absent.values() for each in packages.values())
    return list(dict.fromkeys(names.split()))


def explain(absent: Parts) -> str:
    lines = ["This system lacks what no Python package brings along:"]
    lines += [f"  {name}, for {purpose}" for purpose, names in absent.items() for name in names]
    packages = packages_of(absent)
    if has_apt():
        return "\n".join([*lines, f"To install it, type: {way_to_install(packages)}"])
    lines.append("Install it with the system's package manager. On Debian and Ubuntu the")
    return "\n".join([*lines, f"packages are called: {' '.join(packages)}"])


def has_apt() -> bool:
    """Whether this is Debian, or a system that says it is like it."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return False
    names = {release["ID"], *release.get("ID_LIKE", "").split()}
    return bool(names & {"debian", "ubuntu"}) and shutil.which("apt-get") is not None


def way_to_install(packages: Sequence[str]) -> str:
    as_root = "" if os.geteuid() == 0 else "sudo "
    return f"{as_root}apt-get install {' '.join(packages)}"


def install_with_apt(packages: Sequence[str]) -> bool:
    """Only as root on Debian or Ubuntu; False where it was not possible or did not work."""
    if os.geteuid() != 0 or not has_apt():
        return False
    print(f"Installing from the system's packages: {' '.join(packages)}", flush=True)
    install = ["install", "--yes", "--no-install-recommends", *packages]
    if _apt(install).returncode == 0:
        return True
    # A fresh container has no package lists yet, and old ones name files that are gone.
    _apt(["update"])
    done = _apt(install)
    if done.returncode != 0:
        last = "\n".join(f"  {line}" for line in done.stderr.splitlines()[-8:])
        print(f"apt-get could not install them:\n{last}", file=sys.stderr, flush=True)
    return done.returncode == 0


def _apt(words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["apt-get", *words],
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


if __name__ == "__main__":
    sys.exit(0 if provide(*(GROUPS[name] for name in sys.argv[1:])) else 1)
