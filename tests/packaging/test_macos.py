"""What is made for macOS, read back here and held against what the system asks for."""

import plistlib
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtGui import QImage, QImageReader

from bundle.sizes import CLASSROOM, SLIM
from macos.dmg import make_dmg
from macos.icon import PLAIN_KINDS, PNG_KINDS, packed, write_icon
from macos.settings import APP, IDENTIFIER, info_plist
from program_icon import channels, fitting

FOLDER = Path(__file__).resolve().parents[2] / "packaging" / "macos"


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> dict[bytes, bytes]:
    """What is in the icon's file, by kind."""
    data = write_icon(tmp_path_factory.mktemp("icon") / "gpuexplorer.icns").read_bytes()
    assert data[:4] == b"icns"
    assert struct.unpack(">I", data[4:8]) == (len(data),)
    found, at = {}, 8
    while at < len(data):
        kind, (length,) = data[at : at + 4], struct.unpack(">I", data[at + 4 : at + 8])
        found[kind] = data[at + 8 : at + length]
        at += length
    assert at == len(data)
    return found


def unpacked(data: bytes) -> bytes:
    out, at = bytearray(), 0
    while at < len(data):
        head = data[at]
        if head < 128:
            out += data[at + 1 : at + head + 2]
            at += head + 2
        else:
            out += data[at + 1 : at + 2] * (head - 125)
            at += 2
    return bytes(out)


def test_the_icon_has_every_size_at_one_and_at_two_pixels_a_point(
    pictures: dict[bytes, bytes],
) -> None:
    plain = [kind for kinds in PLAIN_KINDS for kind in kinds]
    assert set(pictures) == {*PNG_KINDS, *plain}
    assert {*PNG_KINDS.values(), *PLAIN_KINDS.values()} == {16, 32, 64, 128, 256, 512, 1024}
    for kind, side in PNG_KINDS.items():
        assert channels(QImage.fromData(pictures[kind])) == channels(fitting(side))


def test_the_smallest_are_colours_and_a_mask(pictures: dict[bytes, bytes]) -> None:
    for (colours, mask), side in PLAIN_KINDS.items():
        alpha, *planes = channels(fitting(side))
        assert pictures[mask] == alpha
        assert unpacked(pictures[colours]) == b"".join(planes)


@pytest.mark.parametrize(
    "plane",
    [b"", b"a", b"aab", b"aaab", b"a" * 131, bytes(range(256)), b"ab" * 100 + b"c" * 400],
)
def test_packing_loses_nothing(plane: bytes) -> None:
    assert unpacked(packed(plane)) == plane


def test_qt_reads_the_icon_too(tmp_path: Path) -> None:
    reader = QImageReader(str(write_icon(tmp_path / "gpuexplorer.icns")))
    assert bytes(reader.format().data()) == b"icns"
    assert not reader.read().isNull()


def test_the_settings_of_the_bundle_can_be_written_and_say_what_is_needed() -> None:
    told = plistlib.loads(plistlib.dumps(info_plist(CLASSROOM, "1.2.0rc1")))
    assert told["CFBundleName"] == "GPU Explorer"
    assert told["CFBundleGetInfoString"] == "GPU Explorer for classrooms, with PyTorch 1.2.0rc1"
    # The system takes numbers only.
    assert told["CFBundleShortVersionString"] == told["CFBundleVersion"] == "1.2.0"
    assert told["NSHighResolutionCapable"] is True
    assert told["NSRequiresAquaSystemAppearance"] is False
    assert told["LSMinimumSystemVersion"] == "13.0"
    assert "LSBackgroundOnly" not in told


def test_what_is_no_version_is_refused() -> None:
    with pytest.raises(ValueError, match="'newest' is no version"):
        info_plist(SLIM, "newest")


def test_the_identifier_is_one() -> None:
    assert all(part.isalnum() for part in IDENTIFIER.split("."))


def test_the_entitlements_allow_no_more_than_they_must() -> None:
    told = plistlib.loads((FOLDER / "entitlements.plist").read_bytes())
    assert told == {
        "com.apple.security.cs.allow-jit": True,
        "com.apple.security.cs.allow-unsigned-executable-memory": True,
    }


def test_the_disk_image_has_the_program_beside_applications(tmp_path: Path) -> None:
    app = tmp_path / "built" / APP
    (app / "Contents" / "Resources").mkdir(parents=True)
    (app / "Contents" / "Resources" / "a.txt").write_text("a")
    (app / "Contents" / "Frameworks").symlink_to("Resources")
    ran: list[list[str]] = []

    def run(command: Sequence[str]) -> None:
        """Looks at the folder when hdiutil would."""
        ran.append(list(command))
        if "create" in command:
            inside = Path(command[command.index("-srcfolder") + 1])
            assert sorted(path.name for path in inside.iterdir()) == ["Applications", APP]
            assert (inside / "Applications").readlink() == Path("/Applications")
            assert (inside / APP / "Contents" / "Frameworks").is_symlink()

    made = make_dmg(app, CLASSROOM, "0.1.0", tmp_path / "dist", run, "arm64")
    assert made == tmp_path / "dist" / "gpuexplorer-classroom-0.1.0-macos-arm64.dmg"
    assert [command[:2] for command in ran] == [["hdiutil", "create"], ["hdiutil", "verify"]]
    assert ran[0][-1] == ran[1][-1] == str(made)


def test_the_script_that_signs_says_what_it_needs() -> None:
    done = subprocess.run(
        ["bash", str(FOLDER / "sign.sh")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "Say which bundle, whose certificate, and which profile" in done.stderr
