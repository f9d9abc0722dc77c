"""What a program is told: the right thing with its figures and its cure, or nothing."""

from dataclasses import replace
from typing import Any

import pytest

from gpuexplorer.lab.events import Idle, Trip, Watched, Why
from gpuexplorer.programs.findings import Finding, Matter, findings
from gpuexplorer.programs.program_run import as_a_whole, lines_of, watched
from tests.programs.made import KIB, MIB, STEPS, idle, loader, moved, program, read, seen

NORM = "torch.cuda.synchronize()"
SMALL = moved(41, "t.cuda()", times=640_000, size=KIB, bursts=10_000, seconds=8.0)
BLOCKING = moved(pinned=True, blocking=True)
REPLICATED = moved(what="m(x)", within="torch.nn.parallel.comm", seconds=0.1, pinned=True)
CARD_READ = [idle(Why.READ, 3.1)]


def host(seconds: float, line: int = 61, what: str = "f(x)", *, times: int = STEPS) -> Idle:
    return idle(Why.HOST, seconds, line=line, what=what, row=line, times=times)


def batches(seconds: float, longest: float = 0.01) -> Idle:
    return idle(Why.LOADER, seconds, line=28, what="loader", longest=longest)


def only(*found: Finding) -> Finding:
    (finding,) = found
    return finding


READ, SMALL_COPIES, LOADER = Matter.READ, Matter.SMALL, Matter.LOADER
PAGEABLE, BLOCKS, HOST = Matter.PAGEABLE, Matter.BLOCKING, Matter.HOST
# Any: by the names of the event's own fields.
SOME: dict[str, Any] = {"seen_seconds": 4.1, "seen_steps": 1200}
SOME_READS = [read(times=1200, waited=0.8)], [idle(Why.READ, 0.31, times=1200, longest=0.001)]
FIVE_LINES = [host(1.5 + n / 1000, n, times=1200) for n in range(61, 66)]
TOLD = [
    # what was seen, of what kind the one finding is, what it says, what its cure says
    (
        seen(copies=[read()], idle=CARD_READ),
        READ,
        "train.py:84 `loss.item()` 12\u202f000 times: the card waited 3.10 of 41.0 s.",
        "Keep the sum on the card and read it every 100 steps.",
    ),
    (seen(idle=[idle(Why.READ, 3.1, what=NORM)]), READ, f"84 `{NORM}`", "Leave it out"),
    (
        seen(copies=SOME_READS[0], idle=SOME_READS[1], **SOME),
        READ,
        "1\u202f200 times: the card waited 310 ms of 4.10 s. Over the whole run: about 3.1 s.",
        "Keep the sum",
    ),
    (  # the cure promises no more than the host waited
        seen(copies=[read(waited=1.2)], idle=[idle(Why.READ, 12.0)]),
        READ,
        "the card waited 12.0 of 41.0 s.",
        "about 1.2 s: the host is too slow for the rest.",
    ),
    (
        seen(copies=[moved()]),
        PAGEABLE,
        "copied 11.7 GiB from pageable memory in 3.00 of 41.0 s, at 4.19 GB/s; the wire could",
        "Keep it in pinned memory (.pin_memory(), once)",
    ),
    (seen(copies=[moved()], loaders=[loader()]), PAGEABLE, "", "loader of train.py:28 pin_mem"),
    (seen(copies=[BLOCKING]), BLOCKS, "waited for it: 3.00 of 41.0 s", "non_blocking=True"),
    (
        seen(copies=[SMALL]),
        SMALL_COPIES,
        "made 640\u202f000 copies of 1.00 KiB, about 64 at a time: 8.00 of 41.0 s.",
        "there (torch.stack), and copy once. Estimated: about 170 ms instead of 8.00 s.",
    ),
    # Pauses between small copies belong to them.
    (seen(copies=[SMALL], idle=[host(3.0, 41)], pauses=9.0), SMALL_COPIES, "", "torch.stack"),
    (
        seen(loaders=[loader(4)], idle=[batches(12.0, longest=1.1)]),
        LOADER,
        "train.py:28 `loader` kept the card waiting for 12\u202f000 batches: 12.0 of 41.0 s.",
        "Let workers prepare batches while the card computes: num_workers=8",
    ),
    (seen(loaders=[loader(seconds=6.0)], idle=[batches(5.0)]), LOADER, "", "A worker needs"),
    (seen(idle=[batches(12.0)]), LOADER, "train.py:28", "Prepare batches while the card"),
    (
        seen(idle=[host(13.0)]),
        HOST,
        "train.py:61 `f(x)` kept the card waiting for the host, 12\u202f000 times: 13.0 of",
        "Do it on the card",
    ),
    (seen(copies=[REPLICATED], idle=[host(13.0, 30)]), HOST, "", "DataParallel copies"),
    (
        seen(idle=FIVE_LINES),
        HOST,
        "7.82 of 41.0 s for the host, longest at train.py:65",
        "Do it",
    ),
    (
        seen(idle=[host(1.0, 60, times=8000)], pauses=18.0, modelled=True),
        HOST,
        "the card waited 19.0 of 41.0 s for the host, longest at train.py:60 `f(x)`.",
        "Give the card more at a time",
    ),
    # The clock of simulated cards stands still while they are watched.
    (seen(idle=[host(5.0)], cost=4.5, modelled=True), HOST, "5.00 of 41.0 s", ""),
]


