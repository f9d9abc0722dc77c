"""What a program is told: the right thing with its figures and its cure, or nothing."""

from dataclasses import replace

import pytest

from gpuexplorer.lab.events import Trip, Why
from gpuexplorer.programs.findings import Finding, Matter, findings
from gpuexplorer.programs.program_run import ProgramRun, as_a_whole, lines_of, watched
from tests.programs.made import KIB, MIB, STEPS, idle, loader, moved, program, read, seen


def only(*found: Finding) -> Finding:
    (finding,) = found
    return finding


def trip_of(run: ProgramRun) -> Finding:
    return only(*(each for each in findings(run) if each.matter is Matter.TRIP))


def test_a_read_in_every_step_is_told_with_what_the_card_waited_and_the_cure() -> None:
    run = program(seen(copies=[read()], idle=[idle(Why.READ, 3.1)]))
    found = only(*findings(run))
    assert found.matter is Matter.READ
    assert found.sentence == (
        "train.py:84 `loss.item()` 12\u202f000 times: the card waited 3.10 of 41.0 s."
    )
    assert found.cure == "Keep the sum on the card and read it every 100 steps."
    assert found.place == "train.py:84"
    assert found.figures["times"] == 12_000
    assert found.seconds == pytest.approx(3.1)  # no more than was waited


@pytest.mark.parametrize(
    ("how", "what", "cure"),
    [
        ("print", "print(loss)", "Print it every 100 steps"),
        ("format", 'f"{loss}"', "Print it every 100 steps"),
        ("if", "loss > best", "Decide on the card"),
        ("float", "float(loss)", "Keep the sum on the card"),
        ("numpy", "out.cpu().numpy()", "Collect it on the card"),
        ("tolist", "out.tolist()", "Collect it on the card"),
        ("cpu", "out.cpu()", "Collect it on the card"),
    ],
)
def test_the_cure_follows_from_how_the_card_was_read(how: str, what: str, cure: str) -> None:
    run = program(
        seen(copies=[read(what=what, how=how)], idle=[idle(Why.READ, 3.1, what=what)])
    )
    found = only(*findings(run))
    assert f"`{what}`" in found.sentence
    assert found.cure.startswith(cure)


def test_a_synchronize_in_every_step_copies_nothing_and_is_told_as_well() -> None:
    run = program(seen(idle=[idle(Why.READ, 3.1, what="torch.cuda.synchronize()")]))
    found = only(*findings(run))
    assert found.sentence.startswith("train.py:84 `torch.cuda.synchronize()` 12\u202f000 times")
    assert found.cure.startswith("Leave it out")


def test_what_lies_before_the_first_step_neither_hides_a_finding_nor_is_one() -> None:
    start = idle(Why.START, 36.0, line=9, what="torch.optim.Adam(net.parameters())", row=2)
    run = program(seen(copies=[read()], idle=[idle(Why.READ, 0.3), start], started=36.5))
    found = only(*findings(run))
    assert found.sentence.endswith("the card waited 300 ms of 4.50 s.")
    assert "It took 36.5 s to start" in watched(run)[0]
    assert [each.spot.line for each in lines_of(run)] == [84]


def test_a_read_of_every_hundredth_step_is_no_finding() -> None:
    few = read(times=120, waited=35.0)
    run = program(seen(copies=[few], idle=[idle(Why.READ, 2.0, times=120)]))
    assert findings(run) == []


def test_a_read_that_costs_next_to_nothing_is_no_finding() -> None:
    run = program(seen(copies=[read()], idle=[idle(Why.READ, 0.3)]))
    assert findings(run) == []


def test_one_long_wait_at_the_end_of_a_loop_is_no_finding() -> None:
    run = program(seen(copies=[read()], idle=[idle(Why.READ, 3.1, longest=3.0)]))
    assert findings(run) == []


def test_where_the_host_is_slow_the_cure_promises_no_more_than_the_host_waited() -> None:
    run = program(seen(copies=[read(waited=1.2)], idle=[idle(Why.READ, 12.0)]))
    found = only(*findings(run))
    assert found.seconds == pytest.approx(1.2)
    assert "the card waited 12.0 of 41.0 s" in found.sentence
    assert found.cure.endswith(
        "That gives back about 1.2 s: the host is too slow for the rest."
    )


