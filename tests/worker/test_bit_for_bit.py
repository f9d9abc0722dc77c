"""A training run on a simulated card against plain PyTorch: not a bit differs."""

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.lab.events import Event, Progressed  # noqa: E402 - only where there is torch
from gpuexplorer.lab.wire import Train  # noqa: E402
from gpuexplorer.worker.models import MODELS  # noqa: E402
from gpuexplorer.worker.training import train  # noqa: E402
from tests.worker.benches import Bench, virtual_bench  # noqa: E402

STEPS, BATCH, SEED = 6, 8, 7
IMAGES = (16, 1, 28, 28)
OPTIMISERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9},
    "Adam": {"lr": 0.01},
}
# The model, its arguments, the shape of its inputs, the shape of its targets or their number
# of classes, and the loss.
RUNS: dict[str, tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...] | int, str]] = {
    "MLP": ("mlp", (16, 32, 4), (16, 16), 4, "cross_entropy"),
    "LeNet": ("lenet", (), IMAGES, 10, "cross_entropy"),
    "LSTM": ("lstm", (), (16, 12, 8), (16, 2), "mse_loss"),
    "tiny GPT": ("tiny_gpt", (9, 8, 2, 1), (16, 5), (16, 9, 5), "mse_loss"),
}


# Any throughout: models and tensors are PyTorch's.
def on_the_processor(name: str, optimiser: str) -> tuple[Any, list[float]]:
    kind, sizes, shape, targets, loss = RUNS[name]
    torch.manual_seed(SEED)
    net = MODELS[kind](*sizes)
    inputs = torch.randint(0, 9, shape) if kind == "tiny_gpt" else torch.randn(shape)
    wanted = (
        torch.randint(0, targets, (16,)) if isinstance(targets, int) else torch.randn(targets)
    )
    stepping = getattr(torch.optim, optimiser)(net.parameters(), **OPTIMISERS[optimiser])
    losses = []
    for step in range(STEPS):
        here = slice(step * BATCH % 16, step * BATCH % 16 + BATCH)
        stepping.zero_grad()
        outcome = getattr(torch.nn.functional, loss)(net(inputs[here]), wanted[here])
        outcome.backward()
        stepping.step()
        losses.append(outcome.item())
    return net, losses


def on_a_card(name: str, optimiser: str, bench: Bench) -> list[float]:
    kind, sizes, shape, targets, loss = RUNS[name]
    made = f"torch.randint(0, 9, {shape})" if kind == "tiny_gpt" else f"torch.randn({shape})"
    wanted = (
        f"torch.randint(0, {targets}, (16,))"
        if isinstance(targets, int)
        else f"torch.randn({targets})"
    )
    words = ", ".join(f"{key}={value}" for key, value in OPTIMISERS[optimiser].items())
    bench.run(
        f"torch.manual_seed({SEED})",
        f"net = {kind}({', '.join(map(str, sizes))})",
        f"X = {made}.cuda(1)",
        f"Y = {wanted}.cuda(1)",
        "net = net.cuda(1)",
        f"opt = torch.optim.{optimiser}(net.parameters(), {words})",
    )
    losses: list[float] = []

    def say(event: Event) -> None:
        if isinstance(event, Progressed):
            losses.extend(event.losses)

    command = Train(1, "net", "X", "Y", "opt", loss, STEPS, BATCH)
    with bench.engine.running():
        train(command, bench.things, bench.engine, say, lambda: None)
    return losses


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("name", RUNS)
def test_values_losses_and_gradients_are_those_of_the_processor(
    name: str, optimiser: str
) -> None:
    bench = virtual_bench()
    expected, expected_losses = on_the_processor(name, optimiser)
    losses = on_a_card(name, optimiser, bench)
    assert losses == expected_losses
    with bench.engine.running():
        found = dict(bench.things["net"].named_parameters())
        for each, parameter in expected.named_parameters():
            assert str(found[each].device) == "cuda:1"
            assert torch.equal(found[each].detach().cpu(), parameter)
            assert torch.equal(found[each].grad.cpu(), parameter.grad)
