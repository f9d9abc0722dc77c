"""What the trial of the packages stands on, without root and without a network."""

import shutil
import subprocess
from pathlib import Path

import pytest

from bare_system import display, ended
from tests.packaging.made_folder import on_linux

pytestmark = on_linux


def said(code: str) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen(["sh", "-c", code], stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize(
    "code",
    [
        "echo It cannot. >&2; exit 1",
        "echo 'Traceback (most recent call last):' >&2",
        "echo 'Left running: python3' >&2",
    ],
)
def test_what_goes_wrong_is_told_with_its_last_words(code: str) -> None:
    assert ended(said("echo fine"))[0] == "fine\n"
    with pytest.raises(AssertionError, match=r"It cannot|Traceback|Left running"):
        ended(said(code))


@pytest.mark.skipif(
    shutil.which("xvfb-run") is None or shutil.which("xauth") is None, reason="needs Xvfb"
)
@pytest.mark.parametrize("remote", [False, True])
def test_an_empty_display_is_not_taken_for_a_window(remote: bool, tmp_path: Path) -> None:
    with display(remote=remote) as screen:
        assert screen.name.startswith("127.0.0.1:" if remote else ":")
        assert screen.cookies.stat().st_size > 0
        with pytest.raises(pytest.fail.Exception, match="before anything was drawn"):
            screen.shown_by(said("sleep 1"), tmp_path / "picture.png")
