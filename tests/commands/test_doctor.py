"""gpuexplorer doctor: what is found, and what people, programs and a bundle are told of it."""

import argparse
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from gpuexplorer.commands.checkup.driver import cards, container, driver, permissions
from gpuexplorer.commands.checkup.pytorch import pythons, toolkits
from gpuexplorer.commands.checkup.report import EXAMINATIONS, display, examine, parts
from gpuexplorer.commands.doctor import anonymous, check, write_bundle
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.telemetry.backend import FASTEST_FIRST
from gpuexplorer.telemetry.looked_for import display_controllers, looked_for
from tests.commands.conftest import BROKEN, FINE, LOOK, Computer, Driver, card, nameless

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


def test_a_card_whose_number_is_open_is_not_called_useless(computer: Computer) -> None:
    computer.give_driver(replace(card(), cuda_index=None, cuda_reason=FASTEST_FIRST))
    how = f"its number in PyTorch is not sure: {FASTEST_FIRST}"
    assert computer.told(cards).details[0].endswith(how)


@pytest.mark.parametrize(
    ("why", "do"),
    [
        (Absence.NO_PERMISSION, "rights to /dev/nvidia*"),
        (Absence.NOT_SUPPORTED, "nvidia-smi -q"),
        (Absence.IMPOSSIBLE, "install another version of the driver"),
    ],
)
def test_a_card_without_figures_is_told(computer: Computer, why: Absence, do: str) -> None:
    computer.backend = driver = Driver([card(), SECOND])
    driver.without_figures[CardId("GPU-1")] = why
    topic = computer.sees(cards, LOOK, "2 NVIDIA cards answer. Without a usable figure: 1.")
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


@pytest.mark.long
def test_a_card_that_takes_its_time_is_waited_for(computer: Computer) -> None:
    class Slow(Driver):
        asked = 0

        def cards(self) -> list[Card]:
            self.asked += 1
            return [card() if self.asked > 3 else nameless(0, Absence.NO_ANSWER)]

    computer.backend = Slow()
    assert computer.told(cards).sentence == "1 NVIDIA card answers."


def test_a_sleeping_card_is_left_asleep_and_said_to_be(computer: Computer) -> None:
    computer.plug_in(driver="nvidia", asleep=True)
    computer.backend = Driver(states={CardId("GPU-0"): CardState.ASLEEP})
    computer.sees(cards, FINE, "asleep")
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
    computer.sees(driver, BROKEN, do)


@pytest.mark.parametrize(
    ("files", "do"),
    [((), "set aside for a virtual machine"), (("/dev/dxg",), "is installed in Windows")],
    ids=["a lent card", "wsl"],
)
def test_where_the_driver_is_elsewhere_the_reader_is_sent_there(
    computer: Computer, files: tuple[str, ...], do: str
) -> None:
    for each in files:
        computer.write("/proc/version", WSL2)
        computer.write(each)
    computer.plug_in(driver="vfio-pci")
    topic = computer.told(driver)
    assert topic.sentence == "There is no NVIDIA driver here."
    assert do in topic.do


def test_device_files_are_counted_and_a_refused_one_has_a_way_out(computer: Computer) -> None:
    assert computer.told(permissions).verdict is FINE  # without a driver nothing needs any
    computer.load_module()
    computer.write("/dev/nvidia-modeset")  # no card's
    assert computer.told(permissions).sentence == "This user may use all device files (3)."
    computer.forbidden = {"/dev/nvidia0"}
    owner = (computer.root / "dev/nvidia0").group()
    topic = computer.sees(permissions, BROKEN, "This user may not read and write /dev/nvidia0.")
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
    computer.sees(container, BROKEN, option)


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


BASE = ("EGL.so.1", "GL.so.1", "xkbcommon.so.0", "dbus-1.so.3", "fontconfig.so.1")
X11 = ("xkbcommon-x11.so.0", "xcb-cursor.so.0", "xcb-icccm.so.4", "xcb-keysyms.so.1")
MORE_X11 = ("xcb-shape.so.0", "xcb-render-util.so.0", "xcb-image.so.0")
ALL = {
    "PySide6-Essentials": "6.11.3",
    "numpy": "2.4.6",
    "nvidia-ml-py": "13.615.71",
    "psutil": "7.2.2",
    "platformdirs": "4.3.0",
    "markdown-it-py": "4.3.0",
}
BROKEN_DISPLAY = "does not answer, or lets this program open no window"


