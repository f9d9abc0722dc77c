"""What a person reads was looked for when no card answers, and what was there instead."""

import pytest

from gpuexplorer.telemetry.looked_for import Looked, display_controllers, looked_for
from tests.commands.checkup.computer import Computer

COMMON = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"


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


def test_the_driver_library_is_found_in_a_common_folder(computer: Computer) -> None:
    computer.install_library()
    library = found(computer)["driver library"]
    assert library.found
    assert library.where == COMMON


def test_the_driver_library_is_found_by_the_loaders_cache(computer: Computer) -> None:
    odd = "/opt/odd/libnvidia-ml.so.1"
    computer.remember_libraries("/usr/lib/libGL.so.1", odd)
    assert not found(computer)["driver library"].found  # remembered, and long gone
    computer.write(odd, "\x7fELF\2")
    assert found(computer)["driver library"].where == odd


def test_the_library_that_windows_lends_to_wsl_is_found(computer: Computer) -> None:
    computer.write("/usr/lib/wsl/lib/libnvidia-ml.so.1")
    computer.write("/dev/dxg")
    looked = found(computer)
    assert looked["driver library"].where == "/usr/lib/wsl/lib/libnvidia-ml.so.1"
    assert looked["kernel module"].where == "/dev/dxg"


@pytest.mark.parametrize("text", [None, "root:x:0:0::/root:/bin/sh\n"])
def test_a_chosen_library_is_named_with_its_variable(
    computer: Computer, text: str | None
) -> None:
    computer.environment["GPUEXPLORER_NVML"] = "/opt/mine.so"
    if text is not None:
        computer.write("/opt/mine.so", text)
    chosen = found(computer)["chosen library"]
    assert not chosen.found
    assert chosen.sentence == (
        "The variable GPUEXPLORER_NVML names /opt/mine.so, where no library is."
    )
    computer.write("/opt/mine.so", "\x7fELF\2")
    chosen = found(computer)["chosen library"]
    assert chosen.found
    assert chosen.sentence == "The variable GPUEXPLORER_NVML is used for NVIDIA's library."


@pytest.mark.parametrize(
    ("path", "text", "loaded", "sentence"),
    [
        (
            "/proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release\n",
            True,
            "NVIDIA's kernel module 580.95.05 is loaded.",
        ),
        ("/sys/module/nouveau/refcnt", "1", False, "nouveau is loaded"),
    ],
)
def test_the_kernels_module_is_named(
    computer: Computer, path: str, text: str, loaded: bool, sentence: str
) -> None:
    computer.write(path, text)
    module = found(computer)["kernel module"]
    assert module.found is loaded
    assert sentence in module.sentence


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
