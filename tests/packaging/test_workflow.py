"""The workflows of the public CI, as far as they can be judged without it.

They are read as text: nothing that reads YAML is among the packages of the tests.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
USED = re.compile(r"uses: (\S+)(.*)")

each = pytest.mark.parametrize(
    "text",
    [path.read_text("utf-8") for path in WORKFLOWS],
    ids=[path.stem for path in WORKFLOWS],
)


def test_there_are_two() -> None:
    assert [path.name for path in WORKFLOWS] == ["release.yml", "tests.yml"]


@each
def test_every_action_is_pinned_and_says_which_version_that_is(text: str) -> None:
    used = USED.findall(text)
    assert used
    for action, remark in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action)
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", remark)


def test_the_same_action_is_the_same_everywhere() -> None:
    pinned: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for action, remark in USED.findall(path.read_text("utf-8")):
            name, _, commit = action.partition("@")
            pinned.setdefault(name, set()).add(commit + remark)
    assert all(len(versions) == 1 for versions in pinned.values())


@each
def test_nothing_may_be_written_unless_it_is_said(text: str) -> None:
    assert re.search(r"^permissions:\n  contents: read\n\n", text, re.MULTILINE)
    assert "persist-credentials: false" in text
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_only_the_last_job_may_write_and_it_checks_nothing_out() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    before, _, last = text.partition("\n  release:\n")
    assert ": write" not in before
    assert last.count(": write") == 1
    assert "actions/checkout" not in last
    assert "needs: [version, linux, windows, macos]" in last
    assert "github.ref_type == 'tag' && needs.linux.result == 'success'" in last


@each
def test_no_word_of_a_stranger_is_put_into_a_command(text: str) -> None:
    """A branch may be called like a command: such names are handed over as variables."""
    for run in re.findall(r"run: \|\n((?:          .*\n|\n)+)|run: (.+)", text):
        lines = "".join(run)
        inside = re.findall(r"\$\{\{ *(\S+) *\}\}", lines)
        assert set(inside) <= {"matrix.sizes"}


@each
def test_every_job_ends_some_time(text: str) -> None:
    jobs = re.findall(
        r"^  [a-z]+:\n(?:    .*\n|\n|  #.*\n)+", text.partition("jobs:\n")[2], re.M
    )
    assert jobs
    assert all("    timeout-minutes: " in job and "    runs-on: " in job for job in jobs)


@each
def test_the_files_and_targets_it_names_are_there(text: str) -> None:
    for name in re.findall(r"python (packaging/\S+\.py)", text):
        assert (ROOT / name).is_file()
    for target in re.findall(r"run: make (\S+)", text):
        assert re.search(
            rf"^(?:[a-z -]+ )?{target}(?: [a-z-]+)*:", (ROOT / "Makefile").read_text(), re.M
        )


def test_what_is_untried_holds_no_change_up() -> None:
    text = (ROOT / ".github/workflows/tests.yml").read_text("utf-8")
    _, _, untried = text.partition("\n  untried:\n")
    assert "continue-on-error: true" in untried
    assert "windows-" in untried
    assert "macos-" in untried
