"""Every engine, one contract: what a line gives on a card is what it gives on the processor."""

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble  # noqa: E402 - only where there is torch
from tests.worker.benches import Bench, cpu_bench  # noqa: E402

# What is compared afterwards is called A, B and C; inputs come from the processor's generator.
PROGRAMS = {
    "made in place": """
        A = torch.arange(12, device='{0}', dtype=torch.float32)
        B = torch.linspace(0, 1, 7, device='{0}')
        C = torch.eye(3, device='{0}') + torch.full((3, 3), 2.5, device='{0}')
    """,
    "made like another": """
        X = torch.randn(3, 4).to('{0}')
        A = torch.ones_like(X)
        B = torch.zeros_like(X, dtype=torch.int64)
        C = torch.full_like(X, 7.0)
    """,
    "arithmetic": """
        X = torch.randn(5, 7).to('{0}')
        Y = torch.randn(5, 7).to('{0}')
        A = (X + Y * 2 - 1) / (Y.abs() + 0.5)
        B = X.exp().log1p().sqrt()
        C = torch.where(X > Y, X, Y)
    """,
    "products": """
        X = torch.randn(17, 33).to('{0}')
        Y = torch.randn(33, 9).to('{0}')
        A = X @ Y
        B = torch.bmm(X[None].repeat(3, 1, 1), Y[None].repeat(3, 1, 1))
        C = torch.einsum('ij,jk->ki', X, Y)
    """,
    "reductions": """
        X = torch.randn(64, 33).to('{0}')
        A = X.sum(0)
        B = X.softmax(1).max(1)[0]
        C = torch.logsumexp(X, 1) + X.var(1) + X.median()
    """,
    "views share their memory": """
        X = torch.zeros(4, 6).to('{0}')
        V = X.view(2, 12)
        V[0] = 1
        W = X.T
        W += 2
        X[1:3, ::2].mul_(10)
        A = X
        B = V
        C = W.contiguous()
    """,
    "in place": """
        A = torch.randn(3, 3).to('{0}')
        B = A
        B.add_(1).mul_(2).clamp_(-1, 3)
        B -= 0.5
        C = B.clone().fill_(3)
    """,
    "out": """
        X = torch.randn(3, 3).to('{0}')
        A = torch.empty(3, 3, device='{0}')
        torch.add(X, 1, out=A)
        B = torch.empty(3, 3, device='{0}')
        torch.matmul(X, X, out=B)
        C = A
    """,
    "indexing": """
        X = torch.arange(20.0).reshape(4, 5).to('{0}')
        rows = torch.tensor([0, 2, 2]).to('{0}')
        A = X[rows]
        B = X[X > 7]
        X[rows, 1] = -1
        X[torch.tensor([3])] = 0
        C = X
    """,
    "dtypes": """
        X = torch.randn(6, 6).to('{0}')
        A = X.double() @ X.double()
        B = X.to(torch.int32).float() + X.half().float()
        C = X.to('{0}', torch.bfloat16).float()
    """,
    "joining": """
        X = torch.randn(4, 3).to('{0}')
        A = torch.cat([X, X * 2], 1)
        B = torch.stack([X, X]).permute(2, 0, 1)
        C = A.split(2, 1)[1] + A.chunk(3, 1)[0]
    """,
    "gradients": """
        W = torch.randn(3, 3).to('{0}').requires_grad_()
        X = torch.randn(8, 3).to('{0}')
        loss = ((X @ W).tanh() ** 2).mean()
        loss.backward()
        A = W.grad
        loss = (X @ W).sum()
        loss.backward()
        B = W.grad.clone()
        W.grad = torch.zeros_like(W)
        C = W.grad
    """,
    "across devices": """
        W = torch.randn(3, 3).to('{0}').requires_grad_()
        X = torch.randn(4, 3).to('{1}')
        H = X.to('{0}') @ W
        loss = (H.to('{1}') * X).sum()
        loss.backward()
        A = W.grad
        B = loss.detach()
        C = X.cpu()
    """,
    "stochastic gradient descent": """
        net = nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 2)).to('{0}')
        X = torch.randn(9, 5).to('{0}')
        Y = torch.randn(9, 2).to('{0}')
        opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
        A = net[0].weight
        B = net[2].bias
        C = loss.detach()
    """,
    "Adam": """
        net = nn.Linear(5, 2).to('{0}')
        X = torch.randn(9, 5).to('{0}')
        opt = torch.optim.Adam(net.parameters(), lr=0.1)
        loss = net(X).pow(2).mean()
        loss.backward()
        opt.step()
        opt.step()
        A = net.weight
        B = net.bias
        C = loss.detach()
    """,
    "a model that is moved after its optimiser was made": """
        net = nn.Linear(3, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.5)
        net.to('{0}')
        loss = net(torch.ones(2, 3).to('{0}')).sum()
        loss.backward()
        opt.step()
        A = net.weight
        B = net.bias
        C = net.weight.grad
    """,
    "convolution": """
        net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.MaxPool2d(2))
        net.to('{0}')
        X = torch.randn(2, 3, 8, 8).to('{0}').requires_grad_()
        A = net(X)
        loss = A.square().mean()
        loss.backward()
        B = X.grad
        C = net[0].weight.grad
    """,
    "embedding and layer norm": """
        E = nn.Embedding(10, 6).to('{0}')
        N = nn.LayerNorm(6).to('{0}')
        words = torch.tensor([[1, 2, 9], [0, 0, 3]]).to('{0}')
        A = N(E(words))
        loss = A.pow(3).sum()
        loss.backward()
        B = E.weight.grad
        C = N.weight.grad
    """,
    "LSTM": """
        net = nn.LSTM(4, 8, batch_first=True).to('{0}')
        A = net(torch.randn(2, 5, 4).to('{0}'))[0]
        loss = A.sum()
        loss.backward()
        B = A
        C = A
    """,
    "transformer layer": """
        net = nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True).to('{0}')
        A = net(torch.randn(2, 5, 8).to('{0}'))
        loss = A.pow(2).sum()
        loss.backward()
        B = A
        C = A
    """,
    "losses": """
        P = torch.randn(6, 4).to('{0}')
        T = torch.tensor([0, 3, 1, 2, 2, 0]).to('{0}')
        A = F.cross_entropy(P, T)
        B = nn.MSELoss()(P, torch.ones(6, 4).to('{0}'))
        C = nn.BCEWithLogitsLoss()(P, torch.ones(6, 4, device='{0}'))
    """,
    "a number of the host goes with any card": """
        X = torch.randn(3).to('{0}')
        A = X * torch.tensor(2.0)
        B = torch.tensor(1.0) + X
        C = 3 - X
    """,
    "the lab's models": """
        net = tiny_gpt(letters=9, width=8, heads=2, blocks=1).to('{0}')
        A = net(torch.tensor([[1, 2, 3]]).to('{0}'))
        cnn = small_cnn().to('{0}')
        B = cnn(torch.randn(2, 3, 8, 8).to('{0}'))
        seq = lstm().to('{0}')
        C = seq(torch.randn(2, 4, 8).to('{0}'))
    """,
    "assigned data": """
        A = torch.ones(2, 2).to('{0}')
        B = A.data
        B.mul_(3)
        C = torch.zeros(2, 2).to('{0}')
        C.data = A * 2
    """,
}


