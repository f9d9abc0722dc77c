"""Which CUDA and cuDNN a person is told of, of toolkits and within PyTorch."""

from collections.abc import Mapping

import pytest

from gpuexplorer.commands.checkup.pytorch import pythons, toolkits
from tests.commands.checkup.computer import BROKEN, FINE, LOOK, Computer

OWN = "/opt/gpuexplorer"
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


def test_the_cudnn_of_conda_is_named(computer: Computer) -> None:
    prefix = "/home/ana/miniconda3/envs/deep"
    computer.install_torch(prefix, "2.10.0", cuda="12.6")
    computer.write(f"{prefix}/lib/libcudnn.so.9.13.0").write_bytes(WHOLE)
    computer.link(f"{prefix}/lib/libcudnn.so.9", "libcudnn.so.9.13.0")
    assert "It has cuDNN 9.13.0." in computer.told(pythons).details[0]
