"""What a person is told was looked for where no card answers, and what was there instead."""

import pytest

from gpuexplorer.telemetry.looked_for import Looked, display_controllers, looked_for
from tests.commands.checkup.computer import Computer

COMMON, ODD = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "/opt/odd/libnvidia-ml.so.1"
LENT = "/usr/lib/wsl/lib/libnvidia-ml.so.1"
MODULE = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release\n"
LIBRARY = "\x7fELF\2"


def found(computer: Computer) -> dict[str, Looked]:
    return {one.what: one for one in looked_for(computer.probe())}


def test_a_bare_computer_has_nothing_and_says_so_four_times(computer: Computer) -> None:
    looked = found(computer)
    assert list(looked) == ["driver library", "kernel module", "NVIDIA cards", "other cards"]
    assert not any(one.found for one in looked.values())
    (computer.root / "sys/bus/pci/devices").rmdir()
    assert "cannot be seen from here" in found(computer)["NVIDIA cards"].sentence
    computer.platform = "darwin"
    assert "macOS has no driver" in found(computer)["NVIDIA driver"].sentence


@pytest.mark.parametrize(
    ("path", "text", "what", "there", "words"),
    [
        (COMMON, "", "driver library", True, f"is there: {COMMON}."),
        (LENT, "", "driver library", True, f"is there: {LENT}."),
        (ODD, "gone", "driver library", False, "is not installed"),
        (ODD, LIBRARY, "driver library", True, f"is there: {ODD}."),
        (
            "/opt/mine.so",
            "",
            "chosen library",
            False,
            "names /opt/mine.so, where no library is.",
        ),
        ("/opt/mine.so", LIBRARY, "chosen library", True, "is used for NVIDIA's library."),
        ("/proc/driver/nvidia/version", MODULE, "kernel module", True, "580.95.05 is loaded."),
        ("/sys/module/nouveau/refcnt", "1", "kernel module", False, "nouveau is loaded"),
        ("/dev/dxg", "", "kernel module", True, "lends it as /dev/dxg."),
    ],
)
def test_library_and_module_are_found_where_they_may_be(
    computer: Computer, path: str, text: str, what: str, there: bool, words: str
) -> None:
    computer.write(path, text)
    computer.remember_libraries("/usr/lib/libGL.so.1", ODD)
    computer.environment["GPUEXPLORER_NVML"] = "/opt/mine.so"
    looked = found(computer)[what]
    assert looked.found is there
    assert words in looked.sentence


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