def lines_of(program: str) -> list[str]:
    return [line.strip() for line in program.splitlines() if line.strip()]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_device_computes_what_the_processor_computes(name: str, bench: Bench) -> None:
    torch.manual_seed(3)
    bench.run(*lines_of(PROGRAMS[name]))
    reference = cpu_bench()
    torch.manual_seed(3)
    reference.run(*lines_of(PROGRAMS[name]))
    for outcome in ("A", "B", "C"):
        expected, found = reference.values(outcome), bench.values(outcome)
        assert found.dtype == expected.dtype
        if bench.engine.hello().simulated or bench.devices[0] == "cpu":
            assert torch.equal(found, expected)
        else:
            # Tensor cores round what a layer multiplies to ten bits, unless told not to.
            assert torch.allclose(found.double(), expected.double(), rtol=1e-2, atol=1e-2)


def test_what_was_made_on_a_device_says_so(bench: Bench) -> None:
    bench.run("X = torch.ones(2, 3, device='{1}')", "net = nn.Linear(3, 1).to('{1}')")
    assert str(bench.run("X.device")) == bench.devices[1]
    assert str(bench.run("net(X).device")) == bench.devices[1]
    assert str(bench.run("net.weight.data.device")) == bench.devices[1]


def test_what_is_there_already_is_not_copied(bench: Bench) -> None:
    bench.run("X = torch.ones(2, 3, device='{0}')")
    assert bench.run("X.to('{0}') is X")
    assert not bench.run("X.to('{0}', copy=True) is X")
    assert not bench.run("X.to(torch.float64) is X")
    assert not bench.run("X.clone() is X")


def test_a_moved_model_is_the_same_model_with_the_same_parameters(bench: Bench) -> None:
    bench.run("net = nn.Linear(3, 1)", "W = net.weight", "moved = net.to('{0}')")
    assert bench.run("moved is net")
    assert bench.run("net.weight is W")
    assert str(bench.run("W.device")) == bench.devices[0]


