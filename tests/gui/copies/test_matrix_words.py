"""What the matrix asks, and the words around it."""

from dataclasses import replace

from gpuexplorer.copies.findings import Finding, Matter
from gpuexplorer.copies.modelled import ModelBench, routes_of_simulated
from gpuexplorer.copies.nvbandwidth import NvBandwidth, read_nvbandwidth
from gpuexplorer.copies.plan import Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.copies.matrix.matrix_tables import wrong_report
from gpuexplorer.gui.copies.matrix.overlay_values import Beside, Overlay
from gpuexplorer.gui.copies.matrix.pair_cells import measured_cell, promised_cell, share_cell
from gpuexplorer.gui.copies.matrix.pair_details import details_of
from gpuexplorer.gui.copies.matrix.pair_question import (
    AskedPath,
    Head,
    MatrixQuestion,
    staged_of,
)
from gpuexplorer.gui.copies.matrix.way_line import NO_WAY, stops_of
from gpuexplorer.gui.copies.matrix.words import (
    MOST_SAID,
    begin_words,
    callouts_of,
    cell_words,
    promised_kinds,
    promised_words,
)
from gpuexplorer.gui.widgets.pair_grid import CellState, HeatScale, scale_of
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine

DEVICES = ("cpu", "cuda:0", "cuda:1")
HEADS = (
    Head("cpu", "H", None, "Host", words="host"),
    Head("cuda:0", "0", 0, "Card 0", words="card 0"),
    Head("cuda:1", "1", 1, "Card 1", words="card 1"),
)
BY_NAME = {head.name: head for head in HEADS}
THERE = ("cuda:0", "cuda:1")
NVBANDWIDTH = """{"nvbandwidth": {"version": "v0.8", "GPU Device list": ["0: A", "1: B"],
 "testcases": [
  {"name": "host_to_device_memcpy_ce", "status": "Passed",
   "bandwidth_matrix": [["12.5", "12.6"]]},
  {"name": "host_to_device_memcpy_sm", "status": "Passed",
   "bandwidth_matrix": [["11.5", "11.6"]]},
  {"name": "device_to_device_memcpy_read_ce", "status": "Passed",
   "bandwidth_matrix": [["N/A", "44.1"], ["44.2", "N/A"]]},
  {"name": "device_to_device_memcpy_write_ce", "status": "Passed",
   "bandwidth_matrix": [["N/A", "46.1"], ["46.2", "N/A"]]},
  {"name": "device_local_copy", "status": "Passed",
   "bandwidth_matrix": [["290.0", "291.0"]]}]}}"""


def measured(question: MatrixQuestion, faults: str = "") -> dict[tuple[str, str], CopyResult]:
    bench = ModelBench(parse_machine("2xTitanRTX"), parse_faults(faults, 2))
    jobs = question.jobs(DEVICES)
    return {pair: bench.measure(job, lambda *_: None) for pair, job in jobs.items()}


def test_one_way_asks_every_ordered_pair_and_each_device_with_itself() -> None:
    jobs = MatrixQuestion().jobs(DEVICES)
    assert len(jobs) == 9
    assert jobs["cpu", "cuda:0"].pinned is True
    assert jobs["cuda:1", "cuda:1"].local


def test_not_pinned_changes_only_what_touches_the_host() -> None:
    pinned, other = MatrixQuestion().jobs(DEVICES), MatrixQuestion(pinned=False).jobs(DEVICES)
    changed = {pair for pair in pinned if pinned[pair] != other[pair]}
    assert changed == {
        ("cpu", "cuda:0"),
        ("cpu", "cuda:1"),
        ("cuda:0", "cpu"),
        ("cuda:1", "cpu"),
    }


def test_staged_and_direct_are_asked_between_cards_only() -> None:
    for way, words in ((AskedPath.STAGED, "be staged"), (AskedPath.DIRECT, "go directly")):
        question = MatrixQuestion(way=way)
        assert set(question.jobs(DEVICES)) == {THERE, THERE[::-1]}
        assert words in question.why_not("cpu", "cuda:0")


def test_a_copy_within_one_device_has_only_one_way() -> None:
    question = MatrixQuestion(kind=Kind.BOTH_WAYS)
    assert ("cuda:0", "cuda:0") not in question.jobs(DEVICES)
    assert question.why_not("cuda:0", "cuda:0") == "A copy within one device has only one way."


def test_what_goes_through_the_host_is_not_shown_as_direct() -> None:
    bench = ModelBench(parse_machine("2xRTX4090+pcie"))
    question = MatrixQuestion(way=AskedPath.DIRECT)
    result = bench.measure(question.jobs(DEVICES)[THERE], lambda *_: None)
    assert measured_cell(question, result).state is CellState.NONE
    assert "goes through host memory" in " ".join(
        details_of(question, result.job, result, None).sentences
    )


