"""Which names hold which stretch of memory: a stretch counts once, until nobody holds it."""

from gpuexplorer.lab.events import Held
from gpuexplorer.lab.ledger import HeldMemory


def held(storage: int, size: int, device: str = "cuda:0") -> Held:
    return Held(device, "values", size, storage)


def test_a_view_adds_nothing_and_keeps_what_it_shows() -> None:
    memory = HeldMemory()
    memory.placed("X", (held(1, 512),))
    memory.placed("V", (held(1, 512),))
    assert memory.bytes_on("cuda:0") == 512
    assert memory.first_beside("V") == "X"
    assert memory.first_beside("X") == ""
    memory.freed("X")
    assert memory.bytes_on("cuda:0") == 512
    assert memory.first_beside("V") == ""
    memory.freed("V")
    assert memory.bytes_on("cuda:0") == 0


def test_a_name_that_stands_for_something_else_lets_go_of_the_first() -> None:
    memory = HeldMemory()
    memory.placed("X", (held(1, 512), held(2, 1024)))
    memory.placed("X", (held(3, 2048, "cpu"),))
    assert memory.bytes_on("cuda:0") == 0
    assert memory.bytes_on("cpu") == 2048
    memory.freed("X")
    memory.freed("X")
    assert memory.bytes_on("cpu") == 0


def test_a_stretch_that_grew_counts_as_it_is_now() -> None:
    memory = HeldMemory()
    memory.placed("net", (held(1, 512), held(1, 512)))
    memory.placed("net", (held(1, 1024),))
    assert memory.bytes_on("cuda:0") == 1024
    memory.clear()
    assert memory.bytes_on("cuda:0") == 0


def test_what_has_no_memory_is_nobodys_neighbour() -> None:
    memory = HeldMemory()
    memory.placed("A", (held(0, 0, "meta"),))
    memory.placed("B", (held(0, 0, "meta"),))
    assert memory.first_beside("B") == ""
