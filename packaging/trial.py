"""`make test-package`: the packages in `dist/`, tried in a bare Debian as people use them.

Each test is something that a person does, in the order of the file: installs, starts, types,
upgrades, removes. Run by pytest, as root; what a test prints is what was seen.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from bare_system import HOME, System, bare_system, display, ended
from bundle.sizes import SIZES, Size
from gpuexplorer.commands.window_arguments import SCREENS

ROOT = Path(__file__).resolve().parents[1]
DIST = Path(os.environ.get("TRIAL_DIST", ROOT / "dist"))
PLACE = ROOT / "build" / "trial"  # the bare Debian, pictures
SIMULATED = ("--simulate", "2xTitanRTX")
BUILT = [size for size in SIZES.values() if any(DIST.glob(f"{size.package}_*.deb"))]
ODD_FOLDER = f"{HOME}/Meine Programme/Grafik für Übungen 显卡 ảnh"
FETCHED = f"{HOME}/.local/share/gpuexplorer/pytorch"
INSTALL = ("apt-get", "install", "--yes", "--no-install-recommends")
# What apt, dpkg and the tools they call write down for themselves.
OF_THE_SYSTEM = (
    *("/var/cache/", "/var/lib/apt/", "/var/lib/dpkg/", "/var/log/", "/etc/ld.so.cache"),
    *("/dev/", "/proc/", "/run/", "/tmp/", "/var/tmp/", HOME),
)
LIBRARIES = """
cd /usr/lib/gpuexplorer; export LD_LIBRARY_PATH=$PWD/_internal # as the starter sets it
find . -type f -name '*.so*' | while read -r each; do
    ldd "$each" 2> /dev/null | sed -n "s|^[[:space:]]*\\(.*\\) => not found|$each \\1|p"
done
"""


@dataclass(frozen=True)
class Program:
    """As somebody installed it."""

    system: System
    size: Size
    path: str = "gpuexplorer"

    # Any: whatever `System.start` takes.
    def start(self, *words: str, **how: Any) -> "subprocess.Popen[str]":
        return self.system.start(self.path, *words, **how)

    def run(self, *words: str, **how: Any) -> str:
        return self.system.run(self.path, *words, **how)

    # Any: whatever JSON holds.
    def told(self, *words: str, **how: Any) -> Any:
        return json.loads(self.run(*words, **how))

    def picture(self, name: str) -> Path:
        folder = PLACE / "pictures" / self.size.name
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{name}.png"


def newest(size: Size, ending: str) -> Path:
    found = [path for mark in "-_" for path in DIST.glob(f"{size.package}{mark}[0-9]*{ending}")]
    if not found:
        pytest.skip(f"There is no {size.package}…{ending} in {DIST}. Type first: make package")
    return max(found, key=lambda path: path.stat().st_mtime)


def refusal(program: Program, python: str = "") -> str:
    chosen = ("--python", python) if python else ()
    asked = program.start("copies", "--devices", "cpu,cpu", *chosen)
    said = " ".join(ended(asked, 1)[1].split())
    assert said.endswith((".", "`", "4xRTX4090")), said
    print(f"It says: {said}")
    return said


@pytest.fixture(scope="module")
def bare() -> System:
    return bare_system(PLACE)


@pytest.fixture(scope="module", params=BUILT, ids=lambda size: size.name)
def size(request: pytest.FixtureRequest) -> Size:
    found: Size = request.param
    return found


@pytest.fixture(scope="module")
def system(bare: System, size: Size) -> Iterator[System]:
    folder = str(PLACE / size.name)
    remove = ["rm", "--recursive", "--force", "--one-file-system", folder]
    subprocess.run(remove, check=True)
    copy = ["cp", "--archive", "--reflink=auto", str(bare.folder), folder]
    subprocess.run(copy, check=True)
    yield System(Path(folder))
    if "TRIAL_KEEP" not in os.environ:
        subprocess.run(remove, check=True)


@pytest.fixture(scope="module")
def portable(system: System, size: Size) -> Program:
    """Unpacked by a person into a folder with spaces and foreign letters."""
    archive = newest(size, ".tar.gz")
    system.run("mkdir", "-p", ODD_FOLDER)
    system.run("tar", "-xzf", system.give(archive), where=ODD_FOLDER)
    folder = archive.name.removesuffix(".tar.gz")
    return Program(system, size, f"{ODD_FOLDER}/{folder}/gpuexplorer")


def test_the_portable_folder_answers_in_a_system_that_has_nothing(portable: Program) -> None:
    portable.told("snapshot", "--json", *SIMULATED)
    with display() as screen:
        shown = screen.open_to(portable.system)
        said = ended(portable.start(*SIMULATED, "--quit-after", "4", **shown), 1)[1]
    assert "apt-get install" in said
    print(f"For the window it says: {said}")


@pytest.fixture(scope="module")
def before(system: System) -> tuple[set[str], set[str]]:
    system.as_root("apt-get", "update")
    return system.paths(), system.packages()


@pytest.fixture(scope="module")
def program(system: System, size: Size, before: tuple[set[str], set[str]]) -> Program:
    """Installed by apt."""
    system.as_root(*INSTALL, system.give(newest(size, ".deb")))
    print(f"It came with {len(system.packages() - before[1]) - 1} packages of the system.")
    return Program(system, size)


def test_it_lies_where_the_system_looks_for_it(program: Program) -> None:
    for path in (
        "man/man1/gpuexplorer.1.gz",
        "bash-completion/completions/gpuexplorer",
        "applications/gpuexplorer.desktop",
        "metainfo/invalid.gpuexplorer.gpuexplorer.metainfo.xml",
        "icons/hicolor/48x48/apps/gpuexplorer.png",
        f"doc/{program.size.package}/copyright",
    ):
        assert program.system.at(f"/usr/share/{path}").is_file(), path
    changed = program.system.as_root("dpkg", "--verify", program.size.package)
    # A minimal Debian may be told to leave manuals and documents out.
    assert [line for line in changed.splitlines() if "/usr/share/" not in line] == []


def test_it_leans_on_no_python_of_the_system(program: Program) -> None:
    """Debian's own package manager needs none; one would hide what the program lacks."""
    usr = program.system.at("/usr")
    assert [*usr.glob("bin/python*"), *usr.glob("lib/python*")] == []


