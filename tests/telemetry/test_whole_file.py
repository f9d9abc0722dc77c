"""Files that are there whole or not at all."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.whole_file import write_whole


def test_what_was_there_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    place = tmp_path / "readings.csv"
    place.write_text("old")

    def breaks_off() -> Iterator[bytes]:
        yield b"new"
        raise OSError("the disk was pulled out")

    with pytest.raises(Trouble, match=r"readings\.csv was not saved"):
        write_whole(place, breaks_off())
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]
    write_whole(place, [b"ne", b"w"])
    assert place.read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="There are no named pipes here.")
def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, [b"all of ", b"it"])
    reader.join()
    assert got == [b"all of it"]
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]
