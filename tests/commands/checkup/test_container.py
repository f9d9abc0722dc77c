"""What a person is told who runs this inside a container."""

import pytest

from gpuexplorer.commands.checkup.container import container
from gpuexplorer.commands.checkup.finding import Topic, Verdict
from tests.commands.checkup.computer import Computer


def told(computer: Computer) -> Topic:
    return container(computer.probe(), computer.answer())


def foreign_processes(computer: Computer) -> None:
    (computer.root / "proc/self/ns/pid").unlink()
    computer.link("/proc/self/ns/pid", "pid:[4026532587]")


def test_a_desktop_is_not_a_container(computer: Computer) -> None:
    assert told(computer).sentence == "Not in a container."


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("/.dockerenv", "", "Docker"),
        ("/run/.containerenv", "", "Podman"),
        ("/run/systemd/container", "lxc\n", "LXC"),
        ("/run/systemd/container", "systemd-nspawn\n", "systemd-nspawn"),
        ("/proc/1/cgroup", "0::/kubepods/besteffort/pod1\n", "Kubernetes"),
        ("/proc/version", "Linux version 5.15-microsoft-standard-WSL2", "WSL"),
        ("/.flatpak-info", "", "Flatpak"),
    ],
)
def test_a_container_is_called_by_its_name(
    computer: Computer, path: str, text: str, name: str
) -> None:
    computer.write(path, text)
    assert told(computer).sentence == f"This runs inside {name}."


def test_a_card_that_is_not_lent_to_docker_is_lent_by_an_option(computer: Computer) -> None:
    computer.write("/.dockerenv")
    computer.write("/sys/module/nvidia/version", "590.48.01\n")
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert topic.do == "Start the container with `--gpus all`."


def test_podman_has_an_option_of_its_own(computer: Computer) -> None:
    computer.write("/run/.containerenv")
    computer.write("/sys/module/nvidia/version", "590.48.01\n")
    assert "--device nvidia.com/gpu=all" in told(computer).do


def test_hidden_programs_have_no_names_and_there_is_a_remedy(computer: Computer) -> None:
    computer.write("/.dockerenv")
    foreign_processes(computer)
    computer.give_driver()
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert "those on a card have no names" in topic.sentence
    assert "--pid=host" in topic.do


def test_wsl_hides_nobody_although_it_counts_processes_by_itself(computer: Computer) -> None:
    computer.write("/proc/version", "Linux version 5.15-microsoft-standard-WSL2")
    foreign_processes(computer)
    assert told(computer).verdict is Verdict.FINE
