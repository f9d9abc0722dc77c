"""The icon for Windows, read back as a program that shows icons would."""

import struct
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage, QImageReader

from program_icon import as_png, channels, fitting
from windows.icon import SIZES, icon, write_icon, write_picture


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_icon(tmp_path_factory.mktemp("icon") / "deep" / "gpuexplorer.ico")


def test_every_size_is_in_the_file_and_is_the_drawing(file: Path) -> None:
    reader = QImageReader(str(file))
    assert bytes(reader.format().data()) == b"ico"
    assert reader.imageCount() == len(SIZES)
    for number, size in enumerate(SIZES):
        reader.jumpToImage(number)
        shown = reader.read()
        assert (shown.width(), shown.height()) == (size, size)
        assert channels(shown) == channels(fitting(size))


def test_the_sizes_windows_looks_for_are_there() -> None:
    assert {16, 20, 24, 32, 40, 48, 64, 128, 256} <= set(SIZES)


def test_only_the_largest_is_a_png(file: Path) -> None:
    """Programs older than that kind of icon look at the small ones only."""
    data = file.read_bytes()
    for number, size in enumerate(SIZES):
        _, _, _, _, _, bits, length, at = struct.unpack_from("<BBBBHHII", data, 6 + 16 * number)
        assert bits == 32
        assert data[at : at + length].startswith(b"\x89PNG") == (size == 256)
    assert at + length == len(data)


def test_the_mask_hides_what_is_not_drawn() -> None:
    """The edge that older programs see: a bit for each pixel, rows filled up to four bytes."""
    image = QImage(20, 20, QImage.Format.Format_ARGB32)
    image.fill(QColor(0, 0, 0, 0))
    image.setPixelColor(3, 19, QColor(255, 0, 0))
    data = icon([image])
    mask = data[-20 * 4 :]
    assert mask[:4] == bytes([0b11101111, 0xFF, 0b11110000, 0])  # the lowest row comes first
    assert mask[4:8] == bytes([0xFF, 0xFF, 0b11110000, 0])


def test_the_channels_of_a_picture_are_told_apart() -> None:
    image = QImage(2, 1, QImage.Format.Format_ARGB32)
    image.setPixelColor(0, 0, QColor(1, 2, 3, 4))
    image.setPixelColor(1, 0, QColor(5, 6, 7, 8))
    assert channels(image) == (b"\x04\x08", b"\x01\x05", b"\x02\x06", b"\x03\x07")
    assert QImage.fromData(as_png(image)).pixelColor(0, 0).alpha() == 4


def test_the_installers_picture_is_the_icon_on_white(tmp_path: Path) -> None:
    shown = QImage(str(write_picture(tmp_path / "gpuexplorer.bmp")))
    assert shown.width() == shown.height() == 138
    assert shown.pixelColor(0, 0) == QColor("white")
    assert shown.pixelColor(69, 20) == fitting(138).pixelColor(69, 20)
