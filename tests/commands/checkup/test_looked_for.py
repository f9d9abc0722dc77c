"""What a person reads was looked for when no card answers, and what was there instead."""

from gpuexplorer.telemetry.looked_for import Looked, display_controllers, looked_for
from tests.commands.checkup.computer import Computer


def found(computer: Computer) -> dict[str, Looked]:
    return {one.what: one for one in looked_for(computer.probe())}


def test_a_bare_computer_has_nothing_and_says_so_four_times(computer: Computer) -> None:
    looked = looked_for(computer.probe())
    assert [one.found for one in looked] == [False] * 4
    assert [one.what for one in looked] == [
        "driver library",
        "kernel module",
        "NVIDIA cards",
        "other cards",
    ]


def test_the_driver_library_is_found_in_a_common_folder(computer: Computer) -> None:
    computer.install_library()
    library = found(computer)["driver library"]
    assert library.found
    assert library.where == "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"


def test_the_driver_library_is_found_by_the_loaders_cache(computer: Computer) -> None:
    computer.write("/opt/odd/libnvidia-ml.so.1")
    computer.remember_libraries(
        {"libGL.so.1": "/usr/lib/libGL.so.1", "libnvidia-ml.so.1": "/opt/odd/libnvidia-ml.so.1"}
    )
    assert found(computer)["driver library"].where == "/opt/odd/libnvidia-ml.so.1"


def test_a_cache_that_remembers_a_library_long_gone_is_not_believed(
    computer: Computer,
) -> None:
    computer.remember_libraries({"libnvidia-ml.so.1": "/opt/gone/libnvidia-ml.so.1"})
    assert not found(computer)["driver library"].found


def test_a_damaged_cache_does_no_harm(computer: Computer) -> None:
    computer.remember_libraries({"libGL.so.1": "/usr/lib/libGL.so.1"})
    cache = computer.root / "etc/ld.so.cache"
    cache.write_bytes(cache.read_bytes()[:60])
    assert not found(computer)["driver library"].found


def test_the_library_that_windows_lends_to_wsl_is_found(computer: Computer) -> None:
    computer.write("/usr/lib/wsl/lib/libnvidia-ml.so.1")
    computer.write("/dev/dxg")
    looked = found(computer)
    assert looked["driver library"].where == "/usr/lib/wsl/lib/libnvidia-ml.so.1"
    assert looked["kernel module"].where == "/dev/dxg"


def test_a_chosen_library_is_named_with_its_variable(computer: Computer) -> None:
    computer.environment["GPUEXPLORER_NVML"] = "/opt/mine.so"
    absent = found(computer)["chosen library"]
    assert absent.sentence == (
        "The variable GPUEXPLORER_NVML names /opt/mine.so, which is not there."
    )
    computer.write("/opt/mine.so", "\x7fELF")
    chosen = found(computer)["chosen library"]
    assert chosen.found
    assert chosen.sentence == "The variable GPUEXPLORER_NVML is used for NVIDIA's library."


def test_a_chosen_file_that_is_no_library_is_said_not_to_be_one(computer: Computer) -> None:
    computer.environment["GPUEXPLORER_NVML"] = "/etc/passwd"
    computer.write("/etc/passwd", "root:x:0:0::/root:/bin/sh\n")
    chosen = found(computer)["chosen library"]
    assert not chosen.found
    assert chosen.sentence == (
        "The variable GPUEXPLORER_NVML names /etc/passwd, which is no library."
    )


def test_a_library_chosen_by_its_bare_name_is_looked_for_as_by_the_loader(
    computer: Computer,
) -> None:
    computer.environment["GPUEXPLORER_NVML"] = "libnvidia-ml.so.1"
    computer.write("/usr/lib64/libnvidia-ml.so.1", "\x7fELF")
    assert found(computer)["chosen library"].found


def test_the_open_kernel_module_tells_its_version_too(computer: Computer) -> None:
    computer.write(
        "/proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n",
    )
    module = found(computer)["kernel module"]
    assert module.sentence == "NVIDIA's kernel module 580.95.05 is loaded."


def test_nouveau_is_named_where_it_took_the_modules_place(computer: Computer) -> None:
    computer.write("/sys/module/nouveau/refcnt", "1")
    module = found(computer)["kernel module"]
    assert not module.found
    assert "nouveau is loaded" in module.sentence


def test_each_card_on_the_bus_is_named_with_whoever_holds_it(computer: Computer) -> None:
    computer.plug_in("0000:01:00.0", driver="nouveau", asleep=True)
    computer.plug_in("0000:00:02.0", vendor="8086", device="4680", driver="i915")
    computer.plug_in("0000:03:00.0", vendor="1002", device="744c")
    computer.write(
        "/usr/share/hwdata/pci.ids",
        "# a list\n1002  AMD\n\t744c  Navi 31\n8086  Intel\n\t4680  UHD 770\n"
        "10de  NVIDIA Corporation\n\t2684  AD102 [GeForce RTX 4090]\n\t\t1043 88e2  ROG\n",
    )
    assert [one.sentence for one in looked_for(computer.probe())][2:] == [
        "NVIDIA AD102 [GeForce RTX 4090] at 0000:01:00.0, held by the driver nouveau, asleep.",
        "Intel UHD 770 at 0000:00:02.0, held by the driver i915.",
        "AMD Navi 31 at 0000:03:00.0, held by no driver.",
    ]


def test_the_sound_of_a_card_is_not_a_card(computer: Computer) -> None:
    computer.plug_in("0000:01:00.1", driver="snd_hda_intel")
    computer.write("/sys/bus/pci/devices/0000:01:00.1/class", "0x040300\n")
    assert display_controllers(computer.probe()) == []


def test_a_computer_that_hides_its_bus_is_not_said_to_have_no_card(
    computer: Computer,
) -> None:
    (computer.root / "sys/bus/pci/devices").rmdir()
    assert "cannot be seen from here" in found(computer)["NVIDIA cards"].sentence


def test_macos_is_told_in_one_sentence(computer: Computer) -> None:
    computer.platform = "darwin"
    (one,) = looked_for(computer.probe())
    assert "macOS has no driver for NVIDIA cards" in one.sentence
