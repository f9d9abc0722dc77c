"""The cells that create tensors and models, and what is said of them before they run."""

import ast
from dataclasses import replace

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.forms.create_model import MODEL
from gpuexplorer.gui.lab.forms.create_tensor import DTYPES, FILLS, TENSOR
from gpuexplorer.gui.lab.forms.form import Around
from gpuexplorer.gui.lab.forms.models import MODELS, model_code
from gpuexplorer.gui.lab.forms.reading import next_letter, next_numbered, read_name
from tests.gui.lab.conftest import GIB, MIB, tensor
from tests.gui.lab.form_plans import CARD, EMPTY, HOST, plan


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "X = torch.ones(2, 3)"),
        ({"shape": ""}, "X = torch.ones(())"),
        ({"fill": "rand", "device": "cuda:1"}, 'X = torch.rand(2, 3, device="cuda:1")'),
        (
            {"fill": "zeros", "shape": "4", "dtype": "float16", "grad": "on"},
            "X = torch.zeros(4, dtype=torch.float16, requires_grad=True)",
        ),
        ({"fill": "full", "shape": "4", "value": "7"}, "X = torch.full((4,), 7)"),
        (
            {"fill": "full", "value": "7", "dtype": "float32"},
            "X = torch.full((2, 3), 7, dtype=torch.float32)",
        ),
        ({"fill": "randint"}, "X = torch.randint(0, 10, (2, 3))"),
        ({"fill": "arange"}, "X = torch.arange(0, 12, 1)"),
        ({"fill": "linspace"}, "X = torch.linspace(0, 1, 5)"),
        ({"fill": "eye"}, "X = torch.eye(3)"),
        (
            {"fill": "tensor", "values": "[[1, 2],\n [3, 4]]"},
            "X = torch.tensor([[1, 2], [3, 4]])",
        ),
        ({"shape": "2", "pinned": "on"}, "X = torch.ones(2, pin_memory=True)"),
        ({"fill": "rand", "seed": "42"}, "torch.manual_seed(42)\nX = torch.rand(2, 3)"),
        ({"seed": "42"}, "X = torch.ones(2, 3)"),  # nothing is drawn
    ],
)
def test_a_tensor_is_written_as_a_person_would(fields: dict[str, str], code: str) -> None:
    given = {"name": "X", "device": "cpu", **fields}
    assert plan(TENSOR, EMPTY, **given).code == code


def test_every_fill_and_type_that_is_offered_can_be_made() -> None:
    for fill in FILLS.values():
        for dtype in DTYPES.values():
            if dtype.kind in fill.kinds:
                for device in ("cpu", "cuda:0", "meta"):
                    made = plan(TENSOR, EMPTY, fill=fill.word, dtype=dtype.name, device=device)
                    assert made.ready, (fill, dtype, made.problems)


def test_a_type_that_cannot_be_filled_so_gives_way_to_the_usual_one() -> None:
    assert plan(TENSOR, EMPTY, fill="rand", dtype="int64", device="cpu").code == (
        "A = torch.rand(2, 3)"
    )


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"name": ""}, "name", "It needs a name."),
        ({"name": "2x"}, "name", "'2x' is not a name."),
        ({"name": "class"}, "name", "a word of Python itself"),
        ({"name": "torch"}, "name", "stands for a part of PyTorch"),
        ({"shape": "-1"}, "shape", "cannot be -1"),
        ({"shape": "2,,3"}, "shape", "missing between two commas"),
        ({"shape": "10000000000 x 10000000000"}, "shape", "can count"),
        ({"fill": "arange", "step": "0"}, "step", "never end"),
        ({"fill": "arange", "step": "-1"}, "step", "do not lead"),
        ({"fill": "arange", "step": "1e-320", "end": "1e300"}, "step", "can count"),
        ({"fill": "arange", "end": "9" * 400}, "step", "can count"),
        ({"fill": "arange", "end": "1j"}, "end", "plain number"),
        ({"fill": "randint", "high": "0"}, "high", "above 0"),
        ({"fill": "linspace", "steps": "-1"}, "steps", "at least"),
        ({"fill": "eye", "size": "x"}, "size", "whole number"),
        ({"fill": "full", "value": ""}, "value", "missing"),
        ({"fill": "rand", "seed": "a"}, "seed", "whole number"),
        ({"fill": "tensor", "values": f"[{'1, ' * 2000}]"}, "values", "4000 characters"),
        ({"fill": "tensor", "values": "open('x')"}, "values", "cannot be read"),
    ],
)
def test_a_bad_field_keeps_the_cell_from_running_and_says_why(
    fields: dict[str, str], field: str, sentence: str
) -> None:
    made = plan(TENSOR, EMPTY, **{"name": "X", **fields})
    assert sentence in made.problems[field]
    assert not made.ready
    assert made.code == ""


def test_a_device_that_is_not_there_gives_way_to_one_that_is() -> None:
    assert plan(TENSOR, EMPTY, device="cuda:7").button == "Create on cuda:0"
    nowhere = Around(devices=(replace(CARD, usable=False),))
    assert plan(TENSOR, nowhere).problems["device"] == "Choose a device that can be used."


