"""What a desktop is told: the entry in its menu, the icons, the page of a software centre."""

import configparser
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from linux.completions import actions, typed
from linux.packages import FILES, ICONS, METAINFO, dated, write_icons
from tests.packaging.made_folder import on_linux

pytestmark = on_linux

ROOT = Path(__file__).parents[2]
ENTRY = FILES / "gpuexplorer.desktop"


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
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    # By the first on Wayland, by the second on X11, where Qt says it as the window's class.
    assert done.stdout.splitlines() == [ENTRY.stem, entry["Desktop Entry"]["StartupWMClass"]]
    assert entry["Desktop Entry"]["Icon"] == "gpuexplorer"


def test_each_action_says_what_the_program_understands(
    entry: configparser.ConfigParser,
) -> None:
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


def valid(*command: str) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not here")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_entry_is_valid() -> None:
    valid("desktop-file-validate", str(ENTRY))


def test_the_software_centre_is_told_the_version_and_the_day() -> None:
    text = dated(METAINFO, "1.2.3", 0)
    assert '<release version="1.2.3" date="1970-01-01"' in text
    assert f'<launchable type="desktop-id">{ENTRY.name}</launchable>' in text
    assert f"<id>{METAINFO.removesuffix('.metainfo.xml')}</id>" in text


def test_what_the_software_centre_is_told_is_valid(tmp_path: Path) -> None:
    path = tmp_path / METAINFO
    path.write_text(dated(METAINFO, "1.2.3", 1_790_000_000))
    valid("appstreamcli", "validate", "--no-net", str(path))


def test_there_is_an_icon_of_every_size_that_desktops_want(tmp_path: Path) -> None:
    assert {16, 22, 24, 32, 48, 64, 128, 256, 512} <= set(ICONS)
    write_icons(tmp_path)
    for size in ICONS:
        image = QImage(str(tmp_path / f"{size}x{size}/apps/gpuexplorer.png"))
        assert (image.width(), image.height()) == (size, size)
        assert image.pixelColor(0, 0).alpha() < 255  # its corners are round
        assert image.pixelColor(size // 2, size // 8).alpha() == 255
        middle = size * 17 // 32  # the line can be seen at every size
        assert max(image.pixelColor(x, middle).blue() for x in range(size)) > 200, size
    assert (tmp_path / "scalable/apps/gpuexplorer.svg").is_file()
