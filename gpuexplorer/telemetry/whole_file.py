"""A file that is there whole or not at all, and why one could not be written, in words.

It stands here because traces are written here, and `core` touches no disk.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark

_SENTENCES = {
    errno.ENOSPC: mark("There is no room left on that disk."),
    errno.EDQUOT: mark("Your share of that disk is used up."),
    errno.EACCES: mark("You may not write there."),
    errno.EPERM: mark("You may not write there."),
    errno.EROFS: mark("Nothing can be written there: the disk is read-only."),
    errno.ENOENT: mark("That folder does not exist."),
    errno.ENOTDIR: mark("That folder does not exist."),
    errno.EISDIR: mark("There is a folder of that name."),
    errno.ENAMETOOLONG: mark("That name is too long."),
}


def refuse_unwritable(path: Path) -> None:
    """Raises Trouble as `write_whole` would now. What is there stays as it is."""
    with _told(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        if not path.exists() or path.is_file():
            part = _part_of(path.resolve())
            part.touch(exist_ok=False)
            part.unlink()


def write_whole(path: Path, chunks: Iterable[bytes], *, private: bool = False) -> None:
    """A file that was there stays as it was until the new one is complete. `private`: nobody
    else may read it, such as one that holds command lines.
    """
    with _told(path):
        _write(path, chunks, 0o600 if private else 0o666)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What the system refuses becomes a Trouble."""
    try:
        yield
    except OSError as error:
        known = _SENTENCES.get(error.errno or 0)
        why = (
            Message(known)
            if known is not None
            else Message("The system says: {reason}.", reason=error.strerror or error)
        )
        raise Trouble(
            "{file} was not saved. {why}", "Choose another place.", file=path.name, why=why
        ) from error


def _write(path: Path, chunks: Iterable[bytes], mode: int) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder")
    if path.exists() and not path.is_file():
        # A pipe or a device takes what comes; root would put a file in its place.
        with path.open("wb") as there:
            there.writelines(chunks)
        return
    target = path.resolve()
    part = _part_of(target)
    try:
        with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "wb") as file:
            for chunk in chunks:
                file.write(chunk)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _part_of(target: Path) -> Path:
    """Where it is written until it is complete."""
    return target.with_name(f".{target.name[:80]}.{os.urandom(4).hex()}.part")
