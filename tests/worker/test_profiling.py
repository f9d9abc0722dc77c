"""torch.profiler beside the watch, with stand-ins for it and its events. Needs torch."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch._C._autograd import DeviceType  # noqa: E402 - only where there is torch
from torch.autograd import profiler  # noqa: E402

from gpuexplorer.worker.engines.watch import (  # noqa: E402
    FIRST,
    STEPS,
    Profiling,
    times_by_card,
)


@dataclass
class Event:
    """What the profiler saw on a card; seconds."""

    what: str
    begin: float
    end: float
    card: int = 0
    kind: Any = DeviceType.CUDA  # Any: PyTorch's
    named: bool = False  # by somebody, and no work

    def name(self) -> str:
        return self.what

    def device_type(self) -> Any:
        return self.kind

    def device_index(self) -> int:
        return self.card

    def start_ns(self) -> int:
        return round(self.begin * 1e9)

    def duration_ns(self) -> int:
        return round((self.end - self.begin) * 1e9)

    def is_user_annotation(self) -> bool:
        return self.named


@dataclass
class Recorder:
    """In the place of torch.profiler.profile."""

    events: Sequence[Event] = ()
    refuses: bool = False
    done: list[str] = field(default_factory=list)

    def start(self) -> None:
        if self.refuses:
            raise RuntimeError("CUPTI_ERROR_NOT_INITIALIZED")
        self.done.append("start")

    def stop(self) -> None:
        self.done.append("stop")

    @property
    def profiler(self) -> SimpleNamespace:
        return SimpleNamespace(kineto_results=SimpleNamespace(events=lambda: self.events))


@pytest.fixture(autouse=True)
def card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)


def go_on(profiling: Profiling, steps: int) -> None:
    for count in range(1, steps + 1):
        if profiling.wants(count):
            profiling.step(count)


def test_some_steps_are_recorded_once() -> None:
    recorder = Recorder([Event("gemm", 0.0, 0.5)])
    profiling = Profiling(lambda: recorder)
    go_on(profiling, FIRST + STEPS - 1)
    assert recorder.done == ["start"]
    go_on(profiling, FIRST + STEPS)
    go_on(profiling, 1000)
    assert recorder.done == ["start", "stop"]
    ((card, seconds, computing, copying),) = profiling.times
    assert (card, computing, copying) == ("cuda:0", 0.5, 0.0)
    assert 0.0 < seconds < 60.0


def test_work_at_the_same_time_counts_once_and_names_do_not_count() -> None:
    events = [
        Event("gemm", 0.0, 1.0),
        Event("gemm", 0.5, 1.5),
        Event("Optimizer.step", 0.0, 9.0, named=True),
        Event("Memcpy HtoD (Pageable -> Device)", 1.0, 3.0),
        Event("aten::mm", 0.0, 9.0, kind=DeviceType.CPU),
        Event("relu", 0.0, 0.25, card=1),
    ]
    assert times_by_card(events, 4.0) == [
        ("cuda:0", 4.0, 1.5, 2.0),
        ("cuda:1", 4.0, 0.25, 0.0),
    ]


def test_a_profiler_that_cannot_begin_is_done_without() -> None:
    recorder = Recorder(refuses=True)
    profiling = Profiling(lambda: recorder)
    go_on(profiling, 100)
    assert (recorder.done, profiling.times) == ([], ())


def test_beside_another_tool_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_INJECTION64_PATH", "/opt/nsys/libToolsInjection64.so")
    recorder = Recorder()
    go_on(Profiling(lambda: recorder), 100)
    assert recorder.done == []


def test_a_program_that_records_itself_is_left_alone() -> None:
    recorder = Recorder()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        go_on(Profiling(lambda: recorder), 100)
    assert recorder.done == []


def test_it_ends_when_the_program_begins_to_record() -> None:
    recorder = Recorder()
    profiling, originals = Profiling(lambda: recorder), (profiler._enable_profiler,)
    go_on(profiling, FIRST)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as its_own:
        assert recorder.done == ["start", "stop"]
        torch.ones(2) + 1
    assert its_own.key_averages()
    go_on(profiling, 100)
    assert recorder.done == ["start", "stop"]
    assert (profiler._enable_profiler,) == originals
