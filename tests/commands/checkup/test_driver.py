"""What a person is told of NVIDIA's driver, in each of the ways in which it can be absent."""

import threading
from collections.abc import Callable

import pytest

from gpuexplorer.commands.checkup.driver import container, driver, permissions
from gpuexplorer.commands.checkup.probe import BROKEN, FINE, LOOK
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backend import NoCards
from tests.commands.checkup.computer import Computer

# As the backend says it, and as it must be told.
NOT_RUNNING = Trouble(
    "The NVIDIA driver's library is here, but the driver itself is not running.",
    "Restart the computer, or load the kernel module with `sudo modprobe nvidia`.",
)
MISMATCH = Trouble(
    "The NVIDIA driver was updated while it runs: driver and library do not fit.",
    "Restart the computer.",
)


def test_a_driver_that_answers_is_named_with_what_it_can_run(computer: Computer) -> None:
    computer.load_module()
    computer.install_library()
    computer.give_driver()
    topic = computer.told(driver)
    assert topic.verdict is FINE
    assert topic.sentence == (
        "NVIDIA's driver 590.48.01 answers. It can run programs made for CUDA 13.1 or older."
    )
    assert "Kernel module 590.48.01." in topic.details
    assert "Library /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1." in topic.details


def test_no_card_and_no_driver_is_nothing_to_worry_about(computer: Computer) -> None:
    topic = computer.told(driver)
    assert topic.verdict is FINE
    assert "no NVIDIA card that would need one" in topic.sentence


@pytest.mark.parametrize(
    "trouble",
    [
        NOT_RUNNING,
        MISMATCH,
        Trouble("This user may not talk to the NVIDIA driver.", "Ask the administrator."),
        Trouble("The NVIDIA driver answers, but it has no card.", "Look whether it is seated."),
    ],
    ids=["not running", "mismatch", "no permission", "no card"],
)
def test_whatever_the_driver_says_is_the_headline_with_its_hint(
    computer: Computer, trouble: Trouble
) -> None:
    computer.install_library()
    computer.trouble = trouble
    topic = computer.told(driver)
    assert topic.verdict is BROKEN
    assert topic.sentence == trouble.sentence
    assert topic.do == trouble.hint
    assert topic.details[0] == "No NVIDIA card is on the PCI bus."


def test_nobody_is_sent_to_the_doctor_by_the_doctor(computer: Computer) -> None:
    computer.install_library()
    computer.trouble = Trouble("It says no.", "`gpuexplorer doctor` looks for the cause.")
    assert computer.told(driver).do.startswith("Look for 'NVRM' in the system log")
    computer.environment["GPUEXPLORER_NVML"] = "/opt/mine.so"
    topic = computer.told(driver)
    assert topic.details == ["Library chosen by GPUEXPLORER_NVML: /opt/mine.so."]
    assert topic.do == "Unset GPUEXPLORER_NVML, so that the driver's own library is found."


def updated(computer: Computer) -> None:
    computer.plug_in(driver="nvidia")
    computer.load_module("590.44.01")
    computer.install_library("590.48.01")
    computer.trouble = MISMATCH


def unsigned(computer: Computer) -> None:
    computer.plug_in()
    computer.install_library()
    computer.write("/usr/src/nvidia-590.48.01/dkms.conf")
    computer.write("/sys/firmware/efi/efivars/SecureBoot-8be4df61", "\6\0\0\0\1")
    computer.trouble = NOT_RUNNING


def built_for_another_kernel(computer: Computer) -> None:
    computer.plug_in()
    computer.write("/usr/src/nvidia-590.48.01/dkms.conf")
    computer.write("/var/lib/dkms/nvidia/kernel-6.5.0-x86_64/module")


def not_loaded(computer: Computer) -> None:
    computer.plug_in()
    computer.write("/usr/src/nvidia-590.48.01/dkms.conf")


def without_library(computer: Computer) -> None:
    computer.plug_in(driver="nvidia")
    computer.load_module()


def without_library_in_docker(computer: Computer) -> None:
    without_library(computer)
    computer.write("/.dockerenv")


def not_loaded_outside(computer: Computer) -> None:
    not_loaded(computer)
    computer.write("/.dockerenv")


@pytest.mark.parametrize(
    ("arrange", "cause", "do"),
    [
        (updated, "kernel still has 590.44.01, the library is 590.48.01", "Restart the"),
        (unsigned, "installed, but its kernel module is not loaded", "Secure Boot is on"),
        (built_for_another_kernel, "not built for the kernel that runs, 6.8.0", "autoinstall"),
        (not_loaded, "installed, but its kernel module is not loaded", "modprobe nvidia"),
        (not_loaded_outside, "outside has not loaded NVIDIA's kernel module", "Load it there"),
        (without_library, "its library was not found", "of the version 590.48.01"),
        (without_library_in_docker, "its library was not found", "--gpus all"),
        (lambda computer: computer.plug_in(driver="nouveau"), "held by nouveau", "Install"),
        (lambda computer: computer.plug_in(), "no NVIDIA driver for the card", "Install"),
    ],
)
def test_the_likely_cause_is_found_in_files(
    computer: Computer, arrange: Callable[[Computer], None], cause: str, do: str
) -> None:
    arrange(computer)
    topic = computer.told(driver)
    assert topic.verdict is BROKEN
    assert cause in topic.details[0]
    assert do in topic.do


