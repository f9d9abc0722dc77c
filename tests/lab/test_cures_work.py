"""What is offered where a cell failed, carried out by a worker on two simulated cards."""

import pytest

from gpuexplorer.lab.cures import Cure, cures
from gpuexplorer.lab.ledger import Cell
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session

pytestmark = needs_torch

MAKE = "X = torch.ones(2, 3, device='cuda:0')\nY = torch.rand(2, 3, device='cuda:1')"
NET = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 1)

    def forward(self, x):
        return self.out(x)  # where its parameters are


net = Net().cuda()
"""


def failing(session: Session, *cells: str) -> tuple[Cell, list[Cure]]:
    *before, last = cells
    for code in before:
        assert session.run(code).state == "done"
    cell = session.run(last)
    assert cell.failed is not None
    return cell, cures(cell.failed, cell, session.ledger)


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        ((MAKE, "# both\nZ = X + Y"), "Z = X + Y.cuda(0)"),
        ((MAKE, NET, "print(net(Y).shape)"), "print(net(Y.cuda(0)).shape)"),
        ((MAKE, "X + torch.ones(3)"), "X + torch.ones(3, device='cuda:0')"),
        ((MAKE, "nets = [nn.Linear(3, 1).cuda()]", "nets[0](Y)"), "nets[0](Y.cuda(0))"),
        ((MAKE, "X.to('cuda:1')\nZ = X + Y"), "X = X.to('cuda:1')"),
        (
            ("place = torch.device('cuda:7')", "Q = torch.ones(2, device=place)"),
            "place = torch.device('cuda:7' if torch.cuda.device_count() > 7 else 'cpu')",
        ),
        (
            (
                "torch.cuda.set_per_process_memory_fraction(0.01)",
                "A = torch.ones(30, 1024, 1024, device='cuda:0')\nview = A[0]",
                "B = torch.ones(50, 1024, 1024, device='cuda:0')",
            ),
            "del A, view",
        ),
    ],
)
def test_the_first_way_on_helps(session: Session, cells: tuple[str, ...], first: str) -> None:
    cell, found = failing(session, *cells)
    assert found[0].shown == (first,)
    for code in found[0].cells:
        cured = session.run(code, cures=cell.id)
        assert cured.state == "done", cured.failed
    session.run("torch.cuda.set_per_process_memory_fraction(1.0)")


@pytest.mark.parametrize(
    "code", ["X = torch.onse(3)", "1 / 0", "if", "torch.ones(2) @ missing"]
)
def test_what_is_wrong_itself_has_no_cure(session: Session, code: str) -> None:
    assert failing(session, code)[1] == []
