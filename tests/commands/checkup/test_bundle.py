"""The bundle: what is in it, that nobody's name is, and what is said when it cannot be made."""

import json
import zipfile
from pathlib import Path

import pytest

from gpuexplorer.commands.checkup.report import examine
from gpuexplorer.commands.doctor import anonymous, write_bundle
from tests.commands.checkup.computer import Computer

ANA = ("/home/ana", "ana", "tower.lab.example.org")
AN = ("/home/an", "an", "or")
WINDOWS = ("C:\\Users\\Ana Maria", "Ana Maria", "DESKTOP-4F2")
NOBODY = ("/", "root", "localhost")


@pytest.mark.parametrize(
    ("person", "text", "cleaned"),
    [
        (ANA, "It is in /home/ana.", "It is in ~."),
        (ANA, "P=/home/ana/bin:/usr/bin:/home/ana/.local", "P=~/bin:/usr/bin:~/.local"),
        (ANA, "/home/anastasia/x", "/home/USER/x"),
        (ANA, "/home/bob/x is borrowed", "/home/USER/x is borrowed"),
        (ANA, "/mnt/c/Users/ana/x", "/mnt/c/Users/USER/x"),
        (ANA, "C:\\Users\\ana\\x", "C:\\Users\\USER\\x"),
        (ANA, "the folder /media/ana, which", "the folder /media/USER, which"),
        (ANA, "~/notes/ana", "~/notes/USER"),
        (ANA, "/data/banana/analysis", "/data/banana/analysis"),
        (ANA, "ANA", "USER"),
        (ANA, "ana,video", "USER,video"),
        (ANA, "ana@tower:/srv", "USER@HOST:/srv"),
        (ANA, "tower.lab.example.org", "HOST"),
        (ANA, "DISPLAY=tower:0 answers.", "DISPLAY=HOST:0 answers."),
        (ANA, "/net/tower/data", "/net/HOST/data"),
        (ANA, "http://ana:secret@proxy:3128/", "http://proxy:3128/"),
        (WINDOWS, "c:/users/ana maria/venv", "~/venv"),
        (WINDOWS, "D:\\data\\Ana Maria\\x", "D:\\data\\USER\\x"),
        (WINDOWS, "\\\\DESKTOP-4F2\\share", "\\\\HOST\\share"),
        (("/root", "root", "vm"), "/root/.pyenv", "~/.pyenv"),
        (AN, "A fan and an answer, an index, or an/or a path.", ""),
        (AN, "`sudo apt-get install libegl1` or /usr/lib/or.so, then and/or yes/no.", ""),
        (AN, "/usr/lib/python3/dist-packages/annotated", ""),
        (AN, "NVIDIA card at 0000:01:00.0, or asleep", ""),
        (AN, "an: the word", ""),
        (NOBODY, "/root/venv", ""),
        (NOBODY, "localhost:10.0", ""),
        (NOBODY, "/home/shared/x", ""),
    ],
)
def test_names_leave_paths_and_fields_and_no_word_is_destroyed(
    person: tuple[str, str, str], text: str, cleaned: str
) -> None:
    assert anonymous(text, *person) == (cleaned or text)


def bundle(computer: Computer, target: Path) -> dict[str, str]:
    probe = computer.probe()
    sentence = write_bundle(target, examine(probe), probe)
    assert sentence.startswith(f"{target} holds this report")
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_a_bundle_holds_the_report_and_chosen_variables(
    computer: Computer, tmp_path: Path
) -> None:
    computer.environment = {
        "CUDA_VISIBLE_DEVICES": "0,1",
        "DISPLAY": "tower:0",
        "PYTHONPATH": "/home/ana/lib:/data/ana/lib",
        "NVIDIA_API_KEY": "nvapi-very-secret",
        "AWS_PROFILE": "work",
        "USER": "ana",
    }
    inside = bundle(computer, tmp_path / "report.zip")
    assert list(inside) == ["doctor.txt", "doctor.json", "environment.txt"]
    assert inside["environment.txt"].splitlines() == [
        "CUDA_VISIBLE_DEVICES=0,1",
        "DISPLAY=HOST:0",
        "NVIDIA_API_KEY=(left out)",
        "PYTHONPATH=~/lib:/data/USER/lib",
    ]
    assert json.loads(inside["doctor.json"])["schema"] == 1
    assert "In short:" in inside["doctor.txt"]


def test_nobodys_name_is_in_a_bundle(computer: Computer, tmp_path: Path) -> None:
    computer.install_torch("/home/ana/.virtualenvs/ana", "2.13.0+cpu")
    computer.install_torch("/data/ana/venv", "2.11.0+cu130", cuda="13.0")
    computer.install_torch("/home/bob/envs/x", "2.9.0")
    computer.write("/etc/group", "ana:x:1000:\nsudo:x:27:ana\n")
    computer.load_module()
    computer.environment = {
        "DISPLAY": "tower:10.0",
        "CUDA_HOME": "/home/ana/cuda",
        "GPUEXPLORER_NVML": "/home/ana/libnvidia-ml.so.1",
    }
    for name, text in bundle(computer, tmp_path / "report.zip").items():
        for secret in ("ana", "bob", "tower"):
            assert f"/{secret}" not in text, name
            assert f'"{secret}"' not in text, name
            assert secret not in text.split(), name
            assert f"{secret}:" not in text, name
