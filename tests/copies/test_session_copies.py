"""From a real worker on simulated cards to the rows, the timeline and the trace."""

import json
from collections.abc import Iterator

import pytest

from gpuexplorer.copies.hidden_copies import worst_of
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.timeline import Engine, Timeline, Track
from gpuexplorer.copies.trace_file import trace_pieces
from gpuexplorer.lab.wire import Peek, Train
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session

MIB = 1 << 20


@pytest.fixture(scope="module")
def process() -> Iterator[Session]:
    session = Session()
    yield session
    session.stop()


@pytest.fixture
def session(process: Session) -> Session:
    """An empty shelf and an empty ledger."""
    process.forget()
    return process


@needs_torch
def test_lines_of_a_session_are_rows_a_timeline_and_a_trace(session: Session) -> None:
    session.run(
        "X = torch.ones(16, 64, 1024)",
        "Y = X.cuda()",
        "Z = Y.cuda(1)",
        "Z.cuda(1) is Z",
        "log = []",
        "for i in range(1000): log += [Z.sum().item()]",
        "Z",
        "net = nn.Linear(4, 4).cuda()",
    )
    session.command(lambda number: Peek(number, "Z[0]"))
    book, timeline = CopyBook(), Timeline()
    book.take(session.ledger)
    timeline.take(session.ledger, book)
    rows = {row.line: row for row in book.rows}
    assert [row.what for row in book.of_line(2)] == ["X"]
    assert (rows[2].intact, rows[2].host_side, rows[2].bytes) == (True, "pageable", 4 * MIB)
    assert (rows[3].path, rows[3].intact) == ("staged through host memory", True)
    assert rows[4].already_there
    assert sum(row.copies for row in book.of_line(6)) == 1000
    assert rows[7].what == "print(Z)"
    assert (rows[8].copies, rows[8].asked, rows[8].intact) == (2, True, True)
    worst = worst_of(book)
    assert worst is not None
    assert worst.sentence.startswith(".item() moved 4 B to the host 1000 times. ")
    assert worst.cure.startswith("Keep the log on the card and move it once: about ")
    assert {Track("cuda:1", Engine.COMPUTE), Track("cuda:1", Engine.COPY_OUT)} <= set(
        timeline.tracks
    )
    assert timeline.modelled
    whole = json.loads(b"".join(trace_pieces(timeline, book, simulated=True)))
    assert len(whole["traceEvents"]) > 400


@needs_torch
def test_a_training_run_tells_when_it_fetched_its_losses(session: Session) -> None:
    session.run(
        "net = mlp(8, 8, 2).cuda()",
        "X = torch.randn(64, 8).cuda()",
        "Y = torch.randint(0, 2, (64,)).cuda()",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
    )
    entry = session.command(
        lambda number: Train(number, "net", "X", "Y", "opt", "cross_entropy", 50, 16)
    )
    assert {(each.how, each.what, each.asked) for each in entry.transfers} == {
        ("tolist", "loss", False)
    }
    assert sum(each.bytes for each in entry.transfers) == 50 * 4
    assert 0 < len(entry.spans) <= 60
