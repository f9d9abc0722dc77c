"""Files: tensors only, whole or not at all, and no code of anybody's."""

import os
import pickle
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble  # noqa: E402 - only where there is torch
from tests.worker.benches import Bench, cpu_bench, virtual_bench  # noqa: E402


class _RunsCode:
    """Whoever unpickles it runs a program."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, (f"touch {self.mark}",)


def refused(bench: Bench, line: str) -> Trouble:
    with pytest.raises(Trouble) as trouble:
        bench.run(line)
    return trouble.value


@pytest.mark.parametrize("way", ["torch", "pickle"])
def test_a_file_that_wants_to_run_code_is_refused(
    bench: Bench, tmp_path: Path, way: str
) -> None:
    path, mark = tmp_path / "net.pt", tmp_path / "was_here"
    if way == "torch":
        torch.save(_RunsCode(mark), path)
    else:
        path.write_bytes(pickle.dumps(_RunsCode(mark), 2))
    trouble = refused(bench, f"torch.load({str(path)!r})")
    assert "wants to run code" in trouble.sentence
    assert "system" in trouble.sentence
    assert not mark.exists()


def test_asking_for_more_than_weights_is_refused(bench: Bench) -> None:
    assert "weights only" in refused(bench, "torch.load('x', weights_only=False)").sentence


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", b"\x80\x02", b"[1, 2]" * 99])
def test_what_is_no_file_of_tensors_is_refused(
    bench: Bench, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    assert "is no file of tensors" in refused(bench, f"torch.load({str(path)!r})").sentence


def test_a_file_that_is_not_there_says_so(bench: Bench, tmp_path: Path) -> None:
    sentence = refused(bench, f"torch.load('{tmp_path}/none.pt')").sentence
    assert "cannot be read: No such file or directory" in sentence
    sentence = refused(bench, f"torch.save(torch.ones(2), '{tmp_path}/no/such.pt')").sentence
    assert "could not be written: No such file or directory" in sentence


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_says_so(bench: Bench) -> None:
    trouble = refused(bench, "torch.save(torch.ones(1000, 1000), '/dev/full')")
    assert trouble.sentence == "/dev/full could not be written: No space left on device."


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/", "is a folder"),
        (".", "is a folder"),
        ("~nobody_of_this_name/x.pt", "There is nobody here"),
        ("a" * 300, "File name too long"),
        ("/dev/null/x.pt", "Not a directory"),
    ],
)
def test_a_place_that_is_none_says_so(bench: Bench, path: str, said: str) -> None:
    assert said in refused(bench, f"torch.save(torch.ones(2), {path!r})").sentence
    assert refused(bench, f"torch.load({path!r})").sentence


@pytest.mark.parametrize("thing", ["[nn.Linear(1, 1)]", "torch.optim.SGD([torch.ones(1)])"])
def test_a_model_in_a_list_is_not_saved(bench: Bench, tmp_path: Path, thing: str) -> None:
    trouble = refused(bench, f"torch.save({thing}, '{tmp_path}/net.pt')")
    assert "parameters, not whole programs" in trouble.sentence
    assert list(tmp_path.iterdir()) == []


def test_a_whole_model_is_not_saved(bench: Bench, tmp_path: Path) -> None:
    trouble = refused(bench, f"torch.save(nn.Linear(1, 1), '{tmp_path}/net.pt')")
    assert "parameters, not whole programs" in trouble.sentence
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_a_card_that_is_not_here_is_refused_as_torch_does(tmp_path: Path) -> None:
    path = f"{tmp_path}/x.pt"
    virtual_bench().run("X = torch.ones(2).cuda(1)", f"torch.save(X, {path!r})")
    with pytest.raises(RuntimeError, match=r"torch\.cuda\.is_available\(\) is False"):
        cpu_bench().run(f"torch.load({path!r})")
    assert cpu_bench().run(f"torch.load({path!r}, map_location='cpu').tolist()") == [1, 1]
    with pytest.raises(RuntimeError, match=r"device 5 but torch\.cuda\.device_count\(\) is 2"):
        virtual_bench().run(f"torch.load({path!r}, map_location='cuda:5')")
