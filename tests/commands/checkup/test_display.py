"""What a person is told about the window before it fails to open."""

from gpuexplorer.commands.checkup.display import display
from gpuexplorer.commands.checkup.finding import Topic, Verdict
from tests.commands.checkup.computer import Computer

BASE = ("EGL.so.1", "GL.so.1", "xkbcommon.so.0", "dbus-1.so.3", "fontconfig.so.1")
X11 = ("xkbcommon-x11.so.0", "xcb-cursor.so.0", "xcb-icccm.so.4", "xcb-keysyms.so.1")
MORE_X11 = ("xcb-shape.so.0", "xcb-render-util.so.0", "xcb-image.so.0")


def told(computer: Computer) -> Topic:
    return display(computer.probe())


def install(computer: Computer, *names: str) -> None:
    for name in (*names, "glib-2.0.so.0"):
        computer.write(f"/usr/lib64/lib{name}")


def test_without_a_display_the_commands_still_work(computer: Computer) -> None:
    install(computer, *BASE, *X11, *MORE_X11)
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert topic.sentence == "There is no display here, so no window can open."
    assert "commands work without" in topic.do


def test_an_x11_display_that_answers_is_enough(computer: Computer) -> None:
    install(computer, *BASE, *X11, *MORE_X11)
    computer.environment["DISPLAY"] = ":0"
    computer.listening = {"/tmp/.X11-unix/X0"}
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert "X11" in topic.sentence


def test_a_display_through_ssh_is_tried_at_its_port(computer: Computer) -> None:
    install(computer, *BASE, *X11, *MORE_X11)
    computer.environment["DISPLAY"] = "localhost:10.0"
    computer.listening = {("localhost", 6010)}
    assert told(computer).verdict is Verdict.FINE


def test_a_display_of_somebody_else_is_told_with_what_it_says(computer: Computer) -> None:
    install(computer, *BASE, *X11, *MORE_X11)
    computer.environment["DISPLAY"] = ":0"
    computer.listening = {"/tmp/.X11-unix/X0"}
    computer.refusals = {":0": "Authorization required"}
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert topic.sentence == (
        "The display :0 lets this program open no window: it says “Authorization required”."
    )
    assert "XAUTHORITY" in topic.do


def test_wayland_alone_needs_no_x11_libraries(computer: Computer) -> None:
    install(computer, *BASE)
    computer.environment |= {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": "/run/user/1"}
    computer.listening = {"/run/user/1/wayland-0"}
    assert told(computer).verdict is Verdict.FINE


def test_a_display_that_does_not_answer_is_broken(computer: Computer) -> None:
    install(computer, *BASE, *X11, *MORE_X11)
    computer.environment["DISPLAY"] = ":7"
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert topic.details == ["DISPLAY=:7 does not answer."]


def test_a_display_nobody_can_read_does_not_answer(computer: Computer) -> None:
    install(computer, *BASE, *X11, *MORE_X11)
    computer.environment["DISPLAY"] = "nonsense"
    assert told(computer).verdict is Verdict.BROKEN


def test_missing_libraries_are_installed_with_one_line(computer: Computer) -> None:
    install(computer, *BASE, *X11)
    computer.write("/usr/bin/apt-get")
    computer.environment["DISPLAY"] = ":0"
    computer.listening = {"\0/tmp/.X11-unix/X0"}
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert (
        topic.sentence == "The display answers, but Qt needs 3 more libraries to open a window."
    )
    assert topic.do == (
        "Run: `sudo apt-get install libxcb-shape0 libxcb-render-util0 libxcb-image0`"
    )
    assert "libxcb-shape.so.0, libxcb-render-util.so.0" in topic.details[1]


def test_libraries_that_the_packaged_program_brings_along_are_not_missed(
    computer: Computer,
) -> None:
    install(computer, *BASE, *X11)
    computer.prefix, computer.parts = None, "/usr/lib/gpuexplorer/_internal"
    for name in ("libxcb-shape.so.0", "libxcb-render-util.so.0", "libxcb-image.so.0"):
        computer.write(f"{computer.parts}/{name}")
    computer.environment["DISPLAY"] = ":0"
    computer.listening = {"\0/tmp/.X11-unix/X0"}
    assert told(computer).verdict is Verdict.FINE


def test_where_there_is_no_apt_only_the_libraries_are_named(computer: Computer) -> None:
    computer.environment["DISPLAY"] = ":0"
    computer.listening = {"/tmp/.X11-unix/X0"}
    topic = told(computer)
    assert "apt-get" not in topic.do
    assert "libEGL.so.1" in topic.details[1]


def test_a_platform_nobody_sees_is_pointed_out(computer: Computer) -> None:
    computer.environment["QT_QPA_PLATFORM"] = "offscreen"
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert "nobody sees" in topic.sentence


def test_windows_shows_windows(computer: Computer) -> None:
    computer.platform = "win32"
    assert told(computer).verdict is Verdict.FINE
