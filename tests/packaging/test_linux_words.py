"""The man page and what shells offer: all that can be typed is in them, and nothing else."""

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gpuexplorer.commands.window_arguments import SCREENS
from gpuexplorer.copies.plan import Kind
from gpuexplorer.simulation.models import MODELS
from linux.completions import for_bash, for_fish, for_zsh
from linux.release import Release
from linux.tree import FILES, dated
from linux.words import Follows, Option, Verb, verbs
from tests.packaging.made_folder import on_linux

pytestmark = on_linux

TYPED = {verb.name: verb for verb in verbs()}
SHARED = "SIMULATED CARDS"


def needs_program(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not here")


def plain(roff: str) -> str:
    return roff.replace("\\-", "-").replace("\\&", "")


@pytest.fixture(scope="module")
def page() -> dict[str, str]:
    """The man page's sections, and the subsections of its commands."""
    text = plain((FILES / "gpuexplorer.1").read_text(encoding="utf-8"))
    parts = re.split(r"^\.S[HS] (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def options_in(part: str) -> set[str]:
    """What stands at the head of an entry."""
    heads = re.findall(r"^\.TP\n(\..+)$", part, flags=re.MULTILINE)
    return {name for head in heads for name in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", head)}


@pytest.mark.parametrize("verb", TYPED.values(), ids=lambda verb: verb.name or "window")
def test_the_man_page_has_every_option_and_no_other(page: dict[str, str], verb: Verb) -> None:
    shared = options_in(page[SHARED])
    told = options_in(page[verb.name or "OPTIONS OF THE WINDOW"])
    typed = {name for option in verb.options for name in option.names}
    if "--simulate" in typed:
        told |= shared
    if verb.name:
        typed -= {"-h", "--help"}  # said once, for all
    assert told == typed


def test_the_man_page_has_every_name_an_option_takes(page: dict[str, str]) -> None:
    window, copies = page["OPTIONS OF THE WINDOW"], page["copies"]
    assert [name for name in SCREENS if f".BR {name} " not in window] == []
    assert [kind for kind in Kind if f".BR {kind} " not in copies] == []
    assert [model.key for model in MODELS if model.key not in page[SHARED]] == []


def test_the_synopsis_has_every_command_with_its_options(page: dict[str, str]) -> None:
    for verb in filter(lambda each: each.name, TYPED.values()):
        form = page["SYNOPSIS"].partition(f"gpuexplorer {verb.name}\n")[2].partition(".br")[0]
        for option in verb.options:
            if option.names[-1] not in ("--help", "--simulate", "--fault", "--seed"):
                assert option.names[-1] in form


def test_the_man_page_says_of_which_version_it_is() -> None:
    release = Release("1.2.3", "1", "Somebody <a@b.invalid>", 0)
    head = dated("gpuexplorer.1", release).decode().splitlines()[1]
    assert head == '.TH GPUEXPLORER 1 "1970-01-01" "GPU Explorer 1.2.3" "User Commands"'


@needs_program("man")
def test_the_man_page_can_be_read_without_a_complaint() -> None:
    done = subprocess.run(
        ["man", "--warnings", "--local-file", str(FILES / "gpuexplorer.1")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert "gpuexplorer copies" in done.stdout


@pytest.mark.parametrize("write", [for_bash, for_zsh])
def test_each_option_stands_in_what_bash_and_zsh_are_offered(
    write: Callable[[Sequence[Verb]], str],
) -> None:
    text = write(list(TYPED.values()))
    for verb in TYPED.values():
        for option in verb.options:
            assert all(name in text for name in option.names)


def test_each_option_stands_in_what_fish_is_offered() -> None:
    text = for_fish(list(TYPED.values()))
    for verb in TYPED.values():
        lines = [
            line for line in text.splitlines() if f"__gpuexplorer_says {verb.name}'" in line
        ]
        if verb.name:
            assert len(lines) == len(verb.options)


def test_what_a_shell_is_told_cannot_end_its_quotation() -> None:
    odd = Verb("", "", (Option(("--odd",), "it's [so]: odd", Follows.NOTHING),))
    assert "'--odd[it’s \\[so\\]\\: odd]'" in for_zsh([odd])
    assert "-d 'it’s [so]: odd'" in for_fish([odd])


def offered_by_bash(tmp_path: Path, *words: str) -> list[str]:
    """As bash does when Tab is pressed after the last of these."""
    script = tmp_path / "completions"
    script.write_text(for_bash(list(TYPED.values())), encoding="utf-8")
    quoted = " ".join(f"'{word}'" for word in words)
    code = (
        f"source '{script}'; COMP_WORDS=(gpuexplorer {quoted}); "
        f"COMP_CWORD={len(words)}; _gpuexplorer; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


@needs_program("bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["s"], ["snapshot"]),
        ([""], ["snapshot", "topology", "doctor", "copies"]),
        (["--th"], ["--theme"]),
        (["--theme", "l"], ["light"]),
        (["--theme", "=", "d"], ["dark"]),
        (["--theme", "="], ["dark", "light", "both"]),
        (["--view", "to"], ["topology"]),
        (["snapshot", "--j"], ["--json"]),
        (["doctor", "--simulate"], [""]),
        (["copies", "--mode", "st"], ["staged", "strided"]),
        (["copies", "--python", "my"], ["my python"]),
        (["--screenshot", "my"], ["my pictures"]),
        (["snapshot", "--loop", ""], [""]),
    ],
)
def test_bash_offers_what_fits(tmp_path: Path, words: list[str], offered: list[str]) -> None:
    (tmp_path / "my python").touch()
    (tmp_path / "my pictures").mkdir()
    found = offered_by_bash(tmp_path, *words)
    assert sorted(
        set(found) - {"my pictures"} if offered == ["my python"] else found
    ) == sorted(offered)


@needs_program("fish")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("gpuexplorer ", {"snapshot", "topology", "doctor", "copies"}),
        ("gpuexplorer --theme ", {"dark", "light", "both"}),
        ("gpuexplorer copies --mode st", {"staged", "strided"}),
        ("gpuexplorer doctor --", {"--json", "--bundle", "--deep", "--help"}),
        ("gpuexplorer --view copies --th", {"--theme"}),
    ],
)
def test_fish_offers_what_fits(tmp_path: Path, line: str, offered: set[str]) -> None:
    script = tmp_path / "gpuexplorer.fish"
    script.write_text(for_fish(list(TYPED.values())), encoding="utf-8")
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source '{script}'; complete -C '{line}'"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert {told.partition("\t")[0] for told in done.stdout.splitlines()} == offered


@needs_program("zsh")
def test_zsh_can_read_what_it_is_offered(tmp_path: Path) -> None:
    script = tmp_path / "_gpuexplorer"
    script.write_text(for_zsh(list(TYPED.values())), encoding="utf-8")
    done = subprocess.run(
        ["zsh", "-n", str(script)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
