"""The lines that create tensors and models, and what is said of them before they run."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.forms.fills import DTYPES, FILLS, cannot_make
from gpuexplorer.gui.wording.lab.forms.model_plan import (
    MODEL_KINDS,
    TYPED,
    ModelWish,
    count_model,
    model_plan,
)
from gpuexplorer.gui.wording.lab.forms.names import (
    name_problem,
    next_letter,
    next_numbered,
)
from gpuexplorer.gui.wording.lab.forms.plan import Surroundings
from gpuexplorer.gui.wording.lab.forms.tensor_plan import TensorWish, read_wish, tensor_plan
from gpuexplorer.lab.grammar import read_line
from tests.gui.lab.conftest import GIB, MIB, tensor

HOST = BenchDevice("cpu", "Ryzen", "H", total_bytes=64 * GIB, free_bytes=50 * GIB)
CARD = BenchDevice(
    "cuda:0",
    "TITAN RTX",
    "0",
    0,
    CardId("a"),
    total_bytes=24 * GIB,
    free_bytes=22 * GIB,
    context_bytes=334 * MIB,
    cache_bytes=2 * MIB,
    tensor_bytes=MIB,
)
AROUND = Surroundings(devices=(HOST, CARD, BenchDevice("meta", "", "")), fall_back=False)


def blanks(word: str, **others: str) -> Mapping[str, str]:
    return {**{each.key: each.first for each in FILLS[word].blanks}, **others}


@pytest.mark.parametrize(
    ("wish", "line"),
    [
        (TensorWish("X", "ones", "2, 3"), "X = torch.ones(2, 3)"),
        (TensorWish("X", "ones", ""), "X = torch.ones(())"),
        (
            TensorWish("A", "rand", "2, 3", device="cuda:0"),
            'A = torch.rand(2, 3, device="cuda:0")',
        ),
        (
            TensorWish("A", "zeros", "4", dtype="float16", requires_grad=True),
            "A = torch.zeros(4, dtype=torch.float16, requires_grad=True)",
        ),
        (
            TensorWish("A", "full", "4", blanks("full", value="7")),
            "A = torch.full((4,), 7)",
        ),
        (
            TensorWish("A", "full", "2, 3", blanks("full", value="7"), dtype="float32"),
            "A = torch.full((2, 3), 7, dtype=torch.float32)",
        ),
        (
            TensorWish("A", "randint", "2, 3", blanks("randint")),
            "A = torch.randint(0, 10, (2, 3))",
        ),
        (TensorWish("A", "arange", "", blanks("arange")), "A = torch.arange(0, 12, 1)"),
        (TensorWish("A", "linspace", "", blanks("linspace")), "A = torch.linspace(0, 1, 5)"),
        (TensorWish("A", "eye", "", blanks("eye")), "A = torch.eye(3)"),
        (
            TensorWish("A", "tensor", "", blanks("tensor", values="[[1, 2],\n [3, 4]]")),
            "A = torch.tensor([[1, 2], [3, 4]])",
        ),
        (
            TensorWish("A", "ones", "2", pinned=True),
            "A = torch.ones(2, pin_memory=True)",
        ),
    ],
)
def test_a_tensor_is_written_as_pytorch_wants_it(wish: TensorWish, line: str) -> None:
    assert tensor_plan(wish, AROUND).lines == (line,)


def every_wish() -> Iterator[TensorWish]:
    for fill in FILLS.values():
        for dtype in (None, *DTYPES):
            if dtype is None or not cannot_make(fill, DTYPES[dtype].kind):
                for device in ("cpu", "cuda:0", "meta"):
                    given = blanks(fill.word)
                    yield TensorWish("T", fill.word, "2, 3", given, device, dtype, "3")


def test_every_line_that_a_form_can_write_is_understood_by_the_lab() -> None:
    for wish in every_wish():
        plan = tensor_plan(wish, replace(AROUND, fall_back=True))
        assert plan.ready, (wish, plan.problems)
        for line in plan.lines:
            read_line(line)
        read = read_wish(wish)
        taken = read.elements * DTYPES[wish.dtype or read.usual].bytes
        assert plan.facts[0].startswith(f"{taken} B")


def test_where_a_missing_card_falls_back_the_line_says_try_gpu() -> None:
    around = replace(AROUND, fall_back=True)
    plan = tensor_plan(TensorWish("X", device="cuda:0"), around)
    assert plan.lines == ("X = torch.ones(2, 3, device=try_gpu(0))",)


def test_a_seed_is_a_line_of_its_own_and_only_where_numbers_are_drawn() -> None:
    plan = tensor_plan(TensorWish("X", "rand", seed="42"), AROUND)
    assert plan.lines == ("torch.manual_seed(42)", "X = torch.rand(2, 3)")
    assert tensor_plan(TensorWish("X", "ones", seed="42"), AROUND).lines == (
        "X = torch.ones(2, 3)",
    )
    assert "seed" in tensor_plan(TensorWish("X", "rand", seed="a"), AROUND).problems


@pytest.mark.parametrize(
    ("wish", "field", "sentence"),
    [
        (TensorWish(""), "name", "It needs a name."),
        (TensorWish("2x"), "name", "'2x' is no name."),
        (TensorWish("class"), "name", "'class' is no name."),
        (TensorWish("torch"), "name", "already means something"),
        (TensorWish("_a"), "name", "begins with _"),
        (TensorWish("X", shape="-1"), "shape", "cannot be -1"),
        (TensorWish("X", shape="2,,3"), "shape", "missing between two commas"),
        (TensorWish("X", shape="1e9 x 1e9"), "shape", "no whole number"),
        (TensorWish("X", shape="10000000000 x 10000000000"), "shape", "can count"),
        (TensorWish("X", "rand", dtype="int64"), "dtype", "rand makes no whole numbers."),
        (TensorWish("X", device="mps", dtype="float64"), "dtype", "no float64"),
        (TensorWish("X", device="cuda:7"), "device", "Choose a device"),
        (TensorWish("X", "arange", "", blanks("arange", step="0")), "step", "never end"),
        (TensorWish("X", "arange", "", blanks("arange", step="-1")), "step", "do not lead"),
        (
            TensorWish("X", "arange", "", blanks("arange", step="1e-320", end="1e300")),
            "step",
            "can count",
        ),
        (TensorWish("X", "arange", "", blanks("arange", end="9" * 400)), "step", "can count"),
        (TensorWish("X", "arange", "", blanks("arange", end="1j")), "end", "plain number"),
        (TensorWish("X", "randint", "2", blanks("randint", high="0")), "high", "above 0"),
        (TensorWish("X", "linspace", "", blanks("linspace", steps="-1")), "steps", "at least"),
        (TensorWish("X", "eye", "", blanks("eye", size="x")), "size", "whole number"),
        (TensorWish("X", "full", "2", blanks("full", value="")), "value", "missing"),
        (
            TensorWish("X", "tensor", "", blanks("tensor", values=f"[{'1, ' * 2000}]")),
            "values",
            "4000 letters",
        ),
    ],
)
def test_a_bad_field_keeps_the_line_from_running_and_says_why(
    wish: TensorWish, field: str, sentence: str
) -> None:
    plan = tensor_plan(wish, AROUND)
    assert sentence in plan.problems[field]
    assert not plan.ready
    assert plan.lines == ()


def test_a_name_that_is_there_is_replaced_with_a_warning_and_can_be_run() -> None:
    plan = tensor_plan(TensorWish("X"), replace(AROUND, things={"X": tensor("X")}))
    assert plan.warnings == ["X is there already: it would be replaced."]
    assert plan.ready


def test_what_fits_and_what_does_not_is_said_before_it_is_made() -> None:
    fits = tensor_plan(TensorWish("X", device="cuda:0"), AROUND)
    assert fits.facts == ("24 B of 22.0 GiB free: it fits",)
    assert fits.warnings == []
    large = tensor_plan(TensorWish("X", shape="100000, 100000", device="cuda:0"), AROUND)
    assert large.warnings == ["Does not fit: 37.3 GiB of 22.0 GiB free"]
    assert large.ready


def test_the_context_counts_on_a_card_that_was_not_used() -> None:
    unused = replace(CARD, context_bytes=0, cache_bytes=0, tensor_bytes=0, free_bytes=GIB)
    around = Surroundings(devices=(unused,), contexts={"cuda:0": 334 * MIB})
    small = tensor_plan(TensorWish("X", device="cuda:0"), around)
    assert small.facts[1] == "First use adds the context, 334 MiB"
    almost = tensor_plan(TensorWish("X", shape="200, 1024, 1024", device="cuda:0"), around)
    assert almost.warnings == ["Does not fit with the context: 800 MiB of 1.00 GiB free"]


def test_what_pytorch_keeps_can_hold_it_too() -> None:
    kept = replace(CARD, free_bytes=MIB, cache_bytes=GIB, tensor_bytes=0)
    around = Surroundings(devices=(kept,))
    plan = tensor_plan(TensorWish("X", shape="100, 1024, 1024", device="cuda:0"), around)
    assert plan.warnings == []


def test_a_cap_of_the_memory_is_a_cap() -> None:
    around = replace(AROUND, memory_share=0.1)
    plan = tensor_plan(TensorWish("X", shape="1024, 1024, 1024", device="cuda:0"), around)
    assert "Does not fit under the cap" in plan.warnings[0]


def test_a_simulated_card_says_what_the_host_cannot_hold() -> None:
    host = replace(HOST, free_bytes=GIB)
    around = Surroundings(devices=(host, replace(CARD, modelled=True)))
    plan = tensor_plan(TensorWish("X", shape="1024, 1024, 1024", device="cuda:0"), around)
    assert "its values need this computer's memory" in plan.warnings[0]


def test_meta_and_unknown_memory_say_so() -> None:
    plan = tensor_plan(TensorWish("X", device="meta"), AROUND)
    assert plan.facts == ("24 B with values; meta keeps only the shape",)
    silent = Surroundings(devices=(replace(HOST, free_bytes=None),))
    assert "not known" in tensor_plan(TensorWish("X"), silent).facts[0]


def test_what_is_special_about_a_device_is_said_where_it_is_chosen() -> None:
    why = Message("PyTorch's cuda:0 is card 1 of nvidia-smi and of this window.")
    around = Surroundings(devices=(replace(CARD, reason=why),))
    assert tensor_plan(TensorWish("X", device="cuda:0"), around).facts[-1] == why


def test_the_next_name_is_always_free_and_can_be_one() -> None:
    taken: set[str] = set()
    for _ in range(200):
        name = next_letter(taken)
        assert name not in taken
        assert name_problem(name) == ""
        taken.add(name)
    assert next_letter(()) == "A"
    assert next_letter({"A", "B"}) == "C"
    assert "F" not in taken
    assert next_numbered("net", {"net", "net2"}) == "net3"


# What PyTorch itself counts for the models as they stand in their forms.
KNOWN = {
    "nn.Linear": (4, 16),
    "mlp": (203_530, 814_120),
    "lenet": (61_706, 246_824),
    "small_cnn": (5_514, 22_456),
    "transformer_block": (12_704, 50_816),
    "lstm": (5_442, 21_768),
    "tiny_gpt": (29_275, 117_100),
}


@pytest.mark.parametrize("word", list(MODEL_KINDS))
def test_models_know_their_parameters_and_bytes_before_they_are_made(word: str) -> None:
    kind = MODEL_KINDS[word]
    count = kind.count(**{each.key: int(each.first) for each in kind.blanks})
    assert (count.parameters, count.bytes) == KNOWN[word]
    given = {each.key: each.first for each in kind.blanks}
    plan = model_plan(ModelWish("net", word, given, device="cuda:0", seed="1"), AROUND)
    assert plan.lines[0] == "torch.manual_seed(1)"
    assert plan.lines[1].endswith('.to("cuda:0")')
    read_line(plan.lines[1])


@pytest.mark.parametrize(
    ("text", "parameters", "taken"),
    [
        (
            "nn.Sequential(nn.Conv2d(3,8,3),nn.BatchNorm2d(8),nn.ReLU(),nn.Linear(8,2,False))",
            256,
            1096,
        ),
        ("nn.LSTM(5,7,2,bidirectional=True)", 2072, 8288),
        ("nn.LSTM(5,7,bias=False)", 336, 1344),
        ("nn.GRU(5,7)", 294, 1176),
        ("nn.RNN(5,7,num_layers=3)", 322, 1288),
        ("nn.LayerNorm((3,4))", 24, 96),
        ("nn.Embedding(10,4)", 40, 160),
        ("nn.Conv2d(4,8,(3,5),groups=2,bias=False)", 240, 960),
        ("nn.Conv1d(4,8,kernel_size=3)", 104, 416),
        ("nn.MultiheadAttention(16,4)", 1088, 4352),
        ("nn.TransformerEncoderLayer(16,4)", 68_752, 275_008),
        ("nn.BatchNorm1d(4,affine=False)", 0, 40),
        ("nn.BatchNorm1d(4,track_running_stats=False)", 8, 32),
    ],
)
def test_typed_layers_are_counted_as_pytorch_counts_them(
    text: str, parameters: int, taken: int
) -> None:
    count = count_model(text)
    assert count is not None
    assert (count.parameters, count.bytes) == (parameters, taken)


def test_what_arithmetic_cannot_count_is_made_all_the_same() -> None:
    plan = model_plan(ModelWish("net", TYPED, text="nn.LazyLinear(1)"), AROUND)
    assert plan.ready
    assert plan.facts == ["How many parameters it has is known when it is made"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The model is missing."),
        ("nn.Linear(3, 1", "not a line of Python"),
        ("nn.Linaer(3, 1)", "Linear"),
        ("torch.ones(2)", "no layer of torch.nn"),
        ("nn.Sequential(print('x'))", "no layer of torch.nn"),
        ("nn.Linear(3, 1)(X)", "no layer of torch.nn"),
        ("X", "is no layer"),
        ("nn.Linear(n, 1)", "n is no number"),
        ("nn.Linear(3, len('a'))", "is no number"),
        ("nn.MSELoss()", "no layer of torch.nn"),
        ("__import__('os').system('true')", ""),
        ("nn.Linear(3, 1); nn.ReLU()", "one statement a line"),
        ("nn.Sequential(*[nn.ReLU()])", "*"),
    ],
)
def test_a_model_of_anything_but_layers_is_refused(text: str, sentence: str) -> None:
    plan = model_plan(ModelWish("net", TYPED, text=text), AROUND)
    assert sentence in plan.problems["text"]
    assert plan.problems["text"]
    assert not plan.ready


def test_sizes_that_are_none_are_left_to_pytorch_and_cost_no_time() -> None:
    for text in (
        "nn.Linear(-3, 1)",
        "nn.Embedding('a', 4000000000)",
        "nn.Embedding([1], 4000000000)",
        "nn.Linear('a', 2)",
        "nn.Conv2d(1, 2, 'x')",
        "nn.Conv2d(1, 2, 3, groups=0)",
        "nn.LayerNorm([2, 'a'])",
    ):
        plan = model_plan(ModelWish("net", TYPED, text=text), AROUND)
        assert plan.ready, text
        assert plan.facts == ["How many parameters it has is known when it is made"], text
    for text in ("nn.LSTM(5, 7, 4000000000000000000)", f"nn.Linear({'9' * 400}, 2)"):
        plan = model_plan(ModelWish("net", TYPED, text=text), AROUND)
        assert plan.problems == {"text": "These are more bytes than PyTorch can count."}
    many = {"letters": "2", "width": "4", "heads": "1", "blocks": "9" * 30, "longest": "1"}
    plan = model_plan(ModelWish("net", "tiny_gpt", many), AROUND)
    assert plan.problems == {"letters": "These are more bytes than PyTorch can count."}


def test_heads_have_to_share_the_width() -> None:
    wish = ModelWish("net", "transformer_block", {"width": "30", "heads": "4"})
    assert model_plan(wish, AROUND).problems == {"heads": "30 cannot be shared by 4 heads."}
    wish = ModelWish("net", "mlp", {"inputs": "-3", "hidden": "", "outputs": "1.5"})
    assert set(model_plan(wish, AROUND).problems) == {"inputs", "hidden", "outputs"}
