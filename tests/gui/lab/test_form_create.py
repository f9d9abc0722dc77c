"""The cells that create tensors and models, and what is said of them before they run."""

import ast
from dataclasses import replace

import pytest

from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.forms.create import DTYPES, FILLS, MODEL, MODELS, TENSOR
from gpuexplorer.gui.lab.forms.form import Around
from tests.gui.lab.conftest import GIB, MIB
from tests.gui.lab.form_plans import CARD, EMPTY, HOST, plan


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "X = torch.ones(2, 3)"),
        *(
            ({"shape": typed}, f"X = torch.ones({shape})")
            for typed, shape in (
                ("", "()"), ("()", "()"), ("2,3,", "2, 3"), ("(2, 3)", "2, 3"), ("7", "7"),
                ("[2, 3]", "2, 3"), ("2 x 3", "2, 3"), ("2×3", "2, 3"), ("0, 4", "0, 4"),
            )
        ),
        ({"fill": "rand", "device": "cuda:1"}, 'X = torch.rand(2, 3, device="cuda:1")'),
        (
            {"fill": "zeros", "shape": "4", "dtype": "float16", "grad": "on"},
            "X = torch.zeros(4, dtype=torch.float16, requires_grad=True)",
        ),
        ({"fill": "full", "shape": "4", "full": "7"}, "X = torch.full((4,), 7)"),
        (
            {"fill": "full", "full": "7", "dtype": "float32"},
            "X = torch.full((2, 3), 7, dtype=torch.float32)",
        ),
        ({"fill": "randint"}, "X = torch.randint(0, 10, (2, 3))"),
        ({"fill": "arange"}, "X = torch.arange(0, 12, 1)"),
        ({"fill": "tensor", "tensor": "[[1], [2]]"}, "X = torch.tensor([[1], [2]])"),
        ({"shape": "2", "pinned": "on"}, "X = torch.ones(2, pin_memory=True)"),
        ({"fill": "rand", "seed": "42"}, "torch.manual_seed(42)\nX = torch.rand(2, 3)"),
        ({"seed": "42"}, "X = torch.ones(2, 3)"),  # nothing is drawn
    ],
)  # fmt: skip
def test_a_tensor_is_written_as_a_person_would(fields: dict[str, str], code: str) -> None:
    given = {"name": "X", "device": "cpu", **fields}
    assert plan(TENSOR, EMPTY, **given).code == code


def test_every_fill_and_type_that_is_offered_can_be_made() -> None:
    for fill, made_of in FILLS.items():
        for dtype, each in DTYPES.items():
            if each.kind in made_of.kinds:
                made = plan(TENSOR, EMPTY, fill=fill, dtype=dtype, device="meta")
                assert made.ready, (fill, dtype, made.problems)


@pytest.mark.parametrize(
    ("fill", "field", "typed", "sentence"),
    [
        ("ones", "name", "", "Enter a name."),
        ("ones", "name", "2x", "'2x' is not a name."),
        ("ones", "name", "class", "a word of Python or PyTorch"),
        ("ones", "name", "torch", "a word of Python or PyTorch"),
        ("ones", "shape", "-1", "cannot be -1"),
        ("ones", "shape", "2,,3", "missing between two commas"),
        ("ones", "shape", "1e9 x 1e9", "'1e9' is not a whole number."),
        ("ones", "shape", "(2, 3", "'(2' is not a whole number."),
        ("arange", "arange", "0, 12, 0", "never end"),
        ("arange", "arange", "0, 12, -1", "Steps of -1 do not lead from 0 to 12."),
        ("arange", "arange", "0, 1e300, 1e-320", "can count"),
        ("arange", "arange", f"0, {'9' * 400}, 1", "not numbers"),
        ("arange", "arange", "0, 1j, 1", "not numbers"),
        ("randint", "randint", "0, 0", "0 is not above 0."),
        ("full", "full", "", "cannot be read as numbers"),
        ("rand", "seed", "a", "whole number"),
        ("rand", "seed", str(2**64), "64 bits"),
        ("tensor", "tensor", "[[1, 2], [3]]", "not equally long"),
        ("tensor", "tensor", "['a']", "not numbers"),
        ("tensor", "tensor", "[" * 300, "cannot be read as numbers"),
        ("tensor", "tensor", "open('x')", "cannot be read as numbers"),
    ],
)
def test_a_bad_field_keeps_the_cell_from_running_and_says_why(
    fill: str, field: str, typed: str, sentence: str
) -> None:
    made = plan(TENSOR, EMPTY, **{"fill": fill, field: typed})
    assert sentence in made.problems[field]
    assert not made.ready
    assert made.code == ""


UNUSED = replace(CARD, context_bytes=0, cache_bytes=0, tensor_bytes=0, free_bytes=GIB)
KEPT = replace(CARD, free_bytes=MIB, cache_bytes=GIB, tensor_bytes=0)
WHY = Message("PyTorch's cuda:0 is card 1 of nvidia-smi and of this window.")
CONTEXT = Around(devices=(UNUSED,), contexts={"cuda:0": 334 * MIB})
MODELLED = Around(devices=(replace(HOST, free_bytes=GIB), replace(CARD, modelled=True)))


@pytest.mark.parametrize(
    ("around", "fields", "said"),
    [
        (CONTEXT, {}, "First use adds the context, 0.33 GiB"),
        (
            CONTEXT,
            {"shape": "200, 1024, 1024"},
            "Does not fit with the context: 0.78 GiB of 1.00 GiB free",
        ),
        (Around(devices=(KEPT,)), {"shape": "99, 1024, 1024"}, "it fits"),  # in the cache
        (replace(EMPTY, memory_share=0.1), {"shape": "1024, 1024, 1024"}, "under the cap"),
        (MODELLED, {"shape": "1024, 1024, 1024"}, "its values need the computer's memory"),
        (EMPTY, {"device": "meta"}, "24 B with values; meta keeps only the shape"),
        (Around(devices=(replace(HOST, free_bytes=None),)), {}, "is not known"),
        (Around(devices=(replace(CARD, reason=WHY),)), {}, WHY),
    ],
)  # fmt: skip
def test_what_it_takes_is_said_where_it_is_chosen(
    around: Around, fields: dict[str, str], said: str
) -> None:
    made = plan(TENSOR, around, **fields)
    assert any(said in each for each in (*made.facts, *made.warnings))


# What PyTorch itself counts for the models as they stand in their forms, in parameters.
KNOWN = {
    "linear": 4,
    "mlp": 203_530,
    "lenet": 61_706,
    "transformer": 12_704,
    "tiny_gpt": 29_275,
}


@pytest.mark.parametrize("key", list(MODELS))
def test_models_are_written_out_and_know_their_parameters(key: str) -> None:
    assert MODELS[key].parameters(*MODELS[key].sizes.values()) == KNOWN[key]
    made = plan(MODEL, EMPTY, model=key, device="cuda:1", seed="1")
    assert made.code.startswith("torch.manual_seed(1)\n")
    assert made.code.endswith('.to("cuda:1")')
    assigned = [each for each in ast.parse(made.code).body if isinstance(each, ast.Assign)]
    assert [ast.unparse(each.targets[0]) for each in assigned] == ["net"]