def test_every_library_finds_what_it_needs(program: Program) -> None:
    found = program.system.as_root("sh", "-c", LIBRARIES).splitlines()
    # Loaded on a desktop that has GTK, which brings what it needs; elsewhere Qt does without.
    assert [line for line in found if "/platformthemes/libqgtk3.so " not in line] == []


def test_the_commands_answer_in_a_terminal(program: Program) -> None:
    print(f"It is {program.run('--version')}")
    assert "doctor" in program.run("--help")
    snapshot = program.told("snapshot", "--json")
    assert snapshot["simulated"] is False
    assert snapshot["host"]["values"]["memory_used"]["value"] > 0
    snapshot = program.told("snapshot", "--json", *SIMULATED)
    assert (snapshot["simulated"], len(snapshot["cards"])) == (True, 2)
    assert "NV" in program.run("topology", "--simulate", "8xH100+nvlink")
    copies = program.told("copies", *SIMULATED, "--json")
    assert (copies["complete"], copies["simulated"]) == (True, True)


def test_the_doctor_looks_at_everything_and_misses_no_part_of_its_own(program: Program) -> None:
    said = program.run("doctor").lower()
    assert all(word in said for word in ("display", "python", "driver"))
    assert "not installed" not in json.dumps(program.told("doctor", "--json"))
    with display() as screen:
        said = program.run("doctor", **screen.open_to(program.system))
    assert "A window can open" in said


def test_there_is_a_picture_of_every_screen(program: Program) -> None:
    folder = f"{HOME}/pictures"
    words = (*SIMULATED, "--screenshot", folder, "--view", "all", "--theme", "both")
    with display() as screen:
        program.run(*words, **screen.open_to(program.system))
    found = {path.stem: path for path in program.system.at(folder).glob("*.png")}
    for name, path in found.items():
        shutil.copyfile(path, program.picture(name))
    wanted = {f"{name}-{theme}" for name in SCREENS for theme in ("dark", "light")}
    assert wanted <= {re.sub(r"^\d+-", "", name) for name in found}, sorted(found)


