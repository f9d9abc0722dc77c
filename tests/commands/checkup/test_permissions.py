"""What a person is told who may not use the driver's device files."""

from gpuexplorer.commands.checkup.finding import Topic, Verdict
from gpuexplorer.commands.checkup.permissions import permissions
from tests.commands.checkup.computer import Computer


def told(computer: Computer) -> Topic:
    return permissions(computer.probe())


def test_without_a_driver_nothing_needs_permission(computer: Computer) -> None:
    assert told(computer).verdict is Verdict.FINE


def test_files_that_may_be_used_are_counted(computer: Computer) -> None:
    computer.load_module()
    computer.write("/etc/group", "root:x:0:\nsudo:x:27:ana\nvideo:x:1000:\n")
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert topic.sentence == "This user may use all 3 device files."
    assert topic.details == ["This user is in the groups video and sudo."]


def test_a_refused_file_is_named_with_the_group_to_join(computer: Computer) -> None:
    computer.load_module()
    computer.forbidden = {"/dev/nvidia0"}
    owner = (computer.root / "dev/nvidia0").stat().st_gid
    computer.write("/etc/group", f"video:x:{owner}:\n")
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert topic.sentence == "This user may not read and write /dev/nvidia0."
    assert topic.do == "Run `sudo usermod -aG video $USER`, then log out and in again."


def test_the_group_of_ones_own_name_is_not_worth_mentioning(computer: Computer) -> None:
    computer.load_module()
    computer.write("/etc/group", "ana:x:1000:\nsudo:x:27:ana\n")
    assert told(computer).details == ["This user is in the group sudo."]


def test_missing_files_are_made_by_a_command(computer: Computer) -> None:
    computer.load_module()
    for name in ("nvidia0", "nvidiactl", "nvidia-uvm"):
        (computer.root / "dev" / name).unlink()
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert "nvidia-modprobe" in topic.do


def test_without_uvm_the_card_can_be_watched_but_not_used(computer: Computer) -> None:
    computer.load_module()
    (computer.root / "dev/nvidia-uvm").unlink()
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert "CUDA cannot start without it" in topic.sentence


def test_other_files_of_that_name_are_no_cards(computer: Computer) -> None:
    computer.write("/dev/nvidia-modeset")
    computer.write("/dev/nvidia-caps/nvidia-cap1")
    assert "no device files" in told(computer).sentence
