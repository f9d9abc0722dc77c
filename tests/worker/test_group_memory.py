"""What a container may still take of the memory, from the files in which Linux tells it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from gpuexplorer.worker.engines.host_memory import left_of_group

GIB = 1 << 30
MAX = "max"


@pytest.mark.parametrize(
    ("own", "groups", "left"),
    [
        # the line of our own group; by folder: the limit, what is used, and of it cached files
        ("0::/", {"": (2 * GIB, GIB, GIB // 4)}, GIB + GIB // 4),
        (  # a group around it may have less
            "0::/job/step",
            {
                "": (MAX, 9 * GIB, 0),
                "job": (4 * GIB, 3 * GIB, 0),
                "job/step": (8 * GIB, GIB, 0),
            },
            GIB,
        ),
        # As it is called outside, and only its inside is here.
        ("0::/docker/abc", {"": (2 * GIB, GIB // 2, GIB // 2)}, 2 * GIB),
        ("0::/", {"": (GIB, 2 * GIB, 0)}, 0),  # more is used than is allowed
        ("0::/", {"": (MAX, GIB, 0)}, None),
        ("0::/", {}, None),
        ("", {}, None),
    ],
)
def test_a_container_has_what_its_limits_leave(
    own: str, groups: Mapping[str, tuple[int | str, int, int]], left: int | None, tmp_path: Path
) -> None:
    if own:
        (tmp_path / "own").write_text(f"3:cpu,cpuacct:/elsewhere\n{own}\n")
    for folder, (limit, used, pages) in groups.items():
        at = tmp_path / "cgroup" / folder
        at.mkdir(parents=True, exist_ok=True)
        (at / "memory.max").write_text(f"{limit}\n")
        (at / "memory.current").write_text(f"{used}\n")
        (at / "memory.stat").write_text(f"anon 7\ninactive_file {pages}\n")
    assert left_of_group(tmp_path / "cgroup", tmp_path / "own") == left
