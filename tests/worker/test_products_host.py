"""Products on the processor, measured for real: how the method is tried where no card is."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards  # noqa: E402 - only with torch
from tests.worker.multiplications import multiplied_on  # noqa: E402


@pytest.mark.parametrize("kind", ["fp32", "bf16"])
def test_the_processor_multiplies_right_and_takes_its_time(kind: str) -> None:
    measured = multiplied_on(TorchCards(), "cpu", kind, size=256)
    assert measured.right
    assert measured.gated is None
    assert len(measured.samples_s) == 3
    assert all(0 < each < 1 for each in (*measured.samples_s, measured.host_s or 0))
    assert measured.notes == ()


def test_the_switch_of_this_pytorch_is_set_and_put_back() -> None:
    products = torch.backends.cuda.matmul
    newer = hasattr(products, "fp32_precision")
    name, words = (
        ("fp32_precision", ("tf32", "ieee")) if newer else ("allow_tf32", (True, False))
    )
    before = getattr(products, name)
    for on, word in zip((True, False), words, strict=True):
        with TorchCards().tf32(on=on):
            assert getattr(products, name) == word
        assert getattr(products, name) == before


def test_the_older_switch_is_set_and_put_back_where_there_is_no_newer_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    older = SimpleNamespace(allow_tf32=True)
    monkeypatch.setattr(torch.backends.cuda, "matmul", older)
    with TorchCards().tf32(on=False):
        assert older.allow_tf32 is False
    assert older.allow_tf32 is True
