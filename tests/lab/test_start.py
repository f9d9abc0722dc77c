"""What a worker is told by its environment, before PyTorch looks at it."""

import pytest

from gpuexplorer.lab.worker_process import Start

CONNECTIONS = "CUDA_DEVICE_MAX_CONNECTIONS"


def test_a_card_has_a_connection_for_each_of_many_queues(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All to one with eight cards takes about nine; PyTorch's own come on top."""
    monkeypatch.delenv(CONNECTIONS, raising=False)
    assert Start().variables[CONNECTIONS] == "32"


def test_what_a_person_chose_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CONNECTIONS, "1")
    assert Start().variables[CONNECTIONS] == "1"
    assert Start(environment={CONNECTIONS: "4"}).variables[CONNECTIONS] == "4"
