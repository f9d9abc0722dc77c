"""The names of an ssh configuration, of whatever content."""

import os
from pathlib import Path

import pytest

from gpuexplorer.remote.ssh import names_to_choose


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
        "Include config\nInclude ./config\nInclude c*\nInclude ~nobody/x\n"
        "Include a\0b/*\nInclude /*/*/*/*\nHost a\n"
    )
    assert names(config) == ["a"]


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\0\x01" * 1000, b"Host " + b"x" * 2_000_000, b"\0" * 2_000_000]
)
def test_what_is_no_configuration_has_no_names(tmp_path: Path, content: bytes) -> None:
    config = tmp_path / "config"
    config.write_bytes(content)
    assert names(config) == []


def test_no_more_names_are_offered_than_a_person_can_look_through(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("".join(f"Host h{number}\n" for number in range(5_000)))
    assert len(names(config)) == 1_000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes with names")
def test_a_pipe_a_folder_and_nothing_are_no_configuration(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert names(tmp_path / "pipe") == names(tmp_path) == names(tmp_path / "none") == []
