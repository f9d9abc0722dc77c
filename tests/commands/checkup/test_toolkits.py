"""Which CUDA and cuDNN a person is told of, of toolkits and within PyTorch."""

from collections.abc import Mapping

import pytest

from gpuexplorer.commands.checkup.pytorch import pythons, toolkits
from tests.commands.checkup.computer import BROKEN, FINE, LOOK, Computer

OWN = "/opt/gpuexplorer"
PACKAGES = f"{OWN}/lib/python3.12/site-packages"
LIBRARY = f"{PACKAGES}/nvidia/cudnn/lib/libcudnn.so.9"
WHOLE, DAMAGED = b"\x7fELF\2", b"<html>"


def header(major: int, minor: int, patch: int) -> str:
    numbers = {"MAJOR": major, "MINOR": minor, "PATCHLEVEL": patch}
    return "".join(f"#define CUDNN_{name} {number}\n" for name, number in numbers.items())


def test_toolkits_tell_their_version_in_files_old_and_new(computer: Computer) -> None:
    assert "PyTorch brings its own CUDA" in computer.told(toolkits).sentence
    computer.write(
        "/usr/local/cuda-12.6/version.json",
        '{"cuda": {"name": "CUDA SDK", "version": "12.6.3"}, "cuda_cccl": {"version": "1"}}',
    )
    computer.write("/usr/local/cuda-10.1/version.txt", "CUDA Version 10.1.243\n")
    computer.write("/usr/local/cuda-9/bin/nvcc")
    computer.write("/opt/cuda/include/cuda_runtime_api.h", "#define CUDART_VERSION  13000\n")
    computer.write("/usr/include/cudnn_version.h", header(9, 5, 1))
    computer.link("/usr/local/cuda", "cuda-12.6")
    topic = computer.told(toolkits)
    assert topic.verdict is FINE
    assert topic.sentence == "CUDA toolkits for compiling programs: 4."
    assert topic.details == [
        "CUDA 10.1.243: /usr/local/cuda-10.1",
        "CUDA 12.6.3: /usr/local/cuda-12.6",
        "CUDA of an unknown version: /usr/local/cuda-9",
        "CUDA 13.0: /opt/cuda",
        "cuDNN 9.5.1: /usr/include/cudnn_version.h",
    ]


@pytest.mark.parametrize(
    ("environment", "sentence", "do"),
    [
        (
            {"CUDA_HOME": "/usr/local/cuda-11.0"},
            "There is no such folder: CUDA_HOME=/usr/local/cuda-11.0.",
            "Correct or remove CUDA_HOME; programs that compile for CUDA look there.",
        ),
        (
            {"CUDA_HOME": "/usr/local/cuda-11.8", "PATH": "/usr/local/cuda-13.0/bin"},
            "nvcc on the PATH is of CUDA 13.0, but /usr/local/cuda-11.8 is CUDA 11.8.",
            "Let PATH and CUDA_HOME name the same toolkit.",
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
        computer.write(f"/usr/local/cuda-{version}/version.txt", f"CUDA Version {version}")
        computer.write(f"/usr/local/cuda-{version}/bin/nvcc")
    computer.environment |= environment
    topic = computer.told(toolkits)
    assert (topic.verdict, topic.sentence, topic.do) == (LOOK, sentence, do)


@pytest.mark.parametrize(
    ("has", "library", "wants", "words", "verdict"),
    [
        ((9, 13, 0), WHOLE, "9.13.0.50", "It has cuDNN 9.13.0.", FINE),
        (None, WHOLE, "9.13.0.50", "It has cuDNN 9.14.0.50.", FINE),
        (None, None, "9.13.0.50", "Its cuDNN 9.13.0.50 is missing", BROKEN),
        ((9, 13, 0), DAMAGED, "9.13.0.50", "libcudnn.so.9, is no library", BROKEN),
        ((9, 1, 0), WHOLE, "9.13.0.50", "cuDNN 9.1.0 but was built with 9.13.0.50", BROKEN),
    ],
    ids=["whole", "told by pip alone", "missing", "damaged", "older than PyTorch"],
)
def test_the_cudnn_of_a_pytorch_is_named_and_mended(
    computer: Computer,
    has: tuple[int, int, int] | None,
    library: bytes | None,
    wants: str,
    words: str,
    verdict: str,
) -> None:
    computer.install_torch(OWN, "2.13.0+cu130", cuda="13.0")
    asks = f'Requires-Dist: nvidia-cudnn-cu13=={wants}; platform_system == "Linux"\n'
    computer.write(f"{PACKAGES}/torch-2.13.0.dist-info/METADATA", asks)
    computer.write(f"{PACKAGES}/nvidia_cudnn_cu13-9.14.0.50.dist-info/METADATA")
    if library:
        computer.write(LIBRARY).write_bytes(library)
    if has:
        computer.write(f"{PACKAGES}/nvidia/cudnn/include/cudnn_version.h", header(*has))
    topic = computer.told(pythons)
    assert topic.verdict is verdict
    assert words in topic.details[0]
    if verdict is BROKEN:
        command = (
            f"{OWN}/bin/python3 -m pip install --force-reinstall nvidia-cudnn-cu13=={wants}"
        )
        assert topic.do == f"For {OWN}: Run: `{command}`"
