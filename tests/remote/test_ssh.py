"""What is handed to ssh: a name that never becomes an option, those of its configuration to
choose from, and a private folder with short paths.
"""

import errno
import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote import ssh as folders
from gpuexplorer.remote.ssh import host_name, names_to_choose, private_folder, ssh_command
from tests.remote.conftest import FakeSsh

posix = pytest.mark.skipif(sys.platform == "win32", reason="ssh shares nothing there")


@pytest.fixture(autouse=True)
def another_folder() -> None:
    folders._made.cache_clear()


@posix
@pytest.mark.parametrize("runtime", ["", "/run/user/1000", "/a/folder/that/is/not/there"])
def test_nobody_else_can_look_into_it(monkeypatch: pytest.MonkeyPatch, runtime: str) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    assert stat.S_IMODE(private_folder().stat().st_mode) == 0o700
    assert os.access(private_folder(), os.W_OK)


@posix
def test_machines_that_connect_at_once_share_one_folder() -> None:
    together = Barrier(8)

    def asked(_: int) -> str:
        together.wait(30)
        return str(private_folder())

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(asked, range(8)))) == 1


def test_a_socket_has_a_short_path_of_its_own_and_no_name_is_ever_an_option(
    fake_ssh: FakeSsh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/x" * 40)
    paths = set()
    for name in ("there", "ada@there", "there-too"):
        words = ssh_command(host_name(name), "-oProxyCommand=id")
        assert words[-3:] == ["--", name, "-oProxyCommand=id"]
        (path,) = (each for each in words if each.startswith("ControlPath="))
        paths.add(path)
        # %C becomes 40 letters; ssh adds a dot and 16 while it makes it.
        assert len(path.partition("=")[2]) + 40 - 2 + 17 < 104
    assert len(paths) == 3


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


@pytest.mark.parametrize(
    "text",
    ["server", "ada@server", "ada@10.0.0.1", "ssh://ada@server:2222", "[::1]", "büro.example"],
)
def test_a_name_is_taken_as_it_is_typed(text: str) -> None:
    assert host_name(f" {text} ").text == text


def test_a_user_of_a_domain_has_a_backslash() -> None:
    assert host_name("SCHOOL\\ada@server").text == "SCHOOL\\ada@server"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The name of a machine is missing."),
        ("  ", "The name of a machine is missing."),
        ("-oProxyCommand=id", "The name of a machine cannot begin with a hyphen: "),
        ("ada@-oProxyCommand=id", "This is no name of a machine: "),
        ("two words", "The name of a machine cannot hold spaces or control characters: "),
        ("a\x1b[2J", "The name of a machine cannot hold spaces or control characters: a�[2J."),
        ("a\nb", "The name of a machine cannot hold spaces or control characters: "),
        ("server\n", "The name of a machine cannot hold spaces or control characters: "),
        ("\u202egnp", "The name of a machine cannot hold spaces or control characters: "),
        ("a\u200bb", "The name of a machine cannot hold spaces or control characters: "),
        ("a\udc80", "The name of a machine cannot hold spaces or control characters: "),
        ("x" * 400, "This is no name of a machine: xxxxxxxxxx"),
        ("@server", "This is no name of a machine: @server."),
        ("ada@", "This is no name of a machine: ada@."),
        ("$(id)", "This is no name of a machine: $(id)."),
        ("`id`@server", "This is no name of a machine: "),
        ("a;b", "This is no name of a machine: a;b."),
        ("a'b@server", "This is no name of a machine: "),
    ],
)
def test_what_is_no_name_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(Trouble) as refused:
        host_name(text)
    assert refused.value.sentence.startswith(sentence)
    assert refused.value.sentence.isprintable()
    assert refused.value.hint or not sentence


def names(config: Path) -> list[str]:
    return list(names_to_choose(config))


def test_names_come_as_they_stand_there_without_patterns(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(
        '# Host commented\nHost one two\n  HostName 10.0.0.1\nhost=three\nHost "four" one\n'
        'Host * !not ?any 10.*\nMatch host five exec "touch here"\n  User x\n\tHOST\tsix\n'
        "Host -oProxyCommand=id $(id) a\x1bb\nHostName nine\n",
        "utf-8",
    )
    assert names(config) == ["one", "two", "three", "four", "six"]


def test_included_files_are_read_where_they_stand(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "b.conf").write_text("Host b\nInclude more/a.conf\n")
    (tmp_path / "more" / "a.conf").write_text("Host a\nInclude config\n")
    config = tmp_path / "config"
    config.write_text(f'Include more/*.conf "{tmp_path}/none"\nHost c\n')
    assert sorted(names(config)) == ["a", "b", "c"]


def test_a_file_that_includes_itself_ends(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(
        "Include config\nInclude ./config\nInclude c*\nInclude ~nobody/x\nHost a\n"
    )
    assert names(config) == ["a"]


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\0\x01" * 1000, b"Host " + b"x" * 2_000_000, b"\0" * 2_000_000]
)
def test_what_is_no_configuration_has_no_names(tmp_path: Path, content: bytes) -> None:
    config = tmp_path / "config"
    config.write_bytes(content)
    assert names(config) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes with names")
def test_a_pipe_a_folder_and_nothing_are_no_configuration(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert names(tmp_path / "pipe") == names(tmp_path) == names(tmp_path / "none") == []
