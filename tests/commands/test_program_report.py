"""What stands on the terminal when a program that was watched is over."""

from dataclasses import replace

import pytest

from gpuexplorer.commands.program_report import report
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Failed, Finished, Frame, Why
from gpuexplorer.programs.program_run import cards_of
from tests.programs.made import FILE, KIB, idle, loader, moved, program, read, seen

DONE = Finished(1, 41.0)
WIDTHS = (80, 100, 200)
FULL = seen(
    copies=[
        read(),
        moved(),
        moved(41, "t.cuda()", times=640_000, size=KIB, bursts=10_000, seconds=7.99, row=5),
        *(moved(100 + n, f"x{n}.cuda()", times=1, seconds=1e-3, row=20 + n) for n in range(30)),
    ],
    idle=[idle(Why.READ, 1.5), idle(Why.LOADER, 12.0, line=28, what="loader", row=2)],
    loaders=[loader()],
    children=[("DataLoader", 4), ("multiprocessing", 1)],
)


@pytest.mark.parametrize("width", WIDTHS)
def test_all_of_it_fits_a_terminal(width: int) -> None:
    lines = report(program(FULL, DONE, cards=4), width).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_a_line_says_where_what_and_how_much_at_any_width(width: int) -> None:
    text = report(program(FULL, DONE), width)
    (line,) = [each for each in text.splitlines() if each.startswith("train.py:84")]
    assert [each in line for each in ("loss.item()", "12\u202f000", "1.50 s")] == [True] * 3
    assert "and 26 more." in text  # of 34 lines


def test_its_end_stands_first_then_what_was_watched_then_what_would_help() -> None:
    text = report(program(FULL, DONE), 200)
    assert text.startswith(
        "train.py ended. It ran for 41.0 s.\n"
        "All of it was watched: 12\u202f000 steps of the optimizer. Watching took about 800 ms "
        "(2 %).\n"
        "Not watched: 5 other processes (DataLoader and multiprocessing).\n"
        "\n"
        "Card      Busy  Copying  Idle after reads  Idle for batches  Idle for the host\n"
        "cuda:0  30.0 s   11.0 s            1.50 s            12.0 s                0 s\n"
        "\n"
        "What would help, and how much of the time it could save at most:\n"
        " 29 %  train.py:28 `loader` kept the card waiting for 12\u202f000 batches: 12.0 of "
        "41.0 s.\n"
        "       Let workers prepare batches"
    )


def test_what_a_line_did_not_do_is_left_empty() -> None:
    text = report(program(FULL, DONE), 100)
    [line] = [each for each in text.splitlines() if each.startswith("train.py:28")]
    assert line.split() == ["train.py:28", "loader", "12.0", "s"]


def test_the_number_of_a_line_and_its_file_are_whole_also_where_its_name_is_long() -> None:
    named = replace(read(1234), file=str(FILE.with_name("train_with_log_per_minibatch.py")))
    text = report(program(seen(copies=[named]), DONE), 80)
    assert "\ntrain_with_log_per_minibatch.py:1234  loss.item()" in text


def test_figures_that_are_of_a_part_say_so() -> None:
    run = program(seen(copies=[read()], seen_seconds=4.1, seen_steps=1200), DONE)
    text = report(run, 100)
    assert (
        "1\u202f200 of 12\u202f000 steps of the optimizer, 4.10 s of 41.0 s, were watched"
        in text
    )
    assert "figures are of these" in text
    assert "figures are of these" not in report(program(FULL, DONE), 100)


def test_modelled_times_are_called_so() -> None:
    said = "The cards are simulated, and all times are modelled."
    assert said in report(program(seen(modelled=True), DONE), 100)
    assert said not in report(program(FULL, DONE), 100)


def test_nothing_found_is_one_sentence_with_what_was_looked_at() -> None:
    text = report(program(seen(copies=[read(times=120)]), DONE), 200)
    assert "What would help" not in text
    assert "Nothing stands out. Looked at: reads that make a card wait," in text


def test_a_card_that_was_not_used_is_named() -> None:
    assert "cuda:1 was not used." in report(program(FULL, DONE, cards=2), 100)
    text = report(program(FULL, DONE, cards=3), 100)
    assert "cuda:1 and cuda:2 were not used." in text


def test_without_any_card_it_says_how_to_simulate_some() -> None:
    bare = seen(busy=0.0, steps=0, step="")
    text = report(program(bare, DONE, cards=0), 200)
    assert "This PyTorch has no card, so nothing could be copied." in text
    assert "--simulate 2xTitanRTX+idle" in text
    assert "No card was used." in report(program(bare, DONE, cards=2), 100)
    launcher = replace(bare, children=(("multiprocessing", 2),))
    text = report(program(launcher, DONE, cards=2), 100)
    assert "The program used no card itself. What it started was not watched." in text
    assert "No card was used." not in text


def test_a_device_without_memory_is_no_card() -> None:
    nowhere = replace(moved(), target="meta")
    assert "meta" not in [
        each.device for each in cards_of(program(seen(copies=[nowhere]), DONE))
    ]


LEFT = Failed(1, "ended", "", "", Message("It ended with status 3."), host_seconds=3.0)
LOST = Message("The worker ended without a word.")


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [
        (
            Failed(
                1,
                "error",
                "ZeroDivisionError",
                "division by zero",
                frames=(Frame(0, 12, file=str(FILE)),),
                host_seconds=2.0,
            ),
            1,
            "train.py failed with ZeroDivisionError in train.py:12. It ran for 2.00 s.",
        ),
        (Failed(1, "error", "KeyError", "x"), 1, "train.py failed with KeyError."),
        (Failed(1, "cancelled", "KeyboardInterrupt", ""), 130, "train.py was stopped."),
        (LEFT, 3, "train.py ended with status 3. It ran for 3.00 s."),
        (Finished(1, 3.0), 3, "train.py ended with status 3. It ran for 3.00 s."),
        (Failed(1, "worker lost", "", "", LOST), -9, "train.py was ended by SIGKILL."),
        (
            Failed(1, "worker lost", "", "", LOST),
            None,
            "train.py did not come to its end. The worker ended without a word.",
        ),
    ],
)
def test_the_first_line_says_how_it_ended(
    end: Finished | Failed, status: int | None, said: str
) -> None:
    text = report(program(end, status=status), 100)
    assert text.splitlines()[0] == said
    assert "Nothing was watched." in text


def test_while_it_runs_the_report_says_how_far_it_got() -> None:
    text = report(program(FULL, status=None), 100)
    assert text.startswith("train.py is running. So far: 41.0 s.\n")
