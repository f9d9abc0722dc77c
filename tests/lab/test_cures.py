"""Cures: each is a line that works, with its price."""

import importlib.util
from collections.abc import Iterator

import pytest

from gpuexplorer.lab.cure import Cure
from gpuexplorer.lab.cures import cures
from gpuexplorer.lab.events import Failed
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
    assert [each.lines for each in found] == [("net.cpu()(X)",), ("net(X.cuda(1))",)]
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
    delete = next(each for each in found if each.frees_bytes)
    assert (delete.lines[0], delete.frees_bytes, delete.enough) == ("del A", 120 << 20, False)
    (half,) = [each for each in found if each.halves]
    assert half.lines == (
        "B = torch.ones(50, 1024, 1024, device='cuda:0', dtype=torch.float16)",
    )
    labels = {str(each.label): each for each in found}
    assert labels["The same on cuda:1"].lines == (
        "B = torch.ones(50, 1024, 1024, device='cuda:1')",
    )
    assert session.run(*half.lines).state == "done"


def test_what_would_not_fit_either_is_not_offered(session: Session) -> None:
    session.run("torch.cuda.set_per_process_memory_fraction(0.01)")  # 245.76 MiB
    session.run("A = torch.ones(30, 1024, 1024, device='cuda:0')")
    too_large = "B = torch.ones(80, 1024, 1024, device='cuda:0')"
    delete, *elsewhere = offered(session, too_large)
    assert (delete.lines[0], delete.enough) == ("del A", False)
    assert [each.label for each in elsewhere] == ["The same on cpu", "The same on cuda:1"]
    session.run("del A")
    assert any(each.halves for each in offered(session, too_large))
    session.run("torch.cuda.set_per_process_memory_fraction(1.0)")
    larger_than_a_card = "torch.ones(13, 1024, 1024, 1024, device='cuda:0')"
    (on_cpu,) = offered(session, larger_than_a_card)
    assert on_cpu.label == "The same on cpu"


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        (
            "Y = X.cuda(5)",
            ["Y = X.to(try_gpu(5))", "Y = X.cuda(0)", "Y = X.cuda(1)"],
        ),
        (
            "Y = X.to('cuda:5') + 1",
            ["Y = X.to(try_gpu(5)) + 1", "Y = X.to('cuda:0') + 1", "Y = X.to('cuda:1') + 1"],
        ),
        (
            "Y = torch.ones(2, device=gpu(5))",
            [
                "Y = torch.ones(2, device=try_gpu(5))",
                "Y = torch.ones(2, device='cuda:0')",
                "Y = torch.ones(2, device='cuda:1')",
            ],
        ),
        (
            "Y = torch.ones(2, device=5)",
            [
                "Y = torch.ones(2, device=try_gpu(5))",
                "Y = torch.ones(2, device='cuda:0')",
                "Y = torch.ones(2, device='cuda:1')",
            ],
        ),
        (
            "Y = X.to(torch.device('cuda:5'))",
            [
                "Y = X.to(try_gpu(5))",
                "Y = X.to(torch.device('cuda:0'))",
                "Y = X.to(torch.device('cuda:1'))",
            ],
        ),
        (
            "torch.cuda.get_device_name(5)",
            ["torch.cuda.get_device_name(0)", "torch.cuda.get_device_name(1)"],
        ),
        (
            "net = nn.Linear(3, 1).cuda(5)",
            [
                "net = nn.Linear(3, 1).to(try_gpu(5))",
                "net = nn.Linear(3, 1).cuda(0)",
                "net = nn.Linear(3, 1).cuda(1)",
            ],
        ),
    ],
)
def test_a_card_that_is_not_there_may_be_another_or_the_processor(
    session: Session, line: str, lines: list[str]
) -> None:
    session.run("X = torch.ones(2, 3)")
    found = offered(session, line)
    assert [each.lines for each in found] == [(each,) for each in lines]
    for each in found:
        assert session.run(*each.lines).state == "done"


def test_what_moves_to_another_card_has_its_price(session: Session) -> None:
    session.run("X = torch.ones(2, 3, device='cuda:1')")
    falls_back, first, second = offered(session, "Y = X.cuda(5)")
    assert [each.copied_bytes for each in (falls_back, first, second)] == [24, 24, 0]
    (copy,) = falls_back.copies
    assert (copy.name, copy.source, copy.target) == ("X", "cuda:1", "cpu")
    assert falls_back.label == ("The same on the processor, and on cuda:5 where there is one")


def test_numpy_is_cured_by_a_copy_to_the_host_and_that_has_its_price(session: Session) -> None:
    session.run("X = torch.ones(2, 3, device='cuda:1')")
    (cure,) = offered(session, "A = X.numpy()")
    assert cure.lines == ("A = X.cpu().numpy()",)
    (copy,) = cure.copies
    assert (copy.name, copy.source, copy.target, copy.bytes) == ("X", "cuda:1", "cpu", 24)
    assert session.run(*cure.lines).state == "done"
    (unnamed,) = offered(session, "A = (X + 1).numpy()")
    assert unnamed.lines == ("A = (X + 1).cpu().numpy()",)
    assert session.run(*unnamed.lines).state == "done"


def test_numpy_wants_values_without_their_history(session: Session) -> None:
    session.run("W = torch.ones(2, requires_grad=True)", "V = W.cuda(1)")
    (on_host,) = offered(session, "A = W.numpy()")
    (on_card,) = offered(session, "A = V.numpy()")
    assert on_host.lines == ("A = W.detach().numpy()",)
    assert on_card.lines == ("A = V.detach().cpu().numpy()",)
    for each in (on_host, on_card):
        assert session.run(*each.lines).state == "done"


def test_in_place_of_a_lost_card_the_others_are_offered(session: Session) -> None:
    session.run("X = torch.ones(2, 3, device='cuda:0')")
    line = "Y = X.cuda(1)"
    error = "AcceleratorError", "CUDA error: unknown error"
    failed = Failed(99, "device lost", *error, lost=("cuda:1",))
    found = cures(failed, line, session.ledger)
    assert [each.lines for each in found] == [("Y = X.cuda(0)",), ("Y = X.cpu()",)]
    assert [each.copied_bytes for each in found] == [0, 24]
    broken = Failed(99, "device broken", *error, lost=("cuda:1",))
    assert cures(broken, line, session.ledger) == found
    session.run("del X")  # it went with the worker, and was not made again yet
    assert cures(broken, line, session.ledger) == []


def test_a_line_that_is_wrong_has_no_cure(session: Session) -> None:
    assert offered(session, "X = torch.onse(3)") == []
    assert offered(session, "torch.ones(2) @ torch.ones(3)") == []
