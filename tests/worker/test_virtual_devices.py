"""What a person asks of simulated cards beyond tensors: streams, generators, several cards."""

import gc
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tests.worker.benches import Bench  # noqa: E402 - only where there is torch

ANSWERS = {
    "torch.cuda.is_available(), torch.cuda.device_count()": (True, 2),
    "torch.cuda.get_device_name(), torch.cuda.get_device_name(1)": ("NVIDIA TITAN RTX",) * 2,
    "repr(torch.device('cuda')), str(torch.device('cuda'))": ("device(type='cuda')", "cuda"),
    "torch.device('cuda:1') == torch.device('cuda', 1) == torch.device(1)": True,
    "torch.ones(1).cuda().type()": "torch.cuda.FloatTensor",
    "torch.ones(1).cuda(1).get_device(), torch.ones(1).get_device()": (1, -1),
    "torch.cuda.get_arch_list()": ["sm_75"],
    "torch.cuda.can_device_access_peer(0, 1)": True,
    "torch.accelerator.is_available(), torch.accelerator.device_count()": (True, 2),
    "torch.cuda.memory_summary().count('Allocated memory')": 1,
    "torch.cuda.current_stream() == torch.cuda.default_stream()": True,
    "torch.cuda.mem_get_info()[1] >> 30": 24,
    "repr(torch.cuda.get_device_properties(0))[:63]": (
        "_CudaDeviceProperties(name='NVIDIA TITAN RTX', major=7, minor=5"
    ),
}


@pytest.mark.parametrize("line", ANSWERS)
def test_a_question_about_cards_gets_an_answer(virtual: Bench, line: str) -> None:
    assert virtual.run(line) == ANSWERS[line]


def test_threads_compute_on_cards_of_their_own(virtual: Bench) -> None:
    virtual.run("""
import threading
from concurrent.futures import ThreadPoolExecutor
found = {}
def work(card):
    torch.cuda.set_device(card)
    x = torch.ones(3, device='cuda', requires_grad=True)
    (x * 2).sum().backward()
    found[card] = (str(x.device), x.grad.tolist())
threads = [threading.Thread(target=work, args=(card,)) for card in (0, 1)]
[each.start() for each in threads]; [each.join() for each in threads]
with ThreadPoolExecutor(2) as pool:
    made = pool.map(lambda card: torch.rand(2, device=f'cuda:{card}'), (0, 1))
    pooled = [str(each.device) for each in made]
""")
    assert virtual.things["found"] == {card: (f"cuda:{card}", [2.0] * 3) for card in (0, 1)}
    assert virtual.things["pooled"] == ["cuda:0", "cuda:1"]
    assert virtual.run("torch.cuda.current_device()") == 0


def test_nothing_is_kept_when_its_names_go(virtual: Bench) -> None:
    """Without a collection: what refers to itself would lie on the card until the next."""
    virtual.run("""
def work():
    net = nn.Sequential(nn.Linear(30, 30), nn.ReLU(), nn.Linear(30, 3)).cuda()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.randn(5, 30).cuda()
    loss = F.cross_entropy(net(x), torch.tensor([0, 1, 2, 0, 1]).cuda())
    loss.backward()
    opt.step()
    y = x[x > 0].sort()[0].cumsum(0)
    z = torch.cat([x, x]).split(5)[0].to('cuda:1').cpu()
    return loss.item()
work()
""")
    assert virtual.run("torch.cuda.memory_allocated(0)") <= 30 * 1024  # optimisers hold on
    gc.collect()
    assert virtual.run("torch.cuda.memory_allocated(0)") == 0
    virtual.run("X = torch.ones(1000).cuda()", "Y = (X * 2 + 1)[10:]", "del X, Y")
    assert virtual.run("torch.cuda.memory_allocated(0)") == 0


def test_autocast_casts_by_pytorchs_rules(virtual: Bench) -> None:
    virtual.run("""
x = torch.rand(2, 4).cuda()
net = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4)).cuda()
attention = nn.MultiheadAttention(4, 2).cuda()
def kinds():
    made = net[0](x), net(x), x @ x.T, x.softmax(1), x + x, attention(x, x, x)[0]
    made += (x.double() @ x.T.double(),)
    return [str(each.dtype).removeprefix('torch.') for each in made]
with torch.autocast('cuda'):
    half = kinds()
with torch.amp.autocast('cuda', dtype=torch.bfloat16):
    brain = kinds()
    with torch.autocast('cuda', enabled=False):
        within = str((x @ x.T).dtype)
after = str((x @ x.T).dtype)
with torch.autocast('cuda'):
    host = str((x.cpu() @ x.cpu().T).dtype)
""")
    lower = ["{0}", "float32", "{0}", "float32", "float32", "{0}", "float64"]
    assert virtual.things["half"] == [each.format("float16") for each in lower]
    assert virtual.things["brain"] == [each.format("bfloat16") for each in lower]
    assert {virtual.things[each] for each in ("within", "after", "host")} == {"torch.float32"}


def test_what_is_printed_is_marked_as_pytorch_marks_it(virtual: Bench) -> None:
    shown: dict[str, Any] = {
        "torch.ones(2).cuda()": "tensor([1., 1.], device='cuda:0')",
        "torch.ones(2, dtype=torch.half).cuda(1)": (
            "tensor([1., 1.], device='cuda:1', dtype=torch.float16)"
        ),
        "nn.Parameter(torch.ones(1).cuda())": (
            "Parameter containing:\ntensor([1.], device='cuda:0', requires_grad=True)"
        ),
        "f'{torch.ones(1).cuda()[0]:.3f}'": "'1.000'",
    }
    for line, text in shown.items():
        assert repr(virtual.run(line)) == text


def test_the_current_card_can_be_chosen_in_every_way(virtual: Bench) -> None:
    assert virtual.run(
        """
with torch.cuda.device(1):
    a = torch.ones(1, device='cuda').device.index
with torch.cuda.device_of(torch.ones(1, device='cuda:1')):
    b = torch.cuda.current_device()
torch.cuda.set_device('cuda:1')
c = torch.ones(1).cuda().device.index
torch.cuda.set_device(0)
a, b, c, torch.cuda.current_device()
"""
    ) == (1, 1, 1, 0)
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        virtual.run("torch.cuda.set_device(5)")
