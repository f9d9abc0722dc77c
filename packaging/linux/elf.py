"""What a program or library says of itself: its machine, what it needs from others, and where
it looks for that. Read from the file: no tool is needed, and no foreign file is ever run.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The numbers are those of the ELF specification.
_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3
_NEEDED, _STRINGS, _VERSIONS, _VERSIONS_COUNT = 1, 5, 0x6FFFFFFE, 0x6FFFFFFF
_PLACES = (15, 29)  # DT_RPATH and DT_RUNPATH


@dataclass(frozen=True)
class Elf:
    """`versions`: of each library needed, the versions of symbols that are asked for.
    `places`: where it looks first.
    """

    machine: int
    starts_by_itself: bool
    needed: tuple[str, ...]
    versions: dict[str, frozenset[str]]
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Piece:
    kind: int
    at: int  # in the file
    address: int
    size: int


def read_elf(path: Path) -> Elf | None:
    """None for anything but a 64-bit, little-endian ELF file: scripts, pictures, others."""
    with path.open("rb") as file:
        if file.read(6) != b"\x7fELF\x02\x01":
            return None
    data = path.read_bytes()
    machine: int = struct.unpack_from("<H", data, 18)[0]
    pieces = list(_pieces(data))
    starts_by_itself = any(piece.kind == _INTERPRETER for piece in pieces)
    entries = [entry for piece in pieces for entry in _dynamic(data, piece)]
    tags = dict(entries)
    if _STRINGS not in tags:
        return Elf(machine, starts_by_itself, (), {})
    strings = _in_file(pieces, tags[_STRINGS])
    needed = tuple(_text(data, strings + value) for tag, value in entries if tag == _NEEDED)
    versions: dict[str, frozenset[str]] = {}
    if _VERSIONS in tags:
        start = _in_file(pieces, tags[_VERSIONS])
        versions = dict(_versions(data, start, tags.get(_VERSIONS_COUNT, 0), strings))
    places = tuple(_text(data, strings + value) for tag, value in entries if tag in _PLACES)
    return Elf(machine, starts_by_itself, needed, versions, places)


def forget_places(path: Path) -> None:
    """Takes out where a library looks first, if that is a folder of the computer it was built
    on: elsewhere, somebody else may own a folder of that name.
    """
    if read_elf(path) is None:
        return
    data = bytearray(path.read_bytes())
    pieces = list(_pieces(data))
    changed = False
    for piece in pieces:
        entries = list(_dynamic(data, piece))
        tags = dict(entries)
        if _STRINGS not in tags:
            continue
        strings = _in_file(pieces, tags[_STRINGS])
        kept = [
            (tag, value)
            for tag, value in entries
            if tag not in _PLACES or not _is_elsewhere(_text(data, strings + value))
        ]
        if kept != entries:
            changed = True
            kept += [(0, 0)] * (len(entries) - len(kept))
            for index, (tag, value) in enumerate(kept):
                struct.pack_into("<qQ", data, piece.at + index * 16, tag, value)
    if changed:
        mode = path.stat().st_mode
        path.chmod(0o644)
        path.write_bytes(data)
        path.chmod(mode)


def _is_elsewhere(places: str) -> bool:
    return not any(place.startswith("$ORIGIN") for place in places.split(":"))


def _pieces(data: bytes | bytearray) -> Iterator[_Piece]:
    (start,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for index in range(count):
        kind, _, at, address, _, in_file = struct.unpack_from(
            "<IIQQQQ", data, start + index * size
        )
        yield _Piece(kind, at, address, in_file)


def _dynamic(data: bytes | bytearray, piece: _Piece) -> Iterator[tuple[int, int]]:
    if piece.kind != _DYNAMIC:
        return
    for at in range(piece.at, piece.at + piece.size, 16):
        tag, value = struct.unpack_from("<qQ", data, at)
        if tag == 0:
            return
        yield tag, value


def _in_file(pieces: list[_Piece], address: int) -> int:
    for piece in pieces:
        if piece.kind == _LOAD and piece.address <= address < piece.address + piece.size:
            return address - piece.address + piece.at
    raise ValueError(f"address {address:#x} lies in no part of the file")


def _versions(
    data: bytes, at: int, count: int, strings: int
) -> Iterator[tuple[str, frozenset[str]]]:
    for _ in range(count):
        _, names, library, first, following = struct.unpack_from("<HHIII", data, at)
        asked = []
        name_at = at + first
        for _ in range(names):
            _, _, _, name, next_name = struct.unpack_from("<IHHII", data, name_at)
            asked.append(_text(data, strings + name))
            name_at += next_name
        yield _text(data, strings + library), frozenset(asked)
        at += following


def _text(data: bytes | bytearray, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode("utf-8", "replace")
