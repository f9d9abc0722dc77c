"""What the window can be told of a Prometheus."""

import argparse
from pathlib import Path

import pytest

from gpuexplorer.commands.arguments import WrongArgumentsError
from gpuexplorer.commands.window_arguments import add_window_arguments, check_window_arguments
from gpuexplorer.core.trouble import Trouble


def _checked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_window_arguments(parser)
    arguments = parser.parse_args(words)
    check_window_arguments(arguments)
    return arguments


def test_nothing_is_asked_where_nobody_names_a_prometheus() -> None:
    assert _checked().fleet is None


def test_a_fleet_is_made_of_address_selector_and_labels() -> None:
    fleet = _checked(
        *("--prometheus", "prom:9090", "--match", "{cluster='a'}"),
        *("--host-label", "node"),
    ).fleet
    assert fleet.server.where.url == "http://prom:9090"
    assert fleet.match == "cluster='a'"
    assert fleet.host_label == "node"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--match", "a='b'"], "--match is about a Prometheus, and none was named"),
        (["--prometheus", "ftp://x"], "is no address of a Prometheus"),
        (["--prometheus", "http://me:word@x"], "could be read by others"),
        (["--prometheus", "x", "--match", "{"], "The selector '{' cannot be read"),
        (["--prometheus", "x", "--host-label", "a-b"], "is no name of a label"),
        (["--prometheus", "x", "--prometheus-login", "none.toml"], "cannot be read"),
    ],
)
def test_what_cannot_be_used_is_a_sentence(words: list[str], sentence: str) -> None:
    with pytest.raises((Trouble, WrongArgumentsError)) as raised:
        _checked(*words)
    assert sentence in str(raised.value)


def test_certificates_that_are_none_are_said_before_the_window_opens(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    login = tmp_path / "login.toml"
    login.write_text('ca_file = "ca.pem"')
    with pytest.raises(Trouble, match="holds no certificates"):
        _checked("--prometheus", "https://x", "--prometheus-login", str(login))
