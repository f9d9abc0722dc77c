"""Names of a person and a computer are taken out of what leaves it, and nothing else is."""

import pytest

from gpuexplorer.commands.checkup.bundle import Anonymity

ANA = Anonymity("/home/ana", "ana", "tower.lab.example.org")
AN = Anonymity("/home/an", "an", "or")
WINDOWS = Anonymity("C:\\Users\\Ana Maria", "Ana Maria", "DESKTOP-4F2")


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("/home/ana", "~"),
        ("/home/ana/venv/bin", "~/venv/bin"),
        ("It is in /home/ana.", "It is in ~."),
        (
            "P=/home/ana/bin:/usr/bin:/home/ana/.local",
            "P=~/bin:/usr/bin:~/.local",
        ),
        ("/home/anastasia/x", "/home/USER/x"),
        ("/home/bob/x is borrowed", "/home/USER/x is borrowed"),
        ("/mnt/home/ana/x", "/mnt/home/USER/x"),
        ("/var/home/bob/x", "/var/home/USER/x"),
        ("/Users/ana/x", "/Users/USER/x"),
        ("/mnt/c/Users/ana/x", "/mnt/c/Users/USER/x"),
        ("C:\\Users\\ana\\x", "C:\\Users\\USER\\x"),
        ("C:/Users/ana/x", "C:/Users/USER/x"),
        ("/media/ana/disk", "/media/USER/disk"),
        ("the folder /media/ana, which", "the folder /media/USER, which"),
        ("~/notes/ana", "~/notes/USER"),
        ("file:///data/ana/x", "file:///data/USER/x"),
        ("/data/banana/analysis", "/data/banana/analysis"),
        ("ana", "USER"),
        ("ANA", "USER"),
        ("ana,video", "USER,video"),
        ("ana@tower:/srv", "USER@HOST:/srv"),
        ("tower", "HOST"),
        ("tower.lab.example.org", "HOST"),
        ("tower:0", "HOST:0"),
        ("DISPLAY=tower:0 answers.", "DISPLAY=HOST:0 answers."),
        ("/net/tower/data", "/net/HOST/data"),
        ("http://ana:secret@proxy:3128/", "http://proxy:3128/"),
    ],
)
def test_names_leave_paths_and_fields(text: str, cleaned: str) -> None:
    assert ANA.clean(text) == cleaned


@pytest.mark.parametrize(
    "text",
    [
        "A fan and an answer, an index, or an/or a path.",
        "Run `sudo apt-get install libegl1` or look at /usr/lib/or.so, then and/or yes/no.",
        "/usr/lib/python3/dist-packages/annotated",
        "NVIDIA card at 0000:01:00.0, or asleep",
        "an: the word",
    ],
)
def test_a_short_name_destroys_no_word(text: str) -> None:
    assert AN.clean(text) == text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("C:\\Users\\Ana Maria\\venv", "~\\venv"),
        ("c:/users/ana maria/venv", "~/venv"),
        ("D:\\data\\Ana Maria\\x", "D:\\data\\USER\\x"),
        ("\\\\DESKTOP-4F2\\share", "\\\\HOST\\share"),
        ("Ana Maria", "USER"),
        ("desktop-4f2", "HOST"),
    ],
)
def test_names_with_spaces_and_of_windows_leave_too(text: str, cleaned: str) -> None:
    assert WINDOWS.clean(text) == cleaned


@pytest.mark.parametrize("text", ["/root/venv", "localhost:10.0", "/home/shared/x", "root"])
def test_names_that_tell_nothing_stay(text: str) -> None:
    nobody = Anonymity("/", "root", "localhost")
    assert nobody.clean(text) == text


def test_roots_home_is_a_home_as_well() -> None:
    assert Anonymity("/root", "root", "vm").clean("/root/.pyenv") == "~/.pyenv"
