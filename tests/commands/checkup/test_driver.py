"""What a person is told of NVIDIA's driver, in each of the ways in which it can be absent."""

import threading

import pytest

from gpuexplorer.commands.checkup.driver import driver
from gpuexplorer.commands.checkup.finding import Topic, Verdict
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backends.no_cards import NoCards
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


def told(computer: Computer) -> Topic:
    return driver(computer.probe(), computer.answer())


def test_a_driver_that_answers_is_named_with_what_it_can_run(computer: Computer) -> None:
    computer.load_module()
    computer.install_library()
    computer.give_driver()
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert topic.sentence == (
        "NVIDIA's driver 590.48.01 answers. It can run programs made for CUDA 13.1 or older."
    )
    assert "Kernel module 590.48.01." in topic.details
    assert topic.facts["library"] == "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"


def test_no_card_and_no_driver_is_nothing_to_worry_about(computer: Computer) -> None:
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert "no NVIDIA card that would need one" in topic.sentence


def test_a_driver_updated_while_it_runs_asks_for_a_restart(computer: Computer) -> None:
    computer.plug_in(driver="nvidia")
    computer.load_module("590.44.01")
    computer.install_library("590.48.01")
    computer.trouble = MISMATCH
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert topic.sentence == MISMATCH.sentence
    (versions,) = topic.details
    assert versions == (
        "The driver was updated while it runs: the kernel still has 590.44.01,"
        " the library is 590.48.01 already."
    )
    assert topic.do == "Restart the computer."


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
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert topic.sentence == trouble.sentence
    assert topic.do == trouble.hint
    assert topic.details == ["No NVIDIA card is on the PCI bus."]


def test_nobody_is_sent_to_the_doctor_by_the_doctor(computer: Computer) -> None:
    computer.install_library()
    computer.trouble = Trouble("It says no.", "`gpuexplorer doctor` looks for the cause.")
    assert told(computer).do == (
        "Look for 'NVRM' in the system log (`sudo dmesg`), and restart the computer."
    )
    computer.environment["GPUEXPLORER_NVML"] = "/opt/mine.so"
    assert told(computer).do == (
        "Unset GPUEXPLORER_NVML, so that the driver's own library is found."
    )


def test_a_card_held_by_nouveau_needs_nvidias_driver(computer: Computer) -> None:
    computer.plug_in(driver="nouveau")
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert "held by nouveau" in topic.details[0]
    assert topic.do.startswith("Install NVIDIA's driver")


def test_a_card_without_any_driver_needs_one(computer: Computer) -> None:
    computer.plug_in()
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert topic.details == ["There is no NVIDIA driver for the card."]
    assert topic.do.startswith("Install NVIDIA's driver")


def test_a_card_given_to_a_virtual_machine_is_not_broken(computer: Computer) -> None:
    computer.plug_in(driver="vfio-pci")
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert "virtual machine" in topic.sentence


def test_secure_boot_is_blamed_for_an_installed_module_that_is_not_loaded(
    computer: Computer,
) -> None:
    computer.plug_in()
    computer.install_library()
    computer.write("/usr/src/nvidia-590.48.01/dkms.conf")
    computer.write("/sys/firmware/efi/efivars/SecureBoot-8be4df61", "\6\0\0\0\1")
    computer.trouble = NOT_RUNNING
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert "installed, but its kernel module is not loaded" in topic.details[0]
    assert topic.do.startswith(NOT_RUNNING.hint)
    assert "Secure Boot" in topic.do


def test_a_module_built_for_another_kernel_is_to_be_built_again(computer: Computer) -> None:
    computer.plug_in()
    computer.write("/usr/src/nvidia-590.48.01/dkms.conf")
    computer.write("/var/lib/dkms/nvidia/kernel-6.5.0-x86_64/module")
    topic = told(computer)
    assert "not built for the kernel that runs, 6.8.0" in topic.details[0]
    assert "dkms autoinstall" in topic.do


def test_an_installed_module_without_secure_boot_can_be_loaded(computer: Computer) -> None:
    computer.plug_in()
    computer.write("/usr/src/nvidia-590.48.01/dkms.conf")
    computer.trouble = NOT_RUNNING
    assert told(computer).do == NOT_RUNNING.hint


def test_a_driver_without_its_library_says_which_package_is_missing(
    computer: Computer,
) -> None:
    computer.plug_in(driver="nvidia")
    computer.load_module()
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert "its library was not found" in topic.details[0]
    assert "590.48.01" in topic.do


def test_a_missing_library_in_a_container_is_lent_from_outside(computer: Computer) -> None:
    computer.plug_in(driver="nvidia")
    computer.load_module()
    computer.write("/.dockerenv")
    assert "--gpus all" in told(computer).do


def test_wsl_without_a_library_sends_the_reader_to_windows(computer: Computer) -> None:
    computer.write("/proc/version", "Linux version 6.6 (Microsoft@Microsoft.com)")
    computer.write("/dev/dxg")
    assert "in Windows, not in Linux" in told(computer).do


def test_a_chosen_library_that_cannot_be_loaded_is_said_with_the_reason(
    computer: Computer,
) -> None:
    computer.environment["GPUEXPLORER_NVML"] = "/etc/passwd"
    computer.trouble = Trouble(
        "The library that GPUEXPLORER_NVML names cannot be loaded: invalid ELF header.",
        "Unset the variable.",
    )
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert topic.sentence.endswith("cannot be loaded: invalid ELF header.")
    assert topic.details == ["Library chosen by GPUEXPLORER_NVML: /etc/passwd."]
    assert topic.do == "Unset the variable."


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
        assert "did not answer within 0.05 s" in told(computer).sentence
    finally:
        released.set()


def test_sleeping_cards_are_not_woken_to_ask_the_driver(computer: Computer) -> None:
    computer.plug_in(driver="nvidia", asleep=True)
    computer.load_module()
    computer.give_driver()
    topic = told(computer)
    assert computer.opened == 0
    assert topic.verdict is Verdict.FINE
    assert topic.sentence == (
        "NVIDIA's driver 590.48.01 is loaded. Asking it would wake the card."
    )


@pytest.mark.parametrize(
    ("platform", "words"), [("darwin", "macOS has no driver"), ("win32", "nvml.dll")]
)
def test_other_systems_are_spoken_of_in_their_own_words(
    computer: Computer, platform: str, words: str
) -> None:
    computer.platform = platform
    assert words in told(computer).sentence
