"""A watched program lives as it would under `python FILE`, with all that it starts."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpuexplorer.lab.events import Failed, Finished, Printed, Watched
from gpuexplorer.lab.start import Program, Start
from gpuexplorer.lab.wire import Answer
from tests.lab.processes import CARD, PATIENCE, Worker, needs_torch
from tests.lab.sessions import TWO_CARDS

pytestmark = needs_torch
NAME = "train.py"


@dataclass
class Life:
    """What somebody sees of it from outside."""

    out: str
    err: str
    status: int | None


@dataclass
class WatchedLife(Life):
    outcome: Finished | Failed
    notes: list[str]
    seen: list[Watched]

    @property
    def life(self) -> Life:
        return Life(self.out, self.err, self.status)


def plain(code: str, *arguments: str, folder: Path, typed: Sequence[str] = ()) -> Life:
    (folder / NAME).write_text(code, "utf-8")
    done = subprocess.run(
        [sys.executable, NAME, *arguments],
        cwd=folder,
        env=dict(os.environ),  # C may have added to it
        input="".join(f"{each}\n" for each in typed),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=PATIENCE,
        check=False,
    )
    return Life(done.stdout, done.stderr, done.returncode)


def watched(
    code: str,
    *arguments: str,
    folder: Path,
    typed: Sequence[str] = (),
    cards: Sequence[dict[str, object]] = (),
) -> WatchedLife:
    (folder / NAME).write_text(code, "utf-8")
    program = Program(Path(NAME), arguments)
    worker = Worker(Start(program=program, folder=folder, cards=cards, sampled=True))
    for each in typed:
        worker.process.send(Answer(1, each))
    assert worker.listener.end
    outcome = worker.listener.events[-1]
    assert isinstance(outcome, (Finished, Failed)), outcome
    return WatchedLife(
        worker.printed(1),
        worker.printed(1, "err"),
        worker.process.status,
        outcome,
        [each.text for each in worker.said(Printed, 1) if each.stream == "note"],
        worker.said(Watched, 1),
    )


LIVES = {
    "names": """
import sys, os, threading
print(sys.argv, sys.path, __name__, __file__, __spec__, sorted(globals()))
print(sys.modules["__main__"].__dict__ is globals(), sys.flags, sys.getrecursionlimit())
print(sorted(os.environ.items()), os.getcwd())
print([each.name for each in threading.enumerate()], threading.active_count())
print(sys.excepthook is sys.__excepthook__)
""",
    "traceback": """
import traceback

def inner(value):
    traceback.print_stack()
    return 1 / value

def outer():
    try:
        inner(0)
    except ZeroDivisionError as error:
        raise ValueError("outer") from error

outer()
""",
    "own excepthook": """
import sys

def hook(kind, error, trace):
    print("hooked", kind.__name__, error, trace.tb_frame.f_code.co_name, trace.tb_next)

sys.excepthook = hook
raise ValueError("mine")
""",
    "syntax error": "print('before')\nfor x in\n",
    "exit 3": "import sys\nsys.exit(3)\n",
    "killed": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "threads": """
import atexit, threading, time
atexit.register(print, "atexit")
threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()
print("main")
""",
    "fork": """
import atexit, os, sys
atexit.register(lambda: print("atexit", os.getpid() == parent, flush=True))
parent = os.getpid()
child = os.fork()
if child == 0:
    print("child", flush=True)
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
    "multiprocessing by spawn": """
import multiprocessing

def double(x):
    return 2 * x, __name__

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(double, range(2)))
""",
    "input": "name = input('Who? ')\nprint('Hello', name)\n",
}
LONG = "syntax error", "killed", "multiprocessing by spawn"


@pytest.fixture(autouse=True)
def unbuffered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python writes late into a pipe, and at each line into a window."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")


