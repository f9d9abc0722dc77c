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
    from torch.nn import functional as F

    class Trainer:
        '''Trains. And more.'''
        def __init__(self, model, lr=0.1):
            '''Begins.'''
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
        def __dir__(self):
            ran.append("dir")
        __class__ = property(lambda self: ran.append("class"))

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
        ("torch.ones_l|", {"ones_like"}),
        ("X.unsq|", {"unsqueeze", "unsqueeze_"}),
        ("net[0].wei|", {"weight"}),
        ("net[i].in_f|", {"in_features"}),
        ("d['alpha'].resh|", {"reshape", "reshape_as"}),
        ("trainer.|", {"best", "fit", "log", "model"}),
        ("trainer.model[0].wei|", {"weight"}),
        ("Trainer(net).fi|", {"fit"}),
        ("torch.ones(2).unsq|", {"unsqueeze", "unsqueeze_"}),
        ("X.sum().ite|", {"item", "itemsize"}),
        ("X[0, 1:].unsq|", {"unsqueeze", "unsqueeze_"}),
        ("X.shape.nu|", {"numel"}),
        ("'a'.spl|", {"split", "splitlines"}),
        ("[1, 2].app|", {"append"}),
        ("print(f'{net[0].wei|", {"weight"}),
        ("for x in range(3):\n    if x > torch.ones_l|", {"ones_like"}),
        ("torch.ones_l|(2, 3)", {"ones_like"}),
        ("torch.__vers|", {"__version__"}),
    ],
)
def test_an_attribute_goes_on_as_the_object_has_it(
    names: dict[str, Any], code: str, words: set[str]
) -> None:
    assert set(asked(names, code).words) == words


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("Y = torch.ones(3)\nY.unsq|", {"unsqueeze", "unsqueeze_"}),
        ("import math\nmath.sq|", {"sqrt"}),
        ("class A:\n def f(self):\n  self.rate = 1\n def g(self):\n  self.|", {"rate"}),
        ("rate_of_it = 3\nprint(rate_|", {"rate_of_it"}),
    ],
)
def test_what_the_cell_itself_says_before_is_known(
    names: dict[str, Any], code: str, words: set[str]
) -> None:
    assert set(asked(names, code).words) == words


@pytest.mark.parametrize(
    ("code", "word"),
    [("tr|", "trainer"), ("pri|", "print"), ("whi|", "while"), ("x = ne|", "nets")],
)
def test_a_name_goes_on_as_the_session_python_or_its_grammar_have_it(
    names: dict[str, Any], code: str, word: str
) -> None:
    assert word in asked(names, code).words


def test_names_of_the_session_come_before_those_of_python(names: dict[str, Any]) -> None:
    words = asked(names, "ne|").words
    assert words == ("net", "nets", "next")


def test_the_word_that_is_begun_is_replaced(names: dict[str, Any]) -> None:
    said = asked(names, "x = torch.ones_l|")
    assert (said.id, said.begin) == (3, len("x = torch."))
    assert asked(names, "x = d['al|").begin == len("x = d['")


@pytest.mark.parametrize(
    "code",
    [
        "# tor|",
        "x = 1.|",
        "'''tor\n|",
        "class Tr|",
        "unknown.|",
    ],
)
def test_nothing_is_offered_where_nothing_is_known(names: dict[str, Any], code: str) -> None:
    assert asked(names, code).words == ()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("d['|", ("alpha", "alphabet")),
        ('d["alphab|', ("alphabet",)),
        ("x + d['alphabet']['|", ("inner",)),
        ("trainer.log['|", ()),
    ],
)
def test_the_keys_of_a_dictionary_are_offered(
    names: dict[str, Any], code: str, words: tuple[str, ...]
) -> None:
    assert asked(names, code).words == words


@pytest.mark.parametrize(
    "code",
    ["X.to('cu|", "torch.ones(2, device='cu|", 'torch.device("cu|', "f(map_location = 'cu|"],
)
def test_devices_are_offered_where_one_is_named(names: dict[str, Any], code: str) -> None:
    assert asked(names, code).words == ("cuda:0", "cuda:1")


def test_files_are_offered_where_one_is_read(names: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "net.pt").touch()
    (tmp_path / "nets").mkdir()
    said = asked(names, f"torch.load('{tmp_path}/ne|')")
    assert said.words == ("net.pt", "nets/")
    assert said.begin == len(f"torch.load('{tmp_path}/")
    assert asked(names, f"open('{tmp_path}/nowhere/|").words == ()


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("import tor|", "torch"),
        ("import torch.util|", "utils"),
        ("from torch import nn, on|", "ones"),
        ("from torch.utils import da|", "data"),
        ("x = 1; import js|", "json"),
        ("from torch |", "import"),
    ],
)
def test_modules_are_offered_after_import(names: dict[str, Any], code: str, word: str) -> None:
    assert word in asked(names, code).words


@pytest.mark.parametrize(
    ("code", "signature", "doc"),
    [
        (
            "nn.Linear(|",
            "Linear(in_features, out_features, bias=True, device=None, dtype=None)",
            "Applies an affine linear transformation",
        ),
        (
            "trainer.fit(|",
            "fit(data, *, epochs=3)",
            "Goes over the data epochs times.",
        ),
        ("Trainer(net, |", "Trainer(model, lr=0.1)", "Trains."),
        ("net(|", "net(input)", "A sequential container."),
        (
            "between(1, (2, |",
            "between(low, /, high=3, *rest, step=<Trainer object>, **more)",
            "",
        ),
        ("print(X.sum(|", "sum(dim=None, keepdim=False, dtype=None)", "See torch.sum"),
    ],
)
def test_the_call_that_the_cursor_is_in_is_explained(
    names: dict[str, Any], code: str, signature: str, doc: str
) -> None:
    said = asked(names, code)
    assert said.signature.startswith(signature)
    assert said.doc.startswith(doc)


def test_a_call_that_is_over_is_not_explained(names: dict[str, Any]) -> None:
    assert asked(names, "nn.Linear(3, 2)|").signature == ""
    assert asked(names, "x = (3, |").signature == ""
    assert asked(names, "def fit(self, |").signature == ""


def test_what_a_call_takes_by_name_is_offered_first(names: dict[str, Any]) -> None:
    assert asked(names, "trainer.fit(|").words[:2] == ("data=", "epochs=")
    assert asked(names, "trainer.fit(data, ep|").words[0] == "epochs="
    assert "epochs=" not in asked(names, "trainer.fit(data=e|").words


def test_no_code_of_the_persons_own_runs_to_complete(names: dict[str, Any]) -> None:
    names["ran"].clear()
    for code in (
        "trainer.|",
        "trainer.best.|",
        "trainer.nothing.|",
        "trainer(|",
        "trainer['|",
        "between(|",
        "trainer[0].|",
        "Trainer.|",
    ):
        asked(names, code)
    assert names["ran"] == []


@pytest.mark.parametrize(
    "code", ["|", "(|", "x = [(|", "\\|", "'|", "d[|", "x..|", "@|", "f'{|", "X[|"]
)
def test_any_half_typed_code_has_an_answer(names: dict[str, Any], code: str) -> None:
    assert asked(names, code).id == 3


def test_a_long_chain_has_an_answer(names: dict[str, Any]) -> None:
    assert asked(names, "X" + ".T" * 5000 + ".|").id == 3
    assert asked(names, "Q = Q\n" * 500 + "Q.|").words == ()
