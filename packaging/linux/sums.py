"""SHA-256 sums of the packages, in the form that `sha256sum --check` reads."""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def write_sums(files: Iterable[Path], out: Path) -> Path:
    """The file SHA256SUMS in `out`, with the names alone: it is checked where they lie."""
    lines = [f"{_sha256(file)}  {file.name}\n" for file in sorted(files)]
    target = out / "SHA256SUMS"
    target.write_text("".join(lines), encoding="utf-8", newline="\n")
    return target


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
