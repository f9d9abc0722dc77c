"""Copies within the host, measured for real: how the method is tried where there is no card."""

import contextlib
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards  # noqa: E402 - only with torch
from tests.worker.measurements import SIZE, measured_on  # noqa: E402

PLACE = 54_321


class Flipping(TorchCards):
    """The real host, but of each copy one byte comes wrong."""

    # Any: tensors are PyTorch's.
    def copy(self, target: Any, source: Any, *, wait: bool) -> None:
        super().copy(target, source, wait=wait)
        target[PLACE] ^= 24 if target[PLACE] == 8 else 8  # zero would be another finding


@pytest.mark.parametrize("mode", ["copy", "latency"])
def test_each_way_to_copy_arrives_and_takes_time(mode: str) -> None:
    measured = measured_on(TorchCards(), "cpu", "cpu", mode=mode, bytes=4096)
    assert measured.intact
    assert measured.wrong == ()
    assert measured.gated is None
    assert len(measured.samples_s) == 3
    assert all(0 < each < 1 for each in (*measured.samples_s, measured.host_s or 0))


@pytest.mark.parametrize("size", [1, 3, 8, 4096, SIZE + 5, 33 << 20])
def test_any_number_of_bytes_arrives(size: int) -> None:
    assert measured_on(TorchCards(), "cpu", "cpu", bytes=size, samples=1).intact


def test_a_byte_flipped_on_purpose_is_found() -> None:
    measured = measured_on(Flipping(), "cpu", "cpu")
    assert measured.intact is False
    [wrong] = measured.wrong
    assert wrong.rounds == wrong.checked == 3 + measured.compared_copies
    assert measured.compared_copies >= 4
    assert (wrong.first, wrong.bytes) == (PLACE, 1)
    assert not wrong.zeros


def test_what_was_seen_of_the_caches_and_threads_is_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: 4)
    threads = "PyTorch copies with 4 threads here."
    assert measured_on(TorchCards(), "cpu", "cpu", bytes=4096).notes == (
        threads,
        "So few bytes may stay in the processor's caches, which are warm.",
    )
    assert measured_on(TorchCards(), "cpu", "cpu", bytes=64 << 20).notes == (threads,)


def test_what_a_card_still_does_is_waited_for_before_its_memory_goes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was given up in the middle, and other queues than the memory's own are at work."""
    done: list[str] = []
    cuda = torch.cuda
    monkeypatch.setattr(cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(cuda, "device_count", lambda: 2)
    monkeypatch.setattr(cuda, "device", lambda index: contextlib.nullcontext())
    monkeypatch.setattr(cuda, "synchronize", lambda index: done.append(f"wait {index}"))
    monkeypatch.setattr(cuda, "empty_cache", lambda: done.append("empty"))
    library = torch._C
    monkeypatch.setattr(
        library, "_cuda_hasPrimaryContext", lambda index: index == 1, raising=False
    )
    for name in ("_cuda_clearCublasWorkspaces", "_host_emptyCache"):
        monkeypatch.setattr(library, name, lambda: None, raising=False)
    TorchCards().give_back()
    assert done == ["wait 1", "empty"]
