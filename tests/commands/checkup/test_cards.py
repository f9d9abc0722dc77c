"""Which cards a person is told of, whether they answer, sleep, or are silent."""

from dataclasses import replace

import pytest

from gpuexplorer.commands.checkup.driver import cards, container, driver, permissions
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import FASTEST_FIRST
from gpuexplorer.telemetry.looked_for import Looked, display_controllers, looked_for
from tests.commands.checkup.computer import BROKEN, FINE, LOOK, Computer, Driver, card, nameless

SECOND = card(1, bus_id="0000:02:00.0")


def test_cards_that_answer_are_listed_with_pytorchs_number(computer: Computer) -> None:
    computer.plug_in(driver="nvidia")
    computer.plug_in("0000:03:00.0", driver="vfio-pci")  # given to a virtual machine
    computer.give_driver(card())
    topic = computer.told(cards)
    assert (topic.verdict, topic.sentence) == (FINE, "1 NVIDIA card answers.")
    assert topic.details[0] == (
        "0: NVIDIA GeForce RTX 4090, 24 GiB, compute capability 8.9, at 0000:01:00.0,"
        " PyTorch calls it cuda:0"
    )


@pytest.mark.parametrize(
    ("reason", "how"),
    [
        (FASTEST_FIRST, f"its number in PyTorch is not sure: {FASTEST_FIRST}"),
        (Message("hidden from CUDA"), "its number in PyTorch is not sure: hidden from CUDA"),
    ],
)
def test_a_card_whose_number_is_open_is_not_called_useless(
    computer: Computer, reason: Message, how: str
) -> None:
    computer.give_driver(replace(card(), cuda_index=None, cuda_reason=reason))
    assert computer.told(cards).details[0].endswith(how)


@pytest.mark.parametrize(
    ("why", "do"),
    [
        (Absence.NO_PERMISSION, "rights to /dev/nvidia*"),
        (Absence.NOT_SUPPORTED, "nvidia-smi -q"),
        (Absence.IMPOSSIBLE, "install another version of the driver"),
    ],
)
def test_a_card_that_answers_without_a_figure_is_worth_a_look(
    computer: Computer, why: Absence, do: str
) -> None:
    computer.backend = driver = Driver([card(), SECOND])
    driver.without_figures[CardId("GPU-1")] = why
    topic = computer.told(cards)
    assert topic.verdict is LOOK
    assert topic.sentence == "2 NVIDIA cards answer. Without a usable figure: 1."
    assert topic.details[1].endswith(f"no usable figure ({why.sentence})")
    assert do in topic.do


@pytest.mark.parametrize("listed", [(), (nameless(1),)], ids=["unlisted", "without access"])
def test_a_card_on_the_bus_that_the_driver_does_not_mention_is_missed_once(
    computer: Computer, listed: tuple[Card, ...]
) -> None:
    computer.plug_in("0000:01:00.0", driver="nvidia")
    computer.plug_in("0000:02:00.0", driver="nvidia")
    computer.give_driver(card(bus_id="00000000:01:00.0"), *listed)
    topic = computer.told(cards)
    assert (topic.verdict, topic.sentence) == (BROKEN, "1 of 2 NVIDIA cards answer.")
    assert "0000:02:00.0" in topic.details[-1]


def test_a_card_that_takes_its_time_is_waited_for(computer: Computer) -> None:
    class Slow(Driver):
        asked = 0

        def cards(self) -> list[Card]:
            self.asked += 1
            return [card() if self.asked > 1 else nameless(0, Absence.NO_ANSWER)]

    computer.backend = Slow()
    assert computer.told(cards).sentence == "1 NVIDIA card answers."


def test_a_sleeping_card_is_left_asleep_and_said_to_be(computer: Computer) -> None:
    computer.plug_in(driver="nvidia", asleep=True)
    computer.backend = Driver(states={CardId("GPU-0"): CardState.ASLEEP})
    topic = computer.told(cards)
    assert topic.verdict is FINE
    assert "asleep" in topic.sentence
    assert computer.opened == 0
    computer.plug_in("0000:02:00.0", driver="nvidia")  # one that is awake is reason to ask
    topic = computer.told(cards)
    assert computer.opened == 1
    assert topic.details[0].endswith(CardState.ASLEEP.sentence)


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


COMMON, ODD = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "/opt/odd/libnvidia-ml.so.1"


def found(computer: Computer) -> dict[str, Looked]:
    return {one.what: one for one in looked_for(computer.probe())}


def test_each_card_on_the_bus_is_named_with_whoever_holds_it(computer: Computer) -> None:
    computer.plug_in("0000:01:00.0", driver="nouveau", asleep=True)
    computer.plug_in("0000:00:02.0", vendor="8086", device="4680", driver="i915")
    computer.plug_in("0000:03:00.0", vendor="1a03", device="744c")
    computer.plug_in("0000:01:00.1", driver="snd_hda_intel")  # its sound is no card
    computer.write("/sys/bus/pci/devices/0000:01:00.1/class", "0x040300\n")
    computer.write(
        "/usr/share/hwdata/pci.ids",
        "# a list\n1a03  ASPEED\n\t744c  Navi 31\n8086  Intel\n\t4680  UHD 770\n"
        "10de  NVIDIA Corporation\n\t2684  AD102 [RTX 4090]\n\t\t1043 88e2  ROG\n",
    )
    assert [one.sentence for one in looked_for(computer.probe())][2:] == [
        "NVIDIA AD102 [RTX 4090] at 0000:01:00.0, held by the driver nouveau. It is asleep.",
        "Intel UHD 770 at 0000:00:02.0, held by the driver i915.",
        "ASPEED Navi 31 at 0000:03:00.0, held by no driver.",
    ]
    assert len(display_controllers(computer.probe()) or ()) == 3
