"""The installer's script, as far as it can be judged where Inno Setup does not run."""

import re
from pathlib import Path

import pytest

from bundle.sizes import SLIM
from windows.packages import CLICKED, SCRIPT, TYPED, definitions

# Every section and directive the script uses, so that a slip of the pen is found.
SECTIONS = {
    "Setup",
    "Languages",
    "Tasks",
    "InstallDelete",
    "Files",
    "Icons",
    "Registry",
    "Run",
    "UninstallDelete",
    "Code",
}
PARAMETERS = {
    "Languages": {"Name", "MessagesFile"},
    "Tasks": {"Name", "Description", "Flags"},
    "InstallDelete": {"Type", "Name"},
    "Files": {"Source", "DestDir", "Flags"},
    "Icons": {
        "Name",
        "Filename",
        "Parameters",
        "WorkingDir",
        "IconFilename",
        "Comment",
        "Tasks",
    },
    "Registry": {"Root", "Subkey", "ValueType", "ValueData", "Flags"},
    "Run": {"Filename", "Description", "WorkingDir", "Flags"},
    "UninstallDelete": {"Type", "Name"},
}
PARAMETER = re.compile(r'\s*(\w+):\s*("(?:[^"]|"")*"|[^;"]*)\s*(?:;|$)')


@pytest.fixture(scope="module")
def sections() -> dict[str, list[str]]:
    """Lines without comments and without the preprocessor's, by section."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in SCRIPT.read_text("utf-8").splitlines():
        if (head := re.fullmatch(r"\[(\w+)\]", line)) is not None:
            assert head.group(1) not in found
            lines = found.setdefault(head.group(1), [])
        elif line.strip() and not line.lstrip().startswith((";", "#")):
            lines.append(line)
    return found


@pytest.fixture(scope="module")
def setup(sections: dict[str, list[str]]) -> dict[str, str]:
    pairs = [line.partition("=") for line in sections["Setup"]]
    assert all(equals for _, equals, _ in pairs)
    return {name: value for name, _, value in pairs}


def entries(lines: list[str]) -> list[dict[str, str]]:
    found = []
    for line in lines:
        parts = PARAMETER.findall(line)
        assert PARAMETER.sub("", line).strip() == "", f"this is no entry: {line}"
        found.append({name: unquoted(value) for name, value in parts})
    return found


def unquoted(value: str) -> str:
    return value[1:-1].replace('""', '"') if value.startswith('"') else value.strip()


def test_it_has_the_sections_it_shall_have(sections: dict[str, list[str]]) -> None:
    assert set(sections) == SECTIONS
    for name, known in PARAMETERS.items():
        for entry in entries(sections[name]):
            assert set(entry) <= known, name


def test_it_asks_nothing_before_it_installs(setup: dict[str, str]) -> None:
    """Not for a licence either, which allows everything."""
    assert "LicenseFile" not in setup
    assert setup["DisableProgramGroupPage"] == setup["DisableWelcomePage"] == "yes"


def test_nothing_in_it_needs_an_administrator(
    setup: dict[str, str], sections: dict[str, list[str]]
) -> None:
    assert setup["PrivilegesRequired"] == "lowest"
    assert setup["DefaultDirName"].startswith("{autopf}\\")
    text = "\n".join(line for lines in sections.values() for line in lines)
    assert not re.search(r"\{(?:commonpf\w*|common\w+|win|sys|pf)\}|HKLM", text)


def test_every_definition_it_asks_for_is_given_and_none_is_given_in_vain() -> None:
    text = SCRIPT.read_text("utf-8")
    asked = set(re.findall(r"^#ifndef (\w+)$", text, re.MULTILINE))
    used = set(re.findall(r"\{#(\w+)\}", text))
    given = definitions(Path("f"), SLIM, "0.1.0", Path("i"), Path("p"), Path("o"))
    told = {word.removeprefix("/D").partition("=")[0] for word in given if word[:2] == "/D"}
    assert asked == used == told


def test_the_start_menu_opens_the_program_without_a_terminal(
    sections: dict[str, list[str]],
) -> None:
    icons = {entry["Name"]: entry for entry in entries(sections["Icons"])}
    assert icons[r"{group}\GPU Explorer"]["Filename"] == rf"{{app}}\{CLICKED}.exe"
    typed = icons[r"{group}\GPU Explorer commands"]
    assert typed["Filename"] == "{cmd}"
    assert typed["Parameters"] == f'/K "set "PATH={{app}};%PATH%" && {TYPED} --help"'


def test_an_older_version_leaves_no_library_behind(sections: dict[str, list[str]]) -> None:
    for section in ("InstallDelete", "UninstallDelete"):
        gone = [(each["Type"], each["Name"]) for each in entries(sections[section])]
        assert ("filesandordirs", r"{app}\_internal") in gone


def test_what_it_writes_elsewhere_goes_with_it(sections: dict[str, list[str]]) -> None:
    assert all("uninsdeletekey" in each["Flags"] for each in entries(sections["Registry"]))


def test_the_settings_it_may_remove_are_the_programs_own(
    sections: dict[str, list[str]],
) -> None:
    code = "\n".join(sections["Code"])
    assert r"Settings = '{localappdata}\gpuexplorer';" in code
    assert "IDNO) = IDYES" in code  # a silent removal keeps them
    assert code.count("begin") == code.count("end;")
