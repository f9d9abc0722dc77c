"""Whose work is in a package, in the form that Debian's tools can read."""

from collections.abc import Sequence
from pathlib import Path

from linux.notices import Notice

_PROJECT = Path(__file__).parents[2]


def debian_copyright(told: Sequence[Notice], package: str) -> str:
    """The texts themselves are in the folder `notices` beside it."""
    mit = (_PROJECT / "LICENSE").read_text(encoding="utf-8")
    holders = next(line for line in mit.splitlines() if line.startswith("Copyright (c) "))
    unseen = [notice for notice in told if not notice.files]
    inside = ", ".join(f"{notice.name} ({notice.licence})" for notice in unseen)
    where = f"/usr/share/doc/{package}/notices"
    head = (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        "Upstream-Name: GPU Explorer\n"
        "Comment: Python, Qt and what else the program needs is inside the package, so that\n"
        f" nothing has to be fetched. The licences of all of it are in {where}.\n"
        " On Debian systems the Apache License 2.0 and the GNU licences named here are in\n"
        " /usr/share/common-licenses/Apache-2.0, /usr/share/common-licenses/LGPL-3,\n"
        " /usr/share/common-licenses/GPL-2 and /usr/share/common-licenses/GPL-3.\n"
        f" The file usr/lib/gpuexplorer/gpuexplorer also has inside it: {inside}."
    )
    own = (
        "Files: *\n"
        f"Copyright: {holders.removeprefix('Copyright (c) ')}\n"
        f"License: Expat\n{_indented(mit.partition(holders)[2].strip())}"
    )
    paragraphs = [head, own]
    for notice in told:
        if notice.files:
            files = "\n ".join(f"usr/lib/gpuexplorer/{pattern}" for pattern in notice.files)
            texts = ", ".join(name for name, _ in notice.texts)
            paragraphs.append(
                f"Files: {files}\n"
                f"Copyright: {notice.holders}\n"
                f"License: {notice.licence}\n"
                f" The text is in {where}: {texts}."
            )
    return "\n\n".join(paragraphs) + "\n"


def _indented(text: str) -> str:
    return "\n".join(f" {line}" if line.strip() else " ." for line in text.splitlines())
