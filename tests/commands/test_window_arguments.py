"""What the window is told at its start: words that do not fit are answered at once."""

import argparse
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.commands.window_arguments import add_window_arguments, check_window_arguments

WRONG, TROUBLE = 2, 1


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """The exit status and the first line, before any window was opened."""
    try:
        status = main(["--simulate", "2xT4", *words])
    except SystemExit as left:
        status = int(str(left.code))
    return status, capsys.readouterr().err.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--size 10x10", "'10x10' is not possible; from 560x420 to 7680x4320 is"),
        ("--size 99999x1", "'99999x1' is not possible"),
        ("--size large", "'large' is not a size; write it like 1600x1000"),
        ("--theme pink", "'pink' is none of dark, light, both"),
        ("--view shop", "'shop' is none of overview, card,"),
        ("--quit-after -3", "'-3' is no length of time"),
        ("--quit-after nan", "'nan' is no length of time"),
        ("--after 1e9 --screenshot x", "no length of time up to a day"),
        ("--view all", "A window opens on one screen."),
        ("--theme both", "A window has one theme."),
        ("--after 3", "none were asked for"),
        ("--screenshot x --quit-after 3", "ends when the pictures are written"),
        ("a.gpurec --open b.gpurec", "Two recordings"),
        ("--match a='b'", "--match is about a Prometheus, and none was named"),
        ("--prometheus x --host-label a-b", "is no name of a label"),
    ],
)
def test_wrong_words_are_named(
    capsys: pytest.CaptureFixture[str], words: str, sentence: str
) -> None:
    status, line = told(capsys, *words.split())
    assert status == WRONG
    assert sentence in line


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--screenshot taken", "taken: File exists."),
        ("--screenshot taken/below", "below: Not a directory."),
        ("--diagnostics .", "There is a folder of that name."),
        ("--diagnostics no/cost.json", "That folder does not exist."),
        ("--open letter.gpurec", "letter.gpurec"),
        ("letter.gpurec", "letter.gpurec"),
        ("--open gone.gpurec", "gone.gpurec"),
        ("--prometheus ftp://x", "is no address of a Prometheus"),
        ("--prometheus http://me:word@x", "could be read by others"),
        ("--prometheus x --match {", "The selector '{' cannot be read"),
        ("--prometheus x --prometheus-login none.toml", "cannot be read"),
        ("--prometheus https://x --prometheus-login login.toml", "holds no certificates"),
    ],
)
def test_what_cannot_be_used_is_said_before_anything_is_read(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "taken": "",
        "letter.gpurec": "Dear reader, this is no recording. " * 100,
        "ca.pem": "no certificate",
        "login.toml": 'ca_file = "ca.pem"',
    }.items():
        Path(name).write_text(text)
    status, line = told(capsys, *words.split())
    assert status == TROUBLE
    assert sentence in line


def test_a_fleet_is_made_of_address_selector_and_labels() -> None:
    def checked(*words: str) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        add_window_arguments(parser)
        arguments = parser.parse_args(words)
        check_window_arguments(arguments)
        return arguments

    assert checked().fleet is None
    words = ("--prometheus", "prom:9090", "--match", "{cluster='a'}", "--host-label", "node")
    fleet = checked(*words).fleet
    assert fleet.server.where.url == "http://prom:9090"
    assert fleet.match == "cluster='a'"
    assert fleet.host_label == "node"
