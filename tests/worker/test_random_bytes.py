"""Keeping the state of a random generator, under a PyTorch that came without numpy."""

import pytest

torch = pytest.importorskip("torch")


def test_the_state_of_chance_is_kept_where_pytorch_came_without_numpy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from gpuexplorer.worker.engines.random_bytes import bytes_of

    def no_numpy(*_: object) -> None:
        raise RuntimeError("Numpy is not available")

    monkeypatch.setattr(torch.Tensor, "numpy", no_numpy)
    state = torch.get_rng_state()
    assert bytes_of(state) == bytes(state.tolist())
    assert bytes_of(state[::2]) == bytes(state[::2].tolist())
