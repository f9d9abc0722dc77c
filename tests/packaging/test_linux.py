"""What is made for Linux: the .deb as dpkg sees it, the portable folder, the menu entry, the
manual and the completions.
"""

import configparser
import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import gpuexplorer
from bundle.sizes import CLASSROOM, SLIM, Size
from gpuexplorer.__main__ import VERBS
from gpuexplorer.core.trouble import Trouble
from linux.completions import actions, parsers, typed, write_completions
from linux.packages import FILES, METAINFO, dated, make_packages
from tests.packaging.made_folder import library, made_folder, on_linux, with_debians_tools

pytestmark = [on_linux, with_debians_tools]
VERSION = gpuexplorer.__version__
SHARED = "SIMULATED CARDS"
# What can be typed after each command; the window's has no name.
TYPED = {
    name: [each.option_strings for each in actions(parser) if each.option_strings]
    for name, parser in parsers().items()
}
ENTRY = FILES / "gpuexplorer.desktop"
ROOT = Path(__file__).parents[2]


def said(*command: str, where: Path | None = None) -> str:
    return subprocess.check_output(command, cwd=where, text=True)


def packed(folder: Path, out: Path, size: Size = SLIM) -> tuple[Path, Path]:
    deb, tarball = make_packages(folder, size, VERSION, out)
    return deb, tarball


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = made_folder(tmp_path_factory.mktemp("built"))
    qt = made / "_internal" / "PySide6" / "Qt"
    lower = library(qt / "lib" / "libQt6Lower.so.6")
    library(qt / "lib" / "libQt6Upper.so.6", lower)
    toolkit = library(made.parent / "libgtk-3.so.0")
    library(qt / "plugins" / "platformthemes" / "libqgtk3.so", toolkit)
    return made