@pytest.mark.parametrize(("events", "matter", "sentence", "cure"), TOLD, ids=range(len(TOLD)))
def test_what_costs_time_is_told_with_its_figures_and_its_cure(
    events: Watched, matter: Matter, sentence: str, cure: str
) -> None:
    found = only(*findings(program(events)))
    assert found.matter is matter
    assert sentence in found.sentence
    assert cure in found.cure


@pytest.mark.parametrize(
    "events",
    [
        seen(copies=[read(times=120, waited=35.0)], idle=[idle(Why.READ, 2.0, times=120)]),
        seen(copies=[read()], idle=[idle(Why.READ, 0.3)]),  # costs next to nothing
        seen(copies=[read()], idle=[idle(Why.READ, 3.1, longest=3.0)]),  # one long wait
        seen(copies=[moved(pinned=True)]),
        seen(copies=[BLOCKING], busy=40.8),  # the card has work all the time
        seen(copies=[moved(times=60, bursts=1, size=20 * MIB, seconds=0.9)]),  # once: a model
        seen(copies=[replace(SMALL, copies=64_000, bursts=100, within="torch.nn.modules")]),
        seen(loaders=[loader(4)], idle=[batches(4.2, longest=4.0)]),  # the first batch alone
        seen(idle=[host(4.0, times=4000)]),
        seen(idle=[host(5.0)], cost=4.5),  # pauses that watching made
    ],
    ids=range(10),
)
def test_what_costs_little_is_no_finding(events: Watched) -> None:
    assert findings(program(events)) == []


@pytest.mark.parametrize(
    ("workers", "processors", "cure"),
    [
        (0, 16, "num_workers=8, persistent_workers=True"),
        (0, 1, "This computer has one processor, so more workers would not help."),
        (2, 16, "num_workers=4, persistent_workers=True"),
        (16, 16, "This computer has 16 processors, so more than 16 workers would not help."),
    ],
)
def test_a_loader_that_leaves_the_card_idle_is_told_what_this_computer_can_do(
    workers: int, processors: int, cure: str
) -> None:
    run = program(seen(loaders=[loader(workers)], idle=[batches(12.0)]), processors=processors)
    assert cure in only(*findings(run)).cure


def test_what_lies_before_the_first_step_neither_hides_a_finding_nor_is_one() -> None:
    start = idle(Why.START, 36.0, line=9, what="torch.optim.Adam(net.parameters())", row=2)
    run = program(seen(copies=[read()], idle=[idle(Why.READ, 0.3), start], started=36.5))
    assert only(*findings(run)).sentence.endswith("the card waited 300 ms of 4.50 s.")
    assert "It took 36.5 s to start" in watched(run)[0]
    assert [each.spot.line for each in lines_of(run)] == [84]


def test_of_several_cards_the_one_that_waited_longest_is_named() -> None:
    waits = [idle(Why.READ, 2.0 + n, device=f"cuda:{n}", row=n + 1) for n in range(2)]
    found = only(*findings(program(seen(copies=[read()], idle=waits), cards=2)))
    assert "cuda:1 waited 3.00 of 41.0 s" in found.sentence


def test_a_tensor_that_comes_back_names_both_lines_and_its_gradients_belong_to_it() -> None:
    copies = [
        read(52, "h.cpu()", size=MIB, how="cpu", seconds=1.1, row=7),
        moved(55, "h.cuda()", seconds=1.5, row=8),
        read(57, "loss.backward()", size=MIB, how="backward", seconds=1.0, row=9),
        replace(moved(57, "loss.backward()", row=10, seconds=1.0), how="backward", asked=False),
    ]
    trip = Trip(8, 7, "cuda:0", STEPS, STEPS * MIB, changed=True)
    trips = [trip, replace(trip, row=10, out=9)]
    waits = idle(Why.READ, 0.5, line=52, what="h.cpu()")
    found = only(*findings(program(seen(copies=copies, trips=trips, idle=[waits]))))
    assert found.matter is Matter.TRIP
    for words in ("takes 1.00 MiB from cuda:0 to the host", "times: about 5.10 of 41.0 s."):
        assert words in found.sentence
    assert found.cure.startswith("Compute that on the card too")
    assert found.other is not None
    assert (found.spot.line, found.other.line) == (52, 55)


def test_a_card_that_idles_at_no_one_line_is_not_passed_over() -> None:
    run = program(seen(idle=[host(3.0)], pauses=0.5))
    assert findings(run) == []
    assert as_a_whole(run, found=False)[0] == (
        "No line stands out, but the card had nothing to do for 3.50 s of 41.0 s. Longest at "
        "train.py:61: 3.00 s."
    )
