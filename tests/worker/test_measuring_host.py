"""Copies and products of the host, measured for real: the method where there is no card."""

import os
import sys
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.worker.engines.measuring.measure import processors  # noqa: E402
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards  # noqa: E402
from tests.worker.measurements import SIZE, measured_on, multiplied_on  # noqa: E402

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
    assert measured.gated is None
    assert len(measured.samples_s) == 3
    assert all(0 < each < 1 for each in (*measured.samples_s, measured.host_s or 0))


@pytest.mark.parametrize("size", [1, 3, 8, SIZE + 5, 33 << 20])
def test_any_number_of_bytes_arrives(size: int) -> None:
    assert measured_on(TorchCards(), "cpu", "cpu", bytes=size, samples=1).intact


def test_a_byte_flipped_on_purpose_is_found() -> None:
    measured = measured_on(Flipping(), "cpu", "cpu")
    assert measured.intact is False
    [wrong] = measured.wrong
    assert wrong.rounds == wrong.checked == 3 + measured.compared_copies
    assert measured.compared_copies >= 4
    assert (wrong.first, wrong.bytes, wrong.zeros) == (PLACE, 1, False)


def test_what_was_seen_of_the_caches_and_threads_is_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: 4)
    assert measured_on(TorchCards(), "cpu", "cpu", bytes=4096).notes == (
        "PyTorch copies with 4 threads here.",
        "So few bytes may stay in the processor's caches, which are warm.",
    )


@pytest.mark.parametrize("kind", ["fp32", "bf16"])
def test_the_processor_multiplies_right_and_takes_its_time(kind: str) -> None:
    measured = multiplied_on(TorchCards(), "cpu", kind, size=256)
    assert measured.right
    assert measured.gated is None
    assert all(0 < each < 1 for each in (*measured.samples_s, measured.host_s or 0))
    assert measured.notes == ()


def test_the_switch_of_tf32_is_set_and_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = SimpleNamespace(fp32_precision="none", allow_tf32=True)
    for products, name, word in (
        (newer, "fp32_precision", "tf32"),
        (SimpleNamespace(allow_tf32=False), "allow_tf32", True),
    ):
        monkeypatch.setattr(torch.backends.cuda, "matmul", products)
        before = getattr(products, name)
        with TorchCards().tf32(on=True):
            assert getattr(products, name) == word
        assert getattr(products, name) == before


def test_a_list_of_processors_is_read_as_linux_writes_it() -> None:
    assert processors("0-3,8") == {0, 1, 2, 3, 8}


@pytest.mark.skipif(sys.platform != "linux", reason="only there a thread can be moved")
def test_a_thread_runs_there_and_comes_back() -> None:
    before = os.sched_getaffinity(0)
    one = {min(before)}
    with TorchCards().on_processors(one | {4095}) as moved:
        assert moved
        assert os.sched_getaffinity(0) == one
    assert os.sched_getaffinity(0) == before
