"""A simulated card's memory, as PyTorch's own allocator would have divided it."""

import re

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble  # noqa: E402 - only where there is torch
from gpuexplorer.worker.engines import host_memory  # noqa: E402
from tests.worker.benches import Bench, virtual_bench  # noqa: E402

MIB = 1 << 20


def allocated(bench: Bench) -> int:
    return int(bench.run("torch.cuda.memory_allocated(0)"))


def reserved(bench: Bench) -> int:
    return int(bench.run("torch.cuda.memory_reserved(0)"))


@pytest.mark.parametrize(
    ("size", "taken", "segment"),
    [
        (1, 512, 2 * MIB),
        (MIB, MIB, 2 * MIB),
        (MIB + 1, MIB + 512, 20 * MIB),
        (11 * MIB, 11 * MIB, 12 * MIB),
    ],
)
def test_memory_is_given_out_in_blocks_and_taken_in_segments(
    virtual: Bench, size: int, taken: int, segment: int
) -> None:
    virtual.run(f"X = torch.empty({size}, dtype=torch.uint8, device='cuda:0')")
    # A large block is split off only where more than 1 MiB is left over.
    assert allocated(virtual) in (taken, segment)
    assert reserved(virtual) == segment


def test_a_view_takes_nothing_and_keeps_what_it_shows(virtual: Bench) -> None:
    virtual.run("X = torch.ones(1000, device='cuda:0')", "V = X[10:20]", "W = X.view(10, 100)")
    assert allocated(virtual) == 4096
    virtual.run("del X, W")
    assert allocated(virtual) == 4096
    virtual.run("del V")
    assert allocated(virtual) == 0
    assert reserved(virtual) == 2 * MIB


def test_out_of_memory_says_torchs_words_and_its_figures_add_up() -> None:
    bench = virtual_bench(memory_bytes=1 << 30)
    bench.run("X = torch.ones(25, 1024, 1024, device='cuda:0')")
    with pytest.raises(torch.OutOfMemoryError) as refused:
        bench.run("Y = torch.ones(300, 1024, 1024, device='cuda:0')")
    text = str(refused.value)
    assert text.startswith(
        "CUDA out of memory. Tried to allocate 1.17 GiB. GPU 0 has a total capacity of 1.00 GiB"
        " of which 234.00 MiB is free. "
    )
    mib = [float(size) for size in re.findall(r"([\d.]+) MiB", text)]
    free, others, mine, in_tensors = mib
    assert free + others + mine == 1024
    assert in_tensors == 100
    assert "and 0 bytes is reserved by PyTorch but unallocated" in text
    assert allocated(bench) == 100 * MIB
    bench.run("Y = torch.ones(10, 1024, 1024, device='cuda:0')")


def test_a_result_that_does_not_fit_is_refused_before_it_is_computed() -> None:
    bench = virtual_bench(memory_bytes=1 << 30)
    bench.run("X = torch.ones(8000, 1, device='cuda:0')", "Y = torch.ones(1, 40000).cuda()")
    for line in ("X @ Y", "X + Y"):
        with pytest.raises(torch.OutOfMemoryError, match=r"Tried to allocate 1\.19 GiB"):
            bench.run(line)


def test_the_hosts_limit_is_told_from_the_cards(
    virtual: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_memory, "free_bytes", lambda: 1 << 30)
    with pytest.raises(Trouble) as refused:
        virtual.run("X = torch.ones(1024, 1024, 1024, device='cuda:0')")
    assert refused.value.sentence == (
        "The simulated card would have room for 4.0 GiB, the computer has not: the values lie "
        "in the computer's own memory, of which 1.0 GiB are free."
    )
    assert refused.value.hint.endswith("On a real card only the card's memory would count.")
