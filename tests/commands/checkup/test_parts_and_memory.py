"""What a person is told of the program's own parts, and of memory."""

from gpuexplorer.commands.checkup.finding import Topic, Verdict
from gpuexplorer.commands.checkup.memory import memory
from gpuexplorer.commands.checkup.parts import parts
from tests.commands.checkup.computer import Computer

ALL = {
    "PySide6-Essentials": "6.11.3",
    "numpy": "2.4.6",
    "nvidia-ml-py": "13.615.71",
    "psutil": "7.2.2",
    "platformdirs": "4.3.0",
    "pyqtgraph": "0.14.0",
    "markdown-it-py": "4.3.0",
}


def told(computer: Computer) -> Topic:
    return parts(computer.probe())


def test_a_whole_program_lists_its_parts(computer: Computer) -> None:
    computer.installed = dict(ALL)
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert topic.sentence.endswith("Every part is there.")
    assert "nvidia-ml-py 13.615.71" in topic.details[0]


def test_a_missing_part_says_what_cannot_be_done(computer: Computer) -> None:
    computer.installed = {k: v for k, v in ALL.items() if k != "nvidia-ml-py"}
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert "Without nvidia-ml-py NVIDIA cards cannot be read." in topic.sentence
    assert topic.do == "Run: `pip install nvidia-ml-py`"


def test_a_packed_program_is_not_told_to_use_pip(computer: Computer) -> None:
    computer.prefix = None
    assert told(computer).verdict is Verdict.FINE


def test_the_wrong_pynvml_is_to_be_removed_and_the_right_one_put_back(
    computer: Computer,
) -> None:
    computer.installed = ALL | {"pynvml": "11.5.3"}
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert "`pip uninstall pynvml`" in topic.do
    assert "--force-reinstall nvidia-ml-py" in topic.do


def test_the_later_pynvml_is_only_a_nuisance(computer: Computer) -> None:
    computer.installed = ALL | {"pynvml": "13.0.1"}
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert topic.do == "Run: `pip uninstall pynvml`"


def test_no_swap_is_worth_a_look(computer: Computer) -> None:
    computer.write(
        "/proc/meminfo",
        "MemTotal:       16777216 kB\nMemAvailable:    8388608 kB\nSwapTotal:       0 kB\n",
    )
    topic = memory(computer.probe())
    assert topic.verdict is Verdict.LOOK
    assert topic.sentence == (
        "16.0 GiB of memory, 8.0 GiB of it free, and no swap. If memory runs out, Linux ends"
        " the largest program at once: most likely a training run."
    )


def test_swap_is_counted_and_a_containers_limit_too(computer: Computer) -> None:
    computer.write(
        "/proc/meminfo",
        "MemTotal:  16777216 kB\nMemAvailable:  8388608 kB\nSwapTotal:  2097152 kB\n",
    )
    computer.write("/sys/fs/cgroup/memory.max", f"{4 * 2**30}\n")
    topic = memory(computer.probe())
    assert topic.verdict is Verdict.FINE
    assert topic.sentence.endswith("2.0 GiB of swap.")
    assert topic.details == ["The container may use 4.0 GiB of it."]


def test_other_systems_look_after_memory_themselves(computer: Computer) -> None:
    computer.platform = "win32"
    assert memory(computer.probe()).verdict is Verdict.FINE


def test_a_limit_beyond_all_memory_is_none(computer: Computer) -> None:
    computer.write("/proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n")
    computer.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    topic = memory(computer.probe())
    assert not topic.details
    assert topic.facts["limit_bytes"] is None
