"""gpuexplorer doctor, as a person and a program meet it."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpuexplorer.commands.checkup.report import EXAMINATIONS
from gpuexplorer.commands.doctor import check
from gpuexplorer.core.trouble import Trouble
from tests.commands.checkup.computer import Computer
from tests.nvml_stub import stub

# What programs read by name.
FACTS = {
    "cards": "answering no_figures silent on_the_pci_bus",
    "driver": "driver_version cuda_version read_through module_version library library_version"
    " library_chosen nouveau_loaded package_found secure_boot",
    "permissions": "files groups",
    "container": "kinds sees_all_processes",
    "pytorch": "looked_at with_torch lab",
    "toolkits": "cuda cudnn nvcc",
    "display": "WAYLAND_DISPLAY DISPLAY QT_QPA_PLATFORM x11_answers x11_refuses wayland_answers"
    " missing_libraries",
    "parts": "gpuexplorer python system PySide6-Essentials numpy nvidia-ml-py psutil"
    " platformdirs markdown-it-py pynvml",
    "memory": "total_bytes available_bytes swap_bytes limit_bytes",
}


@pytest.fixture(autouse=True)
def no_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    bare = Computer(tmp_path / "computer")
    (bare.root / "sys/bus/pci/devices").mkdir(parents=True)
    return bare


def asked(*, json: bool = False, bundle: Path | None = None) -> argparse.Namespace:
    return argparse.Namespace(json=json, bundle=bundle, deep=False)


Out = pytest.CaptureFixture[str]


def told(capsys: Out, computer: Computer, arguments: argparse.Namespace) -> str:
    assert check(computer.probe(), arguments) == 0
    return capsys.readouterr().out


def test_the_print_out_has_a_verdict_for_each_topic_and_fits_paper(
    capsys: Out, computer: Computer
) -> None:
    computer.plug_in(driver="nouveau")
    computer.write("/usr/bin/apt-get")
    text = told(capsys, computer, asked())
    lines = text.splitlines()
    heads = [line.split()[:2] for line in lines if line and not line.startswith(" ")]
    verdicts = {"OK", "warning", "broken"}
    assert [head[1] for head in heads if head[0] in verdicts][:9] == [
        title for title, _ in EXAMINATIONS.values()
    ]
    assert max(len(line) for line in lines if "`" not in line) <= 80
    assert text.isascii()
    assert "\x1b" not in text
    (command, _) = [line for line in lines if "apt-get install" in line]
    assert command.count("`") == 2  # never broken, so that it can be copied


def test_it_ends_with_what_to_do_the_worst_first(capsys: Out, computer: Computer) -> None:
    computer.plug_in(driver="nouveau")
    text = told(capsys, computer, asked())
    summary = text[text.index("In short: ") :].splitlines()
    verdicts = [line.split()[0] for line in summary[2:] if line and line[0] != " "]
    assert verdicts == sorted(verdicts, key=["broken", "warning", "OK"].index)
    assert "install its driver" in summary[3]


def test_programs_get_verdicts_sentences_and_facts(capsys: Out, computer: Computer) -> None:
    computer.write("/.dockerenv")
    computer.write("/proc/meminfo", "MemTotal: 1 kB\n")
    document = json.loads(told(capsys, computer, asked(json=True)))
    assert document["schema"] == 1
    assert document["taken_at"].endswith("+00:00")
    assert [topic["topic"] for topic in document["topics"]] == list(EXAMINATIONS)
    for topic in document["topics"]:
        assert topic["verdict"] in {"fine", "look", "broken"}
        assert topic["sentence"].endswith(".")
        assert topic["verdict"] == "fine" or topic["do"]
    assert document["looked_for"][0]["found"] is False
    assert {topic["topic"]: " ".join(topic["facts"]) for topic in document["topics"]} == FACTS


def test_a_bundle_asked_for_with_json_leaves_the_json_alone(
    capsys: Out, computer: Computer, tmp_path: Path
) -> None:
    check(computer.probe(), asked(json=True, bundle=tmp_path / "report.zip"))
    out, complaints = capsys.readouterr()
    json.loads(out)
    # Where the lines break depends on how long the folder's name is.
    assert "names of you and your" in " ".join(complaints.split())


def test_a_bundle_that_cannot_be_written_is_said_before_anything_is_looked_at(
    capsys: Out, computer: Computer, tmp_path: Path
) -> None:
    with pytest.raises(Trouble, match="was left as it is"):
        check(computer.probe(), asked(bundle=tmp_path))
    assert capsys.readouterr().out == ""
    assert computer.opened == 0


def test_a_driver_that_refuses_is_broken_in_its_own_words() -> None:
    driver = with_stub("init=no_permission")["driver"]
    assert driver["verdict"] == "broken"
    assert "may not talk to the NVIDIA driver" in driver["sentence"]


def with_stub(configuration: str) -> dict[str, dict[str, str]]:
    """What is said by topic, in a process of its own: a process holds one library only."""
    if stub.compiler() is None:
        pytest.skip("the stand-in for the driver's library needs a C compiler")
    ran = subprocess.run(
        [sys.executable, "-m", "gpuexplorer", "doctor", "--json"],
        env=stub.environment(configuration) | {"PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    return {topic["topic"]: topic for topic in json.loads(ran.stdout)["topics"]}