@pytest.mark.parametrize(
    "life",
    [pytest.param(each, marks=pytest.mark.long) if each in LONG else each for each in LIVES],
)
def test_a_program_lives_as_under_python_itself(life: str, tmp_path: Path) -> None:
    code, typed = LIVES[life], ("me",) if life == "input" else ()
    expected = plain(code, "--epochs", "3", folder=tmp_path, typed=typed)
    seen = watched(code, "--epochs", "3", folder=tmp_path, typed=typed)
    assert seen.life == expected
    assert not seen.notes


WITH_TORCH = {
    "as it is": """
import sys, threading
print("torch" in sys.modules)
import torch
print(type(torch.__spec__.loader), torch.cuda.is_initialized(), threading.active_count())
print(torch.initial_seed() > 0, torch.get_num_threads(), torch.get_default_dtype())
def product():
    return torch.ones(1, 3) @ torch.ones(2, 2)
product()
""",
    "surroundings": """
import os, threading, torch
print([each.name for each in threading.enumerate()])
# By the first two, what it starts has the cards, too.
for each in ("PYTHONPATH", "GPUEXPLORER_LAB", "OMP_WAIT_POLICY"):
    os.environ.pop(each, None)
print(sorted(os.environ.items()))
""",
    "numbers": """
import torch, warnings
warnings.simplefilter("ignore")
print(torch.func.vmap(lambda a: a * 2)(torch.ones(3)))
print(torch.jit.trace(lambda a: a + 1, torch.ones(3))(torch.zeros(3)))
""",
}
FAILING_TORCH = """
import torch
x = torch.ones(1, 3, device="cuda")

def product():
    return x @ torch.ones(2, 2, device="cuda")

product()
"""


@pytest.mark.parametrize(
    "life",
    [pytest.param(e, marks=pytest.mark.long) if e != "as it is" else e for e in WITH_TORCH],
)
def test_a_program_with_torch_lives_as_under_python_itself(life: str, tmp_path: Path) -> None:
    """All but the first with a simulated card."""
    code, cards = WITH_TORCH[life], [] if life == "as it is" else [CARD]
    expected = plain(code, folder=tmp_path)
    assert watched(code, folder=tmp_path, cards=cards).life == expected


@pytest.mark.long
def test_a_traceback_on_simulated_cards_is_the_programs_own(tmp_path: Path) -> None:
    life = watched(FAILING_TORCH, folder=tmp_path, cards=[CARD])
    lines = [each for each in life.err.splitlines() if each.startswith("  File")]
    file = tmp_path / "train.py"
    assert lines == [
        f'  File "{file}", line 8, in <module>',
        f'  File "{file}", line 6, in product',
    ]
    assert isinstance(life.outcome, Failed)
    assert [each.line for each in life.outcome.frames] == [8, 6]