def install(computer: Computer, *names: str) -> None:
    for name in (*names, "glib-2.0.so.0"):
        computer.write(f"/usr/lib64/lib{name}")


@pytest.mark.parametrize(
    ("environment", "verdict", "words"),
    [
        ({}, LOOK, "There is no display here, so no window can open."),
        ({"DISPLAY": ":7"}, BROKEN, BROKEN_DISPLAY),
        ({"WAYLAND_DISPLAY": "wayland-7"}, BROKEN, BROKEN_DISPLAY),
        ({"QT_QPA_PLATFORM": "offscreen"}, LOOK, "where nobody sees them"),
    ],
)
def test_why_no_window_opens_is_said_with_a_way_out(
    computer: Computer, environment: dict[str, str], verdict: Verdict, words: str
) -> None:
    install(computer, *BASE, *X11, *MORE_X11)
    computer.environment = environment
    topic = computer.sees(display, verdict, words)
    assert topic.do


def test_missing_libraries_are_installed_with_one_line(computer: Computer) -> None:
    install(computer, *BASE, *X11)
    computer.environment["DISPLAY"] = ":0"
    computer.displays = {":0"}
    topic = computer.sees(display, BROKEN, "Qt lacks libraries")
    assert topic.details[0] == "DISPLAY=:0 answers."
    assert "libxcb-shape.so.0, libxcb-render-util.so.0" in topic.details[1]
    assert "apt-get" not in topic.do
    computer.write("/usr/bin/apt-get")
    assert computer.told(display).do == (
        "Run: `sudo apt-get install libxcb-shape0 libxcb-render-util0 libxcb-image0`"
    )
    computer.parts = "/usr/lib/gpuexplorer/_internal"
    for name in MORE_X11:  # which the packaged program brings along
        computer.write(f"{computer.parts}/lib{name}")
    assert computer.told(display).verdict is FINE


def test_parts_are_listed_and_a_wrong_one_is_named_with_a_cure(computer: Computer) -> None:
    computer.installed = dict(ALL)
    topic = computer.told(parts)
    assert topic.verdict is FINE
    assert topic.sentence.endswith("Every part is there.")
    assert "nvidia-ml-py 13.615.71" in topic.details[0]
    computer.installed["pynvml"] = "11.5.3"  # somebody else's
    computer.sees(parts, LOOK, "--force-reinstall nvidia-ml-py")
    del computer.installed["pynvml"], computer.installed["nvidia-ml-py"]
    computer.sees(
        parts,
        BROKEN,
        "It cannot work as it should without nvidia-ml-py.",
        "Run: `pip install nvidia-ml-py`",
    )
    computer.parts = "/usr/lib/gpuexplorer"  # a packaged program has no pip
    assert computer.told(parts).verdict is FINE


PASCAL = card(name="Tesla P100", capability=(6, 0))
BLACKWELL = card(name="RTX 5090", capability=(12, 0))
OWN = "/opt/gpuexplorer"


@pytest.mark.parametrize(
    ("cards", "install"),
    [
        ((card(),), "install PyTorch built for CUDA 12.6 into any of your Pythons."),
        ((PASCAL, BLACKWELL), "install PyTorch into any of your Pythons."),
    ],
)
def test_the_build_is_named(computer: Computer, cards: tuple[Card, ...], install: str) -> None:
    computer.give_driver(*cards, version="550.54.14", cuda="12.4")
    topic = computer.sees(pythons, LOOK, "PyTorch is in 0 of 0 Pythons that were looked at.")
    assert topic.do == (
        f"`gpuexplorer doctor --get-pytorch` installs it. To compute with PyTorch, {install}"
    )


