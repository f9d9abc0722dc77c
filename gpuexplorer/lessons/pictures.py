"""Pictures of a lesson: which file is one, lies beside it, and loads nothing itself."""

import re
import stat
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from gpuexplorer.lessons.problem import Problems

_MOST_BYTES = 4 << 20
_BEGINNINGS = {".png": b"\x89PNG\r\n\x1a\n", ".jpg": b"\xff\xd8\xff", ".jpeg": b"\xff\xd8\xff"}
_ELSEWHERE = re.compile(r"@import|url\(\s*['\"]?(?!\s*#)", re.IGNORECASE)
_BESIDE = "Put it beside lesson.md, and write its name alone: ![What it shows](picture.svg)"


def look_at_picture(target: str, file: Path, line: int, problems: Problems) -> None:
    """`file` is the lesson's."""
    if is_elsewhere(target):
        problems.wrong(
            "{target} would have to be loaded from elsewhere, and nothing is fetched.",
            _BESIDE,
            line,
            target=target[:80],
        )
        return
    folder = file.parent
    path = folder / unquote(target)
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
        found = path.stat() if inside else None
    except (OSError, ValueError, RuntimeError):  # a loop of links among them
        problems.wrong("There is no picture {target}.", _BESIDE, line, target=target[:80])
        return
    if found is None:
        problems.wrong(
            "{target} leads out of the lesson's folder.", _BESIDE, line, target=target[:80]
        )
        return
    if found.st_size > _MOST_BYTES:
        problems.wrong(
            "The picture {target} has {size} MiB, and {most} is the most.",
            "Make it smaller.",
            line,
            target=target,
            size=-(-found.st_size >> 20),
            most=_MOST_BYTES >> 20,
        )
    elif not stat.S_ISREG(found.st_mode) or not _is_picture(path):
        problems.wrong(
            "{target} is no picture that can be shown.",
            "Save it as PNG, JPEG or SVG, with that ending; an SVG without scripts, and without"
            " anything that it loads from elsewhere.",
            line,
            target=target,
        )


def is_elsewhere(target: str) -> bool:
    """Whether it has a scheme (http:, data:), a host or a root of its own."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return True
    return bool(parts.scheme or parts.netloc) or unquote(target)[:1] in ("/", "\\")


def _is_picture(path: Path) -> bool:
    try:
        content = path.read_bytes()
    except OSError:
        return False
    kind = path.suffix.lower()
    if kind == ".svg":
        return _is_harmless_svg(content)
    return kind in _BEGINNINGS and content.startswith(_BEGINNINGS[kind])


def _is_harmless_svg(content: bytes) -> bool:
    if b"<!ENTITY" in content:  # which may grow without end
        return False
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError):
        return False
    return _local(root.tag) == "svg" and all(_is_harmless(each) for each in root.iter())


def _is_harmless(element: ElementTree.Element) -> bool:
    if _local(element.tag) in ("script", "foreignObject"):
        return False
    if _local(element.tag) == "style" and _ELSEWHERE.search(element.text or ""):
        return False
    for name, value in element.items():
        if _local(name).startswith("on") or _ELSEWHERE.search(value):
            return False
        if _local(name) in ("href", "src") and not value.strip().startswith(
            ("#", "data:image/")
        ):
            return False
    return True


def _local(name: str) -> str:
    return name.rpartition("}")[2]
