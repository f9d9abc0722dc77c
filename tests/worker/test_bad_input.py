"""What a person may get wrong: PyTorch's own words, or a sentence, and the shelf as it was."""

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble  # noqa: E402 - only where there is torch
from gpuexplorer.lab.wire import Train  # noqa: E402
from gpuexplorer.worker.failures import failed  # noqa: E402
from gpuexplorer.worker.training import train  # noqa: E402
from tests.worker.benches import Bench  # noqa: E402


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("X = torch.ones(-1, device='{0}')", "negative dimension -1"),
        ("X = torch.ones(2, 3, device='{0}').reshape(4)", "shape '\\[4\\]' is invalid"),
        ("X = torch.ones(2, device='{0}').to('mps')", "(?i)mps"),
        ("X = torch.ones(2, dtype=torch.int32, device='{0}', requires_grad=True)", "floating"),
        ("net = nn.Linear(-3, 1)", "negative dimension"),
        ("X = torch.ones(2, device='{0}')[5]", "out of bounds"),
        ("X = torch.tensor([[1], [2, 3]], device='{0}')", "expected sequence of length 1"),
        ("nn.Linear(1, 1).load_state_dict(3)", "dict-like"),
    ],
)
def test_torchs_own_words_are_kept(bench: Bench, line: str, words: str) -> None:
    with pytest.raises((RuntimeError, ValueError, IndexError, TypeError), match=words):
        bench.run(line)
    assert bench.things == {}


def test_what_the_computer_has_no_room_for_is_told_from_what_a_card_has_none_for(
    bench: Bench,
) -> None:
    with pytest.raises(RuntimeError) as refused:
        bench.run("X = torch.ones(10**9, 10**9)")
    told = failed(1, refused.value)
    assert told.cause == "out of memory"
    assert told.sentence == "It does not fit into the computer's own memory."


def test_complaints_name_things_as_pytorch_does(bench: Bench) -> None:
    bench.run("X = torch.ones(2, device='{0}')")
    with pytest.raises(TypeError) as refused:
        bench.run("nn.Linear(1, 1).load_state_dict(X)")
    assert "gpuexplorer" not in failed(1, refused.value).message
    with pytest.raises(TypeError, match="print"):
        bench.run("print(X, sep='')")


@pytest.mark.parametrize(
    "line",
    [
        "X = 'a' * 10 ** 9",
        "X = [1] * 10 ** 12",
        "X = a ** a",
        "row *= 10 ** 9",
        "for i in range(60): row = row + row",
        "for i in range(60): row += row",
        "for i in range(60): a = a * a",
        "for i in range(60): a *= a",
    ],
)
def test_what_would_fill_the_host_is_refused(bench: Bench, line: str) -> None:
    bench.run("a = 10 ** 60", "row = [1]")
    with pytest.raises(Trouble, match="too long for the lab"):
        bench.run(line)


def test_texts_are_not_filled_in(bench: Bench) -> None:
    with pytest.raises(Trouble, match="does not fill in texts"):
        bench.run("X = '%1000000000d' % 5")
    assert bench.run("7 % 4") == 3


def test_in_place_is_still_the_same_list(bench: Bench) -> None:
    bench.run("a = [1]", "b = a", "a += [2]")
    assert bench.run("a is b")
    assert bench.run("len(b)") == 2


def trained(bench: Bench, **changes: object) -> None:
    """Raises Trouble for a run that cannot be."""
    fields: dict[str, object] = {
        "id": 1,
        "model": "net",
        "inputs": "X",
        "targets": "Y",
        "optimiser": "opt",
        "loss": "mse_loss",
        "steps": 2,
        "batch": 2,
    }
    command = Train(**{**fields, **changes})  # type: ignore[arg-type]  # wrong ones are tried too
    with bench.engine.running():
        train(command, bench.things, bench.engine, lambda _: None, lambda: None)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": "nett"}, "There is no nett on the shelf."),
        ({"model": "X"}, "X is no model."),
        ({"optimiser": "net"}, "net is no optimiser."),
        ({"inputs": "one"}, "one holds no examples."),
        ({"targets": "none"}, "none holds no examples."),
        ({"targets": "more"}, "X has 4 examples and more 5: each needs its target."),
        ({"loss": "save"}, "'save' is no loss the lab trains with."),
        ({"steps": 0}, "at least one step"),
        ({"batch": 0}, "at least one step and one example"),
    ],
)
def test_a_training_run_that_cannot_be_says_why(
    bench: Bench, changes: dict[str, object], words: str
) -> None:
    bench.run(
        "net = nn.Linear(3, 1).to('{0}')",
        "X = torch.ones(4, 3).to('{0}')",
        "Y = torch.ones(4, 1).to('{0}')",
        "more = torch.ones(5, 1)",
        "one = torch.ones(1)[0]",
        "none = torch.ones(0, 1)",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
    )
    with pytest.raises(Trouble) as refused:
        trained(bench, **changes)
    assert words in refused.value.sentence
    trained(bench)
    assert "loss" in bench.things
