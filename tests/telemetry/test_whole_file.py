"""Files that are there whole or not at all."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.whole_file import write_whole


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "There is no room left on that disk."),
        (errno.EACCES, "You may not write there."),
        (errno.EROFS, "the disk is read-only."),
        (errno.EIO, "The system says: it broke."),
    ],
)
def test_a_disk_that_refuses_leaves_the_old_file_and_no_stump(
    tmp_path: Path, number: int, words: str
) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"half of it"
        raise OSError(number, "it broke")

    path = tmp_path / "plots.csv"
    path.write_bytes(b"the old one")
    with pytest.raises(Trouble, match=r"plots\.csv was not saved") as told:
        write_whole(path, chunks())
    assert words in str(told.value)
    assert path.read_bytes() == b"the old one"
    assert list(tmp_path.iterdir()) == [path]
    write_whole(path, [b"ne", b"w"])
    assert path.read_bytes() == b"new"