@pytest.mark.parametrize(
    ("prefix", "mark", "commands"),
    [
        (
            OWN,
            "lib/python3.12/site-packages/torchvision/__init__.py",
            [f"{OWN}/bin/python3 -m pip install --force-reinstall torch torchvision --i"],
        ),
        (
            "/home/ana/miniconda3/envs/deep",
            "conda-meta/history",
            ["conda install -p /home/ana/miniconda3/envs/deep -c conda-forge pytorch-gpu"],
        ),
        (
            "/srv/a venv",
            "pyvenv.cfg",
            ['uv pip install --python "/srv/a venv/bin/python3" --force-reinstall torch '],
        ),
        (
            "/usr",
            "lib/python3.12/EXTERNALLY-MANAGED",
            ["/usr/bin/python3 -m venv ~/torch", "~/torch/bin/pip install torch --index-url"],
        ),
    ],
    ids=["pip", "conda", "uv", "the system's own"],
)
def test_a_build_for_the_processor_is_changed_by_the_tool_of_its_environment(
    computer: Computer, prefix: str, mark: str, commands: list[str]
) -> None:
    computer.give_driver()
    computer.install_torch(prefix, "2.13.0+cpu")
    computer.write(f"{prefix}/{mark}", "home = /usr/bin\nuv = 0.9.2\n")
    topic = computer.told(pythons)
    assert topic.verdict is LOOK
    assert "does not use NVIDIA cards" in topic.details[0]
    assert all(f"`{command}" in topic.do for command in commands)


def test_a_build_newer_than_the_driver_is_broken(computer: Computer) -> None:
    computer.give_driver(version="570.86.10", cuda="12.8")
    computer.install_torch("/srv/venv", "2.11.0+cu130", cuda="13.0")
    topic = computer.told(pythons)
    assert topic.verdict is BROKEN
    assert "CUDA 13 needs driver 580 or newer; this one is 570.86.10" in topic.details[0]
    assert "CUDA 12.6" in topic.do


def test_a_deep_look_loads_every_pytorch(computer: Computer) -> None:
    computer.deep = True
    computer.install_torch("/srv/venv", "2.13.0+cpu")
    computer.install_torch(OWN, "2.11.0+cu130", cuda="13.0")
    computer.answers[f"{OWN}/bin/python3"] = (0, "TORCH sm_90\nCUDNN 9.14.0\n")
    computer.answers["/srv/venv/bin/python3"] = (1, "Traceback\nImportError: libc10.so")
    topic = computer.told(pythons)
    assert "for sm_90. It has cuDNN 9.14.0. It was started, and loads." in topic.details[0]
    assert "It was started. Its last words: ImportError: libc10.so" in topic.details[1]


PACKAGES = f"{OWN}/lib/python3.12/site-packages"
LIBRARY = f"{PACKAGES}/nvidia/cudnn/lib/libcudnn.so.9"
WHOLE, DAMAGED = b"\x7fELF\2", b"<html>"


def give_kit(computer: Computer, folder: str, version: str = "") -> None:
    """With a compiler that says its version, or that does not answer."""
    nvcc = f"{folder}/bin/nvcc"
    computer.write(nvcc)
    if version:
        computer.answers[nvcc] = (0, f"Cuda tools, release {version}, V{version}.131")


def test_toolkits_tell_their_version_by_their_compilers(computer: Computer) -> None:
    assert "PyTorch brings its own CUDA" in computer.told(toolkits).sentence
    give_kit(computer, "/usr/local/cuda-12.6", "12.6")
    give_kit(computer, "/usr/local/cuda-9")
    give_kit(computer, "/opt/cuda", "13.0")
    computer.write("/usr/lib64/libcudnn.so.9.5.1")
    computer.link("/usr/lib64/libcudnn.so.9", "libcudnn.so.9.5.1")
    computer.link("/usr/local/cuda", "cuda-12.6")
    topic = computer.sees(toolkits, FINE, "CUDA toolkits for compiling programs: 3.")
    assert topic.details == [
        "CUDA 12.6: /usr/local/cuda-12.6",
        "CUDA of an unknown version: /usr/local/cuda-9",
        "CUDA 13.0: /opt/cuda",
        "cuDNN 9.5.1: /usr/lib64/libcudnn.so.9",
    ]