def opens(program: Program, name: str, *, remote: bool = False) -> None:
    """It is drawn on an X server, and says so of itself."""
    words = [*SIMULATED, "--size", "1400x900", "--view", "overview", "--quit-after", "8"]
    told = f"{HOME}/{name}.json"
    with display(remote=remote) as screen:
        shown = screen.open_to(program.system)
        window = program.start(*words, "--diagnostics", told, **shown)
        screen.shown_by(window, program.picture(name))
        assert ended(window)[1] == ""
    assert json.loads(program.system.at(told).read_text())["window_system"] == "xcb"


@pytest.mark.parametrize("name", ["window", "remote"])
def test_a_window_opens_at_a_desk_and_over_a_remote_x_connection(
    program: Program, name: str
) -> None:
    opens(program, name, remote=name == "remote")


def test_the_menu_entry_opens_it_as_it_is_without_a_card(program: Program) -> None:
    entry = program.system.at("/usr/share/applications/gpuexplorer.desktop").read_text()
    command = re.findall(r"^Exec=(.*)", entry, re.MULTILINE)[0]
    with display() as screen:
        shown = screen.open_to(program.system)
        window = program.system.start("sh", "-c", f"exec {command} --quit-after 8", **shown)
        screen.shown_by(window, program.picture("first-start"))
        assert ended(window)[1] == ""


# Any: whatever `start` takes.
@pytest.mark.parametrize(
    "home", [{"read_only": True}, {"HOME": "/none", "where": "/"}], ids=str
)
def test_a_home_that_cannot_be_written_to_is_no_hindrance(program: Program, home: Any) -> None:
    with display() as screen:
        how = {**screen.open_to(program.system), **home}
        told = program.told(*SIMULATED, "--quit-after", "4", "--diagnostics", "-", **how)
        assert told["window_system"] == "xcb"
        assert program.told("snapshot", "--json", **how)["schema"] >= 1


@pytest.mark.parametrize("dead", ["", "127.0.0.1:1234"])
def test_without_a_display_it_says_why_and_shows_a_table(program: Program, dead: str) -> None:
    out, err = ended(program.start(*SIMULATED, **({"DISPLAY": dead} if dead else {})))
    assert "TITAN" in out
    assert "display" in err.lower()
    print(f"It says: {err}")


@pytest.fixture(scope="module")
def slim(program: Program) -> Program:
    if program.size.with_torch:
        pytest.skip("This size has a PyTorch of its own.")
    return program


def test_copies_need_a_python_and_say_so(slim: Program) -> None:
    assert "PyTorch" in refusal(slim)
    assert "Python" in refusal(slim, "/usr/bin/tac")


def test_a_python_that_will_not_do_is_refused_in_words(slim: Program) -> None:
    slim.system.as_root(*INSTALL, "python3")
    assert "no PyTorch" in refusal(slim, "/usr/bin/python3")
    said = ended(slim.start("doctor", "--get-pytorch"), 1)[1]
    assert "sudo apt install python3-venv" in said
    print(f"It says: {said}")


@pytest.fixture(scope="module")
def worker(program: Program) -> Program:
    """One that has a PyTorch to work with: slim is installed as people do it, with what it
    recommends, and fetches its own.
    """
    if program.size.with_torch:
        return program
    system = program.system
    system.as_root("apt-get", "purge", "--yes", program.size.package)
    system.as_root("apt-get", "install", "--yes", system.give(newest(program.size, ".deb")))
    system.lend_pip()
    began = time.monotonic()
    said = program.run("doctor", "--get-pytorch")
    print(f"In {time.monotonic() - began:.0f} s: {said}")
    return program


def test_the_cells_of_the_book_run_on_simulated_cards(worker: Program) -> None:
    """All but those that fail, as the book wants it."""
    cells = (ROOT / "tests/lab/book.py").read_text("utf-8").split("# %%\n")
    worker.system.at("/var/tmp/book.py").write_text("".join(c for c in cells if "#2!" not in c))
    said = worker.run("lab", "--simulate", "2xTitanRTX+idle", "/var/tmp/book.py")
    assert "[1., 1., 1.]], device='cuda:1')" in said


def measures(program: Program) -> None:
    """Only a worker with PyTorch can tell; the program finds one by itself."""
    words = ("copies", "--devices", "cpu,cpu", "--sizes", "64MiB")
    told = program.told(*words, "--json")
    assert (told["simulated"], told["modelled"]) == (False, False)
    assert told["results"][0]["intact"] is True
    assert told["results"][0]["median_s"] > 0
    by = re.search(r"Measured by .*?\)\.", " ".join(program.run(*words).split()))
    assert by
    print(by[0])


