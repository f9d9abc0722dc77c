"""Whose work is in the built folder, under which licence, and the licence's text."""

import re
import subprocess
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from operator import itemgetter
from pathlib import Path, PurePosixPath

from bundle.sizes import Size
from gpuexplorer.core.trouble import Trouble
from linux.debian_names import PACKAGE_OF

_TEXTS = Path(__file__).parent / "notices"
_PROJECT = Path(__file__).parents[2]
_DOC = Path("/usr/share/doc")
_PACKAGES = ("numpy", "psutil", "platformdirs", "pyqtgraph")


@dataclass(frozen=True)
class Notice:
    """`files`: patterns for the files of the folder; none for what is inside the program's own.
    `texts`: each file's name, and what stands in it.
    """

    name: str
    licence: str
    holders: str
    files: tuple[str, ...]
    texts: tuple[tuple[str, str], ...]


def notices(folder: Path, size: Size) -> list[Notice]:
    """In the order in which the last that fits a file is the one that holds for it.

    Raises Trouble where the licence of something is not to be found.
    """
    known = [*_by_hand(), *_distributions(size)]
    libraries = (path for path in folder.rglob("*.so*") if not path.is_symlink())
    names = sorted(path.relative_to(folder).as_posix() for path in libraries)
    left = [name for name in names if not _belongs(name, known)]
    return [*known, *_of_the_system(left)]


def write_notices(told: Sequence[Notice], where: Path) -> None:
    where.mkdir(parents=True)
    lines = ["What others wrote and is inside GPU Explorer, and where its licence is:"]
    for notice in told:
        names = ", ".join(name for name, _ in notice.texts)
        lines += ["", f"{notice.name} ({notice.licence})", f"    {notice.holders}"]
        lines += [f"    {names}"]
        for name, text in notice.texts:
            (where / name).write_text(text, encoding="utf-8")
    (where / "index.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _by_hand() -> Iterator[Notice]:
    """What is no Python package, or one whose licence is not said well by itself."""
    yield Notice(
        "Qt and Qt for Python",
        "LGPL-3",
        "The Qt Company Ltd. and other contributors",
        (
            "_internal/PySide6/*",
            "_internal/shiboken6/*",
            "_internal/libQt6*",
            "_internal/libpyside6*",
            "_internal/libshiboken6*",
        ),
        _texts("qt.txt", "lgpl-3.txt", "gpl-3.txt", "qt-parts.txt"),
    )
    yield Notice(
        "ICU",
        "Unicode",
        "1991-2023 Unicode, Inc.",
        ("_internal/libicu*", "_internal/PySide6/Qt/lib/libicu*"),
        _texts("icu.txt"),
    )
    yield Notice(
        "Python",
        "PSF-2.0",
        "2001 Python Software Foundation",
        ("_internal/libpython3*", "_internal/python3*", "_internal/base_library.zip"),
        _texts("python.txt"),
    )
    yield Notice(
        "PyInstaller",
        "GPL-2+ with an exception for the bootloader",
        "2010-2023 PyInstaller Development Team; 2005-2009 Giovanni Bajo",
        (),
        _texts("pyinstaller.txt", "apache-2.0.txt"),
    )
    yield Notice(
        "nvidia-ml-py",
        "BSD-3-clause",
        "2011-2025 NVIDIA Corporation",
        ("_internal/nvidia_ml_py*",),
        _texts("nvidia-ml-py.txt"),
    )
    fonts = "resources/fonts"
    licence = (_PROJECT / fonts / "Inter-LICENSE.txt").read_text(encoding="utf-8")
    yield Notice(
        "Inter",
        "OFL-1.1",
        "2016-2022 The Inter Project Authors",
        (f"_internal/gpuexplorer/{fonts}/*",),
        (("inter.txt", licence),),
    )


def _texts(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, (_TEXTS / name).read_text(encoding="utf-8")) for name in names)


def _distributions(size: Size) -> Iterator[Notice]:
    """Every other Python package that is inside, with all its licences in one text."""
    asked = [*_PACKAGES, *(["torch"] if size.with_torch else [])]
    done: set[str] = set()
    while asked:
        name = asked.pop(0)
        if name in done:
            continue
        done.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:
            if name in (*_PACKAGES, "torch"):
                raise Trouble(
                    f"The Python that packs does not have {name}, so its licence is not known.",
                    "Pack with the Python that has built the folder; `make package` does.",
                ) from None
            continue  # needed on other systems only
        yield _of(found)
        asked += _required(found)


def _required(found: Distribution) -> Iterator[str]:
    for line in found.requires or ():
        if "extra ==" not in line:
            yield re.split(r"[^\w.-]", line, maxsplit=1)[0].lower()


def _of(found: Distribution) -> Notice:
    name = found.metadata["Name"]
    parts = [
        f"{file}\n{'-' * len(str(file))}\n\n{file.read_text('utf-8')}"
        for file in sorted(found.files or (), key=str)
        if _is_licence(file)
    ]
    if not parts:
        raise Trouble(
            f"The Python package {name} has no licence in it.",
            "Find it out, and add it to packaging/linux/notices.py.",
        )
    tops = {file.parts[0] for file in found.files or () if len(file.parts) > 1}
    folders = sorted(f"_internal/{top}/*" for top in tops if top not in ("..", "__pycache__"))
    licence = _said(found, "License-Expression", "License") or f"as-{name}"
    holders = _said(found, "Author", "Author-email") or f"the authors of {name}"
    return Notice(
        f"{name} {found.version}",
        licence,
        holders,
        tuple(folders),
        ((f"{name.lower()}.txt", "\n\n".join(parts)),),
    )


def _said(found: Distribution, *names: str) -> str:
    """The first of these fields that says something, on one line."""
    for name in names:
        if name in found.metadata:
            return " ".join(found.metadata[name].strip().partition("\n")[0].split())
    return ""


def _is_licence(file: PurePosixPath) -> bool:
    said = re.match(r"(?i)(licen[cs]e|copying|notice|authors)", file.name)
    return bool(said) and ".dist-info" in str(file)


def _belongs(name: str, known: Sequence[Notice]) -> bool:
    return any(fnmatchcase(name, pattern) for notice in known for pattern in notice.files)


def _of_the_system(names: Collection[str]) -> Iterator[Notice]:
    """Libraries that came along from the computer that built, which is Debian or like it."""
    by_text: dict[str, list[tuple[str, str]]] = {}
    for name in names:
        package = _package(PurePosixPath(name).name)
        text = _DOC / package / "copyright"
        if not text.is_file():
            raise Trouble(
                f"{name} came from this computer, and its licence is not found in {text}.",
                "Build on Debian or Ubuntu, or leave it out of the folder.",
            )
        held = text.read_text(encoding="utf-8", errors="replace")
        by_text.setdefault(held, []).append((package, name))
    for held, found in sorted(by_text.items(), key=itemgetter(1)):
        package = found[0][0]
        yield Notice(
            ", ".join(dict.fromkeys(each for each, _ in found)),
            f"as-{package}",
            f"the authors of {package}, as named in its text",
            tuple(name for _, name in found),
            ((f"{package}.txt", held),),
        )


def _package(library: str) -> str:
    """As it is called here: releases of Debian differ."""
    for name in PACKAGE_OF.get(library, "").split(" | "):
        if name and (_DOC / name).is_dir():
            return name
    try:
        done = subprocess.run(
            ["dpkg", "-S", f"*/{library}"], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return library
    return done.stdout.partition(":")[0].strip() or library
