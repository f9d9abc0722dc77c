"""The trial's bare system, without root and without a network: where it comes from, how it is
entered, what is read off its display."""

import struct
import zlib
from pathlib import Path

import pytest

from bundle.sizes import SLIM
from trial import start_time
from trial.archive import release_of, settings_of, sources_of
from trial.display import cookie
from trial.program import Program, as_json
from trial.refusal import CannotTryError
from trial.report import StepError
from trial.root import HOME, Done, Inside, Root
from trial.trial import packages_of
from trial.xwd import Shown, shown_in

MAIN = "http://example.org/debian/|bookworm|bookworm|main"
TARGETS = [
    MAIN,
    "http://example.org/debian/|bookworm|bookworm|contrib",
    "http://example.org/debian-security/|bookworm-security|bookworm-security|main",
    "http://example.com/others|stable|nodistro|main",
]


def test_the_archive_is_the_one_this_machine_uses_without_what_others_added() -> None:
    address, sources = sources_of(TARGETS, "bookworm")
    assert address == "http://example.org/debian"
    assert sources == (
        "deb http://example.org/debian bookworm main contrib\n"
        "deb http://example.org/debian-security bookworm-security main\n"
    )


def test_an_archive_that_apt_does_not_know_is_named() -> None:
    with pytest.raises(CannotTryError, match="apt knows no archive of trixie"):
        sources_of(TARGETS, "trixie")


def test_only_how_apt_reaches_the_archive_is_taken_over() -> None:
    dump = [
        'Acquire::http::Proxy "http://proxy.example.org:3128";',
        'Acquire::https "";',
        'Acquire::Check-Valid-Until "false";',
        'DPkg::Pre-Install-Pkgs:: "/usr/bin/something-that-is-not-there";',
        'Acquire::Languages:: "none";',
    ]
    assert settings_of(dump) == (
        'Acquire::http::Proxy "http://proxy.example.org:3128";\n'
        'Acquire::Check-Valid-Until "false";\n'
    )


def test_where_there_is_no_debian_it_is_said(tmp_path: Path) -> None:
    release = tmp_path / "os-release"
    release.write_text('ID=debian\nVERSION_CODENAME="bookworm"\n')
    assert release_of(release) == "bookworm"
    with pytest.raises(CannotTryError, match="no Debian"):
        release_of(tmp_path / "nothing")


def test_a_package_that_was_not_built_is_named_with_what_to_type(tmp_path: Path) -> None:
    (tmp_path / "gpuexplorer_0.1.0-1_amd64.deb").touch()
    (tmp_path / "gpuexplorer-classroom-0.1.0-linux-x86_64.tar.gz").touch()
    with pytest.raises(CannotTryError, match=r"no gpuexplorer….tar.gz .* make package"):
        packages_of(SLIM, tmp_path)
    (tmp_path / "gpuexplorer-0.1.0-linux-x86_64.tar.gz").touch()
    assert [path.name for path in packages_of(SLIM, tmp_path)] == [
        "gpuexplorer_0.1.0-1_amd64.deb",
        "gpuexplorer-0.1.0-linux-x86_64.tar.gz",
    ]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(Root(tmp_path), SLIM, tmp_path / "pictures")


@pytest.mark.parametrize(
    ("done", "sentence"),
    [
        (Done(1, "", "It cannot.\n", ""), "ended with 1, not 0. It said: It cannot."),
        (Done(0, "", "Traceback (most recent call last):\n  …", ""), "broke"),
        (Done(0, "", "", "python3 -c import"), "left running: python3"),
    ],
)
def test_what_goes_wrong_is_told_with_its_last_words(
    program: Program, done: Done, sentence: str
) -> None:
    with pytest.raises(StepError, match=r"`gpuexplorer doctor` ") as failure:
        program.judged(done, ("doctor",))
    assert sentence in str(failure.value)


def test_what_should_be_json_and_is_not_is_told() -> None:
    with pytest.raises(StepError, match="is no JSON: 'A table'"):
        as_json("A table", "gpuexplorer snapshot --json")


def test_folders_of_the_person_are_made_inside_the_root(tmp_path: Path) -> None:
    root = Root(tmp_path)
    root.at(HOME).mkdir(parents=True)
    made = root.owned(f"{HOME}/Meine Programme/显卡")
    assert made == tmp_path / "home" / "student" / "Meine Programme" / "显卡"
    assert made.is_dir()
    assert f"{HOME}/Meine Programme/显卡" in root.paths()


def test_the_ordinary_user_is_no_root_unless_it_is_said() -> None:
    assert not Inside().as_root
    assert Inside().home == HOME


def picture(pixels: bytes, wide: int, high: int) -> bytes:
    fields = [100, 7, 2, 24, wide, high, 0, 0, 32, 0, 32, 32, wide * 4, *[0] * 12]
    fields[19] = 1  # colours in the map
    return struct.pack(">25I", *fields) + bytes(12) + pixels


def test_a_screen_is_read_and_written_as_png(tmp_path: Path) -> None:
    file = tmp_path / "Xvfb_screen0"
    file.write_bytes(picture(b"\x01\x02\x03\x00" + b"\xff\x00\x80\x00", 2, 1))
    shown = shown_in(file)
    assert shown == Shown(2, 1, b"\x03\x02\x01" + b"\x80\x00\xff")
    png = shown.as_png()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    start = png.index(b"IDAT") + 4
    (length,) = struct.unpack(">I", png[start - 8 : start - 4])
    assert zlib.decompress(png[start : start + length]) == b"\0" + shown.pixels


def test_an_empty_screen_is_not_taken_for_a_window() -> None:
    empty = Shown(100, 100, bytes(30_000))
    colourful = Shown(100, 100, bytes(at % 251 for at in range(30_000)))
    assert not empty.drawn
    assert colourful.drawn


def test_a_cookie_is_one_for_every_display() -> None:
    packed = cookie(b"0123456789abcdef")
    assert packed == b"\xff\xff\0\0\0\0\0\x12MIT-MAGIC-COOKIE-1\0\x100123456789abcdef"


def test_a_start_is_judged_by_the_ratios_of_neighbours() -> None:
    said = start_time.judged([1.2, 2.4, 1.2], [1.0, 2.0, 1.0])
    assert said.endswith("the median of the ratios is 1.20.")
    with pytest.raises(StepError, match=r"1\.60"):
        start_time.judged([1.6, 1.6, 1.6], [1.0, 1.0, 1.0])