@pytest.mark.parametrize(
    ("environment", "sentence", "do"),
    [
        (
            {"CUDA_HOME": "/usr/local/cuda-11.8", "PATH": "/usr/local/cuda-13.0/bin"},
            "CUDA_HOME=/usr/local/cuda-11.8 names no toolkit, or another one than the PATH.",
            "Correct or remove it: programs that compile for CUDA look there, too.",
        ),
        (
            {},
            "A toolkit is of CUDA 13, the driver can run up to CUDA 12.",
            "Update the driver, or compile with an older toolkit.",
        ),
    ],
    ids=["two that would mix", "newer than the driver"],
)
def test_toolkits_that_would_fail_are_pointed_out(
    computer: Computer, environment: Mapping[str, str], sentence: str, do: str
) -> None:
    computer.give_driver(version="550.54.14", cuda="12.4")
    for version in ("11.8", "13.0"):
        give_kit(computer, f"/usr/local/cuda-{version}", version)
    computer.environment |= environment
    topic = computer.told(toolkits)
    assert (topic.verdict, topic.sentence, topic.do) == (LOOK, sentence, do)


@pytest.mark.parametrize(
    ("has", "library", "words", "verdict"),
    [
        ("9.14.0.50", WHOLE, "It has cuDNN 9.14.0.50.", FINE),
        ("9.14.0.50", None, "was built with cuDNN 9.13.0.50, has none that is whole", BROKEN),
        ("9.13.0.50", DAMAGED, "has none that is whole, and cannot use that.", BROKEN),
        ("9.1.0.70", WHOLE, "was built with cuDNN 9.13.0.50, has 9.1.0.70", BROKEN),
    ],
    ids=["whole", "missing", "damaged", "older than PyTorch"],
)
def test_the_cudnn_of_a_pytorch_is_named_and_mended(
    computer: Computer, has: str, library: bytes | None, words: str, verdict: Verdict
) -> None:
    computer.install_torch(OWN, "2.13.0+cu130", cuda="13.0")
    asks = 'Requires-Dist: nvidia-cudnn-cu13==9.13.0.50; platform_system == "Linux"\n'
    computer.write(f"{PACKAGES}/torch-2.13.0.dist-info/METADATA", asks)
    computer.write(f"{PACKAGES}/nvidia_cudnn_cu13-{has}.dist-info/METADATA")
    if library:
        computer.write(LIBRARY).write_bytes(library)
    topic = computer.told(pythons)
    assert topic.verdict is verdict
    assert words in topic.details[0]
    if verdict is BROKEN:
        command = f"{OWN}/bin/python3 -m pip install --force-reinstall torch"
        assert topic.do == f"For {OWN}: Run: `{command}`"


ANA = ("/home/ana", "ana", "tower.lab.example.org")
AN = ("/home/an", "an", "or")
WINDOWS = ("C:\\Users\\Ana Maria", "Ana Maria", "DESKTOP-4F2")
NOBODY = ("/", "root", "localhost")


@pytest.mark.parametrize(
    ("person", "text", "cleaned"),
    [
        (ANA, "It is in /home/ana.", "It is in ~."),
        (ANA, "P=/home/ana/bin:/usr/bin:/home/ana/.local", "P=~/bin:/usr/bin:~/.local"),
        (ANA, "/home/anastasia/x", "/home/USER/x"),
        (ANA, "/home/bob/x is borrowed", "/home/USER/x is borrowed"),
        (ANA, "/mnt/c/Users/ana/x", "/mnt/c/Users/USER/x"),
        (ANA, "the folder /media/ana, which", "the folder /media/USER, which"),
        (ANA, "/data/banana/analysis", "/data/banana/analysis"),
        (ANA, "ana@tower:/srv", "USER@HOST:/srv"),
        (ANA, "tower.lab.example.org", "HOST"),
        (ANA, "http://ana:secret@proxy:3128/", "http://proxy:3128/"),
        (WINDOWS, "c:/users/ana maria/venv", "~/venv"),
        (WINDOWS, "D:\\data\\Ana Maria\\x", "D:\\data\\USER\\x"),
        (WINDOWS, "\\\\DESKTOP-4F2\\share", "\\\\HOST\\share"),
        (AN, "A fan and an answer, an index, or an/or a path.", ""),
        (AN, "`sudo apt-get install libegl1` or /usr/lib/or.so, then and/or yes/no.", ""),
        (AN, "NVIDIA card at 0000:01:00.0, or asleep", ""),
        (NOBODY, "localhost:10.0", ""),
    ],
)
def test_names_leave_paths_and_fields_and_no_word_is_destroyed(
    person: tuple[str, str, str], text: str, cleaned: str
) -> None:
    assert anonymous(text, *person) == (cleaned or text)