def test_the_worker_measures_a_copy_and_the_doctor_knows_it(worker: Program) -> None:
    measures(worker)
    assert worker.size.with_torch or FETCHED in worker.run("doctor", "--deep")


def test_lines_typed_into_the_lab_run_on_a_simulated_card(worker: Program) -> None:
    """Real keys to a real window; the file that the second line saves is the proof."""
    saved, words = f"{HOME}/typed.pt", ("--view", "lab", "--size", "1500x950")
    with display() as screen:
        shown = screen.open_to(worker.system)
        window = worker.start(*SIMULATED, *words, "--quit-after", "150", **shown)
        screen.shown_by(window, worker.picture("lab"))
        # There is no desktop here that would give the keyboard to a new window.
        screen.press("search", "--onlyvisible", "--name", "GPU Explorer", "windowfocus")
        screen.press("key", "ctrl+l")
        for line in ("a = torch.ones(3, device='cuda:0')", f"torch.save(a, '{saved}')"):
            screen.press("type", "--delay", "20", line)
            screen.press("key", "Return")
        until = time.monotonic() + 90
        while not worker.system.at(saved).exists() and time.monotonic() < until:
            time.sleep(0.5)
        screen.shown_by(window, worker.picture("lab-typed"))
        screen.press("key", "ctrl+q")
        assert ended(window)[1] == ""
    assert worker.system.at(saved).exists(), f"See {worker.picture('lab-typed')}"


def test_the_portable_program_works_from_a_path_with_spaces_and_foreign_letters(
    portable: Program, worker: Program
) -> None:
    assert len(portable.told("snapshot", "--json", *SIMULATED)["cards"]) == 2
    portable.told("snapshot", "--json", LANG="C", LC_ALL="C")
    portable.run("doctor")
    portable.told("copies", *SIMULATED, "--json")
    opens(portable, "portable-window")
    measures(replace(worker, path=portable.path))


def files_of(program: Program) -> set[tuple[str, int]]:
    paths = program.system.at("/usr/lib/gpuexplorer").rglob("*")
    return {(str(path), path.lstat().st_size) for path in paths if not path.is_dir()}


def test_it_is_upgraded_while_its_window_is_open(program: Program) -> None:
    before, deb = files_of(program), program.system.give(newest(program.size, ".deb"))
    window = program.start(*SIMULATED, "--quit-after", "25", QT_QPA_PLATFORM="offscreen")
    program.system.as_root(*INSTALL, "--reinstall", deb)
    assert ended(window)[1] == ""
    assert files_of(program) == before


def test_the_other_size_takes_its_place_and_it_comes_back(slim: Program) -> None:
    """Only one of the two can be there: both are called gpuexplorer."""
    for size in (SIZES["classroom"], slim.size):
        slim.system.as_root(*INSTALL, slim.system.give(newest(size, ".deb")))
        slim.run("--version")
        ours = {name for name in slim.system.packages() if name.startswith("gpuexplorer")}
        assert ours == {size.package}


def test_nothing_of_it_is_left_when_it_is_removed(
    program: Program, before: tuple[set[str], set[str]]
) -> None:
    system, (paths, packages) = program.system, before
    system.as_root("apt-get", "purge", "--yes", *sorted(system.packages() - packages))
    left = [path for path in system.paths() - paths if not path.startswith(OF_THE_SYSTEM)]
    assert [path for path in left if "gpuexplorer" in path] == []
    system.run("dpkg-query", "--show", program.size.package, status=1)
    print(f"Other packages left {len(left)} files: {' '.join(sorted(left)[:6])}")


def main(words: Sequence[str]) -> int:
    """Exit status 0: nothing failed; another: something did, or nothing could be tried."""
    if os.geteuid() != 0:
        sys.exit("A bare system is made and entered by root alone: sudo make test-package")
    if not BUILT:
        sys.exit(f"There is no package in {DIST}. Type first: make package")
    print(f"What was built and is tried: {', '.join(size.name for size in BUILT)}")
    usual = ["-c", os.devnull, "--rootdir", str(ROOT), "-v", "-rPs", "--tb=short"]
    usual += ["-p", "no:cacheprovider", "-p", "no:pytest-qt"]
    return int(pytest.main([*usual, str(Path(__file__)), *words]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
