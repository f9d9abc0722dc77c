"""Simulated cards do what CUDA does: refusals, questions, streams, memory, numbers."""

import gc
import os
import re

import pytest

pytest.importorskip("torch")

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.worker.engines import host_memory
from tests.worker.benches import Bench, start_anew, virtual_bench


def _found(one: str, other: str) -> str:
    return (
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{one} and {other}!"
    )


def _got(operand: str, here: str, others: str, method: str) -> str:
    return (
        f"Expected all tensors to be on the same device, but got {operand} is on {here}, "
        f"different from other tensors on {others} (when checking argument in method "
        f"wrapper_CUDA_{method})"
    )


DIFFER = {
    "X + Y": _found("cuda:0", "cuda:1"),
    "torch.ones(2, 3) * X": _found("cuda:0", "cpu"),
    "X @ Y.T": _got("mat2", "cuda:1", "cuda:0", "mm"),
    "torch.ones(2, 3) @ X.T": _got("mat2", "cuda:0", "cpu", "mm"),
    "nn.Linear(3, 1).cuda(0)(Y)": _got("mat1", "cuda:1", "cuda:0", "addmm"),
    "torch.cat([X, Y])": _got("tensors", "cuda:1", "cuda:0", "cat"),
    "nn.Embedding(4, 2).cuda(0)(torch.tensor([1]))": _got(
        "index", "cpu", "cuda:0", "_index_select"
    ),
    "F.cross_entropy(X, torch.tensor([0, 1]))": _got(
        "target", "cpu", "cuda:0", "nll_loss_forward"
    ),
    "nn.Conv2d(1, 1, 2).cuda(0)(torch.ones(1, 1, 3, 3))": (
        "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be "
        "the same"
    ),
    "X[torch.tensor([0]).cuda(1)]": (
        "indices should be either on cpu or on the same device as the indexed tensor (cuda:0)"
    ),
}


@pytest.fixture
def two(virtual: Bench) -> Bench:
    virtual.run("X = torch.ones(2, 3, device='cuda:0')", "Y = torch.rand(2, 3).cuda(1)")
    return virtual


@pytest.mark.parametrize("line", DIFFER)
def test_operands_on_two_devices_are_refused_as_real_cards_refuse_them(
    two: Bench, line: str
) -> None:
    with pytest.raises(RuntimeError) as refused:
        two.run(line)
    assert str(refused.value) == DIFFER[line]


def test_a_card_that_is_not_there_is_an_invalid_ordinal(two: Bench) -> None:
    for line in ("X.cuda(2)", "X.to('cuda:7')", "torch.ones(2, device='cuda:5')"):
        with pytest.raises(torch.AcceleratorError, match="CUDA error: invalid device ordinal"):
            two.run(line)


def test_numpy_needs_the_host(two: Bench) -> None:
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        two.run("X.numpy()")
    assert two.run("X.requires_grad_().numpy(force=True)").tolist() == [[1, 1, 1], [1, 1, 1]]


NOT_OFFERED = {
    "torch.ones(2, 2).cuda().to_sparse()": "sparse tensors",
    "torch.sparse_coo_tensor([[0], [1]], [1.0], (2, 2), device='cuda')": "sparse tensors",
    "nn.Embedding(3, 2, sparse=True).cuda()(X[0].long()).sum().backward()": "sparse tensors",
    "torch.from_dlpack(X)": "DLPack",
    "X.__cuda_array_interface__": "__cuda_array_interface__",
    "torch.cuda.CUDAGraph()": "CUDA graphs",
    "torch.export.export(nn.Linear(3, 1).cuda(), (X,))": "torch.export",
    "torch.cuda.MemPool()": "pools of memory",
    "torch.cuda.ExternalStream(1)": "streams of other programs",
    "torch.cuda.memory._record_memory_history()": "snapshots of memory",
    "torch.cuda.utilization()": "questions to NVML",
    "torch.cuda.current_blas_handle()": "torch.cuda.current_blas_handle",
    "torch.set_default_tensor_type('torch.cuda.FloatTensor')": "set_default_tensor_type",
    "torch.jit.script(nn.Linear(3, 1)).cuda()": "modules of torch.jit",
    "torch.jit.trace(nn.Linear(3, 1).cuda(), X)": "modules of torch.jit",
    "torch.nested.nested_tensor([X, X])": "nested tensors",
}


