"""A file that is there whole or not at all, and why one could not be written, in words.

It stands here because traces are written here, and `core` touches no disk.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message

_SENTENCES = {
    errno.ENOSPC: Message("There is no room left on that disk."),
    errno.EACCES: Message("You may not write there."),
    errno.EROFS: Message("Nothing can be written there: the disk is read-only."),
    errno.ENOENT: Message("That folder does not exist."),
    errno.EISDIR: Message("There is a folder of that name."),
}


def refuse_unwritable(path: Path) -> None:
    """Raises Trouble as `write_whole` would now. What is there stays as it is."""
    with _part_of(path) as part:
        if part is not None:
            part.touch(exist_ok=False)


def write_whole(path: Path, chunks: Iterable[bytes], *, private: bool = False) -> None:
    """A file that was there stays as it was until the new one is complete. `private`: nobody
    else may read it, such as one that holds command lines.
    """
    new, mode = os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if private else 0o666
    with _part_of(path) as part:
        file = path.open("wb") if part is None else os.fdopen(os.open(part, new, mode), "wb")
        with file:
            file.writelines(chunks)
        if part is not None:
            part.replace(path.resolve())


@contextmanager
def _part_of(path: Path) -> Iterator[Path | None]:
    """Where it is written until it is complete, which is gone afterwards. None for a pipe or a
    device, in whose place root would put a file. What the system refuses becomes a Trouble.
    """
    part = path.resolve().with_name(f".{path.name[:80]}.{os.urandom(4).hex()}.part")
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        plain = not path.exists() or path.is_file()
        try:
            yield part if plain else None
        finally:
            if plain:
                part.unlink(missing_ok=True)
    except OSError as error:
        reason = Message("The system says: {reason}.", reason=error.strerror or error)
        why = _SENTENCES.get(error.errno or 0, reason)
        raise Trouble(
            "{file} was not saved. {why}", "Choose another place.", file=path.name, why=why
        ) from error
