"""What the matrix asks, and the words around it."""

from dataclasses import replace

import pytest

from gpuexplorer.copies.findings import Finding, Matter
from gpuexplorer.copies.jobs import Kind
from gpuexplorer.copies.modelled import ModelBench, routes_of_simulated
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.copies.matrix.pair_facts import (
    MOST_SAID,
    AskedPath,
    Head,
    MatrixQuestion,
    PairDetails,
    callouts_of,
    details_of,
    measured_cell,
    path_words,
    promised_cell,
    share_cell,
)
from gpuexplorer.gui.widgets.pair_grid import CellState
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine

DEVICES = ("cpu", "cuda:0", "cuda:1")
BY_NAME = {
    "cpu": Head("cpu", "H", None, "Host", words="host"),
    "cuda:0": Head("cuda:0", "0", 0, "Card 0", words="card 0"),
    "cuda:1": Head("cuda:1", "1", 1, "Card 1", words="card 1"),
}
THERE, INSIDE = ("cuda:0", "cuda:1"), ("cuda:0", "cuda:0")
LOCAL, FIGURE = CellState.LOCAL, CellState.FIGURE
PLAIN, BOTH = MatrixQuestion(), MatrixQuestion(kind=Kind.BOTH_WAYS)
LATENCY = MatrixQuestion(kind=Kind.LATENCY)


def measured(question: MatrixQuestion, pair: tuple[str, str], faults: str = "") -> CopyResult:
    bench = ModelBench(parse_machine("2xTitanRTX"), parse_faults(faults, 2))
    return bench.measure(question.jobs(DEVICES)[pair], lambda *_: None)


def said(details: PairDetails) -> str:
    return "; ".join(row.said for row in details.rows)


def test_one_way_asks_every_ordered_pair_and_each_device_with_itself() -> None:
    jobs, other = PLAIN.jobs(DEVICES), MatrixQuestion(pinned=False).jobs(DEVICES)
    assert len(jobs) == 9
    changed = {pair for pair in jobs if jobs[pair] != other[pair]}
    assert changed == {pair for pair in jobs if (pair[0] == "cpu") != (pair[1] == "cpu")}


def test_what_goes_through_the_host_is_not_shown_as_direct() -> None:
    bench = ModelBench(parse_machine("2xRTX4090+pcie"))
    question = MatrixQuestion(way=AskedPath.DIRECT)
    result = bench.measure(question.jobs(DEVICES)[THERE], lambda *_: None)
    assert measured_cell(question, result).state is CellState.NONE
    told = details_of(question, result, None).sentences
    assert "goes through host memory" in " ".join(told)


def test_a_wrong_copy_has_no_figure_anywhere() -> None:
    result = measured(PLAIN, THERE, "wrong:0>1")
    cell = measured_cell(PLAIN, result)
    assert (cell.state, cell.text, cell.value) == (CellState.WRONG, "WRONG", None)
    assert share_cell(result).state is CellState.WRONG
    details = details_of(PLAIN, result, None)
    assert "came as zeros" in details.bad
    assert "Median" not in said(details)
    assert "One by one" not in said(details)


@pytest.mark.parametrize(
    ("question", "pair", "words"),
    [
        (PLAIN, THERE, "Median: 45.9 GB/s one way; Slowest, fastest: "),
        (PLAIN, THERE, "Time of one copy: 5.84 ms of the device"),
        (PLAIN, THERE, "Way: NVLink x2; Limit: 50.0 GB/s one way: 2 NVLinks"),
        (PLAIN, THERE, "Of the limit: 92 %"),
        (PLAIN, THERE, "Samples: 7 of one copy each; One by one: "),
        (PLAIN, INSIDE, "Median: 295 GB/s; "),
        (PLAIN, ("cpu", "cpu"), "Limit: it is not known how fast the memory of the computer"),
        (
            BOTH,
            ("cpu", "cuda:0"),
            "The other way: 9.09 GB/s at the same time; Both together: 18.2",
        ),
        (LATENCY, ("cpu", "cuda:0"), "Median: 10.00 µs; Slowest, fastest: 10."),
    ],
)
def test_all_figures_of_a_result_are_told(
    question: MatrixQuestion, pair: tuple[str, str], words: str
) -> None:
    result = measured(question, pair)
    details = details_of(question, result, result.route)
    assert words in said(details)
    local = pair[0] == pair[1]
    assert measured_cell(question, result).state is (LOCAL if local else FIGURE)
    assert "Modelled: no bytes were moved." in details.sentences


def test_what_memory_carried_and_why_no_limit_is_known_is_said() -> None:
    details = details_of(PLAIN, measured(PLAIN, INSIDE), None)
    assert "Copied bytes count once: memory traffic is 590 GB/s." in details.sentences
    result = measured(PLAIN, ("cpu", "cpu"))
    why = "it is not known how fast the memory of the computer is"
    assert f"No limit: {why}." in details_of(PLAIN, result, None).sentences
    assert why in details_of(PLAIN, None, result.route).said
    assert promised_cell(result.route).text == "–"


def test_ways_that_did_not_run_together_have_no_sum_and_what_was_compared_is_said() -> None:
    modelled = measured(BOTH, ("cpu", "cuda:0"))
    seen = replace(modelled.seen, modelled=False, intact=True, overlap=0.1, compared_samples=3)
    details = details_of(BOTH, replace(modelled, measured=seen), None)
    assert "The other way: 9.09 GB/s, 10 % of it at the same time" in said(details)
    assert "Both together" not in said(details)
    assert details.sentences[:2] == [
        "What arrived is intact.",
        "The last copy of each of 3 samples was compared with what was sent.",
    ]


BUSY = Message("Busy")


def test_of_many_findings_a_dozen_is_told_and_a_card_carries_its_number_to_the_host() -> None:
    cells = (("cuda:0", "cuda:1"), ("cuda:1", "cpu"), ("cpu", "cuda:1"))
    narrow = Finding(Matter.NARROW, BUSY, NOTHING, cells, ("cuda:1",))
    many = [Finding(Matter.BUSY, BUSY, NOTHING, (("cpu", f"cuda:{n}"),)) for n in range(40)]
    told = callouts_of([narrow, *many])
    assert len(told) == MOST_SAID
    assert set(told[0].cells) == {("cuda:1", "cpu"), ("cpu", "cuda:1")}


def test_the_path_is_told_place_by_place() -> None:
    routes = routes_of_simulated(parse_machine("2xTitanRTX"))

    def told(route: Route | None) -> str:
        return path_words(route, routes.shape, BY_NAME)

    direct = "card 0, by NVLink x2 (50.0 GB/s one way) to card 1."
    assert told(routes.route(*THERE)) == f"The path of the bytes: {direct}"
    assert "to processor 0, by host memory to host memory, by" in told(routes.staged(*THERE))
    assert told(routes.route("cpu", "cpu")) == told(None) == ""
