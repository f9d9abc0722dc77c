"""What a program or a cell with simulated cards starts has them, too."""

from pathlib import Path

import pytest

from gpuexplorer.lab.start import Start
from tests.lab.processes import Worker, needs_torch
from tests.lab.sessions import TWO_CARDS
from tests.worker.programs import Life, watched

pytestmark = needs_torch

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
LAUNCHED = """
import os, subprocess, sys
import torch.distributed as dist
if "RANK" in os.environ:
    dist.init_process_group("nccl")
    import torch
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    values = torch.full((1,), float(dist.get_rank()) + 1, device="cuda")
    dist.all_reduce(values)
    if not dist.get_rank():
        print(values, flush=True)
    dist.destroy_process_group()
else:
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    subprocess.run([*launch, "--nproc-per-node=2", __file__], stderr=subprocess.DEVNULL)
"""


def test_a_tensor_on_a_card_goes_through_a_queue_of_spawned_processes(tmp_path: Path) -> None:
    life = watched(SHARING, folder=tmp_path, cards=TWO_CARDS)
    seen = "tensor([2., 2.], device='cuda:1')"
    assert life.life == Life(f"{seen} 0\n{seen}\n", "", 0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("code", "out"),
    [
        (TUTORIAL, "cuda:1 True tensor([20., 20., 20., 20., 20.], device='cuda:1')\n"),
        (LOADING, "[tensor([2]), tensor([2])]\n4950.0\n"),
        (FORKING, FORKED),
        (LAUNCHED, "tensor([3.], device='cuda:0')\n"),
    ],
)
def test_children_of_each_kind_are_as_on_real_cards(
    code: str, out: str, tmp_path: Path
) -> None:
    life = watched(code, folder=tmp_path, cards=TWO_CARDS)
    assert life.life == Life(out, "", 0)


@pytest.mark.long
def test_what_a_cell_starts_has_its_cards(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import torch\n\ndef run(rank):\n    print(rank, torch.cuda.device_count())\n"
        "if __name__ == '__main__':\n    run('alone')\n"
    )
    worker = Worker(Start(cards=TWO_CARDS, folder=tmp_path))
    try:
        worker.run("import mine, sys, torch\ntorch.multiprocessing.spawn(mine.run, nprocs=1)\n")
        worker.run('!"{sys.executable}" mine.py')
        assert (worker.printed(1), worker.printed(2)) == ("0 2\n", "alone 2\n")
    finally:
        worker.process.stop()
