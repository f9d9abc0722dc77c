"""What is no name of a machine never becomes an argument of ssh."""

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote.ssh import host_name


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