@pytest.fixture(scope="module")
def packages(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return packed(folder, tmp_path_factory.mktemp("dist") / "new")


@pytest.fixture(scope="module")
def deb(packages: tuple[Path, Path]) -> Path:
    return packages[0]


@pytest.fixture(scope="module")
def root(deb: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package's files, unpacked."""
    where = tmp_path_factory.mktemp("root")
    said("dpkg-deb", "--raw-extract", str(deb), str(where))
    return where


@pytest.fixture(scope="module")
def unpacked(packages: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("a folder with spaces") / "Übung für Gärtner 显卡"
    where.mkdir()
    said("tar", "--extract", "--file", str(packages[1]), "--directory", str(where))
    return where / packages[1].name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("share")
    write_completions(place)
    return place


def fields(deb: Path) -> dict[str, str]:
    lines = said("dpkg-deb", "--field", str(deb)).splitlines()
    plain = (line.partition(": ") for line in lines if not line.startswith(" "))
    return {name: value for name, _, value in plain}


def test_it_is_called_as_debian_calls_it_and_asks_for_what_is_not_inside(deb: Path) -> None:
    """What a look of the desktop needs is not forced on anybody."""
    control = fields(deb)
    assert (control["Package"], control["Version"]) == ("gpuexplorer", f"{VERSION}-1")
    assert deb.name == f"gpuexplorer_{VERSION}-1_{control['Architecture']}.deb"
    c_library, keyboards = control["Depends"].split(", ")
    assert c_library.startswith("libc6 (>= 2.")
    assert keyboards == "xkb-data"
    assert "libgtk-3-0" in control["Suggests"]


def test_everything_is_roots_and_may_be_run_only_where_it_can_be(deb: Path) -> None:
    rows = [line.split() for line in said("dpkg-deb", "--contents", str(deb)).splitlines()]
    assert {row[1] for row in rows} == {"root/root"}
    assert {row[0] for row in rows} == {"drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--", "lrwxrwxrwx"}
    inside = {row[5].removeprefix("./usr/lib/gpuexplorer/"): row[0] for row in rows}
    assert inside["gpuexplorer"] == "-rwxr-xr-x"
    assert inside["_internal/python3.11/_made.so"] == "-rw-r--r--"


def test_what_desktops_and_shells_look_for_is_where_they_look(root: Path) -> None:
    assert (root / "usr/bin/gpuexplorer").resolve() == root / "usr/lib/gpuexplorer/gpuexplorer"
    for path in (
        "applications/gpuexplorer.desktop",
        "metainfo/invalid.gpuexplorer.gpuexplorer.metainfo.xml",
        "man/man1/gpuexplorer.1.gz",
        "icons/hicolor/512x512/apps/gpuexplorer.png",
        "icons/hicolor/scalable/apps/gpuexplorer.svg",
        "bash-completion/completions/gpuexplorer",
        "zsh/vendor-completions/_gpuexplorer",
        "fish/vendor_completions.d/gpuexplorer.fish",
        "lintian/overrides/gpuexplorer",
    ):
        assert (root / "usr" / "share" / path).stat().st_size > 0


def test_every_file_has_its_sum_and_nothing_is_run_when_it_is_installed(root: Path) -> None:
    assert sorted(path.name for path in (root / "DEBIAN").iterdir()) == ["control", "md5sums"]
    said("md5sum", "--check", "--strict", "--quiet", "DEBIAN/md5sums", where=root)
    files = [e for e in (root / "usr").rglob("*") if e.is_file() and not e.is_symlink()]
    assert len((root / "DEBIAN/md5sums").read_text().splitlines()) == len(files)


def test_the_copyright_names_others_and_the_changelog_this_version(root: Path) -> None:
    doc = root / "usr" / "share" / "doc" / "gpuexplorer"
    text = (doc / "copyright").read_text()
    parts = "Qt for Python, Python, numpy, psutil, pyqtgraph, colorama, Inter, PyInstaller, ICU"
    parts += ", markdown-it-py, mdurl, (LGPL-3), (PSF-2.0), (OFL-1.1)"
    assert [part for part in parts.split(", ") if part not in text] == []
    named = {path.name for path in (doc / "notices").iterdir()}
    assert {"lgpl-3.txt", "gpl-3.txt", "qt.txt", "numpy.txt", "python.txt"} <= named
    changes = gzip.decompress((doc / "changelog.Debian.gz").read_bytes()).decode()
    assert changes.startswith(f"gpuexplorer ({VERSION}-1)")


@pytest.mark.long
def test_a_library_of_the_system_brings_its_licence_along(tmp_path: Path) -> None:
    folder = made_folder(tmp_path)
    library(folder / "_internal" / "libz.so.1")
    deb, _ = packed(folder, tmp_path / "out")
    assert "notices/zlib1g.txt" in said("dpkg-deb", "--contents", str(deb))
    library(folder / "_internal" / "libnobodys.so.1")
    with pytest.raises(
        Trouble, match=r"libnobodys\.so\.1 came from this computer, and its licence"
    ):
        packed(folder, tmp_path / "out")


@pytest.mark.long
def test_classrooms_replace_the_other(deb: Path, folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="whose licences are packed with it")
    large, tarball = packed(folder, tmp_path, CLASSROOM)
    slim, classroom = fields(deb), fields(large)
    assert classroom["Package"] == "gpuexplorer-classroom"
    assert classroom["Source"] == classroom["Provides"] == "gpuexplorer"
    for ours, others in ((slim, classroom), (classroom, slim)):
        assert ours["Conflicts"] == ours["Replaces"] == others["Package"]
    # What an environment is made with, for the one click that fetches PyTorch.
    for field, package in (("Suggests", "python3-torch"), ("Recommends", "python3-venv")):
        assert package in slim[field]
        assert package not in classroom[field]
    with tarfile.open(tarball) as tar:
        name = tarball.name.removesuffix(".tar.gz")
        assert f"{name}/notices/torch.txt" in tar.getnames()


@pytest.mark.skipif(os.geteuid() != 0, reason="dpkg installs as root only")
def test_it_comes_is_upgraded_and_goes_without_leftovers(deb: Path, tmp_path: Path) -> None:
    admin = tmp_path / "var" / "lib" / "dpkg"
    for name in ("info", "updates", "triggers"):
        (admin / name).mkdir(parents=True)
    (admin / "status").touch()
    dpkg = ["dpkg", f"--root={tmp_path}", "--force-depends", f"--log={tmp_path}/var/log"]
    for _ in range(2):
        subprocess.run([*dpkg, "--install", str(deb)], check=True, capture_output=True)
        assert (tmp_path / "usr/bin/gpuexplorer").resolve(strict=True).is_file()
    subprocess.run([*dpkg, "--purge", "gpuexplorer"], check=True, capture_output=True)
    assert not (tmp_path / "usr").exists()


def test_the_portable_folder_starts_from_anywhere_and_nobody_in_particular_owns_it(
    packages: tuple[Path, Path], unpacked: Path, tmp_path: Path
) -> None:
    assert [path.name for path in unpacked.parent.iterdir()] == [unpacked.name]
    assert unpacked.name.startswith(f"gpuexplorer-{VERSION}-linux-")
    assert "    ./gpuexplorer\n" in (unpacked / "README.txt").read_text(encoding="utf-8")
    link = tmp_path / "a link"
    link.symlink_to(unpacked / "start.sh")
    for start in (unpacked / "gpuexplorer", unpacked / "start.sh", link):
        subprocess.run([str(start), "--version"], cwd="/", check=True)
    with tarfile.open(packages[1]) as tar:
        members = tar.getmembers()
    assert {(member.uid, member.gid, member.uname) for member in members} == {(0, 0, "root")}


@pytest.fixture(scope="module")
def entry() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment] # keys are told apart by their case
    parser.read(ENTRY, encoding="utf-8")
    return parser


def test_the_window_belongs_to_the_entry(entry: configparser.ConfigParser) -> None:
    code = (
        "from gpuexplorer.app import create_application as c; a = c(['gpuexplorer'])\n"
        "print(a.desktopFileName(), a.applicationName(), sep='\\n')"
    )
    # By the first on Wayland, by the second on X11, where Qt says it as the window's class.
    assert said(sys.executable, "-c", code, where=ROOT).splitlines() == [
        ENTRY.stem,
        entry["Desktop Entry"]["StartupWMClass"],
    ]
    assert entry["Desktop Entry"]["Icon"] == "gpuexplorer"


def test_each_action_is_what_the_program_takes(entry: configparser.ConfigParser) -> None:
    window = {name: each for each in actions(typed()) for name in each.option_strings}
    names = entry["Desktop Entry"]["Actions"].rstrip(";").split(";")
    assert [name for name in entry if name.startswith("Desktop Action ")] == [
        f"Desktop Action {name}" for name in names
    ]
    for section in entry.values():
        if "Exec" not in section:
            continue
        program, *words = shlex.split(section["Exec"])
        assert program == "gpuexplorer"
        while words:
            option = window[words.pop(0)]
            if option.nargs != 0:
                value = words.pop(0)
                assert not option.choices or value in option.choices


@pytest.mark.parametrize(
    "command",
    [
        f"desktop-file-validate {ENTRY}",
        f"appstreamcli validate --no-net {METAINFO}",
        f"man --warnings --local-file {FILES / 'gpuexplorer.1'}",
        "zsh -n {share}/zsh/vendor-completions/_gpuexplorer",
    ],
    ids=["entry", "metainfo", "man page", "zsh"],
)
def test_readers_of_our_files_are_content(share: Path, tmp_path: Path, command: str) -> None:
    (tmp_path / METAINFO).write_text(dated(METAINFO, "1.2.3", 1_790_000_000))
    program, *words = shlex.split(command.format(share=share))
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not here")
    done = subprocess.run(
        [program, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


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


@needs_program("bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["s"], {"snapshot", "serve"}),
        ([""], set(VERBS)),
        (["--view", "to"], {"topology"}),
        (["copies", "--python", "my"], {"my python", "my pictures"}),
        (["--screenshot", "my"], {"my pictures"}),
        (["snapshot", "--loop", ""], set()),
        (["lesson", ""], {"list", "run", "check", "new"}),
    ],
)
def test_bash_offers(share: Path, tmp_path: Path, words: list[str], offered: set[str]) -> None:
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
    assert (
        set(said("bash", "--norc", "-c", code, where=tmp_path).splitlines()) - {""} == offered
    )
