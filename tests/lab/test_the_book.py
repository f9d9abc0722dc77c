"""Every step of the section "GPUs", as its courses do it, and the script it leaves."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuexplorer.lab.cures import cures
from gpuexplorer.lab.script import script
from gpuexplorer.lab.wire import Train
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session

pytestmark = needs_torch


@pytest.fixture(scope="module")
def process() -> Iterator[Session]:
    session = Session()
    yield session
    session.stop()


@pytest.fixture
def session(process: Session) -> Session:
    """With an empty shelf, and switches as they are at the start."""
    process.run("log_placement(False)")
    process.run("torch.cuda.set_per_process_memory_fraction(1.0, 1)")
    process.forget()
    return process


@pytest.fixture
def fresh() -> Iterator[Session]:
    """In a process of its own: nothing was done there before."""
    session = Session()
    yield session
    session.stop()


def said(session: Session, line: str) -> str:
    """What a line answers, or the words with which it is refused."""
    entry = session.run(line)
    if entry.failed is not None:
        return f"{entry.failed.error}: {entry.failed.message}"
    return "\n".join(entry.printed)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("torch.device('cpu'), torch.device('cuda'), torch.device('cuda:1')", "type='cuda'"),
        ("torch.cuda.device_count(), num_gpus()", "(2, 2)"),
        ("cpu(), gpu(1)", "cuda', index=1"),
        ("try_gpu(), try_gpu(10), try_all_gpus()", "device(type='cpu')"),
        ("torch.tensor([1, 2, 3]).device", "cpu"),
        ("torch.ones(2, 3, device=try_gpu())", "device='cuda:0'"),
        ("torch.rand(2, 3, device=try_gpu(1))", "device='cuda:1'"),
        ("torch.cuda.get_device_name(0)", "TITAN RTX"),
    ],
)
def test_devices_are_named_and_picked(session: Session, line: str, answer: str) -> None:
    assert answer in said(session, line)


def test_the_first_tensor_of_a_card_costs_a_context(fresh: Session) -> None:
    made = fresh.run("X = torch.ones(2, 3, device=try_gpu())")
    assert made.memory_before == {}
    memory = made.memory_after["cuda:0"]
    assert made.allocated_bytes("cuda:0") == 512
    assert memory.reserved_bytes == 2 << 20
    assert (memory.context_bytes or 0) > 100 << 20


def test_two_cards_are_not_added_and_the_cure_is_a_copy(session: Session) -> None:
    session.run("X = torch.ones(2, 3, device=try_gpu())", "Y = torch.rand(2, 3, device=gpu(1))")
    entry = session.run("X + Y")
    assert entry.failed is not None
    assert entry.failed.cause == "devices differ"
    assert "X.cuda(1) + Y" in [
        each.lines[0] for each in cures(entry.failed, "X + Y", session.ledger)
    ]
    copied = session.run("Z = X.cuda(1)")
    assert [(each.source, each.target, each.bytes) for each in copied.transfers] == [
        ("cuda:0", "cuda:1", 24)
    ]
    assert "device='cuda:1'" in said(session, "Y + Z")
    there = session.run("Z.cuda(1) is Z")
    assert there.printed == ["True"]
    (nothing,) = there.transfers
    assert (nothing.already_there, nothing.bytes, nothing.target) == (True, 0, "cuda:1")


def test_a_net_computes_where_its_parameters_are(session: Session) -> None:
    session.run("X = torch.ones(2, 3, device=try_gpu())")
    session.run("net = nn.Sequential(nn.LazyLinear(1)).to(device=try_gpu())")
    assert "device='cuda:0'" in said(session, "net(X)")
    assert "cuda" in said(session, "net[0].weight.data.device")


def test_a_log_kept_on_the_card_is_moved_once(session: Session) -> None:
    session.run("A = torch.rand(100, 100, device=try_gpu())", "log = []", "kept = []")
    each_time = session.run("for i in range(20): log += [(A @ A).norm().item()]")
    at_the_end = session.run("for i in range(20): kept += [(A @ A).norm()]")
    assert len(each_time.transfers) == 20
    assert at_the_end.transfers == []
    assert session.run("stacked = torch.stack(kept).cpu()").transfers[0].bytes == 80
    assert "True" in said(session, "torch.allclose(torch.tensor(log), stacked)")


def test_more_than_the_card_holds_is_refused_in_torchs_words(session: Session) -> None:
    entry = session.run("B = torch.zeros(100000, 100000, device=gpu(0))")
    assert entry.failed is not None
    assert entry.failed.cause == "out of memory"
    assert "37.25 GiB" in entry.failed.message


def test_the_switches_of_the_other_book_have_their_lines(session: Session) -> None:
    session.run("log_placement(True)")
    logged = session.run("C = torch.ones(2, device=gpu(1)) + 1")
    assert logged.placement == ["ones: cuda:1", "add: cuda:1"]
    session.run("torch.cuda.set_per_process_memory_fraction(0.01, 1)")
    capped = session.run("D = torch.zeros(20000, 20000, device=gpu(1))")
    assert capped.failed is not None
    assert capped.failed.cause == "out of memory"
    assert session.run("with torch.device('cpu'): E = torch.ones(2)").failed is None
    assert "cpu" in said(session, "E.device")


def test_a_net_on_several_cards_gets_a_bigger_batch(session: Session) -> None:
    session.run("net = nn.DataParallel(nn.Linear(3, 1).to(try_gpu()))")
    session.run("batch = torch.ones(8, 3, device=try_gpu())")
    assert "[8, 1]" in said(session, "net(batch).shape")


def test_the_session_runs_by_itself_on_whatever_there_is(
    session: Session, tmp_path: Path
) -> None:
    session.run(
        "X = torch.ones(2, 3, device=try_gpu())",
        "Y = torch.rand(2, 3, device=try_gpu(1))",
        "X + Y",
        "Z = X.cuda(1)",
        "Y + Z",
        "Z.cuda(1) is Z",
        "net = nn.Sequential(nn.Linear(3, 1)).to(device=try_gpu())",
        "net(X).shape",
        "log = []",
        "for i in range(3): log += [(X @ X.T).norm().item()]",
        "log",
    )
    written = tmp_path / "session.py"
    written.write_text(script(session.ledger), "utf-8")
    ran = subprocess.run(
        [sys.executable, written], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert "True" in ran.stdout
    assert "torch.Size([2, 1])" in ran.stdout
    assert "X + Y\n" not in written.read_text("utf-8")


def test_pytorch_warns_of_targets_that_do_not_fit_the_outputs(session: Session) -> None:
    session.run(
        "net = nn.Linear(3, 1)",
        "X = torch.ones(2, 3)",
        "Y = torch.ones(2, 3)",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
    )
    entry = session.command(
        lambda number: Train(number, "net", "X", "Y", "opt", "mse_loss", 5, 2)
    )
    (said,) = entry.printed
    assert said.startswith("UserWarning: Using a target size (torch.Size([2, 3]))")