def test_with_a_strange_torch_a_program_goes_on_unwatched(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("")
    (tmp_path / "torch" / "version.py").write_text("__version__ = '9.0'\n")
    code = "import torch\nprint(torch.__file__)\n"
    expected = plain(code, folder=tmp_path)
    life = watched(code, folder=tmp_path)
    assert life.life == expected
    assert isinstance(life.outcome, Finished)
    (note,) = life.notes
    assert note.startswith("This PyTorch lacks what the lab needs: ")


@pytest.mark.parametrize(
    ("code", "cause", "words"),
    [
        ("import sys; sys.exit(3)", "ended", "The program ended with status 3."),
        ("import os; os.kill(os.getpid(), 9)", "ended", "The program was killed by somebody"),
        ("import ctypes; ctypes.string_at(0)", "ended", "The program was killed by a memory"),
        ("if", "raised", ""),
    ],
)
def test_a_program_that_fails_says_why(
    code: str, cause: str, words: str, tmp_path: Path
) -> None:
    outcome = watched(code, folder=tmp_path).outcome
    assert isinstance(outcome, Failed)
    assert outcome.cause == cause
    assert outcome.sentence.startswith(words)
    assert outcome.host_seconds is not None


OTHERS = """
import os, subprocess
os.system('true')
subprocess.run('true')
"""
POOLS = """
import multiprocessing
if __name__ == '__main__':
    for way in ('fork', 'spawn'):
        each = multiprocessing.get_context(way).Process(target=print)
        each.start()
        each.join()
"""
LOADERS = """
from torch.utils.data import DataLoader
for _ in DataLoader(range(4), num_workers=2):
    pass
"""


@pytest.mark.parametrize(
    ("code", "children"),
    [
        (OTHERS, (("other program", 2),)),
        (POOLS, (("multiprocessing", 2),)),
        pytest.param(LOADERS, (("loader", 2),), marks=pytest.mark.long),
    ],
)
def test_processes_that_are_not_watched_are_counted_by_kind(
    code: str, children: tuple[tuple[str, int], ...], tmp_path: Path
) -> None:
    life = watched(code, folder=tmp_path)
    assert life.err == ""
    assert life.seen[-1].children == children


TUTORIAL = """
import os
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def demo(rank, world):
    dist.init_process_group("nccl", rank=rank, world_size=world)
    model = nn.Linear(10, 5).to(rank)
    ddp = DDP(model, device_ids=[rank])
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    ddp(torch.randn(20, 10).to(rank)).sum().backward()
    optimizer.step()
    every = [torch.empty_like(model.weight) for _ in range(world)]
    dist.all_gather(every, model.weight.detach())
    if rank == 1:
        print(every[0].device, torch.equal(every[0], model.weight), model.bias.grad)
    dist.destroy_process_group()


if __name__ == "__main__":
    store = dist.TCPStore("localhost", 0, 1, True, wait_for_workers=False)
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(store.port))
    os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "True"
    mp.spawn(demo, args=(2,), nprocs=2)
"""
SHARING = """
import torch
import torch.multiprocessing as mp


def more(queue, done):
    tensor = queue.get()
    tensor += 1
    print(tensor, torch.cuda.memory_allocated(1), flush=True)
    done.set()


if __name__ == "__main__":
    context = mp.get_context("spawn")
    queue, done = context.Queue(), context.Event()
    child = context.Process(target=more, args=(queue, done))
    child.start()
    tensor = torch.ones(2, device="cuda:1")
    queue.put(tensor)
    done.wait()
    print(tensor)
    child.join()
"""
LOADING = """
import torch
from torch.utils.data import DataLoader, Dataset

class There(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return torch.cuda.device_count()

if __name__ == "__main__":
    print(list(DataLoader(There(), num_workers=1, multiprocessing_context="spawn")))
    total = torch.zeros((), device="cuda")
    for batch in DataLoader(range(100), batch_size=10, num_workers=2):
        total += batch.to("cuda").sum()
    print(total.item())
"""
FORKING = """
import os, torch
tensor = torch.ones(2, device="cuda")
if not os.fork():
    for use in (lambda: torch.ones(2, device="cuda"), lambda: tensor + 1):
        try:
            use()
        except RuntimeError as error:
            print(str(error).partition("\\n")[0], flush=True)
    print(torch.ones(2).sum().item(), flush=True)
    os._exit(5)
print(os.waitstatus_to_exitcode(os.wait()[1]), tensor.sum().item())
"""
FORKED = (
    "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you "
    "must use the 'spawn' start method\nCUDA error: initialization error\n2.0\n5 2.0\n"
)
SHARED = "tensor([2., 2.], device='cuda:1')"


@pytest.mark.long
@pytest.mark.parametrize(
    ("code", "out"),
    [
        (FORKING, FORKED),
        (SHARING, f"{SHARED} 0\n{SHARED}\n"),
        (TUTORIAL, "cuda:1 True tensor([20., 20., 20., 20., 20.], device='cuda:1')\n"),
        (LOADING, "[tensor([2]), tensor([2])]\n4950.0\n"),
    ],
)
def test_children_of_each_kind_are_as_on_real_cards(
    code: str, out: str, tmp_path: Path
) -> None:
    assert watched(code, folder=tmp_path, cards=TWO_CARDS).life == Life(out, "", 0)