def test_of_several_cards_the_one_that_waited_longest_is_named() -> None:
    waits = [
        idle(Why.READ, 2.0, device="cuda:0", row=1),
        idle(Why.READ, 3.0, device="cuda:1", row=2),
    ]
    found = only(*findings(program(seen(copies=[read()], idle=waits), cards=2)))
    assert found.device == "cuda:1"
    assert "cuda:1 waited 3.00 of 41.0 s" in found.sentence


def test_what_was_sampled_is_told_of_what_was_seen_and_estimated_for_the_whole() -> None:
    run = program(
        seen(
            copies=[read(times=1200, waited=0.8)],
            idle=[idle(Why.READ, 0.31, times=1200, longest=0.001)],
            seen_seconds=4.1,
            seen_steps=1200,
        )
    )
    assert only(*findings(run)).sentence == (
        "train.py:84 `loss.item()` 1\u202f200 times: the card waited 310 ms of 4.10 s. "
        "Over the whole run: about 3.1 s."
    )


def test_batches_from_pageable_memory_name_both_the_copy_and_the_loader() -> None:
    run = program(seen(copies=[moved(seconds=3.0)], loaders=[loader()]))
    found = only(*findings(run))
    assert found.matter is Matter.PAGEABLE
    assert found.sentence == (
        'train.py:30 `x.to("cuda")` copied 11.7 GiB from pageable memory in 3.00 of 41.0 s, '
        "at 4.19 GB/s; the wire could carry 15.8 GB/s."
    )
    assert found.cure == (
        "Give the loader of train.py:28 pin_memory=True, and copy with non_blocking=True. "
        "Estimated: about 1 s instead of 3.00 s."
    )
    assert found.other is not None
    assert found.other.line == 28


def test_a_tensor_that_is_copied_again_and_again_is_to_be_pinned_once() -> None:
    found = only(*findings(program(seen(copies=[moved()]))))
    assert found.cure.startswith("Keep it in pinned memory (.pin_memory(), once)")


def test_pinned_copies_and_those_that_are_made_once_are_no_finding() -> None:
    assert findings(program(seen(copies=[moved(pinned=True)]))) == []
    model = moved(times=60, bursts=1, size=20 * MIB, seconds=0.9, row=3)
    assert findings(program(seen(copies=[model]))) == []


def test_many_small_copies_where_one_would_do_are_told_with_what_one_would_cost() -> None:
    pieces = moved(41, "t.cuda()", times=640_000, size=KIB, bursts=10_000, seconds=8.0)
    found = only(*findings(program(seen(copies=[pieces]))))
    assert found.matter is Matter.SMALL
    assert found.sentence == (
        "train.py:41 `t.cuda()` made 640\u202f000 copies of 1.00 KiB, about 64 at a time: "
        "8.00 of 41.0 s."
    )
    assert found.cure == (
        "Put them together there (torch.stack), and copy once. Estimated: about 170 ms instead "
        "of 8.00 s."
    )


def test_small_reads_one_after_the_other_are_to_be_fetched_at_once() -> None:
    pieces = read(50, "t.item()", times=96_000, bursts=12_000, seconds=2.0, waited=9.0)
    waits = idle(Why.READ, 4.0, line=50, what="t.item()")
    found = only(*findings(program(seen(copies=[pieces], idle=[waits]))))
    assert found.matter is Matter.SMALL
    assert found.cure.startswith("Put them together on the card (torch.stack), and fetch them")


def test_a_model_that_a_library_copies_piece_by_piece_is_no_finding() -> None:
    pieces = moved(
        times=64_000, size=KIB, bursts=100, seconds=8.0, within="torch.nn.modules.module"
    )
    assert findings(program(seen(copies=[pieces]))) == []


