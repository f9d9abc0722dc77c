"""What is left out of the built folder, each with its reason, and what has to stay.

The names are Linux's. Elsewhere the folder stays as PyInstaller fills it, less Python modules.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from posixpath import normpath

from linux.elf import read_elf

# As PyInstaller lists files: where it goes, where it comes from, and what it is.
Entry = tuple[str, str, str]


@dataclass(frozen=True)
class Cut:
    """Files by where they would go, and why nobody misses them."""

    reason: str
    patterns: tuple[str, ...]


CUTS = (
    Cut(
        "A desktop brings it, in the version its other parts are made for; a second one in the "
        "same process, or one older than the driver of the card expects, breaks them.",
        (
            *("libg[lio]*-2.0.so*", "libgobject-2.0.so*", "libgmodule-2.0.so*"),
            *("libgthread-2.0.so*", "libgtk-*", "libgdk*", "libdbus-1.so*", "libsystemd.so*"),
            *("libfontconfig.so*", "libfreetype.so*", "libexpat.so.*", "libX*.so*"),
            *("libxcb.so*", "libwayland-*", "libEGL*", "libGL*", "libOpenGL*", "libdrm*"),
            *("libgbm*", "libstdc++.so*", "libgcc_s.so*"),
            *("libatk*", "libcairo*", "libpango*", "libharfbuzz*", "libepoxy*", "libpixman*"),
        ),
    ),
    Cut(
        "Windows open on X11 and Wayland, pictures are drawn offscreen; nobody looks at a bare "
        "screen, at a machine without pixels, or through Qt's own VNC.",
        (
            *(f"*/plugins/platforms/libq{name}.so" for name in ("eglfs", "linuxfb", "vnc")),
            *(f"*/plugins/platforms/libq{name}.so" for name in ("minimalegl", "vkkhrdisplay")),
            "*/plugins/egldeviceintegrations/*",
            "*/plugins/generic/*",
        ),
    ),
    Cut(
        "Desktops place windows by xdg-shell; the others are for cars and for a single window.",
        (
            "*/plugins/wayland-shell-integration/libivi-shell.so",
            "*/plugins/wayland-shell-integration/libfullscreen-shell-v1.so",
            "*/plugins/wayland-shell-integration/libqt-shell.so",
            "*/plugins/wayland-shell-integration/libwl-shell-plugin.so",
        ),
    ),
    Cut(
        "Nothing is drawn by OpenGL: every widget is painted by the processor.",
        (
            "*/plugins/xcbglintegrations/*",
            "*/plugins/wayland-graphics-integration-client/*",
        ),
    ),
    Cut(
        "The program reads and writes PNG, which is part of Qt itself, and SVG.",
        tuple(
            f"*/plugins/imageformats/libq{name}.so"
            for name in ("gif", "icns", "ico", "jpeg", "tga", "tiff", "wbmp", "webp")
        ),
    ),
    Cut(
        "The program speaks to no network.",
        ("*/plugins/tls/*", "*/plugins/networkinformation/*"),
    ),
    Cut(
        "pyqtgraph's own icon and its colour maps, which no plot here shows.",
        ("pyqtgraph/icons/peegee/*", "pyqtgraph/colors/maps/*"),
    ),
    Cut(
        "The program speaks English only, and so do Qt's own dialogs without these.",
        ("*/Qt/translations/*",),
    ),
    Cut(
        "Headers, programs and libraries to build with: nothing is compiled here.",
        ("torch/include/*", "torch/share/*", "torch/bin/protoc*", "*.a", "*.pyi", "*.cmake"),
    ),
    Cut(
        "PyTorch's own tests, which nobody runs here.",
        ("torch/test/*", "torch/bin/*test*", "torch/bin/*Test", "torch/lib/*test*"),
    ),
)

# Modules of Python that some package names, and that the program never comes to.
MODULES = (
    "tkinter",
    "PySide6.QtNetwork",  # named for one of the plugins that are left out
    "PySide6.QtDBus",
    "PySide6.QtTest",  # pyqtgraph does without it
    *(f"pyqtgraph.{name}" for name in ("console", "dockarea", "examples")),
    *(f"pyqtgraph.{name}" for name in ("flowchart", "jupyter", "opengl")),
    "readline",  # for a person who types Python
    "lib2to3",
    "idlelib",
    "ensurepip",
    "pip",
    "setuptools",
    "PyInstaller",
)
# What more goes where no PyTorch wants it.
SLIM_MODULES = (
    "torch",
    "ssl",  # no network; with it goes OpenSSL
    "_ssl",
    "_hashlib",
    "numpy.f2py",
    "numpy.testing",
    "numpy.random",
    "numpy.fft",
    "numpy.polynomial",
    "numpy._core._multiarray_tests",
    "unittest",
    "doctest",
    "pdb",
    "sqlite3",
    "xmlrpc",
)
# Whatever is trimmed, these stay: each was missed once, or is loaded by name only.
NEEDED = (
    "libpython3.*",
    "*/plugins/platforms/libqxcb.so",
    "*/plugins/platforms/libqwayland.so",
    "*/plugins/platforms/libqoffscreen.so",
    "*/plugins/wayland-shell-integration/libxdg-shell.so",
    "*/plugins/wayland-decoration-client/libadwaita.so",
    "*/plugins/platformthemes/libqxdgdesktopportal.so",
    "*/plugins/platforminputcontexts/libcompose*.so",
    "*/plugins/platforminputcontexts/libibus*.so",
    "*/plugins/iconengines/libqsvgicon.so",
    "*/plugins/imageformats/libqsvg.so",
    "libxcb-cursor.so*",
    "libxkbcommon-x11.so*",
    "gpuexplorer/resources/themes/*.toml",
    "gpuexplorer/resources/themes/*.qss",
    "gpuexplorer/resources/themes/*.svg",
    "gpuexplorer/resources/icons/*.svg",
    "gpuexplorer/resources/fonts/*.otf",
    "gpuexplorer/resources/*.csv",
    "gpuexplorer/__init__.py",
    "gpuexplorer/worker/__main__.py",
    "gpuexplorer/lab/wire.py",
    "gpuexplorer/core/trouble.py",
)


def reason_for_leaving_out(target: str) -> str | None:
    """None for what stays."""
    for cut in CUTS:
        if any(fnmatchcase(target, pattern) for pattern in cut.patterns):
            return cut.reason
    return None


def trimmed(entries: Iterable[Entry]) -> list[Entry]:
    """Less what is cut, less libraries that only those needed, less links to any of them."""
    kept = [entry for entry in entries if reason_for_leaving_out(_target(entry)) is None]
    kept = _without_orphans(kept)
    there = {_target(entry) for entry in kept}
    return [entry for entry in kept if entry[2] != "SYMLINK" or _aim(entry) in there]


def missing(targets: Iterable[str]) -> list[str]:
    """The patterns of NEEDED that nothing fulfils."""
    there = list(targets)
    return [
        pattern for pattern in NEEDED if not any(fnmatchcase(each, pattern) for each in there)
    ]


def _without_orphans(entries: Sequence[Entry]) -> list[Entry]:
    """Follows the names of needed libraries from what is opened by name."""
    libraries = {
        PurePosixPath(_target(each)).name: each for each in entries if _is_library(each)
    }
    wanted: set[str] = set()
    waiting = [entry for entry in entries if _opens_by_name(entry)]
    while waiting:
        elf = read_elf(Path(waiting.pop()[1]))
        for name in elf.needed if elf is not None else ():
            if name in libraries and name not in wanted:
                wanted.add(name)
                waiting.append(libraries[name])
    return [
        entry
        for entry in entries
        if not _is_library(entry) or PurePosixPath(_target(entry)).name in wanted
    ]


def _is_library(entry: Entry) -> bool:
    return entry[2] == "BINARY" and not _opens_by_name(entry)


def _opens_by_name(entry: Entry) -> bool:
    """Modules of Python, plugins of Qt, what PyTorch opens, and Python itself."""
    target, _, kind = entry
    name = PurePosixPath(target).name
    by_name = (
        "/plugins/" in target or target.startswith("torch/") or name.startswith("libpython")
    )
    return kind == "EXTENSION" or (kind == "BINARY" and by_name)


def _target(entry: Entry) -> str:
    return entry[0].replace("\\", "/")


def _aim(entry: Entry) -> str:
    """Where a link leads; PyInstaller notes it relative to the link."""
    return normpath(str(PurePosixPath(_target(entry)).parent / entry[1]))
