"""Saving a played lesson: by the name's ending, whole or not at all."""

import json
import sys
from pathlib import Path

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lessons.export.save import contents, save
from tests.lessons.export.played import whole


@pytest.mark.parametrize("name", ["tensors.html", "tensors.HTM"])
def test_a_page_is_saved_under_a_name_of_a_page(tmp_path: Path, name: str) -> None:
    player = whole(tmp_path)
    save(player, player.lab.ledger, tmp_path / name)
    assert (tmp_path / name).read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_notebook_is_saved_under_a_name_of_a_notebook(tmp_path: Path) -> None:
    player = whole(tmp_path)
    save(player, player.lab.ledger, tmp_path / "tensors.ipynb")
    assert json.loads((tmp_path / "tensors.ipynb").read_text("utf-8"))["nbformat"] == 4


@pytest.mark.parametrize("name", ["tensors.html", "tensors.ipynb"])
def test_another_computer_is_named(tmp_path: Path, name: str) -> None:
    player = whole(tmp_path)
    written = contents(player, player.lab.ledger, tmp_path / name, machine="ada@server")
    assert b"Machine" in written
    assert b"ada@server" in written
    assert b"ada@server" not in contents(player, player.lab.ledger, tmp_path / name)


@pytest.mark.parametrize("name", ["tensors", "tensors.pdf", ".html"])
def test_other_endings_are_refused_with_the_right_ones(tmp_path: Path, name: str) -> None:
    player = whole(tmp_path)
    with pytest.raises(Trouble) as trouble:
        save(player, player.lab.ledger, tmp_path / name)
    assert str(trouble.value) == (
        f"{name} was not saved: its name does not end as a page's or a notebook's does. "
        "End it with .html for a page, or with .ipynb for a notebook."
    )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    player = whole(tmp_path)
    with pytest.raises(Trouble, match=r"tensors\.html was not saved\. That folder does not"):
        save(player, player.lab.ledger, tmp_path / "gone" / "tensors.html")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a disk that is always full")
def test_a_full_disk_is_told(tmp_path: Path) -> None:
    (tmp_path / "full.html").symlink_to("/dev/full")
    player = whole(tmp_path)
    with pytest.raises(Trouble, match=r"There is no room left on that disk\."):
        save(player, player.lab.ledger, tmp_path / "full.html")