@pytest.mark.parametrize("line", NOT_OFFERED)
@pytest.mark.filterwarnings("ignore")
def test_what_is_not_offered_says_so_by_name(two: Bench, line: str) -> None:
    with pytest.raises(NotImplementedError) as refused:
        two.run(line)
    assert str(refused.value).startswith("Simulated cards do not offer ")
    assert NOT_OFFERED[line] in str(refused.value)


def test_data_parallel_spreads_a_batch_over_all_cards(virtual: Bench) -> None:
    virtual.run("net, X = nn.Linear(3, 2).cuda(0), torch.randn(8, 3).cuda(0)")
    virtual.run("Y = nn.DataParallel(net)(X)", "Y.sum().backward()")
    assert torch.allclose(virtual.values("Y"), virtual.run("net(X).detach().cpu()"))
    assert virtual.run("str(Y.device), str(net.weight.grad.device)") == ("cuda:0", "cuda:0")


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


def test_after_one_seed_all_cards_draw_alike_and_unlike_the_host(virtual: Bench) -> None:
    virtual.run("torch.manual_seed(3); host = torch.rand(3)")
    virtual.run("a = torch.rand(3, device='cuda:0'); b = torch.rand(3, device='cuda:1')")
    assert virtual.run("torch.equal(a.cpu(), b.cpu())")
    assert not virtual.run("torch.equal(a.cpu(), host)")
    virtual.run("g = torch.Generator('cuda:1').manual_seed(3)")
    assert virtual.run("torch.equal(torch.rand(3, device='cuda:1', generator=g), b)")


ASSERTING = {
    "x[i]": "index out of bounds",
    "x.gather(0, i)": "idx_dim < index_size",
    "nn.Embedding(3, 2).cuda()(i)": "srcIndex < srcSelectDimSize",
    "F.cross_entropy(w.T, i[[0, 0]]).backward()": "t >= 0 && t < n_classes",
    "F.binary_cross_entropy(x * 5, x)": "input_val <= one",
    "torch.multinomial(-x, 1)": "input[0] != 0",
}


@pytest.fixture
def ready(virtual: Bench) -> Bench:
    virtual.run(
        "x, i = torch.ones(3, device='cuda'), torch.tensor([5], device='cuda')",
        "w = torch.ones(3, 2, device='cuda', requires_grad=True)",
    )
    return virtual


@pytest.mark.parametrize("line", ASSERTING)
def test_an_index_out_of_range_is_told_at_the_next_wait_and_ends_the_card(
    ready: Bench, line: str, capfd: pytest.CaptureFixture[str]
) -> None:
    told = "CUDA error: device-side assert triggered"
    with ready.engine.running():
        exec(line, ready.things)
        exec("z = x + 1", ready.things)  # a kernel more, which computes nothing
        with pytest.raises(torch.AcceleratorError, match=told):
            exec("z.sum().item()", ready.things)
        with pytest.raises(torch.AcceleratorError, match=told):
            exec("torch.ones(2, device='cuda')", ready.things)
        exec("torch.ones(2, device='cuda:1')", ready.things)
    assert ASSERTING[line] in capfd.readouterr().err


def test_with_launch_blocking_it_is_told_in_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "CUDA_LAUNCH_BLOCKING", "1")
    start_anew()
    bench = virtual_bench()
    bench.run("x, i = torch.ones(3, device='cuda'), torch.tensor([5], device='cuda')")
    with bench.engine.running(), pytest.raises(torch.AcceleratorError, match="assert"):
        exec("x[i]", bench.things)


WHOLE = "torch.ones(2, 2, dtype=torch.long, device='cuda')"
LACKING = {
    f"{WHOLE} @ {WHOLE}": "\"addmm_cuda\" not implemented for 'Long'",
    "torch.fft.fft(torch.ones(8, device='cuda').half())": "transforms of half precision",
    "torch._scaled_mm(e, e.t(), o, o)": "compute capability >= 9.0 or 8.9",
}


@pytest.mark.parametrize("line", LACKING)
def test_what_cuda_lacks_is_refused_in_its_words(virtual: Bench, line: str) -> None:
    virtual.run("e = torch.ones(16, 16, device='cuda').to(torch.float8_e4m3fn)")
    virtual.run("o = torch.ones(1, device='cuda')")
    with pytest.raises(RuntimeError) as refused:
        virtual.run(line)
    assert LACKING[line] in str(refused.value)


