"""Cures: each is a line that works, with its price."""

import importlib.util
from collections.abc import Iterator

import pytest

from gpuexplorer.lab.cures import Cure, cures
from gpuexplorer.lab.wire import Run
from tests.lab.sessions import Session

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="there is no torch here"
)


@pytest.fixture(scope="module")
def process() -> Iterator[Session]:
    session = Session()
    yield session
    session.stop()


@pytest.fixture
def session(process: Session) -> Session:
    process.forget()
    process.run("torch.cuda.set_per_process_memory_fraction(1.0)", "torch.cuda.empty_cache()")
    return process


def offered(session: Session, line: str) -> list[Cure]:
    entry = session.run(line)
    assert entry.failed is not None
    return cures(entry.failed, line, session.ledger)


def test_two_tensors_on_two_cards_can_meet_in_three_places(session: Session) -> None:
    session.run("X = torch.ones(2, 3).cuda(0)", "Y = torch.ones(200, 3).cuda(1)")
    found = offered(session, "Z = X + Y[:2]")
    assert [each.label for each in found] == ["X.cuda(1)", "Y.cuda(0)", "X.cpu(), Y.cpu()"]
    assert [each.lines for each in found] == [
        ("Z = X.cuda(1) + Y[:2]",),
        ("Z = X + Y.cuda(0)[:2]",),
        ("Z = X.cpu() + Y.cpu()[:2]",),
    ]
    assert [each.copied_bytes for each in found] == [24, 2400, 2424]
    (copy,) = found[0].copies
    assert (copy.name, copy.source, copy.target) == ("X", "cuda:0", "cuda:1")


def test_every_cure_that_is_offered_works(session: Session) -> None:
    session.run("net = nn.Linear(3, 1).cuda(1)", "X = torch.ones(2, 3)")
    failed = session.run("net(X)")
    assert failed.failed is not None
    found = cures(failed.failed, failed.code, session.ledger)
    assert [each.label for each in found] == ["net.cpu()", "X.cuda(1)"]
    for cure in found:
        session.run("net.cuda(1)")
        for line in cure.lines:
            entry = session.command(lambda n, line=line: Run(n, line), cures=failed.id)  # type: ignore[misc]  # mypy cannot infer this default
            assert entry.state == "done", entry.failed
        assert failed.cured_by == entry.id


def test_what_has_no_name_is_met_where_it_is(session: Session) -> None:
    session.run("X = torch.ones(3).cuda(1)")
    (cure,) = offered(session, "X + torch.ones(3)")
    assert cure.lines == ("X.cpu() + torch.ones(3)",)


def test_out_of_memory_offers_room_less_and_elsewhere(session: Session) -> None:
    session.run("torch.cuda.set_per_process_memory_fraction(0.01)")
    session.run("A = torch.ones(30, 1024, 1024, device='cuda:0')", "s = torch.ones(1).cuda()")
    found = offered(session, "B = torch.ones(50, 1024, 1024, device='cuda:0')")
    labels = {each.label: each for each in found}
    assert labels["del A (not enough by itself)"].frees_bytes == 120 << 20
    half = labels["half the bytes: dtype=torch.float16"]
    assert half.lines == (
        "B = torch.ones(50, 1024, 1024, device='cuda:0', dtype=torch.float16)",
    )
    assert labels["on cuda:1"].lines == ("B = torch.ones(50, 1024, 1024, device='cuda:1')",)
    assert session.run(*half.lines).state == "done"


def test_a_line_that_is_wrong_has_no_cure(session: Session) -> None:
    assert offered(session, "X = torch.onse(3)") == []
    assert offered(session, "torch.ones(2) @ torch.ones(3)") == []
