"""What a person is told of NVIDIA's driver, in each of the ways in which it can be absent."""

import pytest

from gpuexplorer.commands.checkup.driver import container, driver, permissions
from tests.commands.checkup.computer import BROKEN, FINE, LOOK, Computer

# As the backend says it, and as it must be told.
SOURCES, DOCKER = "/usr/src/nvidia-590.48.01/dkms.conf", "/.dockerenv"
SECURE = "/sys/firmware/efi/efivars/SecureBoot-8be4df61"
BUILT = "/var/lib/dkms/nvidia/kernel-6.5.0-x86_64/module"
WSL2 = "Linux version 5.15-microsoft-standard-WSL2"


def test_a_driver_that_answers_is_named_with_what_it_can_run(computer: Computer) -> None:
    computer.load_module()
    computer.install_library()
    computer.give_driver()
    topic = computer.told(driver)
    assert topic.verdict is FINE
    assert topic.sentence == (
        "NVIDIA's driver 590.48.01 answers. It can run programs made for CUDA 13.1 or older."
    )
    assert topic.details[1:] == [
        "Kernel module 590.48.01.",
        "Library /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1, version 590.48.01.",
    ]


@pytest.mark.parametrize(
    ("module", "library", "files", "do"),
    [
        ("590.44.01", True, (), "Look for 'NVRM'"),
        ("", True, (SOURCES, SECURE), "Secure Boot is on"),
        ("", False, (SOURCES, BUILT), "not built for the kernel that runs, 6.8.0: install"),
        ("", False, (SOURCES,), "modprobe nvidia"),
        ("", False, (SOURCES, DOCKER), "Load the driver on the computer outside"),
        ("590.48.01", False, (), "of the version 590.48.01"),
        ("590.48.01", False, (DOCKER,), "--gpus all"),
        ("", False, (), "install its driver"),
        ("", False, (SOURCES, "/sys/module/nouveau/refcnt"), "install its driver"),
    ],
)
def test_the_way_out_is_found_in_files(
    computer: Computer, module: str, library: bool, files: tuple[str, ...], do: str
) -> None:
    computer.plug_in()
    for each in files:
        computer.write(each, "\6\0\0\0\1")
    if module:
        computer.load_module(module)
    if library:
        computer.install_library("590.48.01")
    topic = computer.told(driver)
    assert topic.verdict is BROKEN
    assert do in topic.do


def test_a_card_that_is_lent_to_a_virtual_machine_is_said_to_be(computer: Computer) -> None:
    computer.plug_in(driver="vfio-pci")
    topic = computer.told(driver)
    assert (topic.verdict, topic.sentence) == (LOOK, "There is no NVIDIA driver here.")
    assert "set aside for a virtual machine" in topic.do


def test_wsl_without_a_library_sends_the_reader_to_windows(computer: Computer) -> None:
    computer.write("/proc/version", WSL2)
    computer.write("/dev/dxg")
    topic = computer.told(driver)
    assert topic.sentence == "There is no NVIDIA driver here."
    assert "is installed in Windows" in topic.do


def test_device_files_are_counted_and_a_refused_one_named_with_the_group_to_join(
    computer: Computer,
) -> None:
    assert computer.told(permissions).verdict is FINE  # without a driver nothing needs any
    computer.load_module()
    computer.write("/dev/nvidia-modeset")  # no card's
    assert computer.told(permissions).sentence == "This user may use all device files (3)."
    computer.forbidden = {"/dev/nvidia0"}
    owner = (computer.root / "dev/nvidia0").group()
    topic = computer.told(permissions)
    assert topic.verdict is BROKEN
    assert topic.sentence == "This user may not read and write /dev/nvidia0."
    join = f"Run `sudo usermod -aG {owner} $USER`, then log out and in again."
    ask = "Ask an administrator for access to these files."
    assert topic.do == (ask if owner == "root" else join)


@pytest.mark.parametrize(
    ("path", "text", "name", "option"),
    [
        ("/.dockerenv", "", "Docker", "with `--gpus all`."),
        ("/run/.containerenv", "", "Podman", "with `--device nvidia.com/gpu=all`."),
        ("/run/systemd/container", "lxc\n", "LXC", "Add a device of the type gpu"),
        ("/run/systemd/container", "systemd-nspawn\n", "systemd-nspawn", "--gpus all"),
        ("/.flatpak-info", "", "Flatpak", "--gpus all"),
    ],
)
def test_a_container_is_called_by_its_name_and_lent_the_card_its_way(
    computer: Computer, path: str, text: str, name: str, option: str
) -> None:
    assert computer.told(container).sentence == "Not in a container."
    computer.write(path, text)
    assert computer.told(container).sentence == f"This runs inside {name}."
    computer.write("/sys/module/nvidia/version", "590.48.01\n")
    topic = computer.told(container)
    assert topic.verdict is BROKEN
    assert option in topic.do
