"""Routes, jobs and results for tests."""

from dataclasses import replace

from gpuexplorer.copies.measuring import Bench
from gpuexplorer.copies.modelled import ModelBench, routes_of_simulated
from gpuexplorer.copies.plan import Kind, job_of, matrix
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Routes
from gpuexplorer.lab.events import Measured
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine


def routes(text: str) -> Routes:
    return routes_of_simulated(parse_machine(text))


def bench(text: str, faults: str = "", seed: int = 0) -> ModelBench:
    spec = parse_machine(text)
    return ModelBench(spec, parse_faults(faults, len(spec.cards)), seed=seed)


def measured(on: Bench, job: CopyJob) -> CopyResult:
    return on.measure(job, lambda taken, samples: None)


def one_way(text: str, source: str, target: str, size: int = 256 << 20) -> CopyResult:
    job = job_of(Kind.ONE_WAY, source, target, size)
    assert job is not None
    return measured(bench(text), job)


def all_pairs(text: str, *kinds: Kind, faults: str = "") -> list[CopyResult]:
    on = bench(text, faults)
    devices = routes(text).devices
    return [measured(on, job) for kind in kinds for job in matrix(devices, kind)]


def at_rate(result: CopyResult, rate: float) -> CopyResult:
    """The same copy, had it been so fast."""
    assert result.measured is not None
    seconds = result.job.bytes / rate
    samples = tuple(seconds for _ in result.measured.samples_s)
    return replace(result, measured=replace(result.measured, samples_s=samples))


def real(source: str, target: str, size: int, *seconds: float, **told: object) -> CopyResult:
    """One that was measured, on a machine of which nothing else is known."""
    about = Measured(1, seconds, **told)  # type: ignore[arg-type]  # of the test's own making
    return CopyResult(CopyJob(source, target, size), about, None)
