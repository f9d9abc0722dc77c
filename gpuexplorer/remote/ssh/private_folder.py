"""A folder that only this person can look into, for ssh's sockets and questions."""

import functools
import os
import sys
import tempfile
import threading
from pathlib import Path

# With the folder's own name, 49 letters of a socket's, and 17 that ssh adds, it has to fit.
_LONGEST = 16


def private_folder() -> Path:
    """One for this process, gone with it. Short, since a socket's path has at most 104 bytes,
    and where programs may be started. Any thread, several at once too.
    """
    with _one_at_a_time:
        return _made()


_one_at_a_time = threading.Lock()  # a cache alone lets two threads that ask first make two


@functools.cache
def _made() -> Path:
    places = [os.environ.get("XDG_RUNTIME_DIR", ""), "/tmp", tempfile.gettempdir()]
    usable = [each for each in places if each and len(each) <= _LONGEST and _may_start(each)]
    folder = tempfile.TemporaryDirectory(
        prefix="gpuexplorer-", dir=next(iter(usable), None), ignore_cleanup_errors=True
    )
    _kept.append(folder)
    return Path(folder.name)


# It goes when Python ends, and not before.
_kept: "list[tempfile.TemporaryDirectory[str]]" = []


def _may_start(folder: str) -> bool:
    if sys.platform == "win32" or not os.access(folder, os.W_OK):
        return False
    forbidden: int = getattr(os, "ST_NOEXEC", 0)
    return not os.statvfs(folder).f_flag & forbidden
