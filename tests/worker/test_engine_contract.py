"""Every engine, one contract: what is made on a device is there, and stays the same thing."""

import pytest

torch = pytest.importorskip("torch")

from tests.worker.benches import Bench  # noqa: E402 - only where there is torch


def test_what_is_there_already_is_not_copied(bench: Bench) -> None:
    bench.run("X = torch.ones(2, 3, device='{0}')")
    assert bench.run("X.to('{0}') is X")
    assert not bench.run("X.to('{0}', copy=True) is X")
    assert not bench.run("X.to(torch.float64) is X")
    assert not bench.run("X.clone() is X or X.detach() is X")
    assert bench.run("X.contiguous() is X.float() is torch.as_tensor(X, device='{0}') is X")


def test_a_moved_model_is_the_same_model_with_the_same_parameters(bench: Bench) -> None:
    bench.run("net = nn.Linear(3, 1)", "W = net.weight", "known = {W: 1}")
    bench.run("opt = torch.optim.SGD(net.parameters(), lr=0.5)", "moved = net.to('{0}')")
    assert bench.run("moved is net")
    assert bench.run("net.weight is W and known[net.weight] == 1")
    assert str(bench.run("W.device")) == bench.devices[0]
    before = bench.run("W.sum().item()")
    bench.run("net(torch.ones(2, 3, device='{0}')).sum().backward()", "opt.step()")
    assert bench.run("W.sum().item()") == pytest.approx(before - 0.5 * 2 * 3)


def test_saved_parameters_come_back_on_the_device_that_is_asked_for(
    bench: Bench, tmp_path: object
) -> None:
    path = f"{tmp_path}/net.pt"
    bench.run("net = nn.Linear(3, 2).to('{0}')", f"torch.save(net.state_dict(), {path!r})")
    bench.run("W = net.weight")
    for place, device in (
        ("'cpu'", "cpu"),
        ("'{1}'", bench.devices[1]),
        (None, bench.devices[0]),
    ):
        bench.run(f"kept = torch.load({path!r}, map_location={place})", "A = kept['weight']")
        assert str(bench.run("A.device")) == device
        assert torch.equal(bench.values("A"), bench.values("W"))
    bench.run("other = nn.Linear(3, 2).to('{1}')", "other.load_state_dict(kept)")
    bench.run("B = other.weight")
    assert torch.equal(bench.values("B"), bench.values("W"))


def test_the_placement_log_tells_where_each_operation_ran(bench: Bench) -> None:
    bench.logged = True
    bench.run("X = torch.ones(2, 3, device='{0}')", "Y = X + X", "Y")
    here = bench.run("X.device")
    assert f"ones: {here}" in bench.placement
    assert f"add: {here}" in bench.placement
    told = len(bench.placement)
    bench.logged = False
    bench.run("X * 2")
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
