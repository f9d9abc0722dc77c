"""What is left out of the built folder, each with its reason, and what has to stay.

The names are Linux's. Elsewhere the folder stays as PyInstaller fills it, less Python modules.
"""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from os.path import normpath
from pathlib import Path

from linux.tools import needed_by

# As PyInstaller lists files: where it goes, where it comes from, and what it is.
Entry = tuple[str, str, str]


# Files by where they would go, as patterns, and why nobody misses them.
CUTS: Mapping[str, str] = {
    "A desktop brings it, in the version its other parts are made for; a second one in the "
    "same process, or one older than the driver of the card expects, breaks them.": """
        libg[lio]*-2.0.so* libgobject-2.0.so* libgmodule-2.0.so* libgthread-2.0.so*
        libgtk-* libgdk* libdbus-1.so* libsystemd.so* libfontconfig.so* libfreetype.so*
        libexpat.so.* libX*.so* libxcb.so* libwayland-* libEGL* libGL* libOpenGL*
        libdrm* libgbm* libstdc++.so* libgcc_s.so* libatk* libcairo* libpango*
        libharfbuzz* libepoxy* libpixman*
    """,
    "Windows open on X11 and Wayland, pictures are drawn offscreen; nobody looks at a bare "
    "screen, at a machine without pixels, or through Qt's own VNC.": """
        */plugins/platforms/libqeglfs.so */plugins/platforms/libqlinuxfb.so
        */plugins/platforms/libqvnc.so */plugins/platforms/libqminimalegl.so
        */plugins/platforms/libqvkkhrdisplay.so */plugins/egldeviceintegrations/*
        */plugins/generic/*
    """,
    "Desktops place windows by xdg-shell; the others are for cars and for a single window.": """
        */plugins/wayland-shell-integration/libivi-shell.so
        */plugins/wayland-shell-integration/libfullscreen-shell-v1.so
        */plugins/wayland-shell-integration/libqt-shell.so
        */plugins/wayland-shell-integration/libwl-shell-plugin.so
    """,
    "Nothing is drawn by OpenGL: every widget is painted by the processor.": """
        */plugins/xcbglintegrations/* */plugins/wayland-graphics-integration-client/*
    """,
    "Pictures are PNG, which is part of Qt itself, or SVG; those of lessons may be JPEG.": """
        */plugins/imageformats/libqgif.so */plugins/imageformats/libqicns.so
        */plugins/imageformats/libqico.so */plugins/imageformats/libqtga.so
        */plugins/imageformats/libqtiff.so */plugins/imageformats/libqwbmp.so
        */plugins/imageformats/libqwebp.so
    """,
    "Qt speaks to no network: Prometheus is asked, and answered, by Python.": """
        */plugins/tls/* */plugins/networkinformation/*
    """,
    "pyqtgraph's own icon and its colour maps, which no plot here shows.": """
        pyqtgraph/icons/peegee/* pyqtgraph/colors/maps/*
    """,
    "The program speaks English only, and so do Qt's own dialogs without these.": """
        */Qt/translations/*
    """,
    "Headers, programs and libraries to build with: nothing is compiled here.": """
        torch/include/* torch/share/* torch/bin/protoc* *.a *.pyi *.cmake
    """,
    "PyTorch's own tests, which nobody runs here.": """
        torch/test/* torch/bin/*test* torch/bin/*Test torch/lib/*test*
    """,
}

# Modules of Python that some package names, and that the program never comes to.
MODULES = (
    "PySide6.QtNetwork",  # named for one of the plugins that are left out
    *("PySide6.QtDBus", "PySide6.QtTest"),  # pyqtgraph does without them
    *(f"pyqtgraph.{name}" for name in ("console", "dockarea", "examples")),
    *(f"pyqtgraph.{name}" for name in ("flowchart", "jupyter", "opengl")),
    "readline",  # for a person who types Python
    *("tkinter", "lib2to3", "idlelib", "ensurepip", "pip", "setuptools", "PyInstaller", "PIL"),
)
# What more goes where no PyTorch wants it.
SLIM_MODULES = (
    *("torch", "_hashlib", "unittest", "doctest", "pdb", "xmlrpc"),
    *(f"numpy.{name}" for name in ("f2py", "testing", "random", "fft", "polynomial")),
    "numpy._core._multiarray_tests",
)
# Whatever is trimmed, these stay: each was missed once, or is loaded by name only.
NEEDED = """
    libpython3.* */plugins/platforms/libqxcb.so */plugins/platforms/libqwayland.so
    */plugins/platforms/libqoffscreen.so
    */plugins/wayland-shell-integration/libxdg-shell.so
    */plugins/wayland-decoration-client/libadwaita.so
    */plugins/platformthemes/libqxdgdesktopportal.so
    */plugins/platforminputcontexts/libcompose*.so
    */plugins/platforminputcontexts/libibus*.so */plugins/iconengines/libqsvgicon.so
    */plugins/imageformats/libqsvg.so */plugins/imageformats/libqjpeg.so
    libxcb-cursor.so* libxkbcommon-x11.so*
    gpuexplorer/resources/themes/*.toml gpuexplorer/resources/themes/*.qss
    gpuexplorer/resources/themes/*.svg gpuexplorer/resources/icons/*.svg
    gpuexplorer/resources/fonts/*.otf gpuexplorer/resources/*.csv gpuexplorer/resources/*.css
    gpuexplorer/resources/lessons/template.md gpuexplorer/resources/lessons/export.css
    gpuexplorer/__init__.py gpuexplorer/worker/__main__.py gpuexplorer/lab/wire.py
    gpuexplorer/core/trouble.py gpuexplorer/commands/agent.py
    gpuexplorer/telemetry/session.py pynvml.py
""".split()  # noqa: SIM905 - as a list, each would be a line


def reason_for_leaving_out(target: str) -> str | None:
    """None for what stays."""
    return next(
        (why for why, patterns in CUTS.items() if _fits(target, patterns.split())), None
    )


def missing(targets: Sequence[str]) -> list[str]:
    """The patterns of NEEDED that nothing fulfils."""
    return [
        pattern for pattern in NEEDED if not any(fnmatchcase(each, pattern) for each in targets)
    ]


def trimmed(entries: Iterable[Entry]) -> list[Entry]:
    """Less what is cut, less libraries that only those needed, less links to any of them."""
    kept = [each for each in entries if reason_for_leaving_out(each[0]) is None]
    libraries = {Path(each[0]).name: each for each in kept if _is_library(each)}
    wanted: set[str] = set()
    waiting = [each for each in kept if _opens_by_name(each)]
    while waiting:
        for name in needed_by(Path(waiting.pop()[1])):
            if name in libraries and name not in wanted:
                wanted.add(name)
                waiting.append(libraries[name])
    kept = [each for each in kept if not _is_library(each) or Path(each[0]).name in wanted]
    there = {target for target, _, _ in kept}
    return [each for each in kept if each[2] != "SYMLINK" or _aim(each) in there]


def _is_library(entry: Entry) -> bool:
    return entry[2] == "BINARY" and not _opens_by_name(entry)


def _opens_by_name(entry: Entry) -> bool:
    """Modules of Python, plugins of Qt, what PyTorch opens, and Python itself."""
    target, _, kind = entry
    by_name = _fits(target, ("*/plugins/*", "torch/*", "libpython*"))
    return kind == "EXTENSION" or (kind == "BINARY" and by_name)


def _fits(target: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(target, pattern) for pattern in patterns)


def _aim(entry: Entry) -> str:
    """Where a link leads; PyInstaller notes it relative to the link."""
    return normpath(Path(entry[0]).parent / entry[1])