def test_a_figure_has_a_shade_and_one_inside_a_device_has_none() -> None:
    results = measured(MatrixQuestion())
    between = measured_cell(MatrixQuestion(), results[THERE])
    inside = measured_cell(MatrixQuestion(), results["cuda:0", "cuda:0"])
    assert (between.state, between.text) == (CellState.FIGURE, "45.9")
    assert inside.state is CellState.LOCAL


def test_a_wrong_copy_has_no_figure_anywhere() -> None:
    result = measured(MatrixQuestion(), "wrong:0>1")[THERE]
    cell = measured_cell(MatrixQuestion(), result)
    assert (cell.state, cell.text, cell.value) == (CellState.WRONG, "WRONG", None)
    assert share_cell(result, 50e9).state is CellState.WRONG
    said = cell_words(MatrixQuestion(), result, "", None)
    assert "arrives WRONG" in said
    assert "GB/s" not in said
    details = details_of(MatrixQuestion(), result.job, result, None)
    assert "came as zeros" in details.bad
    assert not details.samples
    assert not [row for row in details.rows if row.label in ("Median", "Spread")]


def test_all_figures_of_a_result_are_told() -> None:
    result = measured(MatrixQuestion())[THERE]
    details = details_of(MatrixQuestion(), result.job, result, None, theirs=46.1)
    said = "; ".join(row.said for row in details.rows)
    for words in (
        "Median: 45.9 GB/s one way",
        "Slowest, fastest: ",
        "Spread: ",
        "Samples: 7 of one copy each",
        "Time of one copy: 5.84 ms of the device",
        "Time of the host: ",
        "Way: NVLink x2",
        "Limit: 50.0 GB/s: 2 NVLinks",
        "Of the limit: 92 %",
        "nvbandwidth: 46.1 GB/s, ours is 99.",
    ):
        assert words in said
    assert len(details.samples) == 7
    assert details.sentences[0].startswith("Modelled: no bytes were moved")


def test_both_ways_tell_each_way_and_their_sum() -> None:
    question = MatrixQuestion(kind=Kind.BOTH_WAYS)
    result = measured(question)["cpu", "cuda:0"]
    said = "; ".join(row.said for row in details_of(question, result.job, result, None).rows)
    assert "The other way: 9.09 GB/s" in said
    assert "Both together: 18.2 GB/s both ways" in said


def test_ways_that_did_not_run_together_have_no_sum_and_what_was_compared_is_said() -> None:
    question = MatrixQuestion(kind=Kind.BOTH_WAYS)
    modelled = measured(question)["cpu", "cuda:0"]
    assert modelled.measured is not None
    told = replace(
        modelled.measured, modelled=False, intact=True, overlap=0.1, compared_samples=3
    )
    result = replace(modelled, measured=told)
    details = details_of(question, result.job, result, None)
    said = "; ".join(row.said for row in details.rows)
    assert "The other way: 9.09 GB/s, 10 % of it at the same time" in said
    assert "Both together" not in said
    assert details.sentences[:2] == [
        "What arrived is intact.",
        "The last copy of each of 3 samples was compared with what was sent.",
    ]


def test_latency_is_told_in_microseconds_and_has_no_limit() -> None:
    question = MatrixQuestion(kind=Kind.LATENCY)
    result = measured(question)["cpu", "cuda:0"]
    assert measured_cell(question, result).text == "10.0"
    said = "; ".join(row.said for row in details_of(question, result.job, result, None).rows)
    assert "Median: 10.00 µs" in said
    assert "GB/s" not in said


def test_nothing_promised_is_told_with_its_reason() -> None:
    results = measured(MatrixQuestion())
    within = results["cpu", "cpu"]
    assert "it is not known how fast" in promised_words(within.route)
    assert promised_cell(within.route, within.limit).text == "–"
    routes = [each.route for each in results.values() if each.route is not None]
    assert promised_kinds(routes) == "PCIe 3.0 x16: 15.8   NVLink x2: 50.0"


def test_a_scale_does_not_make_day_and_night_of_a_hair() -> None:
    scale = scale_of([26.0, 26.1])
    assert scale is not None
    assert scale.share(26.1) - scale.share(26.0) < 0.01
    assert scale_of([]) is None
    assert scale.share(0) == 0.0


def test_a_scale_is_marked_at_powers_of_two() -> None:
    assert HeatScale(8, 56).ticks() == [8, 16, 32]
    assert len(HeatScale(0.5, 2000).ticks()) <= 5


BUSY = Message("Busy")


def test_of_many_findings_a_dozen_is_told() -> None:
    many = [Finding(Matter.BUSY, BUSY, NOTHING, (("cpu", f"cuda:{n}"),)) for n in range(40)]
    assert len(callouts_of(many)) == MOST_SAID


