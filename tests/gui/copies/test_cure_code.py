"""A cell's own code, changed such that it copies less."""

import pytest

from gpuexplorer.gui.copies.moving.cures import code_by_host, cure_code

KEPT = "torch.stack(log).tolist()"


@pytest.mark.parametrize(
    ("code", "line", "cured"),
    [
        (
            "log = []\nfor x in L:  #\n    log.append(float(f(x)))\n    go()",
            3,
            f"log = []\nfor x in L:  #\n    log.append(f(x).detach())\n    go()\nlog = {KEPT}",
        ),
        (
            "log = []\nwhile go(): log += [loss.item()]  # é",
            2,
            f"log = []\nwhile go(): log += [loss.detach()]  # é\nlog = {KEPT}",
        ),
        ("for x in loader:\n    log.append(x.item())", 2, ""),  # what else is in it?
        ("not python", 1, ""),
    ],
)
def test_a_log_is_kept_on_the_card_and_read_once(code: str, line: int, cured: str) -> None:
    assert cure_code(code, line, "item", asked=False) == cured


@pytest.mark.parametrize(
    ("code", "line", "cured"),
    [
        ("Y = X.cuda()  # é", 1, "Y = X.pin_memory().cuda(non_blocking=True)  # é"),
        (
            "A = 1\nY = f(X).to((d),)",
            2,
            "A = 1\nY = f(X).pin_memory().to((d),non_blocking=True)",
        ),
        ("Y = X.to(d, non_blocking=True)", 1, ""),
        ("Y = X.cuda()", 2, ""),
    ],
)
def test_a_copy_from_the_host_comes_from_pinned_memory(
    code: str, line: int, cured: str
) -> None:
    assert cure_code(code, line, "to", asked=True) == cured


def test_what_arrives_wrong_takes_the_way_through_the_host() -> None:
    assert code_by_host("A = B\nZ = X.cuda(1)", 2) == "A = B\nZ = X.cpu().cuda(1)"
    assert code_by_host("Z = net(X)", 1) == ""
