"""What is sent, and that any Python and any shell over there takes it as it is meant."""

import ast
import re
import shutil
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from bundle.contents import files
from gpuexplorer.lab import packaged
from gpuexplorer.remote import parcel as parcels
from gpuexplorer.remote.parcel import Kind, parcel
from gpuexplorer.remote.wire import Hello
from gpuexplorer.telemetry.facts import Cards
from tests.remote.over_there import SIMULATED, OverThere
from tests.remote.pythons_here import SUITABLE, TOO_OLD, python_here

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="is run by shells of Unix")
PACKAGE = Path(parcels.__file__).parents[1]
# What Python 3.10 does not have, by where it is.
NEWER = {
    "enum": {"StrEnum", "ReprEnum", "EnumCheck", "verify", "member", "nonmember", "property"},
    "typing": {
        *("Self", "assert_never", "assert_type", "reveal_type", "LiteralString", "Never"),
        *("Required", "NotRequired", "TypeVarTuple", "Unpack", "override"),
    },
    "datetime": {"UTC"},
    "contextlib": {"chdir"},
    "itertools": {"batched"},
    "asyncio": {"TaskGroup", "timeout", "Runner"},
    "hashlib": {"file_digest"},
    "warnings": {"deprecated"},
    "tomllib": set(),
}
# They stay here: nothing of the agent imports them.
UNUSED = {"core/html_page.py"}


def files_of(kind: Kind) -> set[str]:
    preamble = parcel(kind).preamble
    content = preamble[preamble.index(b"\n") + 1 :]
    with zipfile.ZipFile(BytesIO(content)) as files:
        return set(files.namelist())


@pytest.mark.parametrize("shell", ["bash", "dash", "sh", "tcsh", "fish"])
def test_every_shell_starts_the_same(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} on this computer")
    folder = tmp_path / "two words; and (more)"
    folder.mkdir()
    (folder / "python").symlink_to(sys.executable)
    with OverThere(python=f"{folder}/python", shell=shell) as there:
        assert there.until(Cards).source.simulated


def imported_by(path: Path) -> set[str]:
    """Modules of ours, also those that are imported late; of packages also their files."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return {name for name in found if name.partition(".")[0] == "gpuexplorer"}


def file_of(module: str) -> str | None:
    path = PACKAGE.parent / module.replace(".", "/")
    for each in (path.with_suffix(".py"), path / "__init__.py"):
        if each.exists():
            return each.relative_to(PACKAGE.parent).as_posix()
    return None


@pytest.mark.parametrize("kind", Kind)
def test_all_that_it_imports_is_in_it(kind: Kind) -> None:
    there, seen = files_of(kind), set[str]()
    waiting = [file_of(kind.module), file_of(f"{kind.module}.__main__")]
    if kind is Kind.WORKER:
        waiting.append(file_of("gpuexplorer.worker.__main__"))  # it is run by the other
    while waiting:
        file = waiting.pop()
        if file is None or file in seen:
            continue
        assert file in there, file
        seen.add(file)
        waiting += [file_of(module) for module in imported_by(PACKAGE.parent / file)]
    assert len(seen) > 5


@pytest.mark.parametrize("kind", Kind)
def test_the_packaged_program_sends_the_same(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files_of(kind)
    for path, folder in files(PACKAGE.parent):
        if Path(path).is_file():
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
            shutil.copy(path, tmp_path / folder)
    monkeypatch.setattr(parcels, "_PACKAGE", tmp_path / "gpuexplorer")
    monkeypatch.setattr(packaged, "folder", lambda: tmp_path)
    parcels._zipped.cache_clear()
    try:
        assert files_of(kind) == before
        if kind is Kind.AGENT:
            with OverThere() as there:
                there.until(Hello)
    finally:
        parcels._zipped.cache_clear()


@pytest.mark.parametrize("kind", Kind)
def test_nothing_in_it_needs_more_than_python_3_10(kind: Kind) -> None:
    for name in files_of(kind) - {"pynvml.py", "gpuexplorer/core/newer_python.py"}:
        if name.removeprefix("gpuexplorer/") in UNUSED or name.endswith(".csv"):
            continue
        tree = ast.parse((PACKAGE.parent / name).read_text("utf-8"), feature_version=(3, 10))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in NEWER:
                assert not NEWER[node.module] & {each.name for each in node.names}, name
                assert node.module != "tomllib", name
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert node.attr not in NEWER.get(node.value.id, ()), name
            if isinstance(node, ast.Import):
                assert not {each.name for each in node.names} & {"tomllib"}, name
            if isinstance(node, ast.ClassDef):
                bases = {ast.unparse(each).partition("[")[0] for each in node.bases}
                assert not bases >= {"NamedTuple", "Generic"}, name


@pytest.mark.parametrize("release", SUITABLE)
def test_it_runs_in_every_python_from_3_10_on_and_leaves_no_file(
    release: str, tmp_path: Path
) -> None:
    surroundings = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    python = str(python_here(release))
    with OverThere(python=python, folder=tmp_path, environment=surroundings) as there:
        assert there.until(Hello).python.startswith(f"{release}.")
    assert not there.complaints
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("release", TOO_OLD)
def test_an_older_one_says_that_it_is_too_old(release: str, tmp_path: Path) -> None:
    surroundings = {"HOME": str(tmp_path), "PATH": "/nowhere"}
    sent = parcel(Kind.AGENT, SIMULATED.environment, any_python=False)
    with OverThere(sent, str(python_here(release)), environment=surroundings) as there:
        assert there.end() != 0
    assert re.fullmatch(rf"too old: {release}\.\d+\n", there.complaints.decode())
    assert not there.link.course.ready


@pytest.mark.parametrize("release", TOO_OLD)
def test_an_older_one_hands_over_to_a_newer_one_that_works(
    release: str, tmp_path: Path
) -> None:
    for name, body in (("shims", "exit 127"), ("bin", f'exec "{sys.executable}" "$@"')):
        (tmp_path / name).mkdir()
        program = tmp_path / name / "python3.14"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
    surroundings = {"HOME": str(tmp_path), "PATH": f"{tmp_path}/shims:{tmp_path}/bin"}
    with OverThere(python=str(python_here(release)), environment=surroundings) as there:
        assert there.until(Hello).python == sys.version.partition(" ")[0]
