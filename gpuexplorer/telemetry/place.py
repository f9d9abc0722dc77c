"""Place: the files, environment and system that are looked at, and where a loader would find a
library there. Starts no program, and imports little: every start looks for a library.
"""

import os
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_LIBRARY_FOLDERS = (
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
    "/usr/lib/x86_64-linux-gnu/GL/nvidia/lib",  # within a Flatpak
    "/usr/lib/x86_64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/lib64",
    "/usr/lib",
    "/lib",
    "/usr/local/lib",
)
_CACHE_MAGIC = b"glibc-ld.so.cache1.1"


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look: a tree of files, an environment and a kind of system."""

    root: Path = Path("/")
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    platform: str = sys.platform

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def shown(self, path: Path) -> str:
        """The path as the person at this computer would write it."""
        if self.root != Path("/") and path.is_relative_to(self.root):
            return f"/{path.relative_to(self.root).as_posix()}"
        return str(path)

    def exists(self, path: str) -> bool:
        return is_there(self.at(path))

    def read(self, path: str, limit: int = 1 << 20) -> str | None:
        """The text of a file, or None where it cannot be read for whatever reason."""
        try:
            with self.at(path).open("rb") as file:
                return file.read(limit).decode("utf-8", "replace")
        except (OSError, ValueError):
            return None

    def entries(self, path: str) -> Sequence[Path]:
        try:
            return sorted(self.at(path).iterdir())
        except OSError:
            return ()


def driver_library(place: Place) -> Path | None:
    """Where the library is through which NVIDIA's driver answers questions."""
    if place.platform == "win32":
        windows = place.environment.get("SYSTEMROOT", "C:\\Windows")
        programs = place.environment.get("PROGRAMFILES", "C:\\Program Files")
        places = (
            place.at(windows) / "System32" / "nvml.dll",
            place.at(programs) / "NVIDIA Corporation" / "NVSMI" / "nvml.dll",
        )
        return next((path for path in places if is_there(path)), None)
    return find_library(place, "libnvidia-ml.so.1")


def find_library(place: Place, name: str) -> Path | None:
    """Where the loader would find a shared library. Starts no program."""
    folders = place.environment.get("LD_LIBRARY_PATH", "").split(":")
    for folder in (*filter(None, folders), *_LIBRARY_FOLDERS):
        if place.exists(f"{folder}/{name}"):
            return place.at(f"{folder}/{name}")
    for known, path in _loader_cache(place):
        if known == name and place.exists(path):
            return place.at(path)
    return None


def is_there(path: Path) -> bool:
    """As far as this user can see: Path.exists raises where a folder above is closed."""
    try:
        path.stat()
    except OSError:
        return False
    return True


def is_library(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _loader_cache(place: Place) -> Iterator[tuple[str, str]]:
    """Names and paths from ld.so.cache, for 64-bit programs."""
    try:
        data = place.at("/etc/ld.so.cache").read_bytes()
    except OSError:
        return
    start = data.find(_CACHE_MAGIC)
    if start < 0:
        return
    cache = data[start:]
    try:
        (count,) = struct.unpack_from("=I", cache, len(_CACHE_MAGIC))
        for entry in range(count):
            flags, key, value = struct.unpack_from("=iII", cache, 48 + 24 * entry)
            # Libraries for 32-bit programs carry no mark of an architecture.
            if flags & 0xFF00:
                yield _text(cache, key), _text(cache, value)
    except struct.error:
        return


def _text(cache: bytes, offset: int) -> str:
    return cache[offset : cache.find(b"\0", offset)].decode("utf-8", "replace")