def test_a_model_can_be_moved_back_while_a_graph_still_holds_it(bench: Bench) -> None:
    bench.run("net = nn.Linear(3, 1).to('{0}')", "loss = net(torch.ones(3).to('{0}')).sum()")
    bench.run("net.cpu()")
    assert str(bench.run("net.weight.device")) == "cpu"
    assert bench.run("net(torch.ones(3)).shape") == (1,)


def test_nothing_remembers_gradients_under_no_grad(bench: Bench) -> None:
    bench.run("W = torch.ones(2, device='{0}', requires_grad=True)")
    bench.run("with torch.no_grad(): Y = W * 2")
    assert bench.run("W.requires_grad")
    assert not bench.run("Y.requires_grad")


def test_one_value_comes_to_the_host(bench: Bench) -> None:
    bench.run("X = torch.tensor([1.5, 2.5], device='{0}')")
    assert bench.run("X.sum().item()") == 4.0
    assert bench.run("X.tolist()") == [1.5, 2.5]
    assert bench.run("float(X[0])") == 1.5
    assert bench.run("X.cpu().tolist()") == [1.5, 2.5]


def test_saved_parameters_come_back_on_the_device_that_is_asked_for(
    bench: Bench, tmp_path: object
) -> None:
    path = f"{tmp_path}/net.pt"
    bench.run("net = nn.Linear(3, 2).to('{0}')", f"torch.save(net.state_dict(), {path!r})")
    bench.run(f"kept = torch.load({path!r}, map_location='cpu')")
    bench.run("A = kept['weight']")
    assert str(bench.run("A.device")) == "cpu"
    bench.run("W = net.weight")
    assert torch.equal(bench.values("A"), bench.values("W"))
    bench.run(f"kept = torch.load({path!r}, map_location='{{1}}')", "B = kept['weight']")
    assert str(bench.run("B.device")) == bench.devices[1]
    bench.run(f"same = torch.load({path!r})", "C = same['bias']")
    assert str(bench.run("C.device")) == bench.devices[0]
    bench.run("other = nn.Linear(3, 2).to('{1}')", "other.load_state_dict(kept)")
    bench.run("D = other.weight")
    assert torch.equal(bench.values("D"), bench.values("A"))


def test_operands_of_the_wrong_shape_get_torchs_own_words(bench: Bench) -> None:
    bench.run("X = torch.ones(2, 3, device='{0}')")
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        bench.run("X @ X")


def test_a_word_this_torch_does_not_have_is_named(bench: Bench) -> None:
    with pytest.raises(Trouble, match=r"has no torch\.no_such_word"):
        bench.engine.word("torch.no_such_word")


def test_random_numbers_can_be_put_back(bench: Bench) -> None:
    before = bench.engine.random_state()
    assert before == bench.engine.random_state()
    first = bench.run("torch.rand(5)")
    assert before != bench.engine.random_state()
    bench.engine.set_random_state(before)
    assert torch.equal(first, bench.run("torch.rand(5)"))


def test_gradients_lie_where_their_tensor_is_and_add_up(bench: Bench) -> None:
    bench.run("X = torch.rand(4, 4, device='{0}', requires_grad=True)")
    bench.run("s = X.sum()", "s.backward()", "q = (2 * X).sum()", "q.backward()")
    assert bench.run("X.grad.device") == bench.run("X.device")
    assert bench.run("(X.grad == 3).all().item()") is True


def test_the_placement_log_tells_where_each_operation_ran(bench: Bench) -> None:
    bench.run("log_placement(True)", "X = torch.ones(2, 3, device='{0}')", "Y = X + X", "Y")
    here = bench.run("X.device")
    assert f"ones: {here}" in bench.placement
    assert f"add: {here}" in bench.placement
    told = len(bench.placement)
    bench.run("log_placement(False)", "X * 2")
    assert len(bench.placement) == told


def test_a_lazy_layer_is_on_its_device_when_the_first_batch_tells_its_shape(
    bench: Bench,
) -> None:
    bench.run("torch.manual_seed(1)", "X = torch.ones(2, 3, device='{0}')")
    bench.run("net = nn.Sequential(nn.LazyLinear(1)).to('{0}')")
    out = bench.run("net(X)")
    assert out.device == bench.run("net[0].weight.data.device") == bench.things["X"].device
    bench.run("opt = torch.optim.SGD(net.parameters(), lr=0.1)", "net(X).sum().backward()")
    before = bench.run("net[0].weight.sum().item()")
    bench.run("opt.step()")
    assert bench.run("net[0].weight.sum().item()") == pytest.approx(before - 0.1 * 2 * 3)
