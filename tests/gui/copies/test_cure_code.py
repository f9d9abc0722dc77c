"""A cell's own code, changed such that it copies less."""

import pytest

from gpuexplorer.gui.copies.moving.moved import code_by_host, cure_code

LOOP, ONE = "log = []\nfor x in L:  #\n    ", "log = []\nwhile go(): log += "
KEPT = "\nlog = torch.stack(log).tolist()"
PINNED = ".pin_memory()"


@pytest.mark.parametrize(
    ("code", "line", "how", "cured"),
    [
        (f"{LOOP}log.append(float(f(x)))", 3, "item", f"{LOOP}log.append(f(x).detach()){KEPT}"),
        (f"{ONE}[loss.item()]  # é", 2, "item", f"{ONE}[loss.detach()]  # é{KEPT}"),
        ("for x in loader:\n    log.append(x.item())", 2, "item", ""),  # what else is in it?
        ("not python", 1, "item", ""),
        ("Y = X.cuda()  # é", 1, "", f"Y = X{PINNED}.cuda(non_blocking=True)  # é"),
        ("1\nY = f(X).to((d),)", 2, "", f"1\nY = f(X){PINNED}.to((d),non_blocking=True)"),
        ("Y = X.to(d, non_blocking=True)", 1, "", ""),
        ("Y = X.cuda()", 2, "", ""),
    ],
)
def test_a_log_is_read_once_and_what_comes_from_the_host_is_pinned(
    code: str, line: int, how: str, cured: str
) -> None:
    assert cure_code(code, line, how, asked=not how) == cured


def test_what_arrives_wrong_takes_the_way_through_the_host() -> None:
    assert code_by_host("A = B\nZ = X.cuda(1)", 2) == "A = B\nZ = X.cpu().cuda(1)"
    assert code_by_host("Z = net(X)", 1) == ""