def test_a_tensor_that_comes_back_names_both_lines_once() -> None:
    out = read(52, "h.cpu()", size=MIB, how="cpu", seconds=1.1, row=7)
    back = moved(53, "h.cuda()", seconds=1.5, row=8)
    trip = Trip(8, 7, "cuda:0", 12_000, 12_000 * MIB, changed=False)
    waits = idle(Why.READ, 0.5, line=52, what="h.cpu()")
    found = only(*findings(program(seen(copies=[out, back], trips=[trip], idle=[waits]))))
    assert found.matter is Matter.TRIP
    assert found.sentence == (
        "train.py:52 `h.cpu()` takes 1.00 MiB from cuda:0 to the host, and train.py:53 "
        "`h.cuda()` brings it back, 12\u202f000 times: about 3.10 of 41.0 s."
    )
    assert found.cure == "Keep it on the card."
    assert found.other is not None
    assert found.other.line == 53


def test_what_the_host_changed_on_the_way_is_to_be_computed_on_the_card() -> None:
    out = read(52, "h.cpu()", size=MIB, how="cpu", seconds=1.1, row=7)
    back = moved(55, "g.cuda()", seconds=1.5, row=8)
    trip = Trip(8, 7, "cuda:0", 12_000, 12_000 * MIB, changed=True)
    found = only(*findings(program(seen(copies=[out, back], trips=[trip]))))
    assert found.cure == "Compute that on the card too, and keep it there."


def test_gradients_that_go_the_same_way_back_belong_to_the_trip() -> None:
    copies = [
        read(52, "h.cpu()", size=MIB, how="cpu", seconds=1.1, row=7),
        moved(55, "g.cuda()", seconds=1.5, row=8),
        read(57, "loss.backward()", size=MIB, how="backward", seconds=1.0, row=9),
        replace(moved(57, "loss.backward()", row=10, seconds=1.0), how="backward", asked=False),
    ]
    there = Trip(8, 7, "cuda:0", 12_000, 12_000 * MIB, changed=True)
    gradients = Trip(10, 9, "cuda:0", 12_000, 12_000 * MIB, changed=True)
    found = trip_of(program(seen(copies=copies, trips=[there, gradients])))
    assert found.place == "train.py:52"
    assert found.seconds == pytest.approx(4.6)
    alone = trip_of(program(seen(copies=copies, trips=[gradients])))
    assert alone.place == "train.py:57"


@pytest.mark.parametrize(
    ("workers", "processors", "cure"),
    [
        (0, 16, "num_workers=8, persistent_workers=True"),
        (0, 4, "num_workers=3, persistent_workers=True"),
        (0, None, "num_workers=4, persistent_workers=True"),
        (0, 1, "This computer has one processor, so workers would not help."),
        (2, 16, "Its 2 workers do not keep up. Try num_workers=4"),
        (12, 16, "Try num_workers=16"),
        (4, None, "Try num_workers=8"),
        (
            16,
            16,
            "This computer has 16 processors, so more than 16 workers would not help.",
        ),
    ],
)
def test_a_loader_that_leaves_the_card_idle_is_told_what_this_computer_can_do(
    workers: int, processors: int | None, cure: str
) -> None:
    waits = idle(Why.LOADER, 12.0, line=28, what="loader")
    run = program(seen(loaders=[loader(workers)], idle=[waits]), processors=processors)
    found = only(*findings(run))
    assert found.matter is Matter.LOADER
    assert found.sentence == (
        "train.py:28 `loader` kept the card waiting for 12\u202f000 batches: 12.0 of 41.0 s."
    )
    assert cure in found.cure


def test_workers_that_start_anew_in_each_epoch_are_to_be_kept() -> None:
    waits = idle(Why.LOADER, 12.0, line=28, what="loader", longest=1.1)
    found = only(*findings(program(seen(loaders=[loader(4)], idle=[waits]))))
    assert "The longest wait was 1.10 s: persistent_workers=True" in found.cure


def test_the_first_batch_alone_is_no_finding() -> None:
    waits = idle(Why.LOADER, 4.2, line=28, what="loader", longest=4.0)
    assert findings(program(seen(loaders=[loader(4)], idle=[waits]))) == []


