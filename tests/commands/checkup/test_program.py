"""What a person is told about the window before it fails to open, of parts, and of memory."""

from collections.abc import Mapping

import pytest

from gpuexplorer.commands.checkup.pytorch import pythons, toolkits
from gpuexplorer.commands.checkup.report import display, memory, parts
from gpuexplorer.core.cards import Card
from tests.commands.checkup.computer import BROKEN, FINE, LOOK, Computer, card

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
    computer: Computer, environment: dict[str, str], verdict: str, words: str
) -> None:
    install(computer, *BASE, *X11, *MORE_X11)
    computer.environment = environment
    topic = computer.told(display)
    assert topic.verdict is verdict
    assert words in topic.sentence
    assert topic.do


def test_missing_libraries_are_installed_with_one_line(computer: Computer) -> None:
    install(computer, *BASE, *X11)
    computer.environment["DISPLAY"] = ":0"
    computer.displays = {":0"}
    topic = computer.told(display)
    assert topic.verdict is BROKEN
    assert "Qt lacks libraries" in topic.sentence
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


def test_parts_are_listed_and_a_missing_or_wrong_one_is_named_with_the_command(
    computer: Computer,
) -> None:
    computer.installed = dict(ALL)
    topic = computer.told(parts)
    assert topic.verdict is FINE
    assert topic.sentence.endswith("Every part is there.")
    assert "nvidia-ml-py 13.615.71" in topic.details[0]
    computer.installed["pynvml"] = "11.5.3"  # somebody else's
    topic = computer.told(parts)
    assert topic.verdict is LOOK
    assert "--force-reinstall nvidia-ml-py" in topic.do
    del computer.installed["pynvml"], computer.installed["nvidia-ml-py"]
    topic = computer.told(parts)
    assert topic.verdict is BROKEN
    assert "It cannot work as it should without nvidia-ml-py." in topic.sentence
    assert topic.do == "Run: `pip install nvidia-ml-py`"
    computer.parts = "/usr/lib/gpuexplorer"  # a packaged program has no pip
    assert computer.told(parts).verdict is FINE


def test_no_swap_is_worth_a_look_and_a_containers_limit_is_told(computer: Computer) -> None:
    there = "MemTotal:  16777216 kB\nMemAvailable:  8388608 kB\nSwapTotal:  "
    computer.write("/proc/meminfo", f"{there} 0 kB\n")
    topic = computer.told(memory)
    assert topic.verdict is LOOK
    assert topic.sentence.startswith(
        "16.0 GiB of memory, 8.0 GiB of it free, and 0.0 GiB of swap."
    )
    computer.write("/proc/meminfo", f"{there} 2097152 kB\n")
    computer.write("/sys/fs/cgroup/memory.max", f"{4 * 2**30}\n")
    topic = computer.told(memory)
    assert topic.verdict is FINE
    assert topic.sentence.endswith("2.0 GiB of swap.")
    assert topic.details == ["The container may use 4.0 GiB of it."]


PASCAL = card(name="Tesla P100", capability=(6, 0))
BLACKWELL = card(name="RTX 5090", capability=(12, 0))
OWN = "/opt/gpuexplorer"


@pytest.mark.parametrize(
    ("prefix", "why"),
    [
        (OWN, " (which runs this)"),
        ("/srv/venv", " (the active environment)"),
        ("/home/ana/.pyenv/versions/3.12.1", ""),
    ],
)
def test_a_pytorch_is_named_by_its_folder_its_build_and_how_it_was_found(
    computer: Computer, prefix: str, why: str
) -> None:
    computer.install_torch(prefix, "2.13.0+cpu")
    computer.environment["VIRTUAL_ENV"] = "/srv/venv"
    topic = computer.told(pythons)
    assert topic.verdict is FINE
    assert topic.facts["lab"] == prefix
    assert topic.details[0].startswith(
        f"OK: {prefix}{why}, Python 3.12: PyTorch 2.13.0+cpu, built for the processor only."
    )
    assert topic.details[1] == (
        f"The lab takes {prefix}, unless another was chosen as “Python of the lab”."
    )
    assert computer.asked == []


@pytest.mark.parametrize(
    ("cards", "install"),
    [
        ((card(),), "install PyTorch built for CUDA 12.6 into any of your Pythons."),
        ((PASCAL, BLACKWELL), "install PyTorch into any of your Pythons."),
    ],
)
def test_without_pytorch_the_fitting_build_is_named(
    computer: Computer, cards: tuple[Card, ...], install: str
) -> None:
    computer.give_driver(*cards, version="550.54.14", cuda="12.4")
    topic = computer.told(pythons)
    assert topic.verdict is LOOK
    assert topic.sentence == "PyTorch is in 0 of 0 Pythons that were looked at."
    assert topic.do == (
        f"`gpuexplorer doctor --get-pytorch` installs it. To compute with PyTorch, {install}"
    )


def test_a_build_for_the_processor_leaves_real_cards_unused(computer: Computer) -> None:
    computer.give_driver()
    computer.install_torch(OWN, "2.13.0+cpu")
    computer.write(f"{OWN}/lib/python3.12/site-packages/torchvision/__init__.py")
    topic = computer.told(pythons)
    assert topic.verdict is LOOK
    assert "does not use NVIDIA cards" in topic.details[0]
    assert topic.do == (
        "For /opt/gpuexplorer: Install PyTorch built for CUDA 13.0 into this Python. Run:"
        " `/opt/gpuexplorer/bin/python3 -m pip install --force-reinstall torch torchvision"
        " --index-url https://download.pytorch.org/whl/cu130`"
    )


@pytest.mark.parametrize(
    ("prefix", "mark", "commands"),
    [
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
    ids=["conda", "uv", "the system's own"],
)
def test_each_kind_of_environment_is_changed_by_its_own_tool(
    computer: Computer, prefix: str, mark: str, commands: list[str]
) -> None:
    computer.give_driver()
    computer.install_torch(prefix, "2.13.0+cpu")
    computer.write(f"{prefix}/{mark}", "home = /usr/bin\nuv = 0.9.2\n")
    do = computer.told(pythons).do
    assert all(f"`{command}" in do for command in commands)


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
    topic = computer.told(toolkits)
    assert topic.verdict is FINE
    assert topic.sentence == "CUDA toolkits for compiling programs: 3."
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
            {"CUDA_HOME": "/usr/local/cuda-11.0"},
            "CUDA_HOME=/usr/local/cuda-11.0 names no toolkit, or another one than the PATH.",
            "Correct or remove it: programs that compile for CUDA look there, too.",
        ),
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
    ids=["nowhere", "two that would mix", "newer than the driver"],
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
    computer: Computer, has: str, library: bytes | None, words: str, verdict: str
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