def test_a_card_carries_its_number_on_its_way_to_the_host() -> None:
    cells = (("cuda:0", "cuda:1"), ("cuda:1", "cpu"), ("cpu", "cuda:1"))
    [callout] = callouts_of([Finding(Matter.NARROW, BUSY, NOTHING, cells, ("cuda:1",))])
    assert set(callout.cells) == {("cuda:1", "cpu"), ("cpu", "cuda:1")}


def test_nvbandwidth_stands_in_the_cells_it_measured() -> None:
    overlay = Overlay(read_nvbandwidth(NVBANDWIDTH), "run.json")
    cells = overlay.cells(MatrixQuestion())
    assert cells["cpu", "cuda:1"] == 12.6
    assert cells[THERE] == 46.1
    assert cells["cuda:1", "cuda:1"] == 291.0
    assert "nvbandwidth v0.8: Copy engine, source writes" in overlay.words(MatrixQuestion(), 2)
    assert "(2 of 8 cards)" in overlay.words(MatrixQuestion(), 8)


def test_another_of_its_tests_can_be_meant() -> None:
    told = read_nvbandwidth(NVBANDWIDTH)
    assert Overlay(told, "", Beside.ENGINE_READ).cells(MatrixQuestion())[THERE] == 44.2
    assert (
        Overlay(told, "", Beside.KERNEL_WRITE).cells(MatrixQuestion())["cpu", "cuda:0"] == 11.5
    )


def test_what_it_does_not_measure_is_said() -> None:
    overlay = Overlay(read_nvbandwidth(NVBANDWIDTH), "run.json")
    for kind in (Kind.LATENCY, Kind.BOTH_WAYS):
        question = MatrixQuestion(kind=kind)
        assert not overlay.cells(question)
        assert "has no such test in run.json" in overlay.words(question, 2)


def test_what_the_tool_reported_is_said_as_it_wrote_it() -> None:
    failed = NvBandwidth("v0.8", "", "", (), (), error="No CUDA device was found...")
    assert Overlay(failed, "run.json").words(MatrixQuestion(), 2) == (
        "nvbandwidth v0.8 has no such test in run.json. It reports: No CUDA device was found..."
    )


def test_a_report_tells_what_arrived_wrong_and_what_did_not() -> None:
    results = measured(MatrixQuestion(), "wrong:0>1")
    bench = ModelBench(parse_machine("2xTitanRTX"))
    staged = [bench.measure(each, lambda *_: None) for each in staged_of([results[THERE].job])]
    told = wrong_report(
        "A computer",
        "2026-11-21 14:05:12",
        HEADS,
        [results[THERE]],
        [*results.values(), *staged],
        simulated=True,
    )
    for words in (
        "SIMULATED",
        "Card 0 to card 1 (cuda:0, cuda:1)",
        "256 MiB (268435456 bytes), mode copy",
        "Wrong in 3 of 7 rounds",
        "Not wrong: the same way, 256 MiB, mode staged: 8.60 GB/s",
        "Not wrong: the way back, 256 MiB, mode copy: 45.9",
        "iommu=pt",
    ):
        assert words in told


def test_the_way_is_told_place_by_place() -> None:
    routes = routes_of_simulated(parse_machine("2xTitanRTX"))
    direct = stops_of(routes.route(*THERE), routes.shape, BY_NAME)
    assert direct.said == "card 0, by NVLink x2 (50.0 GB/s one way) to card 1"
    staged = stops_of(routes.staged(*THERE), routes.shape, BY_NAME)
    assert [stop.words for stop in staged.stops][:4] == [
        "card 0",
        "host bridge",
        "processor 0",
        "host memory",
    ]
    assert [each.narrowest for each in staged.stretches] == [True, *[False] * 4, True]
    assert stops_of(routes.route("cpu", "cpu"), routes.shape, BY_NAME) == NO_WAY
    assert stops_of(None, None, BY_NAME).said == ""


def test_where_there_is_no_card_that_is_said() -> None:
    assert begin_words(MatrixQuestion(), 1, 0).startswith("No card is there")
    assert "9 measurements" in begin_words(MatrixQuestion(), 9, 2)


def test_where_no_limit_is_known_a_sentence_says_why() -> None:
    question, pair = MatrixQuestion(), ("cpu", "cpu")
    result = measured(question)[pair]
    told = details_of(question, question.job(*pair), result, result.route)
    assert any(row.said == "Limit: not known" for row in told.rows)
    assert "No limit: it is not known how fast the memory of the computer is." in told.sentences


def test_what_memory_read_and_wrote_stands_beside_what_was_copied() -> None:
    question, pair = MatrixQuestion(), ("cuda:0", "cuda:0")
    result = measured(question)[pair]
    told = details_of(question, question.job(*pair), result, result.route)
    said = [row.said for row in told.rows]
    assert "Median: 295 GB/s" in said
    assert "Memory traffic: 590 GB/s, read and written" in said
