"""What a container may still take of the memory, from the files in which Linux tells it."""

from pathlib import Path

import pytest

from gpuexplorer.worker.engines.host_memory import left_of_group

GIB = 1 << 30


class Groups:
    """Both generations of the files, in a folder of the test's."""

    def __init__(self, folder: Path) -> None:
        self.root, self.own = folder / "cgroup", folder / "own"

    def says(self, line: str) -> None:
        self.own.write_text(f"3:cpu,cpuacct:/elsewhere\n{line}\n")

    def first(self, path: str, limit: int, used: int, pages: int = 0) -> None:
        folder = self._made(self.root / "memory" / path)
        (folder / "memory.limit_in_bytes").write_text(f"{limit}\n")
        (folder / "memory.usage_in_bytes").write_text(f"{used}\n")
        told = f"inactive_file 5\ntotal_inactive_file {pages}\n"
        (folder / "memory.stat").write_text(told)

    def second(self, path: str, limit: int | str, used: int, pages: int = 0) -> None:
        folder = self._made(self.root / path)
        (folder / "memory.max").write_text(f"{limit}\n")
        (folder / "memory.current").write_text(f"{used}\n")
        (folder / "memory.stat").write_text(f"anon 7\ninactive_file {pages}\n")

    @property
    def left(self) -> int | None:
        return left_of_group(self.root, self.own)

    def _made(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        return folder


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    return Groups(tmp_path)


def test_a_container_has_what_its_limit_leaves(groups: Groups) -> None:
    groups.says("0::/")
    groups.second("", 2 * GIB, GIB, pages=GIB // 4)
    assert groups.left == GIB + GIB // 4


def test_a_group_around_it_may_have_less(groups: Groups) -> None:
    groups.says("0::/job/step")
    groups.second("", "max", 9 * GIB)
    groups.second("job", 4 * GIB, 3 * GIB)
    groups.second("job/step", 8 * GIB, GIB)
    assert groups.left == GIB


def test_the_older_files_are_read_too(groups: Groups) -> None:
    groups.says("9:memory:/docker/abc")  # as it is called outside: only its inside is here
    groups.first("", 2 * GIB, GIB // 2, pages=GIB // 2)
    assert groups.left == 2 * GIB


def test_more_is_used_than_is_allowed(groups: Groups) -> None:
    groups.says("0::/")
    groups.second("", GIB, 2 * GIB)
    assert groups.left == 0


def test_without_a_limit_there_is_none(groups: Groups) -> None:
    assert groups.left is None
    groups.says("0::/")
    assert groups.left is None
    groups.second("", "max", GIB)
    assert groups.left is None
