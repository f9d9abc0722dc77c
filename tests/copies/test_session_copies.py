"""From a real worker on simulated cards to the rows, the timeline and the trace."""

import json
from collections.abc import Iterator

import pytest

from gpuexplorer.copies.copy_book import CopyBook, worst_of
from gpuexplorer.copies.timeline import Engine, Timeline, Track, trace_pieces
from gpuexplorer.lab.wire import Peek
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
def test_cells_of_a_session_are_rows_a_timeline_and_a_trace(session: Session) -> None:
    session.run(
        "X = torch.ones(16, 64, 1024)",
        "Y = X.cuda()",
        "Z = Y.cuda(1)",
        "Z.cuda(1) is Z",
        "def read(log):\n    log.append(Z.sum().item())",
        "log = []\nfor i in range(1000):\n    read(log)",
        "Z",
        "net = nn.Linear(4, 4).cuda()",
    )
    session.look(lambda number: Peek(number, "Z[0]"))
    book, timeline = CopyBook(), Timeline()
    book.take(session.ledger)
    timeline.take(session.ledger, book)
    rows = {row.ran: row for row in book.rows}
    assert [row.what for row in book.of_cell(2)] == ["X.cuda()"]
    assert (rows[2].intact, rows[2].host_side, rows[2].bytes) == (True, "pageable", 4 * MIB)
    assert (rows[3].path, rows[3].intact) == ("staged through host memory", True)
    assert rows[4].already_there
    assert sum(row.copies for row in book.of_cell(6)) == 1000
    assert (rows[6].place, rows[6].what) == ("5:2", "Z.sum().item()")
    assert (rows[7].what, rows[7].how) == ("Z", "display")
    assert (rows[8].copies, rows[8].asked, rows[8].intact) == (2, True, True)
    worst = worst_of(book)
    assert worst is not None
    assert worst.sentence.startswith("Z.sum().item() moved 4 B to the host 1000 times. ")
    assert worst.cure.startswith("Keep the log on the card and move it once. That takes about ")
    assert {
        Track("cuda:1", each, "SIM-1") for each in (Engine.COMPUTE, Engine.COPY_OUT)
    } <= set(timeline.tracks)
    assert timeline.modelled
    whole = json.loads(b"".join(trace_pieces(timeline, book, simulated=True)))
    assert len(whole["traceEvents"]) >= 50
