"""What stands on the terminal when a program that was watched is over."""

from dataclasses import replace

import pytest

from gpuexplorer.commands.lab import report
from gpuexplorer.lab.events import Finished, Watched, Why
from tests.programs.made import KIB, idle, loader, moved, program, read, seen

DONE = Finished(1, 41.0)
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


BARE = seen(busy=0.0, steps=0, step="")
PART = "1\u202f200 of 12\u202f000 steps of the optimizer, 4.10 s of 41.0 s, were watched"


@pytest.mark.parametrize(
    ("watched", "cards", "said"),
    [
        (seen(copies=[read()], seen_seconds=4.1, seen_steps=1200), 1, PART),
        (seen(copies=[read()], seen_seconds=4.1, seen_steps=1200), 1, "figures are of these"),
        (seen(modelled=True), 1, "The cards are simulated, and all times are modelled."),
        (
            seen(copies=[read(times=120)]),
            1,
            "Nothing stands out. Looked at: reads that make a card wait,",
        ),
        (FULL, 2, "cuda:1 was not used."),
        (FULL, 3, "cuda:1 and cuda:2 were not used."),
        (BARE, 0, "This PyTorch has no card, so nothing could be copied."),
        (BARE, 0, "--simulate 2xTitanRTX+idle"),
        (BARE, 2, "No card was used."),
        (
            replace(BARE, children=(("multiprocessing", 2),)),
            2,
            "The program used no card itself. What it started was not watched.",
        ),
    ],
)
def test_the_whole_is_said_in_sentences_where_it_is_so(
    watched: Watched, cards: int, said: str
) -> None:
    text = report(program(watched, DONE, cards=cards), 200)
    assert said in text
    assert not ("Nothing stands out" in text and "What would help" in text)
    assert not ("No card was used." in text and "used no card itself" in text)
    assert said not in report(program(FULL, DONE, cards=1), 200)