def bundle(computer: Computer, target: Path) -> dict[str, str]:
    probe = computer.probe()
    sentence = write_bundle(target, examine(probe), probe)
    assert sentence.startswith(f"{target} holds this report")
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_nobodys_name_and_no_secret_is_in_a_bundle(computer: Computer, tmp_path: Path) -> None:
    computer.install_torch("/home/ana/.virtualenvs/ana", "2.13.0+cpu")
    computer.install_torch("/data/ana/venv", "2.11.0+cu130", cuda="13.0")
    computer.install_torch("/home/bob/envs/x", "2.9.0")
    computer.write("/etc/group", "ana:x:1000:\nsudo:x:27:ana\n")
    computer.load_module()
    computer.environment = {
        "CUDA_VISIBLE_DEVICES": "0,1",
        "DISPLAY": "tower:10.0",
        "PYTHONPATH": "/home/ana/lib:/data/ana/lib",
        "NVIDIA_API_KEY": "nvapi-very-secret",
        "AWS_PROFILE": "work",
        "USER": "ana",
        "GPUEXPLORER_NVML": "/home/ana/libnvidia-ml.so.1",
    }
    inside = bundle(computer, tmp_path / "report.zip")
    assert list(inside) == ["doctor.txt", "doctor.json", "environment.txt"]
    assert inside["environment.txt"].splitlines() == [
        "CUDA_VISIBLE_DEVICES=0,1",
        "DISPLAY=HOST:10.0",
        "NVIDIA_API_KEY=(left out)",
        "PYTHONPATH=~/lib:/data/USER/lib",
    ]
    for name, text in inside.items():
        for secret in ("ana", "bob", "tower"):
            assert not re.search(rf'[/"]{secret}\b(?!\w)|\b{secret}:', text), name
            assert secret not in text.split(), name


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


def asked(*, json: bool = False, bundle: Path | None = None) -> argparse.Namespace:
    return argparse.Namespace(json=json, bundle=bundle, deep=False)


Out = pytest.CaptureFixture[str]


def told(capsys: Out, computer: Computer, arguments: argparse.Namespace) -> str:
    assert check(computer.probe(), arguments) == 0
    return capsys.readouterr().out


def test_the_print_out_fits_paper_and_ends_with_cures(capsys: Out, computer: Computer) -> None:
    computer.plug_in(driver="nouveau")
    computer.write("/usr/bin/apt-get")
    text = told(capsys, computer, asked())
    lines = text.splitlines()
    assert max(len(line) for line in lines if "`" not in line) <= 80
    assert text.isascii()
    assert "\x1b" not in text
    (command, _) = [line for line in lines if "apt-get install" in line]
    assert command.count("`") == 2  # never broken, so that it can be copied
    summary = text[text.index("In short: ") :].splitlines()
    verdicts = [line.split()[0] for line in summary[2:] if line and line[0] != " "]
    assert verdicts == sorted(verdicts, key=["broken", "warning", "OK"].index)
    assert "install its driver" in summary[3]


def test_programs_get_facts(capsys: Out, computer: Computer, tmp_path: Path) -> None:
    computer.write("/.dockerenv")
    computer.write("/proc/meminfo", "MemTotal: 1 kB\n")
    assert check(computer.probe(), asked(json=True, bundle=tmp_path / "report.zip")) == 0
    out, complaints = capsys.readouterr()
    assert "names of you and your" in " ".join(complaints.split())
    document = json.loads(out)
    assert document["schema"] == 1
    assert document["taken_at"].endswith("+00:00")
    assert [topic["topic"] for topic in document["topics"]] == list(EXAMINATIONS)
    for topic in document["topics"]:
        assert topic["verdict"] in {"fine", "look", "broken"}
        assert topic["sentence"].endswith(".")
        assert topic["verdict"] == "fine" or topic["do"]
    assert document["looked_for"][0]["found"] is False
    assert {topic["topic"]: " ".join(topic["facts"]) for topic in document["topics"]} == FACTS
