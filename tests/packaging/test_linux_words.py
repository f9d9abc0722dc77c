"""The man page and what shells offer: all that can be typed is in them, and nothing else."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gpuexplorer.__main__ import VERBS
from gpuexplorer.commands.window_arguments import SCREENS
from gpuexplorer.copies.jobs import Kind
from gpuexplorer.simulation.models import MODELS
from linux.completions import actions, parsers, write_completions
from linux.packages import FILES
from tests.packaging.made_folder import on_linux

pytestmark = on_linux

# What can be typed after each command; the window's has no name.
TYPED = {
    name: [each.option_strings for each in actions(parser) if each.option_strings]
    for name, parser in parsers().items()
}
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


@pytest.mark.parametrize("verb", TYPED, ids=lambda verb: verb or "window")
def test_the_man_page_has_every_option_and_no_other(page: dict[str, str], verb: str) -> None:
    shared = options_in(page[SHARED])
    told = options_in(page[verb or "OPTIONS OF THE WINDOW"])
    typed = {name for names in TYPED[verb] for name in names}
    if "--simulate" in typed:
        told |= shared
    if verb:
        typed -= {"-h", "--help"}  # said once, for all
    assert told == typed


def test_the_man_page_has_every_name_an_option_takes(page: dict[str, str]) -> None:
    window, copies = page["OPTIONS OF THE WINDOW"], page["copies"]
    assert [name for name in SCREENS if f".BR {name} " not in window] == []
    assert [kind for kind in Kind if f".BR {kind} " not in copies] == []
    assert [model.key for model in MODELS if model.key not in page[SHARED]] == []


def test_the_synopsis_has_every_command_with_its_options(page: dict[str, str]) -> None:
    shared = ("--help", "--simulate", "--fault", "--seed")
    for verb in filter(None, TYPED):
        form = page["SYNOPSIS"].partition(f"gpuexplorer {verb}\n")[2].partition(".br")[0]
        named = {names[-1] for names in TYPED[verb]} - set(shared)
        assert [name for name in named if name not in form] == []


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


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("share")
    write_completions(place)
    return place


@needs_program("bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["s"], {"snapshot", "serve"}),
        ([""], set(VERBS)),
        (["--th"], {"--theme"}),
        (["--view", "to"], {"topology"}),
        (["copies", "--mode", "st"], {"staged"}),
        (["copies", "--python", "my"], {"my python", "my pictures"}),
        (["--screenshot", "my"], {"my pictures"}),
        (["snapshot", "--loop", ""], set()),
        (["lesson", ""], {"list", "run", "check", "new"}),
        (["lesson", "check", "my"], {"my python", "my pictures"}),
    ],
)
def test_bash_offers_what_fits(
    share: Path, tmp_path: Path, words: list[str], offered: set[str]
) -> None:
    (tmp_path / "my python").touch()
    (tmp_path / "my pictures").mkdir()
    quoted = " ".join(f"'{word}'" for word in words)
    code = f"""
        source '{share / "bash-completion/completions/gpuexplorer"}'
        function=$(complete -p gpuexplorer | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        COMP_WORDS=(gpuexplorer {quoted}) COMP_CWORD={len(words)}
        $function gpuexplorer "${{COMP_WORDS[-1]}}" ""
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert set(done.stdout.splitlines()) - {""} == offered


@needs_program("fish")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("gpuexplorer ", set(VERBS)),
        ("gpuexplorer --theme ", {"dark", "light", "both"}),
        ("gpuexplorer copies --mode st", {"staged"}),
        ("gpuexplorer --view copies --th", {"--theme"}),
        ("gpuexplorer lesson ch", {"check"}),
        ("gpuexplorer lesson list --", {"--json", "--help"}),
    ],
)
def test_fish_offers_what_fits(share: Path, line: str, offered: set[str]) -> None:
    script = share / "fish/vendor_completions.d/gpuexplorer.fish"
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source '{script}'; complete -C '{line}'"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert {told.partition("\t")[0] for told in done.stdout.splitlines()} == offered


@needs_program("zsh")
def test_zsh_can_read_what_it_is_offered(share: Path) -> None:
    script = share / "zsh/vendor-completions/_gpuexplorer"
    done = subprocess.run(
        ["zsh", "-n", str(script)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert all(f"{name}[" in script.read_text() for name in ("--theme", "--deep", "--trace"))