def test_wsl_without_a_library_sends_the_reader_to_windows(computer: Computer) -> None:
    computer.write("/proc/version", "Linux version 6.6 (Microsoft@Microsoft.com)")
    computer.write("/dev/dxg")
    topic = computer.told(driver)
    assert topic.sentence == "Windows lends no NVIDIA driver to this Linux."
    assert "in Windows, not in Linux" in topic.do


def test_a_card_given_to_a_virtual_machine_is_not_broken(computer: Computer) -> None:
    computer.plug_in(driver="vfio-pci")
    topic = computer.told(driver)
    assert topic.verdict is LOOK
    assert topic.sentence == "The NVIDIA card is set aside for a virtual machine (vfio-pci)."
    assert "in the virtual machine" in topic.do


def test_a_driver_that_hangs_is_given_up(computer: Computer) -> None:
    computer.plug_in(driver="nvidia")
    computer.load_module()
    computer.install_library()
    released = threading.Event()

    class Hanging(NoCards):
        def open(self) -> None:
            released.wait()

    computer.backend, computer.patience = Hanging(), 0.05
    try:
        assert "did not answer within 0.05 s" in computer.told(driver).sentence
    finally:
        released.set()


def test_sleeping_cards_are_not_woken_to_ask_the_driver(computer: Computer) -> None:
    computer.plug_in(driver="nvidia", asleep=True)
    computer.load_module()
    computer.give_driver()
    topic = computer.told(driver)
    assert computer.opened == 0
    assert topic.verdict is FINE
    assert topic.sentence == "The driver was not asked, since that would wake the card."
    assert topic.details == ["Kernel module 590.48.01."]


@pytest.mark.parametrize(
    ("platform", "words"),
    [("darwin", "macOS has no driver"), ("win32", "no NVIDIA driver here")],
)
def test_other_systems_are_spoken_of_in_their_own_words(
    computer: Computer, platform: str, words: str
) -> None:
    computer.platform = platform
    (computer.root / "sys/bus/pci/devices").rmdir()
    assert words in computer.told(driver).sentence


def test_device_files_that_may_be_used_are_counted(computer: Computer) -> None:
    assert computer.told(permissions).verdict is FINE  # without a driver nothing needs any
    computer.load_module()
    computer.write("/dev/nvidia-modeset")  # no card's
    topic = computer.told(permissions)
    assert topic.sentence == "This user may use all 3 device files."


def test_a_refused_file_is_named_with_the_group_to_join(computer: Computer) -> None:
    computer.load_module()
    computer.forbidden = {"/dev/nvidia0"}
    owner = (computer.root / "dev/nvidia0").group()
    topic = computer.told(permissions)
    assert topic.verdict is BROKEN
    assert topic.sentence == "This user may not read and write /dev/nvidia0."
    if owner == "root":
        assert topic.do == "Ask an administrator for access to these files."
    else:
        assert topic.do.startswith(f"Run `sudo usermod -aG {owner} $USER`")


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
    assert computer.told(container).sentence == "Not in a container."
    computer.write(path, text)
    assert computer.told(container).sentence == f"This runs inside {name}."


@pytest.mark.parametrize(
    ("mark", "option"),
    [
        ("/.dockerenv", "with `--gpus all`."),
        ("/run/.containerenv", "with `--device nvidia.com/gpu=all`."),
        ("/run/systemd/container", "Add a device of the type gpu"),
    ],
)
def test_a_card_that_is_not_lent_is_lent_by_an_option(
    computer: Computer, mark: str, option: str
) -> None:
    computer.write(mark, "lxc")
    computer.write("/sys/module/nvidia/version", "590.48.01\n")
    topic = computer.told(container)
    assert topic.verdict is BROKEN
    assert option in topic.do
    computer.write("/proc/1/cgroup", "0::/kubepods/besteffort/pod1\n")
    assert computer.told(container).do == "Ask for nvidia.com/gpu in the pod's resource limits."


def test_hidden_programs_have_no_names_and_there_is_a_remedy(computer: Computer) -> None:
    (computer.root / "proc/self/ns/pid").unlink()
    computer.link("/proc/self/ns/pid", "pid:[4026532587]")
    computer.write("/proc/version", "Linux version 5.15-microsoft-standard-WSL2")
    assert computer.told(container).verdict is FINE  # it counts processes by itself, as always
    computer.write("/.dockerenv")
    computer.give_driver()
    topic = computer.told(container)
    assert topic.verdict is LOOK
    assert "those on a card have no names" in topic.sentence
    assert "--pid=host" in topic.do
    computer.write("/.flatpak-info")
    assert "not installed as a Flatpak" in computer.told(container).do
