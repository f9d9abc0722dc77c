"""How long copies take on machines that do not exist: the lab's times, and shared wires."""

import pytest

from gpuexplorer.copies.jobs import Kind, job_of
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.specs import parse_machine
from tests.copies.made import bench, measured

MACHINES = ("8xH100+nvlink", "4xRTX4090+pcie", "2xTitanRTX", "4xA6000", "8xL4", "1xH100,2xT4")
SIZE = 64 << 20


def rate(text: str, job: CopyJob | None) -> float:
    assert job is not None
    found = measured(bench(text), job).rate
    assert found is not None
    return found


def pinned(source: str, target: str, **more: object) -> CopyJob:
    return CopyJob(source, target, SIZE, pinned=True, **more)  # type: ignore[arg-type]  # as given


@pytest.mark.parametrize("text", MACHINES)
def test_the_lab_and_the_copies_agree_on_every_copy_of_a_machine(text: str) -> None:
    _, links = simulated_cards(Machine(parse_machine(text)))
    on = bench(text)
    for link in links:
        one, other = (int(str(link[end])) for end in ("one", "other"))
        source, target = ("cpu" if one < 0 else f"cuda:{one}"), f"cuda:{other}"
        latency, speed = float(str(link["latency"])), float(str(link["bytes_per_second"]))
        job = job_of(Kind.ONE_WAY, source, target, SIZE)
        assert job is not None
        assert measured(on, job).seconds == pytest.approx(latency + SIZE / speed)
        if one < 0:
            slow = float(str(link["pageable_bytes_per_second"]))
            pageable = job_of(Kind.PAGEABLE, source, target, SIZE)
            assert pageable is not None
            assert measured(on, pageable).seconds == pytest.approx(latency + SIZE / slow)


def test_wires_are_shared_and_memory_that_is_not_pinned_costs() -> None:
    def host(text: str, **more: object) -> float:
        return rate(text, pinned("cpu", "cuda:0", **more))

    assert host("1xRTX4090", both_ways=True) == pytest.approx(
        0.74 * host("1xRTX4090"), rel=0.01
    )
    switched = host("2xL4", beside=(("cpu", "cuda:1"),))
    assert switched == pytest.approx(host("2xL4") / 2, rel=0.01)
    pageable = rate("1xRTX4090", job_of(Kind.PAGEABLE, "cpu", "cuda:0", SIZE))
    assert host("1xRTX4090") > 2 * pageable
    # A slow card takes no more than it can, and leaves the rest to the others.
    beside = (("cpu", "cuda:1"), ("cpu", "cuda:2"))
    assert host("1xH100,2xT4", beside=beside) > 40e9


def test_copies_that_were_ordered_wrong_arrive_wrong_and_have_no_rate() -> None:
    on = bench("8xH100", "wrong:6>1")
    result = measured(on, CopyJob("cuda:6", "cuda:1", SIZE))
    assert result.wrong
    assert result.rate is None
    [wrong] = result.seen.wrong
    assert 0 < wrong.rounds <= wrong.checked
    assert wrong.first + wrong.bytes <= SIZE
    assert not measured(on, CopyJob("cuda:1", "cuda:6", SIZE)).wrong
    assert not measured(on, CopyJob("cuda:6", "cuda:1", SIZE, "staged")).wrong


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        (CopyJob("cuda:0", "cuda:2", SIZE), "There is no cuda:2."),
        (CopyJob("cuda:0", "tpu", SIZE), "There is no tpu."),
        (CopyJob("cpu", "cuda:0", SIZE, "staged"), "Only copies from one card to another"),
        (
            CopyJob("cuda:0", "cuda:1", 1 << 40),
            "Copying 1.00 TiB takes 1.00 TiB on cuda:0, more than",
        ),
    ],
)
def test_what_cannot_be_done_is_answered_in_a_sentence(job: CopyJob, sentence: str) -> None:
    result = measured(bench("2xT4"), job)
    assert result.measured is None
    assert sentence in result.failure
