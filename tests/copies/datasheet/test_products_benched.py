"""Products on benches: modelled, by a worker that plays its part, and for real."""

from collections.abc import Iterator

import pytest

from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.measuring import Bench, Job, Measuring, Progress, TimeLeft
from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.worker_bench import WorkerBench
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import KINDS, CopyJob, ProductJob
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.specs import parse_machine
from tests.clocks import ManualClock
from tests.lab.processes import Fake, needs_torch

PATIENCE = 60.0
WORKER = """
import json, sys
def say(**what):
    print(json.dumps(what), flush=True)
say(**{"is": "hello"}, python="3.11", torch="2", build="CPU", simulated=False,
    devices=[{"name": "cpu", "label": "cpu"}])
for line in sys.stdin:
    told = json.loads(line)
    number = told["id"]
    if told["size"] == 1024:
        say(**{"is": "failed"}, id=number, cause="bad request", error="Trouble", message="",
            sentence="It does not fit.", hint="Take less.")
        continue
    say(**{"is": "sampled"}, id=number, taken=0, samples=told["samples"])
    say(**{"is": "sampled"}, id=number, taken=1, samples=told["samples"])
    say(**{"is": "multiplied"}, id=number, samples_s=[0.5, 0.25, 0.5], right=True,
        loaded_s=told["seconds"], notes=["%s for %g s" % (told["kind"], told["seconds"])])
    say(**{"is": "finished"}, id=number, host_seconds=1.0)
"""


def product(bench: Bench, job: ProductJob) -> ProductResult:
    return bench.measure_product(job, lambda taken, samples: None)


@pytest.fixture
def worker() -> Iterator[WorkerBench]:
    made = WorkerBench(Fake(script=WORKER), clock=ManualClock(now=100.0))
    yield made
    made.close()


def test_the_lab_and_the_bench_take_simulated_cards_for_equally_fast() -> None:
    spec = parse_machine("1xH100,1xTitanRTX")
    told, _ = simulated_cards(Machine(spec))
    bench = ModelBench(spec)
    for index, kinds in ((0, ("fp32", "bf16")), (1, ("fp32",))):
        for kind in kinds:
            lab = told[index]["flops" if kind == "fp32" else "half_flops"]
            result = product(bench, ProductJob(f"cuda:{index}", kind))
            assert result.rate == pytest.approx(lab)


def test_modelled_products_say_so_and_are_never_called_right() -> None:
    bench = ModelBench(parse_machine("1xA100"))
    for kind in KINDS:
        result = product(bench, ProductJob("cuda:0", kind))
        assert result.measured is not None
        assert result.modelled
        assert result.measured.right is None
        assert result.measured.notes == ()
        assert len(result.rates) == 7
        assert result.watts is not None
        assert 300 < result.watts <= 400


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        (ProductJob("cuda:5", "fp32"), "There is no cuda:5."),
        (ProductJob("cpu", "fp32"), "The processor of a simulated machine is not modelled."),
        (ProductJob("cuda:0", "fp4"), "There is no kind of number called 'fp4'."),
        (
            ProductJob("cuda:0", "tf32"),
            "cuda:0 has no TF32: it came with compute capability 8.0, and this card has 7.5.",
        ),
        (
            ProductJob("cuda:0", "fp32", 32768),
            "12.0 GiB is more than an eighth of what is free on cuda:0, which is 14.6 GiB.",
        ),
        (ProductJob("cuda:1", "fp32"), "cuda:1 is lost: it no longer answers the driver."),
    ],
)
def test_what_a_simulated_card_cannot_is_a_sentence(job: ProductJob, sentence: str) -> None:
    bench = ModelBench(parse_machine("2xT4"), parse_faults("lost:1@0s", 2))
    result = product(bench, job)
    assert result.measured is None
    assert result.failure == sentence
    assert result.rate is None


def test_the_moment_of_the_first_sample_ends_the_time_at_work(worker: WorkerBench) -> None:
    result = product(worker, ProductJob("cuda:0", "bf16", 2048))
    assert result.measured is not None, result.failure
    assert result.loaded == (96.0, 100.0)
    assert result.measured.notes == ("bf16 for 4 s",)
    assert result.rate == 2 * 2048**3 / 0.5
    host = product(worker, ProductJob("cpu", "fp32", 512))
    assert host.measured is not None
    assert host.measured.notes == ("fp32 for 0 s",)  # nobody tells its power


def test_a_refusal_of_the_worker_is_a_result(worker: WorkerBench) -> None:
    result = product(worker, ProductJob("cpu", "fp32", 1024))
    assert (result.failure, result.hint) == ("It does not fit.", "Take less.")


def test_copies_and_products_go_through_one_run() -> None:
    bench = ModelBench(parse_machine("1xA100"))
    jobs: list[Job] = [CopyJob("cuda:0", "cuda:0", 1 << 20), ProductJob("cuda:0", "fp32")]
    results: list[CopyResult] = []
    products: list[ProductResult] = []
    progress: list[Progress] = []
    ends: list[str] = []
    run = Measuring(
        jobs, bench, results.append, progress.append, ends.append, on_product=products.append
    )
    run.start()
    assert run.wait(PATIENCE)
    assert ends == [""]
    assert [each.job for each in results] == jobs[:1]
    assert [each.job for each in products] == jobs[1:]
    assert progress[-1].done == 2


@needs_torch
@pytest.mark.parametrize("kind", ["fp32", "bf16"])
def test_the_processor_is_measured_for_real(kind: str) -> None:
    bench = WorkerBench(Start())
    try:
        result = product(bench, ProductJob("cpu", kind, 256))
        refused = product(bench, ProductJob("cpu", "tf32", 256))
    finally:
        bench.close()
    assert result.measured is not None, result.failure
    assert result.measured.right
    assert not result.modelled
    assert result.rate is not None
    assert 1e8 < result.rate < 1e14
    assert refused.failure.startswith("TF32 is a way in which tensor cores multiply")


def test_the_time_that_is_left_knows_that_products_take_longer_than_copies() -> None:
    clock = ManualClock()
    copies = [CopyJob("cpu", "cuda:0", 1 << 20, pinned=True)] * 3
    left = TimeLeft([*copies, ProductJob("cuda:0", "fp32")], clock)
    for copy in copies:
        left.begin(copy)
        clock.advance(1.0)
        left.end(copy)
    seconds = left.seconds(3)
    assert seconds is not None
    assert 4 < seconds < 8