def test_what_the_host_does_at_a_line_is_told() -> None:
    waits = idle(Why.HOST, 13.0, line=61, what="augment(x)", times=12_000)
    found = only(*findings(program(seen(idle=[waits]))))
    assert found.matter is Matter.HOST
    assert found.sentence == (
        "train.py:61 `augment(x)` kept the card waiting for the host, 12\u202f000 times: "
        "13.0 of 41.0 s."
    )


def test_pauses_of_the_host_now_and_then_are_a_finding_where_they_cost_much() -> None:
    little, much = (
        idle(Why.HOST, seconds, line=61, what="augment(x)", times=4000)
        for seconds in (4.0, 9.0)
    )
    assert findings(program(seen(idle=[little]))) == []
    found = only(*findings(program(seen(idle=[much]))))
    assert found.sentence == (
        "train.py:61 `augment(x)` kept the card waiting for the host, 4 000 times: 9.00 of "
        "41.0 s."
    )


def test_a_line_of_several_is_told_with_its_share_of_the_hosts_work() -> None:
    work = [
        idle(Why.HOST, seconds, line=line, what=f"f{line}(x)", row=line, times=12_000)
        for line, seconds in ((61, 14.0), (62, 12.5))
    ]
    first, second = findings(program(seen(idle=work)))
    assert first.sentence == (
        "train.py:61 `f61(x)` kept the card waiting for the host, about 12 000 times: 14.0 of "
        "41.0 s, 53 % of what the host's own work cost."
    )
    assert second.spot.line == 62


def test_work_of_many_lines_is_told_by_the_longest_of_them() -> None:
    work = [
        idle(Why.HOST, 1.5 + line / 1000, line=line, what=f"f{line}(x)", row=line, times=1200)
        for line in range(61, 66)
    ]
    found = only(*findings(program(seen(idle=work))))
    assert found.sentence == (
        "The host's own work at 5 lines kept the card waiting: 7.81 of 41.0 s, 20 % of that at "
        "train.py:65 `f65(x)`."
    )


def test_what_the_host_does_after_a_read_is_its_own_where_it_did_not_wait_so_long() -> None:
    behind = replace(idle(Why.HOST, 18.0, line=90, what="log(x)", row=2), part_of=1)
    wait = idle(Why.READ, 20.0, row=1)
    host, card = findings(program(seen(copies=[read(waited=2.0)], idle=[wait, behind])))
    assert (host.matter, host.spot.line) == (Matter.HOST, 90)
    assert host.seconds == pytest.approx(16.2, rel=0.01)
    assert card.matter == Matter.READ
    assert card.seconds == pytest.approx(2.0)
    only(*findings(program(seen(copies=[read(waited=20.0)], idle=[wait, behind]))))


def test_a_card_that_idles_at_no_one_line_is_not_passed_over() -> None:
    run = program(seen(idle=[idle(Why.HOST, 3.0, line=61, times=12_000)], pauses=0.5))
    assert findings(run) == []
    assert as_a_whole(run, found=False)[0] == (
        "No line stands out, but the card had nothing to do for 3.50 s of 41.0 s: longest at "
        "train.py:61, for 3.00 s."
    )
    run = program(seen(pauses=2.0))
    assert "in pauses from one operation to the next" in as_a_whole(run, found=False)[0]


def test_short_pauses_of_many_lines_are_told_as_one() -> None:
    waits = [
        idle(Why.HOST, 2.0 + 0.1 * n, line=60 + n, what=f"f{n}(x)", times=12_000, row=n)
        for n in range(4)
    ]
    found = only(*findings(program(seen(idle=waits))))
    assert found.sentence == (
        "Between one operation and the next, the card waited 8.60 of 41.0 s for the host, "
        "longest at train.py:63 `f3(x)`."
    )
    assert found.cure.startswith("Give the card more at a time")


def test_a_host_that_is_slower_than_the_card_is_told_though_no_pause_is_long() -> None:
    waits = idle(Why.HOST, 1.0, line=60, what="cell(x, h)", times=8000)
    run = program(seen(idle=[waits], pauses=18.0, modelled=True))
    found = only(*findings(run))
    assert found.sentence == (
        "Between one operation and the next, the card waited 19.0 of 41.0 s for the host, "
        "longest at train.py:60 `cell(x, h)`."
    )
    assert findings(program(seen(idle=[waits], pauses=2.0, modelled=True))) == []


