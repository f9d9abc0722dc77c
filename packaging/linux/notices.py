"""Whose work is in the built folder, under which licence, and the licence's text."""

import re
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from bundle.contents import DISTRIBUTIONS
from bundle.sizes import Size
from gpuexplorer.core.trouble import Trouble

# What every Debian has beside the texts that are kept here.
_DEBIANS = Path("/usr/share/common-licenses")
_TEXTS = Path(__file__).parent / "notices"
_PLACES = {
    "lgpl-3.txt": _DEBIANS / "LGPL-3",
    "gpl-3.txt": _DEBIANS / "GPL-3",
    "apache-2.0.txt": _DEBIANS / "Apache-2.0",
    "python.txt": Path(sysconfig.get_path("stdlib"), "LICENSE.txt"),
    "inter.txt": Path(__file__).parents[2] / "resources" / "fonts" / "Inter-LICENSE.txt",
}
_DOC = Path("/usr/share/doc")
# What is no Python package, or one whose licence is not said well by itself: its name, licence
# and holders, the libraries that are its, the texts.
_BY_HAND = (
    (
        *("Qt and Qt for Python", "LGPL-3", "The Qt Company Ltd. and other contributors"),
        "PySide6/* shiboken6/* libQt6* libpyside6* libshiboken6*",
        "qt.txt lgpl-3.txt gpl-3.txt qt-parts.txt",
    ),
    ("ICU", "Unicode", "1991-2023 Unicode, Inc.", "libicu*", "icu.txt"),
    (
        *("Python", "PSF-2.0", "2001 Python Software Foundation"),
        *("libpython3* python3*", "python.txt"),
    ),
    (
        *("PyInstaller", "GPL-2+ with an exception for the bootloader"),
        "2010-2023 PyInstaller Development Team; 2005-2009 Giovanni Bajo",
        *("", "pyinstaller.txt apache-2.0.txt"),
    ),
    ("nvidia-ml-py", "BSD-3-clause", "2011-2025 NVIDIA Corporation", "", "nvidia-ml-py.txt"),
    ("Inter", "OFL-1.1", "2016-2022 The Inter Project Authors", "", "inter.txt"),
)


class Notice(NamedTuple):
    """`files`: patterns for libraries of the folder. `texts`: each file's name, and what
    stands in it.
    """

    name: str
    licence: str
    holders: str
    files: Sequence[str]
    texts: Sequence[tuple[str, str]]


def notices(folder: Path, size: Size) -> list[Notice]:
    """Raises Trouble where the licence of something is not to be found."""
    parts = folder / "_internal"
    known = [
        Notice(
            name, licence, who, files.split(), [(each, _text(each)) for each in texts.split()]
        )
        for name, licence, who, files, texts in _BY_HAND
    ]
    known += _distributions(size)
    patterns = [pattern for notice in known for pattern in notice.files]
    libraries = (path for path in parts.rglob("*.so*") if not path.is_symlink())
    names = sorted(path.relative_to(parts).as_posix() for path in libraries)
    left = [name for name in names if not any(fnmatchcase(name, each) for each in patterns)]
    return [*known, *_of_the_system(left)]


def index(told: Sequence[Notice]) -> str:
    lines = ["What others wrote and is inside GPU Explorer, and where its licence is:"]
    for notice in told:
        names = ", ".join(f"notices/{name}" for name, _ in notice.texts)
        lines += ["", f"{notice.name} ({notice.licence})", f"    {notice.holders}"]
        lines.append(f"    {names}")
    return "\n".join([*lines, ""])


def _text(name: str) -> str:
    place = _PLACES.get(name, _TEXTS / name)
    if not place.is_file():
        raise Trouble(
            "The licence {file} is not on this computer.",
            "Build on Debian or Ubuntu, with a Python that has its own licence beside it.",
            file=place,
        )
    return place.read_text("utf-8", "replace")


def _distributions(size: Size) -> Iterator[Notice]:
    """Every other Python package that is inside, with what it requires in its turn."""
    asked = [name for name in DISTRIBUTIONS if not name.startswith(("PySide6", "nvidia"))]
    asked += ["torch"] if size.with_torch else []
    needed = len(asked)
    for number, name in enumerate(asked):  # which grows meanwhile
        try:
            found = distribution(name)
        except PackageNotFoundError:
            if number >= needed:
                continue  # required on other systems only
            raise Trouble(
                "The Python that packs does not have {name}, so its licence is not known.",
                "Pack with the Python that has built the folder; `make package` does.",
                name=name,
            ) from None
        yield _of(found)
        for line in found.requires or ():
            required = re.split(r"[^\w.-]", line, maxsplit=1)[0].lower()
            if "extra ==" not in line and required not in asked:
                asked.append(required)


def _of(found: Distribution) -> Notice:
    name, files = found.metadata["Name"], sorted(found.files or (), key=str)
    texts = [
        f"{file}\n{'-' * len(str(file))}\n\n{file.read_text('utf-8')}"
        for file in files
        if ".dist-info" in str(file)
        and re.match(r"(?i)(licen[cs]e|copying|notice|authors)", file.name)
    ]
    if not texts:
        raise Trouble(
            "The Python package {name} has no licence in it.",
            "Find it out, and add it to packaging/linux/notices.py.",
            name=name,
        )
    folders = {file.parts[0] for file in files if len(file.parts) > 1} - {"..", "__pycache__"}
    return Notice(
        f"{name} {found.version}",
        _first_line(found, "License-Expression", "License") or f"as in {name.lower()}.txt",
        _first_line(found, "Author", "Author-email") or f"the authors of {name}",
        [f"{folder}/*" for folder in sorted(folders)],
        [(f"{name.lower()}.txt", "\n\n".join(texts))],
    )


def _first_line(found: Distribution, *names: str) -> str:
    said = (found.metadata[name].strip() for name in names if name in found.metadata)
    return next((text.splitlines()[0] for text in said if text), "")


def _of_the_system(names: Sequence[str]) -> Iterator[Notice]:
    """Libraries that came along from the computer that built, which is Debian or like it."""
    packages: dict[str, list[str]] = {}
    for name in names:
        packages.setdefault(_package(Path(name).name), []).append(name)
    for package, libraries in sorted(packages.items()):
        text = _DOC / package / "copyright"
        if not text.is_file():
            raise Trouble(
                "{library} came from this computer, and its licence is not found in {file}.",
                "Build on Debian or Ubuntu, or leave it out of the folder.",
                library=libraries[0],
                file=text,
            )
        yield Notice(
            package,
            f"as in {package}.txt",
            f"the authors of {package}, as named in its text",
            libraries,
            [(f"{package}.txt", text.read_text("utf-8", "replace"))],
        )


def _package(library: str) -> str:
    done = subprocess.run(
        ["dpkg", "-S", f"*/{library}"], capture_output=True, text=True, check=False
    )
    return done.stdout.partition(":")[0] or library
