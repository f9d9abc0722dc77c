"""Copies within the host, measured for real: how the method is tried where there is no card."""

import contextlib
import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble  # noqa: E402 - only where there is torch
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards  # noqa: E402
from tests.worker.measurements import SIZE, measured_on  # noqa: E402

PLACE = 54_321


class Flipping(TorchCards):
    """The real host, but of each copy one byte comes wrong."""

    # Any: tensors are PyTorch's.
    def raw_copy(self, target: Any, source: Any, stream: Any) -> None:
        super().raw_copy(target, source, stream)
        target[PLACE] ^= 24 if target[PLACE] == 8 else 8  # zero would be another finding


@pytest.mark.parametrize("mode", ["copy", "raw", "fresh", "strided", "converted"])
def test_each_way_to_copy_arrives_and_takes_time(mode: str) -> None:
    measured = measured_on(TorchCards(), "cpu", "cpu", mode=mode)
    assert measured.intact
    assert measured.wrong == ()
    assert measured.gated is None
    assert len(measured.samples_s) == 3
    assert all(0 < each < 1 for each in (*measured.samples_s, measured.host_s or 0))


@pytest.mark.parametrize("size", [1, 3, 8, 4096, SIZE + 5, 33 << 20])
def test_any_number_of_bytes_arrives(size: int) -> None:
    assert measured_on(TorchCards(), "cpu", "cpu", bytes=size, samples=1).intact


def test_a_byte_flipped_on_purpose_is_found() -> None:
    measured = measured_on(Flipping(), "cpu", "cpu", mode="raw")
    assert measured.intact is False
    [wrong] = measured.wrong
    assert wrong.rounds == wrong.checked == 3 + measured.compared_copies
    assert measured.compared_copies >= 4
    assert (wrong.first, wrong.bytes) == (PLACE, 1)
    assert not wrong.zeros


def test_many_pieces_take_longer_than_one() -> None:
    one = measured_on(TorchCards(), "cpu", "cpu", samples=5)
    many = measured_on(TorchCards(), "cpu", "cpu", samples=5, pieces=1000)
    assert many.intact
    assert min(many.samples_s) > min(one.samples_s)


def test_what_was_seen_of_the_caches_and_threads_is_noted() -> None:
    raw = measured_on(TorchCards(), "cpu", "cpu", mode="raw", bytes=4096)
    assert raw.notes == (
        "The C library copies with one thread.",
        "So few bytes may stay in the processor's caches, which are warm.",
    )
    assert measured_on(TorchCards(), "cpu", "cpu", mode="raw", bytes=64 << 20).notes == (
        "The C library copies with one thread.",
    )


def test_more_than_the_host_has_is_refused_before_anything_is_taken() -> None:
    with pytest.raises(Trouble, match="on cpu, more than"):
        measured_on(TorchCards(), "cpu", "cpu", bytes=1 << 44)


class _Answer(int):
    """As the bindings give it: a number with a name."""

    name = ""


# Any: whatever a driver's own call is given.
def _runtime(answer: str, lacking: str = "") -> Any:
    def copy(*_: Any) -> tuple[_Answer]:
        if lacking:
            raise RuntimeError(lacking)
        said = _Answer(answer != "cudaSuccess")
        said.name = answer
        return (said,)

    kinds = types.SimpleNamespace(cudaMemcpyDefault=4)
    return types.SimpleNamespace(cudaMemcpyAsync=copy, cudaMemcpyKind=kinds)


@pytest.mark.parametrize(
    "runtime",
    [
        _runtime("cudaErrorInsufficientDriver"),
        _runtime("cudaErrorCallRequiresNewerDriver"),
        _runtime("", lacking='Function "cuMemcpyAsync" not found'),
    ],
)
def test_bindings_newer_than_the_driver_are_said_to_be(
    runtime: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("cuda", "cuda.bindings"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "cuda.bindings.runtime", runtime)
    stream = types.SimpleNamespace(cuda_stream=0)
    with pytest.raises(Trouble, match=r"cuda\.bindings are newer than the driver") as told:
        TorchCards().raw_copy(torch.ones(4), torch.ones(4), stream)
    assert "nvidia-smi" in told.value.hint


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
def test_without_a_card_a_copy_to_one_is_refused_in_a_sentence() -> None:
    with pytest.raises(Trouble) as refused:
        measured_on(TorchCards(), "cpu", "cuda:0")
    assert str(refused.value) == "There is no cuda:0 here. This PyTorch has: cpu."


@pytest.mark.skipif(sys.platform != "linux", reason="only there the system tells its map")
def test_memory_that_nobody_has_touched_is_of_the_kind_that_an_allocator_takes() -> None:
    """What could be shared is found more slowly: fresh memory would look slower than it is."""
    fresh = TorchCards().untouched(1 << 20)
    place = fresh.data_ptr()
    for line in Path("/proc/self/maps").read_text().splitlines():
        found = re.match(r"([0-9a-f]+)-([0-9a-f]+) (....)", line)
        if found and int(found[1], 16) <= place < int(found[2], 16):
            assert found[3] == "rw-p"
            return
    pytest.fail("it is nowhere")


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