def test_a_pinned_copy_for_which_the_host_waits_is_to_be_non_blocking() -> None:
    found = only(*findings(program(seen(copies=[moved(pinned=True, blocking=True)]))))
    assert found.matter is Matter.BLOCKING
    assert "from pinned memory, and the host waited for it: 3.00 of 41.0 s" in found.sentence
    assert found.cure.startswith("Copy with non_blocking=True")
    full = seen(copies=[moved(pinned=True, blocking=True)], busy=40.8)
    assert findings(program(full)) == []  # the card has work all the time


def test_pauses_between_small_copies_belong_to_them() -> None:
    copies = moved(times=STEPS * 64, size=3 * KIB, bursts=STEPS, seconds=10.0)
    waits = idle(Why.HOST, 3.0, line=30, what='x.to("cuda")')
    found = only(*findings(program(seen(copies=[copies], idle=[waits], pauses=9.0))))
    assert found.matter is Matter.SMALL


def test_checkpoints_that_keep_the_card_waiting_are_told_as_often_as_they_were_made() -> None:
    tensors = read(what="torch.save(state, file)", times=216, bursts=12, how="save", waited=0.1)
    waits = idle(Why.READ, 15.0, what=tensors.what, times=216)
    found = only(*findings(program(seen(copies=[tensors], idle=[waits], steps=60))))
    assert found.sentence.endswith("12 times: the card waited 15.0 of 41.0 s.")
    assert found.cure.startswith("Save less often")
    cheap = idle(Why.READ, 1.0, what=tensors.what, times=216)
    assert findings(program(seen(copies=[tensors], idle=[cheap], steps=60))) == []


def test_a_worker_is_not_advised_where_handing_over_takes_as_long() -> None:
    waits = idle(Why.LOADER, 5.0, line=28, what="loader")
    found = only(*findings(program(seen(loaders=[loader(seconds=6.0)], idle=[waits]))))
    assert found.cure.startswith("A worker needs about as long to hand a batch over")


def test_waits_while_dataparallel_copies_a_model_are_told_with_their_own_cure() -> None:
    copies = moved(what="model(x)", within="torch.nn.parallel.comm", seconds=0.1, pinned=True)
    waits = idle(Why.HOST, 13.0, line=30, what="model(x)")
    found = only(*findings(program(seen(copies=[copies], idle=[waits]))))
    assert "DistributedDataParallel" in found.cure


def test_pauses_that_watching_made_are_no_finding() -> None:
    waits = idle(Why.HOST, 5.0, line=60, what="net(x)", times=12_000)
    assert findings(program(seen(idle=[waits], cost=4.5))) == []
    modelled = seen(idle=[waits], cost=4.5, modelled=True)  # whose clock stood still meanwhile
    assert len(findings(program(modelled))) == 1


def test_what_can_give_back_most_comes_first() -> None:
    run = program(
        seen(
            copies=[read(), moved()],
            idle=[
                idle(Why.READ, 1.5),
                idle(Why.LOADER, 12.0, line=28, what="loader", row=2),
            ],
            loaders=[loader()],
        )
    )
    assert [each.matter for each in findings(run)] == [
        Matter.LOADER,
        Matter.PAGEABLE,
        Matter.READ,
    ]


def test_a_clean_training_is_silent() -> None:
    run = program(
        seen(
            copies=[
                moved(pinned=True, seconds=1.0),
                read(times=120, waited=30.0),
                moved(12, "net.to(dev)", times=40, bursts=1, seconds=0.1, row=9),
            ],
            idle=[
                idle(Why.READ, 0.1, times=120),
                idle(Why.HOST, 0.6, line=33, what="net(x)", row=2),
                idle(Why.LOADER, 0.5, line=28, what="loader", row=3),
            ],
            loaders=[loader(4, seconds=0.6, pins=True)],
        )
    )
    assert findings(run) == []
