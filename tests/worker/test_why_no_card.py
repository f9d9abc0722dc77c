"""A PyTorch that is built for cards and finds none says why, by its own words."""

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.lab.events import Device  # noqa: E402
from gpuexplorer.worker.engines.torch_engine import TorchEngine  # noqa: E402

# As c10/cuda/CUDAFunctions.cpp of PyTorch says it.
TOO_OLD = (
    "The NVIDIA driver on your system is too old (found version 11040). Please update your GPU "
    "driver by downloading and installing a new version from the URL: "
    "http://www.nvidia.com/Download/index.aspx"
)
UNKNOWN = (
    "CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing "
    "env variable CUDA_VISIBLE_DEVICES after program start. Setting the available devices to "
    "be zero."
)
UNEXPECTED = (
    "Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before "
    "calling NumCudaDevices() that might have already set an error? Error "
)
NONE = "No CUDA GPUs are available"


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> TorchEngine:
    """On a build for CUDA 13.0 that counts no card."""
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    says(monkeypatch, NONE)
    return TorchEngine()


def says(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    def begin() -> None:
        raise RuntimeError(words)

    monkeypatch.setattr(torch.cuda, "init", begin)


def missing(engine: TorchEngine) -> Device:
    [found] = [each for each in engine.hello().devices if each.name == "cuda:0"]
    assert not found.usable
    return found


@pytest.mark.parametrize(
    ("words", "reason", "way_out"),
    [
        (
            TOO_OLD,
            "too old for this PyTorch, which is built for CUDA 13.0.",
            "Update the driver",
        ),
        (UNKNOWN, "(999), as it often does after the computer was suspended.", "nvidia_uvm`"),
        (
            UNEXPECTED + "803: system has unsupported display driver / cuda driver combination",
            "of two versions (error 803)",
            "Restart the computer",
        ),
        (NONE, "CUDA finds no card that this program may use.", "rights to /dev/nvidia*"),
    ],
)
def test_why_there_is_no_card_and_what_to_do_is_said(
    engine: TorchEngine, monkeypatch: pytest.MonkeyPatch, words: str, reason: str, way_out: str
) -> None:
    says(monkeypatch, words)
    device = missing(engine)
    assert reason in device.reason
    assert way_out in device.way_out


@pytest.mark.parametrize("visible", ["", "7"])
def test_cards_that_a_variable_hides_are_told_with_the_variable(
    engine: TorchEngine, monkeypatch: pytest.MonkeyPatch, visible: str
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    device = missing(engine)
    assert device.reason == f"Under CUDA_VISIBLE_DEVICES=“{visible}” CUDA finds no card."
    assert device.way_out.startswith("Unset it where GPU Explorer is started")