def test_a_name_that_is_there_is_replaced_with_a_warning_and_can_be_run() -> None:
    made = plan(TENSOR, replace(EMPTY, things={"X": tensor("X")}), name="X")
    assert made.warnings == ["X is there already: it would be replaced."]
    assert made.ready


def test_what_fits_and_what_does_not_is_said_before_it_is_made() -> None:
    fits = plan(TENSOR, EMPTY)
    assert fits.facts == ["24 B of 22.0 GiB free: it fits"]
    assert fits.warnings == []
    large = plan(TENSOR, EMPTY, shape="100000, 100000")
    assert large.warnings == ["Does not fit: 37.3 GiB of 22.0 GiB free"]
    assert large.ready


def test_the_context_counts_on_a_card_that_was_not_used() -> None:
    unused = replace(CARD, context_bytes=0, cache_bytes=0, tensor_bytes=0, free_bytes=GIB)
    around = Around(devices=(unused,), contexts={"cuda:0": 334 * MIB})
    assert plan(TENSOR, around).facts[1] == "First use adds the context, 0.33 GiB"
    almost = plan(TENSOR, around, shape="200, 1024, 1024")
    assert almost.warnings == ["Does not fit with the context: 0.78 GiB of 1.00 GiB free"]


def test_what_pytorch_keeps_can_hold_it_too() -> None:
    kept = replace(CARD, free_bytes=MIB, cache_bytes=GIB, tensor_bytes=0)
    assert plan(TENSOR, Around(devices=(kept,)), shape="100, 1024, 1024").warnings == []


def test_a_cap_of_the_memory_is_a_cap() -> None:
    made = plan(TENSOR, replace(EMPTY, memory_share=0.1), shape="1024, 1024, 1024")
    assert "Does not fit under the cap" in made.warnings[0]


def test_a_simulated_card_says_what_the_host_cannot_hold() -> None:
    around = Around(devices=(replace(HOST, free_bytes=GIB), replace(CARD, modelled=True)))
    made = plan(TENSOR, around, shape="1024, 1024, 1024")
    assert "its values need the computer's memory" in made.warnings[0]


def test_meta_and_unknown_memory_say_so() -> None:
    made = plan(TENSOR, EMPTY, device="meta")
    assert made.facts == ["24 B with values; meta keeps only the shape"]
    silent = Around(devices=(replace(HOST, free_bytes=None),))
    assert "not known" in plan(TENSOR, silent).facts[0]


def test_what_is_special_about_a_device_is_said_where_it_is_chosen() -> None:
    why = Message("PyTorch's cuda:0 is card 1 of nvidia-smi and of this window.")
    assert plan(TENSOR, Around(devices=(replace(CARD, reason=why),))).facts[-1] == why


def test_the_next_name_is_always_free_and_can_be_one() -> None:
    taken: set[str] = set()
    for _ in range(200):
        name = next_letter(taken)
        assert name not in taken
        assert read_name(name) == name
        taken.add(name)
    assert next_letter(()) == "A"
    assert next_letter({"A", "B"}) == "C"
    assert "F" not in taken
    assert next_numbered("net", {"net", "net2"}) == "net3"
    with pytest.raises(Trouble, match="part of PyTorch"):
        read_name("F")


# What PyTorch itself counts for the models as they stand in their forms, in parameters.
KNOWN = {
    "linear": 4,
    "mlp": 203_530,
    "lenet": 61_706,
    "small_cnn": 5_514,
    "transformer": 12_704,
    "lstm": 5_442,
    "tiny_gpt": 29_275,
}


@pytest.mark.parametrize("key", list(MODELS))
def test_models_are_written_out_and_know_their_parameters(key: str) -> None:
    model = MODELS[key]
    assert model.parameters({each.key: each.first for each in model.sizes}) == KNOWN[key]
    made = plan(MODEL, EMPTY, model=key, device="cuda:1", seed="1")
    assert made.code.startswith("torch.manual_seed(1)\n")
    assert made.code.endswith('.to("cuda:1")')
    assert model_code(key, "net").splitlines()[-1] in made.code
    assigned = [
        target.id
        for each in ast.parse(made.code).body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    ]
    assert assigned == ["net"]


def test_the_first_fact_of_a_model_is_how_many_parameters_it_has() -> None:
    small = plan(MODEL, EMPTY, model="small_cnn")
    assert (
        small.facts[0]
        == "5\N{NARROW NO-BREAK SPACE}514 parameters, and 400 B of running figures"
    )
    assert small.facts[1].startswith("21.9 KiB of")


def test_sizes_of_a_model_that_are_none_are_told_beside_their_fields() -> None:
    made = plan(MODEL, EMPTY, model="transformer", **{"transformer width": "30"})
    assert made.problems == {"transformer heads": "30 cannot be shared by 4 heads."}
    fields = {"mlp inputs": "-3", "mlp hidden": "", "mlp outputs": "1.5"}
    assert set(plan(MODEL, EMPTY, model="mlp", **fields).problems) == set(fields)
    many = plan(MODEL, EMPTY, model="tiny_gpt", **{"tiny_gpt blocks": "9" * 30})
    assert many.problems["tiny_gpt letters"] == "These are more bytes than PyTorch can count."
