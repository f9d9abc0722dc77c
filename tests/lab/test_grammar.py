"""The lab's lines: what is understood, and what anything else is told."""

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.grammar import LONGEST_LINE, check_name, read_line

UNDERSTOOD = [
    "X = torch.ones(2, 3, device='cuda:0')",
    "Z = X.cuda(1)",
    "Z.cuda(1) is Z",
    "X[0, 1:3] = 5",
    "X[..., None] += 1",
    "net = nn.Sequential(nn.Linear(3, 1), nn.ReLU())",
    "net[0].weight.grad",
    "loss = F.cross_entropy(net(X), Y)",
    "with torch.no_grad(): Y = net(X)",
    "del X, Y",
    "torch.cuda.memory_allocated(0)",
    "kept = torch.load('net.pt', map_location='cpu')",
    "X.data = Y",
    "-X ** 2 @ (Y / 3) // 1",
    "X = lenet()",
]

REFUSED = {
    "# a remark": "There is only a remark on this line.",
    "class = 1": "'class' is no name.",
    "2x = 1": "'2x' is no name.",
    "a-b = 1": "'a-b' is no name.",
    "None = 1": "'None' is no name.",
    "A, B = 1, 2": "The lab cannot assign to several names at once.",
    "x: int = 1": "The lab does not understand a type beside a name.",
    "": "There is nothing on this line.",
    "X = torch.ones(2, ": "This is not a line of Python",
    "torch.ones(2,,3)": "This is not a line of Python",
    "X = 1; Y = 2": "The lab takes one statement a line.",
    "import os": "Nothing needs to be imported here.",
    "X = Y = 1": "Assign to one name at a time.",
    "torch = 3": "'torch' already means something here.",
    "print = 3": "'print' already means something here.",
    "_x = 3": "'_x' begins with _, which the lab keeps to itself.",
    "X.__class__": "The lab does not know the attribute '__class__'.",
    "().__class__.__bases__": "The lab does not know the attribute '__bases__'.",
    "torch.os.system('ls')": "The lab does not know the word 'torch.os.system'.",
    "nn.Module.__subclasses__()": "The lab does not know the word",
    "X.__reduce__()": "The lab does not know the method '__reduce__'.",
    "net.forward.__globals__": "The lab does not know the attribute '__globals__'.",
    "(lambda: 1)()": "The lab does not understand lambda.",
    "[x for x in X]": "The lab does not understand a comprehension.",
    "f'{X}'": "The lab does not understand an f-string.",
    "{'a': 1}": "The lab does not understand a dictionary.",
    "(X := 3)": "The lab does not understand :=.",
    "X if Y else Z": "The lab does not understand a condition.",
    "for i in X: print(i)": "The lab does not understand a loop.",
    "for i in list(X): i": "A loop of the lab counts.",
    "while True: X": "The lab does not understand a loop.",
    "def f(): pass": "The lab does not understand def.",
    "1 < 2 < 3": "The lab does not understand a chain of comparisons.",
    "torch.ones(*X)": "The lab does not understand * in a call.",
    "torch.ones(**X)": "The lab does not understand ** in a call.",
    "with open('x'): X": "The lab does not understand this `with`.",
    "with torch.no_grad() as x: X": "The lab does not understand",
    "X.shape = 3": "The lab cannot assign to",
    "del X[0]": "Only names can be deleted.",
    "2 ** 1000": "The power 1000 is too large for the lab.",
    "9 ** 9 ** 9": "A power of a power is too large for the lab.",
    "X = b'1'": "The lab has no use for b'1'.",
    "1 << 99": "The lab does not understand",
    "(" * 60 + "1" + "+1)" * 60: "This line is nested too deeply.",
    "-" * 3000 + "1": "",
    "X = " + "1" * LONGEST_LINE: "This line is too long.",
}


@pytest.mark.parametrize("line", UNDERSTOOD)
def test_a_line_of_the_courses_is_understood(line: str) -> None:
    assert read_line(f"  {line} ").text == line


@pytest.mark.parametrize("line", REFUSED, ids=range(len(REFUSED)))
def test_anything_else_gets_a_sentence(line: str) -> None:
    with pytest.raises(Trouble) as refused:
        read_line(line)
    assert refused.value.sentence.startswith(REFUSED[line])


def test_open_and_eval_are_only_names_nobody_made() -> None:
    for line in ("open('x')", "eval('1')", "exec('1')", "globals()", "getattr(X, 'y')"):
        assert read_line(line).uses - {"X"}


def test_a_line_says_what_it_makes_uses_and_deletes() -> None:
    line = read_line("Y = net(X) + W[i]")
    assert (line.makes, line.uses) == (("Y",), frozenset({"net", "X", "W", "i"}))
    assert read_line("del A, B").deletes == ("A", "B")


def test_a_word_that_is_nearly_right_is_offered() -> None:
    with pytest.raises(Trouble) as refused:
        read_line("X.reshpae(2)")
    assert refused.value.hint == "Did you mean reshape?"
    with pytest.raises(Trouble) as refused:
        read_line("nn.Softmin(1)")
    assert refused.value.hint == "Did you mean torch.nn.Softmax?"


@pytest.mark.parametrize("name", ["1x", "x y", "class", "_a", "nn", "len", "", "x-y"])
def test_a_name_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(Trouble):
        check_name(name)
    assert check_name("Größe_2") == "Größe_2"