@pytest.mark.filterwarnings("ignore:Simulated cards do not offer")
def test_compiled_code_runs_as_it_is_and_says_so(virtual: Bench) -> None:
    with pytest.warns(UserWarning, match=r"do not offer torch\.compile: .* runs as it is"):
        virtual.run("f = torch.compile(nn.Linear(3, 1).cuda(), backend='eager')")
    assert virtual.run("f(torch.ones(2, 3).cuda()).shape") == torch.Size([2, 1])
    virtual.run("@torch.compile\ndef g(x): return x * 2", "net = nn.Linear(3, 1)")
    assert virtual.run("net.compile()", "g(torch.ones(2)).tolist()") == [2, 2]


MIB = 1 << 20


def allocated(bench: Bench) -> int:
    return int(bench.run("torch.cuda.memory_allocated(0)"))


def reserved(bench: Bench) -> int:
    return int(bench.run("torch.cuda.memory_reserved(0)"))


@pytest.mark.parametrize(
    ("size", "taken", "segment"),
    [
        (1, 512, 2 * MIB),
        (MIB, MIB, 2 * MIB),
        (MIB + 1, MIB + 512, 20 * MIB),
        (11 * MIB, 11 * MIB, 12 * MIB),
    ],
)
def test_memory_is_given_out_in_blocks_and_taken_in_segments(
    virtual: Bench, size: int, taken: int, segment: int
) -> None:
    virtual.run(f"X = torch.empty({size}, dtype=torch.uint8, device='cuda:0')")
    # A large block is split off only where more than 1 MiB is left over.
    assert allocated(virtual) in (taken, segment)
    assert reserved(virtual) == segment


def test_a_view_takes_nothing_and_keeps_what_it_shows(virtual: Bench) -> None:
    virtual.run("X = torch.ones(1000, device='cuda:0')", "V = X[10:20]", "W = X.view(10, 100)")
    assert allocated(virtual) == 4096
    virtual.run("del X, W")
    assert allocated(virtual) == 4096
    virtual.run("del V")
    assert allocated(virtual) == 0
    assert reserved(virtual) == 2 * MIB


def test_out_of_memory_says_torchs_words_and_its_figures_add_up() -> None:
    bench = virtual_bench(memory_bytes=1 << 30)
    bench.run("X = torch.ones(25, 1024, 1024, device='cuda:0')")
    with pytest.raises(torch.OutOfMemoryError) as refused:
        bench.run("Y = torch.ones(300, 1024, 1024, device='cuda:0')")
    text = str(refused.value)
    assert text.startswith(
        "CUDA out of memory. Tried to allocate 1.17 GiB. GPU 0 has a total capacity of 1.00 GiB"
        " of which 234.00 MiB is free. "
    )
    mib = [float(size) for size in re.findall(r"([\d.]+) MiB", text)]
    free, others, mine, in_tensors = mib
    assert free + others + mine == 1024
    assert in_tensors == 100
    assert "and 0 bytes is reserved by PyTorch but unallocated" in text
    assert allocated(bench) == 100 * MIB
    bench.run("Y = torch.ones(10, 1024, 1024, device='cuda:0')")


def test_a_result_that_does_not_fit_is_refused_before_it_is_computed() -> None:
    bench = virtual_bench(memory_bytes=1 << 30)
    bench.run("X = torch.ones(8000, 1, device='cuda:0')", "Y = torch.ones(1, 40000).cuda()")
    for line in ("X @ Y", "X + Y"):
        with pytest.raises(torch.OutOfMemoryError, match=r"Tried to allocate 1\.19 GiB"):
            bench.run(line)


def test_the_hosts_limit_is_told_from_the_cards(
    virtual: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_memory, "free_bytes", lambda: 1 << 30)
    with pytest.raises(Trouble) as refused:
        virtual.run("X = torch.ones(1024, 1024, 1024, device='cuda:0')")
    assert refused.value.sentence == (
        "The simulated card would have room for 4.0 GiB, the computer has not: the values lie "
        "in the computer's own memory, of which 1.0 GiB are free."
    )
    assert refused.value.hint.endswith("On a real card only the card's memory would count.")
