"""How half typed code may go on. The cursor stands at the bar."""

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.lab.events import Completed  # noqa: E402 - only where there is torch
from gpuexplorer.lab.wire import Complete  # noqa: E402
from gpuexplorer.worker.completing import complete  # noqa: E402

DEVICES = ("cpu", "cuda:0", "cuda:1", "meta")
SESSION = """
    import torch
    from torch import nn

    class Trainer:
        '''Trains. And more.'''
        def __init__(self, model, lr=0.1):
            self.model = model
            self.log = []
        def fit(self, data, *, epochs=3):
            '''Goes over the data `epochs` times.

            More of it.
            '''
        @property
        def best(self):
            ran.append("property")
        def __getattr__(self, name):
            ran.append(name)
            raise AttributeError
        def __repr__(self):
            ran.append("repr")

    def between(low, /, high: int = 3, *rest, step=Trainer(1), **more):
        return low

    ran = []
    X = torch.ones(2, 3)
    net = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    nets = [nn.Linear(3, 1)]
    d = {"alpha": X, "alphabet": {"inner": 1}, 7: net}
    trainer = Trainer(net)
    """


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    found: dict[str, Any] = {"__name__": "__main__"}
    exec(dedent(SESSION), found)
    return found


def asked(names: dict[str, Any], code: str) -> Completed:
    at = code.index("|")
    return complete(Complete(3, code.replace("|", "", 1), at), names, DEVICES)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("torch.ones_l|(2, 3)", {"ones_like"}),
        ("for x in range(3):\n    if x > torch.ones_l|", {"ones_like"}),
        ("net[0].wei|", {"weight"}),
        ("net[i].in_f|", {"in_features"}),
        ("d['alpha'].resh|", {"reshape", "reshape_as"}),
        ("trainer.|", {"best", "fit", "log", "model"}),
        ("Trainer(net).fi|", {"fit"}),
        ("X.sum().ite|", {"item", "itemsize"}),
        ("2 * net(X)[0, 1:].unsq|", {"unsqueeze", "unsqueeze_"}),
        ("X.shape.nu|", {"numel"}),
        ("[1, 2].app|", {"append"}),
        ("print(f'{net[0].wei|", {"weight"}),
        ("torch.__vers|", {"__version__"}),
        # What the cell itself says before is known.
        ("Y = nn.ReLU(\n  # a\n)\nY(X).unsq|", {"unsqueeze", "unsqueeze_"}),
        ("import math\nmath.sq|", {"sqrt"}),
        ("class A:\n def f(self):\n  self.rate = 1\n def g(self):\n  self.|", {"rate"}),
        ("rate_of_it = 3\nprint(rate_|", {"rate_of_it"}),
        ("d['|", {"alpha", "alphabet"}),
        ("x + d['alphabet'][\"|", {"inner"}),
        ("X.to('cu|", {"cuda:0", "cuda:1"}),
        ("torch.ones(2, device = 'cu|", {"cuda:0", "cuda:1"}),
        ("import torch.utils.dat|", {"data"}),
        ("from torch import nn, ones_l|", {"ones_like"}),
        ("x = 1; import os, tabn|", {"tabnanny"}),
        # Nobody knows.
        ("# tor|", set()),
        ("x = 1.|", set()),
        ("class Tr|", set()),
        ("unknown.|", set()),
    ],
)
def test_what_is_begun_goes_on_as_the_object_has_it(
    names: dict[str, Any], code: str, words: set[str]
) -> None:
    assert set(asked(names, code).words) == words


def test_files_are_offered_where_one_is_read(names: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "net.pt").touch()
    (tmp_path / "nets").mkdir()
    said = asked(names, f"torch.load('{tmp_path}/ne|')")
    assert said.words == ("net.pt", "nets/")
    assert said.begin == len(f"torch.load('{tmp_path}/")
    assert asked(names, f"open('{tmp_path}/nowhere/|").words == ()


LINEAR = "Linear(in_features, out_features, bias=True, device=None, dtype=None)"
BETWEEN = "between(low, /, high=3, *rest, step=<Trainer object>, **more)"


@pytest.mark.parametrize(
    ("code", "signature", "doc"),
    [
        ("nn.Linear(|", LINEAR, "Applies an affine linear transformation"),
        ("trainer.fit(|", "fit(data, *, epochs=3)", "Goes over the data epochs times."),
        ("Trainer(net, |", "Trainer(model, lr=0.1)", "Trains."),
        ("net(|", "net(input)", "A sequential container."),
        ("between(1, (2, |", BETWEEN, ""),
        ("print(X.sum(|", "sum(dim=None, keepdim=False, dtype=None)", "See torch.sum"),
        ("nn.Linear(3, 2)|", "", ""),
        ("def fit(self, |", "", ""),
    ],
)
def test_the_call_that_the_cursor_is_in_is_explained(
    names: dict[str, Any], code: str, signature: str, doc: str
) -> None:
    said = asked(names, code)
    assert said.signature.startswith(signature)
    assert said.doc.startswith(doc)
    assert bool(said.signature) is bool(signature)


def test_what_a_call_takes_by_name_is_offered_first(names: dict[str, Any]) -> None:
    assert asked(names, "trainer.fit(|").words[:2] == ("data=", "epochs=")
    assert asked(names, "trainer.fit(data, ep|").words[0] == "epochs="


def test_no_code_of_the_persons_own_runs_to_complete(names: dict[str, Any]) -> None:
    names["ran"].clear()
    for code in ("trainer.|", "trainer.best.|", "trainer(|", "trainer['|", "[trainer[0].|"):
        asked(names, code)
    asked(names, "between(|")
    assert names["ran"] == []


def test_any_half_typed_code_has_an_answer(names: dict[str, Any]) -> None:
    for code in ("|", "(|", "x = [(|", "'''tor\n|", "d[|", "x..|", "f'{|", "X[|"):
        assert asked(names, code).id == 3
