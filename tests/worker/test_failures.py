"""From an exception to its expression, its meaning and what is lost; why there is no card."""

import ast
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from gpuexplorer.lab.events import Device, Frame, Memory
from gpuexplorer.worker import places
from gpuexplorer.worker.engine import failed
from gpuexplorer.worker.engines.host_memory import left_of_group
from gpuexplorer.worker.engines.torch_engine import TorchEngine
from gpuexplorer.worker.places import Place, frames_of, place
from tests.worker.benches import Bench, raised, run_cell


class Thing:
    """Notes the place at which anything is done to it, as a tensor's copies are noted."""

    def __init__(self) -> None:
        self.places: list[Place] = []

    def to(self, where: object) -> "Thing":
        self.places.append(place())
        return self

    __add__ = to


@pytest.fixture(autouse=True)
def ours(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`Thing` stands for what the program puts in PyTorch's place."""
    monkeypatch.setattr(places, "OURS", (*places.OURS, "tests."))
    places.take_files(taken=False)
    yield
    places.take_files(taken=False)


def seen(text: str, number: int = 3, **names: Any) -> tuple[Place, ...]:
    thing = Thing()
    run_cell(text, {"x": thing, **names}, number)
    return tuple(thing.places)


@pytest.mark.parametrize(
    ("text", "what", "how"),
    [
        ("y = [x, x][0].to(1)", "[x, x][0].to(1)", "to"),
        ("print('é', 3, x.to(1))", "x.to(1)", "to"),
        ("y = 1 + 2; y = x + 1", "x + 1", ""),
        ("(lambda a: a.to(2))(x)", "a.to(2)", "to"),
        ("y = (x\n  .to(1))", "to(1)", "to"),
        ("x.to(\n    1)", "x.to(", "to"),
    ],
)
def test_the_very_expression_is_known(text: str, what: str, how: str) -> None:
    (found,) = seen(text)
    assert found.how() == how
    assert what in found.spot.what
    frame = found.spot.frame
    assert frame.cell == 3
    assert text.split("\n")[frame.line - 1][frame.begin : frame.end] == found.spot.what


def test_a_thread_without_code_of_the_person_is_where_the_cell_waits_for_it() -> None:
    thing = Thing()

    def wait_for() -> None:
        thread = threading.Thread(target=thing.to, args=(1,), name="helper")
        thread.start()
        thread.join()

    run_cell("y = 1\nwait_for()", {"wait_for": wait_for}, 6)
    (found,) = thing.places
    assert (found.spot.frame.cell, found.spot.frame.line, found.thread) == (6, 2, "helper")


def program(path: Path, text: str, **names: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    exec(compile(text, str(path), "exec"), names)


def test_in_a_program_files_are_the_persons_code(tmp_path: Path) -> None:
    thing, file = Thing(), tmp_path / "train.py"
    program(file, "y = 1\nx.to(1)", x=thing)
    places.take_files(taken=True)
    program(file, "y = 1\nx.to(1)", x=thing)
    unseen, found = thing.places
    assert unseen.spot.frame.file == ""
    assert found.spot.frame == Frame(0, 2, "", 0, 7, str(file))
    assert (found.spot.what, found.how(), found.deep) == ("x.to(1)", "to", 0)


def test_what_is_installed_is_no_code_of_the_persons(tmp_path: Path) -> None:
    places.take_files(taken=True)
    library = tmp_path / "venv" / "lib" / "python3" / "site-packages" / "deep.py"
    not_theirs = str(library), threading.__file__, pytest.__file__, places.__file__
    for each in (*not_theirs, "<frozen runpy>", "<string>"):
        assert not places.is_own(each)
    assert places.is_own(str(tmp_path / "train.py"))


def test_endless_recursion_is_told_in_short() -> None:
    frames = frames_of(raised("def f(): f()\nf()"))
    assert len(frames) == 40
    assert frames[0].line == 2
    assert {each.line for each in frames[1:]} == {1}


def test_a_cell_that_is_no_python_says_where() -> None:
    (frame,) = frames_of(raised("x = 1\ny = (2 +* 3)"))
    assert (frame.cell, frame.line) == (2, 2)
    assert frame.begin > 0


class AcceleratorError(RuntimeError):
    """As PyTorch calls it from 2.8 on."""


def said_by_cuda(words: str) -> BaseException:
    return raised("raise error", error=AcceleratorError(f"CUDA error: {words}\nMore of it."))


def broken() -> None:
    """What a card answers when its context is broken: whatever is asked."""
    raise AcceleratorError("CUDA error: unknown error")


@pytest.mark.parametrize(
    "words",
    ["the launch timed out and was terminated", "an illegal memory access was encountered"],
)
def test_a_card_that_does_not_answer_any_more_is_broken(words: str) -> None:
    told = failed(1, said_by_cuda(words), settle=broken)
    assert told.cause == "device broken"
    assert told.message.startswith(f"CUDA error: {words}")
    assert told.sentence.startswith("The card broke off.")
    assert told.frames == (Frame(2, 1, "", 0, 11),)


@pytest.mark.parametrize("waited", [False, True])
def test_a_check_on_the_card_that_failed_is_told_late_unless_each_kernel_was_waited_for(
    monkeypatch: pytest.MonkeyPatch, *, waited: bool
) -> None:
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1" if waited else "0")
    told = failed(1, said_by_cuda("device-side assert triggered"), settle=broken)
    assert (told.cause, told.waited) == ("device assert", waited)
    assert ("may be innocent" in told.sentence) is not waited


def test_a_card_that_goes_on_answering_is_not() -> None:
    assert failed(1, said_by_cuda("invalid argument")).cause == "refused by PyTorch"


def test_a_card_that_broke_unnoticed_is_found_by_whatever_fails_next() -> None:
    told = failed(1, raised("1 / 0"), settle=broken)
    assert (told.cause, told.error) == ("device broken", "AcceleratorError")
    assert told.message == "CUDA error: unknown error"


def test_no_room_for_a_context_is_no_room() -> None:
    memory = (Memory("cuda:0", 0, 0, 100, 1000),)
    told = failed(1, said_by_cuda("out of memory"), lambda: memory)
    assert told.cause == "out of memory"
    assert told.sentence == "It does not fit into the memory that is free."
    assert told.memory == memory


def test_a_module_that_is_missing_is_named_for_pip() -> None:
    told = failed(1, raised("from nowhere_to_be_found import torch as d2l"))
    assert (told.cause, told.error) == ("raised", "ModuleNotFoundError")
    assert told.missing == "nowhere_to_be_found"
    assert told.sentence == "The lab's Python has no module nowhere_to_be_found."


# As c10/cuda/CUDAFunctions.cpp of PyTorch says it.
TOO_OLD = (
    "The NVIDIA driver on your system is too old (found version 11040). Please update your GPU "
    "driver by downloading and installing a new version from the URL: "
    "http://www.nvidia.com/Download/index.aspx"
)
UNKNOWN = (
    "CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing "
    "env variable CUDA_VISIBLE_DEVICES after program start. Setting the available devices to "
    "be zero."
)
UNEXPECTED = (
    "Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before "
    "calling NumCudaDevices() that might have already set an error? Error "
)
NONE = "No CUDA GPUs are available"


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> TorchEngine:
    """On a build for CUDA 13.0 that counts no card."""
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    says(monkeypatch, NONE)
    return TorchEngine()


def says(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    def begin() -> None:
        raise RuntimeError(words)

    monkeypatch.setattr(torch.cuda, "init", begin)


def missing(engine: TorchEngine) -> Device:
    [found] = [each for each in engine.hello().devices if each.name == "cuda:0"]
    assert not found.usable
    return found


@pytest.mark.parametrize(
    ("words", "reason", "way_out"),
    [
        (
            TOO_OLD,
            "too old for this PyTorch, which is built for CUDA 13.0.",
            "Update the driver",
        ),
        (UNKNOWN, "(999), as it often does after the computer was suspended.", "nvidia_uvm`"),
        (
            UNEXPECTED + "803: system has unsupported display driver / cuda driver combination",
            "of two versions (error 803)",
            "Restart the computer",
        ),
        (NONE, "CUDA finds no card that this program may use.", "rights to /dev/nvidia*"),
    ],
)
def test_why_there_is_no_card_and_what_to_do_is_said(
    engine: TorchEngine, monkeypatch: pytest.MonkeyPatch, words: str, reason: str, way_out: str
) -> None:
    says(monkeypatch, words)
    device = missing(engine)
    assert reason in device.reason
    assert way_out in device.way_out


@pytest.mark.parametrize("visible", ["", "7"])
def test_cards_that_a_variable_hides_are_told_with_the_variable(
    engine: TorchEngine, monkeypatch: pytest.MonkeyPatch, visible: str
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    device = missing(engine)
    assert device.reason == f"Under CUDA_VISIBLE_DEVICES=“{visible}” CUDA finds no card."
    assert device.way_out.startswith("Unset it where GPU Explorer is started")


REFUSED = getattr(torch, "AcceleratorError", RuntimeError)


@pytest.fixture
def fallen(virtual: Bench) -> Bench:
    """Something lies on both cards, and card 1 is gone."""
    virtual.run("A = torch.ones(3).cuda(0)", "B = torch.ones(3).cuda(1)", "H = torch.ones(3)")
    virtual.run("net = nn.Linear(3, 1).cuda(1)", "loss = net(B).sum()")
    virtual.engine.told(["cuda:1"])
    return virtual


def shown(bench: Bench, line: str) -> str:
    """As the loop shows what a line gives."""
    value = bench.run(line)
    with bench.engine.running():
        return repr(value)


@pytest.mark.parametrize(
    "line",
    [
        "A.cuda(1)",
        "H.to('cuda:1')",
        "B[0].item()",
        "loss.backward()",
        "torch.cuda.synchronize(1)",
    ],
)
def test_whatever_reaches_the_lost_card_breaks_the_process(fallen: Bench, line: str) -> None:
    with pytest.raises(REFUSED) as refused:
        shown(fallen, line)
    assert str(refused.value).startswith("CUDA error: unspecified launch failure\n")
    told = failed(1, refused.value)
    assert told.cause == "device broken"
    assert told.sentence.startswith("cuda:1 is lost: the card does not answer any more, and ")


@pytest.mark.parametrize("line", ["A + 1", "H.cuda(0)", "torch.cuda.synchronize(0)", "del B"])
def test_what_does_not_reach_it_goes_on(fallen: Bench, line: str) -> None:
    fallen.run(line)


def test_a_process_that_never_used_it_cannot_begin_to_and_stays_whole(virtual: Bench) -> None:
    virtual.run("A = torch.ones(3).cuda(0)")
    virtual.engine.told(["cuda:1"])
    virtual.run("gpu(1)")  # naming it reaches nothing
    for line in ("B = A.cuda(1)", "B = torch.ones(2, device='cuda:1')"):
        with pytest.raises(REFUSED, match="CUDA error: unknown error") as refused:
            virtual.run(line)
        told = failed(1, refused.value)
        assert told.cause == "device lost"
        assert told.hint.startswith("What is on the shelf is as it was.")
    assert "B" not in virtual.things
    assert virtual.run("float(A.sum())") == 3
    virtual.engine.told([])
    virtual.run("B = A.cuda(1)")
    assert virtual.run("B.tolist()") == [1, 1, 1]


HOME = Path(__file__).parents[2] / "gpuexplorer"
NEWER = {
    "enum": {"StrEnum", "ReprEnum", "verify"},
    "typing": {"Self", "Never", "assert_never", "override", "LiteralString", "Unpack"},
    "datetime": {"UTC"},
    "tomllib": {"loads", "load"},
    "contextlib": {"chdir"},
}
FOR_OLDER = HOME / "core" / "newer_python.py"  # takes them only where they are


def test_nothing_that_the_worker_imports_needs_a_newer_python() -> None:
    wrong = [
        f"{file}: {node.module}"
        for part in ("core", "lab", "worker")
        for file in sorted((HOME / part).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and NEWER.get(node.module or "", set()) & {each.name for each in node.names}
        and file != FOR_OLDER
    ]
    assert wrong == []


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
