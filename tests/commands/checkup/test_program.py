"""What a person is told about the window before it fails to open, of parts, and of memory."""

import pytest

from gpuexplorer.commands.checkup.report import display, memory, parts
from tests.commands.checkup.computer import BROKEN, FINE, LOOK, Computer

BASE = ("EGL.so.1", "GL.so.1", "xkbcommon.so.0", "dbus-1.so.3", "fontconfig.so.1")
X11 = ("xkbcommon-x11.so.0", "xcb-cursor.so.0", "xcb-icccm.so.4", "xcb-keysyms.so.1")
MORE_X11 = ("xcb-shape.so.0", "xcb-render-util.so.0", "xcb-image.so.0")
ALL = {
    "PySide6-Essentials": "6.11.3",
    "numpy": "2.4.6",
    "nvidia-ml-py": "13.615.71",
    "psutil": "7.2.2",
    "platformdirs": "4.3.0",
    "markdown-it-py": "4.3.0",
}
BROKEN_DISPLAY = "does not answer, or lets this program open no window"


def install(computer: Computer, *names: str) -> None:
    for name in (*names, "glib-2.0.so.0"):
        computer.write(f"/usr/lib64/lib{name}")


@pytest.mark.parametrize(
    ("environment", "verdict", "words"),
    [
        ({}, LOOK, "There is no display here, so no window can open."),
        ({"DISPLAY": ":7"}, BROKEN, BROKEN_DISPLAY),
        ({"WAYLAND_DISPLAY": "wayland-7"}, BROKEN, BROKEN_DISPLAY),
        ({"QT_QPA_PLATFORM": "offscreen"}, LOOK, "where nobody sees them"),
    ],
)
def test_why_no_window_opens_is_said_with_a_way_out(
    computer: Computer, environment: dict[str, str], verdict: str, words: str
) -> None:
    install(computer, *BASE, *X11, *MORE_X11)
    computer.environment = environment
    topic = computer.told(display)
    assert topic.verdict is verdict
    assert words in topic.sentence
    assert topic.do


def test_missing_libraries_are_installed_with_one_line(computer: Computer) -> None:
    install(computer, *BASE, *X11)
    computer.environment["DISPLAY"] = ":0"
    computer.displays = {":0"}
    topic = computer.told(display)
    assert topic.verdict is BROKEN
    assert "Qt lacks libraries" in topic.sentence
    assert topic.details[0] == "DISPLAY=:0 answers."
    assert "libxcb-shape.so.0, libxcb-render-util.so.0" in topic.details[1]
    assert "apt-get" not in topic.do
    computer.write("/usr/bin/apt-get")
    assert computer.told(display).do == (
        "Run: `sudo apt-get install libxcb-shape0 libxcb-render-util0 libxcb-image0`"
    )
    computer.parts = "/usr/lib/gpuexplorer/_internal"
    for name in MORE_X11:  # which the packaged program brings along
        computer.write(f"{computer.parts}/lib{name}")
    assert computer.told(display).verdict is FINE


def test_parts_are_listed_and_a_missing_or_wrong_one_is_named_with_the_command(
    computer: Computer,
) -> None:
    computer.installed = dict(ALL)
    topic = computer.told(parts)
    assert topic.verdict is FINE
    assert topic.sentence.endswith("Every part is there.")
    assert "nvidia-ml-py 13.615.71" in topic.details[0]
    computer.installed["pynvml"] = "11.5.3"  # somebody else's
    topic = computer.told(parts)
    assert topic.verdict is LOOK
    assert "--force-reinstall nvidia-ml-py" in topic.do
    del computer.installed["pynvml"], computer.installed["nvidia-ml-py"]
    topic = computer.told(parts)
    assert topic.verdict is BROKEN
    assert "It cannot work as it should without nvidia-ml-py." in topic.sentence
    assert topic.do == "Run: `pip install nvidia-ml-py`"
    computer.parts = "/usr/lib/gpuexplorer"  # a packaged program has no pip
    assert computer.told(parts).verdict is FINE


def test_no_swap_is_worth_a_look_and_a_containers_limit_is_told(computer: Computer) -> None:
    there = "MemTotal:  16777216 kB\nMemAvailable:  8388608 kB\nSwapTotal:  "
    computer.write("/proc/meminfo", f"{there} 0 kB\n")
    topic = computer.told(memory)
    assert topic.verdict is LOOK
    assert topic.sentence.startswith(
        "16.0 GiB of memory, 8.0 GiB of it free, and 0.0 GiB of swap."
    )
    computer.write("/proc/meminfo", f"{there} 2097152 kB\n")
    computer.write("/sys/fs/cgroup/memory.max", f"{4 * 2**30}\n")
    topic = computer.told(memory)
    assert topic.verdict is FINE
    assert topic.sentence.endswith("2.0 GiB of swap.")
    assert topic.details == ["The container may use 4.0 GiB of it."]
