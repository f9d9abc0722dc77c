"""Ranks that really run, and what is said when one of them does not."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from gpuexplorer.core.words import Message
from gpuexplorer.ranks.measuring import ALL, told_apart
from gpuexplorer.ranks.wire import Failed, Way
from tests.lab.processes import needs_torch
from tests.ranks.hosts import PATIENCE, Course, left_of, member, rank_on, saying

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX runs it")


@pytest.mark.long
@needs_torch
def test_three_ranks_measure_each_pair_and_all_together_and_all_arrives() -> None:
    course = Course()
    assert course.run(*map(member, "abc"), ways=tuple(Way), sizes=(1000, 1 << 20)) is None
    told = [(each.way, each.source, each.target, each.bytes) for each in course.results]
    assert {each[1:3] for each in told if each[0] is Way.ONE_WAY} == {
        (a, b) for a in "abc" for b in "abc" if a != b
    }
    assert {each for each in told if each[0] is Way.ALL_REDUCE} == {
        (Way.ALL_REDUCE, ALL, ALL, 1000),
        (Way.ALL_REDUCE, ALL, ALL, 1 << 20),
    }
    assert all(each.intact and (each.rate or 0) > 0 for each in course.results)
    assert all(len(each.seconds) >= 7 for each in course.results)


@needs_torch
def test_a_rank_that_is_killed_is_told_and_nothing_is_left() -> None:
    def kill(told: Message) -> None:
        if told.startswith("2 of"):
            rank_on("b").kill()

    course = Course()
    trouble = course.run(*map(member, "ab"), sizes=(1024, 64 << 20), meanwhile=kill)
    assert trouble is not None
    assert trouble.sentence == "Our part on b was killed."
    assert [each.bytes for each in course.results] == [1024]
    assert course.met[0].backend == "gloo"


@pytest.mark.long
@needs_torch
@pytest.mark.parametrize("when", ["Looking", "2 of"])
def test_a_rank_that_is_stopped_is_told_and_nothing_is_left(when: str) -> None:
    """Its system still takes connections for it, which then stay silent."""
    began = [0.0]

    def stop(told: Message) -> None:
        if told.startswith(when):
            rank_on("b").suspend()
            began[0] = time.monotonic()

    trouble = Course().run(
        *map(member, "ab"), sizes=(1024, 64 << 20), silent=5.0, meanwhile=stop
    )
    assert trouble is not None
    assert trouble.sentence == "b has not been heard of for 5 s."
    assert time.monotonic() - began[0] < 30


@needs_torch
def test_a_python_without_pytorch_names_one_that_has_it(tmp_path: Path) -> None:
    alone = tmp_path / "python-alone"
    alone.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n', "utf-8")
    alone.chmod(alone.stat().st_mode | stat.S_IXUSR)
    assert Course().run(member("a"), member("b", str(alone))) is None


def test_a_host_without_pytorch_is_told_by_the_name_that_was_typed() -> None:
    lacks = Failed(Message("No Python on {host} has PyTorch.", host="node17.internal"))
    trouble = Course().run(saying("a", lacks), saying("b"))
    assert trouble is not None
    assert trouble.sentence == "No Python on a has PyTorch."


def test_a_host_that_is_not_there_is_told() -> None:
    gone = member("b")._replace(launch=lambda _host, _command: ["sh", "-c", "exit 255"])
    trouble = Course().run(gone, gone)
    assert trouble is not None
    assert trouble.sentence == "ssh cannot connect to b, and does not say why."


@needs_torch
def test_ranks_end_when_whoever_measures_was_killed(tmp_path: Path) -> None:
    program = tmp_path / "measures.py"
    program.write_text(
        "from tests.ranks.hosts import Course, member\n"
        "Course().run(member('orphan1'), member('orphan2'), sizes=range(1024, 9999),\n"
        "    meanwhile=lambda told: print(told, flush=True))\n",
        "utf-8",
    )
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, env=here
    ) as process:
        assert process.stdout is not None
        assert any(line.startswith(b"2 of") for line in process.stdout)
        process.kill()
    _, alive = psutil.wait_procs(left_of("orphan1", "orphan2"), PATIENCE)
    assert not alive


def test_a_machine_that_is_named_twice_gets_a_number_that_nobody_else_has() -> None:
    assert told_apart(["a", "a", "b", "a (2)", "a"]) == ["a", "a (3)", "b", "a (2)", "a (4)"]
