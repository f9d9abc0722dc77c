"""What is handed to ssh: a name that never becomes an option, those of its configuration to
choose from, and a private folder with short paths.
"""

import os
import stat
import sys
from pathlib import Path

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
