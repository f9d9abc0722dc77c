"""Sockets and questions of ssh lie where only this person looks, and where a path is short."""

import errno
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from gpuexplorer.remote import ssh as folders
from gpuexplorer.remote.ssh import host_name, private_folder, ssh_command
from tests.remote.conftest import FakeSsh

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ssh shares nothing there")


@pytest.fixture(autouse=True)
def another_folder() -> None:
    folders._made.cache_clear()


@pytest.mark.parametrize("runtime", ["", "/run/user/1000", "/a/folder/that/is/not/there"])
def test_nobody_else_can_look_into_it(monkeypatch: pytest.MonkeyPatch, runtime: str) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    assert stat.S_IMODE(private_folder().stat().st_mode) == 0o700
    assert os.access(private_folder(), os.W_OK)


def test_machines_that_connect_at_once_share_one_folder() -> None:
    together = Barrier(8)

    def asked(_: int) -> str:
        together.wait(30)
        return str(private_folder())

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(asked, range(8)))) == 1


def test_a_path_of_a_socket_is_short_enough(
    fake_ssh: FakeSsh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/x" * 40)
    words = ssh_command(host_name("ada@there"), "true")
    path = next(each for each in words if each.startswith("ControlPath=")).partition("=")[2]
    # %C becomes 40 letters; ssh adds a dot and 16 while it makes it.
    assert len(path) + 40 - 2 + 17 < 104


@pytest.mark.parametrize("name", ["x y", "x%y", 'x"y', "x$y"])
def test_what_ssh_would_misread_is_no_path_of_a_socket(
    fake_ssh: FakeSsh, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.setattr(folders, "_LONGEST_PLACE", 1_000)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    assert name not in " ".join(ssh_command(host_name("there"), "true"))
    folders._made.cache_clear()
    monkeypatch.setattr(folders, "_LONGEST_PLACE", 0)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    assert "Control" not in " ".join(ssh_command(host_name("there"), "true"))


def test_without_room_for_sockets_each_connection_logs_in_by_itself(
    fake_ssh: FakeSsh, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    words = ssh_command(host_name("there"), "true")
    assert words[-2:] == ["there", "true"]
    assert "Control" not in " ".join(words)


def test_two_names_never_share_a_connection(fake_ssh: FakeSsh) -> None:
    paths = {
        next(each for each in ssh_command(host_name(name), "true") if "ControlPath" in each)
        for name in ("there", "ada@there", "there-too")
    }
    assert len(paths) == 3


def test_a_name_or_a_command_is_never_an_option(fake_ssh: FakeSsh) -> None:
    words = ssh_command(host_name("there"), "-oProxyCommand=id")
    assert words[-3:] == ["--", "there", "-oProxyCommand=id"]


_WINDOW = """
import sys
from gpuexplorer.remote import ssh as folders
folders._LONGEST_PLACE = 1000
(folders.private_folder() / "a-socket").touch()
print(folders.private_folder(), flush=True)
sys.stdin.read()
"""


def test_what_a_killed_window_left_goes_with_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "_LONGEST_PLACE", 1000)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "gpuexplorer-machines-1").mkdir()
    command = [sys.executable, "-c", _WINDOW]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    windows = [subprocess.Popen(command, **pipes) for _ in range(2)]  # type: ignore[call-overload]  # the same for both
    killed, open_still = (Path(each.stdout.readline().strip()) for each in windows)
    windows[0].kill()
    windows[0].communicate(timeout=30)
    assert killed.exists()
    own = private_folder()
    assert {*tmp_path.iterdir()} == {own, open_still, tmp_path / "gpuexplorer-machines-1"}
    windows[1].communicate(timeout=30)
    assert not open_still.exists()
