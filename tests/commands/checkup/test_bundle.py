"""The bundle: what is in it, that nobody's name is, and what is said when it cannot be made."""

import json
import zipfile
from pathlib import Path

import pytest

from gpuexplorer.commands.checkup.bundle import check_target, write_bundle
from gpuexplorer.commands.checkup.examining import examine
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.trouble import Trouble
from tests.commands.checkup.computer import Computer


def bundle(computer: Computer, target: Path) -> str:
    probe = computer.probe()
    return write_bundle(target, examine(probe, ManualClock()), probe)


def texts(target: Path) -> dict[str, str]:
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_a_bundle_holds_the_report_versions_and_chosen_variables(
    computer: Computer, tmp_path: Path
) -> None:
    computer.environment = {
        "CUDA_VISIBLE_DEVICES": "0,1",
        "NVIDIA_VISIBLE_DEVICES": "all",
        "QT_SCALE_FACTOR": "2",
        "DISPLAY": "tower:0",
        "PYTHONPATH": "/home/ana/lib:/data/ana/lib",
        "NVIDIA_API_KEY": "nvapi-very-secret",
        "AWS_PROFILE": "work",
        "USER": "ana",
    }
    sentence = bundle(computer, tmp_path / "report.zip")
    assert sentence.startswith(f"{tmp_path / 'report.zip'} holds this report")
    assert "names of you and your computer were taken out" in sentence
    inside = texts(tmp_path / "report.zip")
    assert list(inside) == ["doctor.txt", "doctor.json", "versions.txt", "environment.txt"]
    assert inside["environment.txt"].splitlines() == [
        "CUDA_VISIBLE_DEVICES=0,1",
        "DISPLAY=HOST:0",
        "NVIDIA_API_KEY=(left out)",
        "NVIDIA_VISIBLE_DEVICES=all",
        "PYTHONPATH=~/lib:/data/USER/lib",
        "QT_SCALE_FACTOR=2",
    ]
    assert json.loads(inside["doctor.json"])["schema"] == 1
    assert "In short:" in inside["doctor.txt"]


def test_nobodys_name_is_in_a_bundle(computer: Computer, tmp_path: Path) -> None:
    computer.install_torch("/home/ana/.virtualenvs/ana", "2.13.0+cpu")
    computer.install_torch("/data/ana/venv", "2.11.0+cu130", cuda="13.0")
    computer.write("/home/ana/.conda/environments.txt", "/home/bob/envs/x\n")
    computer.install_torch("/home/bob/envs/x", "2.9.0")
    computer.write("/etc/group", "ana:x:1000:\nsudo:x:27:ana\n")
    computer.load_module()
    computer.environment = {
        "DISPLAY": "tower:10.0",
        "VIRTUAL_ENV": "/data/ana/venv",
        "CUDA_HOME": "/home/ana/cuda",
        "GPUEXPLORER_NVML": "/home/ana/libnvidia-ml.so.1",
    }
    bundle(computer, tmp_path / "report.zip")
    for name, text in texts(tmp_path / "report.zip").items():
        for secret in ("ana", "bob", "tower"):
            assert f"/{secret}" not in text, name
            assert f'"{secret}"' not in text, name
            assert secret not in text.split(), name
            assert f"{secret}:" not in text, name


def test_somebody_called_cuda_does_not_spoil_what_programs_read(
    computer: Computer, tmp_path: Path
) -> None:
    computer.user, computer.home = "cuda", "/home/cuda"
    bundle(computer, tmp_path / "report.zip")
    topics = json.loads(texts(tmp_path / "report.zip")["doctor.json"])["topics"]
    toolkits = next(topic for topic in topics if topic["topic"] == "toolkits")
    assert toolkits["facts"]["cuda"] == []


def test_a_folder_is_told_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(Trouble) as told:
        check_target(tmp_path)
    assert told.value.sentence == f"{tmp_path} is a folder, and the bundle is a file."
    assert told.value.hint == f"Name a file in it, such as {tmp_path / 'gpuexplorer.zip'}."


def test_looking_whether_a_bundle_can_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    check_target(tmp_path / "report.zip")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_left_as_it_is(computer: Computer, tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.zip"
    thesis.write_text("years of work")
    with pytest.raises(Trouble, match="was left as it is"):
        bundle(computer, thesis)
    assert thesis.read_text() == "years of work"
