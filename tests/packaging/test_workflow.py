"""The workflows of the public CI, as far as they can be judged without it.

They are read as text: nothing that reads YAML is among the packages of the tests.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".github" / "workflows"
USED = re.compile(r"uses: (\S+)(.*)")

each = pytest.mark.parametrize("name", ["release", "tests"])


def said(name: str) -> str:
    return (FOLDER / f"{name}.yml").read_text("utf-8")


@each
def test_every_action_is_pinned_and_the_same_everywhere(name: str) -> None:
    used, others = USED.findall(said(name)), dict(USED.findall(said("tests") + said("release")))
    assert used
    for action, remark in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action)
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", remark)
    assert len({action.partition("@")[0] for action in others}) == len(others)


@each
def test_nothing_may_be_written_and_no_word_of_a_stranger_is_run(name: str) -> None:
    """A branch may be called like a command: such names are handed over as variables."""
    text = said(name)
    assert re.search(r"^permissions:\n  contents: read\n\n", text, re.MULTILINE)
    assert text.count("actions/checkout@") == text.count("persist-credentials: false") > 0
    for run in re.findall(r"run: \|\n((?:          .*\n|\n)+)|run: (.+)", text):
        assert set(re.findall(r"\$\{\{ *(\S+) *\}\}", "".join(run))) <= {"matrix.sizes"}


def test_only_the_last_job_may_write_and_it_checks_nothing_out() -> None:
    before, _, last = said("release").partition("\n  release:\n")
    assert ": write" not in before
    assert last.count(": write") == 1
    assert "actions/checkout" not in last
    assert "needs: [version, linux, windows, macos]" in last
    assert "github.ref_type == 'tag' && needs.linux.result == 'success'" in last


@each
def test_every_job_ends_some_time_and_what_it_names_is_there(name: str) -> None:
    text, makefile = said(name), (ROOT / "Makefile").read_text()
    jobs = re.split(r"^  [a-z]+:\n", text.partition("jobs:\n")[2], flags=re.MULTILINE)[1:]
    assert jobs
    assert all("    timeout-minutes: " in job and "    runs-on: " in job for job in jobs)
    for path in re.findall(r"python3? (packaging/\S+\.py)", text):
        assert (ROOT / path).is_file()
    for target in re.findall(r"run: make (\S+)", text):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_what_is_untried_holds_no_change_up() -> None:
    untried = said("tests").partition("\n  untried:\n")[2]
    assert all(part in untried for part in ("continue-on-error: true", "windows-", "macos-"))
