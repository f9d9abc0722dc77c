"""What a person may get wrong, and a card that is lost: PyTorch's own words, or a sentence, and
the shelf as it was.
"""

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.worker.engine import failed  # noqa: E402
from tests.worker.benches import Bench  # noqa: E402

REFUSED = getattr(torch, "AcceleratorError", RuntimeError)


@pytest.fixture
def fallen(virtual: Bench) -> Bench:
    """Something lies on both cards, and card 1 is gone."""
    virtual.run("A = torch.ones(3).cuda(0)", "B = torch.ones(3).cuda(1)", "H = torch.ones(3)")
    virtual.run("net = nn.Linear(3, 1).cuda(1)", "loss = net(B).sum()")
    virtual.engine.told(["cuda:1"])
    return virtual


def shown(bench: Bench, line: str) -> str:
    """As the loop shows what a line gives."""
    value = bench.run(line)
    with bench.engine.running():
        return repr(value)


@pytest.mark.parametrize(
    "line",
    [
        "A.cuda(1)",
        "H.to('cuda:1')",
        "B[0].item()",
        "loss.backward()",
        "torch.cuda.synchronize(1)",
    ],
)
def test_whatever_reaches_the_lost_card_breaks_the_process(fallen: Bench, line: str) -> None:
    with pytest.raises(REFUSED) as refused:
        shown(fallen, line)
    assert str(refused.value).startswith("CUDA error: unspecified launch failure\n")
    told = failed(1, refused.value)
    assert told.cause == "device broken"
    assert told.sentence.startswith("cuda:1 is lost: the card does not answer any more, and ")


@pytest.mark.parametrize("line", ["A + 1", "H.cuda(0)", "torch.cuda.synchronize(0)", "del B"])
def test_what_does_not_reach_it_goes_on(fallen: Bench, line: str) -> None:
    fallen.run(line)


def test_a_process_that_never_used_it_cannot_begin_to_and_stays_whole(virtual: Bench) -> None:
    virtual.run("A = torch.ones(3).cuda(0)")
    virtual.engine.told(["cuda:1"])
    virtual.run("gpu(1)")  # naming it reaches nothing
    for line in ("B = A.cuda(1)", "B = torch.ones(2, device='cuda:1')"):
        with pytest.raises(REFUSED, match="CUDA error: unknown error") as refused:
            virtual.run(line)
        told = failed(1, refused.value)
        assert told.cause == "device lost"
        assert told.hint.startswith("What is on the shelf is as it was.")
    assert "B" not in virtual.things
    assert virtual.run("float(A.sum())") == 3
    virtual.engine.told([])
    virtual.run("B = A.cuda(1)")
    assert virtual.run("B.tolist()") == [1, 1, 1]
